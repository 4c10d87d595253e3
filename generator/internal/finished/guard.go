// Guard: what a reducer has to cover beyond what the type checker asks for.

package finished

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
)

// guard notes what units do not cover.
func (f *fit) guard() {
	nils := f.mayBeNil()
	for _, u := range f.set.order {
		for _, expr := range u.holds {
			f.holds(u, expr)
		}
		ast.Inspect(u.decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				f.literal(u, n, nils)
			case *ast.TypeSwitchStmt:
				f.cases(u, n)
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i := range n.Lhs {
						if sel, ok := n.Lhs[i].(*ast.SelectorExpr); ok {
							f.present(u, f.structOf(f.info.TypeOf(sel.X)), sel.Sel.Name, n.Rhs[i], nils)
						}
					}
				}
			}
			return true
		})
		if fn, ok := u.decl.(*ast.FuncDecl); ok && u.reducer != "" {
			f.action(u, fn)
		}
	}
}

// holds checks that a constant expression is true.
func (f *fit) holds(u *unit, expr string) {
	v, err := types.Eval(f.set.fset, f.types, token.NoPos, expr)
	if err != nil || v.Value == nil || v.Value.Kind() != constant.Bool || !constant.BoolVal(v.Value) {
		f.object(u, expr+" does not hold")
	}
}

// literal checks that a literal of an emitted struct gives a value to each member that is required.
func (f *fit) literal(u *unit, n *ast.CompositeLit, nils map[*unit]bool) {
	name := f.structOf(f.info.TypeOf(n))
	if name == "" {
		return
	}
	set := map[string]bool{}
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			f.object(u, "the fields of "+name+" have no names in a literal")
			return
		}
		key := kv.Key.(*ast.Ident).Name
		set[key] = true
		f.present(u, name, key, kv.Value, nils)
	}
	for _, field := range f.known.structs[name].Fields {
		if key := f.names.field(f.known.structs[name].Name, field.Name); !set[key] && field.Presence == golang.Required {
			f.object(u, "a new "+name+" lacks "+field.Wire+", which is required")
		}
	}
}

// present checks that what is given to a required member is not nil.
func (f *fit) present(u *unit, name, field string, value ast.Expr, nils map[*unit]bool) {
	member := f.known.fields[name][field]
	if member == nil || member.Presence != golang.Required {
		return
	}
	if f.isNil(value, nils) {
		f.object(u, fmt.Sprintf("%s of %s may be left out here, and is required", member.Wire, name))
	}
}

func (f *fit) isNil(value ast.Expr, nils map[*unit]bool) bool {
	if f.info.Types[value].IsNil() {
		return true
	}
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && nils[f.unitOf[f.info.Uses[id]]]
}

// mayBeNil returns the functions of the sources that return nil as their one result, or what such a function returns.
func (f *fit) mayBeNil() map[*unit]bool {
	out := map[*unit]bool{}
	for before := -1; before < len(out); {
		before = len(out)
		for _, u := range f.set.order {
			ast.Inspect(u.decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.ReturnStmt:
					if len(n.Results) == 1 && f.isNil(n.Results[0], out) {
						out[u] = true
					}
				}
				return true
			})
		}
	}
	return out
}

// cases checks that a switch over the variants of a union knows all of them: it has a case for each, or the comment on the
// declaration says that it is one of those for the default.
func (f *fit) cases(u *unit, n *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch a := n.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	name := f.named(f.info.TypeOf(x.(*ast.TypeAssertExpr).X))
	union := f.known.unions[name]
	if union == nil {
		return
	}
	there := map[string]bool{}
	for _, c := range n.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			there[f.named(f.info.TypeOf(e))] = true
		}
	}
	var unknown []string
	for _, v := range variants(f.pkg, union) {
		if v = f.names.spelled(v); !there[v] && !u.others[v] {
			unknown = append(unknown, v)
		}
	}
	if len(unknown) > 0 {
		f.object(u, name+" has variants that it does not know: "+strings.Join(unknown, ", "))
	}
}

// action checks that a reducer looks at each member of its action that is required.
func (f *fit) action(u *unit, fn *ast.FuncDecl) {
	name := pointee(fn.Type.Params.List[1].Type)
	used := map[string]bool{}
	for r := range f.reached(u) {
		maps.Copy(used, r.others)
		ast.Inspect(r.decl, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && f.structOf(f.info.TypeOf(sel.X)) == name {
				used[sel.Sel.Name] = true
			}
			return true
		})
	}
	s := f.known.structs[name]
	if s == nil {
		return // it does not compile
	}
	for _, field := range s.Fields {
		if key := f.names.field(s.Name, field.Name); field.Presence == golang.Required && !used[key] {
			f.object(u, "it does nothing with "+field.Wire+" of "+name)
		}
	}
}

// reached returns a unit with all that it uses.
func (f *fit) reached(u *unit) map[*unit]bool {
	return graph.Reached([]*unit{u}, func(u *unit) []*unit { return f.uses[u] })
}

// wanted reports whether a reducer has the parameters that the package calls it with.
func (f *fit) wanted(u *unit, a *golang.ActionReducer, state *golang.Struct) bool {
	fn := u.decl.(*ast.FuncDecl)
	list := fn.Type.Params.List
	return slices.Equal([]string{pointee(list[0].Type), pointee(list[1].Type)}, []string{f.names.spelled(state.Name), f.names.spelled(a.Action.Name)})
}
