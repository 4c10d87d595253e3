// Check: JSON values against the types of a protocol.

package judge

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/validate"
)

// maxViolations bounds the violations reported for one message.
const maxViolations = 10

// place is where a schema states a rule.
type place struct{ name, pos string }

// checker compares one value with its type, and calls report with what violates it.
type checker struct {
	patterns map[string]*regexp.Regexp // by their text in schemas, nil for those that Go does not have
	report   func(path, text string, at place)
	count    int
	redacted bool
}

func (c *checker) fail(path, text string, at place) {
	if c.count++; c.count <= maxViolations {
		c.report(path, text, at)
	}
}

// declared checks a value of a declared type.
func (c *checker) declared(t protocol.Type, v any, path string) {
	head := t.Head()
	at := place{head.Name, head.Pos.String()}
	if c.redacted && v == record.Redacted {
		return
	}
	switch t := t.(type) {
	case *protocol.Struct:
		c.object(t, v, path)
	case *protocol.Union:
		c.union(t, v, path)
	case *protocol.Enum:
		if c.expr(t.Kind, v, path, at) && !t.Open && !t.Bitset && !slices.ContainsFunc(t.Members, func(m *protocol.EnumMember) bool { return m.Value.Plain() == v }) {
			c.fail(path, "enum, got "+excerpt(v), at)
		}
	case *protocol.Alias:
		if v == nil && t.Nullable {
			return
		}
		if c.expr(t.Target, v, path, at) {
			c.limits(t.Limits, v, path, at)
		}
	}
}

// expr checks a value, and reports whether it is of the JSON type that is wanted.
func (c *checker) expr(e protocol.Expr, v any, path string, at place) bool {
	if c.redacted && v == record.Redacted {
		return false
	}
	switch e := e.(type) {
	case protocol.Scalar:
		if !isScalar(e, v) {
			c.fail(path, "type "+e.String()+", got "+excerpt(v), at)
			return false
		}
	case protocol.Ref:
		c.declared(e.Type, v, path)
	case protocol.List:
		list, ok := v.([]any)
		if !ok {
			c.fail(path, "type array, got "+excerpt(v), at)
			return false
		}
		for i, item := range list {
			c.expr(e.Elem, item, path+"["+strconv.Itoa(i)+"]", at)
		}
	case protocol.Map:
		object, ok := v.(map[string]any)
		if !ok {
			c.fail(path, "type object, got "+excerpt(v), at)
			return false
		}
		for _, name := range validate.Keys(object) {
			c.expr(e.Elem, object[name], join(path, name), at)
		}
	}
	return true
}

// isScalar reports whether a value is of a built-in type.
func isScalar(s protocol.Scalar, v any) bool {
	switch s {
	case protocol.Any:
		return true
	case protocol.Null:
		return v == nil
	case protocol.String:
		_, ok := v.(string)
		return ok
	case protocol.Bool:
		_, ok := v.(bool)
		return ok
	}
	f, isFloat := v.(float64)
	n, isInteger := v.(int64)
	bits, signed := s.Bits()
	switch {
	case bits == 0:
		return isFloat || isInteger
	case isFloat: // such as 1.0 or 1e30
		return f == math.Trunc(f) && math.Abs(f) < math.Exp2(float64(bits))
	case !isInteger:
		return false
	case !signed:
		return n >= 0 && (bits == 64 || n < 1<<bits)
	}
	return bits == 64 || n >= -1<<(bits-1) && n < 1<<(bits-1)
}

func (c *checker) object(s *protocol.Struct, v any, path string) {
	object, ok := v.(map[string]any)
	if !ok {
		c.fail(path, "type object, got "+excerpt(v), place{s.Name, s.Pos.String()})
		return
	}
	for _, f := range s.Fields {
		c.member(s, f, object, path)
	}
	for _, choice := range s.Choices {
		c.union(choice.Type, v, path)
	}
	at := place{s.Name, s.Pos.String()}
	c.limits(s.Limits, v, path, at)
	if s.Extra == nil {
		return
	}
	for _, name := range validate.Keys(object) {
		if s.Field(name) == nil && len(s.Choices) == 0 && c.expr(s.Extra, object[name], join(path, name), at) {
			c.limits(s.ExtraLimits, object[name], join(path, name), at)
		}
	}
}

