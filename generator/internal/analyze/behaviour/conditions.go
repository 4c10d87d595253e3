// Conditions of effects.

package behaviour

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// conditions reads the condition of an effect, or a list of some, all of which have to hold.
func (r *effectReader) conditions(n *schema.Node, on *protocol.Struct) (out []*protocol.Condition) {
	for _, item := range n.OneOrMore() {
		out = append(out, r.condition(item, on))
	}
	return out
}

// condition reads one condition, which has one of the forms of the vocabulary.
func (r *effectReader) condition(n *schema.Node, on *protocol.Struct) *protocol.Condition {
	out := &protocol.Condition{}
	switch {
	case n.Get("not") != nil:
		out = r.condition(n.Get("not"), on)
		out.Not = !out.Not
	case n.Get("present") != nil:
		out.Present = r.presence(n)
	case n.Get("member") != nil:
		out.Member, _ = r.actionPath(n, "member")
		out.Is, _ = r.constant(n.Get("is"), r.typeOf(out.Member))
	case n.Get("state") != nil:
		r.equality(n, on, out)
	case n.Get("empty") != nil:
		out.Empty = r.path(n.Get("empty"), on)
		r.mayBeEmpty(n.Get("empty"), out.Empty)
	case n.Get("only") != nil:
		r.variants(n, on, out)
	default:
		r.stop()
	}
	return out
}

func (r *effectReader) presence(n *schema.Node) protocol.Path {
	path, at := r.actionPath(n, "present")
	if f := path.Last(); f == nil || f.Required {
		r.refuse(at, "leave the condition out", "%s is always there", at.Text)
	}
	return path
}

// equality reads a comparison of a member of the state. Objects on the way may be absent.
func (r *effectReader) equality(n *schema.Node, on *protocol.Struct, out *protocol.Condition) {
	state := n.Get("state")
	out.State = r.path(state, on)
	equals, at := r.actionPath(n, "equals")
	r.required(at, equals)
	f := out.State.Last()
	if f == nil || !isComparable(f.Type) || slices.ContainsFunc(out.State, func(f *protocol.Field) bool { return f.Nullable }) {
		r.refuse(state, "", "%q cannot be compared: only scalars can, and nothing on the way may be null", state.Text)
	}
	r.agree(at, f.Type, r.typeOf(equals))
	out.Equals = equals
}

// variants reads a condition on the variants in a list of unions.
func (r *effectReader) variants(n *schema.Node, on *protocol.Struct, out *protocol.Condition) {
	at := n.Get("only")
	out.Only = r.path(at, on)
	var u *protocol.Union
	if f := out.Only.Last(); f != nil && alwaysThere(out.Only[:len(out.Only)-1]) {
		list, _ := protocol.Underlying(f.Type).(protocol.List)
		u = protocol.As[*protocol.Union](list.Elem)
	}
	if u == nil || u.Dispatch == nil || u.Dispatch.Member == "" {
		r.refuse(at, "write this reducer by hand", "%q is no list of a union with variants, reached through members that are always there", at.Text)
	}
	out.Variant = r.variant(n.Get("variant"), u)
}

// mayBeEmpty refuses a path of the state that leads to no list or map.
func (r *effectReader) mayBeEmpty(at *schema.Node, path protocol.Path) {
	f := path.Last()
	if f != nil && alwaysThere(path[:len(path)-1]) {
		switch protocol.Underlying(f.Type).(type) {
		case protocol.List, protocol.Map:
			return
		}
	}
	r.refuse(at, "", "%q cannot be empty: only lists and maps can, through members that are always there", at.Text)
}

// alwaysThere reports whether no member of a path may be absent or null.
func alwaysThere(path protocol.Path) bool {
	return !slices.ContainsFunc(path, func(f *protocol.Field) bool { return !f.Required || f.Nullable })
}
