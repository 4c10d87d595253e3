// Reducers: which channels have them, and which actions each of them handles how.

package golang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Reducers is everything there is to say about applying actions to states.
type Reducers struct {
	Action   *Union // all actions
	State    *Union // all states, nil if no schema declares that union
	Channels []*ChannelReducer
	Keys     []*KeyFunc // what tells items of a union apart
}

// ChannelReducer applies the actions of one channel to its state.
type ChannelReducer struct {
	Method  string `go:"identifier"` // such as Session
	Channel string `go:"text"`       // the channel's name
	State   *Struct
	Union   *Union // the channel's actions
	Actions []*ActionReducer
}

// ActionReducer applies one action.
type ActionReducer struct {
	Method     string `go:"identifier"` // such as sessionReady
	Type       string `go:"text"`       // of the action, on the wire
	Action     *Struct
	Definition string `go:"text"` // the action's in the schema
	Pos        diag.Pos
	Doc        []string `go:"comment"` // what the action is, as the schema says it
	Effect     []string `go:"comment"` // what the steps do, as a comment; nil if they are not stated
	// Stated says that the steps are all there is. Otherwise the user writes the method.
	Stated bool
	Steps  []*Step
}

// States lists the states, each once: channels may hold states of the same type.
func (r *Reducers) States() []*Struct {
	var out []*Struct
	seen := map[*Struct]bool{}
	for _, c := range r.Channels {
		if !seen[c.State] {
			seen[c.State] = true
			out = append(out, c.State)
		}
	}
	return out
}

// Of lists the reducers of a state.
func (r *Reducers) Of(state *Struct) []*ChannelReducer {
	var out []*ChannelReducer
	for _, c := range r.Channels {
		if c.State == state {
			out = append(out, c)
		}
	}
	return out
}

// Hand lists the methods that the user writes, by channel.
func (r *Reducers) Hand(c *ChannelReducer) []*ActionReducer {
	var out []*ActionReducer
	for _, a := range c.Actions {
		if !a.Stated {
			out = append(out, a)
		}
	}
	return out
}

// reducers settles the reducers. Own lists the actions that the user takes over.
func (b *builder) reducers(own []Own) {
	b.checkOwn(own)
	set := b.in.Actions
	if set == nil {
		return
	}
	taken := map[string]bool{}
	for _, o := range own {
		taken[o.Type] = true
	}
	out := &Reducers{Action: b.unions[set.Union]}
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

// unionOf is the declared union of just some structs, nil if there is none.
func (b *builder) unionOf(structs []*Struct) *Union {
	for _, u := range b.out.Unions {
		same := u.Decode != "" && u.Unknown == nil && len(u.Scalars) == 0 && len(u.Structs) == len(structs)
		if same && !slices.ContainsFunc(structs, func(s *Struct) bool { return !slices.Contains(u.Structs, s) }) {
			return u
		}
	}
	return nil
}

// checkOwn reports entries that take over nothing.
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

// channelUnions lists the unions of the actions of one channel by each of their structs.
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
	r := &ChannelReducer{Method: b.namer.upper(b.namer.part(ch.Name)), Channel: ch.Name, State: b.structs[ch.State]}
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
			r.Union = b.unions[u]
		}
	}
	return r
}

func (b *builder) actionReducer(a *protocol.Action, taken bool, keys *keyFuncs) *ActionReducer {
	s := b.structs[a.Struct]
	name := s.Name
	if short := strings.TrimSuffix(name, "Action"); short != "" {
		name = short
	}
	r := &ActionReducer{
		Method: b.namer.local(name), Type: a.Type, Action: s, Definition: a.Struct.Name, Pos: a.Struct.Pos, Doc: b.comment(a.Struct.Doc),
	}
	// One struct may carry several types of actions; then only what all of them state can be generated.
	if !a.Stated || taken || b.carriesMore(a) {
		return r
	}
	r.Stated = true
	r.Effect = wrap(r.Method + " " + inWords(a.Effects) + ".")
	e := &stepBuilder{b: b, keys: keys, names: map[string]bool{
		"r": true, "s": true, "a": true, "next": true, "changed": true, "state": true, // parts of the method, and the package that it calls
	}}
	r.Steps = e.steps(a.Effects, "next")
	return r
}

func (b *builder) carriesMore(a *protocol.Action) bool {
	return b.carriers[a.Struct] > 1
}

// inWords says what effects do, for a comment.
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
	var out []string
	for _, c := range clauses {
		out = append(out, c.verb+" "+diag.Enumerate(c.paths, "and"))
	}
	return strings.Join(out, ", then ")
}

func dotted(p protocol.Path) string {
	if len(p) == 0 {
		return "the state"
	}
	return strconv.Quote(p.String())
}
