// Mentions: the definitions that a schema refers to in keywords which give its values no type.

package schema

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// unread are keywords with schemas of which nothing but the text is kept: those that validate, and positions and patterns, which may
// have several schemas.
var unread = []string{
	"not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "dependentSchemas", "dependencies",
	"prefixItems", "additionalItems", "patternProperties",
}

// Mentioned returns the definitions that keywords of a schema refer to whose schemas have not been parsed as its parts. It takes
// definitions by their names, and finds nothing wrong with references that lead nowhere.
func (s *Set) Mentioned(in *Schema) (out []*Definition) {
	for _, m := range in.Node.Members {
		if slices.Contains(unread, m.Key) && !s.isForeign(m.Key) || m.Key == "items" && m.Value.Kind == Array {
			out = s.mentioned(out, m)
		}
	}
	return out
}

// mentioned appends the definitions that a keyword refers to.
func (s *Set) mentioned(out []*Definition, m Member) []*Definition {
	schemas := []*Node{m.Value}
	switch {
	case m.Value.Kind == Object && (HoldsSchemas(m.Key) || m.Key == "dependentSchemas" || m.Key == "dependencies"):
		schemas = each.Map(m.Value.Members, func(inside Member) *Node { return inside.Value })
	case m.Value.Kind == Array && isSchemaList(m.Key):
		schemas = m.Value.Items
	case m.Value.Kind == Object && slices.Contains(schemaValues, m.Key):
	default:
		return out
	}
	for _, n := range schemas {
		for _, inside := range n.Members {
			if inside.Key != "$ref" {
				out = s.mentioned(out, inside)
			} else if def := s.called(inside.Value.Str()); def != nil {
				out = each.With(out, def)
			}
		}
	}
	return out
}

// called returns the definition of the name that a reference has, or nil.
func (s *Set) called(ref string) *Definition {
	_, fragment, _ := strings.Cut(ref, "#")
	if name, ok := definitionName(SplitPointer(fragment)); ok {
		if def := s.Lookup(name); def != nil {
			return def
		}
	}
	return s.Lookup(referenceName(ref))
}
