// Package dispatch settles by what a decoder tells the variants of each union apart, and proves that none is taken for another.
package dispatch

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Settle settles it for every union of objects among some types.
func Settle(given phase.Given, known phase.Broken, t *types.Types) phase.Notes {
	b := &builder{Work: phase.Begin(given, known), types: t}
	defer b.Mark()
	b.namedVariants()
	b.repeatedVariants()
	if b.Exhausted() {
		return b.Notes()
	}
	b.unions()
	b.sharedMembers()
	return b.Notes()
}

// builder settles one union after the other.
type builder struct {
	*phase.Work
	types     *types.Types
	shared    decided
	decisions int      // attempts to find a discriminator
	otherwise []string // variants of the current union that malformed values of others may be
}

// unions determines for every union of objects how variants are distinguished, and whether it is open. Those about which a fact
// says how come first, since others may hold the same alternatives.
func (b *builder) unions() {
	b.shared = decided{}
	var rest []*protocol.Union
	for u := range protocol.Each[*protocol.Union](b.types.All) {
		b.Working(u.Pos)
		if u.Kind == protocol.Token || b.types.Bad[u] || !b.isStated(u) {
			rest = append(rest, u)
			continue
		}
		b.settle(u)
		b.shared.add(u)
	}
	for _, u := range rest {
		b.Working(u.Pos)
		switch {
		case u.Kind == protocol.Token:
			b.UnionRule(u.Name)
			b.elements(u)
		case !b.types.Bad[u]:
			b.settle(u)
		}
	}
}

// namedVariants resolves aliases of objects and unions among variants, since methods belong to the types. This is
// done for all unions before decisions.
func (b *builder) namedVariants() {
	for u := range protocol.Each[*protocol.Union](b.types.All) {
		for _, v := range u.Variants {
			ref, _ := protocol.Underlying(v.Type).(protocol.Ref)
			switch ref.Type.(type) {
			case *protocol.Struct, *protocol.Union:
				v.Type = ref
			}
		}
	}
}

func (b *builder) settle(u *protocol.Union) {
	for _, v := range u.Variants {
		ref, ok := protocol.Underlying(v.Type).(protocol.Ref)
		if !ok && b.Shaky {
			b.types.Bad[u] = true
			return
		}
		inner, _ := ref.Type.(*protocol.Union)
		if !ok || inner != nil && b.ToBeRaw(inner.Name) {
			b.Undecided(u.Name, v.Pos, "map-variant", "give the alternative named members", "%s: an alternative without named members cannot be told from the others", u.Name)
			b.types.Bad[u] = true
			return
		}
		if inner != nil && b.types.Bad[inner] {
			b.types.Bad[u] = true
			return
		}
	}
	rule := b.UnionRule(u.Name)
	if rule == nil {
		rule = &facts.Union{}
	}
	want := rule.Discriminator
	if def := b.Set.Lookup(u.Name); want == "" && def != nil {
		want = def.Schema.Discriminator
	}
	leaves := u.Leaves()
	if len(leaves) == 0 {
		return // an empty list is reported elsewhere
	}
	if slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return b.types.Broken[s] }) {
		b.types.Bad[u] = true // the discriminator may be missing: reported elsewhere
		return
	}
	var d *protocol.Dispatch
	if !b.isStated(u) {
		d = b.shared.of(leaves)
	}
	if d == nil {
		d = b.decision(u, leaves, rule, want)
	}
	if d == nil {
		b.types.Bad[u] = true
		return
	}
	u.Dispatch = d
	u.Kind = protocol.Shaped
	if d.Member != "" {
		u.Kind = protocol.Tagged
	}
	b.untagged(u, rule.Untagged)
	u.Open = b.open(u, rule)
}

// open reports whether a union keeps variants that it does not know.
func (b *builder) open(u *protocol.Union, rule *facts.Union) bool {
	if u.Dispatch.General() != nil || rule.Open != nil && u.Dispatch.Kind == protocol.Bool {
		return false // every value of the tag is of a variant
	}
	if rule.Open != nil {
		return *rule.Open
	}
	return b.types.Unknown[u] || len(u.Apart) > 0 || u.Dispatch.IsPartial() || u.Kind == protocol.Tagged && u.Dispatch.Kind != protocol.Bool && b.Facts.OpenUnions
}

