// Paths: locations and how they are displayed.

package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// IsMissing reports whether an error means that a file or folder does not exist.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// IsNoFolder reports whether a path leads through a file, or names a file instead of a folder.
func IsNoFolder(err error) bool {
	var e *fs.PathError
	return errors.As(err, &e) && !errors.Is(err, fs.ErrPermission)
}

// Absolute returns the absolute path, or the path unchanged if that fails.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Display returns a path relative to the working directory if possible.
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

// Within returns the path of a file relative to a folder if it is inside. Links are not resolved.
func Within(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(Absolute(dir), Absolute(file))
	return rel, err == nil && filepath.IsLocal(rel)
}
