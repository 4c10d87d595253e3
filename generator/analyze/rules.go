// Rules: the profile's entries by what they are for, so that a type does not have to look at all.

package analyze

import "github.com/ahpgen/ahpgen/generator/profile"

// rules holds the places of the entries that apply to the version at hand, in their order.
type rules struct {
	names, floats, ints, unions, enums, partials map[string][]int
}

func rulesOf(p *profile.Profile) *rules {
	return &rules{
		names:    applying(p, p.Naming.Names, func(n *profile.Name) string { return n.At }),
		floats:   applying(p, p.Numbers.Floats, func(n *profile.Place) string { return n.At }),
		ints:     applying(p, p.Numbers.Ints, func(n *profile.Place) string { return n.At }),
		unions:   applying(p, p.Unions.Rules, func(u *profile.Union) string { return u.Union }),
		enums:    applying(p, p.Enums.Rules, func(e *profile.Enum) string { return e.Enum }),
		partials: applying(p, p.Partials, func(e *profile.Partial) string { return e.At }),
	}
}

// entry is one that may be for some versions only.
type entry[E any] interface {
	*E
	profile.Limited
}

func applying[E any, P entry[E]](p *profile.Profile, entries []E, of func(*E) string) map[string][]int {
	out := map[string][]int{}
	for i := range entries {
		if p.Applies(P(&entries[i])) {
			name := of(&entries[i])
			out[name] = append(out[name], i)
		}
	}
	return out
}
