// Joins: what is one in Go, such as alternatives that differ only in what they limit strings to.

package schema

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// joinStrings makes one alternative of several that are any strings but for their limits, such as their formats: in Go
// they are the same, and nothing in a string says which one it is meant to be. A choice of nothing else is a string. Beside
// constants, a format means as little.
func joinStrings(s *Schema, seen map[*Schema]bool) {
	if seen[s] || len(s.Types) > 0 && !slices.Equal(s.Types, []string{"string"}) || len(s.Vendor) > 0 || s.Object || s.Ref != nil || s.AllOf != nil || s.OneOf != nil && s.AnyOf != nil {
		return
	}
	seen[s] = true
	var kept []*Schema
	count, formatted, constants := 0, false, false
	for _, written := range s.Choices() {
		target := written.Follow()
		if target != nil && target.Choices() != nil {
			joinStrings(target, seen)
		}
		switch {
		case written.Unknown || target != nil && target.Encoding != "":
			return // strings are more than one thing here
		case !isAnyString(written) || !isAnyString(target):
			constants = constants || target != nil && len(target.Enum) > 0 && target.Enum[0].Kind == String
			kept = append(kept, written)
		default:
			if count++; count == 1 {
				node := *written.Node
				formatted = target.Format != ""
				kept = append(kept, &Schema{Pos: written.Pos, Doc: written.Doc, Node: &node, Types: []string{"string"}})
			}
		}
	}
	if count == 0 || count == 1 && !(formatted && constants) {
		return
	}
	s.keep(kept)
}

// keep replaces the alternatives of a choice. One that is left, null aside, stands in place of the choice.
func (s *Schema) keep(list []*Schema) {
	others := slices.DeleteFunc(slices.Clone(list), isNullType)
	switch {
	case len(others) == 1:
		s.Types, s.Items, s.OneOf, s.AnyOf = slices.Clone(others[0].Types), others[0].Items, nil, nil
		if len(list) > 1 {
			s.Types = append(s.Types, "null")
		}
	case s.OneOf != nil:
		s.OneOf = list
	default:
		s.AnyOf = list
	}
}

// joinLists makes one alternative of several that are lists: one whose items are what those of each may be. Lists of objects are left,
// since their first items may tell them apart.
func joinLists(s *Schema, seen map[*Schema]bool) {
	if seen[s] || len(s.Types) > 0 && !slices.Equal(s.Types, []string{"array"}) || s.Object || s.Ref != nil || s.AllOf != nil || s.Items != nil || s.OneOf != nil && s.AnyOf != nil {
		return
	}
	seen[s] = true
	for _, alternative := range s.Choices() {
		if target := alternative.Follow(); target != nil && target.Choices() != nil {
			joinLists(target, seen)
		}
	}
	all := withLists(s.Choices(), map[*Schema]bool{s: true})
	lists := each.Where(all, isList)
	if len(lists) < 2 || !slices.ContainsFunc(lists, func(list *Schema) bool { return !hasObjects(list.Follow()) }) {
		return
	}
	node, inner := *s.Node, *s.Node
	joined := &Schema{Pos: lists[0].Pos, Doc: s.Doc, Node: &node, Types: []string{"array"}}
	items := &Schema{Pos: lists[0].Pos, Doc: s.Doc, Node: &inner}
	for _, list := range lists {
		item := list.Follow().Items
		if item == nil || item.Any {
			items = nil
			break
		}
		if !slices.ContainsFunc(items.AnyOf, func(other *Schema) bool { return sameMeaning(other.Node, item.Node) }) {
			items.AnyOf = append(items.AnyOf, item)
		}
	}
	if joined.Items = items; items != nil && len(items.AnyOf) == 1 {
		joined.Items = items.AnyOf[0]
	} else if items != nil {
		joinStrings(items, seen)
		joinNumbers(items)
	}
	at := slices.IndexFunc(all, isList)
	s.keep(slices.Insert(slices.DeleteFunc(all, isList), at, joined))
}

// isList reports whether a schema, references followed, is of lists.
func isList(s *Schema) bool {
	target := s.Follow()
	return target != nil && (slices.Equal(target.Types, []string{"array"}) || target.Types == nil && target.Items != nil && !target.Object) &&
		target.constants() == nil && target.Choices() == nil && target.AllOf == nil
}

// withLists returns alternatives with those of choices among them that have lists.
func withLists(list []*Schema, seen map[*Schema]bool) (out []*Schema) {
	for _, alternative := range list {
		target := alternative.Follow()
		if target == nil || target.Object || target.Ref != nil || target.AllOf != nil || !slices.ContainsFunc(target.Choices(), isList) {
			out = append(out, alternative)
		} else if !seen[target] {
			seen[target] = true
			out = append(out, withLists(target.Choices(), seen)...)
		}
	}
	return out
}

