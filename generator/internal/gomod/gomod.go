// Package gomod knows the Go modules that packages are in: their import paths, and how a module comes to have ahpgen as a
// tool.
package gomod

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/usage"
	"github.com/ahpgen/ahpgen/generator/internal/visible"
)

// RuntimeFolder is the default folder of the runtime, below the package.
const RuntimeFolder = "wire"

// Module is the Go module that a folder is in.
type Module struct {
	Root string // absolute; "" for none
	Path string
}

// Of finds the module of a folder, which need not be there yet.
func Of(dir string) (Module, error) {
	if _, err := filepath.Abs(dir); err != nil {
		return Module{}, fmt.Errorf("find go.mod: %w", err)
	}
	for abs := range disk.Upward(dir) {
		data, err := os.ReadFile(filepath.Join(abs, "go.mod"))
		switch {
		case err == nil:
			if name := modfile.ModulePath(data); name != "" {
				return Module{abs, name}, nil
			}
			file := filepath.ToSlash(disk.Display(filepath.Join(abs, "go.mod")))
			return Module{}, &diag.HintError{Err: fmt.Errorf("%s names no module", file), Hint: "go mod edit -module example.com/NAME " + file}
		case !errors.Is(err, fs.ErrNotExist) && !disk.IsNoFolder(err):
			return Module{}, fmt.Errorf("find go.mod: %w", err)
		}
	}
	return Module{}, nil
}

// ImportPath returns the import path of a folder, and whether it has one.
func (m Module) ImportPath(dir string) (string, bool) {
	abs, err := filepath.Abs(dir)
	if err != nil || m.Root == "" {
		return "", false
	}
	rel, err := filepath.Rel(m.Root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return path.Join(m.Path, filepath.ToSlash(rel)), true
}

// PackagePath returns the import path of a package, in the same module as RuntimePlace takes.
func PackagePath(out string) (string, error) {
	m, err := moduleOf(out)
	if err != nil {
		return "", err
	}
	importPath, _ := m.ImportPath(out)
	return importPath, nil
}

// moduleOf returns the module of a folder, or the one that it would be.
func moduleOf(out string) (Module, error) {
	m, err := Of(out)
	if err == nil && m.Root == "" {
		m = Module{disk.Absolute(out), filepath.Base(disk.Absolute(out))}
	}
	return m, err
}

// RuntimePlace says where what does not depend on the protocol goes: its import path, and its folder
// relative to the package's. If there is no module, a later one is taken to be named after the
// folder, as go mod init would have it.
func RuntimePlace(out, wire string) (importPath, dir string, err error) {
	if wire == "" {
		wire = filepath.Join(out, RuntimeFolder)
	}
	rel, err := filepath.Rel(disk.Absolute(out), disk.Absolute(wire))
	if err != nil {
		return "", "", &usage.Error{Message: fmt.Sprintf("the runtime cannot go into %s: it has to be in the module of the package", filepath.ToSlash(wire))}
	}
	if rel == "." {
		return "", "", &usage.Error{Message: fmt.Sprintf("the runtime cannot go into %s, where the package is: name a folder of its own", filepath.ToSlash(wire))}
	}
	m, err := moduleOf(out)
	if err != nil {
		return "", "", err
	}
	importPath, ok := m.ImportPath(wire)
	if !ok {
		return "", "", &usage.Error{Message: fmt.Sprintf("the runtime cannot go into %s: it has to be in the module of the package, %s", filepath.ToSlash(wire), m.Path)}
	}
	if err := module.CheckImportPath(importPath); err != nil {
		return "", "", &usage.Error{Message: fmt.Sprintf("Go cannot import %s, which the package would need: generate into a folder with a plainer name, or into a module", visible.Line(filepath.ToSlash(wire)))}
	}
	if importer, _ := m.ImportPath(out); !mayImport(importer, importPath) {
		return "", "", &usage.Error{Message: fmt.Sprintf("Go does not let the package import %s: what is in a folder vendor, or in an internal one of others, is closed to it", visible.Line(filepath.ToSlash(wire)))}
	}
	return importPath, filepath.ToSlash(rel), nil
}

// mayImport reports whether a package may import another of its module: none may by a path through a folder vendor, and what
// is below a folder internal is for those beside it and below.
func mayImport(importer, imported string) bool {
	elements := strings.Split(imported, "/")
	for i, element := range elements {
		parent := strings.Join(elements[:i], "/")
		inside := parent == "" || importer == parent || strings.HasPrefix(importer, parent+"/")
		if element == "vendor" || element == "internal" && !inside {
			return false
		}
	}
	return true
}

// Root returns the root of the module that a folder is in, or the folder itself if it is in none.
func Root(dir string) string { return cmp.Or(Above(dir), disk.Absolute(dir)) }

// Above returns the nearest folder with a go.mod from a folder upwards, or "".
func Above(dir string) string {
	for at := range disk.Upward(dir) {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && info.Mode().IsRegular() {
			return at
		}
	}
	return ""
}

// Lacks reports whether a folder is in a module that does not require another one. It is false where that cannot be told.
func Lacks(dir, path string) bool {
	root := Above(dir)
	if root == "" {
		return false
	}
	f, err := readMod(filepath.Join(root, "go.mod"))
	return err == nil && !slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
}
