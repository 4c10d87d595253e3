// Meet: what a member is that two bases declare, or a base and the object itself.

package types

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// both returns the member that two declarations describe. It reports those that contradict each other.
func (b *inheritance) both(old, own schema.Property) schema.Property {
	switch met := b.meet(old.Schema, own.Schema); {
	case met == old.Schema:
		return old
	case met != nil:
		own.Schema = met
	case b.misread(old.Schema) || b.misread(own.Schema): // so they may be the same
	case b.Facts.UndecidedRaw:
		b.Warnf(own.Pos, "conflicting-member", fmt.Sprintf("the other stands at %s; make them agree if more is known", old.Pos),
			"member %q has two types, so that it is raw JSON in Go", own.Name)
		own.Schema = &schema.Schema{Any: true, Pos: own.Pos, Node: &schema.Node{Kind: schema.Bool, Bool: true, Pos: own.Pos}}
	default:
		b.Errorf(own.Pos, "conflicting-member", fmt.Sprintf(`the other stands at %s; make them agree, or write "undecided": "raw" under unions in the profile, to keep such members as raw JSON`, old.Pos),
			"member %q has two types", own.Name)
	}
	return own
}

// meet returns what two schemas say together, or nil if they contradict each other. A type for either holds every value that both
// allow, so it is the one that says more, if one does, and otherwise the later one. Two objects are one with the members of both.
func (b *inheritance) meet(old, own *schema.Schema) *schema.Schema {
	switch {
	case sameShape(old.Node, own.Node), b.narrows(own, old): // possibly with better documentation
		return own
	case b.narrows(old, own):
		return old
	}
	was, is := b.kinds(old), b.kinds(own)
	switch {
	case b.misread(old) || b.misread(own):
		return nil
	case is == nil, slices.Equal(is, onlyNull):
		return old
	case was == nil, slices.Equal(was, onlyNull):
		return own
	case disjoint(was, is) || b.differ(old.Follow(), own.Follow()):
		return nil
	case shape.IsObject(old.Follow()) && shape.IsObject(own.Follow()) && old.Choices() == nil && own.Choices() == nil:
		return b.together(old, own)
	case isVague(own.Follow()) != isVague(old.Follow()):
		if isVague(own.Follow()) {
			return old
		}
		return own
	case isSubset(was, is) && !isSubset(is, was):
		return old
	}
	return own
}

// isVague reports whether a schema says which JSON types its values have, and hardly more.
func isVague(s *schema.Schema) bool { return onlyTypes(s) && s.Limits == nil && s.Format == "" }

// onlyNull are the types of null.
var onlyNull = []string{"null"}

// differ reports whether constants, or the items of lists, have nothing in common.
func (b *inheritance) differ(old, own *schema.Schema) bool {
	x, _, isEnum := shape.EnumValues(old)
	y, _, areEnums := shape.EnumValues(own)
	if isEnum && areEnums {
		return disjoint(texts(constantsOf(x)), texts(constantsOf(y)))
	}
	return old.Items != nil && own.Items != nil && b.meet(old.Items, own.Items) == nil
}

// together returns an object that has the members of both. It is the same for the same two, which may be members of each other.
func (b *inheritance) together(old, own *schema.Schema) *schema.Schema {
	names := func(s *schema.Schema) []string {
		return each.Map(b.members(s.Follow()), func(m member) string { return m.Name })
	}
	if isSubset(names(old), names(own)) || len(b.pairs) > maxPairs {
		return own
	}
	pair := [2]*schema.Schema{old, own}
	if b.pairs[pair] == nil {
		b.pairs[pair] = &schema.Schema{
			Pos: own.Pos, Doc: own.Doc, Node: &schema.Node{Kind: schema.Object, Pos: own.Node.Pos},
			AllOf: []*schema.Schema{old, own}, Description: own.Description,
		}
	}
	return b.pairs[pair]
}

// maxPairs bounds the objects that are made of two.
const maxPairs = 10_000

// kinds returns the JSON types of a schema's values, integers as numbers, or nil if it does not restrict them.
func (b *inheritance) kinds(s *schema.Schema) []string {
	target := s.Follow()
	if target == nil {
		return nil
	}
	found, ok := b.kindsOf[target]
	if !ok {
		b.kindsOf[target] = nil // of one that is its own alternative
		found = b.findKinds(target)
		b.kindsOf[target] = found
	}
	return found
}

func (b *inheritance) findKinds(s *schema.Schema) (out []string) {
	if values, _, ok := shape.EnumValues(s); ok {
		out = simple(schema.TypesOf(constantsOf(values)))
		if shape.AllowsNull(s) {
			out = append(out, "null")
		}
		return out
	}
	switch {
	case s.Types != nil:
		return simple(s.Types)
	case shape.IsNull(s):
		return onlyNull
	case shape.IsObject(s):
		return []string{"object"}
	}
	for _, branch := range s.Choices() {
		of := b.kinds(branch)
		if of == nil {
			return nil
		}
		out = append(out, of...)
	}
	return out
}

