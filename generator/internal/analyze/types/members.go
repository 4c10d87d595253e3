// Members: the members of objects, including bases.

package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// member is a property with its origin.
type member struct {
	schema.Property
	required bool
	wanted   bool   // required without being declared so far; it has no schema
	of       string // definition it comes from, or ""
	// others are the schemas that a base or the object itself has for the same member.
	others []*schema.Schema
}

// inheritance finds what objects take in from others.
type inheritance struct {
	*phase.Work
	shapes     *shape.Shapes
	bases      map[*schema.Schema][]member          // members, memoized; nil while being computed
	undeclared map[*schema.Schema]*schema.Schema    // undeclared members by object, memoized
	bare       map[*schema.Schema]*schema.Schema    // choices of objects, without their members
	chosen     map[*schema.Schema][]choice          // choices by object, including those of bases
	kindsOf    map[*schema.Schema][]string          // JSON types, memoized
	pairs      map[[2]*schema.Schema]*schema.Schema // objects with the members of two
}

// members returns the properties of an object: those of its bases, then its own. A repeated property may only be
// narrowed.
func (b *inheritance) members(s *schema.Schema) []member {
	return slices.DeleteFunc(slices.Clone(b.withWanted(s)), func(m member) bool { return m.wanted })
}

// withWanted is members with those that are required and not declared.
func (b *inheritance) withWanted(s *schema.Schema) []member {
	if found, ok := b.bases[s]; ok {
		return found
	}
	b.bases[s] = nil
	found := b.findMembers(s, map[*schema.Schema]bool{s: true})
	b.bases[s] = found
	return found
}

// findMembers is members with the schemas being visited.
func (b *inheritance) findMembers(s *schema.Schema, open map[*schema.Schema]bool) []member {
	out := &memberList{of: b, at: map[string]int{}}
	for _, base := range shape.Bases(s) {
		found := b.baseMembers(base, open)
		if !b.Repeat(base.Pos, len(found), "members", "a base") {
			return nil
		}
		def := shape.LastNamed(base)
		for _, m := range found {
			if m.of == "" && def != nil {
				m.of = def.Name
			}
			out.add(m)
		}
	}
	for _, p := range s.Properties {
		out.add(member{Property: p})
	}
	for _, r := range s.Required {
		out.add(member{Property: schema.Property{Name: r.Text, Pos: r.Pos}, required: true, wanted: true})
	}
	return out.list
}

