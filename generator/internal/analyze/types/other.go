// Other: keywords that restrict values in a way that Go does not check. Versions can differ in them.

package types

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// otherLimits returns the keywords of a schema that Go does not check, and those of parts that say nothing else.
func otherLimits(s *schema.Schema) (out []protocol.Limit) {
	if s.Limits == nil && s.Node.Get("allOf") == nil {
		return nil // also what is only a part of a schema
	}
	for _, m := range s.Limits {
		out = appendOther(out, m, s)
	}
	for _, n := range s.Node.Get("allOf").List() {
		if isPart := slices.ContainsFunc(s.AllOf, func(part *schema.Schema) bool { return part.Node == n }); !isPart && n.Kind == schema.Object {
			for _, m := range n.Members {
				out = appendOther(out, m, &schema.Schema{Node: n})
			}
		}
	}
	slices.SortFunc(out, func(a, b protocol.Limit) int {
		return cmp.Or(cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(out)
}

// appendOther appends a keyword of a schema if it is one of those. A condition is one with what follows from it.
func appendOther(out []protocol.Limit, m schema.Member, s *schema.Schema) []protocol.Limit {
	add := func(value string) []protocol.Limit { return append(out, protocol.Limit{Keyword: m.Key, Value: value}) }
	switch m.Key {
	case "not", "propertyNames", "contains", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties",
		"dependencies", "dependentRequired", "dependentSchemas", "anyOf", "oneOf":
		return add(meaning(m.Value, 0))
	case "if":
		whole := &schema.Node{Kind: schema.Object, Members: []schema.Member{m}}
		for _, key := range []string{"then", "else"} {
			if n := s.Node.Get(key); n != nil {
				whole.Members = append(whole.Members, schema.Member{Key: key, Value: n})
			}
		}
		return add(meaning(whole, 0))
	case "patternProperties":
		if s.Additional != nil && !s.Additional.Any { // their type is that of undeclared members
			names := &schema.Node{Kind: schema.Array}
			for _, pattern := range m.Value.Members {
				names.Items = append(names.Items, &schema.Node{Kind: schema.String, Text: pattern.Key})
			}
			return add(meaning(names, 0))
		}
		return add(meaning(m.Value, 0))
	}
	return out
}

// silent are keywords that are only for readers.
var silent = []string{"title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly"}

// meaning returns the text of a schema such that equal texts mean the same: members are sorted, and references are names. What
// is only for readers is left out, where it can be no name of a member.
func meaning(n *schema.Node, depth int) string {
	if n == nil || depth > schema.MaxDepth {
		return ""
	}
	switch n.Kind {
	case schema.Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = meaning(item, depth+1)
		}
		return "[" + strings.Join(items, ",") + "]"
	case schema.Object:
		members := slices.Clone(n.Members)
		slices.SortStableFunc(members, func(a, b schema.Member) int { return cmp.Compare(a.Key, b.Key) })
		var parts []string
		for _, m := range members {
			if slices.Contains(silent, m.Key) && isWord(m.Value) {
				continue
			}
			text := meaning(m.Value, depth+1)
			switch ref := m.Value.Str(); {
			case m.Key == "$ref" && ref != "":
				text = (&schema.Node{Kind: schema.String, Text: ref[strings.LastIndexAny(ref, "/#")+1:]}).Compact()
			case isSet(m.Key) && m.Value.Kind == schema.Array:
				text = meaning(sorted(m.Value), depth+1)
			}
			parts = append(parts, (&schema.Node{Kind: schema.String, Text: m.Key}).Compact()+":"+text)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return n.Compact()
}

// isWord reports whether a value can be that of a keyword for readers, and no schema.
func isWord(n *schema.Node) bool { return n.Kind != schema.Object }

// isSet reports whether the order of a keyword's items says nothing.
func isSet(key string) bool { return key == "required" || key == "enum" || key == "type" }

func sorted(list *schema.Node) *schema.Node {
	out := *list
	out.Items = slices.Clone(list.Items)
	slices.SortFunc(out.Items, func(a, b *schema.Node) int { return cmp.Compare(a.Compact(), b.Compact()) })
	return &out
}
