// Merge: combining facts of two sources.

package facts

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Merge returns the facts of both sources. The first source takes precedence; union rules are concatenated, and the
// first applicable one counts. The sources are not modified.
func Merge(first, second *Facts) *Facts {
	out := *first
	out.Name, out.Title = cmp.Or(first.Name, second.Name), cmp.Or(first.Title, second.Title)
	out.Package = cmp.Or(first.Package, second.Package)
	if len(out.Versions.Supported) == 0 {
		out.Versions.Supported = second.Versions.Supported
	}
	if len(out.Sides) == 0 {
		out.Sides = second.Sides
	}
	if out.Versions.Wire == nil {
		out.Versions.Wire, out.Versions.WirePos = second.Versions.Wire, second.Versions.WirePos
	}
	out.Keep, out.NullAbsent = first.Keep || second.Keep, first.NullAbsent || second.NullAbsent
	out.UndecidedRaw = first.UndecidedRaw || second.UndecidedRaw
	out.Untagged, out.OpenUnions = first.Untagged || second.Untagged, first.OpenUnions || second.OpenUnions
	out.Initialisms = slices.Concat(first.Initialisms, second.Initialisms)
	out.Synonyms = slices.Concat(first.Synonyms, second.Synonyms)
	out.Names = without(first.Names, second.Names, func(n *Name) string { return n.At })
	out.Unions = slices.Concat(first.Unions, second.Unions)
	out.Partials = without(first.Partials, second.Partials, func(p *Partial) string { return p.At })
	out.Omissions = slices.Concat(first.Omissions, second.Omissions)
	out.Channels = without(first.Channels, second.Channels, func(c *Channel) string { return c.Name })
	out.Actions = cmp.Or(first.Actions, second.Actions)
	out.Rules = slices.Concat(first.Rules, second.Rules)       // one source names types, the other definitions,
	out.Effects = slices.Concat(first.Effects, second.Effects) // so lookups by action try the type first
	out.Dispatched = without(first.Dispatched, second.Dispatched, func(p *Place) string { return p.At })
	out.Replication = cmp.Or(first.Replication, second.Replication)
	out.Lifecycles = without(first.Lifecycles, second.Lifecycles, func(l *Lifecycle) string { return l.Type })
	out.Methods = without(first.Methods, second.Methods, func(m *Method) string { return m.Kind + " " + m.Name })
	out.ErrorEnums = without(first.ErrorEnums, second.ErrorEnums, func(e *Place) string { return e.At })
	out.Codes = without(first.Codes, second.Codes, func(c *Code) string { return strconv.FormatInt(c.Code, 10) + c.Definition })
	out.Handshake = cmp.Or(first.Handshake, second.Handshake)
	out.Calls = cmp.Or(first.Calls, second.Calls)
	out.Batches = cmp.Or(first.Batches, second.Batches)
	out.Envelope = cmp.Or(first.Envelope, second.Envelope)
	out.HTTP = cmp.Or(first.HTTP, second.HTTP)
	out.Handles = without(first.Handles, second.Handles, func(h *Handle) string { return h.Name })
	out.Constructors = without(first.Constructors, second.Constructors, func(c *Constructor) string { return c.Name })
	out.Extensions = cmp.Or(first.Extensions, second.Extensions)
	out.Introduction = cmp.Or(first.Introduction, second.Introduction)
	out.Gates = without(first.Gates, second.Gates, func(g *Gate) string { return g.Method + " " + g.Member + " " + g.Is + " " + g.Of })
	return &out
}

// without concatenates two lists, dropping items of the second about the same subject.
func without[F any](first, second []*F, about func(*F) string) []*F {
	known := each.SetFunc(first, about)
	return slices.Concat(first, each.Where(second, func(f *F) bool { return !known[about(f)] }))
}

// All returns the facts that must match something in the schemas.
func (f *Facts) All() []Fact {
	return slices.Concat(
		list(f.Names), list(f.Floats), list(f.Integers), list(f.ThreeStates), list(f.Raw), list(f.Unions), list(f.Enums), list(f.Partials), list(f.Omissions), list(f.Channels),
		list(f.Dispatched), list(f.Rules), list(f.Effects), list(f.Lifecycles), list(f.Methods), list(f.Sent), list(f.Codes), list(f.Gates),
	)
}

func list[F Fact](facts []F) []Fact {
	return each.Map(facts, func(f F) Fact { return f })
}
