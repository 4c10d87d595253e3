package apply_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/apply"
)

func TestOneProcessAtATimeHasAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	release, err := apply.Lock([]string{dir}, 0, nil)
	require.NoError(t, err)

	_, err = apply.Lock([]string{dir}, 50*time.Millisecond, nil)
	var busy *apply.LockError
	require.ErrorAs(t, err, &busy)
	require.ErrorContains(t, err, fmt.Sprintf("process %d (", os.Getpid()))
	require.ErrorContains(t, err, "is at work in "+filepath.ToSlash(dir))

	other, err := apply.Lock([]string{dir + "2"}, 0, nil)
	require.NoError(t, err, "another folder is free")
	other()
	require.NoDirExists(t, dir+"2", "a folder that was made for the lock goes with it")

	told := 0
	var wait sync.WaitGroup
	wait.Go(func() {
		second, err := apply.Lock([]string{dir}, 10*time.Second, func(*apply.LockError) { told++ })
		if err == nil {
			second()
		}
	})
	time.Sleep(100 * time.Millisecond)
	release()
	wait.Wait()
	require.Equal(t, 1, told)
}

func TestALinkToAFolderIsTheFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "link")))
	release, err := apply.Lock([]string{filepath.Join(dir, "real", "out")}, 0, nil)
	require.NoError(t, err)
	defer release()
	_, err = apply.Lock([]string{filepath.Join(dir, "link", "out")}, 0, nil)
	var busy *apply.LockError
	require.ErrorAs(t, err, &busy)
}

// TestManyWantOneFolder counts who is in at once, in processes of their own: locks and their files come
// and go.
func TestManyWantOneFolder(t *testing.T) {
	if dir := os.Getenv("AHPGEN_TEST_LOCK"); dir != "" {
		for range 30 {
			release, err := apply.Lock([]string{dir, dir + "-second"}, time.Minute, nil)
			require.NoError(t, err)
			mark, err := os.OpenFile(filepath.Join(dir, "inside"), os.O_CREATE|os.O_EXCL, 0o600)
			require.NoError(t, err, "somebody else is inside")
			require.NoError(t, mark.Close())
			require.NoError(t, os.Remove(mark.Name()))
			release()
		}
		return
	}
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestManyWantOneFolder$")
			cmd.Env = append(os.Environ(), "AHPGEN_TEST_LOCK="+dir)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wait.Wait()
}

func TestALockLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	release, err := apply.Lock([]string{dir}, 0, nil)
	require.NoError(t, err)
	require.Contains(t, tree(t, dir), ".ahpgen-lock")
	release()
	require.Empty(t, tree(t, dir))
	write(t, filepath.Join(dir, ".ahpgen-lock"), "ahpgen: process 1 (killed)") // its holder is gone, and the lock with it
	release, err = apply.Lock([]string{dir}, 0, nil)
	require.NoError(t, err)
	release()
	require.Empty(t, tree(t, dir))
}

// TestAFileThatIsNoLockIsNotWritten: the name of a lock may lead to another file.
func TestAFileThatIsNoLockIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "file"), "a text")
	require.NoError(t, os.Symlink("file", filepath.Join(dir, ".ahpgen-lock")))
	_, err := apply.Lock([]string{dir}, 0, nil)
	require.ErrorContains(t, err, "is not a lock of ahpgen's: remove it")
	require.NoError(t, os.Remove(filepath.Join(dir, ".ahpgen-lock")))
	require.NoError(t, os.Link(filepath.Join(dir, "file"), filepath.Join(dir, ".ahpgen-lock")))
	_, err = apply.Lock([]string{dir}, 0, nil)
	require.ErrorContains(t, err, "is not a lock of ahpgen's: remove it")
	require.Equal(t, "a text", tree(t, dir)["file"])
}
