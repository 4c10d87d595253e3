// Session: stated methods of connecting clients, checked against them.

package behaviour

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/similar"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// session reads the stated session. Methods, error codes and the handshake are read before.
func (b *builder) session() {
	stated := b.Facts.Replication
	if stated == nil || b.out.Replication == nil {
		return
	}
	n := stated.Statement.Get("session")
	if n == nil || !whole(b.out.Replication) || b.Facts.Handshake != nil && b.out.Handshake == nil {
		return // errors there are reported
	}
	b.fitting(stated, "bad-role", "session", func(b *builder) { b.sessionRoles(n) }, func() { b.out.Replication.Session = nil })
	if b.out.Replication.Session != nil {
		b.lists(stated, n.Get("lists"))
	}
}

func (b *builder) sessionRoles(n *schema.Node) {
	r := &sessionReader{roleReader: roleReader{b: b}, roles: map[*protocol.Method]bool{}}
	if b.out.Handshake == nil {
		if !b.HasErrors() {
			r.errorf(n.Pos, "state the handshake as well", "a session begins with a handshake, and there is none")
		}
		return
	}
	if b.out.Handshake.Error == nil {
		r.errorf(n.Pos, "state the error and supported of the handshake", "a session begins with a handshake in which the client offers a list of versions")
		return
	}
	out := r.read(n)
	if !r.failed {
		b.out.Replication.Session = out
	}
}

// whole reports whether a statement has all roles.
func whole(in *protocol.Replication) bool {
	e, s, d, c := in.Envelope, in.Snapshot, in.Dispatch, in.Reconnect
	fields := []*protocol.Field{
		e.Channel, e.Action, e.Sequence, e.Rejection, s.Channel, s.State, s.Sequence, d.Channel, d.Action, d.ClientSequence, c.Envelopes, c.Missing, c.Snapshots,
	}
	types := []*protocol.Struct{e.Type, s.Type, d.Type, c.Replay, c.Restart}
	return len(e.Client) > 0 && len(e.ClientSequence) > 0 && c.Type != nil && !slices.Contains(fields, nil) && !slices.Contains(types, nil)
}

type sessionReader struct {
	roleReader
	roles map[*protocol.Method]bool // methods with a role
}

func (r *sessionReader) read(n *schema.Node) *protocol.SessionRoles {
	in := r.b.out.Replication
	r.origin(in.Envelope)
	out := &protocol.SessionRoles{
		Dispatch: r.carrier(n, in.Dispatch.Type, protocol.FromClient),
		Action:   r.carrier(n, in.Envelope.Type, protocol.FromHost),
	}
	out.Open = r.open(n.Get("open"), in.Snapshot.Type)
	out.Resume = r.resume(n.Get("resume"), in.Reconnect.Type)
	out.Subscribe = r.subscribe(n.Get("subscribe"), in.Snapshot.Type)
	out.Unsubscribe = r.unsubscribe(n.Get("unsubscribe"))
	for _, item := range n.Get("anytime").List() {
		m := r.named(item)
		if m != nil && m.From == protocol.FromHost {
			r.errorf(item.Pos, r.b.Say("name a method that clients send"), "clients do not send %s", m.Name)
		}
		if m != nil {
			out.Anytime = append(out.Anytime, m)
		}
	}
	for _, item := range n.Get("repeat").List() {
		if m, params, _ := r.request(item.Get("method")); m != nil {
			out.Repeat = append(out.Repeat, protocol.RepeatRoles{Method: m, Key: r.text(item.Get("key"), params)})
		}
	}
	for _, item := range n.Get("ignored").List() {
		if c := r.channel(item); c != nil {
			out.Ignored = append(out.Ignored, c)
		}
	}
	r.sent(n, in)
	return out
}

// channel returns the channel that a node names, or nil.
func (r *sessionReader) channel(n *schema.Node) *protocol.Channel {
	if r.lacks(n) {
		return nil
	}
	var names []string
	for _, c := range r.b.out.Channels {
		if c.Name == n.Text {
			return c
		}
		names = append(names, c.Name)
	}
	r.errorf(n.Pos, similar.DidYouMean(n.Text, names, "name a channel of the protocol"), "there is no channel %s", n.Compact())
	return nil
}