// hasObjects reports whether the items of a list are objects that have members.
func hasObjects(list *Schema) bool {
	if list.Items == nil {
		return false
	}
	item := list.Items.Follow()
	return item != nil && (item.Object || item.AllOf != nil || item.Ref != nil)
}

// giveType gives alternatives that only limit values the type beside the choice, which is then that of each alternative.
func giveType(s *Schema) {
	if len(s.Types) != 1 || s.Object || s.Ref != nil || s.AllOf != nil || s.Types[0] == "object" || s.Types[0] == "array" {
		return
	}
	for _, alternative := range s.Choices() {
		if len(alternative.Limits) > 0 && isCondition(alternative) {
			alternative.Types, alternative.Any = s.Types, false
		}
	}
	if len(s.Choices()) > 0 && !slices.ContainsFunc(s.Choices(), func(alternative *Schema) bool {
		return alternative.Ref != nil || !slices.Equal(alternative.valueTypes(), s.Types)
	}) {
		s.Types = nil
	}
}

// isAnyString reports whether a schema is of strings, with limits at most. A reference has to be followed.
func isAnyString(s *Schema) bool {
	if s == nil || s.Enum != nil || s.Const != nil || s.Encoding != "" || len(s.Vendor) > 0 || len(s.Foreign) > 0 || s.Choices() != nil || s.AllOf != nil {
		return false
	}
	return s.Ref != nil || len(s.Types) == 1 && s.Types[0] == "string"
}

// joinNumbers leaves constants out that stand beside any number, of which they are, if no enum can have that one beside its
// constants.
func joinNumbers(s *Schema) {
	if !slices.ContainsFunc(s.Choices(), isWideNumber) {
		return
	}
	areNumbers := func(alternative *Schema) bool {
		target := alternative.Follow()
		if target == nil || alternative.Unknown || len(target.constants()) == 0 {
			return false
		}
		return !slices.ContainsFunc(target.constants(), func(n *Node) bool { return n.Kind != Number })
	}
	s.OneOf, s.AnyOf = slices.DeleteFunc(s.OneOf, areNumbers), slices.DeleteFunc(s.AnyOf, areNumbers)
}

// isWideNumber reports whether a schema, references followed, is of numbers that an int64 does not hold.
func isWideNumber(s *Schema) bool {
	s = s.Follow()
	if s == nil || s.constants() != nil || s.AllOf != nil || s.Choices() != nil {
		return false
	}
	types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	return slices.Equal(types, []string{"number"}) || slices.Equal(types, []string{"integer"}) && (s.Format == "uint64" || s.IsBeyondInt64())
}

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

// distributeMembers gives the members beside a choice to its alternatives, if one of them is no object: they are of the others.
func distributeMembers(s *Schema) {
	if !s.Object || s.Ref != nil || s.AllOf != nil || slices.Equal(s.Types, []string{"object"}) {
		return
	}
	if !slices.ContainsFunc(s.Choices(), func(alternative *Schema) bool { return isOther(alternative, 0) }) {
		return
	}
	list := each.Map(s.Choices(), func(alternative *Schema) *Schema {
		if alternative.Unknown || isOther(alternative, 0) {
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

// isOther reports whether no value of a schema is an object, and it says so itself.
func isOther(s *Schema, depth int) bool {
	target := s.last()
	if target == nil || target.Object || target.Ref != nil || target.AllOf != nil || target.Additional != nil || depth > maxWay {
		return false
	}
	if choices := target.Choices(); choices != nil {
		return !slices.ContainsFunc(choices, func(alternative *Schema) bool { return !isOther(alternative, depth+1) })
	}
	types := target.valueTypes()
	return len(types) > 0 && !slices.Contains(types, "object")
}

// dropBesideReference takes away what stands beside a reference in the dialects that do not look at it, if the reference leads to
// what is no object. What stands beside one to an object is what it has in addition.
func dropBesideReference(s *Schema) {
	target := s.Ref.Target
	if target == nil || s.Doc.looksBesideReferences() || !isNoBase(target.Schema, 0) {
		return
	}
	s.Types, s.Enum, s.Const, s.Format, s.Encoding, s.Limits = nil, nil, nil, "", "", nil
	s.Object, s.Properties, s.Required, s.Additional, s.Items = false, nil, nil, nil, nil
	s.OneOf, s.AnyOf, s.AllOf = nil, nil, nil
}

// isNoBase reports whether some values of a schema are no objects, and it says so itself.
func isNoBase(s *Schema, depth int) bool {
	if s == nil || depth > maxWay || s.Object || s.AllOf != nil {
		return false
	}
	if s.Ref != nil {
		return s.Ref.Target != nil && isNoBase(s.Ref.Target.Schema, depth+1)
	}
	if choices := s.Choices(); choices != nil {
		return slices.ContainsFunc(choices, func(alternative *Schema) bool { return isNoBase(alternative, depth+1) })
	}
	return isOther(s, 0)
}
