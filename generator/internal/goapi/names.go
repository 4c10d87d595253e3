// Names: which Go declaration says which type of the protocol.

package goapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// names finds the Go declarations of one side.
type names struct {
	pkg  *golang.Package
	rows map[change.Row]string // constants of the tables; methods have some only where the sides say what they can

	constants map[*protocol.Enum]map[string]string // by value, built on demand
	heldBy    map[*golang.Struct][]*golang.Struct  // by value and directly, once that is asked for
	compares  map[*golang.Struct]bool              // whether == does, if that has been asked for
}

// pair lays the rows of a protocol's tables beside the declarations of its package.
func pair(s Side) *names {
	n := &names{
		pkg: s.Package, rows: map[change.Row]string{},
		constants: map[*protocol.Enum]map[string]string{}, compares: map[*golang.Struct]bool{},
	}
	for i, a := range s.Protocol.AllActions() {
		n.rows[a] = s.Package.Actions.Rows[i].Const
	}
	for i, c := range s.Protocol.Channels {
		n.rows[c] = s.Package.Channels[i].Const
	}
	for i, e := range s.Protocol.Errors {
		n.rows[e] = s.Package.Errors[i].Const
	}
	if introduction(s.Package) {
		for i, m := range s.Protocol.Methods {
			n.rows[m] = s.Package.Methods[i].Const
		}
	}
	return n
}

func (n *names) row(r change.Row) string { return n.rows[r] }

// typ returns the Go name of a type, "" for nil.
func (n *names) typ(t protocol.Type) string { return n.pkg.NameOf(t) }

// structOf returns the declaration of a type, nil if that is no struct.
func (n *names) structOf(t protocol.Type) *golang.Struct {
	s, _ := t.(*protocol.Struct)
	return n.pkg.StructOf(s)
}

// unionOf is structOf for a union.
func (n *names) unionOf(t protocol.Type) *golang.Union {
	u, _ := t.(*protocol.Union)
	return n.pkg.UnionOf(u)
}

// unknown returns the type in which a union keeps variants that it does not know, "" if it keeps none or is no union.
func (n *names) unknown(t protocol.Type) string {
	if u := n.unionOf(t); u != nil && u.Unknown != nil {
		return u.Unknown.Name
	}
	return ""
}

// constant returns the Go name of an enum's value, which is given as it stands in JSON.
func (n *names) constant(t protocol.Type, value string) string {
	e, ok := t.(*protocol.Enum)
	if !ok {
		return ""
	}
	if n.constants[e] == nil {
		n.constants[e] = make(map[string]string, 2*len(e.Members))
		for i, m := range slices.Backward(e.Members) { // of two that read the same, the first counts
			n.constants[e][m.Value.String()] = n.pkg.EnumOf(e).Members[i].Name
			n.constants[e][strconv.Quote(m.Value.Str)] = n.pkg.EnumOf(e).Members[i].Name
		}
	}
	return n.constants[e][value]
}

// declared lists the identifiers that come and go with a type: its functions and constants, and the
// inline types that it holds.
func (n *names) declared(t protocol.Type) []string {
	return n.declaredIn(t, map[protocol.Type]bool{t: true})
}

// declaredIn is declared with the types that were listed already: inline types may hold themselves.
func (n *names) declaredIn(t protocol.Type, seen map[protocol.Type]bool) []string {
	name := n.typ(t)
	out := []string{name, "Decode" + name, "New" + name}
	constants := func(e *golang.Enum) {
		out = append(out, e.Name)
		for _, m := range e.Members {
			out = append(out, m.Name)
		}
	}
	switch t := t.(type) {
	case *protocol.Enum:
		constants(n.pkg.EnumOf(t))
	case *protocol.Struct:
		for _, f := range t.Fields {
			out = append(out, n.inlineIn(f.Type, seen)...)
		}
		out = append(out, n.inlineIn(t.Extra, seen)...)
		for _, c := range t.Choices {
			out = append(out, n.inlineIn(protocol.Ref{Type: c.Type}, seen)...)
		}
	case *protocol.Alias:
		out = append(out, n.inlineIn(t.Target, seen)...)
	case *protocol.Union:
		u := n.unionOf(t)
		if u.Tag != nil {
			constants(u.Tag)
		}
		if u.Unknown != nil {
			out = append(out, u.Unknown.Name)
		}
		for _, s := range u.Scalars {
			out = append(out, s.Name)
		}
		for _, s := range u.Structs {
			out = append(out, s.Name) // it loses what made it a variant
		}
		for _, v := range t.Variants {
			out = append(out, n.inlineIn(v.Type, seen)...)
		}
	}
	return out
}

// inline lists what is declared for the inline types of an expression.
func (n *names) inline(e protocol.Expr) []string { return n.inlineIn(e, map[protocol.Type]bool{}) }

func (n *names) inlineIn(e protocol.Expr, seen map[protocol.Type]bool) []string {
	t := protocol.Held(e)
	if t == nil || !t.Head().Inline || seen[t] {
		return nil
	}
	seen[t] = true
	return n.declaredIn(t, seen)
}

// tag returns the constant for a tag of a union, "" if its tags are no strings.
func (n *names) tag(t protocol.Type, value string) string {
	if u, ok := t.(*protocol.Union); ok && u.Tag != nil {
		return n.constant(u.Tag, value)
	}
	return ""
}

// holders returns the structs that hold another by value, directly or through others.
func (n *names) holders(s *golang.Struct) []string {
	if n.heldBy == nil {
		n.heldBy = map[*golang.Struct][]*golang.Struct{}
		for _, h := range n.pkg.Structs {
			for _, f := range h.Fields {
				if t, ok := golang.Underlying(f.Type).(golang.StructType); ok && !f.Pointer && f.Presence != golang.Maybe {
					n.heldBy[t.Struct] = append(n.heldBy[t.Struct], h)
				}
			}
		}
	}
	holders := graph.Reach([]*golang.Struct{s}, func(h *golang.Struct) []*golang.Struct { return n.heldBy[h] })[1:]
	out := each.Map(holders, func(h *golang.Struct) string { return h.Name })
	slices.Sort(out)
	return out
}

// variant returns how a type switch names a variant.
func (n *names) variant(union protocol.Type, e protocol.Expr, word string) string {
	if ref, ok := e.(protocol.Ref); ok {
		if s := n.structOf(ref.Type); s != nil {
			return "*" + s.Name
		}
		if u := n.unionOf(ref.Type); u != nil {
			return u.Name
		}
	}
	if u := n.unionOf(union); u != nil {
		for _, token := range u.Tokens {
			if token.Word == word && token.Scalar != nil {
				return token.Scalar.Name
			}
			if list, ok := e.(protocol.List); ok {
				if name := n.list(token, list); name != "" {
					return name
				}
			}
		}
	}
	return word
}

// isVariant reports whether a Go type, such as *Turn, is one of a union's variants.
func (n *names) isVariant(union protocol.Type, name string) bool {
	u := n.unionOf(union)
	return u != nil && slices.ContainsFunc(u.Structs, func(s *golang.Struct) bool { return "*"+s.Name == name })
}

// list returns the type of one of several lists that a token can stand for, "" if it is none of these.
func (n *names) list(token *golang.Token, list protocol.List) string {
	if item, ok := list.Elem.(protocol.Ref); ok {
		for _, l := range token.Lists {
			if l.Item == n.structOf(item.Type) {
				return l.Scalar.Name
			}
		}
	}
	return ""
}

func bare(name string) string { return strings.TrimPrefix(name, "*") }
