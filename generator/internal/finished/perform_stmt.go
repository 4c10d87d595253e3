// The statements of reducers that are interpreted.

package finished

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// ending is how a statement ends.
type ending int

const (
	goesOn ending = iota
	breaks
	continues
	returns
)

func (m *Performer) block(list []ast.Stmt, sc *scope) (ending, []any) {
	for _, s := range list {
		if end, out := m.stmt(s, sc); end != goesOn {
			return end, out
		}
	}
	return goesOn, nil
}

func (m *Performer) stmt(s ast.Stmt, sc *scope) (ending, []any) {
	if m.left--; m.left < 0 {
		panic(beyond("too long"))
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		if len(s.Results) == 1 {
			return returns, m.values(s.Results[0], sc)
		}
		out := each.Map(s.Results, func(e ast.Expr) any { return m.value(e, sc) })
		return returns, out
	case *ast.ExprStmt:
		m.values(s.X, sc)
	case *ast.AssignStmt:
		m.assign(s, sc)
	case *ast.IncDecStmt:
		by := map[token.Token]int64{token.INC: 1, token.DEC: -1}[s.Tok]
		m.put(s.X, m.value(s.X, sc).(int64)+by, sc)
	case *ast.DeclStmt:
		m.declare(s.Decl.(*ast.GenDecl), sc)
	case *ast.BlockStmt:
		return m.block(s.List, sc.inner())
	case *ast.IfStmt:
		return m.branch(s, sc.inner())
	case *ast.SwitchStmt:
		return m.choose(s, sc.inner())
	case *ast.TypeSwitchStmt:
		return m.chooseType(s, sc.inner())
	case *ast.RangeStmt:
		return m.each(s, sc)
	case *ast.BranchStmt:
		if s.Label == nil && (s.Tok == token.BREAK || s.Tok == token.CONTINUE) {
			return map[token.Token]ending{token.BREAK: breaks, token.CONTINUE: continues}[s.Tok], nil
		}
		panic(beyond("branch"))
	default:
		panic(beyond("statement"))
	}
	return goesOn, nil
}

func (m *Performer) declare(d *ast.GenDecl, sc *scope) {
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			panic(beyond("declaration"))
		}
		for i, name := range v.Names {
			if i < len(v.Values) {
				sc.vars[name.Name] = m.value(v.Values[i], sc)
			} else {
				sc.vars[name.Name] = m.zero(v.Type)
			}
		}
	}
}

func (m *Performer) assign(s *ast.AssignStmt, sc *scope) {
	var got []any
	switch {
	case len(s.Rhs) == 1 && len(s.Lhs) > 1:
		got = m.several(s.Rhs[0], sc)
	default:
		for _, e := range s.Rhs {
			v := m.value(e, sc)
			switch e.(type) { // a pointer that is copied so is only read: reducers do not change what they are given
			case *ast.StarExpr, *ast.IndexExpr, *ast.SelectorExpr:
				v = copied(v)
			}
			got = append(got, v)
		}
	}
	for i, to := range s.Lhs {
		id, isName := to.(*ast.Ident)
		switch {
		case isName && id.Name == "_":
		case s.Tok == token.DEFINE && isName:
			sc.vars[id.Name] = got[i]
		case s.Tok == token.ASSIGN:
			m.put(to, got[i], sc)
		default:
			op, ok := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.OR_ASSIGN: token.OR, token.AND_NOT_ASSIGN: token.AND_NOT}[s.Tok]
			if !ok {
				panic(beyond("assignment"))
			}
			m.put(to, operate(op, m.value(to, sc), got[i]), sc)
		}
	}
}

// put assigns to a variable, a member or an item.
func (m *Performer) put(to ast.Expr, v any, sc *scope) {
	switch to := to.(type) {
	case *ast.Ident:
		sc.holder(to.Name).vars[to.Name] = v
	case *ast.SelectorExpr:
		if of, ok := m.value(to.X, sc).(*local); ok {
			of.fields[to.Sel.Name] = v
			return
		}
		object := m.value(to.X, sc).(map[string]any)
		if name := m.member(to.Sel.Name); v == nil {
			delete(object, name)
		} else {
			object[name] = v
		}
	case *ast.IndexExpr:
		switch on := m.value(to.X, sc).(type) {
		case []any:
			on[m.value(to.Index, sc).(int64)] = v
		case map[string]any:
			on[m.value(to.Index, sc).(string)] = v
		case *table:
			on.items[m.value(to.Index, sc)] = v
		}
	default:
		panic(beyond("assignment"))
	}
}

func (m *Performer) branch(s *ast.IfStmt, sc *scope) (ending, []any) {
	if s.Init != nil {
		m.stmt(s.Init, sc)
	}
	if m.value(s.Cond, sc).(bool) {
		return m.block(s.Body.List, sc.inner())
	}
	if s.Else != nil {
		return m.stmt(s.Else, sc)
	}
	return goesOn, nil
}

// clause runs the statements of the first case with an expression that matches, or else of the default.
func (m *Performer) clause(body *ast.BlockStmt, sc *scope, matches func(ast.Expr) bool) (ending, []any) {
	var found *ast.CaseClause
	for _, item := range body.List {
		c := item.(*ast.CaseClause)
		if slices.ContainsFunc(c.List, matches) {
			found = c
			break
		}
		if c.List == nil {
			found = c
		}
	}
	if found == nil {
		return goesOn, nil
	}
	end, out := m.block(found.Body, sc.inner())
	if end == breaks {
		end = goesOn
	}
	return end, out
}

func (m *Performer) choose(s *ast.SwitchStmt, sc *scope) (ending, []any) {
	if s.Init != nil {
		m.stmt(s.Init, sc)
	}
	var want any = true
	if s.Tag != nil {
		want = m.value(s.Tag, sc)
	}
	return m.clause(s.Body, sc, func(e ast.Expr) bool { return same(m.value(e, sc), want) })
}

func (m *Performer) chooseType(s *ast.TypeSwitchStmt, sc *scope) (ending, []any) {
	var on ast.Expr
	name := "_"
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		on, name = a.Rhs[0], a.Lhs[0].(*ast.Ident).Name
	case *ast.ExprStmt:
		on = a.X
	}
	v := m.value(on.(*ast.TypeAssertExpr).X, sc)
	sc.vars[name] = v
	return m.clause(s.Body, sc, func(typ ast.Expr) bool { return m.matches(v, typ) })
}

func (m *Performer) each(s *ast.RangeStmt, sc *scope) (ending, []any) {
	list, ok := m.value(s.X, sc).([]any)
	if !ok && m.value(s.X, sc) != nil {
		panic(beyond("range"))
	}
	for i, item := range list {
		in := sc.inner()
		for k, e := range []ast.Expr{s.Key, s.Value} {
			if id, ok := e.(*ast.Ident); ok {
				in.vars[id.Name] = []any{int64(i), item}[k]
			}
		}
		switch end, out := m.block(s.Body.List, in); end {
		case breaks:
			return goesOn, nil
		case returns:
			return end, out
		}
	}
	return goesOn, nil
}
