// Inline schemas: schemas within definitions, including recursive inheritance.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// inlineUse is an inline schema in the current definition.
type inlineUse struct {
	root   protocol.Type
	schema *schema.Schema
}

// inlining is what is known of inline schemas.
type inlining struct {
	inlined   map[inlineUse]protocol.Type // the first type for an inline schema
	copies    map[protocol.Type]int       // number of inline types by definition
	recursive map[*schema.Schema]bool     // whether an inline schema inherits itself, memoized
	pathBytes int                         // in names of inline types
	doubling  bool                        // a definition has too many
	former    map[string]string           // paths of alternatives that would go by their numbers, to those paths
	mentioned []string                    // places in facts that name alternatives by their numbers, nil until asked for
}

// maxInline bounds the inline types of a definition. Bases that inherit twice double at each step.
const maxInline = 20_000

// maxPaths bounds the total length of inline type names, which contain those of their parents.
const maxPaths = 64 << 20

// inheritsItself reports whether an inline schema occurs within itself through inheritance.
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

// inside appends the inline schemas that get their own types directly inside another.
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
		for _, branch := range b.flat(shape.Known(s.Choices()), map[*schema.Schema]bool{s: true}) {
			out = b.typed(branch, out)
		}
		if s.Choices() == nil { // a list of types, each an alternative
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

// typed appends the inline schema that expr would make a type for.
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
