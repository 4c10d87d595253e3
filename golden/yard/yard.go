// Package yard is where tests put files: in folders with the same paths in each run, and in memory where there is room. The
// build cache knows by path what was compiled there, so that what has not changed is compiled once, for all tests and
// runs; and tests write many temporary files.
package yard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator/inside"
)

// most is how many runs of the tests of a package may go on at once with folders of their own.
const most = 100

// unlock holds on to the locks of the folders until this process ends: a file that nothing refers to is closed.
var unlock []any

// Folder is an empty folder of this run of the tests with a name, or nothing where it would not be this user's alone. Runs
// beside it have others. It is in memory where there is room, unless the environment names a folder.
func Folder(name string) (string, error) {
	base := os.TempDir()
	if dir := memory(); dir != "" && os.Getenv("TMPDIR") == "" {
		base = dir
	}
	base = filepath.Join(base, fmt.Sprintf("ahpgen-yard-%s-%d", name, os.Getuid()))
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
		place := filepath.Join(base, fmt.Sprint(i)) // which the lock is in
		dir := filepath.Join(place, "files")
		release, err := inside.Lock([]string{place}, 0, nil)
		var taken *inside.LockError
		if errors.As(err, &taken) {
			continue
		}
		unlock = append(unlock, release)
		if err == nil {
			err = os.RemoveAll(dir)
		}
		return dir, err
	}
	return "", fmt.Errorf("%d runs of these tests are at work in %s", most, base)
}

// MoveIn puts what is temporary into a folder of this run, where the next one finds and removes what a killed one left. A
// folder that the environment names stays.
func MoveIn(dir string) error {
	if dir == "" || os.Getenv("TMPDIR") != "" {
		return nil
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return err
	}
	return os.Setenv("TMPDIR", temp)
}

// Run runs the tests of a package with what is temporary in a folder of this run, and returns the exit code.
func Run(name string, tests interface{ Run() int }) int {
	dir, err := Folder(name)
	if err == nil {
		err = MoveIn(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests.Run()
}
