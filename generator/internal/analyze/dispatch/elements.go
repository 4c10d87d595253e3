// Elements: lists among the variants of a union, told apart by what they hold; and members that objects share with the
// alternatives beside them.

package dispatch

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// elements determines how list variants are distinguished.
func (b *builder) elements(u *protocol.Union) {
	lists := u.Lists()
	if len(lists) < 2 {
		return
	}
	var items []*protocol.Struct
	for _, v := range lists {
		item := v.Item()
		if item == nil || slices.Contains(items, item) {
			b.Undecided(u.Name, v.Pos, "ambiguous-union", "give one of the lists items of its own", "%s: two alternatives are lists that hold the same", u.Name)
			return
		}
		items = append(items, item)
	}
	b.decisions = 0
	d, clash := b.dispatch(items, "")
	if d != nil && slices.ContainsFunc(d.Cases, func(c *protocol.Case) bool { return c.Next != nil }) {
		d, clash = nil, "one member does not do"
	}
	if d == nil {
		b.Undecided(u.Name, u.Pos, "ambiguous-union", "give the items of each a required member of their own", "%s: its lists cannot be told apart by their first item: %s", u.Name, clash)
		return
	}
	u.Elements = d
}

// sharedMembers decides who owns a member that both an object and its alternatives declare. A discriminator belongs
// to the alternatives; other members would be encoded twice.
func (b *builder) sharedMembers() {
	for s := range protocol.Each[*protocol.Struct](b.types.All) {
		for _, c := range s.Choices {
			if b.types.Bad[c.Type] || c.Type.Dispatch == nil {
				continue
			}
			b.leaveTag(s, c.Type)
			b.refuseShared(s, c)
		}
	}
}

// leaveTag removes the alternatives' discriminator from the enclosing object, keeping its documentation.
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

// refuseShared reports members declared by an object and an alternative, unless the alternatives' members can be those of the
// object.
func (b *builder) refuseShared(s *protocol.Struct, c *protocol.Choice) {
	for _, leaf := range c.Type.Leaves() {
		for _, f := range leaf.Fields {
			if own := s.Field(f.Name); own != nil {
				b.Undecided(c.Type.Name, f.Pos, "repeated-member", fmt.Sprintf("leave it out of one of the two; the other stands at %s", own.Pos), "%s and its alternative %s both declare %q", s.Name, leaf.Name, f.Name)
			}
		}
	}
}
