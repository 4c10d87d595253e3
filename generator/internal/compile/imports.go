// Imports: packages of the user's that emitted code is to import, with the types and functions in them.

package compile

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/internal/gomod"
)

// Imported is a package that emitted code is to import.
type Imported struct {
	Name     string
	Standard bool // of the standard library
	Types    *types.Package
	Problem  string          // why it cannot be imported, or ""
	Uses     map[string]bool // the packages that it imports, itself or through others
}

// Imports loads packages by import path as the module of a folder sees them. It needs the go command.
func Imports(dir string, paths []string) (map[string]*Imported, error) {
	root := gomod.Above(dir)
	if root == "" {
		return nil, ErrNoModule
	}
	const mode = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedExportFile |
		packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedModule
	loaded, err := packages.Load(newLoader(root, conditions{}).config(mode), paths...)
	if err != nil {
		return nil, fmt.Errorf("load the packages of custom types: %w", err)
	}
	out := map[string]*Imported{}
	for _, p := range loaded {
		i := &Imported{Name: p.Name, Standard: standardFolder(p) != "", Types: p.Types, Uses: map[string]bool{}}
		if len(p.Errors) > 0 {
			lines := strings.Split(strings.TrimSpace(p.Errors[0].Msg), "\n") // the first may name the package
			i.Problem = lines[len(lines)-1]
		}
		packages.Visit([]*packages.Package{p}, func(used *packages.Package) bool {
			i.Uses[used.PkgPath] = true
			return true
		}, nil)
		out[p.PkgPath] = i
	}
	return out, nil
}
