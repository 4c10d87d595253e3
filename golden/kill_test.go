// What is left of a repository when ahpgen is killed in the middle of a bump.

package golden

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBumpKilledAtRandomMoments: the repository is the old one or the new one. In the few
// milliseconds in which files take their places it is on the way, which a journal says, and the next
// generate or bump finishes it.
func TestBumpKilledAtRandomMoments(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	tool := filepath.Join(t.TempDir(), "ahpgen")
	run(t, root, "go", "build", "-o", tool, "./cmd/ahpgen")

	repository := func(t *testing.T) string {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "ahp", "ahpgen.json"), `{"schemas": "ahp@0.4.0", "out": ".", "package": "ahp"}`)
		run(t, filepath.Join(dir, "ahp"), tool, "generate")
		for _, name := range []string{"reducers_chat.go", "reducers_session.go"} { // a person's work
			path := filepath.Join(dir, "ahp", name)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			writeFile(t, path, strings.ReplaceAll(string(text), "// TODO(ahpgen): return a changed copy, or s where nothing changes.", "// Nothing to do here."))
		}
		return filepath.Join(dir, "ahp")
	}
	reference := repository(t)
	old := fingerprint(t, reference)
	start := time.Now()
	run(t, reference, tool, "bump", "--to", "0.7.0")
	took := time.Since(start)
	updated := fingerprint(t, reference)
	require.NotEqual(t, old, updated)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, a bump takes %s", seed, took)
	random := rand.New(rand.NewPCG(seed, 0))
	states := map[string]int{}
	for range 12 {
		dir := repository(t)
		require.Equal(t, old, fingerprint(t, dir))
		cmd := exec.Command(tool, "bump", "--to", "0.7.0")
		cmd.Dir = dir
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.Int64N(int64(took) * 11 / 10)))
		_ = cmd.Process.Kill() // it may have come to its end
		_ = cmd.Wait()         // killed: an error says nothing
		_, err := os.Stat(filepath.Join(dir, ".ahpgen-journal"))
		if begun := err == nil; begun {
			out, _ := command(dir, tool, "generate") // it finds what a person has to settle
			if strings.Contains(out, "finished an update that was cut short") {
				states["finished"]++
				require.Equal(t, updated, fingerprint(t, dir))
				continue
			} // otherwise nothing had changed yet
			require.Contains(t, out, "removed what an update left")
		}
		switch fingerprint(t, dir) {
		case old:
			states["old"]++
		case updated:
			states["new"]++
		default:
			t.Fatalf("seed %d: a mixture of old and new", seed)
		}
	}
	t.Logf("%v", states)
}

// fingerprint tells apart what a folder holds, files that wait for their place aside.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".ahpgen-") {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", entry.Name(), len(content), content)
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}
