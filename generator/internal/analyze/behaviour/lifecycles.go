// Lifecycles: stated status transitions, checked against types and channels.

package behaviour

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/graph"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxLifecycles bounds the number of lifecycles, each of which requires a search for its values.
const maxLifecycles = 1000

// lifecycles reads the stated lifecycles.
func (b *builder) lifecycles() {
	if b.out.Actions == nil && b.HasErrors() || b.of.Actions.Clashing {
		return // errors in actions or states are reported elsewhere
	}
	stated := map[string]*facts.Lifecycle{}
	actions := map[string][]*protocol.Action{}
	for _, a := range b.out.AllActions() {
		actions[a.Type] = append(actions[a.Type], a)
	}
	users := b.users()
	for i, l := range b.Facts.Lifecycles {
		b.Working(l.Pos)
		if i == maxLifecycles {
			b.Errorf(l.Pos, "too-many-lifecycles", "state only the important ones", "there are more than %d lifecycles", maxLifecycles)
			return
		}
		if first := stated[l.Type]; first != nil {
			b.Errorf(l.Pos, "duplicate-lifecycle", fmt.Sprintf("the other entry stands at %s", first.Pos), "the lifecycle of %s is stated twice", l.Type)
			continue
		}
		stated[l.Type] = l
		t := b.out.Lookup(l.Type)
		if t == nil && l.Source == facts.Schema {
			b.Errorf(l.Pos, "bad-lifecycle", "move it to a type that takes it in", "%s is a base only: no value has its lifecycle", l.Type)
		}
		if t == nil {
			continue // reported as an unused fact
		}
		b.Used.Add(l)
		b.lifecycle(l, t, actions, users)
	}
}

// lifecycle reads one lifecycle.
func (b *builder) lifecycle(l *facts.Lifecycle, t protocol.Type, actions map[string][]*protocol.Action, users map[protocol.Type][]protocol.Type) {
	if b.Reported(l.Statement) {
		return
	}
	readFact(b, l, "bad-lifecycle", "lifecycle of "+l.Type, func(b *builder, l *facts.Lifecycle) {
		r := &lifeReader{
			b: b, actions: actions, users: users, holders: map[protocol.Type]map[protocol.Type]bool{},
			seen: map[passage]*schema.Node{}, out: &protocol.Lifecycle{Type: t, Pos: l.Pos},
		}
		if r.read(l.Statement); !r.failed {
			b.out.Lifecycles = append(b.out.Lifecycles, r.out)
		}
	})
}

// users returns the types that use each type as member, variant, item or target.
func (b *builder) users() map[protocol.Type][]protocol.Type {
	out := map[protocol.Type][]protocol.Type{}
	if len(b.Facts.Lifecycles) == 0 {
		return nil
	}
	for _, t := range b.out.Types {
		for _, held := range protocol.Inner(t) {
			out[held] = append(out[held], t)
		}
	}
	return out
}

// passage is one end of a transition; an empty status means that the value does not exist.
type passage struct{ action, from, to string }

// lifeReader reads one lifecycle. It continues after errors.
type lifeReader struct {
	b       *builder
	actions map[string][]*protocol.Action
	users   map[protocol.Type][]protocol.Type
	holders map[protocol.Type]map[protocol.Type]bool
	seen    map[passage]*schema.Node
	failed  bool
	own     []string // statuses of the type itself
	out     *protocol.Lifecycle
}

func (r *lifeReader) errorf(pos diag.Pos, hint, format string, args ...any) {
	r.failed = true
	r.b.Errorf(pos, "bad-lifecycle", hint, format, args...)
}

func (r *lifeReader) name() string { return r.out.Type.Head().Name }

