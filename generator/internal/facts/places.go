// Places: facts by the place that they are about, which may have wildcards.

package facts

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Places are facts by place. A place is a definition, a member as Definition.member, or the path of an inline type.
type Places[F any] struct {
	exact    map[string][]*F
	patterns []pattern[F]
}

type pattern[F any] struct {
	text string
	fact *F
}

// PlacesOf sorts facts by the place that each is about. Of those with wildcards, the ones of the extending profile come first.
func PlacesOf[F any, P interface {
	*F
	Fact
}](list []P, at func(P) string) Places[F] {
	out := Places[F]{exact: map[string][]*F{}}
	for _, f := range list {
		if place := at(f); schema.IsPattern(place) {
			out.patterns = append(out.patterns, pattern[F]{place, f})
		} else {
			out.exact[place] = append(out.exact[place], f)
		}
	}
	extended := func(p pattern[F]) int { return min(1, len(P(p.fact).Where().Extends)) }
	slices.SortStableFunc(out.patterns, func(a, b pattern[F]) int { return extended(a) - extended(b) })
	return out
}

// Put adds a fact about a place without wildcards.
func (p Places[F]) Put(place string, f *F) { p.exact[place] = append(p.exact[place], f) }

// At returns the facts that name a place, and those whose wildcards match it. The former are more specific.
func (p Places[F]) At(place string) (exact, wild []*F) {
	for _, pattern := range p.patterns {
		if schema.Matches(pattern.text, place) {
			wild = append(wild, pattern.fact)
		}
	}
	return p.exact[place], wild
}

// Empty reports whether there are no facts.
func (p Places[F]) Empty() bool { return len(p.exact) == 0 && len(p.patterns) == 0 }
