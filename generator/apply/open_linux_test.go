// Programs that have a file open while it is replaced.

package apply_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/apply"
)

// TestWhoHasAFileOpenMayStillWrite: an editor opens, ahpgen replaces, the editor writes. What it writes must
// not go to a file that has no name any more.
func TestWhoHasAFileOpenMayStillWrite(t *testing.T) {
	for i, step := range steps(t) {
		if strings.HasPrefix(step, "drop ") {
			continue // nobody has it open then
		}
		t.Run(step, func(t *testing.T) {
			dir := setUp(t)
			path := filepath.Join(dir, "out", "hand.go")
			editor, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			defer editor.Close()
			at(t, i, func() error {
				time.AfterFunc(50*time.Millisecond, func() {
					_, _ = editor.WriteString("saved late")
					_ = editor.Close()
				})
				return nil
			})
			werr := apply.Write(place(dir), change())
			time.Sleep(100 * time.Millisecond)
			require.Equal(t, "saved late", tree(t, dir)["out/hand.go"], "%v", werr)
			requireKept(t, dir, "out/hand.go", "saved late")
		})
	}
}

func TestAFileThatStaysOpenIsLeftAlone(t *testing.T) {
	dir := setUp(t)
	editor, err := os.OpenFile(filepath.Join(dir, "out", "hand.go"), os.O_WRONLY, 0)
	require.NoError(t, err)
	defer editor.Close()
	err = apply.Write(place(dir), change())
	require.ErrorIs(t, err, apply.ErrBusy)
	require.ErrorContains(t, err, "hand.go is open for writing in another program: close it there; nothing was written")
	require.Equal(t, before, tree(t, dir))
}

func TestReadersDoNotStandInTheWay(t *testing.T) {
	dir := setUp(t)
	reader, err := os.Open(filepath.Join(dir, "out", "hand.go"))
	require.NoError(t, err)
	defer reader.Close()
	require.NoError(t, apply.Write(place(dir), change()))
	require.Equal(t, after, tree(t, dir))
}
