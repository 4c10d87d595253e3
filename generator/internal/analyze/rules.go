// Rules: facts by what they are about, so that a type does not have to look at all.

package analyze

import "github.com/ahpgen/ahpgen/generator/internal/facts"

type rules struct {
	names        map[string][]*facts.Name
	floats, ints map[string][]*facts.Place
	raw          map[string][]*facts.Place
	unions       map[string][]*facts.Union
	enums        map[string][]*facts.Enum
	partials     map[string][]*facts.Partial
	actions      map[string]*facts.Action // by definition
}

func rulesOf(f *facts.Facts) *rules {
	out := &rules{
		names:    about(f.Names, func(n *facts.Name) string { return n.At }),
		floats:   about(f.Floats, func(n *facts.Place) string { return n.At }),
		ints:     about(f.Integers, func(n *facts.Place) string { return n.At }),
		raw:      about(f.Raw, func(n *facts.Place) string { return n.At }),
		unions:   about(f.Unions, func(u *facts.Union) string { return u.Union }),
		enums:    about(f.Enums, func(e *facts.Enum) string { return e.Enum }),
		partials: about(f.Partials, func(e *facts.Partial) string { return e.At }),
		actions:  map[string]*facts.Action{},
	}
	for _, a := range f.Rules {
		if a.Definition != "" {
			out.actions[a.Definition] = a
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
