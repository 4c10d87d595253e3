// What stands beside: members and types beside references, choices and parts, given to what they are about.

package schema

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
)

// dropRepeatedMembers takes members out of the alternatives beside the members of an object that say of them what the object says,
// so that it alone has them.
func dropRepeatedMembers(s *Schema) {
	for _, alternative := range s.Choices() {
		var kept []Property
		list := &Node{Kind: Object}
		for _, p := range alternative.Properties {
			if own := s.Property(p.Name); own == nil || !sameMeaning(own.Schema.Node, p.Schema.Node) {
				kept = append(kept, p)
				list.Members = append(list.Members, Member{Key: p.Name, KeyPos: p.Pos, Value: p.Schema.Node})
			}
		}
		if len(kept) < len(alternative.Properties) {
			node := *alternative.Node
			node.Members = slices.Clone(node.Members)
			node.put(Member{Key: "properties", KeyPos: alternative.Pos, Value: list})
			alternative.Node, alternative.Properties = &node, kept
		}
	}
}

// passOnRequired lets each alternative require what the object around them requires and only they declare.
func passOnRequired(s *Schema) {
	choices := s.Choices()
	if s.Ref != nil || s.AllOf != nil || choices == nil {
		return
	}
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name *Node) bool {
		lacks := func(alternative *Schema) bool {
			return alternative.Ref != nil || alternative.Property(name.Text) == nil
		}
		if s.Property(name.Text) != nil || slices.ContainsFunc(choices, lacks) {
			return false
		}
		for _, alternative := range choices {
			alternative.Required = append(alternative.Required, name)
		}
		return true
	})
}

// takeInPart makes a schema of one that has nothing but a part that is no object.
func takeInPart(s *Schema) {
	if len(s.AllOf) != 1 || s.Ref != nil || s.Object || s.Types != nil || s.constants() != nil || s.Choices() != nil || s.Additional != nil || s.Items != nil {
		return
	}
	part := s.AllOf[0]
	if part.Ref != nil || part.AllOf != nil || part.Object || part.Choices() != nil || len(part.Types) == 0 || slices.Contains(part.Types, "object") {
		return
	}
	s.AllOf = nil
	s.Types, s.Enum, s.Const, s.Items, s.Format, s.Encoding = part.Types, part.Enum, part.Const, part.Items, cmp.Or(s.Format, part.Format), cmp.Or(s.Encoding, part.Encoding)
	s.Limits, s.Vendor, s.Foreign = append(s.Limits, part.Limits...), append(s.Vendor, part.Vendor...), append(s.Foreign, part.Foreign...)
}

// distributeMembers gives the members beside a choice to its alternatives, if one of them is no object: they are of the others. Nothing
// is done if one may be both.
func distributeMembers(s *Schema, isOther, mayBeOther func(*Schema) bool) {
	if !s.Object || s.Ref != nil || s.AllOf != nil || slices.Equal(s.Types, []string{"object"}) {
		return
	}
	isBoth := func(alternative *Schema) bool { return mayBeOther(alternative) && !isOther(alternative) }
	if !slices.ContainsFunc(s.Choices(), isOther) || slices.ContainsFunc(s.Choices(), isBoth) {
		return
	}
	list := each.Map(s.Choices(), func(alternative *Schema) *Schema {
		if alternative.Unknown || isOther(alternative) {
			return alternative
		}
		node := *s.Node
		whole := &Schema{Pos: alternative.Pos, Doc: alternative.Doc, Node: &node, Types: []string{"object"}, Object: true, Properties: s.Properties, Required: s.Required, Additional: s.Additional}
		if alternative.Ref != nil || alternative.AllOf != nil || alternative.Object || alternative.Additional != nil || len(alternative.Required) > 0 || alternative.Choices() != nil {
			whole.AllOf = []*Schema{alternative}
		}
		return whole
	})
	if s.OneOf != nil {
		s.OneOf = list
	} else {
		s.AnyOf = list
	}
	s.Types, s.Object, s.Properties, s.Required, s.Additional = nil, false, nil, nil, nil
}

// dropBesideReference takes away what stands beside a reference in the dialects that do not look at it, if the reference leads to
// what is no object. What stands beside one to an object is what it has in addition.
func dropBesideReference(s *Schema, mayBeOther func(*Schema) bool) {
	target := s.Ref.Target
	if target == nil || s.Doc.looksBesideReferences() || !mayBeOther(target.Schema) {
		return
	}
	s.Types, s.Enum, s.Const, s.Format, s.Encoding, s.Limits = nil, nil, nil, "", "", nil
	s.Object, s.Properties, s.Required, s.Additional, s.Items = false, nil, nil, nil, nil
	s.OneOf, s.AnyOf, s.AllOf = nil, nil, nil
}

// isOther reports whether no value of a schema is an object, and it says so itself.
func isOther(s *Schema) bool {
	found := ends(s)
	return len(found) > 0 && !slices.ContainsFunc(found, func(leaf *Schema) bool { return !isNoObject(leaf) })
}

// mayBeOther reports whether some values of a schema are no objects, and it says so itself.
func mayBeOther(s *Schema) bool { return slices.ContainsFunc(ends(s), isNoObject) }

// isNoObject reports whether a schema that is no choice says of itself that its values are no objects.
func isNoObject(s *Schema) bool {
	if s == nil || s.Object || s.AllOf != nil || s.Additional != nil {
		return false
	}
	types := s.valueTypes()
	return len(types) > 0 && !slices.Contains(types, "object")
}

// ends returns what a schema leads to by references and choices: schemas that are neither, or objects; nil for nothing.
func ends(s *Schema) []*Schema {
	next := func(s *Schema) []*Schema {
		switch {
		case s == nil, s.Object, s.AllOf != nil:
			return nil
		case s.Ref != nil && s.Ref.Target != nil:
			return []*Schema{s.Ref.Target.Schema}
		}
		return s.Choices()
	}
	return each.Where(graph.Reach([]*Schema{s}, next), func(s *Schema) bool { return len(next(s)) == 0 })
}

// maxWay bounds the references from one to the next.
const maxWay = 100

// dropRepeatedType takes away the types beside a reference that leads to nothing else, so that it is a reference alone.
func dropRepeatedType(s *Schema) {
	types := s.Types
	s.Types = nil
	target := s.last()
	if target == nil || target == s || !covers(types, target.Node.Get("type")) {
		s.Types = types
	}
}

// last returns what a schema and the references in it lead to, nil if nothing. It goes the way itself, since Follow remembers where
// definitions end, which may change while schemas are put together.
func (s *Schema) last() *Schema {
	for range maxWay {
		ref, ok := s.Reference()
		if !ok {
			break
		}
		if ref.Target == nil || ref.Target.Schema == nil {
			return nil
		}
		s = ref.Target.Schema
	}
	return s
}

// covers reports whether a list of types allows what a node for types names, and no null beyond it.
func covers(types []string, named *Node) bool {
	names := named.OneOrMore()
	allowsNull := slices.ContainsFunc(names, func(n *Node) bool { return n.Str() == "null" })
	return len(names) > 0 && (allowsNull || !slices.Contains(types, "null")) &&
		!slices.ContainsFunc(names, func(n *Node) bool { return !slices.Contains(types, n.Str()) })
}
