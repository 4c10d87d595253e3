// Switches: code that tells variants or values apart and has no case for those that a step brings.

package compile

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Codes of such diagnostics.
const (
	FailsOnNew = "fails-on-new" // a switch that panics or returns an error
	LacksCase  = "lacks-case"   // another one, which had a case for all that there was
	SkipsNew   = "skips-new"    // one that left out others before
	WasUnknown = "was-unknown"  // code that took what is new for unknown
)

// news is what a step adds to the unions and enums of a package.
type news struct {
	variants map[string][]string       // by interface
	values   map[string][]*types.Const // by type
	tags     map[string]string         // new value of a new constant → its name
}

// newsOf compares two versions of a package.
func newsOf(old, now *types.Package) news {
	out := news{map[string][]string{}, map[string][]*types.Const{}, map[string]string{}}
	for _, name := range now.Scope().Names() {
		switch obj := now.Scope().Lookup(name).(type) {
		case *types.TypeName:
			if was, ok := old.Scope().Lookup(name).(*types.TypeName); ok && types.IsInterface(obj.Type()) && types.IsInterface(was.Type()) {
				out.union(old, now, was, obj)
			}
		case *types.Const:
			named, ok := obj.Type().(*types.Named)
			if !ok || named.Obj().Pkg() != now || old.Scope().Lookup(name) != nil || hasValue(old, named.Obj().Name(), obj.Val()) {
				continue
			}
			if old.Scope().Lookup(named.Obj().Name()) != nil {
				out.values[named.Obj().Name()] = append(out.values[named.Obj().Name()], obj)
			}
			if obj.Val().Kind() == constant.String {
				out.tags[constant.StringVal(obj.Val())] = name
			}
		}
	}
	return out
}

// union notes the variants that an interface gains. One that no type implemented is no union.
func (n news) union(old, now *types.Package, was, is *types.TypeName) {
	before := implementers(old, was)
	if len(before) == 0 {
		return
	}
	for _, v := range implementers(now, is) {
		if !slices.ContainsFunc(before, func(b *types.TypeName) bool { return b.Name() == v.Name() }) {
			n.variants[is.Name()] = append(n.variants[is.Name()], v.Name())
		}
	}
}

// implementers returns the types of a package that implement one of its interfaces, by pointer or as they are.
func implementers(pkg *types.Package, union *types.TypeName) []*types.TypeName {
	face, ok := union.Type().Underlying().(*types.Interface)
	if !ok || face.NumMethods() == 0 || union.Exported() && !sealed(face) {
		return nil
	}
	var out []*types.TypeName
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if ok && !obj.IsAlias() && !types.IsInterface(obj.Type()) && (types.Implements(obj.Type(), face) || types.Implements(types.NewPointer(obj.Type()), face)) {
			out = append(out, obj)
		}
	}
	return out
}

// sealed reports whether only types of the package can implement an interface.
func sealed(face *types.Interface) bool {
	for m := range face.Methods() {
		if !m.Exported() {
			return true
		}
	}
	return false
}

// hasValue reports whether a package has a constant of a type with a value.
func hasValue(pkg *types.Package, typ string, value constant.Value) bool {
	return slices.ContainsFunc(pkg.Scope().Names(), func(name string) bool {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		return ok && isNamed(c.Type(), typ) && constant.Compare(c.Val(), token.EQL, value)
	})
}

func isNamed(t types.Type, name string) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == name
}

// switches reports switches that have no case for what is new, and code that took it for unknown.
func (v *viewer) switches(p *packages.Package, n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		v.statements(p, n.List)
	case *ast.CaseClause:
		v.statements(p, n.Body)
	case *ast.CommClause:
		v.statements(p, n.Body)
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			v.unknownType(p, n.Type)
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && v.news.tags[text] != "" && v.imports(p) {
			v.report(p, n.Pos(), WasUnknown, fmt.Sprintf("%s is known from now on: it is %s", n.Value, v.news.tags[text]), "what this does with it as unknown is no longer reached")
		}
	}
}

// imports reports whether a package uses the one that changes, or is it.
func (v *viewer) imports(p *packages.Package) bool {
	return p.PkgPath == v.path || p.Imports[v.path] != nil
}

// statements looks at the switches of a block. What follows one without a default is where it ends for what has no case.
func (v *viewer) statements(p *packages.Package, list []ast.Stmt) {
	for i, stmt := range list {
		if label, ok := stmt.(*ast.LabeledStmt); ok {
			stmt = label.Stmt
		}
		switch s := stmt.(type) {
		case *ast.TypeSwitchStmt:
			v.typeSwitch(p, s, list[i+1:])
		case *ast.SwitchStmt:
			if s.Tag != nil {
				v.valueSwitch(p, s, list[i+1:])
			}
		}
	}
}

