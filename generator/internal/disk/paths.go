// Paths: where something is, and how people like to read it.

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// IsMissing reports whether an error says that a file or folder is not there.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// IsNoFolder reports whether a path leads through a file, or to a folder with the name of one.
func IsNoFolder(err error) bool {
	var e *fs.PathError
	return errors.As(err, &e) && !errors.Is(err, fs.ErrPermission)
}

// Absolute is a path from the root, or as it is if that cannot be told.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Display shortens a path to one relative to the working directory if that is possible.
func Display(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil {
		return path
	}
	return rel
}

// Within is the path of a file from a folder on, if the file is in it. Links are not followed.
func Within(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(Absolute(dir), Absolute(file))
	return rel, err == nil && filepath.IsLocal(rel)
}
