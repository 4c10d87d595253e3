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

// agree refuses types that differ.
func (r *effectReader) agree(at *schema.Node, target, from protocol.Expr) {
	if !phase.SameType(target, from) {
		r.refuse(at, "", "the types differ: %s is wanted, this is %s", phase.Describe(target), phase.Describe(from))
	}
}

func (r *effectReader) set(s statement) protocol.Operation {
	value := s.n.Get("value")
	if (value != nil) == (s.n.Get("from") != nil) {
		r.refuse(s.n, `"from" names a member of the action, "value" is a constant`, "set needs either from or value")
	}
	out := &protocol.Set{}
	last := s.target.Last()
	if value != nil {
		out.Value, out.Empty = r.constant(value, last.Type)
		return out
	}
	path, from := r.from(s.n)
	r.agree(from, last.Type, r.typeOf(path))
	out.From = path
	if f := path.Last(); f != nil && last.Required && !f.Required && !ensures(s.when, path) {
		r.refuse(from, fmt.Sprintf(`add "when": {"present": %q}`, from.Text), "%s may be missing, but %s has to be there", f.Name, last.Name)
	}
	return out
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

// constant reads a constant of a type. It is nil for a list or a map, which can only be empty.
func (r *effectReader) constant(n *schema.Node, t protocol.Expr) (value *protocol.Value, empty bool) {
	v := phase.ScalarValue(n)
	switch t := protocol.Underlying(t).(type) {
	case protocol.List:
		empty = n.Kind == schema.Array && len(n.Items) == 0
	case protocol.Map:
		empty = n.Kind == schema.Object && len(n.Members) == 0
	case protocol.Scalar:
		if v != nil && (v.Kind == t || v.Kind == protocol.Integer && t == protocol.Float) {
			value = v
		}
	case protocol.Ref:
		enum, isEnum := t.Type.(*protocol.Enum)
		if !isEnum || v == nil || v.Kind != enum.Kind {
			break
		}
		if !enum.Bitset && !enum.Has(*v) {
			r.refuse(n, "", "%s has no value %s", enum.Name, n.Compact())
		}
		value = v
	}
	if value == nil && !empty {
		r.refuse(n, "", "%s is wanted, this is %s", phase.Describe(t), n.Compact())
	}
	return value, empty
}

func (r *effectReader) clear(s statement) protocol.Operation {
	if f := s.target.Last(); f.Required {
		r.refuse(s.at, "set it to a value; lists and maps can be set to an empty one", "%s has to be there, so it cannot be cleared", f.Name)
	}
	return &protocol.Clear{}
}

func (r *effectReader) flag(s statement) protocol.Operation {
	f := s.target.Last()
	enum := protocol.As[*protocol.Enum](f.Type)
	if enum == nil || !enum.Bitset || !f.Required {
		r.refuse(s.at, "", "%s is %s, not a bitset that is always there", f.Name, phase.Describe(f.Type))
	}
	out := &protocol.Flag{}
	if s.n.Get("mask") == nil || s.n.Get("bits") != nil {
		out.Bits = r.bits(s.n, "bits")
	}
	if unnamed := out.Bits &^ flagsOf(enum); unnamed != 0 && len(enum.Members) > 0 {
		r.refuse(s.n.Get("bits"), "write the sum of flags that it has, or add one to its x-bitset", "%s has no flag %d", enum.Name, unnamed)
	}
	if s.n.Get("mask") != nil {
		out.Mask = r.bits(s.n, "mask")
	}
	if s.n.Get("from") == nil {
		return out
	}
	if out.Mask != 0 {
		r.refuse(s.n.Get("mask"), "", "a flag that follows a member of the action has no mask")
	}
	out.From = r.given(s.n, "from", protocol.Bool)
	return out
}

// flagsOf returns the named bits of a bitset.
func flagsOf(enum *protocol.Enum) (bits uint64) {
	for _, m := range enum.Members {
		bits |= uint64(max(m.Value.Int, 0))
	}
	return bits
}

func (r *effectReader) bits(n *schema.Node, key string) uint64 {
	at := n.Get(key)
	if at == nil {
		r.refuse(n, `add "bits" with the sum of the bits`, "nothing says which bits are meant")
	}
	bits, err := strconv.ParseUint(at.Text, 10, 64)
	if err != nil {
		r.refuse(at, "", "bits are a positive integer, this is %s", at.Compact())
	}
	return bits
}

func (r *effectReader) append(s statement) protocol.Operation {
	path, from := r.from(s.n)
	r.required(from, path)
	want := s.target.Last().Type
	switch t := protocol.Underlying(want).(type) {
	case protocol.List:
		want = t.Elem
	case protocol.Scalar:
		if t != protocol.String || !s.target.Last().Required {
			r.refuse(s.at, "", "%s is neither a list nor a text that is always there", s.target.Last().Name)
		}
	default:
		r.refuse(s.at, "", "%s is neither a list nor a text", s.target.Last().Name)
	}
	r.agree(from, want, r.typeOf(path))
	return &protocol.Append{From: path}
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
