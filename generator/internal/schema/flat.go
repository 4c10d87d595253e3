// Flat files: those whose members are definitions, without a keyword around them.

package schema

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// unflattened returns the root of a file with its members under "definitions" if all of them are schemas, and whether that is so. What
// describes the file stays.
func unflattened(root *Node) (*Node, bool) {
	if hasStructure(root) {
		return root, false
	}
	var about, defs []Member
	for _, m := range root.Members {
		switch {
		case m.Value.Kind == String && (strings.HasPrefix(m.Key, "$") || m.Key == "title" || m.Key == "description"):
			about = append(about, m)
		case slices.Contains(known, m.Key) || isVendor(m.Key) || !isPlainSchema(m.Value):
			return root, false
		default:
			defs = append(defs, m)
		}
	}
	if len(defs) == 0 {
		return root, false
	}
	out := *root
	out.Members = append(about, Member{Key: "definitions", KeyPos: defs[0].KeyPos, Value: &Node{Kind: Object, Pos: root.Pos, Members: defs}})
	return &out, true
}

// asRead returns where a pointer into a file leads in what the file is read as.
func (doc *Document) asRead(pointer string) string {
	switch {
	case doc.isRPC:
		return ownPointer(pointer)
	case doc.flat && doc.Root.At(pointer) == nil:
		return "/definitions" + pointer
	}
	return pointer
}

// isPlainSchema reports whether a value can be nothing but a schema: its keywords have the values that they have in one.
func isPlainSchema(n *Node) bool {
	isType := func(t *Node) bool { return t.Kind == String && slices.Contains(typeNames, t.Text) }
	return n.Kind == Object && slices.ContainsFunc(n.Members, func(m Member) bool {
		switch m.Key {
		case "type":
			return isType(m.Value) || len(m.Value.Items) > 0 && !slices.ContainsFunc(m.Value.Items, func(t *Node) bool { return !isType(t) })
		case "properties":
			return m.Value.Kind == Object && !slices.ContainsFunc(m.Value.Members, func(p Member) bool { return p.Value.Kind != Object && p.Value.Kind != Bool })
		case "oneOf", "anyOf", "allOf":
			return len(m.Value.Items) > 0 && !slices.ContainsFunc(m.Value.Items, func(item *Node) bool { return item.Kind != Object })
		case "$ref":
			return m.Value.Kind == String
		}
		return m.Key == "enum" && len(m.Value.Items) > 0
	})
}

// definesObjects reports whether the members of a file are definitions, of which some are objects or choices: not just any data with types.
func definesObjects(root *Node) bool {
	root, flat := unflattened(root)
	return flat && len(each.Where(root.Get("definitions").Members, func(m Member) bool {
		return slices.ContainsFunc(m.Value.Members, func(m Member) bool {
			return slices.Contains([]string{"properties", "oneOf", "anyOf", "allOf"}, m.Key)
		})
	})) > 0
}
