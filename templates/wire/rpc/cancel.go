// Cancelling: telling the peer that an answer is not wanted any more, and hearing that from it.

package rpc

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ErrCancelled is why the context of a handler ended: the peer does not want the answer any more.
var ErrCancelled = errors.New("cancelled by the peer")

// Cancelling is how a protocol cancels requests: by a notification with their id.
type Cancelling struct {
	Method string
	Member string // of the parameters: the id
	Code   int64  // of the error that answers a request which was cancelled; 0 if none is set aside for that
}

// request is one of the peer's that it may cancel.
type request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// cancels returns the id of the request that a notification cancels, nil where it does not.
func (t *Table) cancels(m *Message) json.RawMessage {
	if t.Cancel == nil || m.Kind != Notification || m.Method != t.Cancel.Method {
		return nil
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(m.Params, &params) != nil {
		return nil
	}
	return params[t.Cancel.Member]
}

// failure is the error that a handler is answered with. The protocol may have a code for one that gave up because the
// peer had cancelled its request.
func failure(ctx context.Context, err error) *Error {
	t := turnOf(ctx)
	if t == nil || t.cancelled == 0 || !errors.Is(context.Cause(t), ErrCancelled) {
		return AsError(err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, ErrCancelled) {
		return &Error{Code: t.cancelled, Message: ErrCancelled.Error()}
	}
	return AsError(err)
}

type cancelKey struct{}

// cancelling tells a [Peer] in which way to cancel the call that has the context.
func cancelling(ctx context.Context, t *Table) context.Context {
	if t == nil || t.Cancel == nil {
		return ctx
	}
	return context.WithValue(ctx, cancelKey{}, t.Cancel)
}

// cancel tells the peer that the answer to a request is not wanted any more, where the protocol has a way.
func (p *Peer) cancel(ctx context.Context, id string) {
	how, ok := ctx.Value(cancelKey{}).(*Cancelling)
	if !ok {
		return
	}
	params := append(wire.AppendString([]byte{'{'}, how.Member), ':')
	params = append(append(params, id...), '}')
	_ = p.post(context.WithoutCancel(ctx), &Message{Kind: Notification, Method: how.Method, Params: params})
}

// expect makes a request one that can be cancelled, before it has its turn.
func (s *server) expect(m *Message) {
	if m.Kind != Request || !m.Cancellable {
		return
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancels[string(m.ID)] = &request{ctx, cancel}
}

// request returns the request with an id, nil where it cannot be cancelled.
func (s *server) request(id json.RawMessage) *request {
	if id == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancels[string(id)]
}

// cancel ends the context of a request. Of one that is answered already there is nothing to end.
func (s *server) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.cancels[id]; r != nil {
		r.cancel(ErrCancelled)
	}
}

// forget ends what an answered request needed.
func (s *server) forget(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.cancels[string(id)]; r != nil {
		r.cancel(nil)
		delete(s.cancels, string(id))
	}
}
