// Members: what an object holds, its bases included.

package analyze

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// member is a property on its way into a struct.
type member struct {
	schema.Property
	required bool
}

// members collects the properties of an object schema: those of its bases first, then its own.
// A property that repeats one of a base may only narrow it.
func (b *builder) members(s *schema.Schema) []member {
	if found, ok := b.bases[s]; ok {
		return slices.Clone(found)
	}
	b.bases[s] = nil
	found := b.findMembers(s, map[*schema.Schema]bool{s: true})
	b.bases[s] = found
	return slices.Clone(found)
}

// findMembers is members with the schemas that are being looked at.
func (b *builder) findMembers(s *schema.Schema, open map[*schema.Schema]bool) []member {
	out := &memberList{b: b, at: map[string]int{}}
	bases := s.AllOf
	if s.Ref != nil {
		bases = append([]*schema.Schema{{Pos: s.Ref.Pos, Ref: s.Ref}}, bases...)
	}
	for _, base := range bases {
		found := b.baseMembers(base, open)
		if !b.repeat(base.Pos, len(found), "members", "a base") {
			return nil
		}
		for _, m := range found {
			out.add(m)
		}
	}
	for _, p := range s.Properties {
		out.add(member{Property: p})
	}
	for _, r := range s.Required {
		i, ok := out.at[r.Text]
		if !ok {
			b.diags.Errorf(r.Pos, "undeclared-required", "declare it under properties, or take it out of required", "required member %q is not declared", r.Text)
			continue
		}
		out.list[i].required = true
	}
	return out.list
}

// baseMembers are the members of a base, none if it is refused.
func (b *builder) baseMembers(base *schema.Schema, open map[*schema.Schema]bool) []member {
	target := resolve(base)
	switch {
	case target == nil: // reported already, or a circle: found by checkCycles
		return nil
	case target.Choices() != nil:
		b.diags.Errorf(base.Pos, "choice-in-base", "write the alternatives out", "a base with oneOf or anyOf is not supported")
		return nil
	case open[target]:
		b.diags.Errorf(base.Pos, "cyclic-base", "break the circle of allOf and $ref", "the schema is its own base")
		return nil
	}
	found, ok := b.bases[target]
	if !ok {
		open[target] = true
		found = b.findMembers(target, open)
		delete(open, target)
		b.bases[target] = found
	}
	return found
}

// memberList is a list of members in which each name is once.
type memberList struct {
	b    *builder
	list []member
	at   map[string]int
}

// add takes a member in, in the place of one that it repeats.
func (l *memberList) add(m member) {
	i, ok := l.at[m.Name]
	if !ok {
		l.at[m.Name] = len(l.list)
		l.list = append(l.list, m)
		return
	}
	old := l.list[i]
	m.required = m.required || old.required
	switch {
	case sameShape(old.Schema.Node, m.Schema.Node): // perhaps described better
	case narrows(m.Schema, old.Schema):
	case narrows(old.Schema, m.Schema):
		m.Property = old.Property
	default:
		l.b.diags.Errorf(m.Pos, "conflicting-member", fmt.Sprintf("the other stands at %s; make them agree", old.Pos),
			"member %q has two types", m.Name)
	}
	l.list[i] = m
}

// narrows reports whether a constant or enum stands where the other schema allows any value of the
// kind, or one variant where it allows the union.
func narrows(narrow, wide *schema.Schema) bool {
	if wide.Any || isVariant(narrow, wide) {
		return true
	}
	values, _, ok := enumValues(narrow)
	target := resolve(wide)
	if !ok || target == nil {
		return false
	}
	if others, _, isEnum := enumValues(wide); isEnum {
		return len(values) <= len(others)
	}
	return len(target.Types) == 1 && (target.Types[0] == "string" || target.Types[0] == "integer" || target.Types[0] == "boolean")
}

// sameShape reports whether two schemas differ in their wording at most.
func sameShape(a, b *schema.Node) bool {
	silent := func(n *schema.Node) *schema.Node {
		c := *n
		c.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m schema.Member) bool {
			return m.Key == "description" || m.Key == "title" || m.Key == "$comment"
		})
		return &c
	}
	return silent(a).Equal(silent(b))
}

func isVariant(narrow, wide *schema.Schema) bool {
	variant, union := resolve(narrow), resolve(wide)
	if variant == nil || union == nil || variant == union {
		return false
	}
	return slices.ContainsFunc(union.Choices(), func(s *schema.Schema) bool { return resolve(s) == variant })
}

func (b *builder) fillStruct(st *protocol.Struct, s *schema.Schema) {
	if branches := s.Choices(); branches != nil {
		b.diags.Errorf(s.Pos, "choice-with-members", "move the members into each alternative, or into a base they share",
			"oneOf or anyOf beside properties is not supported")
	}
	for _, m := range b.members(s) {
		st.Fields = append(st.Fields, b.field(st, m))
	}
	if s.Additional != nil && !s.Additional.Never {
		st.Extra = b.element(s.Additional, st.Name+".value")
	}
	b.partial(st)
}

func (b *builder) field(st *protocol.Struct, m member) *protocol.Field {
	s := m.Schema
	if ref, ok := isReference(s); ok && ref.Target == nil {
		b.broken[st] = true
	}
	f := &protocol.Field{Name: m.Name, GoName: s.Extension(schema.KeywordGoName).Str(), Doc: s.Description, Deprecated: s.Deprecated, Pos: m.Pos, Required: m.required}
	if m.required {
		if node := constant(s); node != nil {
			if v, ok := b.value(node); ok {
				f.Const = &v
				f.Type = v.Kind
			}
			return f
		}
	}
	f.Type, f.Nullable = b.expr(s, st.Name+"."+m.Name)
	if n := s.Extension(schema.KeywordDispatched); n.True() {
		b.dispatchers = append(b.dispatchers, &facts.Place{Origin: facts.Origin{Pos: n.Pos, Source: facts.Schema}, At: st.Name + "." + m.Name})
	}
	return f
}

// constant returns the only value an inline schema allows, nil if it allows more.
func constant(s *schema.Schema) *schema.Node {
	switch {
	case s.Ref != nil:
		return nil
	case s.Const != nil:
		return s.Const
	case len(s.Enum) == 1:
		return s.Enum[0]
	}
	return nil
}

// partial links a struct to the definition it repeats with every member optional.
func (b *builder) partial(st *protocol.Struct) {
	for _, p := range b.rules.partials[st.Name] {
		b.used.Add(p)
		st.GoName = p.Name
		of, ok := b.out.Lookup(p.Of).(*protocol.Struct)
		if !ok && p.Source == facts.Schema {
			continue // reported with the keyword
		}
		if !ok {
			b.diags.Errorf(p.Pos, "unused-entry", "name an object definition", "partial: there is no object definition %q", p.Of)
			continue
		}
		st.Partial = of
	}
}
