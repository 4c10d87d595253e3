// Bundles: inline unions, with what is declared for them alone.

package golang

import (
	"fmt"
	"io"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// bundles are the inline unions that an equal one can stand for.
type bundles struct {
	parts map[protocol.Type][]protocol.Type // by union, if there is nothing against it: its inline variants, and the enum of its tags
	of    map[protocol.Type]*protocol.Union // the union that a part is of
}

// bundles finds inline unions whose inline variants are those of no other union, and stand in no table.
func (b *builder) bundles() bundles {
	out := bundles{map[protocol.Type][]protocol.Type{}, map[protocol.Type]*protocol.Union{}}
	tabled := b.tabled()
	users := map[protocol.Type]int{}
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		for _, s := range u.Leaves() {
			users[s]++
		}
		if u.Tag != nil {
			users[u.Tag]++
		}
	}
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		if !u.Inline || u.Scope != protocol.Declared || u.Beside != "" || tabled[u] {
			continue
		}
		parts := []protocol.Type{}
		for _, v := range u.Variants {
			if ref, ok := v.Type.(protocol.Ref); ok && ref.Type.Head().Inline {
				parts = append(parts, ref.Type)
			}
		}
		if u.Tag != nil && u.Tag.Inline && users[u.Tag] == 1 {
			parts = append(parts, u.Tag)
		}
		if slices.ContainsFunc(parts, func(t protocol.Type) bool { return users[t] != 1 || tabled[t] }) {
			continue // among them unions in unions
		}
		out.parts[u] = parts
		for _, t := range parts {
			out.of[t] = u
		}
	}
	return out
}

// isOfScalars reports whether a type is a union without objects.
func isOfScalars(t protocol.Type) bool {
	u, ok := t.(*protocol.Union)
	return ok && len(u.Leaves()) == 0
}

// union describes a union, so that the text of equal ones is the same.
func (s *sameness) union(w io.Writer, u *protocol.Union) {
	fmt.Fprintf(w, "union %v %t %t %t %q", u.Kind, u.Open, u.Anything, u.Deprecated, u.Stability)
	if u.Tag != nil {
		fmt.Fprintf(w, " tag %s", s.expr(protocol.Ref{Type: u.Tag}))
	}
	for _, p := range u.Parents {
		fmt.Fprintf(w, " in %s", s.expr(protocol.Ref{Type: p}))
	}
	for _, v := range u.Variants {
		fmt.Fprintf(w, "\n%q %q %s %q", v.Name, v.Title, s.expr(v.Type), v.Limits.Limits())
	}
	s.decision(w, u.Dispatch)
	s.decision(w, u.Elements)
}

// decision describes how variants are told apart.
func (s *sameness) decision(w io.Writer, d *protocol.Dispatch) {
	if d == nil {
		return
	}
	fmt.Fprintf(w, "\n%q %v %q %t %t %t {", d.Member, d.Kind, d.Untagged, d.Absent, d.Lenient, d.Stated)
	for _, c := range d.Cases {
		fmt.Fprintf(w, "\n%q %q %q", c.Signs, each.Map(c.Values, protocol.Value.String), c.Marker)
		if c.Struct != nil {
			fmt.Fprintf(w, " %s", s.expr(protocol.Ref{Type: c.Struct}))
		}
		s.decision(w, c.Next)
	}
	fmt.Fprint(w, "}")
}
