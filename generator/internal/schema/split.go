// Split: lists of types as choices.

package schema

import "slices"

// splitTypes makes a choice of a schema that lists objects among other types and says what members they have: the members
// are those of one alternative.
func splitTypes(s *Schema) {
	others := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "object" || t == "null" })
	if !s.Object || len(others) == 0 || !slices.Contains(s.Types, "object") || s.Ref != nil || s.AllOf != nil || s.Choices() != nil || s.Enum != nil || s.Const != nil {
		return
	}
	for _, t := range s.Types {
		node := *s.Node
		part := &Schema{Pos: s.Pos, Doc: s.Doc, Node: &node, Types: []string{t}, Limits: s.Limits}
		switch t {
		case "object":
			part.Object, part.Properties, part.Required, part.Additional = true, s.Properties, s.Required, s.Additional
		case "array":
			part.Items = s.Items
		default:
			part.Format, part.Encoding = s.Format, s.Encoding
		}
		s.AnyOf = append(s.AnyOf, part)
	}
	s.Types, s.Object, s.Properties, s.Required, s.Additional, s.Items, s.Limits, s.Format, s.Encoding = nil, false, nil, nil, nil, nil, nil, "", ""
}

// maxWay bounds the references from one to the next.
const maxWay = 100

// dropRepeatedType takes away the type beside a reference that leads to nothing else, so that it is a reference alone.
// It goes the way itself, since Follow remembers where definitions end, which may change by this.
func dropRepeatedType(s *Schema) {
	types := s.Types
	s.Types = nil
	target := s
	for range maxWay {
		ref, ok := target.Reference()
		if !ok {
			break
		}
		if ref.Target == nil || ref.Target.Schema == nil {
			s.Types = types
			return
		}
		target = ref.Target.Schema
	}
	if target == s || !slices.Equal(target.Types, types) {
		s.Types = types
	}
}