// member checks a member of an object. What a lenient reader takes is no violation, and neither is an optional member that is
// null: writers that leave members out in this way are common.
func (c *checker) member(s *protocol.Struct, f *protocol.Field, object map[string]any, path string) {
	v, there := object[f.Name]
	at := place{s.Name + "." + f.Name, f.Pos.String()}
	path = join(path, f.Name)
	switch {
	case !there && f.Required && !f.Lenience.Null && !f.Lenience.Value:
		c.fail(path, "required", at)
		return
	case !there, f.Lenience.Value, v == nil && (f.Nullable || !f.Required || f.Lenience.Null):
		return
	}
	if list, ok := protocol.Underlying(f.Type).(protocol.List); ok && f.Lenience.Items {
		if items, isList := v.([]any); isList && list.Elem != nil {
			c.limits(f.Limits, items, path, at)
			return
		}
	}
	values := f.Values
	if f.Const != nil {
		values = []protocol.Value{*f.Const}
	}
	if len(values) > 0 {
		if !(c.redacted && v == record.Redacted) && !slices.ContainsFunc(values, func(want protocol.Value) bool { return want.Plain() == v }) {
			c.fail(path, "const "+values[0].JSON()+", got "+excerpt(v), at)
		}
		return
	}
	if c.expr(f.Type, v, path, at) {
		c.limits(f.Limits, v, path, at)
	}
}

// limits checks constraints beyond the type.
func (c *checker) limits(l *protocol.Constraints, v any, path string, at place) {
	if l == nil {
		return
	}
	err := validate.Run(func(k *validate.Checker) {
		switch v := v.(type) {
		case string:
			k.MinLength(v, l.MinLength)
			if l.MaxLength != nil {
				k.MaxLength(v, *l.MaxLength)
			}
			for _, p := range l.Patterns {
				if r := c.pattern(p.Text); r != nil && !r.MatchString(v) {
					k.Fail("pattern "+p.Text, wire.Excerpt(v))
				}
			}
			if l.Format != "" {
				k.Format(v, l.Format)
			}
		case int64:
			numberLimits(k, l, float64(v))
		case float64:
			numberLimits(k, l, v)
		case []any:
			counted(k.MinItems, k.MaxItems, len(v), l.MinItems, l.MaxItems)
			if l.UniqueItems {
				validate.UniqueItems(k, v)
			}
		case map[string]any:
			counted(k.MinProperties, k.MaxProperties, len(v), l.MinProperties, l.MaxProperties)
		}
	})
	if err, ok := err.(*validate.Error); ok { //nolint:errorlint // it is never wrapped
		for _, violation := range err.Violations {
			c.fail(path, violation.String(), at)
		}
	}
	if l.Items == nil {
		return
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			c.limits(l.Items, item, path+"["+strconv.Itoa(i)+"]", at)
		}
	case map[string]any:
		for _, name := range validate.Keys(v) {
			c.limits(l.Items, v[name], join(path, name), at)
		}
	}
}

func counted(atLeast, atMost func(got, n int), got, least int, most *int) {
	atLeast(got, least)
	if most != nil {
		atMost(got, *most)
	}
}

func numberLimits(k *validate.Checker, l *protocol.Constraints, v float64) {
	for _, of := range []struct {
		text  string
		check func(*validate.Checker, float64, float64)
	}{
		{l.Minimum, validate.Minimum[float64]}, {l.Maximum, validate.Maximum[float64]},
		{l.ExclusiveMinimum, validate.ExclusiveMinimum[float64]}, {l.ExclusiveMaximum, validate.ExclusiveMaximum[float64]},
	} {
		if bound, err := strconv.ParseFloat(of.text, 64); err == nil {
			of.check(k, v, bound)
		}
	}
	for _, unit := range l.MultipleOf {
		validate.MultipleOfFloat(k, v, unit)
	}
}

// pattern returns a regular expression of a schema, or nil if Go has none that means the same.
func (c *checker) pattern(text string) *regexp.Regexp {
	r, known := c.patterns[text]
	if !known {
		if translated, err := inside.GoPattern(text); err == nil {
			r, _ = regexp.Compile(translated) // nil if it is none
		}
		c.patterns[text] = r
	}
	return r
}

// join appends a member to a path.
func join(path, name string) string {
	switch {
	case strings.ContainsAny(name, ".[] \"\n") || name == "" || len(name) > 64:
		return path + "[" + wire.Excerpt(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// excerpt shows the beginning of a value.
func excerpt(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return wire.Excerpt(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
