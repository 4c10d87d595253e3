// Package declared lists the names in Go source: those that it declares, and those before dots.
package declared

import (
	"go/ast"
	"iter"
)

// Names returns the names that a declaration adds to its package, and where they are. A method has that of its receiver's
// type and a dot before its own.
func Names(decl ast.Decl) iter.Seq2[string, *ast.Ident] {
	return func(yield func(string, *ast.Ident) bool) {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			yield(Func(decl), decl.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				var names []*ast.Ident
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					names = spec.Names
				case *ast.TypeSpec:
					names = []*ast.Ident{spec.Name}
				}
				for _, id := range names {
					if !yield(id.Name, id) {
						return
					}
				}
			}
		}
	}
}

// Func returns the name of a function as Names does.
func Func(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.ParenExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// Qualifiers returns the identifiers that precede a dot, those of imported packages among them.
func Qualifiers(node ast.Node) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				out[x.Name] = true
			}
		}
		return true
	})
	return out
}
