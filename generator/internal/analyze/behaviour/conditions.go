// Conditions of effects.

package behaviour

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// conditions reads the condition of an effect, or a list of some, all of which have to hold.
func (r *effectReader) conditions(n *schema.Node, on *protocol.Struct) (out []*protocol.Condition, ok bool) {
	list := []*schema.Node{n}
	switch {
	case n == nil:
		return nil, true
	case n.Kind == schema.Array:
		list = n.Items
	}
	for _, item := range list {
		c := r.condition(item, on)
		if c == nil {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

// condition reads one condition, which has one of the forms of the vocabulary. It returns nil on error.
func (r *effectReader) condition(n *schema.Node, on *protocol.Struct) *protocol.Condition {
	out := &protocol.Condition{}
	ok := false
	switch {
	case n.Get("not") != nil:
		if out = r.condition(n.Get("not"), on); out == nil {
			return nil
		}
		out.Not, ok = !out.Not, true
	case n.Get("present") != nil:
		ok = r.presence(n, out)
	case n.Get("member") != nil:
		ok = r.value(n, out)
	case n.Get("state") != nil:
		ok = r.equality(n, on, out)
	case n.Get("empty") != nil:
		out.Empty, ok = r.path(n.Get("empty"), on)
		ok = ok && r.mayBeEmpty(n.Get("empty"), out.Empty)
	case n.Get("only") != nil:
		ok = r.variants(n, on, out)
	}
	if !ok {
		return nil
	}
	return out
}

func (r *effectReader) presence(n *schema.Node, out *protocol.Condition) bool {
	path, at, ok := r.actionPath(n, "present")
	if f := path.Last(); ok && (f == nil || f.Required) {
		r.errorf(at, "leave the condition out", "%s is always there", at.Text)
		return false
	}
	out.Present = path
	return ok
}

func (r *effectReader) value(n *schema.Node, out *protocol.Condition) (ok bool) {
	if out.Member, _, ok = r.actionPath(n, "member"); !ok {
		return false
	}
	out.Is, _, ok = r.constant(n.Get("is"), r.typeOf(out.Member))
	return ok
}

// equality reads a comparison of a member of the state. Objects on the way may be absent.
func (r *effectReader) equality(n *schema.Node, on *protocol.Struct, out *protocol.Condition) (ok bool) {
	state := n.Get("state")
	if out.State, ok = r.path(state, on); !ok {
		return false
	}
	var at *schema.Node
	if out.Equals, at, ok = r.actionPath(n, "equals"); !ok || !r.required(at, out.Equals) {
		return false
	}
	f := out.State.Last()
	if f == nil || !isComparable(f.Type) || slices.ContainsFunc(out.State, func(f *protocol.Field) bool { return f.Nullable }) {
		r.errorf(state, "", "%q cannot be compared: only scalars can, and nothing on the way may be null", state.Text)
		return false
	}
	return r.agree(at, f.Type, r.typeOf(out.Equals))
}

// variants reads a condition on the variants in a list of unions.
func (r *effectReader) variants(n *schema.Node, on *protocol.Struct, out *protocol.Condition) (ok bool) {
	at := n.Get("only")
	if out.Only, ok = r.path(at, on); !ok {
		return false
	}
	var u *protocol.Union
	if f := out.Only.Last(); f != nil && alwaysThere(out.Only[:len(out.Only)-1]) {
		list, _ := protocol.Underlying(f.Type).(protocol.List)
		u = protocol.As[*protocol.Union](list.Elem)
	}
	if u == nil || u.Dispatch == nil || u.Dispatch.Member == "" {
		r.errorf(at, "write this reducer by hand", "%q is no list of a union with variants, reached through members that are always there", at.Text)
		return false
	}
	out.Variant = r.variant(n.Get("variant"), u)
	return out.Variant != nil
}

// mayBeEmpty reports whether a path of the state leads to a list or a map, and refuses it otherwise.
func (r *effectReader) mayBeEmpty(at *schema.Node, path protocol.Path) bool {
	f := path.Last()
	if f != nil && alwaysThere(path[:len(path)-1]) {
		switch protocol.Underlying(f.Type).(type) {
		case protocol.List, protocol.Map:
			return true
		}
	}
	r.errorf(at, "", "%q cannot be empty: only lists and maps can, through members that are always there", at.Text)
	return false
}

// alwaysThere reports whether no member of a path may be absent or null.
func alwaysThere(path protocol.Path) bool {
	return !slices.ContainsFunc(path, func(f *protocol.Field) bool { return !f.Required || f.Nullable })
}
