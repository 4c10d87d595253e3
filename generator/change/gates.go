// Gates: what is not sent to a peer that has not said that it can take it.

package change

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// gates compares those of methods that both sides have. Where one side says nothing of capabilities, that is one change.
func (c *comparer) gates() {
	old, new := c.old.Capabilities, c.new.Capabilities
	switch {
	case old == nil && new == nil:
	case old == nil:
		c.add(GateAdded, "", gated(new), spot{subject: "capabilities", new: new.Introduction.Pos})
	case new == nil:
		c.add(GateRemoved, gated(old), "", spot{subject: "capabilities", old: old.Introduction.Pos})
	default:
		join(old.Gates, new.Gates, gateKey,
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

func gateKey(g *protocol.Gate) string {
	return strings.Join([]string{g.Method.Name, string(g.From), g.Member, g.Is}, "\x00")
}

// gate notes a change of one; a side that has none needs nothing.
func (c *comparer) gate(rule Rule, old, new *protocol.Gate) {
	about := new
	if rule == GateRemoved {
		about = old
	}
	subject := "method " + about.Method.Name
	if about.Member != "" {
		subject += " with " + about.Member
	}
	if about.Is != "" {
		subject += " of " + about.Is
	}
	c.add(rule, old.Needs, new.Needs, spot{subject, old.Pos, new.Pos, Place{OldRow: old.Method, NewRow: new.Method}})
}

// gated lists the methods that have gates, each once.
func gated(c *protocol.Capabilities) string {
	var out []string
	for _, g := range c.Gates {
		if len(out) == 0 || out[len(out)-1] != g.Method.Name {
			out = append(out, g.Method.Name)
		}
	}
	return strings.Join(out, ", ")
}
