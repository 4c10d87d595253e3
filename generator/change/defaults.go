// Defaults: what members stand for that are left out.

package change

import (
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// defaults compares what a member stands for where it is left out, which one that is required on both sides never is.
func (c *comparer) defaults(o, n *protocol.Field, at spot) {
	from, to := defaultOf(o), defaultOf(n)
	switch {
	case o.Required && n.Required || from == to:
	case from == "":
		c.add(DefaultAdded, "", to, at)
	case to == "":
		c.add(DefaultRemoved, from, "", at)
	case jsonOf(essence(decoded(from), o.Type, n.Type)) != jsonOf(essence(decoded(to), n.Type, o.Type)):
		c.add(DefaultChanged, from, to, at)
	}
}

// defaultOf returns the default of a member as JSON, or "". That of a constant is its value.
func defaultOf(f *protocol.Field) string {
	if f.Const != nil && !f.Required {
		return f.Const.JSON()
	}
	return f.Absent
}

// essence returns a value without members that the other side does not have, which are a change of their own, and without those that
// say what their absence does.
func essence(value any, of, other protocol.Expr) any {
	object, ok := value.(map[string]any)
	s, o := protocol.As[*protocol.Struct](of), protocol.As[*protocol.Struct](other)
	if !ok || s == nil || o == nil {
		return value
	}
	out := map[string]any{}
	for name, v := range object {
		f, g := s.Field(name), o.Field(name)
		if f == nil || g == nil {
			if f == nil && g == nil {
				out[name] = v
			}
			continue
		}
		v = essence(v, f.Type, g.Type)
		if own := defaultOf(f); own == "" || jsonOf(v) != jsonOf(essence(decoded(own), f.Type, g.Type)) {
			out[name] = v
		}
	}
	return out
}
