// Instead: replacements of deprecated entities.

package complaints

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// statedInstead links deprecated entities to their replacements.
func (b *builder) statedInstead() {
	for _, def := range b.Set.Definitions() {
		t := b.out.Lookup(def.Name)
		if def.Schema == nil || t == nil {
			continue
		}
		if n := def.Schema.Extension("x-instead"); n.Str() != "" && b.insteadOf(n, t.Head().Deprecated, def.Name) {
			t.Head().Instead = b.otherType(n, t)
		}
	}
	for _, m := range b.types.Instead {
		if b.insteadOf(m.Said, m.Field.Deprecated, m.Of.Name+"."+m.Field.Name) {
			m.Field.Instead = b.otherMember(m)
		}
	}
}

// insteadOf reports whether something is deprecated, and otherwise an error, once for a shared base.
func (b *builder) insteadOf(n *schema.Node, deprecated bool, what string) bool {
	if !deprecated && !b.At(n.Pos) {
		b.Errorf(n.Pos, "bad-instead", `write "deprecated": true beside it, or take it away`, "%s is not deprecated, so that nothing is to be used instead", what)
	}
	return deprecated
}

func (b *builder) otherType(n *schema.Node, t protocol.Type) *protocol.Instead {
	other := b.out.Lookup(n.Text)
	switch {
	case other == nil:
		b.Errorf(n.Pos, "bad-instead", b.Set.DidYouMean(n.Text, "", "name a definition"), "there is no definition %q to use instead of %s", n.Text, t.Head().Name)
		return nil
	case other == t:
		b.Errorf(n.Pos, "bad-instead", "name another definition", "%s cannot be used instead of itself", n.Text)
		return nil
	}
	return &protocol.Instead{Type: other}
}

// otherMember returns a member of the same object, or of the definition before the dot.
func (b *builder) otherMember(m types.MemberInstead) *protocol.Instead {
	of, name := m.Of, m.Said.Text
	f := of.Field(name)
	if dot := strings.LastIndexByte(name, '.'); f == nil && dot >= 0 {
		if other, ok := b.out.Lookup(name[:dot]).(*protocol.Struct); ok {
			of, name = other, name[dot+1:]
			f = of.Field(name)
		}
	}
	switch {
	case b.At(m.Said.Pos): // reported for another object with the same base
	case f == nil:
		b.Errorf(m.Said.Pos, "bad-instead", phase.MemberHint(of)+"; a member of another definition is Definition.member", "%s has no member %q to use instead of %s", of.Name, name, m.Field.Name)
	case f == m.Field || f.Const != nil:
		b.Errorf(m.Said.Pos, "bad-instead", "name another member", "%s of %s cannot be used instead of %s", f.Name, of.Name, m.Field.Name)
	default:
		return &protocol.Instead{Type: of, Field: f}
	}
	return nil
}

// statedTimes reports definitions stated to be times that are not numbers.
func (b *builder) statedTimes() {
	for _, def := range b.Set.Definitions() {
		if t := b.out.Lookup(def.Name); t != nil {
			b.WantNumber(def.Schema, protocol.Ref{Type: t}, def.Name)
		}
	}
}