// named returns the name of a type of the changing package, or "".
func (v *viewer) named(t types.Type) string {
	if t == nil {
		return ""
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == v.path {
		return named.Obj().Name()
	}
	return ""
}

// cases returns the expressions of a switch's cases, and its default, nil for none.
func cases(body *ast.BlockStmt) (exprs []ast.Expr, fallback *ast.CaseClause) {
	for _, c := range body.List {
		clause := c.(*ast.CaseClause)
		if clause.List == nil {
			fallback = clause
		}
		exprs = append(exprs, clause.List...)
	}
	return exprs, fallback
}

func (v *viewer) typeSwitch(p *packages.Package, s *ast.TypeSwitchStmt, rest []ast.Stmt) {
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	union := v.named(p.TypesInfo.TypeOf(x.(*ast.TypeAssertExpr).X))
	added := v.news.variants[union]
	if len(added) == 0 {
		return
	}
	face, ok := types.Unalias(p.TypesInfo.TypeOf(x.(*ast.TypeAssertExpr).X)).(*types.Named)
	if !ok {
		return
	}
	exprs, fallback := cases(s.Body)
	covered := func(obj *types.TypeName) bool {
		return slices.ContainsFunc(exprs, func(e ast.Expr) bool { return v.covers(p.TypesInfo.TypeOf(e), obj) })
	}
	whole, lacking := true, []string{}                               // whether there was a case for all others
	for _, obj := range implementers(face.Obj().Pkg(), face.Obj()) { // those of this package or of its test variant
		switch {
		case slices.Contains(added, obj.Name()):
			if !covered(obj) {
				lacking = append(lacking, obj.Name())
			}
		case v.step.Unknown[obj.Name()] == "":
			whole = whole && covered(obj)
		}
	}
	was := ""
	for _, e := range exprs {
		if name := v.named(pointee(p.TypesInfo.TypeOf(e))); v.step.Unknown[name] != "" && slices.ContainsFunc(lacking, func(n string) bool {
			return slices.Contains(v.news.variants[v.step.Unknown[name]], n)
		}) {
			was = name
		}
	}
	v.lacks(p, s, missing{over: union, names: lacking, fallback: fallback, rest: rest, whole: whole, was: was})
}

func pointee(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}

// covers reports whether a case for a type takes a variant.
func (v *viewer) covers(t types.Type, variant *types.TypeName) bool {
	if t == nil {
		return false
	}
	if face, ok := t.Underlying().(*types.Interface); ok {
		return types.Implements(types.NewPointer(variant.Type()), face) || types.Implements(variant.Type(), face)
	}
	return types.Identical(pointee(t), variant.Type())
}

// unknownType reports an assertion to what held variants that are known from now on.
func (v *viewer) unknownType(p *packages.Package, e ast.Expr) {
	name := v.named(pointee(p.TypesInfo.TypeOf(e)))
	if added := v.news.variants[v.step.Unknown[name]]; len(added) > 0 {
		v.report(p, e.Pos(), WasUnknown, fmt.Sprintf("%s holds %s no longer", name, listing(added)), "")
	}
}

func (v *viewer) valueSwitch(p *packages.Package, s *ast.SwitchStmt, rest []ast.Stmt) {
	enum := v.named(p.TypesInfo.TypeOf(s.Tag))
	added := v.news.values[enum]
	if len(added) == 0 {
		return
	}
	exprs, fallback := cases(s.Body)
	covered := func(c *types.Const) bool {
		return slices.ContainsFunc(exprs, func(e ast.Expr) bool {
			value := p.TypesInfo.Types[e].Value
			return value != nil && value.Kind() == c.Val().Kind() && constant.Compare(value, token.EQL, c.Val())
		})
	}
	var lacking []string
	for _, c := range added {
		if !covered(c) {
			lacking = append(lacking, c.Name())
		}
	}
	whole, scope := true, added[0].Pkg().Scope()
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && isNamed(c.Type(), enum) && !slices.Contains(added, c) {
			whole = whole && covered(c)
		}
	}
	v.lacks(p, s, missing{over: enum, names: lacking, fallback: fallback, rest: rest, whole: whole})
}

// missing says what a switch has no case for.
type missing struct {
	over     string // the union or enum
	names    []string
	fallback *ast.CaseClause // its default
	rest     []ast.Stmt      // what follows the switch
	whole    bool            // it has a case for all that there was
	was      string          // the case that took them until now
}

// lacks reports a switch without a case for what is new.
func (v *viewer) lacks(p *packages.Package, s ast.Stmt, m missing) {
	if len(m.names) == 0 {
		return
	}
	end := m.rest
	if m.fallback != nil {
		end = m.fallback.Body
	} else if len(end) > 1 {
		end = end[:1]
	}
	what := fmt.Sprintf("no case of this switch over %s takes %s", m.over, listing(m.names))
	if m.was != "" {
		what += ", which came to " + m.was + " until now"
	}
	switch {
	case v.fails(p, end):
		v.report(p, s.Pos(), FailsOnNew, what+": it panics, or returns an error", "add a case")
	case m.whole || m.was != "":
		v.report(p, s.Pos(), LacksCase, what, "add a case")
	default:
		v.report(p, s.Pos(), SkipsNew, what+", nor others that there were", "")
	}
}

// fails reports whether statements end in a panic, the end of the program or test, or an error that is returned.
func (v *viewer) fails(p *packages.Package, list []ast.Stmt) bool {
	return slices.ContainsFunc(list, func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			for _, e := range s.Results {
				t := p.TypesInfo.Types[e]
				if t.Type != nil && !t.IsNil() && types.Implements(t.Type, errorType) {
					return true
				}
			}
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok {
				return false
			}
			switch fn := call.Fun.(type) {
			case *ast.Ident:
				return fn.Name == "panic"
			case *ast.SelectorExpr:
				return slices.Contains([]string{"Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Exit", "FailNow", "Goexit"}, fn.Sel.Name)
			}
		}
		return false
	})
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// listing joins the first of some names.
func listing(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return diag.Enumerate(names, "and")
}
