// Calls: requests, notifications and answers.

package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// call judges a request or a notification.
func (c *conn) call(m *Message, in *rpc.Message, path string) {
	c.choose(in.Method)
	decoded := inside.DecodeState(in.Params)
	params, _ := decoded.(map[string]any)
	method := c.method(m, in, params)
	if in.Kind == rpc.Request {
		c.ask(m, method, params)
	}
	c.handshake(m, in, method)
	if method == nil {
		return
	}
	m.Channel, m.Detail = c.about(method, params)
	if method.Params != nil {
		if decoded == nil {
			decoded = map[string]any{}
		}
		c.check(m, BadParams, method.Params, decoded, path)
	}
	c.permitted(m, method, in.Params, path)
	if params != nil {
		c.cancels(m, method, params, path)
		c.progresses(m, in, method, params, path)
		c.replicate(m, method, params, path)
	}
}

// method returns the method of a message, or nil if the protocol has none that the sender may use in this way.
func (c *conn) method(m *Message, in *rpc.Message, params map[string]any) *protocol.Method {
	named := c.calls[in.Method]
	if len(named) == 0 {
		if !c.foreign(in.Method, params) {
			m.find(Finding{Rule: UnknownMethod, Path: "method", Text: fmt.Sprintf("%s %s has no %s", c.p.Title, cmp.Or(c.agreed, c.p.Spoken()), short(in.Method))})
		}
		return nil
	}
	fits := func(ok func(*protocol.Method) bool) (*protocol.Method, bool) {
		i := slices.IndexFunc(named, ok)
		if i < 0 {
			return named[0], false
		}
		return named[i], true
	}
	sends := func(of *protocol.Method) bool { return of.From == protocol.FromBoth || of.From == m.From }
	kind := func(of *protocol.Method) bool { return of.Notification == (in.Kind == rpc.Notification) }
	method, ok := fits(func(of *protocol.Method) bool { return sends(of) && kind(of) })
	f := Finding{Path: "method"}
	f.of(method)
	switch {
	case ok:
		since := c.p.OnWire(method.Since)
		if c.agreed == "" || orders[c.p.SpokenOrder()].KnownIn(c.agreed, since) {
			return method
		}
		f.Rule, f.Text = UnknownMethod, fmt.Sprintf("%s is new in %s, and %s was agreed on", short(in.Method), since, c.agreed)
	case !kind(method) && sends(method):
		f.Rule, f.Text = WrongKind, fmt.Sprintf("%s is a %s", short(in.Method), method.Kind())
	default:
		f.Rule, f.Text = WrongSide, fmt.Sprintf("%s is sent by %s", short(in.Method), c.p.Sides.A(m.From.Peer()))
	}
	m.find(f)
	return nil
}

// foreign reports whether a method belongs to an extension, or to another protocol that a channel carries.
func (c *conn) foreign(name string, params map[string]any) bool {
	if e := c.p.Extensions; e != nil && e.Prefix != "" && strings.HasPrefix(name, e.Prefix) {
		return c.agreed == "" || orders[c.p.SpokenOrder()].KnownIn(c.agreed, c.p.OnWire(e.Since))
	}
	return slices.ContainsFunc(c.p.Channels, func(ch *protocol.Channel) bool {
		uri, _ := params[ch.PassThrough].(string)
		start, _, _ := strings.Cut(ch.URI, "<")
		return ch.PassThrough != "" && uri != "" && strings.HasPrefix(uri, start)
	})
}

// ask notes a request.
func (c *conn) ask(m *Message, method *protocol.Method, params map[string]any) {
	s := c.sides[m.From]
	if before := s.pending[m.ID]; before != nil {
		m.find(Finding{Rule: IDInUse, Path: "id", Text: fmt.Sprintf("%s is the id of message %d, which is not answered yet", m.ID, before.n)})
	} else if len(s.pending) >= maxPending {
		return // its answer is one without a request
	}
	c.named(m, s)
	delete(s.answered, m.ID)
	if !c.remembers(method) {
		params = nil
	}
	s.pending[m.ID] = &request{n: m.N, at: m.Time, method: method, name: m.Method, params: params}
}

// named judges the id of a request.
func (c *conn) named(m *Message, s *side) {
	if c.p.Calls == nil || c.Redacted && m.ID == `"`+record.Redacted+`"` {
		return
	}
	f := Finding{Rule: BadID, Path: "id"}
	for _, not := range c.p.Calls.NotIDs {
		before, used := s.answered[m.ID]
		id, err := strconv.ParseFloat(m.ID, 64)
		switch {
		case not == "null" && m.ID == "null":
			f.Text = "the id of a request is not null"
		case not == "fraction" && err == nil && id != math.Trunc(id):
			f.Text = "the id of a request is a whole number or a text, and not " + m.ID
		case not == "used" && used && m.ID != "null" && !c.shared:
			f.Text = fmt.Sprintf("%s is the id of an earlier request, which message %d has answered", m.ID, before)
		default:
			continue
		}
		m.find(f)
	}
}

