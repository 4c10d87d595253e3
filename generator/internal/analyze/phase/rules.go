// Rules: facts indexed by subject.

package phase

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Rules are facts by what they are about.
type Rules struct {
	Names        facts.Places[facts.Name]
	Floats, Ints facts.Places[facts.Place]
	Raw          facts.Places[facts.Place]
	Unions       facts.Places[facts.Union]
	Enums        facts.Places[facts.Enum]
	Partials     facts.Places[facts.Partial]
	Actions      map[string]*facts.Action // by definition
}

// RulesOf sorts facts. Undecided unions are raw JSON.
func RulesOf(f *facts.Facts, undecided ...string) *Rules {
	place := func(p *facts.Place) string { return p.At }
	out := &Rules{
		Names:    facts.PlacesOf(f.Names, func(n *facts.Name) string { return n.At }),
		Floats:   facts.PlacesOf(f.Floats, place),
		Ints:     facts.PlacesOf(f.Integers, place),
		Raw:      facts.PlacesOf(f.Raw, place),
		Unions:   facts.PlacesOf(f.Unions, func(u *facts.Union) string { return u.Union }),
		Enums:    facts.PlacesOf(f.Enums, func(e *facts.Enum) string { return e.Enum }),
		Partials: facts.PlacesOf(f.Partials, func(e *facts.Partial) string { return e.At }),
		Actions:  map[string]*facts.Action{},
	}
	for _, name := range undecided {
		out.Raw.Put(name, &facts.Place{At: name})
	}
	for _, a := range f.Rules {
		if a.Definition != "" {
			out.Actions[a.Definition] = a
		}
	}
	return out
}

// Meant returns the facts about a place, those that name it first. What has wildcards does not count where a fact names the
// place; of several with wildcards the first does, and those that say something else are reported.
func Meant[F any, P interface {
	*F
	facts.Fact
}](w *Work, of facts.Places[F], place string, same func(a, b *F) bool) []*F {
	exact, wild := of.At(place)
	for _, f := range slices.Concat(exact, wild) {
		w.Used.Add(P(f))
	}
	if len(exact) > 0 || len(wild) == 0 {
		return exact
	}
	for _, f := range wild[1:] {
		if !same(wild[0], f) {
			w.contested(place, P(wild[0]), P(f))
		}
	}
	return wild[:1]
}

// contested reports two entries of a profile that match a place by wildcards and state different things. What a profile
// states comes before what the extended one does.
func (w *Work) contested(place string, first, other facts.Fact) {
	a, b := first.Where(), other.Where()
	if a.Pos.File == b.Pos.File {
		w.Errorf(b.Pos, "contradiction", fmt.Sprintf("add an entry for %s, which comes before those with asterisks, or make one match less", place),
			"the profile's %s and its %s at %s state different things about %s", b.What, a.What, a.Pos, place)
	}
}

// NumberRule returns whether a number is stated to be whole.
func (w *Work) NumberRule(name string) (whole, stated bool) {
	float, floats := w.Rules.Floats.At(name)
	integer, integers := w.Rules.Ints.At(name)
	for _, p := range slices.Concat(float, floats, integer, integers) {
		w.Used.Add(p)
	}
	switch {
	case len(float) > 0:
		return false, true
	case len(integer) > 0:
		return true, true
	case len(floats) > 0 && len(integers) > 0:
		w.contested(name, floats[0], integers[0])
		return floats[0].Extends != "", true
	}
	return len(integers) > 0, len(floats)+len(integers) > 0
}

// UnionRule joins the rules for a union, nil for none; what an earlier one says comes first, and what names the union before
// wildcards.
func (w *Work) UnionRule(name string) *facts.Union {
	exact, wild := w.Rules.Unions.At(name)
	if len(exact)+len(wild) == 0 {
		return nil
	}
	out := &facts.Union{}
	set := func(r *facts.Union) {
		w.Used.Add(r)
		out.Discriminator = cmp.Or(out.Discriminator, r.Discriminator)
		out.Tag = cmp.Or(out.Tag, r.Tag)
		out.Untagged = cmp.Or(out.Untagged, r.Untagged)
		if out.Decide == nil {
			out.Decide, out.Origin = r.Decide, r.Origin // what is wrong with it is said of that rule
		}
		if out.Otherwise == nil {
			out.Otherwise = r.Otherwise
		}
		if out.Open == nil {
			out.Open = r.Open
		}
	}
	for _, r := range exact {
		set(r)
	}
	for i, r := range wild {
		for _, earlier := range wild[:i] {
			if contradicts(earlier, r, out) {
				w.contested(name, earlier, r)
				break
			}
		}
		set(r)
	}
	return out
}

// contradicts reports whether two rules state different things, and one of them is what counts.
func contradicts(a, b, counts *facts.Union) bool {
	text := func(a, b, counts string) bool { return a != "" && b != "" && a != b && a == counts }
	return text(a.Discriminator, b.Discriminator, counts.Discriminator) || text(a.Tag, b.Tag, counts.Tag) || text(a.Untagged, b.Untagged, counts.Untagged) ||
		a.Open != nil && b.Open != nil && *a.Open != *b.Open && a.Open == counts.Open ||
		a.Decide != nil && b.Decide != nil && !reflect.DeepEqual(a.Decide, b.Decide) && reflect.DeepEqual(a.Decide, counts.Decide) ||
		a.Otherwise != nil && b.Otherwise != nil && !slices.Equal(a.Otherwise, b.Otherwise) && slices.Equal(a.Otherwise, counts.Otherwise)
}

// EnumRule applies what the profile says about an enum.
func (w *Work) EnumRule(e *protocol.Enum) {
	same := func(a, b *facts.Enum) bool { return reflect.DeepEqual(a.Open, b.Open) && a.Bitset == b.Bitset }
	for _, rule := range Meant(w, w.Rules.Enums, e.Name, same) {
		if rule.Open != nil {
			e.Open = *rule.Open
		}
		if rule.Bitset && e.Kind != protocol.Integer {
			w.Errorf(rule.Pos, "bad-bitset", "flags are integers", "%s is no enum of integers", e.Name)
		}
		for _, m := range e.Members {
			if rule.Bitset && m.Value.Int < 0 {
				w.Errorf(m.Pos, "bad-bitset", "flags are bits: 1, 2, 4 and so on", "flag %d of %s is negative", m.Value.Int, e.Name)
			}
		}
		e.Bitset = e.Bitset || rule.Bitset
		members := map[string]int{}
		for j, m := range slices.Backward(e.Members) {
			members[m.Value.String()] = j
		}
		for value, name := range rule.Names {
			j, ok := members[value]
			if !ok && rule.Other {
				continue
			}
			if !ok {
				w.Mismatch(rule, "unused-entry", "correct the value, or limit the rule with versions",
					"enum %s has no value %s to name %s", e.Name, value, name)
				continue
			}
			e.Members[j].Name = name
		}
	}
}
