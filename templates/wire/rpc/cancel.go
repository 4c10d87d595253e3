// Cancelling: cancelling requests, in both directions.

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// ErrCancelled is the cause of a handler's context if the peer cancelled its request.
var ErrCancelled = errors.New("cancelled by the peer")

// request is a cancellable request of the peer.
type request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	id     string
	marks  []mark // for cancelling it without its id
	turn   *turn  // of its handler; nil before it starts
	passes bool   // later messages do not wait for its handler
	result json.RawMessage
}

// cancels returns the id of the request that a notification cancels, or nil.
func cancels(t *spec.Table, m *Message) json.RawMessage {
	if t.Cancel == nil || m.Kind != Notification || m.Method != t.Cancel.Method {
		return nil
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(m.Params, &params) != nil {
		return nil
	}
	return params[t.Cancel.Member]
}

// failure returns the error to answer with, using the protocol's code for cancelled requests if it applies.
func failure(ctx context.Context, err error) *Error {
	t := turnOf(ctx)
	if t == nil || !errors.Is(context.Cause(t), ErrCancelled) || !errors.Is(err, context.Canceled) && !errors.Is(err, ErrCancelled) {
		return AsError(err)
	}
	t.gaveUp.Store(true)
	code := t.cancelled
	if code == 0 {
		code = int64(InternalError)
	}
	return &Error{Code: code, Message: ErrCancelled.Error()}
}

// unanswered reports whether the peer has cancelled a request that is not answered then. An HTTP request always has an answer, and so
// has what is in a batch.
func (t *turn) unanswered() bool {
	if !t.silent || t.batch != nil || !errors.Is(context.Cause(t), ErrCancelled) {
		return false
	}
	_, must := Find[interface{ AnswersAll() }](t.server.peer.transport)
	return !must
}

type cancelKey struct{}

// cancelling tells a [Peer] how to cancel the call of a method with this context.
func cancelling(ctx context.Context, t *spec.Table, method string) context.Context {
	if t == nil || t.Cancel == nil || slices.Contains(t.Cancel.Never, method) {
		return ctx
	}
	return context.WithValue(ctx, cancelKey{}, t.Cancel)
}

type cancelWithKey struct{}

// CancelWith returns a context for calls: the notification that cancels one has a member besides the id.
func CancelWith(ctx context.Context, member, value string) context.Context {
	return context.WithValue(ctx, cancelWithKey{}, append(append(wire.AppendString(nil, member), ':'), wire.AppendString(nil, value)...))
}

// cancel notifies the peer that an answer is no longer wanted.
func (p *Peer) cancel(ctx context.Context, id string) {
	how, ok := ctx.Value(cancelKey{}).(*spec.Cancelling)
	if !ok {
		return
	}
	params := append(wire.AppendString([]byte{'{'}, how.Member), ':')
	params = append(params, id...)
	if more, ok := ctx.Value(cancelWithKey{}).([]byte); ok {
		params = append(append(params, ','), more...)
	}
	params = append(params, '}')
	_ = p.post(context.WithoutCancel(ctx), &Message{Kind: Notification, Method: how.Method, Params: params})
}

// expect makes a request cancellable before its turn.
func (s *server) expect(m *Message) {
	if m.Kind != Request || !m.Cancellable && len(m.marks) == 0 {
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	m.pending = &request{ctx: ctx, cancel: cancel, id: string(m.ID), marks: m.marks}
	s.cancels[m.pending.id] = append(s.cancels[m.pending.id], m.pending)
}

// cancel cancels the unanswered requests with an id. There is only one unless the peer reuses ids.
func (s *server) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.cancels[id] {
		r.cancel(ErrCancelled)
	}
}

// forget releases an answered request. It accepts nil for one that cannot be cancelled.
func (s *server) forget(r *request) {
	if r == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.cancel(nil)
	rest := s.cancels[r.id]
	for i := range rest {
		if rest[i] == r {
			copy(rest[i:], rest[i+1:]) // in place, since a peer may reuse one id for all of its requests
			rest[len(rest)-1] = nil
			rest = rest[:len(rest)-1]
			break
		}
	}
	if len(rest) == 0 {
		delete(s.cancels, r.id)
	} else {
		s.cancels[r.id] = rest
	}
}

// mark is the parameter value that links an ending to requests.
type mark struct {
	of    *spec.Ending
	value string
}

// marks returns the marks of a message.
func marksOf(t *spec.Table, m *Message) (marks []mark) {
	for i := range t.Ends {
		e := &t.Ends[i]
		if m.Kind == Notification && m.Method == e.Method || m.Kind == Request && m.Method == e.Request {
			if value, ok := memberOf(m.Params, e.Member); ok {
				marks = append(marks, mark{e, value})
			}
		}
	}
	return marks
}

// memberOf returns a parameter in a normalized form for comparison.
func memberOf(params json.RawMessage, member string) (value string, ok bool) {
	d := wire.NewDecoder(params)
	if d.Kind() != '{' {
		return "", false
	}
	if text, ok := d.OnlyString(member); ok {
		return `"` + text, true // no other value begins like that
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || members[member] == nil {
		return "", false
	}
	var compact bytes.Buffer
	if json.Compact(&compact, members[member]) != nil || compact.Bytes()[0] == '"' { // a text that comes twice
		return "", false
	}
	return compact.String(), true
}

// end cancels the requests matched by a notification. Earlier requests are already registered.
func (s *server) end(m *Message) {
	if m.Kind != Notification || len(m.marks) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, same := range s.cancels {
		for _, r := range same {
			r.endBy(m.marks)
		}
	}
}

// endBy cancels a request with one of the marks of a notification.
func (r *request) endBy(marks []mark) {
	for _, own := range r.marks {
		for _, wanted := range marks {
			if own == wanted && !r.passes {
				r.end(own.of)
			}
		}
	}
}

// end cancels a request. The caller must hold the server's lock, so that the handler does not return meanwhile.
func (r *request) end(by *spec.Ending) {
	r.passes, r.result = true, by.Result
	r.cancel(ErrCancelled)
	if r.turn != nil {
		r.turn.pass()
	}
}

// enter starts the turn of a cancellable request. If it is already cancelled, later messages do not wait for it.
func (s *server) enter(t *turn) {
	r := t.pending
	if r == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.Context, r.turn = r.ctx, t
	if r.passes {
		t.pass()
	}
}

// instead returns the result for a request cancelled by an ending, or nil to answer with the error.
func (t *turn) instead() json.RawMessage {
	s := t.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.pending != nil && t.gaveUp.Load() {
		return t.pending.result
	}
	return nil
}
