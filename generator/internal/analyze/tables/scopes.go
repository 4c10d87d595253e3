// Scopes: the unions of each channel's actions, and of dispatchable actions.

package tables

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// scoper builds unions of subsets of the actions.
type scoper struct {
	b       *actionBuilder
	all     *protocol.Union
	cases   map[*protocol.Struct][]int             // cases of the decision between all actions, by struct
	holding map[*protocol.Struct][]*protocol.Union // other unions with a struct, in declaration order
	leaves  map[*protocol.Union]int                // their number of leaves
}

func newScoper(b *actionBuilder, all *protocol.Union) *scoper {
	s := &scoper{
		b: b, all: all, cases: map[*protocol.Struct][]int{},
		holding: map[*protocol.Struct][]*protocol.Union{}, leaves: map[*protocol.Union]int{},
	}
	for i, c := range all.Dispatch.Cases {
		for _, of := range c.Structs() {
			s.cases[of] = append(s.cases[of], i)
		}
	}
	for u := range protocol.Each[*protocol.Union](b.out.Types) {
		if u != all {
			s.note(u)
		}
	}
	return s
}

func (s *scoper) note(u *protocol.Union) {
	leaves := u.Leaves()
	s.leaves[u] = len(leaves)
	for _, of := range leaves {
		s.holding[of] = append(s.holding[of], u)
	}
}

// union returns a union of some actions: a definition with exactly these, or a new one.
func (s *scoper) union(name string, scope protocol.Scope, ch *protocol.Channel, structs []*protocol.Struct) *protocol.Union {
	all := s.all
	u := &protocol.Union{
		Header:   protocol.Header{Pos: all.Pos, Inline: true},
		Kind:     protocol.Tagged,
		Scope:    scope,
		Open:     all.Open && scope == protocol.ChannelScope,
		Dispatch: &protocol.Dispatch{Member: all.Dispatch.Member, Kind: all.Dispatch.Kind},
	}
	u.Doc = s.b.Say("An action that a client may dispatch.")
	if ch != nil {
		u.Pos, u.Doc = ch.Pos, fmt.Sprintf("An action of the %s channel.", ch.Name)
	}
	wanted := map[*protocol.Struct]bool{}
	var places []int
	for _, of := range structs {
		u.Variants = append(u.Variants, &protocol.Variant{Name: "object", Type: protocol.Ref{Type: of}, Pos: of.Pos})
		wanted[of] = true
		places = append(places, s.cases[of]...)
	}
	slices.Sort(places)
	for _, i := range slices.Compact(places) {
		if kept := restrict(all.Dispatch.Cases[i], wanted); kept != nil {
			u.Dispatch.Cases = append(u.Dispatch.Cases, kept)
		}
	}
	if ch != nil {
		if other := s.same(structs, wanted); other != nil {
			other.Open = u.Open
			return other
		}
	}
	if scope == protocol.DispatchScope {
		u.Name = s.b.Stated(s.b.names, s.b.out.Lookup(name), name, s.b.Say("the union of what a client may dispatch"), s.b.Facts.Actions.ClientPos)
	} else {
		u.Name = s.b.names.Distinct(name)
	}
	s.b.out.Types = append(s.b.out.Types, u)
	s.note(u)
	return u
}

// same returns the first union of exactly some structs with the same decision, or nil.
func (s *scoper) same(structs []*protocol.Struct, wanted map[*protocol.Struct]bool) *protocol.Union {
	for _, u := range s.holding[structs[0]] {
		if s.leaves[u] != len(structs) || u.Dispatch == nil || u.Dispatch.Member != s.all.Dispatch.Member {
			continue
		}
		if !slices.ContainsFunc(u.Leaves(), func(of *protocol.Struct) bool { return !wanted[of] }) {
			return u
		}
	}
	return nil
}

// restrict returns a case restricted to some structs, or nil.
func restrict(c *protocol.Case, wanted map[*protocol.Struct]bool) *protocol.Case {
	if c.Next == nil {
		if wanted[c.Struct] {
			return c
		}
		return nil
	}
	next := &protocol.Dispatch{Member: c.Next.Member, Kind: c.Next.Kind}
	for _, inner := range c.Next.Cases {
		if kept := restrict(inner, wanted); kept != nil {
			next.Cases = append(next.Cases, kept)
		}
	}
	if len(next.Cases) == 0 {
		return nil
	}
	return &protocol.Case{Values: c.Values, Next: next}
}

// notYet reports something introduced after the current version.
func notYet(b *phase.Work, since string, pos diag.Pos) {
	at, order := b.Facts.Versions.At, b.Facts.Versions.Order
	for _, d := range facts.CheckVersion(order, since, pos) {
		if !b.At(pos) {
			b.Add(d)
		}
	}
	if v, err := order.Parse(since); since != "" && err == nil && !at.IsZero() && v.Compare(at) > 0 {
		b.Errorf(pos, "since-later", fmt.Sprintf("write %q or an older version, or raise the version of the protocol", at),
			"x-since is said to come with %s, but this is %s", v, at)
	}
}

// repeatedTypes reports actions of one type without another distinguishing constant. The presence of members is not
// sufficient.
func (b *actionBuilder) repeatedTypes(all *protocol.Union) {
	for _, c := range all.Dispatch.Cases {
		if c.Next == nil || c.Next.Member != "" {
			continue
		}
		structs := c.Structs()
		for _, s := range structs[1:] {
			b.types.Bad[all] = true
			b.Errorf(s.Field(all.Dispatch.Member).Pos, "duplicate-action", fmt.Sprintf("give it a type of its own; the other stands at %s", structs[0].Field(all.Dispatch.Member).Pos),
				"%s has the type %q, as %s has", s.Name, c.Values[0].Str, structs[0].Name)
		}
	}
}

// uniquePrefixes reports channels that claim the same actions.
func (b *actionBuilder) uniquePrefixes() {
	first := map[string]*protocol.Channel{}
	for _, ch := range b.out.Channels {
		if ch.Prefix == "" {
			continue
		}
		if other := first[ch.Prefix]; other != nil {
			b.Errorf(ch.Pos, "duplicate-prefix", fmt.Sprintf("give it a prefix of its own; the other stands at %s", other.Pos),
				"the channels %s and %s both claim the actions whose types begin with %q", other.Name, ch.Name, ch.Prefix)
			b.clashing = true
			continue
		}
		first[ch.Prefix] = ch
	}
}
