// Writing: a file is there whole, or as it was before.

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a regular file, through symbolic links. Readers find the old content or the new one,
// never a part of it.
func WriteFile(path string, data []byte) (err error) {
	var mode fs.FileMode // of the file that is there already
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
	f, err := beside(path)
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

// beside creates a new hidden file in the folder of another.
func beside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for i := 0; ; i++ {
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%d-%d", dir, base, os.Getpid(), i), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		switch {
		case errors.Is(err, fs.ErrExist) && i < 100:
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("%s: there is no folder %s", path, filepath.Clean(dir))
		default:
			return f, err
		}
	}
}
