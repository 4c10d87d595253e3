// Presence: which variants correspond if the members of an object tell them apart. Neither their order nor their names are on the wire.

package change

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byPresence reports whether the variants of a union are told apart by the members that are there.
func byPresence(u *protocol.Union) bool {
	return u.Kind == protocol.Shaped && u.Dispatch != nil && u.Dispatch.Inside() == ""
}

// placed returns the types that stand in place as variants of such unions, which are called after their places.
func placed(p *protocol.Protocol) []protocol.Type {
	var out []protocol.Type
	for u := range protocol.Each[*protocol.Union](p.Types) {
		if !byPresence(u) {
			continue
		}
		for _, v := range u.Variants {
			if t := protocol.Held(v.Type); t != nil && t.Head().Inline && t.Head().GoName == "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// matched gives outcomes that correspond the same keys: by the names of definitions, by the members that tell them from others, and by
// their shapes.
func matched(old, new []outcome) (before, after []outcome) {
	before, after = slices.Clone(old), slices.Clone(new)
	taken, settled := make([]bool, len(old)), make([]bool, len(new))
	for _, by := range []func(outcome) string{outcome.definition, outcome.marker, outcome.shape} {
		for i, n := range new {
			fits := func(o outcome) bool { return by(o) == by(n) }
			at := slices.IndexFunc(old, fits)
			if settled[i] || by(n) == "" || at < 0 || taken[at] || slices.ContainsFunc(old[at+1:], fits) {
				continue
			}
			taken[at], settled[i] = true, true
			key := max(old[at].key, n.key) // the same in both directions
			before[at].key, after[i].key = key, key
		}
	}
	for i := range after {
		if !settled[i] && slices.ContainsFunc(before, func(o outcome) bool { return o.key == after[i].key }) {
			after[i].key = "another " + after[i].key // with neither the name nor the marker nor the shape
		}
	}
	return before, after
}

// definition returns the name of the definition that an outcome is, or "".
func (o outcome) definition() string {
	if t := protocol.Held(o.typ); t != nil && (!t.Head().Inline || t.Head().GoName != "") {
		return publicName(t)
	}
	return ""
}

// marker returns the key of an outcome, by the member that tells it from others even if it is a definition.
func (o outcome) marker() string { return o.sign }

func (o outcome) shape() string {
	t := protocol.Held(o.typ)
	if t == nil {
		return ""
	}
	return typeShape(t)
}
