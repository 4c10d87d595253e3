// Scan: what a declaration rests on without naming it.

package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/finished"
)

// scan collects what one declaration needs.
type scan struct {
	*tracer
	needs map[int]bool
	types map[types.Type]bool // generated types that values in it have
}

func (s *scan) need(kind, typ, member string) { s.needs[s.look(kind, typ, member)] = true }

func (s *scan) node(n ast.Node) {
	if e, ok := n.(ast.Expr); ok {
		if tv, ok := s.info.Types[e]; ok {
			s.note(tv.Type, 0)
		}
	}
	switch n := n.(type) {
	case *ast.CompositeLit:
		if len(n.Elts) > 0 { // what it leaves out is given a value too: none
			s.whole(s.info.TypeOf(n))
			s.keyed(n)
			s.fields(n)
		}
	case *ast.TypeSwitchStmt:
		s.variants(n)
	case *ast.CallExpr:
		s.conversion(n)
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			s.comparable(s.info.TypeOf(n.X))
			s.comparable(s.info.TypeOf(n.Y))
		}
	case *ast.Ident:
		for _, obj := range []types.Object{s.info.Uses[n], s.info.Defs[n]} {
			if v, ok := obj.(*types.Var); ok {
				s.note(v.Type(), 0)
			}
		}
		if inst, ok := s.info.Instances[n]; ok {
			for i := range inst.TypeArgs.Len() {
				s.note(inst.TypeArgs.At(i), 0)
				if mustCompare(s.info.Uses[n], i) {
					s.comparable(inst.TypeArgs.At(i))
				}
			}
		}
	case *ast.BasicLit:
		s.number(n)
	}
}

// fields: what a literal holds goes into the types of its fields.
func (s *scan) fields(n *ast.CompositeLit) {
	if t, ok := s.info.TypeOf(n).Underlying().(*types.Struct); ok {
		for f := range t.Fields() {
			s.note(f.Type(), 0)
		}
	}
}

// keyed: the order of fields is not compared.
func (s *scan) keyed(n *ast.CompositeLit) {
	if _, ok := n.Elts[0].(*ast.KeyValueExpr); ok || !isStruct(s.info.TypeOf(n)) {
		return
	}
	if _, ok := s.definition(s.info.TypeOf(n)); ok {
		s.problem(n.Pos(), "name the fields: their order may be another in other packages")
	}
}

// mustCompare reports whether the values of a type parameter are compared.
func mustCompare(generic types.Object, i int) bool {
	fn, ok := generic.(*types.Func)
	if !ok {
		return true // nothing is known about it
	}
	face, ok := fn.Signature().TypeParams().At(i).Constraint().Underlying().(*types.Interface)
	return !ok || face.IsComparable()
}

// number: a number in place of named flags rests on all of them.
func (s *scan) number(n *ast.BasicLit) {
	tv := s.info.Types[n]
	if named, ok := types.Unalias(tv.Type).(*types.Named); ok && isNumber(tv.Value) {
		if sym, ok := s.known.objects[named.Obj()]; ok && sym.Kind == finished.Type {
			s.need(finished.Whole, sym.Type, "")
		}
	}
}

// note takes down generated types that a value has, or that are part of its type.
func (s *scan) note(t types.Type, depth int) {
	if t == nil || depth > 4 {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if _, ok := s.known.objects[t.Obj()]; ok {
			s.types[t] = true
		}
		for arg := range t.TypeArgs().Types() {
			s.note(arg, depth+1)
		}
	case *types.Pointer:
		s.note(t.Elem(), depth+1)
	case *types.Slice:
		s.note(t.Elem(), depth+1)
	case *types.Map:
		s.note(t.Elem(), depth+1)
	case *types.Tuple:
		for v := range t.Variables() {
			s.note(v.Type(), depth+1)
		}
	case *types.Signature:
		s.note(t.Params(), depth+1)
		s.note(t.Results(), depth+1)
	}
}

// definition is that of a generated type, of a struct that a pointer leads to as well.
func (s *scan) definition(t types.Type) (string, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return "", false
	}
	sym, ok := s.known.objects[named.Obj()]
	return sym.Type, ok && sym.Kind == finished.Type
}

func (s *scan) whole(t types.Type) {
	if definition, ok := s.definition(t); ok && isStruct(t) {
		s.need(finished.Whole, definition, "")
	}
}

func isStruct(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// comparable: whether two values can be compared rests on all that they hold.
func (s *scan) comparable(t types.Type) {
	if t == nil {
		return
	}
	u, ok := t.Underlying().(*types.Struct)
	if !ok || !types.Comparable(t) {
		return
	}
	s.whole(t)
	for f := range u.Fields() {
		s.comparable(f.Type())
	}
}

// variants: a switch over the types of a union that looks at several rests on there being no others.
func (s *scan) variants(n *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch a := n.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	if definition, ok := s.definition(s.info.TypeOf(x.(*ast.TypeAssertExpr).X)); ok {
		s.need(finished.Variants, definition, "")
	}
}

// conversion: Go converts between structs only while they have the same fields.
func (s *scan) conversion(n *ast.CallExpr) {
	if tv, ok := s.info.Types[n.Fun]; !ok || !tv.IsType() || len(n.Args) != 1 {
		return
	}
	to, isTo := s.definition(s.info.TypeOf(n))
	from, isFrom := s.definition(s.info.TypeOf(n.Args[0]))
	if isTo && isFrom && isStruct(s.info.TypeOf(n)) && isStruct(s.info.TypeOf(n.Args[0])) && to != from {
		s.need(finished.Convertible, to, from)
		s.need(finished.Whole, to, "")
		s.need(finished.Whole, from, "")
	}
}

// conversions: a value may go wherever its type is a variant of what is wanted, without a word. So
// all pairs of what there is in the declaration are held fast.
func (s *scan) conversions() {
	all := slices.SortedFunc(maps.Keys(s.types), func(a, b types.Type) int { return strings.Compare(a.String(), b.String()) })
	for _, u := range all {
		face, ok := u.Underlying().(*types.Interface)
		if !ok {
			continue
		}
		union, _ := s.definition(u)
		for _, t := range all {
			if t == u || !types.Implements(t, face) && !types.Implements(types.NewPointer(t), face) {
				continue
			}
			switch sym := s.known.objects[t.(*types.Named).Obj()]; sym.Kind {
			case finished.Type:
				s.need(finished.Variant, union, sym.Type)
			case finished.Scalar:
				s.need(finished.Variant, union, sym.Type+"/"+sym.Member)
			case finished.Unknown:
				s.need(finished.Variant, union, sym.Type+"/unknown")
			}
		}
	}
}
