// Where tests put modules: in folders with the same paths in each run. The build cache knows by path what was
// compiled there, so that what has not changed is compiled once, for all tests and runs.

package golden

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/apply"
)

// most is how many runs of these tests may go on at once with folders of their own.
const most = 100

// unlock holds on to the lock of the folder until this process ends: a file that nothing refers to is closed.
var unlock any

// yard is the folder of this run, or nothing where it would not be this user's alone. Runs beside it have others. It is in
// memory where there is room, unless the environment names a folder: the tests write many files, which nobody needs later.
var yard = sync.OnceValues(func() (string, error) {
	base := os.TempDir()
	if dir := memory(); dir != "" && os.Getenv("TMPDIR") == "" {
		base = dir
	}
	base = filepath.Join(base, fmt.Sprintf("ahpgen-golden-%d", os.Getuid()))
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", err
	}
	info, err := os.Lstat(base)
	if err != nil {
		return "", err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return "", nil // others could write there, or so it seems
	}
	for i := range most {
		dir := filepath.Join(base, fmt.Sprint(i))
		var err error
		unlock, err = apply.Lock([]string{dir}, 0, nil)
		var taken *apply.LockError
		if errors.As(err, &taken) {
			continue
		}
		if err == nil {
			err = os.RemoveAll(dir)
		}
		return dir, err
	}
	return "", fmt.Errorf("%d runs of these tests are at work in %s", most, base)
})

// moveIn puts what is temporary into the folder of this run, where the next one finds and removes what a killed one left.
func moveIn() error {
	dir, err := yard()
	if err != nil || dir == "" || os.Getenv("TMPDIR") != "" {
		return err
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return err
	}
	return os.Setenv("TMPDIR", temp)
}

// inUse counts the folders that tests have now; they come one after the other.
var inUse int

// place is an empty folder for a module, until the test ends. The first of a test is the same for all tests, and so on.
func place(t testing.TB) string {
	t.Helper()
	base, err := yard()
	require.NoError(t, err)
	if base == "" {
		return t.TempDir()
	}
	dir := filepath.Join(base, fmt.Sprint(inUse))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	inUse++
	t.Cleanup(func() {
		inUse--
		require.NoError(t, os.RemoveAll(dir))
	})
	return dir
}
