// Actions: channels, and what is done on them.

package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/shape"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/types"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Actions are the tables of channels and actions, and the types of the protocol with the unions made from them.
type Actions struct {
	Channels []*protocol.Channel
	Set      *protocol.ActionSet // nil if there are no actions
	Types    []protocol.Type
	Clashing bool // channels claim the same actions
	Stated   Statements
}

// MakeActions makes the tables of channels and actions.
func MakeActions(given phase.Given, known phase.Broken, p protocol.Protocol, t *types.Types) (Actions, phase.Notes) {
	b := &actionBuilder{
		Work: phase.Begin(given, known), out: &p, types: t, names: phase.NamesOf(p.Types), shapes: shape.New(given.Facts.OpenUnions),
		stated: Statements{given.Rules.Actions, p.Types, nil},
	}
	defer b.Mark()
	b.actions()
	return Actions{p.Channels, p.Actions, p.Types, b.clashing, b.stated}, b.Notes()
}

// actionBuilder holds the tables in the making.
type actionBuilder struct {
	*phase.Work
	out       *protocol.Protocol
	types     *types.Types
	names     phase.Names
	shapes    *shape.Shapes
	stated    Statements
	clashing  bool
	lost      []string           // prefixes of channels without a state in the schemas
	unclaimed []*protocol.Action // actions without a channel
}

// channels reads the channels. A profile's channel without a state in the schemas is omitted.
func (b *actionBuilder) channels() {
	first := map[string]*facts.Channel{} // those stated by schemas
	for _, c := range b.Facts.Channels {
		if c.Source == facts.Schema {
			if other := first[c.Name]; other != nil {
				twice(b.Work, "channel", c.Name, c.Pos, other.Pos)
				b.clashing = true // actions that lose their channel because of this are not reported
				continue
			}
			first[c.Name] = c
			if c.State != "" && !b.isObject(c.State) {
				b.badState(c)
				continue
			}
		}
		ch := &protocol.Channel{Name: c.Name, URI: c.URI, Prefix: c.Prefix, Doc: c.Doc, PassThrough: c.PassThrough, Shared: c.Shared, OtherURIs: c.OtherURIs, Stability: protocol.Stability(c.Stability), Pos: c.Pos}
		if c.State != "" {
			state, ok := b.out.Lookup(c.State).(*protocol.Struct)
			if !ok {
				b.lost = append(b.lost, c.Prefix)
				continue // reported as an unused fact
			}
			ch.State = state
		}
		b.Used.Add(c)
		b.out.Channels = append(b.out.Channels, ch)
	}
	b.uniquePrefixes()
}

// badState reports a channel whose state is not an object.
func (b *actionBuilder) badState(c *facts.Channel) {
	b.clashing = true
	if !b.Shaky {
		b.Errorf(c.Pos, "bad-channel", "describe the channel on the definition of an object, or under x-channels where it has no state",
			"%s is to be the state of the channel %s, and is no object", c.State, c.Name)
	}
}

// twice reports duplicate declarations.
func twice(b *phase.Work, what, name string, pos, first diag.Pos) {
	b.Errorf(pos, "duplicate-"+what, fmt.Sprintf("rename one of the two; the other stands at %s", first), "the %s %q is declared twice", what, name)
}

// isObject reports whether a definition is an object, possibly through aliases.
func (b *actionBuilder) isObject(name string) bool {
	def := b.Set.Lookup(name)
	if def == nil {
		return false
	}
	s := def.Schema.Follow()
	return s != nil && b.shapes.Of(s) == shape.Struct
}

// actions builds the action table from the union of actions.
func (b *actionBuilder) actions() {
	b.channels()
	stated := b.Facts.Actions
	if stated == nil {
		return
	}
	name := stated.Union
	u, ok := b.out.Lookup(name).(*protocol.Union)
	if !ok {
		b.Errorf(stated.UnionPos, "unused-entry", "name a union of all actions; one alternative alone is no union", "the schemas define no union %s", name)
		return
	}
	if b.types.Bad[u] || u.Kind == protocol.Tagged && u.Dispatch == nil {
		return // reported by settle
	}
	if u.Kind != protocol.Tagged || u.Dispatch.Kind != protocol.String {
		b.Errorf(u.Pos, "untyped-actions", "give each action a required constant string of its own, such as its type",
			"%s: actions are told apart by a constant string, and these are not", u.Name)
		return
	}
	b.repeatedTypes(u)
	set := &protocol.ActionSet{Union: u}
	b.out.Actions = set
	rules := map[string]*facts.Action{}
	for _, rule := range b.Facts.Rules {
		if rule.Type != "" {
			rules[rule.Type] = rule
		}
	}
	claim := claims(b.out.Channels)
	for _, c := range u.Dispatch.Cases {
		b.Working(u.Pos)
		for _, v := range c.Values {
			for _, s := range c.Structs() {
				set.Actions = append(set.Actions, b.action(v.Str, s, claim(v.Str), rules))
			}
		}
	}
	b.reportUnclaimed()
	scope := newScoper(b, u)
	own := ownStructs(set.Actions)
	for _, ch := range b.out.Channels {
		if len(own[ch]) > 0 {
			set.Channels = append(set.Channels, scope.union(ch.Name+".action", protocol.ChannelScope, ch, own[ch]))
		}
	}
	if client := set.Structs(func(a *protocol.Action) bool { return a.Client }); len(client) > 0 && stated.Client != "" {
		set.Client = scope.union(stated.Client, protocol.DispatchScope, nil, client)
	}
	if !b.Shaky {
		b.dispatched(set)
	}
}

