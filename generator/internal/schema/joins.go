// Joins: what is one in Go, such as alternatives that differ only in what they limit strings to.

package schema

import (
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
	if slices.ContainsFunc(all, func(alternative *Schema) bool { return alternative.contains(s) }) {
		return // by a reference to what it stands in, whose alternatives would be its own
	}
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

// contains reports whether another schema stands in an alternative, or in one of its alternatives.
func (s *Schema) contains(other *Schema) bool {
	return s == other || slices.ContainsFunc(s.Choices(), func(alternative *Schema) bool { return alternative.contains(other) })
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
	types := s.OtherTypes()
	return slices.Equal(types, []string{"number"}) || slices.Equal(types, []string{"integer"}) && s.IsBeyondInt64()
}
