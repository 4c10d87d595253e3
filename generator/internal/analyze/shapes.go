// Shapes: what kind of thing a schema describes, references and choices looked through.

package analyze

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// shape is the coarse kind of a schema, enough to know what to declare for it.
type shape int

const (
	shapeAlias  shape = iota // a scalar, list, map, anything, or another name for a definition
	shapeStruct              // an object with members of its own
	shapeEnum                // constants of one kind
	shapeChoice              // alternatives
)

// core looks through choices with one alternative, null aside, that stands in place: such a schema
// only says that null is allowed, or nothing at all.
func (b *builder) core(s *schema.Schema) *schema.Schema {
	for range schema.MaxDepth {
		branches := s.Choices()
		if branches == nil || isObject(s) || b.isLone(s) {
			return s
		}
		rest := withoutNull(branches)
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

// isObject reports whether a schema has members of its own or of bases, be it beside a choice.
func isObject(s *schema.Schema) bool { return s.Object || s.Ref != nil || s.AllOf != nil }

// isLone reports whether a schema is a union that has one alternative so far: an object, if unions are open.
func (b *builder) isLone(s *schema.Schema) bool {
	branches := s.Choices()
	if !b.facts.OpenUnions || len(branches) != 1 || isObject(s) {
		return false
	}
	target := branches[0].Follow()
	return target != nil && isObject(target)
}

// maxAliases bounds how many definitions in a row may only name the next.
const maxAliases = 10_000

func (b *builder) shapeOf(s *schema.Schema) shape {
	if _, ok := s.Reference(); ok {
		return shapeAlias
	}
	if s.Extension("x-bitset") != nil {
		return shapeEnum
	}
	if s.Ref != nil || s.AllOf != nil {
		return shapeStruct
	}
	if s.Object || isEmptyObject(s) {
		return shapeStruct
	}
	if first, ok := isEnum(s); ok {
		if n := firstValue(first); n != nil && n.Kind == schema.Bool {
			return shapeAlias // true and false need no names
		}
		return shapeEnum
	}
	if branches := s.Choices(); branches != nil {
		if len(withoutNull(branches)) == 1 && !b.isLone(s) {
			return shapeAlias
		}
		return shapeChoice
	}
	if len(slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })) > 1 {
		return shapeChoice
	}
	return shapeAlias
}

// isEmptyObject reports whether s is an object that can have no member at all, as a flag that is
// only there or not.
func isEmptyObject(s *schema.Schema) bool {
	if !slices.Contains(s.Types, "object") || len(s.Properties) > 0 {
		return false
	}
	most := s.Limit("maxProperties")
	return s.Additional != nil && s.Additional.Never || most != nil && most.Text == "0"
}

// known leaves out the alternative that stands for variants of newer versions.
func known(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), func(s *schema.Schema) bool { return s.Unknown })
}

func isNull(s *schema.Schema) bool {
	return len(s.Types) == 1 && s.Types[0] == "null" || s.Const != nil && s.Const.Kind == schema.Null
}

// allowsNull reports whether null is among the values of a schema, apart from unions of primitives
// where it is a variant like the others.
func allowsNull(s *schema.Schema) bool {
	if s == nil {
		return false
	}
	m := memoOf(s)
	if m.null == unknown {
		m.null = no
		if !isPrimitiveChoice(s) && hasNull(s) {
			m.null = yes
		}
	}
	return m.null == yes
}

func hasNull(s *schema.Schema) bool {
	return slices.Contains(s.Types, "null") ||
		slices.ContainsFunc(s.Enum, func(n *schema.Node) bool { return n.Kind == schema.Null }) ||
		slices.ContainsFunc(s.Choices(), func(branch *schema.Schema) bool {
			return isNull(branch) || branch.Enum != nil && allowsNull(branch)
		})
}

func withoutNull(branches []*schema.Schema) []*schema.Schema {
	return slices.DeleteFunc(slices.Clone(branches), isNull)
}

// isPrimitiveChoice reports whether null is one variant among several primitives and therefore a
// case of the union rather than a property of the member.
func isPrimitiveChoice(s *schema.Schema) bool {
	branches := s.Choices()
	if branches == nil {
		others := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
		return len(others) > 1 && !slices.Contains(others, "object") && !slices.Contains(others, "array")
	}
	if _, ok := isEnum(s); ok {
		return false
	}
	for _, branch := range branches {
		target := branch.Follow()
		if target == nil || len(target.Types) != 1 || target.Types[0] == "object" || target.Types[0] == "array" {
			return false
		}
	}
	return len(withoutNull(branches)) > 1
}
