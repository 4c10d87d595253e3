// Meaning: whether two schemas take the same values, whatever else they say.

package schema

import (
	"path"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// said are keywords that describe a schema and change nothing about its values.
var said = []string{"$schema", "$id", "$comment", "title", "description", "examples", "$defs", "definitions"}

// sameMeaning reports whether two schemas are equal, apart from descriptions, the order of lists that are sets, and the
// spelling of types and references.
func sameMeaning(a, b *Node) bool {
	if a.Kind != Object || b.Kind != Object {
		return a.Equal(b)
	}
	as, bs := meaningOf(a), meaningOf(b)
	return len(as) == len(bs) && !slices.ContainsFunc(as, func(m Member) bool {
		other := b.Get(m.Key)
		return other == nil || !sameKeyword(m.Key, m.Value, other)
	})
}

// meaningOf returns the keywords of a schema that say something about its values.
func meaningOf(n *Node) []Member {
	return slices.DeleteFunc(slices.Clone(n.Members), func(m Member) bool {
		return slices.Contains(said, m.Key) || m.Key == "id" && m.Value.Kind == String
	})
}

func sameKeyword(key string, a, b *Node) bool {
	switch {
	case key == "$ref":
		return referenceName(a.Str()) == referenceName(b.Str())
	case key == "type", key == "required", key == "enum":
		return sameSet(a, b)
	case slices.Contains(schemaMaps, key) && a.Kind == Object && b.Kind == Object:
		return len(a.Members) == len(b.Members) && !slices.ContainsFunc(a.Members, func(m Member) bool {
			other := b.Get(m.Key)
			return other == nil || !sameMeaning(m.Value, other)
		})
	case a.Kind == Array && b.Kind == Array && (slices.Contains(schemaLists, key) || key == "items" || key == "prefixItems"):
		return slices.EqualFunc(a.Items, b.Items, sameMeaning)
	case key == "items", key == "additionalProperties", key == "additionalItems":
		return sameMeaning(a, b)
	}
	return a.Equal(b)
}

// sameSet compares lists without their order. A value that is no list is a list of one.
func sameSet(a, b *Node) bool {
	list := func(n *Node) (texts []string) {
		if n.Kind != Array {
			return []string{n.Compact()}
		}
		texts = append(texts, each.Map(n.Items, (*Node).Compact)...)
		slices.Sort(texts)
		return slices.Compact(texts)
	}
	return slices.Equal(list(a), list(b))
}

// referenceName returns the name of what is referred to. Definitions of one name are one type, whatever file they are in.
func referenceName(ref string) string {
	file, fragment, _ := strings.Cut(ref, "#")
	if tokens := SplitPointer(fragment); len(tokens) > 0 {
		return tokens[len(tokens)-1]
	}
	return strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".json"), ".schema")
}
