// Replication: states and actions, and clients that come back.

package conform

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (r *run) replication() []Scenario {
	p := r.Protocol.Replication
	if p == nil || p.Session == nil || p.Session.Dispatch == nil || p.Session.Action == nil {
		return nil
	}
	return []Scenario{
		{"replication/subscribe", "each channel that there is can be subscribed to, and what there is not is refused", p.Session.Subscribe.Method, subscribes},
		{"replication/dispatch", "an action that is accepted reaches every subscriber, with the same number", p.Session.Dispatch, dispatches},
		{"replication/snapshot", "a snapshot is the state that follows from the actions", p.Session.Subscribe.Method, snapshots},
		{"replication/not-dispatchable", "an action that clients may not dispatch changes nothing", p.Session.Dispatch, notDispatchable},
		{"replication/unknown-action", "an action that there is not changes nothing, and does no harm", p.Session.Dispatch, unknownAction},
		{"replication/unsubscribe", "no more actions come after a client has unsubscribed", p.Session.Unsubscribe.Method, unsubscribes},
		{"replication/reconnect", "a client that comes back gets what it has missed, each action once, and then goes on", p.Session.Resume.Method, reconnects},
		{"replication/reconnect-nothing-missed", "a client that comes back and has missed nothing gets nothing twice", p.Session.Resume.Method, reconnectsAtOnce},
		{"replication/reconnect-unknown", "a client that the host does not know, or that says it has seen what there is not, is answered", p.Session.Resume.Method, reconnectsUnknown},
	}
}

// envelope is an action as it has come.
type envelope struct {
	channel  string
	number   int64
	client   string
	sequence int64
	rejected bool
	action   map[string]any
}

// member returns the value at a path of members.
func member(v any, path protocol.Path) any {
	for _, f := range path {
		object, _ := v.(map[string]any)
		v = object[f.Name]
	}
	return v
}

// envelopeOf reads an envelope.
func (r *run) envelopeOf(v any) (out envelope) {
	roles := r.Protocol.Replication.Envelope
	object, _ := v.(map[string]any)
	out.channel, _ = object[roles.Channel.Name].(string)
	out.number, _ = object[roles.Sequence.Name].(int64)
	out.action, _ = object[roles.Action.Name].(map[string]any)
	out.client, _ = member(v, roles.Client).(string)
	out.sequence, _ = member(v, roles.ClientSequence).(int64)
	out.rejected = roles.Rejection != nil && object[roles.Rejection.Name] != nil
	return out
}

// envelopes returns those that have come on a channel.
func (t *talk) envelopes(channel string) (out []envelope) {
	for _, m := range t.heard {
		if m.Method == t.Protocol.Replication.Session.Action.Name {
			if e := t.envelopeOf(inside.DecodeState(m.Params)); e.channel == channel {
				out = append(out, e)
			}
		}
	}
	return out
}

// subscribe subscribes to a channel.
func (t *talk) subscribe(channel string) answer {
	s := t.Protocol.Replication.Session.Subscribe
	return t.ask(s.Method.Name, with(t.values.of(s.Method.Params), s.Channel.Name, channel))
}

// dispatch sends an action, and returns its number among those of the client.
func (t *talk) dispatch(channel string, action map[string]any) int64 {
	d := t.Protocol.Replication.Dispatch
	t.dispatched++
	t.notify(t.Protocol.Replication.Session.Dispatch.Name, map[string]any{
		d.Channel.Name: channel, d.Action.Name: action, d.ClientSequence.Name: t.dispatched,
	})
	return t.dispatched
}

// outcomeOf waits for what becomes of an action of a client.
func (t *talk) outcomeOf(channel, client string, sequence int64) (envelope, bool) {
	late := time.After(t.Patience)
	for {
		for _, e := range t.envelopes(channel) {
			if e.client == client && e.sequence == sequence {
				return e, true
			}
		}
		if !t.take(late) {
			return envelope{}, false
		}
	}
}