// reportUnclaimed reports actions without a channel, grouped by prefix.
func (b *actionBuilder) reportUnclaimed() {
	hint := b.Hint("add the channel to the profile, with its state and prefix", "describe the channel with x-channel on its state, or correct its prefix or the action's type")
	prefix := func(a *protocol.Action) string { return a.Type[:strings.LastIndexByte(a.Type, '/')+1] }
	alike := map[string]int{}
	for _, a := range b.unclaimed {
		alike[prefix(a)]++
	}
	said := map[string]bool{}
	for _, a := range b.unclaimed {
		own := prefix(a)
		what := fmt.Sprintf("the action %q", a.Type)
		if own != "" && alike[own] > 1 {
			what = fmt.Sprintf("the %d actions whose types begin with %q", alike[own], own)
		}
		if !said[what] {
			b.Warnf(a.Pos, "no-channel", hint, "no channel claims %s", what)
		}
		said[what] = true
	}
}

// claims returns the channel of an action type: the last one with a matching prefix.
func claims(channels []*protocol.Channel) func(typ string) *protocol.Channel {
	places := map[string]int{}
	longest := 0
	for i, ch := range channels {
		places[ch.Prefix] = i
		longest = max(longest, len(ch.Prefix))
	}
	return func(typ string) *protocol.Channel {
		last := -1
		for end := 1; end <= min(len(typ), longest); end++ {
			if i, ok := places[typ[:end]]; ok {
				last = max(last, i)
			}
		}
		if last < 0 {
			return nil
		}
		return channels[last]
	}
}

// ownStructs returns the structs of each channel's actions in table order, without duplicates.
func ownStructs(actions []*protocol.Action) map[*protocol.Channel][]*protocol.Struct {
	type place struct {
		channel *protocol.Channel
		s       *protocol.Struct
	}
	seen := map[place]bool{}
	out := map[*protocol.Channel][]*protocol.Struct{}
	for _, a := range actions {
		if at := (place{a.Channel, a.Struct}); a.Channel != nil && !seen[at] {
			seen[at] = true
			out[a.Channel] = append(out[a.Channel], a.Struct)
		}
	}
	return out
}

func (b *actionBuilder) action(typ string, s *protocol.Struct, ch *protocol.Channel, rules map[string]*facts.Action) *protocol.Action {
	a := &protocol.Action{Type: typ, Struct: s, Channel: ch, Pos: s.Pos}
	if a.Channel == nil && !b.clashing && !b.Shaky && !slices.ContainsFunc(b.lost, func(prefix string) bool { return prefix != "" && strings.HasPrefix(typ, prefix) }) {
		b.unclaimed = append(b.unclaimed, a)
	}
	rule := rules[typ]
	if rule == nil {
		rule = b.stated.Of(s)
	}
	if rule == nil {
		a.Since, a.Unsaid = b.Facts.Versions.At.String(), true
		if b.Shaky {
			return a
		}
		b.Warnf(s.Pos, "unstated-action", b.Hint("state since and client for it under actions.rules in the profile", "write x-since beside it, and \"x-client-dispatchable\": true where a client may dispatch it"),
			b.Say("nothing says who may dispatch %q and since when: taken as host only, since %s"), typ, cmp.Or(a.Since, "an unknown version"))
		return a
	}
	b.Used.Add(rule)
	if rule.Source == facts.Schema {
		notYet(b.Work, rule.Since, rule.SincePos)
	}
	a.Since, a.Client = rule.Since, rule.Client
	return a
}

// Statements are what schemas and profiles state about actions.
type Statements struct {
	rules map[string]*facts.Action // by definition
	types []protocol.Type
	found map[*protocol.Struct]*facts.Action // by unions, once asked for
}

// Of returns what schemas state about an action: its own definition, or that of a union that
// holds it among others of the same type. It is nil if none does.
func (s *Statements) Of(of *protocol.Struct) *facts.Action {
	if own := s.rules[of.Name]; own != nil {
		return own
	}
	if s.found == nil {
		s.found = map[*protocol.Struct]*facts.Action{}
		for u := range protocol.Each[*protocol.Union](s.types) {
			if s.rules[u.Name] == nil {
				continue
			}
			for _, leaf := range u.Leaves() {
				if s.found[leaf] == nil {
					s.found[leaf] = s.rules[u.Name]
				}
			}
		}
	}
	return s.found[of]
}
