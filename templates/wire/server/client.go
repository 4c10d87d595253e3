// Clients: the server's end of each connection.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Client is a client that is connected. It is an [rpc.Conn] at the version of the client, whose notifications
// keep their place among all that is sent to it.
type Client struct {
	peer     *rpc.Peer
	server   sender
	id       string
	version  string
	versions rpc.Order
	open     bool
	gone     bool

	channels map[string]bool // that it has subscribed to; the lock of the server guards them
	has      map[string]bool // what its version knows, by the version that it came in with
}

// sender puts a message to one client on its way.
type sender interface {
	sendTo(c *Client, data []byte) error
}

var _ rpc.Conn = (*Client)(nil)

// ID is the id that the client has given itself.
func (c *Client) ID() string { return c.id }

// Version is the version that was agreed with the client.
func (c *Client) Version() string { return c.version }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.peer.Done() }

// Close ends the connection in good order. Called by a handler of the client's, it waits for itself: call it
// on another goroutine there.
func (c *Client) Close() error { return c.peer.Close() }

// Call implements [rpc.Conn].
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.peer.Call(ctx, method, params)
}

// Notify implements [rpc.Conn].
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := (&rpc.Message{Kind: rpc.Notification, Method: method, Params: params}).AppendJSON(nil)
	if err != nil {
		return err
	}
	return c.server.sendTo(c, data)
}

func (s *Server[S, A]) sendTo(c *Client, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return rpc.ErrClosed
	}
	s.out.list = append(s.out.list, delivery{data: data, also: c})
	s.out.bytes += int64(len(data))
	s.kick()
	return nil
}

// Serve serves a client until its connection ends, as [rpc.Peer.Serve] does.
func (s *Server[S, A]) Serve(ctx context.Context, t rpc.Transport) error {
	s.mu.Lock()
	if s.closed != nil {
		defer s.mu.Unlock()
		_ = t.Close("")
		return s.closed
	}
	s.serving.Add(1)
	s.mu.Unlock()
	defer s.serving.Done()

	var o rpc.Options
	if s.options.Limits.Peer != nil {
		o = *s.options.Limits.Peer
	}
	if o.GreetingTimeout == 0 {
		o.GreetingTimeout = s.options.Limits.Greeting
	}
	if o.MaxGreeting == 0 {
		o.MaxGreeting = 1 << 20
	}
	c := &Client{peer: rpc.NewPeer(t, &o), server: s, versions: s.table.Versions, channels: map[string]bool{}}
	err := c.peer.Serve(ctx, &handler[S, A]{server: s, client: c})
	s.leave(c)
	return err
}

// leave forgets a connection.
func (s *Server[S, A]) leave(c *Client) {
	s.mu.Lock()
	s.part(c)
	was := c.open
	s.mu.Unlock()
	if was && s.options.Left != nil {
		s.options.Left(c)
	}
}

// part takes a client out of everything but the memory of who may come back. The caller holds the lock.
func (s *Server[S, A]) part(c *Client) {
	if c.gone {
		return
	}
	c.gone = true
	for name := range c.channels {
		if on := s.channels[name]; on != nil {
			on.leave(c)
		}
	}
	c.channels = map[string]bool{}
	if s.clients[c.id] == c {
		delete(s.clients, c.id)
		if k := s.known[c.id]; k != nil {
			k.left = s.options.Limits.Now()
		}
	}
}

func (s *Server[S, A]) connected() []*Client { return slices.Collect(maps.Values(s.clients)) }

func (on *channel[S]) join(c *Client) {
	if !c.channels[on.name] {
		c.channels[on.name] = true
		on.subscribers = append(slices.Clip(on.subscribers), c)
	}
}

func (on *channel[S]) leave(c *Client) {
	if i := slices.Index(on.subscribers, c); i >= 0 {
		on.subscribers = slices.Delete(slices.Clone(on.subscribers), i, i+1)
	}
	delete(c.channels, on.name)
}

