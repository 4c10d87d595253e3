// Find: locating configurations.

package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/gomod"
)

// FindConfig returns the path of the ahpgen.json in dir or the nearest parent, or "".
func FindConfig(dir string) (string, error) {
	if _, err := filepath.Abs(dir); err != nil {
		return "", fmt.Errorf("find %s: %w", ConfigName, err)
	}
	for at := range disk.Upward(dir) {
		if path, err := ConfigIn(at); path != "" || err != nil {
			return path, err
		}
	}
	return "", nil
}

// ConfigIn returns the path of the ahpgen.json in a folder, or "".
func ConfigIn(dir string) (string, error) {
	path := filepath.Join(dir, ConfigName)
	switch info, err := os.Stat(path); {
	case err == nil && info.Mode().IsRegular():
		return path, nil
	case err == nil: // its absence must not be assumed
		return "", fmt.Errorf("read configuration: %s is %s, not a file", DisplayPath(path), disk.Kind(info.Mode()))
	}
	return "", nil
}

// ConfigsBelow lists every ahpgen.json in dir and below, sorted. Folders that the go command leaves out
// are left out here too: hidden ones, those with an underscore in front, testdata and vendor; and
// node_modules, where other people's repositories are. Links are not followed.
func ConfigsBelow(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // an unreadable folder does not affect the others
		case d.IsDir() && path != dir && isLeftOut(d.Name()):
			return fs.SkipDir
		case d.Name() == ConfigName && d.Type().IsRegular():
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", ConfigName, err)
	}
	slices.Sort(out)
	return out, nil
}

func isLeftOut(folder string) bool {
	return strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_") ||
		slices.Contains([]string{"testdata", "vendor", "node_modules"}, folder)
}

// OwnedError reports an output folder that belongs to another configuration.
type OwnedError struct {
	Folder string // as configured
	Config string // path of the owning configuration
}

func (e *OwnedError) Error() string {
	return fmt.Sprintf("what is generated into %s is said by %s, which is not the configuration in use",
		filepath.ToSlash(e.Folder), filepath.ToSlash(DisplayPath(e.Config)))
}

// Unwrap marks it as a usage error.
func (e *OwnedError) Unwrap() error { return &UsageError{Message: e.Error()} }

// checkOwner refuses to write to folders of another configuration.
func (c Config) checkOwner() error {
	for _, folder := range []string{c.Out, c.Runtime} {
		if folder == "" {
			continue
		}
		owner, err := ownerOf(folder)
		if err != nil {
			return err
		}
		if owner != "" && (c.dir == "" || !sameFolder(filepath.Dir(owner), c.dir)) {
			return &OwnedError{folder, owner}
		}
	}
	return nil
}

// ownerOf returns the configuration in a folder, or the nearest one above that generates into the folder, or "".
func ownerOf(folder string) (string, error) {
	if path, err := ConfigIn(folder); path != "" || err != nil {
		return path, err
	}
	path, err := FindConfig(folder)
	if path == "" || err != nil {
		return "", nil // errors in other configurations are irrelevant here
	}
	above, err := ReadConfig(path, &diag.List{})
	if err != nil || above.Out == "" || !sameFolder(above.Out, folder) {
		return "", nil
	}
	return path, nil
}

// wireOf returns the configuration whose package has its own runtime in a folder, or "".
func wireOf(folder string) string {
	for dir := range disk.Upward(filepath.Dir(disk.Absolute(folder))) {
		if path, err := ConfigIn(dir); path != "" && err == nil {
			c, err := ReadConfig(path, &diag.List{})
			_, below := disk.Within(c.Out, folder)
			if err == nil && c.Out != "" && below && sameFolder(folder, cmp.Or(c.Runtime, filepath.Join(c.Out, gomod.RuntimeFolder))) {
				return path
			}
		}
	}
	return ""
}

// sameFolder reports whether two paths denote the same folder, which need not exist.
func sameFolder(a, b string) bool {
	if disk.Absolute(a) == disk.Absolute(b) {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// SharedOutput returns two configurations with the same output folder, if any. Unreadable ones are skipped.
func SharedOutput(configs []string) (first, second string, ok bool) {
	var outs, paths []string
	for _, path := range configs {
		c, err := ReadConfig(path, &diag.List{})
		if err != nil || c.Out == "" {
			continue
		}
		for i, out := range outs {
			if sameFolder(out, c.Out) {
				return paths[i], path, true
			}
		}
		outs, paths = append(outs, c.Out), append(paths, path)
	}
	return "", "", false
}
