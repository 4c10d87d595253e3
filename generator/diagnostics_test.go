// Diagnostics are results: which functions may be given a list to fill.

package generator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDiagnosticsAreReturned holds that only entry points take a list of diagnostics. A stage that was given one could look
// into it, and would depend on what ran before.
func TestDiagnosticsAreReturned(t *testing.T) {
	var taking []string
	root := os.DirFS(".")
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || path.Dir(name) == "diag" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		in := ""
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				in = path.Dir(name) + "." + n.Name.Name
			case *ast.FuncType:
				for _, p := range n.Params.List {
					if isList(p.Type) {
						taking = append(taking, in)
					}
				}
			}
			return true
		})
		return nil
	}))
	// The last is deferred by the others.
	require.ElementsMatch(t, []string{"..New", "..Compare", "..ReadConfig", "..PlanBump", "..InitFrom", "..finish"}, taking)
}

// isList reports whether an expression is a list of diagnostics, or a pointer to one.
func isList(of ast.Expr) bool {
	if pointer, ok := of.(*ast.StarExpr); ok {
		of = pointer.X
	}
	s, ok := of.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "diag" && s.Sel.Name == "List"
}
