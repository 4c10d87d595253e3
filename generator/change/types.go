// Types: the members of objects.

package change

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// describe formats an expression for messages.
func describe(e protocol.Expr) string {
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.List:
		return "list of " + describe(e.Elem)
	case protocol.Map:
		return "map of " + describe(e.Elem)
	case protocol.Ref:
		if e.Type.Head().Inline {
			return kind(e.Type)
		}
		return e.Type.Head().Name
	}
	return "nothing"
}

// expr compares the expressions of two places.
func (c *comparer) expr(old, new protocol.Expr, at spot) {
	o, n := protocol.Underlying(old), protocol.Underlying(new)
	switch o := o.(type) {
	case protocol.Scalar:
		if o == n {
			return
		}
	case protocol.List:
		if n, ok := n.(protocol.List); ok {
			c.expr(o.Elem, n.Elem, at.inside("[]"))
			return
		}
	case protocol.Map:
		if n, ok := n.(protocol.Map); ok {
			c.expr(o.Elem, n.Elem, at.inside("{}"))
			return
		}
	case protocol.Ref:
		if n, ok := n.(protocol.Ref); ok && kind(o.Type) == kind(n.Type) {
			c.pair(o.Type, n.Type, at)
			return
		}
	}
	from, to := describe(o), describe(n)
	if from == to { // a definition of another kind
		from, to = kindOf(o), kindOf(n)
	}
	c.add(c.cover.rule(o, n), from, to, at)
}

// kindOf formats an expression without the name of its type.
func kindOf(e protocol.Expr) string {
	if ref, ok := e.(protocol.Ref); ok {
		return kind(ref.Type)
	}
	return describe(e)
}

func (c *comparer) structs(subject string, old, new *protocol.Struct, place Place) {
	join(old.Whole(), new.Whole(), func(f *protocol.Field) string { return f.Name },
		func(o *protocol.Field) {
			at := place
			at.OldField = o
			c.add(FieldRemoved, presence(o)+" "+describeField(o), "", spot{subject + "." + o.Name, o.Pos, new.Pos, at})
		},
		func(n *protocol.Field) {
			at := place
			at.NewField = n
			c.add(FieldAdded, "", presence(n)+" "+describeField(n), spot{subject + "." + n.Name, old.Pos, n.Pos, at})
		},
		func(o, n *protocol.Field) {
			at := place
			at.OldField, at.NewField = o, n
			c.field(subject+"."+o.Name, o, n, at)
		})
	at := spot{subject, old.Pos, new.Pos, place}
	from, to := old.Limits.Limits(), new.Limits.Limits()
	if (old.Extra == nil) != (new.Extra == nil) { // which says what became of undeclared members
		from, to = withoutExtra(from, old.Extra), withoutExtra(to, new.Extra)
	}
	c.demanded(from, to, at)
	c.either(ExtraAllowed, ExtraDropped, old.Extra != nil, new.Extra != nil, at)
	if old.Extra != nil && new.Extra != nil {
		c.expr(old.Extra, new.Extra, at.inside("{}"))
		c.limits(valued{old.Extra, old.ExtraLimits}, valued{new.Extra, new.ExtraLimits}, at.inside("{}"))
	}
}

// withoutExtra leaves out that an object has no undeclared members, or the names of those that it has.
func withoutExtra(list []protocol.Limit, extra protocol.Expr) []protocol.Limit {
	said := "additionalProperties"
	if extra != nil {
		said = "patternProperties"
	}
	return each.Where(list, func(l protocol.Limit) bool { return l.Keyword != said })
}

func presence(f *protocol.Field) string {
	if f.Required {
		return "required"
	}
	return "optional"
}

func describeField(f *protocol.Field) string {
	if values := valuesOf(f); values != nil {
		return strings.Join(values, " | ")
	}
	return describe(f.Type)
}

// valuesOf returns the values of a constant or discriminator, or nil for other members. A constant and a required
// one-value enum are equivalent.
func valuesOf(f *protocol.Field) []string {
	list := f.Allowed()
	if list == nil {
		e := protocol.As[*protocol.Enum](f.Type)
		if e == nil || len(e.Members) != 1 || !e.Inline || !f.Required {
			return nil
		}
		list = []protocol.Value{e.Members[0].Value}
	}
	out := each.Map(list, valueText)
	slices.Sort(out)
	return out
}

// orTruth returns the values of a member. A boolean that may be left out has no type in Go for the one that it may have.
func orTruth(values []string, f *protocol.Field) []string {
	if values == nil && f.Type == protocol.Bool {
		for _, l := range f.Limits.Limits() {
			if l.Keyword == "enum" {
				return []string{strings.Trim(l.Value, "[]")}
			}
		}
	}
	return values
}

// valueText returns a value as JSON.
func valueText(v protocol.Value) string {
	if v.Kind == protocol.String {
		return strconv.Quote(v.Str)
	}
	return v.String()
}

func (c *comparer) field(subject string, o, n *protocol.Field, place Place) {
	at := spot{subject, o.Pos, n.Pos, place}
	c.either(FieldBecameRequired, FieldBecameOptional, o.Required, n.Required, at)
	null := onlyNull(o) != onlyNull(n)
	if !null {
		c.either(FieldNullAllowed, FieldNullRefused, o.Nullable, n.Nullable, at)
	}
	c.deprecation(standing{o.Deprecated, o.Instead}, standing{n.Deprecated, n.Instead}, at)
	if null {
		c.null(o, n, at)
		return
	}
	if o.Reading != n.Reading {
		c.add(ReadingChanged, o.Stands(), n.Stands(), at)
	}
	c.defaults(o, n, at)
	oldValues, newValues := valuesOf(o), valuesOf(n)
	if oldValues == nil && newValues == nil {
		c.expr(o.Type, n.Type, at)
		from, to := valued{o.Type, o.Limits}, valued{n.Type, n.Limits}
		if o.Reading != n.Reading { // which says what became of the format
			from, to = from.withoutFormat(), to.withoutFormat()
		}
		c.limits(from, to, at)
		return
	}
	if slices.Equal(orTruth(oldValues, o), orTruth(newValues, n)) {
		return
	}
	rule := c.cover.fieldRule(o, n)
	if rule == TypeChanged && oldValues != nil && newValues != nil {
		rule = ConstantChanged
	}
	c.add(rule, describeField(o), describeField(n), at)
}