// simple returns JSON types without the difference between numbers and integers.
func simple(types []string) []string {
	return each.Map(types, func(t string) string {
		if t == "integer" {
			return "number"
		}
		return t
	})
}

// constantsOf returns the constants of schemas that consist of them, as they are written, without null.
func constantsOf(values []*schema.Schema) (out []*schema.Node) {
	for _, s := range values {
		for _, n := range append(slices.Clone(s.Enum), s.Const) {
			if n != nil && n.Kind != schema.Null {
				out = append(out, n)
			}
		}
	}
	return out
}

func texts(nodes []*schema.Node) []string { return each.Map(nodes, (*schema.Node).Compact) }

// isSubset reports whether all of some texts are among others.
func isSubset(some, of []string) bool {
	return !slices.ContainsFunc(some, func(text string) bool { return !slices.Contains(of, text) })
}

func disjoint(some, others []string) bool {
	return !slices.ContainsFunc(some, func(text string) bool { return slices.Contains(others, text) })
}

// narrows reports whether a schema restricts another: to a constant or an enum, a variant of a union, some of its types,
// an object with the members of another one and more, a list of something in particular.
func (b *inheritance) narrows(narrow, wide *schema.Schema) bool {
	if wide.Any || isVariant(narrow, wide) {
		return true
	}
	part, whole := narrow.Follow(), wide.Follow()
	if part == nil || whole == nil {
		return false
	}
	if part == whole {
		return true
	}
	if values, more, ok := shape.EnumValues(narrow); ok {
		if others, open, isEnum := shape.EnumValues(wide); isEnum {
			ofType := isSubset(simple(schema.TypesOf(constantsOf(values))), simple(schema.TypesOf(constantsOf(others))))
			return open && ofType || !more && isSubset(texts(constantsOf(values)), texts(constantsOf(others)))
		}
		return whole.AllOf == nil && whole.Choices() == nil && len(whole.Types) > 0 && isSubset(simple(schema.TypesOf(constantsOf(values))), simple(whole.Types))
	}
	switch {
	case onlyLimits(wide):
		return true
	case onlyTypes(whole) && len(part.Types) == 0:
		return slices.Contains(whole.Types, b.shapes.Token(part)) && (shape.AllowsNull(whole) || !shape.AllowsNull(part))
	case whole.Enum != nil, whole.Const != nil, whole.Choices() != nil, len(part.Types) == 0:
		return b.inherits(part, whole)
	case shape.IsObject(whole):
		return b.inherits(part, whole)
	case whole.Additional != nil && !whole.Additional.Any:
		return part.Additional != nil && !shape.IsObject(part) && b.narrows(part.Additional, whole.Additional)
	case whole.Items != nil && !whole.Items.Any:
		return part.Items != nil && b.narrows(part.Items, whole.Items)
	}
	return !slices.ContainsFunc(part.Types, func(t string) bool {
		return !slices.Contains(whole.Types, t) && (t != "integer" || !slices.Contains(whole.Types, "number"))
	})
}

// onlyLimits reports whether a schema restricts values without giving them a type.
func onlyLimits(s *schema.Schema) bool {
	return s.Ref == nil && s.AllOf == nil && s.Types == nil && !s.Object && s.Enum == nil && s.Const == nil && s.Items == nil &&
		s.Additional == nil && s.Choices() == nil && !s.Never
}

// onlyTypes reports whether a schema says which JSON types its values have, and nothing more.
func onlyTypes(s *schema.Schema) bool {
	return len(s.Types) > 0 && !shape.IsObject(s) && s.Enum == nil && s.Const == nil && s.Choices() == nil &&
		(s.Items == nil || s.Items.Any) && (s.Additional == nil || s.Additional.Any)
}

// inherits reports whether an object takes in another.
func (b *inheritance) inherits(s, base *schema.Schema) bool {
	return graph.Reached([]*schema.Schema{s}, func(s *schema.Schema) []*schema.Schema {
		bases := each.Map(shape.Bases(s), (*schema.Schema).Follow)
		return slices.DeleteFunc(bases, func(base *schema.Schema) bool { return base == nil })
	})[base]
}

// sameShape reports whether two schemas differ in documentation and limits at most.
func sameShape(a, b *schema.Node) bool {
	silent := func(n *schema.Node) *schema.Node {
		c := *n
		c.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m schema.Member) bool {
			return m.Key == "description" || m.Key == "title" || m.Key == "$comment" || m.Key == "default" || schema.IsLimit(m.Key)
		})
		return &c
	}
	return silent(a).Equal(silent(b))
}

func isVariant(narrow, wide *schema.Schema) bool {
	variant, union := narrow.Follow(), wide.Follow()
	if variant == nil || union == nil || variant == union {
		return false
	}
	return slices.ContainsFunc(union.Choices(), func(s *schema.Schema) bool { return s.Follow() == variant })
}

// misread reports whether something is wrong with what a schema shapes.
func (b *inheritance) misread(s *schema.Schema) bool {
	target := s.Follow()
	return target == nil || b.Reported(s.Node) || b.Reported(target.Node)
}
