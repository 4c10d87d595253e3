// Raw JSON: what schemas say of values that have no type in Go. Versions can differ in that.

package types

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// limits returns what a schema of a place in a type requires of values beyond the type that the place has.
func (b *builder) limits(s *schema.Schema, e protocol.Expr, in *protocol.Header) *protocol.Constraints {
	raw := b.rawWithin(s, e, func(keyword string) bool { return !isLimit(s, keyword) }, schema.MaxDepth)
	if raw != nil && e != protocol.Bool || e == protocol.Any || protocol.Elem(e) == protocol.Any {
		b.beneath(s, in, map[*schema.Schema]bool{})
	}
	return constraints(s).And(raw)
}

// beneath notes the definitions that raw JSON refers to.
func (b *builder) beneath(s *schema.Schema, in *protocol.Header, seen map[*schema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	note := func(def *schema.Definition) {
		if t := b.types[def]; t != nil {
			in.Beneath = each.With(in.Beneath, t)
		}
	}
	for _, def := range b.Set.Mentioned(s) {
		note(def)
	}
	if ref, ok := s.Reference(); ok {
		note(ref.Target)
		return
	}
	for _, inside := range s.Inside() {
		b.beneath(inside, in, seen)
	}
}

// isLimit reports whether a keyword is among the constraints of a schema.
func isLimit(s *schema.Schema, keyword string) bool {
	return s.Limit(keyword) != nil || keyword == "format" && s.Format != ""
}

// elements are the keywords about what is in lists and maps.
var elements = []string{"items", "prefixItems", "additionalItems", "additionalProperties"}

// rawWithin returns what the schema of a place says of the raw JSON that it is or holds.
func (b *builder) rawWithin(s *schema.Schema, e protocol.Expr, keeps func(string) bool, depth int) *protocol.Constraints {
	if s == nil || depth == 0 {
		return nil
	}
	elem := protocol.Elem(e)
	switch {
	case e == protocol.Bool:
		return oneTruth(s)
	case e == protocol.Any:
		return said(b.Set.Meaning(s.Node, keeps))
	case elem == nil, shape.IsObject(s) && s.AllOf == nil:
		return nil
	case elem == protocol.Any:
		text := b.Set.Meaning(s.Node, func(keyword string) bool { return slices.Contains(elements, keyword) })
		if slices.Contains([]string{`{"items":{}}`, `{"items":true}`, `{"additionalProperties":{}}`, `{"additionalProperties":true}`}, text) {
			text = ""
		}
		out := said(text)
		for _, part := range b.parts(s) {
			out = out.And(b.rawWithin(part, e, keeps, depth-1))
		}
		return out
	}
	var out *protocol.Constraints
	inside := s.Items
	if inside == nil {
		inside = s.Additional
	}
	if raw := b.rawWithin(inside, elem, func(keyword string) bool { return !isLimit(inside, keyword) }, depth-1); raw != nil {
		out = &protocol.Constraints{Items: raw}
	}
	for _, part := range b.parts(s) {
		out = out.And(b.rawWithin(part, e, keeps, depth-1))
	}
	return out
}

// parts returns the schemas that a schema which is no object is made of.
func (b *builder) parts(s *schema.Schema) []*schema.Schema {
	if rest := shape.WithoutNull(s.Choices()); len(rest) == 1 && !shape.IsObject(s) {
		return rest
	}
	return s.AllOf
}

// oneTruth returns the constraints of booleans that have to be true, or false, which Go has no type for.
func oneTruth(s *schema.Schema) *protocol.Constraints {
	values, _, _ := shape.EnumValues(s)
	var found []bool
	for _, n := range constantsOf(values) {
		if n.Kind == schema.Bool {
			found = each.With(found, n.Bool)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &protocol.Constraints{Other: []protocol.Limit{{Keyword: "enum", Value: fmt.Sprint(found)}}}
}

// said returns the constraints of a place of raw JSON.
func said(text string) *protocol.Constraints {
	if text == "" {
		return nil
	}
	return &protocol.Constraints{Other: []protocol.Limit{{Keyword: protocol.Schema, Value: text}}}
}
