// Rules: facts indexed by subject.

package phase

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Rules are facts by what they are about.
type Rules struct {
	Names        map[string][]*facts.Name
	Floats, Ints map[string][]*facts.Place
	Raw          map[string][]*facts.Place
	Unions       map[string][]*facts.Union
	Enums        map[string][]*facts.Enum
	Partials     map[string][]*facts.Partial
	Actions      map[string]*facts.Action // by definition
}

// RulesOf sorts facts. Undecided unions are raw JSON.
func RulesOf(f *facts.Facts, undecided ...string) *Rules {
	out := &Rules{
		Names:    about(f.Names, func(n *facts.Name) string { return n.At }),
		Floats:   about(f.Floats, func(n *facts.Place) string { return n.At }),
		Ints:     about(f.Integers, func(n *facts.Place) string { return n.At }),
		Raw:      about(f.Raw, func(n *facts.Place) string { return n.At }),
		Unions:   about(f.Unions, func(u *facts.Union) string { return u.Union }),
		Enums:    about(f.Enums, func(e *facts.Enum) string { return e.Enum }),
		Partials: about(f.Partials, func(e *facts.Partial) string { return e.At }),
		Actions:  map[string]*facts.Action{},
	}
	for _, name := range undecided {
		out.Raw[name] = append(out.Raw[name], &facts.Place{At: name})
	}
	for _, a := range f.Rules {
		if a.Definition != "" {
			out.Actions[a.Definition] = a
		}
	}
	return out
}

func about[F any](list []*F, of func(*F) string) map[string][]*F {
	out := map[string][]*F{}
	for _, f := range list {
		out[of(f)] = append(out[of(f)], f)
	}
	return out
}

// UnionRule joins the rules for a union, nil for none; what an earlier one says comes first.
func (w *Work) UnionRule(name string) *facts.Union {
	var out *facts.Union
	for _, r := range w.Rules.Unions[name] {
		w.Used.Add(r)
		if out == nil {
			out = &facts.Union{}
		}
		out.Discriminator = cmp.Or(out.Discriminator, r.Discriminator)
		out.Tag = cmp.Or(out.Tag, r.Tag)
		out.Untagged = cmp.Or(out.Untagged, r.Untagged)
		if out.Decide == nil {
			out.Decide = r.Decide
		}
		if out.Otherwise == nil {
			out.Otherwise = r.Otherwise
		}
		if out.Open == nil {
			out.Open = r.Open
		}
	}
	return out
}

// EnumRule applies what the profile says about an enum.
func (w *Work) EnumRule(e *protocol.Enum) {
	for _, rule := range w.Rules.Enums[e.Name] {
		w.Used.Add(rule)
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
			if !ok {
				w.Mismatch(rule, "unused-entry", "correct the value, or limit the rule with versions",
					"enum %s has no value %s to name %s", e.Name, value, name)
				continue
			}
			e.Members[j].Name = name
		}
	}
}
