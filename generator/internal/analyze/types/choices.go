// Choices: alternatives that are part of an object. The object has its members and a field for the alternative.

package types

import (
	"fmt"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// choice is a union that is part of an object.
type choice struct {
	schema *schema.Schema // only the choice, or a reference to a union
	holder string         // the enclosing definition, or ""
}

// choices returns those of an object, bases first.
func (b *inheritance) choices(s *schema.Schema) []choice {
	if known, ok := b.chosen[s]; ok {
		return known
	}
	b.chosen[s] = nil // a base of itself is reported with its members
	var out []choice
	seen := map[*schema.Schema]bool{} // bases may share one
	for _, base := range shape.Bases(s) {
		target := base.Follow()
		switch {
		case target == nil:
		case b.shapes.IsBareChoice(target):
			out = append(out, choice{base, ""})
		default:
			for _, c := range b.choices(target) {
				if seen[c.schema] {
					continue
				}
				seen[c.schema] = true
				if def := shape.LastNamed(base); c.holder == "" && def != nil {
					c.holder = def.Name
				}
				out = append(out, c)
			}
		}
	}
	if s.Choices() != nil && shape.IsObject(s) {
		out = append(out, choice{b.only(s), ""})
	}
	b.chosen[s] = out
	return out
}

// only returns the choice of an object without its members.
func (b *inheritance) only(s *schema.Schema) *schema.Schema {
	if b.bare[s] == nil {
		b.bare[s] = &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: s.Node, OneOf: s.OneOf, AnyOf: s.AnyOf, Discriminator: s.Discriminator}
	}
	return b.bare[s]
}

// fillChoices adds a field for each choice to a struct.
func (b *builder) fillChoices(st *protocol.Struct, s *schema.Schema) {
	number := 0
	for _, c := range b.choices(s) {
		name := nextChoice(st, &number)
		at := holderOf(st, c) + "." + name
		if def := shape.LastNamed(c.schema); def != nil {
			at = def.Name
		}
		if b.isRaw(at) {
			b.takeIn(st, c.schema)
			continue
		}
		for _, branch := range c.schema.Choices() {
			b.around[b.shapes.Core(branch)] = s
		}
		st.Choices = append(st.Choices, &protocol.Choice{Name: name, Pos: c.schema.Pos, Type: b.choiceType(st, name, c)})
	}
}

// nextChoice returns the name of the next choice, which no member has.
func nextChoice(st *protocol.Struct, number *int) string {
	for {
		name := "variant"
		if *number++; *number > 1 {
			name += strconv.Itoa(*number)
		}
		if st.Field(name) == nil {
			return name
		}
	}
}

// holderOf returns the name of the object that a choice is written in.
func holderOf(st *protocol.Struct, c choice) string {
	if c.holder != "" {
		return c.holder
	}
	return st.Name
}

// takeIn adds the members of all alternatives to an object, as members that may be left out, since nothing tells which of
// them it is.
func (b *builder) takeIn(st *protocol.Struct, choice *schema.Schema) {
	all := memberList{of: b.inheritance, at: map[string]int{}}
	for _, branch := range choice.Follow().Choices() {
		for _, m := range b.members(branch.Follow()) {
			if m.wanted || st.Field(m.Name) != nil {
				continue
			}
			m.required = false
			all.add(m)
		}
	}
	for _, m := range all.list {
		m.required = false
		st.Fields = append(st.Fields, b.field(st, m))
	}
}

// choiceType returns the union of a choice, which objects that inherit it share.
func (b *builder) choiceType(st *protocol.Struct, name string, c choice) *protocol.Union {
	if ref, ok := c.schema.Reference(); ok {
		u, _ := b.types[shape.LastNamed(c.schema)].(*protocol.Union)
		if u == nil {
			b.reference(ref) // reports errors
			u = &protocol.Union{}
		}
		return u
	}
	if b.beside[c.schema] != nil {
		return b.beside[c.schema]
	}
	holder := holderOf(st, c)
	u := &protocol.Union{Beside: holder, Header: protocol.Header{
		Name: b.names.Distinct(holder + "." + name), Pos: c.schema.Pos, Inline: true,
		Doc: fmt.Sprintf("What {@link %s} is beside its members.", holder),
	}}
	u.Former = b.formerly(u.Name, "")
	b.beside[c.schema] = u
	b.later(u, inline, func() { b.fillUnion(u, c.schema) })
	b.All = append(b.All, u)
	return u
}

// checkChoices rejects alternatives that are not objects, or that are the object itself.
func (b *builder) checkChoices() {
	var structs []*protocol.Struct
	for s := range protocol.Each[*protocol.Struct](b.All) {
		if len(s.Choices) == 0 {
			continue
		}
		structs = append(structs, s)
		for _, c := range s.Choices {
			if c.Type.Kind == protocol.Token && !b.Bad[c.Type] {
				b.Bad[c.Type] = true
				b.Errorf(c.Pos, "choice-with-members", "make each alternative an object, or give the choice a member of its own", "%s: an alternative beside members is no object", s.Name)
			}
		}
	}
	circle := graph.Circles(structs, func(s *protocol.Struct) (out []*protocol.Struct) {
		for _, c := range s.Choices {
			out = append(out, c.Type.Leaves()...)
		}
		return out
	})
	for _, s := range structs {
		if circle[s] != 0 {
			b.Errorf(s.Pos, "cyclic-choice", "take it out of its own alternatives", "%s is among the alternatives beside its own members", s.Name)
			for _, c := range s.Choices {
				b.Bad[c.Type] = true
			}
		}
	}
}
