// Choices: alternatives beside the members of an object. The object has its members and one field for the alternative
// that it is as well.

package analyze

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// choice is one between alternatives that an object has beside its members.
type choice struct {
	schema *schema.Schema // nothing but the choice, or a reference to a union
	holder string         // the definition that it stands in, "" for the object itself
}

// choices lists those of an object, its bases' first.
func (b *builder) choices(s *schema.Schema) []choice {
	if known, ok := b.chosen[s]; ok {
		return known
	}
	b.chosen[s] = nil // a base of its own is reported with its members
	var out []choice
	seen := map[*schema.Schema]bool{} // several bases may have one in common
	for _, base := range basesOf(s) {
		target := base.Follow()
		switch {
		case target == nil:
		case b.isBareChoice(target):
			out = append(out, choice{base, ""})
		default:
			for _, c := range b.choices(target) {
				if seen[c.schema] {
					continue
				}
				seen[c.schema] = true
				if def := lastNamed(base); c.holder == "" && def != nil {
					c.holder = def.Name
				}
				out = append(out, c)
			}
		}
	}
	if s.Choices() != nil && isObject(s) {
		out = append(out, choice{b.only(s), ""})
	}
	b.chosen[s] = out
	return out
}

// isBareChoice reports whether a base is a choice between objects and nothing else.
func (b *builder) isBareChoice(s *schema.Schema) bool {
	return s.Choices() != nil && !isObject(s) && b.shapeOf(s) == shapeChoice && b.jsonToken(s) == "object"
}

// lastNamed is the definition that references lead to, nil for a schema that is none.
func lastNamed(s *schema.Schema) *schema.Definition {
	var def *schema.Definition
	for range maxAliases {
		ref, ok := s.Reference()
		if !ok || ref.Target == nil {
			break
		}
		def = ref.Target
		s = def.Schema
	}
	return def
}

// only is the choice of an object without its members.
func (b *builder) only(s *schema.Schema) *schema.Schema {
	if b.bare[s] == nil {
		b.bare[s] = &schema.Schema{Pos: s.Pos, Doc: s.Doc, Node: s.Node, OneOf: s.OneOf, AnyOf: s.AnyOf, Discriminator: s.Discriminator}
	}
	return b.bare[s]
}

// fillChoices gives a struct a field for each choice.
func (b *builder) fillChoices(st *protocol.Struct, s *schema.Schema) {
	for i, c := range b.choices(s) {
		name := "variant"
		if i > 0 {
			name = fmt.Sprintf("variant%d", i+1)
		}
		st.Choices = append(st.Choices, &protocol.Choice{Name: name, Pos: c.schema.Pos, Type: b.choiceType(st, name, c)})
	}
}

// choiceType is the union of a choice. Objects that inherit one share it.
func (b *builder) choiceType(st *protocol.Struct, name string, c choice) *protocol.Union {
	if ref, ok := c.schema.Reference(); ok {
		u, _ := b.types[lastNamed(c.schema)].(*protocol.Union)
		if u == nil {
			b.reference(ref) // says what is wrong with it
			u = &protocol.Union{}
		}
		return u
	}
	if b.beside[c.schema] != nil {
		return b.beside[c.schema]
	}
	holder := c.holder
	if holder == "" {
		holder = st.Name
	}
	u := &protocol.Union{Beside: holder, Header: protocol.Header{
		Name: b.distinct(holder + "." + name), Pos: c.schema.Pos, Inline: true,
		Doc: fmt.Sprintf("What {@link %s} is beside its members.", holder),
	}}
	b.beside[c.schema] = u
	b.later(u, inline, func() { b.fillUnion(u, c.schema) })
	b.out.Types = append(b.out.Types, u)
	return u
}

// checkChoices refuses alternatives beside members that are no objects, and objects that are alternatives of themselves.
func (b *builder) checkChoices() {
	var structs []*protocol.Struct
	for s := range protocol.Each[*protocol.Struct](b.out.Types) {
		if len(s.Choices) == 0 {
			continue
		}
		structs = append(structs, s)
		for _, c := range s.Choices {
			if c.Type.Kind == protocol.Token && !b.bad[c.Type] {
				b.bad[c.Type] = true
				b.diags.Errorf(c.Pos, "choice-with-members", "make each alternative an object, or give the choice a member of its own", "%s: an alternative beside members is no object", s.Name)
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
			b.diags.Errorf(s.Pos, "cyclic-choice", "take it out of its own alternatives", "%s is among the alternatives beside its own members", s.Name)
			for _, c := range s.Choices {
				b.bad[c.Type] = true
			}
		}
	}
}

// sharedMembers settles which of an object and its alternatives has a member that both declare. A discriminator is the
// alternatives', so that a value cannot be two things at once; any other member would be written twice.
func (b *builder) sharedMembers() {
	for _, t := range b.out.Types {
		s, ok := t.(*protocol.Struct)
		if !ok {
			continue
		}
		for _, c := range s.Choices {
			if b.bad[c.Type] || c.Type.Dispatch == nil {
				continue
			}
			b.leaveTag(s, c.Type)
			b.refuseShared(s, c)
		}
	}
}

// leaveTag takes the discriminator of alternatives away from the object that they are beside. What is said of it there
// counts for it.
func (b *builder) leaveTag(s *protocol.Struct, u *protocol.Union) {
	i := slices.IndexFunc(s.Fields, func(f *protocol.Field) bool { return f.Name == u.Dispatch.Member })
	if u.Dispatch.Member == "" || i < 0 {
		return
	}
	f := s.Fields[i]
	s.Fields = slices.Delete(s.Fields, i, i+1)
	if f.Doc != "" && u.Inline {
		u.Doc += "\n\n" + f.Doc
	}
	u.Dispatch.Lenient = u.Dispatch.Lenient || f.Lenience.Value && u.Dispatch.Absent
}

// refuseShared reports members that an object and one of its alternatives declare.
func (b *builder) refuseShared(s *protocol.Struct, c *protocol.Choice) {
	for _, leaf := range c.Type.Leaves() {
		for _, f := range leaf.Fields {
			if own := s.Field(f.Name); own != nil {
				b.diags.Errorf(f.Pos, "repeated-member", fmt.Sprintf("leave it out of one of the two; the other stands at %s", own.Pos), "%s and its alternative %s both declare %q", s.Name, leaf.Name, f.Name)
			}
		}
	}
}
