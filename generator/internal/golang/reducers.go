// Reducers: the reducers of each channel, and how each action is handled.

package golang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Reducers describes the application of actions to states.
type Reducers struct {
	Action   *Union // union of all actions
	State    *Union // union of all states, or nil if no schema declares it
	Channels []*ChannelReducer
	Keys     []*KeyFunc // key functions for union items
}

// ChannelReducer applies the actions of a channel to its state.
type ChannelReducer struct {
	Method  string `go:"identifier"` // such as Session
	Channel string `go:"text"`       // the channel's name
	State   *Struct
	Union   *Union // the channel's actions
	Actions []*ActionReducer
}

// ActionReducer applies an action.
type ActionReducer struct {
	Method     string `go:"identifier"` // such as sessionReady
	Type       string `go:"text"`       // wire type of the action
	Action     *Struct
	Definition string `go:"text"` // schema definition of the action
	Pos        diag.Pos
	Doc        []string `go:"comment"` // description of the action
	Effect     []string `go:"comment"` // comment about the steps; nil if not stated
	// Stated reports whether the effects are stated. Otherwise the method is hand-written or finished.
	Stated bool
	Steps  []*Step
}

// States returns all states without duplicates, since channels may share a type.
func (r *Reducers) States() []*Struct {
	var out []*Struct
	for _, c := range r.Channels {
		out = each.With(out, c.State)
	}
	return out
}

// Of returns the reducers for a state.
func (r *Reducers) Of(state *Struct) []*ChannelReducer {
	return each.Where(r.Channels, func(c *ChannelReducer) bool { return c.State == state })
}

// Hand returns the methods the user writes, by channel.
func (r *Reducers) Hand(c *ChannelReducer) []*ActionReducer {
	return each.Where(c.Actions, func(a *ActionReducer) bool { return !a.Stated })
}

// reducers builds the reducers. Own lists the actions that the user takes over.
func (b *builder) reducers(own []Own) {
	b.checkOwn(own)
	set := b.in.Actions
	if set == nil {
		return
	}
	taken := each.SetFunc(own, func(o Own) string { return o.Type })
	out := &Reducers{Action: b.UnionOf(set.Union)}
	methods := newScope(b.opts)
	for _, name := range []string{"Now", "Apply", "now", "appendText", "extendText", "texts"} {
		methods.add(name, "a part of every Reducer", "", diag.Pos{})
	}
	keys := &keyFuncs{b: b, out: out, names: map[string]bool{}}
	actions := map[*protocol.Channel][]*protocol.Action{}
	b.carriers = map[*protocol.Struct]int{}
	for _, a := range set.Actions {
		actions[a.Channel] = append(actions[a.Channel], a)
		b.carriers[a.Struct]++
	}
	unions := b.channelUnions()
	for _, ch := range b.in.Channels {
		if r := b.channelReducer(ch, actions[ch], unions, taken, keys); r != nil {
			methods.add(r.Method, "the reducer of channel "+ch.Name, "", ch.Pos)
			for _, a := range r.Actions {
				methods.add(a.Method, "the reducer of "+a.Type, a.Definition, a.Pos)
			}
			out.Channels = append(out.Channels, r)
		}
	}
	if len(out.Channels) == 0 {
		return
	}
	b.Add(methods.clashes()...)
	out.State = b.unionOf(out.States())
	b.out.Reducers = out
}

// unionOf returns the declared union of exactly the given structs, or nil.
func (b *builder) unionOf(structs []*Struct) *Union {
	for _, u := range b.out.Unions {
		same := u.Decode != "" && u.Unknown == nil && len(u.Scalars) == 0 && len(u.Structs) == len(structs)
		if same && !slices.ContainsFunc(structs, func(s *Struct) bool { return !slices.Contains(u.Structs, s) }) {
			return u
		}
	}
	return nil
}

// checkOwn reports entries without effect.
func (b *builder) checkOwn(own []Own) {
	there := map[string]bool{}
	for _, a := range b.in.AllActions() {
		there[a.Type] = there[a.Type] || a.Stated || b.opts.Finished != nil && b.opts.Finished(a.Type)
	}
	for _, o := range own {
		if !there[o.Type] {
			b.Errorf(o.Pos, "unused-entry", "correct it, or remove it: where effects are not stated and no reducer is finished, it is yours anyway",
				"there is no action %q with a reducer to take over", o.Type)
		}
	}
}

// channelUnions maps structs to the action unions of their channels.
func (b *builder) channelUnions() map[*protocol.Struct][]*protocol.Union {
	out := map[*protocol.Struct][]*protocol.Union{}
	for _, u := range b.in.Actions.Channels {
		for _, s := range u.Leaves() {
			out[s] = append(out[s], u)
		}
	}
	return out
}

func (b *builder) channelReducer(ch *protocol.Channel, actions []*protocol.Action, unions map[*protocol.Struct][]*protocol.Union, taken map[string]bool, keys *keyFuncs) *ChannelReducer {
	if ch.State == nil {
		return nil
	}
	r := &ChannelReducer{Method: b.namer.upper(b.namer.part(ch.Name)), Channel: ch.Name, State: b.StructOf(ch.State)}
	has := map[*protocol.Struct]bool{}
	for _, a := range actions {
		if has[a.Struct] {
			continue
		}
		has[a.Struct] = true
		b.Working(a.Pos)
		r.Actions = append(r.Actions, b.actionReducer(a, taken[a.Type], keys))
	}
	if len(has) == 0 {
		return nil
	}
	for _, u := range unions[actions[0].Struct] {
		leaves := u.Leaves()
		if len(leaves) == len(has) && !slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return !has[s] }) {
			r.Union = b.UnionOf(u)
		}
	}
	return r
}

func (b *builder) actionReducer(a *protocol.Action, taken bool, keys *keyFuncs) *ActionReducer {
	s := b.StructOf(a.Struct)
	name := s.Name
	if short := strings.TrimSuffix(name, "Action"); short != "" {
		name = short
	}
	r := &ActionReducer{
		Method: b.namer.local(name), Type: a.Type, Action: s, Definition: a.Struct.Name, Pos: a.Struct.Pos, Doc: b.comment(a.Struct.Doc),
	}
	// A struct may carry several action types; then only effects stated for all can be generated.
	if !a.Stated || taken || b.carriers[a.Struct] > 1 {
		return r
	}
	r.Stated = true
	r.Effect = Wrap(r.Method + " " + inWords(a.Effects) + ".")
	e := &stepBuilder{b: b, keys: keys, names: map[string]bool{
		"r": true, "s": true, "a": true, "next": true, "changed": true, "state": true, // identifiers used in the method
	}}
	r.Steps = e.steps(a.Effects, "next")
	return r
}

// inWords describes effects for a comment.
func inWords(effects []*protocol.Effect) string {
	type clause struct {
		verb  string
		paths []string
	}
	var clauses []clause
	for _, e := range effects {
		verb, path := e.Do.Words(e.Target).Does, dotted(e.Target)
		last := len(clauses) - 1
		switch {
		case last < 0 || clauses[last].verb != verb:
			clauses = append(clauses, clause{verb, []string{path}})
		case !slices.Contains(clauses[last].paths, path):
			clauses[last].paths = append(clauses[last].paths, path)
		}
	}
	out := each.Map(clauses, func(c clause) string { return c.verb + " " + diag.Enumerate(c.paths, "and") })
	return strings.Join(out, ", then ")
}

func dotted(p protocol.Path) string {
	if len(p) == 0 {
		return "the state"
	}
	return strconv.Quote(p.String())
}