// channels returns those with a state that a program has: those of which there is one, and one of each kind that can be made.
func (t *talk) channels() (out []string) {
	for _, c := range t.Protocol.Channels {
		switch {
		case c.State == nil || c.URI == "":
		case !isMany(c):
			out = append(out, c.URI)
		case t.creators[c] != nil:
			out = append(out, t.channel(c))
		}
	}
	for _, c := range t.Protocol.Channels { // such as those that were made along with others
		if uri := t.seen[c]; !slices.Contains(out, uri) {
			out = append(out, uri)
		}
	}
	return slices.DeleteFunc(out, func(uri string) bool { return uri == "" })
}

// pair are two clients that have subscribed to the same channel, and an action that both may dispatch there.
type pair struct {
	a, b    *talk
	channel string
	action  map[string]any
}

// meet returns two clients with a channel on which an action is accepted, or ends the scenario.
func (s *stage) meet() *pair {
	a, b := s.open(), s.open()
	for _, channel := range a.channels() {
		if first := a.subscribe(channel); !first.ok() {
			continue
		}
		for _, c := range judge.KindsOf(s.Protocol, channel) {
			for _, action := range s.actions(c, true) {
				n := a.dispatch(channel, action)
				e, there := a.outcomeOf(channel, a.client, n)
				if !there {
					a.fence("the action " + fmt.Sprint(action[s.tag()]))
					continue
				}
				if e.rejected {
					continue
				}
				second := b.subscribe(channel)
				b.subject = "a second subscriber"
				b.mustBeAnswered(&second)
				if second.ok() {
					return &pair{a, b, channel, action}
				}
			}
		}
	}
	s.skip("no action is accepted on any channel")
	return nil
}

// tag is the member that tells actions apart.
func (r *run) tag() string {
	if u := r.Protocol.Actions.Union; u != nil && u.Dispatch != nil {
		return u.Dispatch.Member
	}
	return "type"
}

// actions returns examples of the actions of a channel that clients may dispatch, or of the others. Those that set one member
// come first: they need nothing that there may not be.
func (r *run) actions(c *protocol.Channel, client bool) (out []map[string]any) {
	const enough = 12
	var later []map[string]any
	for _, a := range r.Protocol.AllActions() {
		if a.Channel != c || a.Client != client || a.Unsaid {
			continue
		}
		action, _ := r.values.of(a.Struct).(map[string]any)
		if action == nil || action[r.tag()] != a.Type {
			continue
		}
		if len(action) == 2 {
			out = append(out, action)
		} else {
			later = append(later, action)
		}
	}
	out = append(out, later...)
	return out[:min(len(out), enough)]
}

func subscribes(s *stage) {
	t := s.open()
	for _, channel := range t.channels() {
		t.subject = "a subscription to " + channel
		a := t.subscribe(channel)
		t.mustBeAnswered(&a)
		if !a.ok() && a.Error.Code == codeInternal && t.table.Envelope == nil {
			s.wrong(Internal, t.subject, "%s", a.shown())
		}
	}
	missing := s.Protocol.Replication.Session.Subscribe.Missing
	for _, c := range s.Protocol.Channels {
		if c.State == nil || !isMany(c) || t.creators[c] == nil {
			continue
		}
		t.subject = "a subscription to a " + c.Name + " that there is not"
		a := t.subscribe(s.values.uri(c))
		t.mustBeAnswered(&a)
		switch {
		case a.ok():
			s.wrong(NotRefused, t.subject, "there is a result")
		case missing != nil && t.table.Envelope == nil && a.Error.Code == codeInternal:
			s.wrong(Internal, t.subject, "want error %d (%s), got %s", missing.Code, missing.Name, a.shown())
		}
	}
	t.fence("subscriptions")
}

func dispatches(s *stage) {
	p := s.meet()
	const n = 3
	for range n {
		p.both()
	}
	a, b := p.a.envelopes(p.channel), p.b.envelopes(p.channel)
	if len(a) > len(b) {
		a = a[len(a)-len(b):]
	}
	for i := range a {
		if a[i].number != b[i].number || !reflect.DeepEqual(a[i].action, b[i].action) {
			s.wrong(OtherState, "an action", "one subscriber gets number %d, another one %d", a[i].number, b[i].number)
		}
	}
	p.same("three actions")
}