// decision returns how the variants of a union are distinguished, or nil after reporting that they are not.
func (b *builder) decision(u *protocol.Union, leaves []*protocol.Struct, rule *facts.Union, want string) *protocol.Dispatch {
	if rule.Decide != nil {
		return b.byStatement(u, leaves, rule)
	}
	b.decisions, b.otherwise = 0, rule.Otherwise
	d, clash := b.dispatch(leaves, want)
	b.otherwise = nil
	if d != nil && d.Member == "" && want == "" { // a newer variant has a text of its own as well, and perhaps none of these members
		told, _ := b.byOptional(leaves, func(member string) bool { return filledIn(leaves, member) })
		d = cmp.Or(told, d)
	}
	several := ""
	if d == nil && want == "" {
		d, several = byInside(leaves)
	}
	if def := b.Set.Lookup(u.Name); d == nil && several == "" && (want == "" || def == nil || def.Schema.Discriminator != want) {
		d, several = b.byGeneral(u, leaves, want)
	}
	if d == nil && several == "" && len(leaves) > 1 {
		d, several = b.byOptional(leaves, func(member string) bool {
			// Where the schema states the discriminator and some require it, the others probably should.
			return want == "" || member == want && !forgotten(leaves, member)
		})
	}
	if d == nil && want == "" && b.Facts.UndecidedRaw {
		d = b.byRest(leaves)
	}
	if d == nil && b.Facts.UndecidedRaw { // no valid object of another alternative is without it
		d = b.byAbsence(leaves, want, func(s *protocol.Struct, member string) bool { return b.forbids(s, member) })
	}
	clash = cmp.Or(several, clash)
	if d == nil {
		d = b.apart(u, leaves, rule, want)
	}
	if d != nil || want != "" && !b.Facts.UndecidedRaw && b.untold(u, leaves, want) {
		return d
	}
	b.Undecided(u.Name, u.Pos, "ambiguous-union", b.remedy(u, leaves, rule, want), "%s: its alternatives cannot be told apart: %s", u.Name, clash)
	return nil
}

// remedy returns what tells the alternatives of a union apart.
func (b *builder) remedy(u *protocol.Union, leaves []*protocol.Struct, rule *facts.Union, want string) string {
	list := b.candidates(leaves, "")
	_, rest := byShape(leaves, rule.Otherwise)
	first, last := leaves[0].Name, leaves[len(leaves)-1].Name
	switch {
	case want == "" && len(list) > 1 && b.sameRank(list[0], list[1]):
		return "name one of the two " + b.Hint(fmt.Sprintf(`in a rule under unions in the profile: {"union": %q, "discriminator": %q}`, u.Name, list[0].name), "under discriminator")
	case want == "" && len(rest) == 1:
		last = rest[0].Name
		return fmt.Sprintf("give %s a required member of its own; if it is what an object is that is none of the others, add ", last) +
			b.Hint(fmt.Sprintf(`{"union": %q, "otherwise": [%q]} to the rules under unions in the profile`, u.Name, last), fmt.Sprintf(`"x-otherwise": [%q] to the union`, last))
	}
	return b.Hint("give each alternative a required constant member of its own by an overlay, or say what each has by a rule under unions in the "+
		fmt.Sprintf(`profile: {"union": %q, "decide": [{"variant": %q, "has": ["member"]}, {"variant": %q}]}`, u.Name, first, last),
		"give each alternative a required constant member of its own, or name one under discriminator")
}

