// Enums with their constants, and aliases.

package golang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/gotext"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (b *builder) enumsAndAliases() {
	for _, t := range b.types {
		b.Working(t.Head().Pos)
		switch t := t.(type) {
		case *protocol.Enum:
			b.enum(t)
		case *protocol.Alias:
			b.AliasOf(t).Target, b.AliasOf(t).Limits = b.customAlias(t), t.Limits
		}
	}
}

// enum determines the Go type of an enum and the names of its constants.
func (b *builder) enum(in *protocol.Enum) {
	e := b.EnumOf(in)
	e.Bitset, e.Closed = in.Bitset, !in.Open && !in.Bitset
	if x := b.in.Extensions; x != nil && x.Values && in.Open && in.Kind == protocol.String {
		e.Extension = x.Prefix
	}
	switch {
	case in.Bitset:
		e.Base = "uint64"
	case in.Kind == protocol.Integer:
		e.Base = "int64"
	default:
		e.Base = "string"
		e.Named = !slices.ContainsFunc(in.Members, func(m *protocol.EnumMember) bool { return m.Value.Str == "" })
	}
	for _, m := range in.Members {
		name := b.constantName(in, e, m)
		at := in.Name + "." + m.Value.String()
		b.recordMember(in.Name, m.Value.String(), name)
		if !gotext.IsExported(name) {
			b.Errorf(m.Pos, "bad-name", "names start with an upper-case letter and hold letters and digits only", "%q cannot be the name of a Go constant", name)
		}
		b.scope.addHint(name, fmt.Sprintf("value %q of %s", m.Value.String(), in.Name), b.renameValue(in, e, m), m.Pos)
		b.scope.state(name, at)
		e.Members = append(e.Members, EnumMember{Name: name, Value: m.Value})
		b.members[in] = append(b.members[in], name)
	}
}

// renameValue returns the remedy for a constant's name.
func (b *builder) renameValue(in *protocol.Enum, e *Enum, m *protocol.EnumMember) rename {
	value := m.Value.String()
	return func(suggestion string) string {
		part := b.namer.upper(strings.TrimPrefix(suggestion, e.Name))
		switch {
		case b.scope.inConfig != "":
			return b.scope.renameInConfig(in.Name+"."+value, suggestion)
		case b.scope.inSchemas && in.Bitset:
			return fmt.Sprintf("call it %s under x-bitset", part)
		case b.scope.inSchemas && !b.isOfTags(in):
			return fmt.Sprintf("call it %s in x-enum-names, beside the values", part)
		}
		return fmt.Sprintf(`name the value under enums.rules in the profile: {"enum": %q, "names": {%q: %q}}`, in.Name, value, part)
	}
}

// isOfTags reports whether an enum consists of a union's tags and has no schema.
func (b *builder) isOfTags(in *protocol.Enum) bool {
	for u := range protocol.Each[*protocol.Union](b.in.Types) {
		if in.Inline && u.Tag == in {
			return true
		}
	}
	return false
}

// constantName returns the name of a value: the stated one, the locked one, or one derived from schemas and rules.
func (b *builder) constantName(in *protocol.Enum, e *Enum, m *protocol.EnumMember) string {
	value := m.Value.String()
	if pinned := b.pins.name(in.Name + "." + value); pinned != "" {
		return pinned
	}
	said := m.Name
	if said == "" {
		if b.locked.typeName(in.Name) == e.Name && b.locked.member(in.Name, value) != "" {
			return b.locked.member(in.Name, value)
		}
		said = cmp.Or(m.Title, value)
		if m.Title == "" && m.Value.Kind == protocol.Integer && m.Value.Int < 0 {
			said = "minus " + value
		}
	}
	return e.Name + b.namer.part(said)
}