// welcome makes a connection that of a client. An older connection of the same client has lost its other end,
// or its owner: it is cut off. The caller holds the lock.
func (s *Server[S, A]) welcome(c *Client, id, version string) {
	if older := s.clients[id]; older != nil {
		s.part(older)
		go func() { _ = older.peer.Close() }()
	}
	c.id, c.version, c.open = id, version, true
	s.clients[id] = c
	c.peer.Welcome()
	k := s.known[id]
	if k == nil {
		s.forgetSome()
		k = &known{}
		s.known[id] = k
	}
	if k.version != version {
		k.version = version
		s.record(Record{Kind: ClientKnown, Key: id, Data: []byte(version)})
	}
}

// absent is a client that has no connection, and since when.
type absent struct {
	id   string
	left time.Time
}

// sortAbsent is no part of a server, which is generic and would take all of sorting along into each package.
//
//go:noinline
func sortAbsent(away []absent) {
	slices.SortFunc(away, func(a, b absent) int { return a.left.Compare(b.left) })
}

// forgetSome makes room among the clients that may come back: those that left too long ago go, and a tenth of
// all where that is not enough. The caller holds the lock.
func (s *Server[S, A]) forgetSome() {
	if len(s.known) < s.options.Limits.Known {
		return
	}
	var away []absent
	for id, k := range s.known {
		if s.clients[id] == nil {
			away = append(away, absent{id, k.left})
		}
	}
	sortAbsent(away)
	long := s.options.Limits.Now().Add(-s.options.Limits.KnownFor)
	for i, a := range away {
		if i >= max(1, s.options.Limits.Known/10) && a.left.After(long) {
			break
		}
		delete(s.known, a.id)
		s.record(Record{Kind: ClientGone, Key: a.id})
	}
}

// handler handles what one client sends.
type handler[S comparable, A any] struct {
	server *Server[S, A]
	client *Client
	others rpc.Handler // nil until it is needed
}

// DecodeRPC implements [rpc.Handler]. The parameters of what a client dispatches are decoded where it has its
// turn, since an answer is due even where they cannot be.
func (h *handler[S, A]) DecodeRPC(data []byte) (rpc.Message, error) {
	return rpc.Decode(data, h.server.table)
}

// errStranger answers whoever has not introduced itself.
var errStranger = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "introduce yourself first"}

// ServeRPC implements [rpc.Handler]. Every answer takes its place behind what was published before it.
func (h *handler[S, A]) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	s, p := h.server, h.server.protocol
	if m.Kind == rpc.Notification {
		switch m.Method {
		case p.Dispatch:
			return nil, h.dispatch(m)
		case p.Unsubscribe:
			return nil, h.unsubscribe(m)
		}
		if !h.client.open && !slices.Contains(p.Anytime, m.Method) {
			return nil, errStranger
		}
		return h.other(ctx, m)
	}
	s.mu.Lock()
	s.out.wait() // who asks for more than can be sent is read no further
	s.mu.Unlock()
	answer := rpc.Later(ctx)
	if answer == nil { // not over a connection
		return nil, errStranger
	}
	defer func() {
		if answer != nil { // the handler ended its goroutine or panicked
			s.answer(func() { answer(nil, &rpc.Error{Code: int64(rpc.InternalError), Message: "the handler failed"}) }, 0)
		}
	}()
	reply := func(result wire.Appender, err error) {
		raw, err := encode(result, err)
		send := answer
		answer = nil
		s.answerLocked(func() { send(raw, err) }, len(raw))
	}
	switch m.Method {
	case p.Open:
		h.introduce(ctx, m, reply)
	case p.Resume:
		h.resume(ctx, m, reply)
	case p.Subscribe:
		h.subscribe(ctx, m, reply)
	default:
		var result json.RawMessage
		var err error = errStranger
		if h.client.open || slices.Contains(p.Anytime, m.Method) {
			result, err = h.other(ctx, m)
		}
		send := answer
		answer = nil
		s.answer(func() { send(result, err) }, len(result))
	}
	return nil, nil
}

func encode(result wire.Appender, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return result.AppendJSON(nil)
}

// answer puts an answer of a size behind what is on its way.
func (s *Server[S, A]) answer(do func(), size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answerLocked(do, size)
}

func (s *Server[S, A]) answerLocked(do func(), size int) {
	s.out.list = append(s.out.list, delivery{do: do})
	s.out.bytes += int64(size)
	s.kick()
}

