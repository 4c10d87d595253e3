// Effects on single members: set, clear, flag, and append to a text.

package behaviour

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// agree reports types that differ.
func (r *effectReader) agree(at *schema.Node, target, from protocol.Expr) bool {
	if phase.SameType(target, from) {
		return true
	}
	r.errorf(at, "", "the types differ: %s is wanted, this is %s", phase.Describe(target), phase.Describe(from))
	return false
}

func (r *effectReader) set(s statement) (protocol.Operation, bool) {
	value := s.n.Get("value")
	if (value != nil) == (s.n.Get("from") != nil) {
		r.errorf(s.n, `"from" names a member of the action, "value" is a constant`, "set needs either from or value")
		return nil, false
	}
	out := &protocol.Set{}
	last := s.target.Last()
	if value != nil {
		var ok bool
		out.Value, out.Empty, ok = r.constant(value, last.Type)
		return out, ok
	}
	path, from, ok := r.from(s.n)
	if !ok || !r.agree(from, last.Type, r.typeOf(path)) {
		return nil, false
	}
	out.From = path
	if f := path.Last(); f != nil && last.Required && !f.Required && !ensures(s.when, path) {
		r.errorf(from, fmt.Sprintf(`add "when": {"present": %q}`, from.Text), "%s may be missing, but %s has to be there", f.Name, last.Name)
		return nil, false
	}
	return out, true
}

// typeOf returns the type at the end of a path in the action.
func (r *effectReader) typeOf(path protocol.Path) protocol.Expr {
	if f := path.Last(); f != nil {
		return f.Type
	}
	return protocol.Ref{Type: r.action}
}

// ensures reports whether conditions imply that a member of the action is present.
func ensures(when []*protocol.Condition, path protocol.Path) bool {
	return slices.ContainsFunc(when, func(c *protocol.Condition) bool {
		return !c.Not && (c.Present != nil && slices.Equal(c.Present, path) || c.Member != nil && slices.Equal(c.Member, path))
	})
}

// constant reads a constant of a type.
func (r *effectReader) constant(n *schema.Node, t protocol.Expr) (value *protocol.Value, empty, ok bool) {
	wrong := func() (*protocol.Value, bool, bool) {
		r.errorf(n, "", "%s is wanted, this is %s", phase.Describe(t), n.Compact())
		return nil, false, false
	}
	switch t := protocol.Underlying(t).(type) {
	case protocol.List:
		if n.Kind != schema.Array || len(n.Items) > 0 {
			return wrong()
		}
		return nil, true, true
	case protocol.Map:
		if n.Kind != schema.Object || len(n.Members) > 0 {
			return wrong()
		}
		return nil, true, true
	case protocol.Scalar:
		if v := phase.ScalarValue(n); v != nil && (v.Kind == t || v.Kind == protocol.Integer && t == protocol.Float) {
			return v, false, true
		}
	case protocol.Ref:
		enum, isEnum := t.Type.(*protocol.Enum)
		v := phase.ScalarValue(n)
		if !isEnum || v == nil || v.Kind != enum.Kind {
			return wrong()
		}
		if !enum.Bitset && !enum.Has(*v) {
			r.errorf(n, "", "%s has no value %s", enum.Name, n.Compact())
			return nil, false, false
		}
		return v, false, true
	}
	return wrong()
}

func (r *effectReader) clear(s statement) (protocol.Operation, bool) {
	if f := s.target.Last(); f.Required {
		r.errorf(s.at, "set it to a value; lists and maps can be set to an empty one", "%s has to be there, so it cannot be cleared", f.Name)
		return nil, false
	}
	return &protocol.Clear{}, true
}

func (r *effectReader) flag(s statement) (protocol.Operation, bool) {
	f := s.target.Last()
	enum := protocol.As[*protocol.Enum](f.Type)
	if enum == nil || !enum.Bitset || !f.Required {
		r.errorf(s.at, "", "%s is %s, not a bitset that is always there", f.Name, phase.Describe(f.Type))
		return nil, false
	}
	out := &protocol.Flag{}
	var ok bool
	if s.n.Get("mask") == nil || s.n.Get("bits") != nil {
		if out.Bits, ok = r.bits(s.n, "bits"); !ok {
			return nil, false
		}
	}
	if unnamed := out.Bits &^ flagsOf(enum); unnamed != 0 && len(enum.Members) > 0 {
		r.errorf(s.n.Get("bits"), "write the sum of flags that it has, or add one to its x-bitset", "%s has no flag %d", enum.Name, unnamed)
		return nil, false
	}
	if s.n.Get("mask") != nil {
		if out.Mask, ok = r.bits(s.n, "mask"); !ok {
			return nil, false
		}
	}
	if s.n.Get("from") == nil {
		return out, true
	}
	if out.Mask != 0 {
		r.errorf(s.n.Get("mask"), "", "a flag that follows a member of the action has no mask")
		return nil, false
	}
	out.From, ok = r.given(s.n, protocol.Bool)
	return out, ok
}

// flagsOf returns the named bits of a bitset.
func flagsOf(enum *protocol.Enum) (bits uint64) {
	for _, m := range enum.Members {
		bits |= uint64(max(m.Value.Int, 0))
	}
	return bits
}

func (r *effectReader) bits(n *schema.Node, key string) (uint64, bool) {
	at := n.Get(key)
	if at == nil {
		r.errorf(n, `add "bits" with the sum of the bits`, "nothing says which bits are meant")
		return 0, false
	}
	bits, err := strconv.ParseUint(at.Text, 10, 64)
	if err != nil {
		r.errorf(at, "", "bits are a positive integer, this is %s", at.Compact())
		return 0, false
	}
	return bits, true
}

func (r *effectReader) append(s statement) (protocol.Operation, bool) {
	path, from, ok := r.from(s.n)
	if !ok || !r.required(from, path) {
		return nil, false
	}
	want := s.target.Last().Type
	switch t := protocol.Underlying(want).(type) {
	case protocol.List:
		want = t.Elem
	case protocol.Scalar:
		if t != protocol.String || !s.target.Last().Required {
			r.errorf(s.at, "", "%s is neither a list nor a text that is always there", s.target.Last().Name)
			return nil, false
		}
	default:
		r.errorf(s.at, "", "%s is neither a list nor a text", s.target.Last().Name)
		return nil, false
	}
	if !r.agree(from, want, r.typeOf(path)) {
		return nil, false
	}
	return &protocol.Append{From: path}, true
}

func isComparable(e protocol.Expr) bool {
	switch t := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return t != protocol.Any && t != protocol.Null
	case protocol.Ref:
		_, ok := t.Type.(*protocol.Enum)
		return ok
	}
	return false
}