// answer judges the answer to a request of the other side.
func (c *conn) answer(m *Message, in *rpc.Message, prefix string) {
	s := c.sides[m.From.Peer()]
	r := s.pending[m.ID]
	if r == nil {
		switch first, twice := s.answered[m.ID]; {
		case m.ID == "null" && in.Kind == rpc.Failure: // a message that could not be read has no id
		case twice:
			m.find(Finding{Rule: AnsweredTwice, Path: "id", Text: fmt.Sprintf("%s was answered by message %d", m.ID, first)})
		case c.missed:
		default:
			m.find(Finding{Rule: NotRequested, Path: "id", Text: "there is no request with the id " + m.ID})
		}
		return
	}
	m.Method, m.Answers, m.Latency = r.name, r.n, m.Time.Sub(r.at)
	if r.method == nil || !r.method.Stream || in.Kind == rpc.Failure {
		delete(s.pending, m.ID)
		if s.answered[m.ID] = m.N; len(s.answered) > maxAnswered {
			delete(s.answered, s.oldest[0])
			s.oldest = s.oldest[1:]
		}
		s.oldest = append(s.oldest, m.ID)
	}
	switch {
	case r.method == nil:
	case in.Kind == rpc.Failure:
		c.failed(m, r, in.Error, join(join(prefix, "error"), "data"))
	default:
		c.succeeded(m, r, in.Result, join(prefix, "result"))
	}
}

func (c *conn) succeeded(m *Message, r *request, raw json.RawMessage, path string) {
	result := inside.DecodeState(raw)
	switch {
	case result == nil && (r.method.NullResult || r.method.Result == nil):
	case r.method.Result != nil:
		c.check(m, BadResult, r.method.Result, result, path)
	default:
		if _, isObject := result.(map[string]any); !isObject {
			m.find(Finding{Rule: BadResult, Path: path, Text: "type null, got " + excerpt(result), Schema: r.method.Name, At: r.method.Pos.String()})
		}
	}
	object, _ := result.(map[string]any)
	c.agree(m, r, raw, object)
	c.received(m, r, object)
}

// failed judges an error.
func (c *conn) failed(m *Message, r *request, e *rpc.Error, path string) {
	m.Detail = e.Name
	if known := c.p.Error(e.Code); known != nil {
		m.Detail = known.Name
		if known.Data != nil && len(e.Data) > 0 {
			c.check(m, BadError, known.Data, inside.DecodeState(e.Data), path)
		}
	}
	if m.Detail == "" && e.Code != 0 { // some protocols have no codes
		m.Detail = fmt.Sprint("error ", e.Code)
	}
	if h := c.p.Handshake; h != nil && r.method == h.Method && c.agreed == "" {
		c.opened = false
	}
	c.refused(r)
}

// cancels notes requests that need no answer any more.
func (c *conn) cancels(m *Message, method *protocol.Method, params map[string]any, path string) {
	calls := c.p.Calls
	if calls == nil || method != calls.Cancel {
		return
	}
	id, _ := json.Marshal(params[calls.CancelID])
	r := c.sides[m.From].pending[string(id)]
	if r == nil {
		return
	}
	r.cancelled = true
	if h := c.p.Handshake; calls.NotHandshake && h != nil && r.method == h.Method {
		f := Finding{Rule: NeverCancelled, Path: join(path, calls.CancelID), Text: fmt.Sprintf("%s is never cancelled", h.Method.Name)}
		f.of(h.Method)
		m.find(f)
	}
}

// progresses judges to which request a notification of progress belongs, and that it rises. It may come behind the answer, for a task
// may go on.
func (c *conn) progresses(m *Message, in *rpc.Message, method *protocol.Method, params map[string]any, path string) {
	calls := c.p.Calls
	if calls == nil || calls.Progress == nil {
		return
	}
	if s := c.sides[m.From]; in.Kind == rpc.Request && !s.manyTokens {
		if token := at(params, calls.RequestPath...); token != nil {
			text, _ := json.Marshal(token)
			if s.manyTokens = len(s.tokens) >= maxTokens || len(text) > maxToken; !s.manyTokens {
				s.tokens[string(text)] = &progress{}
			}
		}
	}
	if method != calls.Progress || params[calls.Token] == nil {
		return
	}
	text, _ := json.Marshal(params[calls.Token])
	s := c.sides[m.From.Peer()]
	switch before := s.tokens[string(text)]; {
	case before != nil:
		c.rises(m, before, params[calls.Rising], join(path, calls.Rising))
	case !s.manyTokens && !c.missed && !c.Redacted:
		m.find(Finding{Rule: NotRequested, Path: join(path, calls.Token), Text: "there is no request with the token " + excerpt(params[calls.Token])})
	}
}

// rises judges whether a request has got further than before. It notes how far, unless requests may be mistaken for each other.
func (c *conn) rises(m *Message, before *progress, v any, path string) {
	value, ok := number(v)
	if c.p.Calls.Rising == "" || !ok || c.shared || c.missed || c.Redacted {
		return
	}
	if before.reported && value <= before.value {
		f := Finding{Rule: ProgressBack, Path: path, Text: fmt.Sprintf("%v follows %v", value, before.value)}
		f.of(c.p.Calls.Progress)
		m.find(f)
	}
	before.value, before.reported = value, true
}

// number returns a number of decoded JSON.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// about returns the channel that a message is about, and what tells it from others with the same method: the type of its
// action, or the tag of a parameter.
func (c *conn) about(method *protocol.Method, params map[string]any) (channel, detail string) {
	if action, of := c.actionOf(method, params); action != nil {
		detail, _ = action[c.actionTag()].(string)
		channel, _ = params[of].(string)
		return channel, detail
	}
	channel, _ = params[c.channelMember(method)].(string)
	in, _ := method.Params.(*protocol.Struct)
	if in == nil {
		return channel, ""
	}
	for _, f := range in.Fields {
		if u := protocol.As[*protocol.Union](f.Type); u != nil && u.Dispatch != nil && u.Dispatch.Member != "" {
			detail, _ = at(params[f.Name], u.Dispatch.Member).(string)
			return channel, detail
		}
	}
	if c.p.HTTP != nil { // what a header repeats is what people look for
		for _, name := range c.p.HTTP.Names {
			if name.Method == method {
				detail, _ = params[name.Member].(string)
			}
		}
	}
	return channel, detail
}
