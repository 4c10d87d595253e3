// Meaning: whether two schemas take the same values, whatever else they say.

package schema

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// said are keywords that describe a schema and change nothing about its values.
var said = []string{"$schema", "$id", "$comment", "title", "description", "examples", "$defs", "definitions"}

// sameMeaning reports whether two schemas are equal, apart from descriptions, the order of members and of lists that are sets, and the
// spelling of types and references.
func sameMeaning(a, b *Node) bool { return meaning(a) == meaning(b) }

// meaning returns a text of a schema that is the same for those with the same meaning.
func meaning(n *Node) string {
	if n.Kind != Object {
		return n.Compact()
	}
	return members(meaningOf(n), Canonical)
}

// Canonical returns a text of a keyword's value that is the same for those with the same meaning.
func Canonical(keyword string, n *Node) string {
	switch {
	case keyword == "$ref":
		return strconv.Quote(referenceName(n.Str()))
	case keyword == "type", keyword == "required", keyword == "enum":
		return set(n)
	case n.Kind == Object && (HoldsSchemas(keyword) || keyword == "dependentSchemas"):
		return members(n.Members, func(_ string, n *Node) string { return meaning(n) })
	case n.Kind == Array && (slices.Contains(schemaLists, keyword) || keyword == "items" || keyword == "prefixItems"):
		return items(n.Items, meaning)
	case slices.Contains(schemaValues, keyword):
		return meaning(n)
	}
	return value(keyword, n)
}

// schemaValues are keywords whose value is a schema.
var schemaValues = []string{
	"items", "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
}

// members returns the text of an object, whose order says nothing.
func members(list []Member, text func(key string, n *Node) string) string {
	out := each.Map(list, func(m Member) string { return strconv.Quote(m.Key) + ":" + text(m.Key, m.Value) })
	slices.Sort(out)
	return "{" + strings.Join(out, ",") + "}"
}

func items(list []*Node, text func(*Node) string) string {
	return "[" + strings.Join(each.Map(list, text), ",") + "]"
}

// value returns the text of JSON that is no schema.
func value(_ string, n *Node) string {
	switch n.Kind {
	case Object:
		return members(n.Members, value)
	case Array:
		return items(n.Items, func(n *Node) string { return value("", n) })
	}
	return n.Compact()
}

// set returns the text of a list whose order says nothing. A value that is no list is a list of one.
func set(n *Node) string {
	texts := []string{n.Compact()}
	if n.Kind == Array {
		texts = each.Map(n.Items, (*Node).Compact)
	}
	slices.Sort(texts)
	return "[" + strings.Join(slices.Compact(texts), ",") + "]"
}

// meaningOf returns the keywords of a schema that say something about its values.
func meaningOf(n *Node) []Member {
	return slices.DeleteFunc(slices.Clone(n.Members), func(m Member) bool {
		return slices.Contains(said, m.Key) || m.Key == "id" && m.Value.Kind == String
	})
}

// referenceName returns the name of what is referred to. Definitions of one name are one type, whatever file they are in.
func referenceName(ref string) string {
	file, fragment, _ := strings.Cut(ref, "#")
	if tokens := SplitPointer(fragment); len(tokens) > 0 {
		return tokens[len(tokens)-1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".json"), ".schema")
}
