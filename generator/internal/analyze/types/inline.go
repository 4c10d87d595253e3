// Inline schemas: what stands inside a definition, and what of it is inherited again further in.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// inlineUse is an inline schema in the definition whose types are being made.
type inlineUse struct {
	root   protocol.Type
	schema *schema.Schema
}

// inlining is what is known of inline schemas.
type inlining struct {
	inlined   map[inlineUse]protocol.Type // the first type made for an inline schema
	copies    map[protocol.Type]int       // how many inline types a definition has
	recursive map[*schema.Schema]bool     // inline schemas that are asked about: whether they inherit themselves
	pathBytes int                         // in the names of inline types
	doubling  bool                        // some definition has too many
}

// maxInline bounds the inline types of one definition. Bases that inherit others twice double with
// each step.
const maxInline = 20_000

// maxPaths bounds the bytes in the names of all inline types, since each repeats the name of what it
// stands in.
const maxPaths = 64 << 20

// inheritsItself reports whether an inline schema comes up again among what it holds, because one of
// its bases is what it stands in.
func (b *builder) inheritsItself(s *schema.Schema) bool {
	if known, ok := b.recursive[s]; ok {
		return known
	}
	seen := map[*schema.Schema]bool{}
	queue := b.inside(s, nil)
	found := false
	for len(queue) > 0 && !found {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[next] {
			continue
		}
		seen[next] = true
		found = next == s
		queue = b.inside(next, queue)
	}
	b.recursive[s] = found
	return found
}

// inside appends the inline schemas that get types of their own directly inside one that has one.
func (b *builder) inside(s *schema.Schema, out []*schema.Schema) []*schema.Schema {
	switch b.shapes.Of(s) {
	case shape.Struct:
		for _, m := range b.members(s) {
			out = b.typed(m.Schema, out)
		}
		if s.Additional != nil {
			out = b.typed(s.Additional, out)
		}
	case shape.Choice:
		for _, branch := range shape.Known(s.Choices()) {
			out = b.typed(branch, out)
		}
		if s.Choices() == nil { // a list of types, each of which counts as an alternative
			if s.Items != nil && slices.Contains(s.Types, "array") {
				out = b.typed(s.Items, out)
			}
			if s.Additional != nil && slices.Contains(s.Types, "object") {
				out = b.typed(s.Additional, out)
			}
		}
	}
	return out
}

// typed appends the inline schema that a place makes a type for, as expr does.
func (b *builder) typed(s *schema.Schema, out []*schema.Schema) []*schema.Schema {
	for range schema.MaxDepth {
		if _, ok := s.Reference(); ok {
			return out
		}
		s = b.shapes.Core(s)
		if b.shapes.Of(s) != shape.Alias {
			return append(out, s)
		}
		switch {
		case s.Items != nil:
			s = s.Items
		case s.Additional != nil:
			s = s.Additional
		default:
			return out
		}
	}
	return out
}
