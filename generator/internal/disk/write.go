// Writing: atomic replacement of files.

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile replaces a regular file, following symbolic links. Readers see either the old or the new content.
func WriteFile(path string, data []byte) error { return replace(path, data, 0o666) }

// WriteSecret is WriteFile for what only the owner may read. A file that exists keeps its mode.
func WriteSecret(path string, data []byte) error { return replace(path, data, 0o600) }

// replace writes a file, which gets a mode if it is new.
func replace(path string, data []byte, fresh fs.FileMode) (err error) {
	var mode fs.FileMode // of the existing file
	switch target, err := filepath.EvalSymlinks(path); {
	case err == nil:
		info, err := os.Lstat(target)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is %w", path, irregular(info.Mode()))
		}
		path, mode = target, info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := beside(path, fresh)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// beside creates a temporary hidden file next to another.
func beside(path string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	for i := 0; ; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%d-%d", dir, base, os.Getpid(), i), os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		switch {
		case errors.Is(err, fs.ErrExist) && i < 100:
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: there is no folder %s", path, filepath.Clean(dir))
		default:
			return f, err
		}
	}
}
