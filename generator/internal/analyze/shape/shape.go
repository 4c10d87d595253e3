// Package shape tells what kind of thing a schema describes, references and choices looked through.
package shape

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Shape is the coarse kind of a schema, enough to know what to declare for it.
type Shape int

// The shapes.
const (
	Alias  Shape = iota // a scalar, list, map, any value, or an alias
	Struct              // an object with members
	Enum                // constants of one kind
	Choice              // alternatives
)

// Shapes answers questions about schemas.
type Shapes struct {
	openUnions bool // a union may have one alternative so far
}

// New makes one for schemas whose unions are open or not.
func New(openUnions bool) *Shapes {
	return &Shapes{openUnions: openUnions}
}

// Core looks through choices with one alternative, null aside, that stands in place: such a schema
// only says that null is allowed, or nothing at all.
func (h *Shapes) Core(s *schema.Schema) *schema.Schema {
	for range schema.MaxDepth {
		branches := s.Choices()
		if branches == nil || IsObject(s) || h.IsLone(s) {
			return s
		}
		rest := WithoutNull(branches)
		if len(rest) != 1 || rest[0].Unknown {
			return s
		}
		if _, ok := rest[0].Reference(); ok {
			return s
		}
		s = rest[0]
	}
	return s
}

// IsObject reports whether a schema has members of its own or of bases, be it beside a choice.
func IsObject(s *schema.Schema) bool { return s.Object || s.Ref != nil || s.AllOf != nil }

// IsLone reports whether a schema is a union that has one alternative so far: an object that a constant or a required member can tell
// from later ones, if unions are open.
func (h *Shapes) IsLone(s *schema.Schema) bool {
	branches := s.Choices()
	if !h.openUnions || len(branches) != 1 || IsObject(s) {
		return false
	}
	target := branches[0].Follow()
	return target != nil && IsObject(target) && (target.Ref != nil || target.AllOf != nil || target.Choices() != nil || len(target.Required) > 0 ||
		slices.ContainsFunc(target.Properties, func(p schema.Property) bool { return Constant(p.Schema) != nil }))
}

// MaxAliases bounds how many definitions in a row may only name the next.
const MaxAliases = 10_000

// Of returns the shape of a schema.
func (h *Shapes) Of(s *schema.Schema) Shape {
	if _, ok := s.Reference(); ok {
		return Alias
	}
	if s.Extension("x-bitset") != nil {
		return Enum
	}
	if s.Ref != nil || s.AllOf != nil {
		return Struct
	}
	if s.Object && !isMap(s) || isEmptyObject(s) {
		return Struct
	}
	if first, ok := IsEnum(s); ok {
		if n := FirstValue(first); n != nil && n.Kind == schema.Bool {
			return Alias // true and false need no names
		}
		return Enum
	}
	if branches := s.Choices(); branches != nil {
		if IsNull(s) || len(WithoutNull(branches)) == 1 && !h.IsLone(s) {
			return Alias
		}
		return Choice
	}
	if len(s.OtherTypes()) > 1 {
		return Choice
	}
	return Alias
}

// isMap reports whether an object declares an empty list of members, and allows any: converters write that for a map.
func isMap(s *schema.Schema) bool {
	return len(s.Properties) == 0 && len(s.Required) == 0 && s.Choices() == nil && s.Additional != nil && !s.Additional.Never
}

// isEmptyObject reports whether s is an object that cannot have members, as used for flags.
func isEmptyObject(s *schema.Schema) bool {
	if !slices.Contains(s.Types, "object") || len(s.Properties) > 0 {
		return false
	}
	most := s.Limit("maxProperties")
	return s.Additional != nil && s.Additional.Never || most != nil && most.Text == "0"
}

// Known leaves out the alternative that stands for variants of newer versions.
func Known(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), func(s *schema.Schema) bool { return s.Unknown })
}

// IsNull reports whether null is the only value, and a schema says so itself.
func IsNull(s *schema.Schema) bool {
	if branches := s.Choices(); branches != nil && !IsObject(s) {
		return !slices.ContainsFunc(branches, func(branch *schema.Schema) bool { return !IsNull(branch) })
	}
	isNull := func(n *schema.Node) bool { return n.Kind == schema.Null }
	return len(s.Types) == 1 && s.Types[0] == "null" || s.Const != nil && isNull(s.Const) || len(s.Enum) == 1 && isNull(s.Enum[0])
}