// both has the first client dispatch an action, and waits until both have got it.
func (p *pair) both() {
	n := p.a.dispatch(p.channel, p.action)
	for _, t := range []*talk{p.a, p.b} {
		if _, there := t.outcomeOf(p.channel, p.a.client, n); !there {
			t.subject = "an action of the first client"
			if !t.ended() {
				t.wrong(NotAnswered, t.subject, "a subscriber does not get it in %v", t.Patience)
			}
			panic(over{})
		}
	}
}

// same wants both clients to have the same state.
func (p *pair) same(what string) {
	one, other := p.a.state(p.channel), p.b.state(p.channel)
	if one != nil && other != nil && !reflect.DeepEqual(one, other) {
		p.a.wrong(OtherState, what, "two subscribers have different states of the channel")
	}
}

// state returns the state of a channel as it follows from what was received.
func (t *talk) state(channel string) map[string]any { return t.judge.State(t.conn, channel) }

func snapshots(s *stage) {
	p := s.meet()
	p.both()
	p.both()
	c := s.open()
	c.subject = "a third subscriber"
	a := c.subscribe(p.channel)
	c.mustBeAnswered(&a)
	if !a.ok() {
		s.wrong(Refused, c.subject, "%s", a.shown())
		return
	}
	(&pair{a: p.a, b: c, channel: p.channel}).same("a snapshot after two actions")
}

func notDispatchable(s *stage) {
	p := s.meet()
	for _, c := range judge.KindsOf(s.Protocol, p.channel) {
		for _, action := range s.actions(c, false) {
			p.refused(action)
		}
	}
	p.same("actions that were refused")
}

// refused dispatches an action that must not be accepted.
func (p *pair) refused(action map[string]any) {
	p.a.subject = "the action " + fmt.Sprint(action[p.a.tag()])
	n := p.a.dispatch(p.channel, action)
	p.a.fence(p.a.subject)
	p.b.quiet()
	for _, t := range []*talk{p.a, p.b} {
		for _, e := range t.envelopes(p.channel) {
			if e.client == p.a.client && e.sequence == n && !e.rejected {
				p.a.wrong(NotRefused, p.a.subject, "it was accepted with the number %d", e.number)
			}
		}
	}
}

func unknownAction(s *stage) {
	p := s.meet()
	p.refusedOrRelayed(map[string]any{s.tag(): unknownValue, "value": int64(1)})
	p.both()
}

// refusedOrRelayed dispatches an action that a host may pass on without applying it.
func (p *pair) refusedOrRelayed(action map[string]any) {
	p.a.subject = "an unknown action"
	p.a.dispatch(p.channel, action)
	p.a.fence(p.a.subject)
	p.b.fence(p.a.subject)
}

func unsubscribes(s *stage) {
	p := s.meet()
	p.both()
	u := s.Protocol.Replication.Session.Unsubscribe
	p.b.notify(u.Method.Name, with(s.values.of(u.Method.Params), u.Channel.Name, p.channel))
	p.b.fence(u.Method.Name)
	before := len(p.b.envelopes(p.channel))
	n := p.a.dispatch(p.channel, p.action)
	if _, there := p.a.outcomeOf(p.channel, p.a.client, n); !there {
		p.a.mustGoOn("an action after another client has unsubscribed")
	}
	p.b.fence(u.Method.Name)
	if len(p.b.envelopes(p.channel)) > before {
		s.wrong(judge.NotSubscribed, u.Method.Name, "an action comes afterwards")
	}
}

// mustGoOn notes that a subscriber does not get an action.
func (t *talk) mustGoOn(what string) {
	if t.subject = what; !t.ended() {
		t.wrong(NotAnswered, what, "the subscriber does not get it in %v", t.Patience)
	}
	panic(over{})
}

// last returns the highest number that a client has seen on its connection, of snapshots as well.
func (t *talk) last() int64 { return t.judge.Seen(t.conn) }

