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

// Meaning returns a text of what a schema says of values, which is the same for those with the same meaning and "" for one that says
// nothing. Keywords that keeps does not hold for are left out, and so is everywhere what is for others or for Go alone.
func (s *Set) Meaning(n *Node, keeps func(keyword string) bool) string {
	if n.Kind != Object {
		return strings.TrimPrefix(n.Compact(), "true")
	}
	list := slices.DeleteFunc(s.wireOnly(n).Members, func(m Member) bool { return !keeps(m.Key) })
	text := meaning(&Node{Kind: Object, Members: list})
	if text == "{}" {
		return ""
	}
	return text
}

// wireOnly returns a schema without keywords that say nothing about values.
func (s *Set) wireOnly(n *Node) *Node {
	return mapSchemas(n, func(m Member) bool {
		return !slices.Contains(advising, m.Key) && !strings.HasPrefix(m.Key, "x-") && !s.isForeign(m.Key)
	})
}

// advising are keywords about how a value is used, which does not become another one by them.
var advising = []string{"default", "deprecated", "readOnly", "writeOnly"}

// mapSchemas returns a schema with the keywords of it and of schemas in it that keeps holds for.
func mapSchemas(n *Node, keeps func(Member) bool) *Node {
	if n.Kind != Object {
		return n
	}
	inside := func(n *Node) *Node { return mapSchemas(n, keeps) }
	out := *n
	out.Members = nil
	for _, m := range n.Members {
		if !keeps(m) {
			continue
		}
		switch value := *m.Value; {
		case value.Kind == Object && (HoldsSchemas(m.Key) || m.Key == "dependentSchemas"):
			value.Members = slices.Clone(value.Members)
			for i := range value.Members {
				value.Members[i].Value = inside(value.Members[i].Value)
			}
			m.Value = &value
		case value.Kind == Array && isSchemaList(m.Key):
			value.Items = each.Map(value.Items, inside)
			m.Value = &value
		case slices.Contains(schemaValues, m.Key):
			m.Value = inside(&value)
		}
		out.Members = append(out.Members, m)
	}
	return &out
}

// isSchemaList reports whether a list that is the value of a keyword has schemas as items.
func isSchemaList(keyword string) bool {
	return slices.Contains(schemaLists, keyword) || keyword == "items" || keyword == "prefixItems"
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
	case n.Kind == Array && isSchemaList(keyword):
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
	texts := each.Map(n.OneOrMore(), (*Node).Compact)
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