func (r *lifeReader) read(n *schema.Node) {
	if !r.status(n) {
		return
	}
	r.stages(n.Get("stages"))
	if at := n.Get("absent"); at != nil {
		r.out.Absent = at.Text
		r.addStatus(at, at.Text)
	}
	r.out.States = append(r.out.States, r.own...)
	r.key(n)
	if r.failed {
		return // the rest depends on it
	}
	r.out.Initial = r.statuses(n.Get("initial"))
	r.out.Begins = r.transitions(n.Get("begins"), r.begin)
	r.out.Transitions = r.transitions(n.Get("transitions"), r.transition)
	r.out.Ends = r.transitions(n.Get("ends"), r.end)
	r.member(n.Get("in"))
	if !r.failed {
		r.reached(n)
	}
}

// status determines the member with the status, and all statuses.
func (r *lifeReader) status(n *schema.Node) bool {
	at := n.Get("status")
	switch t := r.out.Type.(type) {
	case *protocol.Union:
		if at != nil {
			r.errorf(at.Pos, "take it away: what tells the variants apart is the status", "%s is a union, and has no member %q of its own", t.Name, at.Text)
			return false
		}
		var ok bool
		if r.own, r.out.Open, ok = statusesOf(protocol.Ref{Type: t}); !ok && !r.b.of.Types.Bad[t] {
			r.errorf(n.Pos, "state it for a type with a status", "%s is a union whose variants no string tells apart", t.Name)
		}
		return ok
	case *protocol.Struct:
		return !r.b.of.Types.Broken[t] && r.statusOf(n, at, t)
	}
	r.errorf(n.Pos, "state it for the object that has the status, or for a union whose tag is the status", "%s is neither an object nor a union", r.name())
	return false
}

// statusOf returns the member with the status.
func (r *lifeReader) statusOf(n, at *schema.Node, s *protocol.Struct) bool {
	if at == nil {
		r.errorf(n.Pos, `add "status" with the name of a member`, "nothing says which member of %s has the status", s.Name)
		return false
	}
	f := s.Field(at.Text)
	if f == nil {
		r.errorf(at.Pos, similar.DidYouMean(at.Text, phase.FieldNames(s), phase.MemberHint(s)), "%s has no member %q", s.Name, at.Text)
		return false
	}
	var ok bool
	if r.own, r.out.Open, ok = statusesOf(f.Type); !ok || f.Const != nil || f.Nullable {
		r.errorf(at.Pos, "name a member that is a string of an enum, or an object that a string tells from others", "%s of %s is %s, not a status", f.Name, s.Name, phase.Describe(f.Type))
		return false
	}
	switch absent := n.Get("absent"); {
	case f.Required && absent != nil:
		r.errorf(absent.Pos, "take it away", "%s of %s is always there", f.Name, s.Name)
	case !f.Required && absent == nil:
		r.errorf(at.Pos, `add "absent" with a name for the status of a value without it`, "%s of %s may be missing", f.Name, s.Name)
	}
	r.out.Status = f
	return !r.failed
}

// statusesOf returns the values of a string enum, or the tags of a union.
func statusesOf(e protocol.Expr) (names []string, open, ok bool) {
	ref, _ := protocol.Underlying(e).(protocol.Ref)
	switch t := ref.Type.(type) {
	case *protocol.Enum:
		if t.Kind != protocol.String || t.Bitset {
			return nil, false, false
		}
		return each.Map(t.Members, func(m *protocol.EnumMember) string { return m.Value.Str }), t.Open, true
	case *protocol.Union:
		if t.Kind != protocol.Tagged || t.Dispatch == nil || t.Dispatch.Kind != protocol.String || t.Dispatch.Absent {
			return nil, false, false
		}
		for _, c := range t.Dispatch.Cases {
			for _, v := range c.Values {
				names = append(names, v.Str)
			}
		}
		return names, t.Open || t.Dispatch.General() != nil, true
	}
	return nil, false, false
}