// AllowsNull reports whether null is among the values of a schema, apart from unions of primitives
// where it is a variant like the others.
func AllowsNull(s *schema.Schema) bool {
	if s == nil {
		return false
	}
	m := memoOf(s)
	if m.null == unknown {
		m.null = no
		if !IsPrimitiveChoice(s) && hasNull(s) {
			m.null = yes
		}
	}
	return m.null == yes
}

// hasNull reports whether null is among the alternatives of a schema. In a list of types it is a variant like the others,
// unless there is no other alternative, or all are one enum.
func hasNull(s *schema.Schema) bool {
	_, whole := IsEnum(s)
	whole = whole || len(WithoutNull(s.Choices())) == 1
	return slices.Contains(s.Types, "null") ||
		slices.ContainsFunc(s.Enum, func(n *schema.Node) bool { return n.Kind == schema.Null }) ||
		slices.ContainsFunc(s.Choices(), func(branch *schema.Schema) bool {
			return IsNull(branch) || (whole || !IsTypeList(branch)) && AllowsNull(branch.Follow())
		})
}

// IsTypeList reports whether a schema, written in place, is a list of types and nothing else that tells values apart.
func IsTypeList(s *schema.Schema) bool {
	_, ok := s.Reference()
	return !ok && len(s.Types) > 1 && s.Choices() == nil && s.Enum == nil && !IsObject(s)
}

// WithoutNull leaves out the alternative that is null.
func WithoutNull(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), IsNull)
}

// IsPrimitiveChoice reports whether null is one variant among several primitives and therefore a
// case of the union rather than a property of the member.
func IsPrimitiveChoice(s *schema.Schema) bool {
	branches := s.Choices()
	if branches == nil {
		others := s.OtherTypes()
		return len(others) > 1 && !slices.Contains(others, "object") && !slices.Contains(others, "array")
	}
	if _, ok := IsEnum(s); ok {
		return false
	}
	for _, branch := range branches {
		target := branch.Follow()
		if target == nil || len(target.Types) != 1 || target.Types[0] == "object" || target.Types[0] == "array" {
			return false
		}
	}
	return len(WithoutNull(branches)) > 1
}

// Token returns the JSON token a value of the schema starts with, "" if that is not one token. It is the same for open
// unions and others.
func (h *Shapes) Token(s *schema.Schema) string {
	if s == nil {
		return ""
	}
	m := memoOf(s)
	if !m.hasToken {
		m.hasToken = true // with none, of one that is its own alternative
		m.token = h.findToken(s)
	}
	return m.token
}

func (h *Shapes) findToken(s *schema.Schema) string {
	switch h.Of(s) {
	case Struct:
		if h.mayBeOther(s) {
			return ""
		}
		return "object"
	case Enum:
		first, _ := IsEnum(s)
		if n := FirstValue(first); n != nil && n.Kind == schema.Number || s.Extension("x-bitset") != nil {
			return "number"
		}
		return "string"
	case Choice:
		token := ""
		for _, branch := range Known(WithoutNull(s.Choices())) {
			t := h.Token(branch.Follow())
			if t == "" || token != "" && t != token {
				return ""
			}
			token = t
		}
		return token
	}
	if rest := WithoutNull(s.Choices()); len(rest) == 1 {
		return h.Token(rest[0].Follow())
	}
	for _, t := range s.Types {
		switch t {
		case "null":
		case "integer":
			return "number"
		default:
			return t
		}
	}
	first, _ := IsEnum(s)
	switch n := FirstValue(first); {
	case n != nil && n.Kind == schema.Bool:
		return "boolean"
	case IsNull(s):
		return "null"
	case s.Items != nil:
		return "array"
	case s.Additional != nil:
		return "object"
	}
	return ""
}

// mayBeOther reports whether an object that only its bases describe may be something else: one is a choice that allows it, and
// none rules it out.
func (h *Shapes) mayBeOther(s *schema.Schema) bool {
	if s.Object || s.Ref != nil || slices.Contains(s.Types, "object") {
		return false
	}
	mixed := false
	for _, base := range s.AllOf {
		target := base.Follow()
		switch {
		case target == nil || slices.Contains(target.Types, "object"):
			return false
		case target.Choices() == nil || IsObject(target):
		case h.Token(target) == "object":
			return false
		default:
			mixed = true
		}
	}
	return mixed
}

// IsBareChoice reports whether a base is a choice between objects and nothing else.
func (h *Shapes) IsBareChoice(s *schema.Schema) bool {
	return s.Choices() != nil && !IsObject(s) && h.Of(s) == Choice && h.Token(s) == "object"
}
