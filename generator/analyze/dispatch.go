// Dispatch: by what a decoder tells the variants of a union apart.

package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// unions settles for every union of objects how its variants are told apart, and whether it is open.
func (b *builder) unions() {
	for _, t := range slices.Clone(b.out.Types) {
		b.diags.Working(t.Head().Pos)
		if u, ok := t.(*protocol.Union); ok && !b.bad[u] && u.Kind != protocol.Token {
			b.settle(u)
		}
		if u, ok := t.(*protocol.Union); ok && u.Kind == protocol.Token {
			b.unionRule(u)
		}
	}
}

func (b *builder) settle(u *protocol.Union) {
	for _, v := range u.Variants {
		ref, ok := protocol.Underlying(v.Type).(protocol.Ref)
		if !ok {
			b.diags.Errorf(v.Pos, "map-variant", "give the alternative named members", "%s: an alternative without named members cannot be told from the others", u.Name)
			b.bad[u] = true
			return
		}
		v.Type = ref
		if inner, ok := ref.Type.(*protocol.Union); ok && b.bad[inner] {
			b.bad[u] = true
			return
		}
	}
	rule, _ := b.unionRule(u)
	if rule == nil {
		rule = &unionRule{}
	}
	want := rule.Discriminator
	if def := b.set.Lookup(u.Name); want == "" && def != nil && def.Schema != nil {
		want = def.Schema.Discriminator
	}
	leaves := u.Leaves()
	if len(leaves) == 0 {
		return // a list without alternatives is reported where it stands
	}
	if slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return b.broken[s] }) {
		b.bad[u] = true // what would tell it apart may be what is missing: reported where it stands
		return
	}
	d, clash := b.dispatch(u, leaves, want)
	if d == nil {
		b.diags.Errorf(u.Pos, "ambiguous-union",
			"give each alternative a required constant member of its own, name the discriminator in the schema or the profile, or repair the schemas with an overlay",
			"%s: its alternatives cannot be told apart: %s", u.Name, clash)
		b.bad[u] = true
		return
	}
	u.Dispatch = d
	u.Kind = protocol.Shaped
	if d.Member != "" {
		u.Kind = protocol.Tagged
	}
	u.Open = u.Kind == protocol.Tagged && d.Kind != protocol.Bool && b.prof.Unions.Open
	if b.unknown[u] {
		u.Open = true
	}
	if rule.Open != nil {
		u.Open = *rule.Open
		if u.Open && d.Kind == protocol.Bool {
			u.Open = false // both values are taken
		}
	}
}

// constants returns the values a required member of a struct is limited to, nil where it is not.
func constants(s *protocol.Struct, name string) []protocol.Value {
	f := s.Field(name)
	if f == nil || !f.Required {
		return nil
	}
	if f.Const != nil {
		return []protocol.Value{*f.Const}
	}
	if f.Values != nil {
		return f.Values
	}
	ref, ok := protocol.Underlying(f.Type).(protocol.Ref)
	if !ok {
		return nil
	}
	e, ok := ref.Type.(*protocol.Enum)
	if !ok || e.Bitset {
		return nil
	}
	var out []protocol.Value
	for _, m := range e.Members {
		out = append(out, m.Value)
	}
	return out
}

// candidate is a member that could be the discriminator of some structs.
type candidate struct {
	name   string
	groups [][]*protocol.Struct // structs that share a value stand in one group
	single bool                 // every struct owns exactly one value
	rank   int                  // place in the profile's order of preference
}

// dispatch finds the decision that tells the structs apart: by a constant member, with a second
// one where some share the value, or by required members that exclude each other. When there is
// none, the second result says which two clash.
func (b *builder) dispatch(u *protocol.Union, leaves []*protocol.Struct, want string) (*protocol.Dispatch, string) {
	if len(leaves) == 0 {
		return nil, "it has none"
	}
	list := b.candidates(leaves, want)
	if len(list) > 1 && b.sameRank(list[0], list[1]) && len(leaves) > 1 {
		return nil, fmt.Sprintf("both %q and %q would do", list[0].name, list[1].name)
	}
	for _, c := range list {
		if d := b.byConstant(u, c); d != nil {
			return d, ""
		}
	}
	if want != "" {
		return nil, fmt.Sprintf("member %q is not a required constant of each, or its values repeat", want)
	}
	return byShape(leaves)
}

