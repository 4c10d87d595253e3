// Capabilities: what a side may only send to a peer that has advertised a capability, or with one of its own.

package tables

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Capabilities settles what every message needs, nil if none needs anything.
func Capabilities(given phase.Given, known phase.Broken, p protocol.Protocol) (*protocol.Capabilities, phase.Notes) {
	b := &gates{phase.Begin(given, known), &p}
	defer b.Mark()
	b.capabilities()
	return p.Capabilities, b.Notes()
}

// gates finds out what messages need.
type gates struct {
	*phase.Work
	out *protocol.Protocol
}

func (b *gates) capabilities() {
	gates := b.Facts.Gates
	if len(gates) == 0 {
		return
	}
	introduction := each.First(b.out.Methods, func(m *protocol.Method) bool {
		return m.Name == b.Facts.Introduction && !m.Notification && m.From == protocol.FromClient
	})
	if introduction == nil {
		b.Errorf(gates[0].Pos, "bad-gate", "name a request of the side that opens the connection as the method of the capabilities",
			"capabilities: there is no request %q of the side that opens a connection, in which the two say what they can", b.Facts.Introduction)
		return
	}
	out := &protocol.Capabilities{Introduction: introduction}
	for _, m := range b.out.Methods {
		if m == out.Introduction {
			continue // nothing is sent before it
		}
		for _, from := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
			if m.From == from || m.From == protocol.FromBoth {
				out.Gates = append(out.Gates, b.gatesOf(m, from, out.Introduction)...)
			}
		}
	}
	for _, g := range gates {
		if !b.Used[g.Where()] {
			b.lostGate(g)
		}
	}
	if len(out.Gates) > 0 {
		b.out.Capabilities = out
	}
}

// lostGate reports a gate for an existing method that matches nothing in it. Gates for unknown methods are reported
// with the other unused facts.
func (b *gates) lostGate(g *facts.Gate) {
	m := b.out.Method(g.Method)
	if m == nil {
		if g.Source == facts.Schema {
			b.Errorf(g.Pos, "bad-gate", "correct it, or take it away", "the gate for %s fits nothing: there is no such method", g.Method)
		}
		return
	}
	b.Used.Add(g)
	why := fmt.Sprintf("the capabilities of its %s have no %q", cmp.Or(g.Of, "receiver"), g.Needs)
	if g.Member != "" && !hasPath(m.Params, g.Member) {
		why = fmt.Sprintf("its parameters have no %q", g.Member)
	}
	b.Mismatch(g, "bad-gate", "name members that there are, or take the entry away", "the gate for %s fits nothing: %s", g.Method, why)
}

// gatesOf returns the gates of a method.
func (b *gates) gatesOf(m *protocol.Method, from protocol.Side, introduction *protocol.Method) []*protocol.Gate {
	said := map[protocol.Side]protocol.Type{protocol.FromClient: introduction.Params, protocol.FromHost: introduction.Result}
	best := map[[3]string]*facts.Gate{} // by the value concerned, and whose capability it is
	var order [][3]string
	for _, g := range b.Facts.Gates {
		of := from.Peer()
		if g.Of != "" {
			of = from
		}
		if !fits(g.Method, m.Name) || !hasPath(said[of], g.Needs) || g.Member != "" && !hasPath(m.Params, g.Member) {
			continue
		}
		b.Used.Add(g)
		about := [3]string{g.Member, g.Is, g.Of}
		if best[about] == nil {
			order = append(order, about)
		}
		if best[about] == nil || weight(g.Method) > weight(best[about].Method) {
			best[about] = g
		}
	}
	var out []*protocol.Gate
	for _, about := range order {
		g, at := best[about], m.Pos
		if g.Source == facts.Schema {
			at = g.Pos
		}
		out = append(out, &protocol.Gate{Method: m, From: from, Own: g.Of != "", Member: g.Member, Is: g.Is, Needs: g.Needs, Pos: at})
	}
	return out
}

// weight ranks an entry by how much of the name it specifies.
func weight(entry string) int {
	if start, ok := strings.CutSuffix(entry, "*"); ok {
		return len(start)
	}
	return len(entry) + 1
}

// fits reports whether an entry applies to a method.
func fits(entry, method string) bool {
	start, ok := strings.CutSuffix(entry, "*")
	return entry == method || ok && strings.HasPrefix(method, start)
}

// hasPath reports whether a path, with [] after lists, can exist in an object.
func hasPath(t protocol.Type, path string) bool {
	if t == nil {
		return false
	}
	at := []protocol.Type{t}
	var found []protocol.Expr
	for step := range strings.SplitSeq(path, ".") {
		name, isList := strings.CutSuffix(step, "[]")
		if found = membersOf(at, name); isList {
			found = elements(found)
		}
		at = nil
		for _, e := range found {
			if ref, ok := protocol.Underlying(e).(protocol.Ref); ok {
				at = append(at, ref.Type)
			}
		}
	}
	return len(found) > 0
}

// elements returns the items of lists.
func elements(list []protocol.Expr) (out []protocol.Expr) {
	for _, e := range list {
		if of, ok := protocol.Underlying(e).(protocol.List); ok {
			out = append(out, of.Elem)
		}
	}
	return out
}

// membersOf returns the types of members of a name: in objects, their alternatives, and union variants.
func membersOf(types []protocol.Type, name string) (out []protocol.Expr) {
	whole := graph.Reach(types, func(t protocol.Type) (next []protocol.Type) {
		switch t := t.(type) {
		case *protocol.Struct:
			next = each.Map(t.Choices, func(c *protocol.Choice) protocol.Type { return c.Type })
		case *protocol.Union:
			next = each.Map(t.Leaves(), func(leaf *protocol.Struct) protocol.Type { return leaf })
		}
		return next
	})
	for s := range protocol.Each[*protocol.Struct](whole) {
		if f := s.Field(name); f != nil {
			out = append(out, f.Type)
		}
	}
	return out
}
