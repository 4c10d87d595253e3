// Members: which members of states a finished reducer reads and writes, found in its Go code.

package finished

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/golang"
)

// Member is a member that a finished reducer, or a helper that it calls, reads or writes.
type Member struct {
	Struct *golang.Struct
	Field  *golang.Field
	Writes bool // assigned, or given in a composite literal; otherwise it is read
}

// Members returns what the finished reducers that fit a package read and write besides the members of actions. A member
// that a reducer both reads and writes is listed twice. Reducers that do not fit have no entry.
func (s *Set) Members(e *Emitted) (map[*golang.ActionReducer][]Member, error) {
	f, err := s.check(e)
	if err != nil {
		return nil, err
	}
	c := &collector{fit: f, actions: map[*golang.Struct]bool{}, of: map[*unit]map[Member]bool{}}
	for _, ch := range e.pkg.Reducers.Channels {
		for _, a := range ch.Actions {
			c.actions[a.Action] = true
		}
	}
	out := map[*golang.ActionReducer][]Member{}
	for _, ch := range e.pkg.Reducers.Channels {
		for _, a := range e.pkg.Reducers.Hand(ch) {
			if u := s.reducerFor(a); f.fits(u) && f.wanted(u, a, ch.State) {
				out[a] = c.reached(u)
			}
		}
	}
	return out, nil
}

// collector collects members by the declaration that mentions them.
type collector struct {
	*fit
	actions map[*golang.Struct]bool
	of      map[*unit]map[Member]bool
}

// reached returns the members that a unit and all units that it uses mention, in the order of the package.
func (c *collector) reached(u *unit) []Member {
	all := map[Member]bool{}
	for used := range c.fit.reached(u) {
		maps.Copy(all, c.mentions(used))
	}
	var out []Member
	for _, s := range c.pkg.Structs {
		for _, field := range s.Fields {
			for _, writes := range []bool{true, false} {
				if m := (Member{s, field, writes}); all[m] {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// mentions returns the members that a declaration itself mentions.
func (c *collector) mentions(u *unit) map[Member]bool {
	if c.of[u] != nil {
		return c.of[u]
	}
	out := map[Member]bool{}
	c.of[u] = out
	written := map[*ast.SelectorExpr]bool{}
	ast.Inspect(u.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if sel := assigned(left); sel != nil {
					written[sel] = n.Tok == token.ASSIGN
					c.add(out, sel, true)
				}
			}
		case *ast.IncDecStmt:
			if sel := assigned(n.X); sel != nil {
				c.add(out, sel, true)
			}
		case *ast.CompositeLit:
			c.addLiteral(out, n)
		case *ast.SelectorExpr:
			if !written[n] {
				c.add(out, n, false)
			}
		}
		return true
	})
	return out
}

// assigned returns the member that an assignment changes, nil if it is to a variable.
func assigned(e ast.Expr) *ast.SelectorExpr {
	for e != nil {
		if sel, ok := e.(*ast.SelectorExpr); ok {
			return sel
		}
		e = whole(e)
	}
	return nil
}

// whole returns the value that an expression names a part of, nil if there is none.
func whole(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.SelectorExpr:
		return x.X
	case *ast.IndexExpr:
		return x.X
	case *ast.StarExpr:
		return x.X
	case *ast.ParenExpr:
		return x.X
	}
	return nil
}

// add notes the member that a selector stands for, or the one whose accessor it calls.
func (c *collector) add(out map[Member]bool, sel *ast.SelectorExpr, writes bool) {
	selection := c.info.Selections[sel]
	if selection == nil || c.ofAction(sel.X) {
		return
	}
	typ := c.structOf(selection.Recv())
	s := c.known.structs[typ]
	if s == nil {
		return
	}
	field := c.known.fields[typ][sel.Sel.Name]
	if selection.Kind() != types.FieldVal {
		i := slices.IndexFunc(s.Fields, func(f *golang.Field) bool {
			return sel.Sel.Name == f.DefaultName || sel.Sel.Name == f.ReadingName
		})
		if i < 0 {
			return
		}
		field = s.Fields[i]
	}
	if field != nil {
		out[Member{s, field, writes}] = true
	}
}

// addLiteral notes the members that a composite literal gives.
func (c *collector) addLiteral(out map[Member]bool, lit *ast.CompositeLit) {
	typ := c.structOf(c.info.TypeOf(lit))
	s := c.known.structs[typ]
	if s == nil || c.actions[s] {
		return
	}
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok && c.known.fields[typ][id.Name] != nil {
				out[Member{s, c.known.fields[typ][id.Name], true}] = true
			}
		}
	}
}

// ofAction reports whether a value is an action or a part of one.
func (c *collector) ofAction(e ast.Expr) bool {
	for ; e != nil; e = whole(e) {
		if c.actions[c.known.structs[c.structOf(c.info.TypeOf(e))]] {
			return true
		}
	}
	return false
}
