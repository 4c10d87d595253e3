// Whether emitted packages compile, without the go command.

package kit

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"github.com/ahpgen/ahpgen/golden/exported"
)

// standard lists export data of the packages that emitted ones import, once for all tests of a package: those of the standard
// library that the emitted packages of this module import.
var standard = sync.OnceValues(func() (map[string]string, error) {
	dir, _ := root()
	return exported.Files(dir, "./generated/...", "./templates/...")
})

// Compiles type-checks every package of a module, with the language of its go directive. It is for tests of whether packages
// compile: go vet first compiles all that they import. Tests in the module are left out.
func Compiles(t testing.TB, module string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, "go.mod"))
	require.NoError(t, err)
	mod, err := modfile.ParseLax("go.mod", text, nil)
	require.NoError(t, err)
	files, err := standard()
	require.NoError(t, err)
	c := &checker{
		module: module, path: mod.Module.Mod.Path, fset: token.NewFileSet(), others: exported.Importer(files),
		config: types.Config{GoVersion: "go" + mod.Go.Version}, known: map[string]*types.Package{},
	}
	c.config.Importer = c
	checked := 0
	require.NoError(t, filepath.WalkDir(module, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if found, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(found) == 0 {
			return nil
		}
		below, err := filepath.Rel(module, dir)
		if err != nil {
			return err
		}
		_, err = c.Import(path.Join(c.path, filepath.ToSlash(below)))
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		}
		checked++
		return err
	}))
	require.NotZero(t, checked, "there are no packages in %s", module)
}

// checker imports packages of a module from their sources, and others from export data.
type checker struct {
	module, path string
	fset         *token.FileSet
	others       types.Importer
	config       types.Config
	known        map[string]*types.Package
}

// Import returns a package, which it type-checks if it is one of the module.
func (c *checker) Import(name string) (*types.Package, error) {
	below, within := strings.CutPrefix(name+"/", c.path+"/")
	if !within {
		return c.others.Import(name)
	}
	if p := c.known[name]; p != nil {
		return p, nil
	}
	dir := filepath.Join(c.module, filepath.FromSlash(below))
	found, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, file := range found.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	p, err := c.config.Check(name, c.fset, files, nil)
	if err != nil {
		return nil, err
	}
	c.known[name] = p
	return p, nil
}
