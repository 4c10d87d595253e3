// Split: lists of types as choices.

package schema

import "slices"

// splitTypes makes a choice of a schema whose values are of several types, if it says what members the objects among them
// have, or lists constants of several types: what it says of a type is one alternative.
func splitTypes(s *Schema) {
	types := s.valueTypes()
	others := withoutNull(types)
	constants := s.constants()
	if len(others) == 1 && len(s.Types) > 1 && constants != nil { // of the other types there are none
		if slices.Contains(s.Types, "null") {
			others = append(others, "null")
		}
		s.Types = others
		return
	}
	if len(others) < 2 || s.Ref != nil || s.AllOf != nil || s.Choices() != nil {
		return
	}
	if constants == nil && !(s.Object && slices.Contains(types, "object")) {
		return
	}
	for _, t := range types {
		node := *s.Node
		part := &Schema{Pos: s.Pos, Doc: s.Doc, Node: &node, Types: []string{t}, Limits: s.Limits}
		switch t {
		case "object":
			part.Object, part.Properties, part.Required, part.Additional = s.Object, s.Properties, s.Required, s.Additional
		case "array":
			part.Items = s.Items
		default:
			part.Format, part.Encoding = s.Format, s.Encoding
		}
		part.takeConstants(s, constants)
		s.AnyOf = append(s.AnyOf, part)
	}
	s.Types, s.Object, s.Properties, s.Required, s.Additional, s.Items, s.Limits, s.Format, s.Encoding = nil, false, nil, nil, nil, nil, nil, "", ""
	s.Enum, s.Vendor = nil, slices.DeleteFunc(s.Vendor, func(m Member) bool { return isParallel(m, len(constants)) })
}

// OtherTypes returns the types that a schema lists, without null.
func (s *Schema) OtherTypes() []string { return withoutNull(s.Types) }

func withoutNull(types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" })
}

// constants returns what the values are listed as, nil for any.
func (s *Schema) constants() []*Node {
	if s.Const != nil {
		return []*Node{s.Const}
	}
	return s.Enum
}

// valueTypes returns the types of the values: those of the constants, if it lists some, and else those that it names.
func (s *Schema) valueTypes() []string {
	constants := s.constants()
	if constants == nil {
		return s.Types
	}
	return TypesOf(slices.DeleteFunc(slices.Clone(constants), func(v *Node) bool {
		return len(s.Types) > 0 && !slices.ContainsFunc(s.Types, v.fits)
	}))
}

// TypesOf returns the types of constants, each once.
func TypesOf(constants []*Node) []string {
	var out []string
	for _, v := range constants {
		t := v.typeName()
		if i := slices.Index(out, "integer"); t == "number" && i >= 0 {
			out[i] = t
		}
		if !slices.Contains(out, t) && !(t == "integer" && slices.Contains(out, "number")) {
			out = append(out, t)
		}
	}
	return out
}

// takeConstants takes over what is of the type of a part, with the names and descriptions that stand beside. A part whose
// constants Go does not have is of any value of its type.
func (s *Schema) takeConstants(from *Schema, constants []*Node) {
	if !slices.Contains([]string{"string", "integer", "boolean"}, s.Types[0]) {
		return
	}
	mine := func(i int) bool { return constants[i].fits(s.Types[0]) }
	for i, v := range constants {
		if mine(i) {
			if s.Enum = append(s.Enum, v); len(s.Enum) == 1 {
				s.Pos = v.Pos
			}
		}
	}
	if s.Types[0] == "boolean" && len(s.Enum) > 1 {
		s.Enum = nil // both
	}
	for _, m := range from.Vendor {
		if isParallel(m, len(constants)) {
			list := *m.Value
			list.Items = nil
			for i, item := range m.Value.Items {
				if mine(i) {
					list.Items = append(list.Items, item)
				}
			}
			m.Value = &list
			s.Vendor = append(s.Vendor, m)
		}
	}
}

// isParallel reports whether a keyword has something for each of n constants.
func isParallel(m Member, n int) bool {
	return (m.Key == "x-enum-names" || m.Key == "x-enum-descriptions") && n > 0 && len(m.Value.Items) == n
}
