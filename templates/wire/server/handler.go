// Handler: handling clients' messages.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// handler handles the messages of one client.
type handler[S comparable, A any] struct {
	server *Server[S, A]
	client *Client
	others rpc.Handler // created on demand
}

// DecodeRPC implements [rpc.Handler]. Dispatched actions are decoded in their turn, since they are answered even if
// invalid.
func (h *handler[S, A]) DecodeRPC(data []byte) (rpc.Message, error) {
	return rpc.Decode(data, h.server.table)
}

// errNotInitialized is the answer before the handshake.
var errNotInitialized = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "not initialized"}

// ServeRPC implements [rpc.Handler]. Each answer follows what was published before it.
func (h *handler[S, A]) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	s, p := h.server, h.server.protocol
	if m.Kind == rpc.Notification {
		switch m.Method {
		case p.Dispatch:
			return nil, h.dispatch(ctx, m)
		case p.Unsubscribe:
			return nil, h.unsubscribe(m)
		}
		if !h.client.open && !slices.Contains(p.Anytime, m.Method) {
			return nil, errNotInitialized
		}
		return h.other(ctx, m)
	}
	s.mu.Lock()
	s.out.wait() // a client that asks for more than can be sent is not read
	for h.client.large > 0 {
		s.out.room.Wait()
	}
	s.mu.Unlock()
	if err := h.client.peer.WaitForRoom(ctx); err != nil {
		return nil, err
	}
	answer := rpc.DeferReply(ctx)
	if answer == nil { // not over a connection
		return nil, errNotInitialized
	}
	defer func() {
		if answer != nil { // the handler ended its goroutine or panicked
			s.answer(h.client, func(failed error) { answer(nil, cmp.Or[error](failed, errHandler)) }, 0)
		}
	}()
	reply := func(result wire.Appender, err error) {
		raw, err := encode(result, err)
		send := answer
		answer = nil
		s.answerLocked(h.client, answering(send, raw, err), len(raw))
	}
	limited, done := s.bounded(ctx)
	defer done()
	switch m.Method {
	case p.Open:
		h.introduce(limited, m, reply)
	case p.Resume:
		h.resume(limited, m, reply)
	case p.Subscribe:
		h.subscribe(limited, m, reply)
	default:
		var result json.RawMessage
		var err error = errNotInitialized
		if h.client.open || slices.Contains(p.Anytime, m.Method) {
			result, err = h.other(ctx, m)
		}
		send := answer
		answer = nil
		s.answer(h.client, answering(send, result, err), len(result))
	}
	return nil, nil
}

func encode(result wire.Appender, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return result.AppendJSON(nil)
}

var errHandler = &rpc.Error{Code: int64(rpc.InternalError), Message: "the handler failed"}

// answering returns an answer, or an error if the log has failed, because the answer's content may not be stored.
func answering(send func(json.RawMessage, error), result json.RawMessage, err error) func(failed error) {
	return func(failed error) {
		if failed != nil {
			send(nil, failed)
			return
		}
		send(result, err)
	}
}

// answer queues an answer of a given size.
func (s *Server[S, A]) answer(to *Client, do func(failed error), size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answerLocked(to, do, size)
}

func (s *Server[S, A]) answerLocked(to *Client, do func(failed error), size int) {
	d := delivery{do: do, always: true}
	if size > largeAnswer {
		d.large = to
		to.large++
	}
	s.out.list = append(s.out.list, d)
	s.out.bytes += int64(size)
	s.kick()
}

// other passes on what the server does not handle.
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
	return nil, &rpc.Error{Code: int64(rpc.MethodNotFound), Message: "method not found: " + wire.Excerpt(m.Method)}
}

func invalid(err error) error {
	return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: " + err.Error()}
}

var errInitialized = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "already initialized"}