// untold reports alternatives that lack or share the discriminator's constant, if any.
func (b *builder) untold(u *protocol.Union, leaves []*protocol.Struct, member string) bool {
	first := map[protocol.Value]*protocol.Struct{}
	found := false
	kind := protocol.Scalar(-1)
	lacking := 0
	for _, s := range leaves {
		if len(constants(s, member)) == 0 {
			lacking++
		}
	}
	if def := b.Set.Lookup(u.Name); lacking == len(leaves) && lacking > 1 {
		if def == nil || def.Schema.Discriminator != member {
			return false
		}
		hint := "name the member that is a required constant of each"
		if list := b.candidates(leaves, ""); len(list) == 1 {
			hint = fmt.Sprintf("did you mean %q?", list[0].name)
		}
		b.Errorf(def.Schema.Node.At("/discriminator/propertyName").Pos, "ambiguous-union", hint, "no alternative of %s has %q as a required constant", u.Name, member)
		return true
	}
	if slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { def := b.Set.Lookup(s.Name); return def != nil && b.Said(def.Schema) }) {
		return true // possibly caused by a reported error
	}
	var repeat []func() // variants with the same tag may be distinguished further, if nothing else is wrong
	for _, s := range leaves {
		f, values := s.Field(member), constants(s, member)
		repeated := slices.IndexFunc(values, func(v protocol.Value) bool { return first[v] != nil })
		switch {
		case f == nil:
			b.Errorf(s.Pos, "ambiguous-union", fmt.Sprintf("add it to %s as a required constant", s.Name), "%s cannot be told from the other alternatives of %s: it lacks %q", s.Name, u.Name, member)
		case len(values) == 0 && (f.Const != nil || b.isConstant(f)):
			b.Errorf(f.Pos, "ambiguous-union", fmt.Sprintf("add %q to what %s requires", member, s.Name), "%s cannot be told from the other alternatives of %s: %q may be missing", s.Name, u.Name, member)
		case len(values) == 0:
			b.Errorf(f.Pos, "ambiguous-union", `give it a constant, as in {"const": "value"}`+required(f), "%s cannot be told from the other alternatives of %s: %q is no constant", s.Name, u.Name, member)
		case repeated >= 0:
			other := first[values[repeated]]
			repeat = append(repeat, func() {
				b.Errorf(f.Pos, "ambiguous-union", fmt.Sprintf("give it a value of its own; the other stands at %s", other.Field(member).Pos), "%s cannot be told from %s: both have the %s %q", s.Name, other.Name, member, values[repeated].String())
			})
			continue
		case kind >= 0 && values[0].Kind != kind:
			b.Errorf(f.Pos, "ambiguous-union", fmt.Sprintf("give it %s as well", kind), "%s cannot be told from the other alternatives of %s: its %q is %s, and not %s as theirs", s.Name, u.Name, member, values[0].Kind, kind)
		default:
			kind = values[0].Kind
			for _, v := range values {
				first[v] = s
			}
			continue
		}
		found = true
	}
	if !found {
		for _, report := range repeat {
			report()
		}
	}
	return found || len(repeat) > 0
}

// required returns the hint about an optional member.
func required(f *protocol.Field) string {
	if f.Required {
		return ""
	}
	return ", and require it"
}

// isConstant reports whether a member has a single value if present.
func (b *builder) isConstant(f *protocol.Field) bool {
	enum := protocol.As[*protocol.Enum](f.Type)
	return enum != nil && len(enum.Members) == 1
}

// untagged determines the variant of objects without the discriminator.
func (b *builder) untagged(u *protocol.Union, tag string) {
	if tag == "" {
		return
	}
	value := protocol.Value{Kind: protocol.String, Str: tag}
	for _, c := range u.Dispatch.Cases {
		if c.Struct != nil && len(c.Values) == 1 && c.Values[0] == value {
			u.Dispatch.Untagged = tag
			return
		}
	}
	b.Errorf(u.Pos, "bad-untagged", "name the tag of a variant that has no other, and shares it with none",
		"%s: an object without a tag is to have the tag %q, and no variant has just that one", u.Name, tag)
}

// constants returns the values of a required constant member, or nil.
func constants(s *protocol.Struct, name string) []protocol.Value {
	f := s.Field(name)
	if f == nil || !f.Required {
		return nil
	}
	return valuesOf(f)
}

// valuesOf returns the values that a member is restricted to if present, or nil. Nullable members have none.
func valuesOf(f *protocol.Field) []protocol.Value {
	if f.Nullable {
		return nil
	}
	if values := f.Allowed(); values != nil {
		return values
	}
	e := protocol.As[*protocol.Enum](f.Type)
	if e == nil || e.Bitset {
		return nil
	}
	return each.Map(e.Members, func(m *protocol.EnumMember) protocol.Value { return m.Value })
}

