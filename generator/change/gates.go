// Gates: capabilities a side must advertise before something is sent to it, or before it sends something.

package change

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// gates compares the gates of methods present on both sides. If one side states no capabilities, that is one change.
func (c *comparer) gates() {
	c.ownGates()
	old, new := gatesOf(c.old, false), gatesOf(c.new, false)
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(GateAdded, "", gated(new), spot{subject: "capabilities", new: c.new.Capabilities.Introduction.Pos})
	case new == nil:
		c.add(GateRemoved, gated(old), "", spot{subject: "capabilities", old: c.old.Capabilities.Introduction.Pos})
	default:
		join(old, new, gateKey,
			func(o *protocol.Gate) {
				if m := c.new.Method(o.Method.Name); m != nil {
					c.gate(GateRemoved, o, &protocol.Gate{Method: m, Pos: m.Pos})
				}
			},
			func(n *protocol.Gate) {
				if m := c.old.Method(n.Method.Name); m != nil {
					c.gate(GateAdded, &protocol.Gate{Method: m, Pos: m.Pos}, n)
				}
			},
			func(o, n *protocol.Gate) {
				if o.Needs != n.Needs {
					c.gate(GateChanged, o, n)
				}
			})
	}
}

// ownGates compares the capabilities that senders need of themselves, of methods present on both sides.
func (c *comparer) ownGates() {
	changed := func(o, n *protocol.Gate) {
		c.text(OwnGateChanged, o.Needs, n.Needs, spot{gateSubject(n), o.Pos, n.Pos, Place{OldRow: o.Method, NewRow: n.Method}})
	}
	join(gatesOf(c.old, true), gatesOf(c.new, true), gateKey,
		func(o *protocol.Gate) {
			if m := c.new.Method(o.Method.Name); m != nil {
				changed(o, &protocol.Gate{Method: m, Member: o.Member, Is: o.Is, Pos: m.Pos})
			}
		},
		func(n *protocol.Gate) {
			if m := c.old.Method(n.Method.Name); m != nil {
				changed(&protocol.Gate{Method: m, Member: n.Member, Is: n.Is, Pos: m.Pos}, n)
			}
		}, changed)
}

// gatesOf returns the gates that need a capability of their receivers, or those that need one of their senders.
func gatesOf(p *protocol.Protocol, own bool) []*protocol.Gate {
	if p.Capabilities == nil {
		return nil
	}
	return each.Where(p.Capabilities.Gates, func(g *protocol.Gate) bool { return g.Own == own })
}

func gateKey(g *protocol.Gate) string {
	return strings.Join([]string{g.Method.Name, string(g.From), g.Member, g.Is}, "\x00")
}

// gate reports a change of one gate. A missing gate requires nothing.
func (c *comparer) gate(rule Rule, old, new *protocol.Gate) {
	about := new
	if rule == GateRemoved {
		about = old
	}
	c.add(rule, old.Needs, new.Needs, spot{gateSubject(about), old.Pos, new.Pos, Place{OldRow: old.Method, NewRow: new.Method}})
}

// gateSubject names what a gate is for.
func gateSubject(g *protocol.Gate) string {
	subject := "method " + g.Method.Name
	if g.Member != "" {
		subject += " with " + g.Member
	}
	if g.Is != "" {
		subject += " of " + g.Is
	}
	return subject
}

// gated returns the methods that have gates, without duplicates.
func gated(gates []*protocol.Gate) string {
	var out []string
	for _, g := range gates {
		if len(out) == 0 || out[len(out)-1] != g.Method.Name {
			out = append(out, g.Method.Name)
		}
	}
	return strings.Join(out, ", ")
}
