// Payloads: an alternative that adds its tag to a definition which nothing else uses is that definition, so that one thing
// has one name.

package analyze

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// payloads finds the definitions that only one alternative takes in, to add constants to them.
func (b *builder) payloads() {
	uses := b.uses()
	for _, def := range b.set.Definitions() {
		if b.omit[def] {
			continue
		}
		eachChoice(def.Schema, func(branch *schema.Schema) {
			payload := b.tagged(branch)
			if payload != nil && uses[payload] == 1 && payload != def {
				b.payload[payload], b.wrapped[branch] = branch, payload
			}
		})
	}
}

// uses counts the references to definitions. What a table names is used by it.
func (b *builder) uses() map[*schema.Definition]int {
	out := map[*schema.Definition]int{}
	for _, def := range b.set.Definitions() {
		if b.omit[def] && !def.Schema.Extension("x-abstract").True() {
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
			if def := b.set.Lookup(name); def != nil {
				out[def]++
			}
		}
	}
	for _, m := range b.facts.Methods {
		named(m.Params, m.Result)
	}
	for _, c := range b.facts.Codes {
		named(c.Data)
	}
	for _, c := range b.facts.Channels {
		named(c.State)
	}
	return out
}

// eachChoice calls f for the alternatives of all choices in a schema.
func eachChoice(s *schema.Schema, f func(*schema.Schema)) {
	if s == nil {
		return
	}
	for _, branch := range known(s.Choices()) {
		f(branch)
	}
	for _, p := range s.Properties {
		eachChoice(p.Schema, f)
	}
	eachChoice(s.Additional, f)
	eachChoice(s.Items, f)
	for _, list := range [][]*schema.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, child := range list {
			eachChoice(child, f)
		}
	}
}

// tagged is the definition that an alternative adds required constants to, nil if it does anything else.
func (b *builder) tagged(s *schema.Schema) *schema.Definition {
	bases := basesOf(s)
	if len(s.Properties) == 0 || len(bases) != 1 || s.Choices() != nil || s.Additional != nil {
		return nil
	}
	def := lastNamed(bases[0])
	if ref, ok := bases[0].Reference(); !ok || def == nil || def != ref.Target || b.omit[def] || b.shapeOf(def.Schema) != shapeStruct {
		return nil
	}
	for _, p := range s.Properties {
		isRequired := slices.ContainsFunc(s.Required, func(n *schema.Node) bool { return n.Text == p.Name })
		if !isRequired || constant(p.Schema) == nil || def.Schema.Property(p.Name) != nil {
			return nil
		}
	}
	return def
}

// declarePayload declares the definition that an alternative adds constants to.
func (b *builder) declarePayload(def *schema.Definition, branch *schema.Schema) protocol.Type {
	st := &protocol.Struct{Header: protocol.Header{
		Name: b.distinct(def.Name), Doc: def.Schema.Description, Deprecated: def.Schema.Deprecated || branch.Deprecated, Pos: def.Pos,
	}}
	if st.Doc == "" {
		st.Doc = branch.Description
	}
	b.later(st, defined, func() { b.fillStruct(st, branch) })
	b.out.Types = append(b.out.Types, st)
	return st
}
