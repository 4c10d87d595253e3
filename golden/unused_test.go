// Whether all that is emitted has a use.

package golden

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireUsed wants each function of an emitted package that only the package can call to be named somewhere in it. Checkers
// of unused code would report the others in the repositories of those who check what is emitted too.
func requireUsed(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	fset := token.NewFileSet()
	declared := map[string]token.Pos{}
	named := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		names := map[*ast.Ident]bool{}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && !d.Name.IsExported() {
				declared[d.Name.Name] = d.Pos()
				names[d.Name] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !names[id] {
				named[id.Name] = true
			}
			return true
		})
	}
	for name, pos := range declared {
		if !named[name] && name != "init" {
			t.Errorf("%s: nothing in the package names %s", fset.Position(pos), name)
		}
	}
}
