// Limits: constraints beyond types, and which types have values that may violate some.

package golang

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// limits sets the constraints of members and of undeclared ones, and finds out what can be validated.
func (b *builder) limits() {
	if !b.out.Parts[PartValidate] {
		return
	}
	for _, t := range b.types {
		in, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		b.Working(in.Pos)
		s := b.StructOf(in)
		s.Limits, s.ExtraLimits = in.Limits, in.ExtraLimits
		at := 0
		for i, f := range in.Fields {
			if f.Const == nil {
				s.Fields[at].Limits = b.agreed(in, i)
				at++
			}
		}
	}
	b.patterns()
	b.validating()
}

// agreed returns the constraints of a member. Inline types that are one in Go may differ in them; then there are none.
func (b *builder) agreed(in *protocol.Struct, i int) *protocol.Constraints {
	f := in.Fields[i]
	for _, t := range b.together[in] {
		if other := t.(*protocol.Struct); !f.Limits.Equal(other.Fields[i].Limits) {
			b.Warnf(f.Pos, "unchecked-constraint", fmt.Sprintf(`name one of the two objects in ahpgen.json, as in "names": {%q: %q}`, in.Name, "Own"+b.StructOf(in).Name), "%s.%s and %s.%s are one field in Go and have different constraints, which are not checked",
				in.Name, f.Name, other.Name, f.Name)
			return nil
		}
	}
	return f.Limits
}

// patterns rewrites regular expressions for Go, and leaves out those that Go does not have.
func (b *builder) patterns() {
	said := map[diag.Pos]bool{}
	var adapt func(c *protocol.Constraints) *protocol.Constraints
	adapt = func(c *protocol.Constraints) *protocol.Constraints {
		if c == nil || c.Patterns == nil && c.Items == nil {
			return c
		}
		out := *c
		out.Patterns, out.Items = nil, adapt(c.Items)
		for _, p := range c.Patterns {
			text, err := GoPattern(p.Text)
			if err == nil {
				out.Patterns = append(out.Patterns, protocol.Pattern{Text: text, Pos: p.Pos})
			} else if !said[p.Pos] {
				said[p.Pos] = true
				b.Warnf(p.Pos, "unchecked-pattern", "rewrite it in the syntax of Go, in the schema or in an overlay of the profile", "the pattern is not checked: %s", err)
			}
		}
		return &out
	}
	for _, s := range b.out.Structs {
		s.ExtraLimits = adapt(s.ExtraLimits)
		for _, f := range s.Fields {
			f.Limits = adapt(f.Limits)
		}
	}
	for _, a := range b.out.Aliases {
		a.Limits = adapt(a.Limits)
	}
	for _, u := range b.out.Unions {
		for _, s := range u.Scalars {
			s.Limits = adapt(s.Limits)
		}
	}
}

// GoPattern returns a regular expression of ECMAScript as Go has it.
func GoPattern(text string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		code := ""
		switch {
		case text[i] == 'u' && strings.HasPrefix(text[i+1:], "{"):
			code, _, _ = strings.Cut(text[i+2:], "}")
			i += len(code) + 2
		case text[i] == 'u' && len(text) >= i+5:
			code = text[i+1 : i+5]
			i += 4
		case text[i] >= '1' && text[i] <= '9', strings.ContainsRune("AzQEaZC", rune(text[i])):
			return "", fmt.Errorf("there is no \\%c in Go, or with another meaning", text[i])
		default:
			out.WriteString(text[i-1 : i+1])
			continue
		}
		out.WriteString(`\x{` + code + `}`)
	}
	_, err := regexp.Compile(out.String())
	return out.String(), err
}

// validating marks the types whose values may violate something.
func (b *builder) validating() {
	users := map[any][]any{} // structs by type
	var found []any
	uses := func(holder *Struct, t Type) {
		switch end := Innermost(t).(type) {
		case StructType:
			users[end.Struct] = append(users[end.Struct], holder)
		case UnionType:
			users[end.Union] = append(users[end.Union], holder)
		}
	}
	for _, s := range b.out.Structs {
		checks := !s.Limits.IsZero() || len(s.Choices) > 0 || s.Extra != nil && Restricted(s.Extra, s.ExtraLimits)
		for _, f := range s.Fields {
			checks = checks || f.Checks()
			uses(s, f.Type)
		}
		for _, c := range s.Choices {
			uses(s, UnionType{c.Union})
		}
		if s.Extra != nil {
			uses(s, s.Extra)
		}
		if checks {
			found = append(found, s)
		}
	}
	for _, u := range b.out.Unions {
		found = append(found, u) // nil is none of its variants
	}
	for _, t := range graph.Reach(found, func(t any) []any { return users[t] }) {
		if s, ok := t.(*Struct); ok {
			s.Validates = true
		}
	}
}

// Checks reports whether its value, apart from objects and unions in it, may violate something.
func (f *Field) Checks() bool {
	return f.MustBeSet() || len(f.Values) > 0 || Restricted(f.Type, f.Limits)
}

// MustBeSet reports whether the zero value of a required member cannot be encoded.
func (f *Field) MustBeSet() bool {
	if f.Presence != Required || f.Lenient { // a malformed one is dropped
		return false
	}
	switch t := Underlying(f.Type).(type) {
	case UnionType:
		return true
	case Basic:
		return t == Raw || t == RawObject || f.URI
	}
	return false
}

// Limited resolves aliases, and returns the type with all constraints on its values.
func Limited(t Type, limits *protocol.Constraints) (Type, *protocol.Constraints) {
	for {
		a, ok := t.(AliasType)
		if !ok {
			return t, limits
		}
		limits, t = limits.And(a.Limits), a.Target
	}
}

// Restricted reports whether a value, apart from objects and unions in it, may violate something.
func Restricted(t Type, limits *protocol.Constraints) bool {
	t, limits = Limited(t, limits)
	if len(Rules(t, limits)) > 0 {
		return true
	}
	switch t := t.(type) {
	case EnumType:
		return t.Closed || t.Named
	case Slice:
		return Restricted(t.Elem, limits.OfItems())
	case Map:
		return Restricted(t.Elem, limits.OfItems())
	}
	return false
}