// introduce negotiates a version and subscribes the client to the requested channels. If no version fits, the
// connection closes after the answer.
func (h *handler[S, A]) introduce(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	in, err := s.protocol.ReadOpen(m.Params)
	var version string
	var claim Claim
	switch {
	case err != nil:
		err = invalid(err)
	case in.Client == "":
		err = invalid(errNoID)
	default:
		version, err = s.protocol.Negotiate(in.Offers)
		if err != nil {
			defer s.answer(c, func(error) { go func() { _ = c.peer.Close() }() }, 0)
		}
	}
	if err == nil && c.open {
		err = errInitialized
	}
	if err == nil {
		claim, err = h.claim(ctx, in.Client, false)
	}
	if err == nil {
		c.id, c.version = in.Client, version
		in.Subscriptions, _ = h.admit(ctx, in.Subscriptions)
		if err = h.join(ctx, &claim, version); err == nil {
			err = h.lockFor(ctx, claim, in.Subscriptions)
		}
	}
	if err != nil {
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if err == nil && c.gone {
		err = rpc.ErrClosed
	}
	if over := s.over(); err == nil && over != nil {
		err = over
	}
	var opened wire.Appender
	if err == nil {
		opened, err = s.protocol.Opened(ctx, m.Params, s.opening(c, in))
	}
	if err != nil {
		if !c.open {
			c.id, c.version = "", ""
		}
		reply(nil, err)
		return
	}
	s.welcome(c, in.Client, version)
	for _, name := range in.Subscriptions {
		if on := s.channels[name]; on != nil {
			s.join(on, c)
		}
	}
	reply(opened, nil)
}

// opening returns the answer to a handshake. The caller must hold the lock.
func (s *Server[S, A]) opening(c *Client, in Opening) Opened[S] {
	out := Opened[S]{Client: c, Version: c.version, Sequence: s.sequence, Snapshots: []Snapshot[S]{}}
	for _, name := range in.Subscriptions {
		if on := s.channels[name]; on != nil && on.hasState {
			out.Snapshots = append(out.Snapshots, Snapshot[S]{name, on.state, s.sequence})
		}
	}
	return out
}

// admit splits channels into admitted and refused ones, each once: a snapshot is not sent as often as a client names it.
func (h *handler[S, A]) admit(ctx context.Context, names []string) (admitted, refused []string) {
	refused = []string{}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if f := h.server.options.Admit; f != nil && f(ctx, h.client, name) != nil {
			refused = append(refused, name)
		} else {
			admitted = append(admitted, name)
		}
	}
	return admitted, refused
}

func (h *handler[S, A]) subscribe(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	name, err := s.protocol.ReadSubscribe(m.Params)
	switch {
	case !c.open:
		err = errNotInitialized
	case err != nil:
		err = invalid(err)
	case s.options.Admit != nil:
		err = s.options.Admit(ctx, c, name)
	}
	if err == nil {
		err = s.lockWith(ctx, name)
	}
	if err != nil {
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	on := s.channels[name]
	switch {
	case err != nil:
	case c.gone: // another connection has replaced it
		err = rpc.ErrClosed
	case on == nil, !on.hasState && !s.protocol.Stateless: // the latter out of a log, from when there were such
		err = s.protocol.NotFound
	}
	if err != nil {
		reply(nil, err)
		return
	}
	var now *Snapshot[S]
	if on.hasState {
		now = &Snapshot[S]{name, on.state, s.sequence}
	}
	subscribed, err := s.protocol.Subscribed(ctx, c, m.Params, now)
	if err == nil {
		s.join(on, c)
	}
	reply(subscribed, err)
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
		s.quit(on, c)
	}
	return nil
}