// other passes on what the server does not handle itself.
func (h *handler[S, A]) other(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if h.others == nil {
		h.others = noHandler{}
		if h.server.options.Handlers != nil {
			h.others = h.server.options.Handlers(h.client)
		}
	}
	return h.others.ServeRPC(ctx, m)
}

type noHandler struct{}

func (noHandler) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (noHandler) ServeRPC(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	return nil, &rpc.Error{Code: int64(rpc.MethodNotFound), Message: "there is no " + wire.Excerpt(m.Method) + " here"}
}

func invalid(err error) error {
	return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: " + err.Error()}
}

var errTwice = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "introduced already"}

// introduce agrees on a version with a client and gives it the states that it asks for. Where no version fits,
// the connection ends after the answer.
func (h *handler[S, A]) introduce(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	in, err := s.protocol.ReadOpen(m.Params)
	var version string
	switch {
	case err != nil:
		err = invalid(err)
	case in.Client == "":
		err = invalid(errors.New("a client needs an id"))
	default:
		version, err = s.protocol.Negotiate(in.Offers)
		if err != nil {
			defer s.answer(func() { go func() { _ = c.peer.Close() }() }, 0)
		}
	}
	if err == nil && c.open {
		err = errTwice
	}
	if err == nil {
		c.id = in.Client
		in.Subscriptions, _ = h.admit(ctx, in.Subscriptions)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && c.gone {
		err = rpc.ErrClosed
	}
	if err != nil {
		reply(nil, err)
		return
	}
	s.welcome(c, in.Client, version)
	opened := Opened[S]{Client: c, Version: version, Sequence: s.sequence, Snapshots: []Snapshot[S]{}}
	for _, name := range in.Subscriptions {
		if on := s.channels[name]; on != nil {
			on.join(c)
			if on.hasState {
				opened.Snapshots = append(opened.Snapshots, Snapshot[S]{name, on.state, s.sequence})
			}
		}
	}
	reply(s.protocol.Opened(m.Params, opened))
}

// resume takes a client up again: with what it has missed where that is remembered, and with new states
// otherwise.
func (h *handler[S, A]) resume(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	in, err := s.protocol.ReadResume(m.Params)
	if err != nil {
		err = invalid(err)
	}
	missing := []string{}
	if err == nil && !c.open {
		c.id = in.Client
		in.Subscriptions, missing = h.admit(ctx, in.Subscriptions)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.known[in.Client]
	switch {
	case err != nil:
	case c.open || c.gone:
		err = errTwice
	case k == nil:
		err = errStranger
	}
	if err != nil {
		reply(nil, err)
		return
	}
	s.welcome(c, in.Client, k.version)
	snapshots := []Snapshot[S]{}
	replay := in.Seen >= s.forgotten && in.Seen <= s.sequence
	for _, name := range in.Subscriptions {
		on := s.channels[name]
		if on == nil {
			missing = append(missing, name)
			continue
		}
		on.join(c)
		if on.hasState {
			snapshots = append(snapshots, Snapshot[S]{name, on.state, s.sequence})
			// Or the client has a state of an earlier channel of that name: also one that ended and began anew with
			// no action in between.
			replay = replay && on.opened < in.Seen
		}
	}
	if !replay {
		reply(s.protocol.Restarted(snapshots), nil)
		return
	}
	missed := []Envelope[A]{}
	first, _ := slices.BinarySearchFunc(s.window, in.Seen+1, func(e remembered[A], n int64) int { return cmp.Compare(e.Sequence, n) })
	for _, e := range s.window[first:] {
		own := e.Origin != nil && e.Origin.Client == in.Client
		if (own || c.channels[e.Channel]) && s.reaches(c, e.Envelope) {
			missed = append(missed, e.Envelope)
		}
	}
	reply(s.protocol.Replayed(missed, missing), nil)
}

// admit parts channels that a client may have from those that it may not.
func (h *handler[S, A]) admit(ctx context.Context, names []string) (admitted, refused []string) {
	refused = []string{}
	for _, name := range names {
		if f := h.server.options.Admit; f != nil && f(ctx, h.client, name) != nil {
			refused = append(refused, name)
		} else {
			admitted = append(admitted, name)
		}
	}
	return admitted, refused
}

// reaches reports whether the version of a client has the action of an envelope.
func (s *Server[S, A]) reaches(c *Client, e Envelope[A]) bool {
	if e.Refusal != nil {
		return true
	}
	since, ok := s.protocol.Since(e.Action)
	return ok && s.table.Versions.KnownIn(c.version, since)
}

func (h *handler[S, A]) subscribe(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	name, err := s.protocol.ReadSubscribe(m.Params)
	switch {
	case !c.open:
		err = errStranger
	case err != nil:
		err = invalid(err)
	case s.options.Admit != nil:
		err = s.options.Admit(ctx, c, name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	on := s.channels[name]
	switch {
	case err != nil:
	case c.gone: // another connection has taken its place
		err = rpc.ErrClosed
	case on == nil, !on.hasState && !s.protocol.Stateless: // the latter out of a log, from when there were such
		err = s.protocol.NotFound
	}
	if err != nil {
		reply(nil, err)
		return
	}
	on.join(c)
	if !on.hasState {
		reply(s.protocol.Subscribed(nil), nil)
		return
	}
	reply(s.protocol.Subscribed(&Snapshot[S]{name, on.state, s.sequence}), nil)
}

func (h *handler[S, A]) unsubscribe(m *rpc.Message) error {
	s, c := h.server, h.client
	name, err := s.protocol.ReadUnsubscribe(m.Params)
	if err != nil {
		s.options.OnError(err)
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if on := s.channels[name]; on != nil {
		on.leave(c)
	}
	return nil
}

// dispatch decides on an action of a client. Either way everybody hears of it, with its origin: an action that
// was refused waits at its client for the answer, also where it could not be decoded. Where the protocol cannot
// give back such a one, the connection ends: the client takes its action for lost when it comes back.
func (h *handler[S, A]) dispatch(m *rpc.Message) error {
	s, c := h.server, h.client
	d, refusal, err := h.read(m)
	if err != nil && s.protocol.Raw == nil {
		s.options.OnError(err)
		go func() { _ = c.peer.Close() }()
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.wait()
	for len(s.accepted.list) > maxAccepted {
		s.out.room.Wait()
	}
	if !c.open || c.gone || s.closed != nil {
		return nil // it has no id under which to answer, or nobody is there any more
	}
	on := s.channels[d.Channel]
	switch {
	case err != nil:
		on = nil // nobody else could decode it either
	case on != nil && !on.hasState:
		on = nil
		fallthrough
	default:
		refusal = h.judge(on, d)
	}
	e := Envelope[A]{Channel: d.Channel, Action: d.Action, Origin: &Origin{c.id, d.Sequence}}
	if refusal != "" {
		e.Refusal = &refusal
	}
	if err := s.emit(on, e, c); err != nil {
		s.report(err)
		return nil
	}
	if refusal == "" {
		s.tell(acceptance[A]{c, d.Channel, d.Action})
	}
	return nil
}

// read reads what a client dispatches, and why that is refused where it cannot be decoded.
func (h *handler[S, A]) read(m *rpc.Message) (d Dispatched[A], refusal string, err error) {
	p := h.server.protocol
	d, err = p.ReadDispatch(m.Params)
	if err == nil || p.Raw == nil {
		return d, "", err
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(m.Params, &members)
	_ = json.Unmarshal(members[p.DispatchChannel], &d.Channel)
	_ = json.Unmarshal(members[p.DispatchSequence], &d.Sequence)
	raw := members[p.DispatchAction]
	if raw == nil {
		raw = json.RawMessage("null")
	}
	d.Action = p.Raw(raw)
	return d, "cannot be decoded: " + err.Error(), err
}

// judge says why an action of a client is refused, "" where it is not. The caller holds the lock.
func (h *handler[S, A]) judge(on *channel[S], d Dispatched[A]) string {
	s := h.server
	if on == nil {
		return "there is no such channel"
	}
	if why := s.protocol.Refusal(d.Action); why != "" {
		return why
	}
	if !s.protocol.Fits(d.Action, on.state) {
		return "the action is one for another kind of channel"
	}
	if s.options.Validate != nil {
		if err := s.options.Validate(h.client, d.Channel, on.state, d.Action); err != nil {
			return err.Error()
		}
	}
	return ""
}