// origin requires that an envelope can name the dispatching client, or none.
func (r *sessionReader) origin(e protocol.EnvelopeRoles) {
	at := r.b.Facts.Replication.Statement.Get("envelope")
	client, number := e.Client, e.ClientSequence
	switch {
	case len(client) != len(number) || len(client) > 2 || len(client) == 2 && client[0] != number[0]:
		r.errorf(at.Get("client").Pos, "name two members of the envelope, or of one object in it",
			"%s and %s, the client behind an action and its number, are not beside each other", at.Get("client").Text, at.Get("clientSequence").Text)
	case len(client) == 2 && !client[0].Required, !client.Last().Required && !number.Last().Required:
	default:
		r.errorf(at.Get("client").Pos, "take them out of required, or have both in an object that may be missing",
			"%s and %s cannot both be missing, as they are where no client is behind an action", at.Get("client").Text, at.Get("clientSequence").Text)
	}
}

// sent requires that messages sent automatically need only members with roles.
func (r *sessionReader) sent(n *schema.Node, in *protocol.Replication) {
	e, s, d, c := in.Envelope, in.Snapshot, in.Dispatch, in.Reconnect
	r.filled(n, e.Type, e.Channel, e.Action, e.Sequence, e.Client[0], e.ClientSequence[0])
	if len(e.Client) > 1 && e.ClientSequence[0] == e.Client[0] {
		r.filled(n, phase.StructOf(e.Client[0].Type), e.Client.Last(), e.ClientSequence.Last())
	}
	r.filled(n, s.Type, s.Channel, s.State, s.Sequence)
	r.filled(n, d.Type, d.Channel, d.Action, d.ClientSequence)
	r.filled(n, c.Replay, c.Envelopes, c.Missing)
	r.filled(n, c.Restart, c.Snapshots)
}

// filled requires that an object has no other required members.
func (r *sessionReader) filled(n *schema.Node, s *protocol.Struct, given ...*protocol.Field) {
	if s == nil || r.b.of.Types.Broken[s] || slices.Contains(given, nil) {
		return // reported
	}
	for _, f := range s.Fields {
		if f.Required && !f.Nullable && f.Const == nil && !slices.Contains(given, f) {
			r.errorf(n.Pos, "take it out of required, or the session away", "%s of %s has to be there, and nothing says what it is", f.Name, s.Name)
		}
	}
}

func (r *sessionReader) open(n *schema.Node, snapshot *protocol.Struct) protocol.OpenRoles {
	m := r.b.out.Handshake.Method
	r.roles[m] = true
	params, result := phase.ObjectOf(m.Params), phase.ObjectOf(m.Result)
	return protocol.OpenRoles{
		Method:        m,
		Client:        r.text(n.Get("client"), params),
		Subscriptions: r.channels(n.Get("subscriptions"), params),
		Sequence:      r.number(n.Get("sequence"), result),
		Snapshots:     r.list(n.Get("snapshots"), result, snapshot),
	}
}

func (r *sessionReader) resume(n *schema.Node, answer *protocol.Union) protocol.ResumeRoles {
	m, params, result := r.request(n.Get("method"))
	if u, _ := result.(*protocol.Union); m != nil && u != answer {
		r.errorf(n.Get("method").Pos, "name a request with that result", "the result of %s is not %s, which answers a client that comes back", m.Name, answer.Name)
	}
	out := protocol.ResumeRoles{
		Method:        m,
		Client:        r.text(n.Get("client"), params),
		Sequence:      r.number(n.Get("sequence"), params),
		Subscriptions: r.texts(n.Get("subscriptions"), params),
	}
	r.filled(n.Get("method"), params, out.Client, out.Sequence, out.Subscriptions)
	return out
}