// baseMembers returns the members of a base, or none after an error.
func (b *inheritance) baseMembers(base *schema.Schema, open map[*schema.Schema]bool) []member {
	target := base.Follow()
	switch {
	case target == nil: // reported, or a cycle found by checkCycles
		return nil
	case b.shapes.IsBareChoice(target): // its alternatives become a field
		return nil
	case target.Choices() != nil && !shape.IsObject(target), shape.IsObject(target) && b.shapes.Token(target) == "": // by its own bases
		b.Errorf(base.Pos, "choice-in-base", "write the alternatives out", "a base with oneOf or anyOf that is no choice between objects is not supported")
		return nil
	case !shape.IsObject(target) && (target.Enum != nil || target.Const != nil || len(target.Types) > 0 && !slices.Contains(target.Types, "object")):
		b.Errorf(base.Pos, "scalar-base", "take it away, or make it an object", "a base is an object, whose members are taken in, and this is none")
		return nil
	case open[target]:
		b.Errorf(base.Pos, "cyclic-base", "break the circle of allOf and $ref", "the schema is its own base")
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

// memberList is a list of members with unique names.
type memberList struct {
	of   *inheritance
	list []member
	at   map[string]int
}

// add adds a member, merging repeated ones.
func (l *memberList) add(m member) {
	i, ok := l.at[m.Name]
	if !ok {
		l.at[m.Name] = len(l.list)
		l.list = append(l.list, m)
		return
	}
	old := l.list[i]
	m.required = m.required || old.required
	m.others = slices.Concat(old.others, m.others)
	if !old.wanted && !m.wanted {
		m.others = append(m.others, old.Schema, m.Schema)
	}
	switch {
	case m.wanted:
		m.Property, m.wanted, m.of = old.Property, old.wanted, old.of
	case !old.wanted:
		m.Property = l.of.both(old.Property, m.Property)
	}
	l.list[i] = m
}

// additional returns the schema of undeclared members, stated by the object or its first base that does.
func (b *inheritance) additional(s *schema.Schema) *schema.Schema {
	switch {
	case s == nil:
		return nil
	case s.Additional != nil:
		return s.Additional
	}
	found, ok := b.undeclared[s]
	if ok {
		return found
	}
	b.undeclared[s] = nil // a base of itself is reported with its members
	for _, base := range shape.Bases(s) {
		if found = b.additional(base.Follow()); found != nil {
			break
		}
	}
	b.undeclared[s] = found
	return found
}

func (b *builder) fillStruct(st *protocol.Struct, s *schema.Schema) {
	b.Written[st] = s
	for _, m := range b.withWanted(s) {
		if m.wanted {
			if b.declaredAround(s, m.Name) {
				continue
			}
			if !b.Facts.UndecidedRaw {
				b.Errorf(m.Pos, "undeclared-required", "declare it under properties, or take it out of required", "required member %q is not declared", m.Name)
				continue
			}
			b.Warnf(m.Pos, "undeclared-required", "declare it under properties if more is known", "required member %q is not declared, so that it is raw JSON in Go", m.Name)
			m.Schema = &schema.Schema{Any: true, Pos: m.Pos, Node: &schema.Node{Kind: schema.Bool, Bool: true, Pos: m.Pos}}
		}
		if b.isNeverThere(m) {
			continue
		}
		st.Fields = append(st.Fields, b.field(st, m))
	}
	if slices.ContainsFunc(s.Required, func(n *schema.Node) bool { return b.At(n.Pos) && st.Field(n.Text) == nil }) {
		b.Broken[st] = true
	}
	if extra := b.additional(s); extra != nil && !extra.Never {
		st.Extra = b.element(extra, st.Name+".value")
		st.ExtraLimits = b.limits(extra, st.Extra, &st.Header)
	}
	st.Limits = membersLimits(s, map[*schema.Schema]bool{}).And(b.closed(s))
	b.fillChoices(st, s)
	b.partial(st)
}

// closed returns the limit of an object that has no undeclared members. Go passes over them.
func (b *builder) closed(s *schema.Schema) *protocol.Constraints {
	if extra := b.additional(s); extra == nil || !extra.Never {
		return nil
	}
	return &protocol.Constraints{Other: []protocol.Limit{{Keyword: "additionalProperties", Value: "false"}}}
}

// declaredAround reports whether the object that an alternative is part of declares a member.
func (b *builder) declaredAround(s *schema.Schema, name string) bool {
	outer := b.around[s]
	return outer != nil && slices.ContainsFunc(b.members(outer), func(m member) bool { return m.Name == name })
}

// isNeverThere reports whether a member can only be null, which means absent.
func (b *builder) isNeverThere(m member) bool {
	return b.Facts.NullAbsent && !m.required && m.Schema.Ref == nil && shape.IsNull(m.Schema)
}

func (b *builder) field(st *protocol.Struct, m member) *protocol.Field {
	s := m.Schema
	if ref, ok := s.Reference(); ok && ref.Target == nil {
		b.Broken[st] = true
	}
	var example string
	if list := s.Node.Get("examples").List(); len(list) > 0 {
		example = list[0].Compact()
	}
	f := &protocol.Field{Example: example, Name: m.Name, GoName: s.Extension("x-go-name").Str(), Doc: s.Description, Deprecated: s.Deprecated, Stability: stability(s), Pos: m.Pos, Required: m.required}
	if node := shape.Constant(s); node != nil && (m.required || node.Kind == schema.String && node.Equal(s.Node.Get("default"))) {
		if v, ok := b.value(node); ok {
			f.Const = &v
			f.Type = v.Kind
		}
		return f
	}
	if path := st.Name + "." + m.Name; b.isRaw(path) || m.of != "" && b.isRaw(m.of+"."+m.Name) {
		f.Type, f.Doc = protocol.Any, b.sayUndecided(path, f.Doc)
	} else {
		f.Type, f.Nullable = b.expr(s, path)
	}
	b.statedOfNull(f, s)
	f.Nullable = f.Nullable && (f.Required || b.threeStates(st.Name, m))
	b.setReading(f, st, s)
	b.setDefault(f, st, s)
	b.noteInstead(st, f, s)
	f.Lenience = lenience(s)
	f.Limits = b.limits(s, f.Type, &st.Header)
	for _, other := range m.others {
		f.Limits = f.Limits.And(allConstraints(other))
	}
	if n := s.Extension("x-dispatched"); n.True() {
		b.Dispatchers = append(b.Dispatchers, &facts.Place{Origin: facts.Origin{Pos: n.Pos, Source: facts.Schema}, At: st.Name + "." + m.Name})
	}
	return f
}

// statedOfNull reports contradictory statements about null and malformed items.
func (b *builder) statedOfNull(f *protocol.Field, s *schema.Schema) {
	nullable := f.Nullable
	b.late = append(b.late, func() {
		if three, ok := s.VendorMember("x-three-states"); ok && three.Value.True() && (!nullable || f.Required) {
			b.Errorf(three.KeyPos, "needless-keyword", "take it away, or let the member be left out and be null",
				"x-three-states is for a member that may be left out or null, and %s may not", f.Name)
		}
		words, ok := s.VendorMember("x-lenient")
		if !ok || b.At(words.Value.Pos) {
			return
		}
		_, list := protocol.Underlying(f.Type).(protocol.List)
		_, keyed := protocol.Underlying(f.Type).(protocol.Map)
		needless := func(word, format string) {
			b.Errorf(words.KeyPos, "needless-keyword", fmt.Sprintf("take %q away", word), format, f.Name)
		}
		switch has := lenience(s); {
		case has.Items && !list:
			needless("items", "%s is no list, so that it has no items that may be malformed")
		case has.Null && !list && !keyed:
			needless("null", "%s is no list or map, so that null cannot be an empty one")
		case has.Null && !f.Required:
			needless("null", "%s may be left out, so that null is not an empty one")
		}
	})
}

// lenience returns what may be malformed in a member.
func lenience(s *schema.Schema) (out protocol.Lenience) {
	words := s.Extension("x-lenient").OneOrMore()
	states := func(word string, meaning schema.Meaning) bool {
		_, means := s.Means(meaning)
		return means || slices.ContainsFunc(words, func(n *schema.Node) bool { return n.Str() == word })
	}
	return protocol.Lenience{
		Value: states("value", schema.MeansLenient),
		Items: states("items", schema.MeansLenientItems),
		Null:  states("null", schema.MeansLenientNull),
	}
}

// isRaw reports whether a definition or member is kept as raw JSON.
func (b *builder) isRaw(at string) bool { return len(b.raw(at)) > 0 }

func (b *builder) raw(at string) []*facts.Place {
	return phase.Meant(b.Work, b.Rules.Raw, at, func(_, _ *facts.Place) bool { return true })
}

// sayUndecided adds to a description that a union is raw JSON, if it is that because its alternatives cannot be told apart.
func (b *builder) sayUndecided(at, doc string) string {
	if !slices.ContainsFunc(b.raw(at), func(p *facts.Place) bool { return p.Pos.IsZero() }) {
		return doc
	}
	return strings.TrimSpace(doc + "\n\nIt is raw JSON, since its alternatives cannot be told apart.")
}

// threeStates reports whether null is distinct from absent.
func (b *builder) threeStates(object string, m member) bool {
	three := !b.Facts.NullAbsent || m.Schema.Extension("x-three-states").True()
	for _, t := range b.Facts.ThreeStates {
		if t.Has(object, m.Name, m.Schema.Description) || m.of != "" && t.Has(m.of, m.Name, m.Schema.Description) {
			b.Used.Add(t)
			three = true
		}
	}
	return three
}

// partial links a struct to the definition it repeats with optional members.
func (b *builder) partial(st *protocol.Struct) {
	same := func(a, b *facts.Partial) bool { return a.Of == b.Of && a.Name == b.Name }
	for _, p := range phase.Meant(b.Work, b.Rules.Partials, st.Name, same) {
		st.GoName = p.Name
		of, ok := b.lookup(p.Of).(*protocol.Struct)
		if !ok && p.Source == facts.Schema {
			continue // reported with the keyword
		}
		if !ok {
			b.Errorf(p.Pos, "unused-entry", "name an object definition", "partial: there is no object definition %q", p.Of)
			continue
		}
		st.Partial = of
	}
}

// MemberInstead is the replacement that a deprecated member states.
type MemberInstead struct {
	Of    *protocol.Struct
	Field *protocol.Field
	Said  *schema.Node
}

// noteInstead records a member's statement until all members are known.
func (b *builder) noteInstead(of *protocol.Struct, f *protocol.Field, s *schema.Schema) {
	if n := s.Extension("x-instead"); n.Str() != "" {
		b.Instead = append(b.Instead, MemberInstead{of, f, n})
	}
}
