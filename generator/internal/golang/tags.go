// Tags: methods of variants that return discriminator values.

package golang

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// tagMethods adds the tag methods to all variants, including unknown ones.
func (b *builder) tagMethods(u *Union, keeps bool) {
	if u.Tag == nil || u.Cases == nil {
		return
	}
	if u.Own { // otherwise reported for the other union
		b.tagName(u, keeps)
	}
	var walk func(d *protocol.Dispatch, values []protocol.Value)
	walk = func(d *protocol.Dispatch, values []protocol.Value) {
		for _, c := range d.Cases {
			v := values
			if v == nil {
				v = c.Values
			}
			if c.Next != nil {
				walk(c.Next, v)
				continue
			}
			s := b.StructOf(c.Struct)
			tag := Tag{Enum: u.Tag}
			switch {
			case d.Absent && len(v) == 1 && v[0].Str == "":
			case len(v) == 1:
				tag.Const = b.constant(u.Tag, v[0])
			default:
				i := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Wire == u.Cases.Member })
				if i < 0 {
					b.Errorf(s.Pos, "shared-tag", "take the member out of the alternatives, or give it one value",
						"%s is told apart by %q, which has several values in %s and stands in its alternatives", u.Name, u.Cases.Member, s.Name)
					continue
				}
				tag.Field = s.Fields[i].Name
				tag.Convert = s.Fields[i].Type != Type(EnumType{u.Tag})
			}
			if i := slices.IndexFunc(s.Tags, func(t Tag) bool { return t.Enum == u.Tag }); i >= 0 {
				if s.Tags[i] != tag {
					b.Errorf(u.Pos, "shared-tag", fmt.Sprintf("give the tag type another name with tag in a union rule for %s", u.Name),
						"%s is told apart by %q, but %s of another union, by which %s has another tag", u.Name, u.Cases.Member, u.Tag.Name, s.Name)
				}
				continue
			}
			if i := slices.IndexFunc(s.Fields, func(f *Field) bool { return f.Name == u.Tag.Name }); i >= 0 {
				b.Errorf(s.Pos, collision, fmt.Sprintf("give the tag type another name with tag in a union rule for %s", u.Name),
					"member %s of %s and the method that returns its tag would both be called %s in Go", s.Fields[i].Wire, s.Name, u.Tag.Name)
			}
			s.Tags = append(s.Tags, tag)
		}
	}
	walk(u.Cases, nil)
}

// constant returns the name of an enum constant.
func (b *builder) constant(e *Enum, v protocol.Value) string {
	if b.constants[e] == nil {
		b.constants[e] = map[protocol.Value]string{}
		for _, m := range slices.Backward(e.Members) {
			b.constants[e][m.Value] = m.Name
		}
	}
	return b.constants[e][v]
}

// tagName rejects a tag method's name that conflicts with a variant's.
func (b *builder) tagName(u *Union, keeps bool) {
	what := ""
	switch name := u.Tag.Name; {
	case slices.Contains(typeMethods, name):
		what = "a method of every type"
	case name == "Raw" && keeps:
		what = "what holds an unknown variant"
	case name == "Extra" && slices.ContainsFunc(u.Structs, func(s *Struct) bool { return s.Extra != nil }):
		what = "the undeclared members of a variant"
	default:
		return
	}
	b.Errorf(u.Pos, collision, fmt.Sprintf("give the tag type another name with tag in a union rule for %s, or with x-tag", u.Name),
		"the method that returns the tag of %s and %s would both be called %s in Go", u.Name, what, u.Tag.Name)
}
