// Session: by which methods a client comes and goes, checked against what they are.

package analyze

import (
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/profile"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/generator/schema"
)

// session reads what is stated about it. Methods, error codes and the handshake are read before.
func (b *builder) session() {
	n := b.replicationNode()
	if n == nil || b.out.Replication == nil {
		return
	}
	if n = n.Get("session"); n == nil {
		return
	}
	r := &sessionReader{roleReader{b: b}}
	if b.out.Handshake == nil {
		if !b.diags.HasErrors() {
			r.errorf(n.Pos, "state the handshake as well", "a session begins with a handshake, and there is none")
		}
		return
	}
	out := r.read(n)
	if !r.failed {
		b.out.Replication.Session = out
	}
}

type sessionReader struct{ roleReader }

func (r *sessionReader) read(n *schema.Node) *protocol.SessionRoles {
	in := r.b.out.Replication
	out := &protocol.SessionRoles{
		Dispatch: r.carrier(n, in.Dispatch.Type, protocol.FromClient),
		Action:   r.carrier(n, in.Envelope.Type, protocol.FromHost),
	}
	parts := r.object(n, "open", "resume", "subscribe", "unsubscribe")
	if at := parts["open"]; at != nil {
		out.Open = r.open(at, in.Snapshot.Type)
	}
	if at := parts["resume"]; at != nil {
		out.Resume = r.resume(at, in.Reconnect.Type)
	}
	if at := parts["subscribe"]; at != nil {
		out.Subscribe = r.subscribe(at, in.Snapshot.Type)
	}
	if at := parts["unsubscribe"]; at != nil {
		at := r.object(at, "method", "channel")
		m, params, _ := r.method(at["method"], true)
		out.Unsubscribe = protocol.UnsubscribeRoles{Method: m, Channel: r.text(at["channel"], params)}
	}
	for _, item := range items(n.Get("anytime")) {
		if m := r.named(item); m != nil {
			out.Anytime = append(out.Anytime, m)
		}
	}
	for _, item := range items(n.Get("repeat")) {
		at := r.object(item, "method", "key")
		if m, params, _ := r.method(at["method"], false); m != nil {
			out.Repeat = append(out.Repeat, protocol.RepeatRoles{Method: m, Key: r.text(at["key"], params)})
		}
	}
	return out
}

func (r *sessionReader) open(n *schema.Node, snapshot *protocol.Struct) protocol.OpenRoles {
	at := r.object(n, "client", "subscriptions", "sequence", "snapshots")
	m := r.b.out.Handshake.Method
	params, result := objectOf(m.Params), objectOf(m.Result)
	return protocol.OpenRoles{
		Method:        m,
		Client:        r.text(at["client"], params),
		Subscriptions: r.channels(at["subscriptions"], params),
		Sequence:      r.number(at["sequence"], result),
		Snapshots:     r.list(at["snapshots"], result, snapshot),
	}
}

func (r *sessionReader) resume(n *schema.Node, answer *protocol.Union) protocol.ResumeRoles {
	at := r.object(n, "method", "client", "sequence", "subscriptions")
	m, params, result := r.method(at["method"], false)
	if u, _ := result.(*protocol.Union); m != nil && u != answer {
		r.errorf(at["method"].Pos, "", "the result of %s is not %s, which answers a client that comes back", m.Name, answer.Name)
	}
	return protocol.ResumeRoles{
		Method:        m,
		Client:        r.text(at["client"], params),
		Sequence:      r.number(at["sequence"], params),
		Subscriptions: r.texts(at["subscriptions"], params),
	}
}

func (r *sessionReader) subscribe(n *schema.Node, snapshot *protocol.Struct) protocol.SubscribeRoles {
	at := r.object(n, "method", "channel", "snapshot", "missing")
	m, params, result := r.method(at["method"], false)
	out := protocol.SubscribeRoles{Method: m, Channel: r.text(at["channel"], params)}
	if m == nil {
		return out
	}
	answer := objectOf(result)
	if answer == nil {
		r.errorf(at["method"].Pos, "", "the result of %s is no object", m.Name)
		return out
	}
	f := r.member(at["snapshot"], answer)
	out.Snapshot = r.is(at["snapshot"], f, snapshot.Name, f != nil && structOf(f.Type) == snapshot)
	if code := at["missing"]; code != nil {
		i := slices.IndexFunc(r.b.out.Errors, func(e *protocol.ErrorCode) bool { return code.Compact() == strconv.FormatInt(e.Code, 10) })
		if i < 0 {
			r.errorf(code.Pos, "name an error code that the schemas list", "there is no error code %s", code.Compact())
			return out
		}
		out.Missing = r.b.out.Errors[i]
	}
	return out
}

// named returns the method that a node names.
func (r *sessionReader) named(n *schema.Node) *protocol.Method {
	if text(n) == "" {
		return nil // reported
	}
	i := slices.IndexFunc(r.b.out.Methods, func(m *protocol.Method) bool { return m.Name == n.Text })
	if i < 0 && slices.ContainsFunc(r.b.prof.Methods, func(m profile.Method) bool { return m.Name == n.Text }) && r.b.diags.HasErrors() {
		r.failed = true // there is one, of which something is wrong
		return nil
	}
	if i < 0 {
		r.errorf(n.Pos, "name a method of the protocol", "there is no method %s", n.Compact())
		return nil
	}
	return r.b.out.Methods[i]
}

// method returns a method that clients send, which takes an object.
func (r *sessionReader) method(n *schema.Node, notification bool) (m *protocol.Method, params *protocol.Struct, result protocol.Type) {
	m = r.named(n)
	if m == nil {
		r.failed = true
		return nil, nil, nil
	}
	kind := "request"
	if notification {
		kind = "notification"
	}
	if m.Notification != notification || m.From == protocol.FromHost {
		r.errorf(n.Pos, "name a "+kind+" that clients send", "%s is no %s of clients", m.Name, kind)
		return nil, nil, nil
	}
	if params = objectOf(m.Params); params == nil {
		r.errorf(n.Pos, "", "the parameters of %s are no object", m.Name)
		return nil, nil, nil
	}
	return m, params, m.Result
}

// carrier returns the notification that has a type as its parameters.
func (r *sessionReader) carrier(n *schema.Node, params *protocol.Struct, from protocol.Side) *protocol.Method {
	for _, m := range r.b.out.Methods {
		if m.Notification && (m.From == from || m.From == protocol.FromBoth) && objectOf(m.Params) == params {
			return m
		}
	}
	r.errorf(n.Pos, "", "no notification of the %s carries %s", from, params.Name)
	return nil
}

// channels reads a list of strings that may be missing.
func (r *sessionReader) channels(n *schema.Node, s *protocol.Struct) *protocol.Field {
	f := r.member(n, s)
	if f == nil {
		return nil
	}
	list, ok := protocol.Underlying(f.Type).(protocol.List)
	return r.is(n, f, "a list of strings", ok && protocol.Underlying(list.Elem) == protocol.Expr(protocol.String))
}

// objectOf is what a method takes or returns, where that is an object.
func objectOf(t protocol.Type) *protocol.Struct {
	if t == nil {
		return nil
	}
	return structOf(protocol.Ref{Type: t})
}

// items are those of a list, none where there is no list.
func items(n *schema.Node) []*schema.Node {
	if n == nil {
		return nil
	}
	return n.Items
}
