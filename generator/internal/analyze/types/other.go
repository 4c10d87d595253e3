// Other: keywords that restrict values in a way that Go does not check. Versions can differ in them.

package types

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
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
		return add(schema.Canonical(m.Key, m.Value))
	case "if":
		whole := schema.Canonical(m.Key, m.Value)
		for _, key := range []string{"then", "else"} {
			if n := s.Node.Get(key); n != nil {
				whole += ", " + key + " " + schema.Canonical(key, n)
			}
		}
		return add(whole)
	case "patternProperties":
		if s.Additional != nil && !s.Additional.Any { // their type is that of undeclared members
			return add(fmt.Sprintf("%q", each.Map(m.Value.Members, func(pattern schema.Member) string { return pattern.Key })))
		}
		return add(schema.Canonical(m.Key, m.Value))
	}
	return out
}
