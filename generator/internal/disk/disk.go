// Package disk reads files whose names come from users or repositories. It refuses irregular files before reading: a
// named pipe would block, and a device may be endless.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// MaxBytes is the maximum file size for ReadFile.
const MaxBytes = 64 * 1024 * 1024

// ErrIrregular reports something other than a regular file.
var ErrIrregular = errors.New("no regular file")

// ErrLeadsOut reports a symbolic link that leaves the permitted folder.
var ErrLeadsOut = errors.New("a symbolic link leads out of the folder")

// ReadFile reads a regular file, following symbolic links.
func ReadFile(path string) ([]byte, error) {
	f, err := open(path, os.OpenFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than the limit of %d bytes", MaxBytes)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// open opens a regular file without blocking.
func open(path string, with func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	f, err := with(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: irregular(info.Mode())}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// irregular returns the error for something other than a regular file.
func irregular(mode fs.FileMode) error { return fmt.Errorf("%w but %s", ErrIrregular, Kind(mode)) }

// Upward yields the absolute path of a folder, and of each folder above it.
func Upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := Absolute(dir); yield(at) && at != filepath.Dir(at); {
			at = filepath.Dir(at)
		}
	}
}

// Kind returns the name of a file mode.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// DirFS is like os.DirFS, but only opens regular files.
func DirFS(dir string) fs.FS {
	return files{os.DirFS(dir), func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		return os.OpenFile(filepath.Join(dir, filepath.FromSlash(name)), flag, mode)
	}}
}

// RootFS is like DirFS, but symbolic links cannot leave the folder.
func RootFS(root *os.Root) fs.FS {
	return files{root.FS(), func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		f, err := root.OpenFile(filepath.FromSlash(name), flag, mode)
		var from *fs.PathError
		if errors.As(err, &from) && leadsOut(root, name) {
			from.Err = ErrLeadsOut
		}
		return f, err
	}}
}

// leadsOut reports whether a path leaves a folder through a symbolic link. os.Root's error for this cannot be
// distinguished from others.
func leadsOut(root *os.Root, name string) bool {
	_, inside := root.Stat(filepath.FromSlash(name))
	_, anywhere := os.Stat(filepath.Join(root.Name(), filepath.FromSlash(name)))
	return inside != nil && anywhere == nil
}

type files struct {
	fs   fs.FS
	open func(name string, flag int, mode fs.FileMode) (*os.File, error)
}

// ReadDir lists a folder.
func (f files) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.fs, name) }

// Open opens a regular file.
func (f files) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return open(name, f.open)
}

// ReadPlain reads a regular file that is not reached through a symbolic link in its last element, and returns its
// information.
func ReadPlain(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, info, &fs.PathError{Op: "read", Path: path, Err: irregular(info.Mode())}
	}
	f, err := open(path, os.OpenFile)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	now, err := f.Stat()
	if err == nil && !os.SameFile(info, now) {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("replaced while it was opened")}
	}
	if err != nil {
		return nil, info, err
	}
	data, err := io.ReadAll(f)
	return data, info, err
}
