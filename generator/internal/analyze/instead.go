// Instead: what to use in the place of what is deprecated.

package analyze

import (
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// memberInstead is what a member says of what to use in its place.
type memberInstead struct {
	of    *protocol.Struct
	field *protocol.Field
	said  *schema.Node
}

// noteInstead keeps what a member says until all members are known.
func (b *builder) noteInstead(of *protocol.Struct, f *protocol.Field, s *schema.Schema) {
	if n := s.Extension("x-instead"); n.Str() != "" {
		b.instead = append(b.instead, memberInstead{of, f, n})
	}
}

// statedInstead links what is deprecated with what to use.
func (b *builder) statedInstead() {
	for _, def := range b.set.Definitions() {
		t := b.out.Lookup(def.Name)
		if def.Schema == nil || t == nil {
			continue
		}
		if n := def.Schema.Extension("x-instead"); n.Str() != "" && b.insteadOf(n, t.Head().Deprecated, def.Name) {
			t.Head().Instead = b.otherType(n, t)
		}
	}
	for _, m := range b.instead {
		if b.insteadOf(m.said, m.field.Deprecated, m.of.Name+"."+m.field.Name) {
			m.field.Instead = b.otherMember(m)
		}
	}
}

// insteadOf reports whether something is deprecated, so that another may take its place. A base that several objects
// take in says it once.
func (b *builder) insteadOf(n *schema.Node, deprecated bool, what string) bool {
	if !deprecated && !b.diags.At(n.Pos) {
		b.diags.Errorf(n.Pos, "bad-instead", `write "deprecated": true beside it, or take it away`, "%s is not deprecated, so that nothing is to be used instead", what)
	}
	return deprecated
}

func (b *builder) otherType(n *schema.Node, t protocol.Type) *protocol.Instead {
	other := b.out.Lookup(n.Text)
	switch {
	case other == nil:
		hint := "name a definition"
		if near := b.set.Near(n.Text); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		b.diags.Errorf(n.Pos, "bad-instead", hint, "there is no definition %q to use instead of %s", n.Text, t.Head().Name)
		return nil
	case other == t:
		b.diags.Errorf(n.Pos, "bad-instead", "name another definition", "%s cannot be used instead of itself", n.Text)
		return nil
	}
	return &protocol.Instead{Type: other}
}

// otherMember finds a member of the same object, or of the definition that is named before the dot.
func (b *builder) otherMember(m memberInstead) *protocol.Instead {
	of, name := m.of, m.said.Text
	f := of.Field(name)
	if dot := strings.LastIndexByte(name, '.'); f == nil && dot >= 0 {
		if other, ok := b.out.Lookup(name[:dot]).(*protocol.Struct); ok {
			of, name = other, name[dot+1:]
			f = of.Field(name)
		}
	}
	switch {
	case b.diags.At(m.said.Pos): // said of another object that takes the base in
	case f == nil:
		b.diags.Errorf(m.said.Pos, "bad-instead", memberHint(of)+"; a member of another definition is Definition.member", "%s has no member %q to use instead of %s", of.Name, name, m.field.Name)
	case f == m.field || f.Const != nil:
		b.diags.Errorf(m.said.Pos, "bad-instead", "name another member", "%s of %s cannot be used instead of %s", f.Name, of.Name, m.field.Name)
	default:
		return &protocol.Instead{Type: of, Field: f}
	}
	return nil
}
