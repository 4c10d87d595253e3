// System: the few steps that all rests on. What a system cannot do in one step is done so that nothing
// is ever replaced unseen.

package apply

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
)

// plain makes every system do what the least of them can, for tests.
var plain = false

// unsynced leaves out what counts only when the power fails, for tests that make thousands of changes.
var unsynced = false

// swap makes two files trade places, or fails with errUnsupported.
func swap(a, b string) error {
	if plain {
		return errUnsupported
	}
	return swapAtOnce(a, b)
}

// move renames a file. It fails with fs.ErrExist if something is at the new name.
func move(from, to string) error {
	if !plain {
		if err := moveAtOnce(from, to); !errors.Is(err, errUnsupported) {
			return err
		}
	}
	err := os.Link(from, to) // fails if something is there
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// A file system without links: the best there is.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// syncFolder waits until the names in a folder are on the disk.
func syncFolder(dir string) error {
	if unsynced || runtime.GOOS == "windows" {
		return nil // Windows has no such thing, and orders them itself
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrInvalid) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