// maxDecisions bounds the attempts for one union.
const maxDecisions = 10_000

// dispatch returns a decision that distinguishes the structs: by a constant member, with a second one for equal
// values, or by mutually exclusive required members. If there is none, it returns two structs that clash.
func (b *builder) dispatch(leaves []*protocol.Struct, want string) (*protocol.Dispatch, string) {
	if len(leaves) == 0 {
		return nil, "it has none"
	}
	if b.decisions++; b.decisions > maxDecisions {
		return nil, "there are too many ways to try"
	}
	list := b.candidates(leaves, want)
	if len(list) > 1 && b.sameRank(list[0], list[1]) && len(leaves) > 1 {
		return nil, bothWouldDo(list[0].name, list[1].name)
	}
	for _, c := range list {
		if d := b.byConstant(c); d != nil {
			return d, ""
		}
	}
	if b.Facts.Untagged {
		if d := b.byAbsence(leaves, want, func(*protocol.Struct, string) bool { return true }); d != nil {
			return d, ""
		}
	}
	if want != "" {
		return nil, fmt.Sprintf("member %q is not a required constant of each, or its values repeat", want)
	}
	d, rest := byShape(leaves, b.otherwise)
	if d == nil {
		return nil, describeClash(rest)
	}
	return d, ""
}

func (b *builder) byConstant(c candidate) *protocol.Dispatch {
	d := &protocol.Dispatch{Member: c.name, Kind: constants(c.groups[0][0], c.name)[0].Kind}
	for _, g := range c.groups {
		first := constants(g[0], c.name)
		if len(g) == 1 {
			d.Cases = append(d.Cases, &protocol.Case{Values: first, Struct: g[0]})
			continue
		}
		for _, s := range g[1:] {
			if !slices.Equal(constants(s, c.name), first) {
				return nil // they share only some values
			}
		}
		next, _ := b.dispatch(g, "")
		if next == nil {
			return nil
		}
		d.Cases = append(d.Cases, &protocol.Case{Values: first, Next: next})
	}
	return d
}

// byAbsence distinguishes structs by a constant member that one of them lacks, if it may: objects without the member are that one.
func (b *builder) byAbsence(leaves []*protocol.Struct, want string, may func(s *protocol.Struct, member string) bool) *protocol.Dispatch {
	if len(leaves) < 2 {
		return nil
	}
	declared, constant := map[string]int{}, map[string]int{}
	var names []string
	for _, s := range leaves {
		for _, f := range s.Fields {
			declared[f.Name]++
			if len(constants(s, f.Name)) > 0 {
				if constant[f.Name]++; constant[f.Name] == len(leaves)-1 && (want == "" || f.Name == want) {
					names = append(names, f.Name)
				}
			}
		}
	}
	var found *protocol.Dispatch
	for _, name := range names {
		i := slices.IndexFunc(leaves, func(s *protocol.Struct) bool { return s.Field(name) == nil })
		if declared[name] != len(leaves)-1 || i < 0 || !may(leaves[i], name) {
			continue
		}
		d := b.byPresent(slices.Delete(slices.Clone(leaves), i, i+1), name)
		if d == nil || found != nil {
			return nil
		}
		d.Absent = true
		d.Cases = append(d.Cases, &protocol.Case{Values: []protocol.Value{{Kind: protocol.String}}, Struct: leaves[i]})
		found = d
	}
	return found
}

// byPresent returns the decision between structs with text constants in a member.
func (b *builder) byPresent(leaves []*protocol.Struct, name string) *protocol.Dispatch {
	groups, single, ok := group(leaves, name)
	if !ok {
		return nil
	}
	d := b.byConstant(candidate{name, groups, single, 0})
	if d == nil || d.Kind != protocol.String || slices.ContainsFunc(d.Cases, func(c *protocol.Case) bool { return slices.Contains(c.Values, protocol.Value{Kind: protocol.String}) }) {
		return nil
	}
	return d
}
