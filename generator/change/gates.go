// Gates: capabilities a peer must advertise before something is sent to it.

package change

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// gates compares the gates of methods present on both sides. If one side states no capabilities, that is one change.
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

// gate reports a change of one gate. A missing gate requires nothing.
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

// gated returns the methods that have gates, without duplicates.
func gated(c *protocol.Capabilities) string {
	var out []string
	for _, g := range c.Gates {
		if len(out) == 0 || out[len(out)-1] != g.Method.Name {
			out = append(out, g.Method.Name)
		}
	}
	return strings.Join(out, ", ")
}