// back resumes the connection of a client on a new one.
func (s *stage) back(client string, dispatched, last int64, channels ...any) (*talk, answer) {
	r := s.Protocol.Replication.Session.Resume
	t := s.dial()
	t.client, t.dispatched = client, dispatched
	params, _ := s.values.of(r.Method.Params).(map[string]any)
	params[r.Client.Name], params[r.Sequence.Name], params[r.Subscriptions.Name] = client, last, channels
	t.subject = r.Method.Name
	a := t.ask(r.Method.Name, params)
	return t, a
}

func reconnects(s *stage) {
	p := s.meet()
	p.both()
	last := p.a.last()
	p.a.link.Cut()
	const missed = 3
	for range missed {
		n := p.b.dispatch(p.channel, p.action)
		if _, there := p.b.outcomeOf(p.channel, p.b.client, n); !there {
			p.b.mustGoOn("an action after another client was cut off")
		}
	}
	c, a := s.back(p.a.client, p.a.dispatched, last, p.channel)
	c.mustBeAnswered(&a)
	if !a.ok() {
		s.wrong(Refused, c.subject, "%s", a.shown())
		return
	}
	var want []int64
	for _, e := range p.b.envelopes(p.channel) {
		if e.number > last {
			want = append(want, e.number)
		}
	}
	c.quiet()
	p.replayed(c, &a, want)
	n := p.b.dispatch(p.channel, p.action)
	if _, there := p.b.outcomeOf(p.channel, p.b.client, n); !there {
		p.b.mustGoOn("an action after another client has come back")
	}
	if _, there := c.outcomeOf(p.channel, p.b.client, n); !there {
		s.wrong(NotReplayed, c.subject, "the client does not get what happens after it has come back")
		return
	}
	(&pair{a: p.b, b: c, channel: p.channel}).same("the state after coming back")
}

// replayed wants the answer to a client that is back to have what it has missed.
func (p *pair) replayed(c *talk, a *answer, want []int64) {
	roles := c.Protocol.Replication.Reconnect
	object, _ := a.result.(map[string]any)
	if _, again := object[roles.Snapshots.Name].([]any); again {
		return // the state is compared
	}
	list, _ := object[roles.Envelopes.Name].([]any)
	var got []int64
	for _, v := range list {
		if e := c.envelopeOf(v); e.channel == p.channel {
			got = append(got, e.number)
		}
	}
	for _, e := range c.envelopes(p.channel) { // and what may follow the answer
		got = append(got, e.number)
	}
	if !slices.Equal(got, want) {
		c.wrong(NotReplayed, c.subject, "want the numbers %s, got %s", relative(want, want), relative(got, want))
	}
}

// relative shows numbers counted from the one before the first that was missed, which are the same in each run.
func relative(numbers, from []int64) string {
	out := []int64{}
	for _, n := range numbers {
		if len(from) > 0 {
			n -= from[0] - 1
		}
		out = append(out, n)
	}
	data, _ := json.Marshal(out)
	return string(data)
}

func reconnectsAtOnce(s *stage) {
	p := s.meet()
	p.both()
	last := p.a.last()
	p.a.link.Cut()
	c, a := s.back(p.a.client, p.a.dispatched, last, p.channel)
	c.mustBeAnswered(&a)
	if !a.ok() {
		s.wrong(Refused, c.subject, "%s", a.shown())
		return
	}
	c.quiet()
	p.replayed(c, &a, nil)
	p.a = c
	p.both()
	p.same("the state after coming back")
}

func reconnectsUnknown(s *stage) {
	p := s.meet()
	const ahead = 1_000_000
	for _, of := range []struct {
		what, client string
		last         int64
	}{
		{"a client that the host does not know", s.values.name(), p.a.last()},
		{"a client that has seen what has not happened yet", p.b.client, p.b.last() + ahead},
	} {
		c, a := s.back(of.client, 0, of.last, p.channel)
		c.subject = of.what
		if !a.here && c.closed && !c.ended() {
			continue
		}
		c.mustBeAnswered(&a)
		if !a.ok() && a.Error.Code == codeInternal && c.table.Envelope == nil {
			s.wrong(Internal, of.what, "%s", a.shown())
		}
		if a.ok() {
			c.fence(of.what)
		}
	}
}
