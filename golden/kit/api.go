// What a package exports.

package kit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Exported lists the exported declarations of a folder's Go files other than tests, a line each.
func Exported(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	fset := token.NewFileSet()
	var out []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				out = append(out, funcLine(fset, d)...)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					out = append(out, specLines(fset, d.Tok, spec)...)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // files for other builds declare the same
}

func source(fset *token.FileSet, node any) string {
	var b strings.Builder
	if err := printer.Fprint(&b, fset, node); err != nil {
		panic(err) // the node was just parsed
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func funcLine(fset *token.FileSet, d *ast.FuncDecl) []string {
	if !d.Name.IsExported() {
		return nil
	}
	c := *d
	c.Doc, c.Body = nil, nil
	if d.Recv != nil && !ast.IsExported(strings.Trim(source(fset, d.Recv.List[0].Type), "*")) {
		return nil
	}
	return []string{source(fset, &c)}
}

func specLines(fset *token.FileSet, tok token.Token, spec ast.Spec) []string {
	var out []string
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for i, name := range s.Names {
			if !name.IsExported() || i >= len(s.Values) {
				continue
			}
			line := fmt.Sprintf("%s %s", tok, name.Name)
			if s.Type != nil {
				line += " " + source(fset, s.Type)
			}
			out = append(out, line+" = "+source(fset, s.Values[i]))
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		switch typ := s.Type.(type) {
		case *ast.StructType:
			out = append(out, "type "+s.Name.Name+" struct")
			for _, f := range typ.Fields.List {
				if len(f.Names) == 0 {
					out = append(out, fmt.Sprintf("type %s struct, %s", s.Name.Name, source(fset, f.Type)))
				}
				for _, name := range f.Names {
					if name.IsExported() {
						out = append(out, fmt.Sprintf("type %s struct, %s %s", s.Name.Name, name.Name, source(fset, f.Type)))
					}
				}
			}
		case *ast.InterfaceType:
			out = append(out, "type "+s.Name.Name+" interface")
			for _, f := range typ.Methods.List {
				label := source(fset, f.Type)
				if len(f.Names) > 0 {
					label = f.Names[0].Name + strings.TrimPrefix(label, "func")
				}
				out = append(out, fmt.Sprintf("type %s interface, %s", s.Name.Name, label))
			}
		default:
			alias := ""
			if s.Assign.IsValid() {
				alias = "= "
			}
			out = append(out, "type "+s.Name.Name+" "+alias+source(fset, s.Type))
		}
	}
	return out
}
