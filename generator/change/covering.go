// Covering: whether all values of one type can be read as another. This distinguishes widening, narrowing and
// replacing a type.

package change

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// covering memoizes decisions. A pair under decision counts as covered, so that recursion ends.
type covering map[[2]protocol.Type]bool

// rule returns the rule for a place whose expression changed.
func (c covering) rule(old, new protocol.Expr) Rule {
	return widthRule(c.covers(new, old), c.covers(old, new))
}

// fieldRule is like rule for members that are restricted to certain values on at least one side.
func (c covering) fieldRule(old, new *protocol.Field) Rule {
	return widthRule(c.field(new, old), c.field(old, new))
}

func widthRule(newTakesOld, oldTakesNew bool) Rule {
	switch {
	case newTakesOld && oldTakesNew:
		return TypeRestated
	case newTakesOld:
		return TypeWidened
	case oldTakesNew:
		return TypeNarrowed
	}
	return TypeChanged
}

// covers reports whether a reader of to accepts every value that a writer of from can send.
func (c covering) covers(to, from protocol.Expr) bool {
	to, from = protocol.Underlying(to), protocol.Underlying(from)
	if to == protocol.Any {
		return true
	}
	if from == protocol.Any {
		return false
	}
	if toRef, ok := to.(protocol.Ref); ok {
		return c.ref(toRef.Type, from)
	}
	if fromRef, ok := from.(protocol.Ref); ok {
		return c.fromRef(to, fromRef.Type)
	}
	switch to := to.(type) {
	case protocol.Scalar:
		s, ok := from.(protocol.Scalar)
		return ok && to.Covers(s)
	case protocol.List:
		from, ok := from.(protocol.List)
		return ok && c.covers(to.Elem, from.Elem)
	case protocol.Map:
		from, ok := from.(protocol.Map)
		return ok && c.covers(to.Elem, from.Elem)
	}
	return false
}

// fromRef reports whether an undeclared type accepts every value of a declared one.
func (c covering) fromRef(to protocol.Expr, from protocol.Type) bool {
	switch from := from.(type) {
	case *protocol.Enum:
		s, ok := to.(protocol.Scalar)
		return ok && s.Covers(from.Kind)
	case *protocol.Union:
		return everyVariant(from, func(v protocol.Expr) bool { return c.covers(to, v) })
	case *protocol.Struct:
		m, ok := to.(protocol.Map)
		return ok && !slices.ContainsFunc(from.Fields, func(f *protocol.Field) bool { return f.Nullable || !c.covers(m.Elem, f.Type) })
	}
	return false
}

// ref reports whether a declared type accepts every value of an expression.
func (c covering) ref(to protocol.Type, from protocol.Expr) bool {
	ref, declared := from.(protocol.Ref)
	if declared {
		key := [2]protocol.Type{to, ref.Type}
		if done, ok := c[key]; ok {
			return done
		}
		c[key] = true
		result := c.declared(to, ref)
		c[key] = result
		return result
	}
	switch to := to.(type) {
	case *protocol.Enum:
		return to.Open && from == to.Kind
	case *protocol.Union:
		return slices.ContainsFunc(to.Variants, func(v *protocol.Variant) bool { return c.covers(v.Type, from) })
	}
	return false
}

func (c covering) declared(to protocol.Type, from protocol.Ref) bool {
	if u, ok := from.Type.(*protocol.Union); ok {
		if _, one := to.(*protocol.Struct); one && len(u.Variants) > 1 {
			return false // the variants cannot be distinguished
		}
		return everyVariant(u, func(v protocol.Expr) bool { return c.covers(protocol.Ref{Type: to}, v) })
	}
	switch to := to.(type) {
	case *protocol.Union:
		return slices.ContainsFunc(to.Variants, func(v *protocol.Variant) bool { return c.covers(v.Type, from) }) || c.untagged(to, from.Type)
	case *protocol.Enum:
		from, ok := from.Type.(*protocol.Enum)
		return ok && to.Kind == from.Kind && to.Bitset == from.Bitset && (to.Open || hasMembers(to, from))
	case *protocol.Struct:
		from, ok := from.Type.(*protocol.Struct)
		return ok && c.structs(to, from, "")
	}
	return false
}

// untagged reports whether a union accepts every object of a type without a discriminator.
func (c covering) untagged(to *protocol.Union, from protocol.Type) bool {
	s, ok := from.(*protocol.Struct)
	if !ok || to.Dispatch == nil || (to.Dispatch.Untagged == "" && !to.Dispatch.Absent) || s.Field(to.Dispatch.Member) != nil {
		return false
	}
	return slices.ContainsFunc(to.Dispatch.Cases, func(cs *protocol.Case) bool {
		value := protocol.Value{Kind: protocol.String, Str: to.Dispatch.Untagged}
		return slices.Contains(cs.Values, value) && c.structs(cs.Struct, s, to.Dispatch.Member)
	})
}

func everyVariant(u *protocol.Union, ok func(protocol.Expr) bool) bool {
	return len(u.Variants) > 0 && !slices.ContainsFunc(u.Variants, func(v *protocol.Variant) bool { return !ok(v.Type) })
}

func hasMembers(to, from *protocol.Enum) bool {
	return !slices.ContainsFunc(from.Members, func(m *protocol.EnumMember) bool { return !to.Has(m.Value) })
}

// structs compares objects. The reader tolerates the absence of the named member.
func (c covering) structs(to, from *protocol.Struct, without string) bool {
	for _, f := range to.Fields {
		sent := from.Field(f.Name)
		if sent == nil {
			if f.Required && f.Name != without {
				return false
			}
			continue
		}
		if f.Required && !sent.Required || sent.Nullable && !f.Nullable && f.Required || !c.field(f, sent) {
			return false
		}
	}
	for i, choice := range to.Choices {
		if i >= len(from.Choices) || !c.covers(protocol.Ref{Type: choice.Type}, protocol.Ref{Type: from.Choices[i].Type}) {
			return false
		}
	}
	return true
}

// field compares the values of two members. A restricted member accepts its own values only.
func (c covering) field(to, from *protocol.Field) bool {
	toValues, fromValues := valuesOf(to), valuesOf(from)
	switch {
	case toValues == nil && fromValues == nil:
		return c.covers(to.Type, from.Type)
	case toValues == nil:
		return c.covers(to.Type, from.Type) || c.holdsValues(to, from)
	case fromValues == nil:
		e := protocol.As[*protocol.Enum](from.Type)
		return e != nil && !e.Open && !slices.ContainsFunc(e.Members, func(m *protocol.EnumMember) bool { return !slices.Contains(toValues, valueText(m.Value)) })
	}
	return !slices.ContainsFunc(fromValues, func(v string) bool { return !slices.Contains(toValues, v) })
}

// holdsValues reports whether an unrestricted member accepts the values of a restricted one.
func (c covering) holdsValues(to, from *protocol.Field) bool {
	values := from.Allowed()
	if len(values) == 0 {
		return false // an enum with one value: implied by its type
	}
	ref, ok := protocol.Underlying(to.Type).(protocol.Ref)
	if !ok {
		return c.covers(to.Type, values[0].Kind)
	}
	e, ok := ref.Type.(*protocol.Enum)
	return ok && e.Kind == values[0].Kind && (e.Open || !slices.ContainsFunc(values, func(v protocol.Value) bool { return !e.Has(v) }))
}
