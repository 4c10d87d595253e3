// Payloads: a definition used only by an alternative that adds a tag to it is the alternative, so that it has one
// name.

package types

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// payloads are definitions that are the same as alternatives.
type payloads struct {
	payload map[*schema.Definition]*schema.Schema // alternatives that are the only users of a definition and add its tag
	wrapped map[*schema.Schema]*schema.Definition // the inverse
}

// payloadsOf finds the definitions that only one alternative takes in, to add constants to them.
func payloadsOf(b *builder) payloads {
	out := payloads{map[*schema.Definition]*schema.Schema{}, map[*schema.Schema]*schema.Definition{}}
	uses := b.uses()
	for _, def := range b.Set.Definitions() {
		if b.Omit[def] {
			continue
		}
		for _, s := range graph.Reach([]*schema.Schema{def.Schema}, (*schema.Schema).Inside) {
			for _, branch := range shape.Known(s.Choices()) {
				payload := b.tagged(branch)
				if payload != nil && uses[payload] == 1 && payload != def {
					out.payload[payload], out.wrapped[branch] = branch, payload
				}
			}
		}
	}
	return out
}

// uses counts references to definitions, including those from tables.
func (b *builder) uses() map[*schema.Definition]int {
	out := map[*schema.Definition]int{}
	for _, def := range b.Set.Definitions() {
		if b.Omit[def] && !def.Schema.Extension("x-abstract").True() {
			continue
		}
		def.Schema.References(func(r *schema.Reference) {
			if r.Target != nil {
				out[r.Target]++
			}
		})
	}
	named := func(names ...string) {
		for _, name := range names {
			if def := b.Set.Lookup(name); def != nil {
				out[def]++
			}
		}
	}
	for _, m := range b.Facts.Methods {
		named(m.Params, m.Result)
	}
	for _, c := range b.Facts.Codes {
		named(c.Data)
	}
	for _, c := range b.Facts.Channels {
		named(c.State)
	}
	return out
}

// tagged returns the definition to which an alternative only adds required constants, or nil.
func (b *builder) tagged(s *schema.Schema) *schema.Definition {
	bases := shape.Bases(s)
	if len(s.Properties) == 0 || len(bases) != 1 || s.Choices() != nil || s.Additional != nil {
		return nil
	}
	def := shape.LastNamed(bases[0])
	if ref, ok := bases[0].Reference(); !ok || def == nil || def != ref.Target || b.Omit[def] || b.shapes.Of(def.Schema) != shape.Struct {
		return nil
	}
	for _, p := range s.Properties {
		isRequired := slices.ContainsFunc(s.Required, func(n *schema.Node) bool { return n.Text == p.Name })
		if !isRequired || shape.Constant(p.Schema) == nil || def.Schema.Property(p.Name) != nil {
			return nil
		}
	}
	return def
}

// declarePayload declares such a definition.
func (b *builder) declarePayload(def *schema.Definition, branch *schema.Schema) protocol.Type {
	st := &protocol.Struct{Header: protocol.Header{
		Name: b.names.Distinct(def.Name), Doc: def.Schema.Description, Deprecated: def.Schema.Deprecated || branch.Deprecated, Stability: stability(def.Schema, branch), Pos: def.Pos,
	}}
	if st.Doc == "" {
		st.Doc = branch.Description
	}
	b.later(st, defined, func() { b.fillStruct(st, branch) })
	b.All = append(b.All, st)
	return st
}