// candidates lists the members that are a required constant of every struct and part them, best first.
func (b *builder) candidates(leaves []*protocol.Struct, want string) []candidate {
	var out []candidate
	for _, f := range leaves[0].Fields {
		if want != "" && f.Name != want {
			continue
		}
		groups, single, ok := group(leaves, f.Name)
		if !ok || len(groups) == 1 && len(leaves) > 1 {
			continue
		}
		rank := slices.Index(b.prof.Unions.Discriminators, f.Name)
		if rank < 0 {
			rank = len(b.prof.Unions.Discriminators)
		}
		out = append(out, candidate{f.Name, groups, single, rank})
	}
	slices.SortStableFunc(out, func(x, y candidate) int {
		return cmp.Or(
			-cmp.Compare(len(x.groups), len(y.groups)),
			cmpBool(y.single, x.single),
			cmp.Compare(x.rank, y.rank))
	})
	return out
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// sameRank reports whether nothing prefers one candidate to the other.
func (b *builder) sameRank(x, y candidate) bool {
	return len(x.groups) == len(y.groups) && x.single == y.single && x.rank == y.rank
}

// group puts structs together that share a value of the member. It fails where one of them has no
// constant there, or where kinds differ.
func group(leaves []*protocol.Struct, name string) (groups [][]*protocol.Struct, single, ok bool) {
	single = true
	var values [][]protocol.Value
	for _, s := range leaves {
		own := constants(s, name)
		if len(own) == 0 || len(values) > 0 && own[0].Kind != values[0][0].Kind {
			return nil, false, false
		}
		single = single && len(own) == 1
		i := slices.IndexFunc(values, func(g []protocol.Value) bool {
			return slices.ContainsFunc(own, func(v protocol.Value) bool { return slices.Contains(g, v) })
		})
		if i < 0 {
			groups = append(groups, []*protocol.Struct{s})
			values = append(values, slices.Clone(own))
			continue
		}
		groups[i] = append(groups[i], s)
		values[i] = append(values[i], own...)
	}
	return groups, single, true
}

func (b *builder) byConstant(u *protocol.Union, c candidate) *protocol.Dispatch {
	d := &protocol.Dispatch{Member: c.name, Kind: constants(c.groups[0][0], c.name)[0].Kind}
	for _, g := range c.groups {
		first := constants(g[0], c.name)
		if len(g) == 1 {
			d.Cases = append(d.Cases, &protocol.Case{Values: first, Struct: g[0]})
			continue
		}
		for _, s := range g[1:] {
			if !slices.Equal(constants(s, c.name), first) {
				return nil // they share some values and not others
			}
		}
		next, _ := b.dispatch(u, g, "")
		if next == nil {
			return nil
		}
		d.Cases = append(d.Cases, &protocol.Case{Values: first, Next: next})
	}
	return d
}

// byShape orders structs so that each is recognised by a required member that none of those after
// it declares. A decoder that looks in this order never takes one for another.
func byShape(leaves []*protocol.Struct) (*protocol.Dispatch, string) {
	d := &protocol.Dispatch{}
	rest := slices.Clone(leaves)
	for len(rest) > 0 {
		i, marker := -1, ""
		for j, s := range rest {
			if marker = markerOf(s, rest, leaves); marker != "" {
				i = j
				break
			}
		}
		if i < 0 {
			return nil, describeClash(rest)
		}
		d.Cases = append(d.Cases, &protocol.Case{Marker: marker, Struct: rest[i]})
		rest = slices.Delete(rest, i, i+1)
	}
	return d, ""
}

// markerOf returns a required member of s that no other struct of rest declares, "" where there is
// none. A constant that others require as well is no evidence: it would make s the answer for all
// that is malformed.
func markerOf(s *protocol.Struct, rest, all []*protocol.Struct) string {
	for _, f := range s.Fields {
		if !f.Required {
			continue
		}
		declared := slices.ContainsFunc(rest, func(o *protocol.Struct) bool { return o != s && o.Field(f.Name) != nil })
		required := slices.ContainsFunc(all, func(o *protocol.Struct) bool {
			other := o.Field(f.Name)
			return f.Const != nil && o != s && other != nil && other.Required
		})
		if !declared && !required {
			return f.Name
		}
	}
	return ""
}

func describeClash(rest []*protocol.Struct) string {
	var names []string
	for _, s := range rest {
		names = append(names, s.Name)
	}
	const most = 4
	if len(names) > most {
		names = append(names[:most], "…")
	}
	return "no constant member has values of its own in each, and " + strings.Join(names, ", ") + " have no required member that the others lack"
}