func (r *sessionReader) subscribe(n *schema.Node, snapshot *protocol.Struct) protocol.SubscribeRoles {
	m, params, result := r.request(n.Get("method"))
	out := protocol.SubscribeRoles{Method: m, Channel: r.text(n.Get("channel"), params)}
	if m == nil {
		return out
	}
	answer := phase.ObjectOf(result)
	if answer == nil {
		r.errorf(n.Get("method").Pos, "name a request that is answered with a snapshot in an object", "the result of %s is no object", m.Name)
		return out
	}
	r.filled(n.Get("method"), params, out.Channel)
	f := r.member(n.Get("snapshot"), answer)
	r.filled(n.Get("method"), answer, f)
	out.Snapshot = r.is(n.Get("snapshot"), f, snapshot.Name, f != nil && phase.StructOf(f.Type) == snapshot)
	code := n.Get("missing")
	if code == nil {
		r.failed = true // reported
		return out
	}
	out.Missing = each.First(r.b.out.Errors, func(e *protocol.ErrorCode) bool { return code.Compact() == strconv.FormatInt(e.Code, 10) })
	if out.Missing == nil {
		r.errorf(code.Pos, "name an error code that the schemas list", "there is no error code %s", code.Compact())
	}
	return out
}

func (r *sessionReader) unsubscribe(n *schema.Node) protocol.UnsubscribeRoles {
	m, params, _ := r.method(n.Get("method"), "notification")
	out := protocol.UnsubscribeRoles{Method: m, Channel: r.text(n.Get("channel"), params)}
	r.filled(n.Get("method"), params, out.Channel)
	return out
}

// named returns the named method.
func (r *sessionReader) named(n *schema.Node) *protocol.Method {
	if n.Str() == "" {
		return nil // reported
	}
	m := r.b.out.Method(n.Text)
	if m == nil && slices.ContainsFunc(r.b.Facts.Methods, func(m *facts.Method) bool { return m.Name == n.Text }) && r.b.HasErrors() {
		r.failed = true // it exists but has errors
		return nil
	}
	if m == nil {
		names := each.Map(r.b.out.Methods, func(m *protocol.Method) string { return m.Name })
		r.errorf(n.Pos, similar.DidYouMean(n.Text, names, "name a method of the protocol"), "there is no method %s", n.Compact())
	}
	return m
}

// request returns a named client request with an object as parameters.
func (r *sessionReader) request(n *schema.Node) (m *protocol.Method, params *protocol.Struct, result protocol.Type) {
	return r.method(n, "request")
}

// method returns a named request or notification of clients with an object as parameters.
func (r *sessionReader) method(n *schema.Node, kind string) (m *protocol.Method, params *protocol.Struct, result protocol.Type) {
	m = r.named(n)
	if m == nil {
		r.failed = true
		return nil, nil, nil
	}
	if m.Notification != (kind == "notification") || m.From == protocol.FromHost {
		if r.b.contradicted(m) {
			r.failed = true // it is unclear which applies
			return nil, nil, nil
		}
		r.errorf(n.Pos, r.b.Say("name a "+kind+" that clients send"), "%s is no %s of clients", m.Name, kind)
		return nil, nil, nil
	}
	if params = phase.ObjectOf(m.Params); params == nil {
		r.errorf(n.Pos, "name a "+kind+" that takes an object", "the parameters of %s are no object", m.Name)
		return nil, nil, nil
	}
	if r.roles[m] {
		r.errorf(n.Pos, "name another one", "%s has a role already", m.Name)
		return nil, nil, nil
	}
	r.roles[m] = true
	return m, params, m.Result
}

// carrier returns the notification with a type as its parameters.
func (r *sessionReader) carrier(n *schema.Node, params *protocol.Struct, from protocol.Side) *protocol.Method {
	for _, m := range r.b.out.Methods {
		if m.Notification && (m.From == from || m.From == protocol.FromBoth) && phase.ObjectOf(m.Params) == params {
			r.roles[m] = true
			return m
		}
	}
	r.errorf(n.Pos, "make it the parameters of one", "no notification of the %s carries %s", phase.SidesOf(r.b.Facts.Sides).Name(from), params.Name)
	return nil
}

// channels reads an optional list of strings.
func (r *sessionReader) channels(n *schema.Node, s *protocol.Struct) *protocol.Field {
	return r.strings(n, r.member(n, s))
}

// contradicted reports whether a method's statements contradict each other, which is reported elsewhere.
func (b *builder) contradicted(m *protocol.Method) bool {
	if m.Params == nil {
		return false
	}
	def := b.Set.Lookup(m.Params.Head().Name)
	return def != nil && b.Said(def.Schema)
}
