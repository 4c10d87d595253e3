// Programs that have a file open while it is replaced.

package apply_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/apply"
)

// TestAProgramThatHasAFileOpenMayStillWrite: an editor opens the file, ahpgen exchanges it, the editor writes. What it writes
// must not go to a file without a name.
func TestAProgramThatHasAFileOpenMayStillWrite(t *testing.T) {
	for i, step := range steps(t) {
		if !strings.HasSuffix(step, " hand.go") {
			continue
		}
		t.Run(step, func(t *testing.T) {
			dir := setUp(t)
			editor, err := os.OpenFile(filepath.Join(dir, "out", "hand.go"), os.O_WRONLY, 0)
			require.NoError(t, err)
			defer editor.Close()
			at(t, i, func() error {
				time.AfterFunc(50*time.Millisecond, func() {
					_, _ = editor.WriteString("saved late")
					_ = editor.Close()
				})
				return nil
			})
			werr := apply.Write(change(dir))
			time.Sleep(100 * time.Millisecond)
			require.Equal(t, "saved late", tree(t, dir)["out/hand.go"], "%v", werr)
		})
	}
}

func TestAFileThatStaysOpenIsLeftAlone(t *testing.T) {
	apply.Patience(t, 50*time.Millisecond)
	dir := setUp(t)
	editor, err := os.OpenFile(filepath.Join(dir, "out", "hand.go"), os.O_WRONLY, 0)
	require.NoError(t, err)
	defer editor.Close()
	err = apply.Write(change(dir))
	require.ErrorIs(t, err, apply.ErrBusy)
	require.ErrorContains(t, err, "hand.go is open for writing in another program: close it there; nothing was written, run ahpgen again")
	require.Equal(t, before, tree(t, dir))
}

func TestReadersDoNotStandInTheWay(t *testing.T) {
	dir := setUp(t)
	reader, err := os.Open(filepath.Join(dir, "out", "hand.go"))
	require.NoError(t, err)
	defer reader.Close()
	require.NoError(t, apply.Write(change(dir)))
	require.Equal(t, after, tree(t, dir))
}
