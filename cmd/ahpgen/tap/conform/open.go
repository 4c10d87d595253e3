// Open: connections that are ready for requests.

package conform

import (
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/call"
	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// hello returns the parameters of the handshake.
func (t *talk) hello() map[string]any {
	out := call.Hello(t.Protocol, t.Hello)
	maps.Copy(out, t.more)
	if r := t.Protocol.Replication; r != nil && r.Session != nil && r.Session.Open.Client != nil && t.Hello[r.Session.Open.Client.Name] == nil {
		out[r.Session.Open.Client.Name] = t.client
	}
	return out
}

// greet opens a connection with these parameters.
func (t *talk) greet(params map[string]any) answer {
	h := t.Protocol.Handshake
	a := t.ask(h.Method.Name, params)
	if a.ok() {
		for _, name := range t.Notify {
			t.notify(name, nil)
		}
	}
	return a
}

// start opens a connection, or ends the scenario.
func (t *talk) start() *talk {
	if t.Protocol.Handshake == nil {
		return t
	}
	if t.refused != "" {
		t.skip("the connection cannot be opened: %s", t.refused)
	}
	a := t.greet(t.hello())
	switch {
	case a.ok():
		return t
	case t.ended():
	case !a.here && t.closed:
		t.wrong(Lost, t.Protocol.Handshake.Method.Name, "the connection has ended")
	case !a.here:
		t.wrong(NotAnswered, t.Protocol.Handshake.Method.Name, "there is no answer in %v", t.Patience)
	default:
		t.wrong(Refused, t.Protocol.Handshake.Method.Name, "%s", a.shown())
	}
	t.lost = true
	panic(over{})
}

// open returns a connection for the time of the scenario.
func (s *stage) open() *talk { return s.dial().start() }

// warm returns a connection that scenarios share which do it no harm.
func (s *stage) warm() *talk { return s.reuse(&s.run.shared, nil) }

// able is the same for a client that has advertised everything that a profile knows.
func (s *stage) able() *talk { return s.reuse(&s.run.capable, s.everything()) }

func (s *stage) reuse(shared **talk, hello map[string]any) *talk {
	if t := *shared; t != nil && !t.closed && !t.lost {
		t.stage, t.subject = s, ""
		t.handles = map[string]any{}
		t.respond, t.replies = nil, nil
		t.quiet()
		t.heard, t.answers = nil, map[string][]answer{}
		if !t.closed {
			return t
		}
	}
	if *shared != nil {
		(*shared).end()
	}
	t := s.connect()
	t.judge, t.more = judge.New(s.judged), hello
	*shared = t
	return t.start()
}

// everything returns the members of a handshake that advertise all on which depends what the program, and what its peer, sends.
func (r *run) everything() map[string]any {
	k := r.Protocol.Capabilities
	if k == nil || r.Protocol.Handshake == nil || k.Introduction != r.Protocol.Handshake.Method {
		return nil
	}
	out := inside.DecodeState(raw(r.Hello))
	if out == nil {
		out = map[string]any{}
	}
	for _, g := range k.Gates {
		if (g.From == r.Side.Peer()) == g.Own {
			advertise(out, protocol.Ref{Type: k.Introduction.Params}, strings.Split(g.Needs, "."))
		}
	}
	return out.(map[string]any)
}

// advertise sets a member at a path to what says that it is there.
func advertise(in any, of protocol.Expr, path []string) {
	object, _ := in.(map[string]any)
	s := protocol.As[*protocol.Struct](of)
	if object == nil || s == nil || s.Field(path[0]) == nil {
		return
	}
	f := s.Field(path[0])
	if object[f.Name] == nil {
		object[f.Name] = map[string]any{}
		if protocol.Underlying(f.Type) == protocol.Bool {
			object[f.Name] = true
		}
	}
	if len(path) > 1 {
		advertise(object[f.Name], f.Type, path[1:])
	}
}

// advertised ends the scenario if the program has not advertised a method.
func (t *talk) advertised(m *protocol.Method) (gated bool) {
	supports, gated := t.judge.Supports(t.conn, m, t.Side.Peer())
	if !supports {
		t.skip("not advertised")
	}
	return gated
}

// ready makes what a method needs: ids and channels, by the requests that open them.
func (t *talk) ready(m *protocol.Method, how *plan) {
	for _, h := range t.Protocol.Handles {
		if h.Of != t.Side.Peer() || h.Opens == nil || h.Opens == m || !slices.Contains(h.Methods, m) {
			continue
		}
		if !slices.ContainsFunc(h.IDs, func(id string) bool { return t.handles[id] == nil }) {
			continue
		}
		t.call(h.Opens)
	}
	if m.Params == nil || how.fresh || t.Params[m.Name] != nil {
		return
	}
	for _, c := range t.kindsIn(t.values.of(m.Params)) {
		if maker := t.creators[c]; maker != nil && maker != m {
			t.channel(c)
		}
	}
}

// channel makes a channel by the request that does, and returns its URI, "" if there is no such request.
func (t *talk) channel(c *protocol.Channel) string {
	maker := t.creators[c]
	if maker == nil {
		return ""
	}
	params := t.make(maker, t.planOf(maker))
	if a := t.ask(maker.Name, params); !a.ok() {
		return ""
	}
	var uri string
	eachText(params, func(text string) {
		if slices.Contains(judge.KindsOf(t.Protocol, text), c) {
			uri = text
		}
	})
	t.seen[c] = uri
	return uri
}

// planOf returns the plan of a method, which may not have been called yet.
func (r *run) planOf(m *protocol.Method) *plan {
	if p := r.plans[m]; p != nil {
		return p
	}
	return &r.attempts(m)[0]
}

// call sends a request as planned and waits for the answer.
func (t *talk) call(m *protocol.Method) answer {
	how := t.planOf(m)
	t.ready(m, how)
	return t.callWith(m, t.make(m, how))
}

// callWith sends a request, and notes the ids in the answer.
func (t *talk) callWith(m *protocol.Method, params any) answer {
	if http := t.Protocol.HTTP; http != nil && http.VersionAt != nil && len(t.Protocol.Supported) > 0 {
		params = stating(params, http.VersionAt, t.Protocol.Supported[0])
	}
	a := t.ask(m.Name, params)
	object, _ := a.result.(map[string]any)
	for _, h := range t.Protocol.Handles {
		for _, id := range h.IDs {
			if h.Opens == m && h.Of == t.Side.Peer() && object[id] != nil {
				t.handles[id] = object[id]
			}
		}
	}
	return a
}

// stating returns parameters that state a version at a path, if they state any.
func stating(params any, path []string, version string) any {
	object, _ := params.(map[string]any)
	inner, ok := object[path[0]]
	switch text, isText := inner.(string); {
	case !ok, len(path) == 1 && !isText, text == version:
		return params
	case len(path) == 1:
		return with(params, path[0], version)
	}
	return with(params, path[0], stating(inner, path[1:], version))
}

// settle plans a method: it finds parameters that have a result, if there are any.
func (t *talk) settle(m *protocol.Method) (*plan, answer) {
	var best *plan
	var first answer
	for _, how := range t.attempts(m) {
		t.ready(m, &how)
		a := t.callWith(m, t.make(m, &how))
		how.outcome = a.outcome()
		if best == nil || a.ok() {
			best, first = &how, a
		}
		if !a.here || a.ok() {
			break
		}
	}
	t.run.plans[m] = best
	if best.made && first.ok() && !t.subscribes(m) {
		best.fresh = true
		for _, c := range t.kindsIn(t.values.of(m.Params)) {
			if t.creators[c] == nil {
				t.creators[c] = m
			}
		}
	}
	return best, first
}

// subscribes reports whether a method subscribes to channels, and so makes none.
func (r *run) subscribes(m *protocol.Method) bool {
	p := r.Protocol.Replication
	return p != nil && p.Session != nil && m == p.Session.Subscribe.Method
}

// with returns parameters with another member.
func with(params any, name string, v any) map[string]any {
	out := map[string]any{}
	if object, ok := params.(map[string]any); ok {
		out = maps.Clone(object)
	}
	out[name] = v
	return out
}