func (r *lifeReader) stages(n *schema.Node) {
	if n == nil {
		return
	}
	for _, m := range n.Members {
		s, ok := r.b.out.Lookup(m.Value.Text).(*protocol.Struct)
		if !ok {
			r.errorf(m.Value.Pos, r.b.Set.DidYouMean(m.Value.Text, "", "name a definition that is an object"), "the schemas define no object %s", m.Value.Text)
			continue
		}
		r.out.Stages = append(r.out.Stages, &protocol.Stage{Name: m.Key, Type: s})
		r.addStatus(m.Value, m.Key)
	}
}

// addStatus adds a status that the type itself lacks.
func (r *lifeReader) addStatus(at *schema.Node, name string) {
	if slices.Contains(r.own, name) || slices.Contains(r.out.States, name) {
		r.errorf(at.Pos, "choose another name", "%s has a status %q already", r.name(), name)
		return
	}
	r.out.States = append(r.out.States, name)
}

// key reads the key of values in a state.
func (r *lifeReader) key(n *schema.Node) {
	at := n.Get("key")
	if at == nil {
		if !r.isState() {
			r.errorf(n.Pos, `add "key" with the name of a member that is a string`, "nothing says what tells one %s in a state from another", r.name())
		}
		return
	}
	r.out.Key = strings.Split(at.Text, ".")
	var all []*protocol.Struct
	switch t := r.out.Type.(type) {
	case *protocol.Struct:
		all = append(all, t)
	case *protocol.Union:
		all = t.Leaves()
	}
	for _, stage := range r.out.Stages {
		all = append(all, stage.Type)
	}
	for _, s := range all {
		if !r.b.of.Types.Broken[s] && !protocol.KeyMember(s, r.out.Key) {
			r.errorf(at.Pos, similar.DidYouMean(at.Text, phase.FieldNames(s), "name a member that is a string in each of them"), "%s has no string %q to be told by", s.Name, at.Text)
			return
		}
	}
}

// isState reports whether the values are channel states, of which each channel has one.
func (r *lifeReader) isState() bool {
	return slices.ContainsFunc(r.b.out.Channels, func(ch *protocol.Channel) bool { return ch.State != nil && protocol.Type(ch.State) == r.out.Type })
}

// statuses reads a status or a list of statuses.
func (r *lifeReader) statuses(n *schema.Node) []string {
	var out []string
	for _, item := range n.OneOrMore() {
		if !slices.Contains(r.out.States, item.Text) {
			r.errorf(item.Pos, similar.DidYouMean(item.Text, r.out.States, "it has "+strings.Join(r.out.States, ", ")), "%s has no status %q", r.name(), item.Text)
			continue
		}
		out = append(out, item.Text)
	}
	return out
}

// member returns the only state member with the values.
func (r *lifeReader) member(at *schema.Node) {
	if at == nil || r.out.Channel == nil {
		return
	}
	s := r.out.Channel.State
	if r.out.In = s.Field(at.Text); r.out.In == nil {
		r.errorf(at.Pos, similar.DidYouMean(at.Text, phase.FieldNames(s), phase.MemberHint(s)), "%s has no member %q", s.Name, at.Text)
		return
	}
	if held := protocol.Held(r.out.In.Type); held == nil || !r.holds(held) {
		r.errorf(at.Pos, "name a member that such values are in", "%s of %s is %s, where no %s is", at.Text, s.Name, phase.Describe(r.out.In.Type), r.name())
	}
}

// reached reports unreachable statuses.
func (r *lifeReader) reached(n *schema.Node) {
	begin := slices.Clone(r.out.Initial)
	for _, t := range r.out.Begins {
		begin = append(begin, t.To...)
	}
	found := graph.Reached(begin, func(name string) (next []string) {
		for _, t := range r.out.Transitions {
			if slices.Contains(t.From, name) {
				next = append(next, t.To...)
			}
		}
		return next
	})
	var never []string
	for _, name := range r.out.States {
		if !found[name] {
			never = append(never, strconv.Quote(name))
		}
	}
	if len(never) > 0 {
		r.errorf(n.Get("transitions").Pos, "add a transition that leads there, or begin with it", "no %s gets to %s", r.name(), strings.Join(never, ", "))
	}
}