// dispatch decides about a client's action. Either outcome is published with its origin, unless the protocol ignores
// it, because the client waits for it, even if the action could not be decoded. If the protocol cannot return such an
// action, the connection ends, and the client considers the action lost on reconnect.
func (h *handler[S, A]) dispatch(ctx context.Context, m *rpc.Message) error {
	s, c := h.server, h.client
	d, refusal, err := h.read(m)
	if err != nil && s.protocol.Raw == nil && c.older == nil {
		s.undecodable(c, err)
		return nil
	}
	sent := dispatched[A]{d, m.Params, refusal, err, h.unadmitted(ctx, d.Channel)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.wait()
	for s.closed == nil && (len(s.notices.list) > maxNotices || len(s.watched.list) > maxNotices) {
		s.out.room.Wait()
	}
	if !c.open || c.gone || s.closed != nil {
		return nil // it has no id to answer to, or has left
	}
	if s.replica != nil {
		s.proposeLocked(&proposal[S, A]{kind: Action, channel: d.Channel, size: len(m.Params), by: h, sent: sent})
		return nil
	}
	h.decideAll(s.channels[d.Channel], sent, h.decide)
	return nil
}

// dispatched is a client's message, and what was found out about it before its turn.
type dispatched[A any] struct {
	Dispatched[A]
	params  json.RawMessage
	refusal string // if it could not be decoded
	err     error  // why
	refused error  // the client has no access to the channel
}

// decideAll calls decide with each action that a client's message stands for, until it returns false. The caller must hold the
// lock.
func (h *handler[S, A]) decideAll(on *channel[S], m dispatched[A], decide func(d Dispatched[A], last bool, refusal string, err error) bool) {
	s, c := h.server, h.client
	if (on == nil || m.refused != nil) && s.protocol.ignores(m.Channel) {
		return
	}
	refusal, err := m.refusal, m.err
	if err == nil && m.refused != nil || c.older != nil && m.refused != nil {
		err, refusal = m.refused, m.refused.Error()
	}
	if c.older == nil || m.refused != nil {
		decide(m.Dispatched, true, refusal, err)
		return
	}
	all, err := s.lift(c, m.params)
	if err != nil || len(all) == 0 {
		decide(m.Dispatched, true, unsayable(err), errUnsayable)
		return
	}
	for i, d := range all {
		if last := i == len(all)-1; !decide(d, last, "", nil) {
			return
		}
	}
}

// undecodable ends the connection of a client whose action cannot be answered.
func (s *Server[S, A]) undecodable(c *Client, err error) {
	s.options.OnError(err)
	go func() { _ = c.peer.CloseFor("an action that cannot be decoded") }()
}

// decide publishes an action, or its rejection if there is an error or the state is against it, and reports whether it was
// applied. The caller must hold the lock.
func (h *handler[S, A]) decide(d Dispatched[A], last bool, refusal string, err error) bool {
	s, c := h.server, h.client
	on, e, ok := h.decided(s.channels[d.Channel], d, last, refusal, err)
	if !ok {
		return false
	}
	err = s.emit(on, e, c)
	if errors.Is(err, errUnapplied) {
		e = h.unapplied(e, d, err)
		err = s.emit(on, e, c)
	}
	if err != nil {
		s.report(err)
		return false
	}
	if e.Refusal == nil {
		s.accepted(c, d)
	}
	return e.Refusal == nil
}

// decided returns the envelope of an action, which is a rejection if there is an error or the state is against it, and the
// channel that it is about, if any. It ends the connection and returns false if there can be no envelope. Only the last one of
// several that stand for one of the client has an origin, but a rejection always has. The caller must hold the lock.
func (h *handler[S, A]) decided(on *channel[S], d Dispatched[A], last bool, refusal string, err error) (*channel[S], Envelope[A], bool) {
	s, c := h.server, h.client
	e := Envelope[A]{Channel: d.Channel, Action: d.Action}
	switch {
	case err != nil:
		if on = nil; wire.IsNil(d.Action) {
			s.undecodable(c, err)
			return nil, e, false
		}
	case on != nil && !on.hasState:
		on = nil
		fallthrough
	default:
		refusal = h.judge(on, d)
	}
	if last || refusal != "" {
		e.Origin = &Origin{c.id, d.Sequence}
	}
	if refusal != "" {
		e.Refusal = &refusal
	}
	return on, e, true
}

// accepted reports an applied action. The caller must hold the lock.
func (s *Server[S, A]) accepted(from *Client, d Dispatched[A]) {
	if f := s.options.Accepted; f != nil {
		s.tell(func() { f(from, d.Channel, d.Action) })
	}
}

// unadmitted returns why a client may not dispatch on a channel, or nil.
func (h *handler[S, A]) unadmitted(ctx context.Context, name string) error {
	s, c := h.server, h.client
	if s.options.Admit == nil || !c.open {
		return nil
	}
	s.mu.Lock()
	has := c.channels[name]
	s.mu.Unlock()
	if has {
		return nil
	}
	return s.options.Admit(ctx, c, name)
}

// read decodes a dispatched action, and returns why it is refused if it is invalid.
func (h *handler[S, A]) read(m *rpc.Message) (d Dispatched[A], refusal string, err error) {
	p := h.server.protocol
	d, err = p.ReadDispatch(m.Params)
	if err == nil {
		return d, "", nil
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(m.Params, &members)
	_ = json.Unmarshal(members[p.DispatchChannel], &d.Channel)
	_ = json.Unmarshal(members[p.DispatchSequence], &d.Sequence)
	raw := members[p.DispatchAction]
	if raw == nil {
		raw = json.RawMessage("null")
	}
	if p.Raw != nil {
		d.Action = p.Raw(raw)
	}
	return d, "cannot be decoded: " + err.Error(), err
}

// judge returns why a client's action is refused, or "". The caller must hold the lock.
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
		if err := h.validate(on.state, d); err != nil {
			return err.Error()
		}
	}
	return ""
}

var errUnjudged = errors.New("it could not be judged")

// validate calls the hook. If that panics, the action is rejected. The caller must hold the lock.
func (h *handler[S, A]) validate(state S, d Dispatched[A]) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = errUnjudged
			h.server.report(fmt.Errorf("the hook Validate panicked: %v", value))
		}
	}()
	return h.server.options.Validate(h.client, d.Channel, state, d.Action)
}
