// Touched: the members that a finished reducer writes and reads.

package reference

import (
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/page"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Touched is a member that a finished reducer writes or reads.
type Touched struct {
	Struct *golang.Struct
	Field  *golang.Field
	Writes bool
}

// touchedType is a type with those of its members that a reducer writes or reads.
type touchedType struct {
	Type    page.Link
	Members []page.Link
}

// touched returns the members of an action's state, and of what is in it, that the finished reducer writes and reads: the
// state first, then other types in the order of the protocol.
func (p at) touched(a *action) (writes, reads []touchedType) {
	state := a.channel().State
	within := graph.Reached([]protocol.Type{state}, protocol.Inner)
	types := []*protocol.Struct{state}
	for t := range protocol.Each[*protocol.Struct](p.p.Types) {
		if t != state && within[t] {
			types = append(types, t)
		}
	}
	for _, t := range types {
		if w := p.touchedOf(a, t, true); len(w.Members) > 0 {
			writes = append(writes, w)
		}
		if r := p.touchedOf(a, t, false); len(r.Members) > 0 {
			reads = append(reads, r)
		}
	}
	return writes, reads
}

// touchedOf returns the members of one type that the reducer of an action writes, or those that it reads.
func (p at) touchedOf(a *action, t *protocol.Struct, writes bool) touchedType {
	href := p.typeHref(t)
	out := touchedType{Type: page.Link{Text: t.Name, Href: p.to(href)}}
	g := p.pkg.StructOf(t)
	there := map[string]bool{}
	for _, m := range p.Touched[a.Type] {
		there[m.Field.Wire] = there[m.Field.Wire] || g != nil && m.Struct == g && m.Writes == writes
	}
	for _, f := range t.Fields {
		if there[f.Name] && f.Const == nil {
			out.Members = append(out.Members, page.Link{Text: f.Name, Href: p.to(href + memberAnchor(href, f.Name))})
		}
	}
	return out
}
