// Module: where a package stands among Go's import paths.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"
	gomodule "golang.org/x/mod/module"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/visible"
)

// wireFolder is where what does not depend on the protocol goes, below the package, when nobody says
// where.
const wireFolder = "wire"

// module is the Go module that a folder is in.
type module struct {
	root string // absolute; "" for none
	path string
}

// moduleOf finds the module of a folder, which need not be there yet.
func moduleOf(dir string) (module, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return module{}, fmt.Errorf("find go.mod: %w", err)
	}
	for {
		data, err := os.ReadFile(filepath.Join(abs, "go.mod"))
		switch {
		case err == nil:
			if name := modfile.ModulePath(data); name != "" {
				return module{abs, name}, nil
			}
			file := filepath.ToSlash(DisplayPath(filepath.Join(abs, "go.mod")))
			return module{}, &diag.HintError{Err: fmt.Errorf("%s names no module", file), Hint: "go mod edit -module example.com/NAME " + file}
		case !errors.Is(err, fs.ErrNotExist) && !isNoFolder(err):
			return module{}, fmt.Errorf("find go.mod: %w", err)
		}
		parent := filepath.Dir(abs)
		if parent == abs {
			return module{}, nil
		}
		abs = parent
	}
}

// isNoFolder reports whether a path leads through a file, or to a folder with the name of one.
func isNoFolder(err error) bool {
	var e *fs.PathError
	return errors.As(err, &e) && !errors.Is(err, fs.ErrPermission)
}

// importPath is the import path of a folder, and whether it has one.
func (m module) importPath(dir string) (string, bool) {
	abs, err := filepath.Abs(dir)
	if err != nil || m.root == "" {
		return "", false
	}
	rel, err := filepath.Rel(m.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return path.Join(m.path, filepath.ToSlash(rel)), true
}

// wirePlace says where what does not depend on the protocol goes: its import path, and its folder
// relative to the package's. Where there is no module, a later one is taken to be named after the
// folder, as go mod init would have it.
func wirePlace(out, wire string) (importPath, dir string, err error) {
	if wire == "" {
		wire = filepath.Join(out, wireFolder)
	}
	rel, err := filepath.Rel(absolute(out), absolute(wire))
	if err != nil {
		return "", "", &UsageError{fmt.Sprintf("the runtime cannot go into %s: it has to be in the module of the package", filepath.ToSlash(wire))}
	}
	if rel == "." {
		return "", "", &UsageError{fmt.Sprintf("the runtime cannot go into %s, where the package is: name a folder of its own", filepath.ToSlash(wire))}
	}
	m, err := moduleOf(out)
	if err != nil {
		return "", "", err
	}
	if m.root == "" {
		m = module{absolute(out), filepath.Base(absolute(out))}
	}
	importPath, ok := m.importPath(wire)
	if !ok {
		return "", "", &UsageError{fmt.Sprintf("the runtime cannot go into %s: it has to be in the module of the package, %s", filepath.ToSlash(wire), m.path)}
	}
	if err := gomodule.CheckImportPath(importPath); err != nil {
		return "", "", &UsageError{fmt.Sprintf("Go cannot import %s, which the package would need: generate into a folder with a plainer name, or into a module", visible.Line(filepath.ToSlash(wire)))}
	}
	return importPath, filepath.ToSlash(rel), nil
}

// misplaced says where the runtime can go instead: a configuration says where it goes, or else the package
// decides.
func (g *Generator) misplaced(err error) error {
	var usage *UsageError
	switch {
	case !errors.As(err, &usage):
		return err
	case g.config.runtimeAt.IsZero():
		return &FlagError{Message: usage.Message, Flag: "out", Value: "./" + DefaultFolder()}
	}
	place := g.config.relative(filepath.Join(g.config.Out, wireFolder), false)
	g.diags.Errorf(g.config.runtimeAt, "bad-runtime", fmt.Sprintf("write \"runtime\": %q, or leave it out", place), "%s", usage.Message)
	return ErrFindings
}

// absolute is a path from the root, or as it is where that cannot be told.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
