// Routes: which request a message belongs to, where one connection consists of several.

package rpc

import (
	"context"
	"encoding/json"
)

// RequestOf returns the id of the other side's request that is handled with this context. A [Transport] calls it in Write, with
// its context: it is the request that the message answers, or that the handler which sends the message handles. It is nil
// without such a request. For an answer to a batch, or the error for all of one, it is the id of one of the requests.
func RequestOf(ctx context.Context) json.RawMessage {
	if to, _ := ctx.Value(routeKey{}).(*routed); to != nil {
		return to.request
	}
	if t := turnOf(ctx); t != nil {
		return t.id
	}
	return nil
}

// CallOf returns the context of the call whose request is sent. A [Transport] calls it in Write, with its context, if something of it
// goes on until the answer comes: when the context ends, the answer is not wanted any more. It is nil for anything else than a request.
func CallOf(ctx context.Context) context.Context {
	if to, _ := ctx.Value(routeKey{}).(*routed); to != nil {
		return to.call
	}
	return nil
}

// WithRequest returns a context for the handler of a request with an id, where no [Peer] serves it.
func WithRequest(ctx context.Context, id json.RawMessage) context.Context {
	return &routed{Context: ctx, request: id}
}

// HandledID returns the id of the request that a handler with this context handles; nil for a notification.
func HandledID(ctx context.Context) json.RawMessage {
	if t := turnOf(ctx); t != nil && t.request {
		return t.id
	}
	return nil
}

type routeKey struct{}

// routed is the context of Write, one for many messages, since transports do not keep it.
type routed struct {
	context.Context
	request json.RawMessage
	call    context.Context // of the request that is sent, or nil
}

// Value implements [context.Context].
func (r *routed) Value(key any) any {
	if key == (routeKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// requestOf returns the id of the peer's request whose handler has this context, or nil.
func (p *Peer) requestOf(ctx context.Context) json.RawMessage {
	if t := turnOf(ctx); t != nil && t.server.peer == p {
		return t.id
	}
	return nil
}

// Failing is implemented by a [Transport] that may fail to send one message, or to receive its answer, and goes on.
type Failing interface {
	// OnFailure sets the function to call with the id of a request that gets no answer, and why. A [Peer] calls it once,
	// before all other methods.
	OnFailure(f func(id json.RawMessage, err error))
}

// fail ends a call for which there will be no answer.
func (p *Peer) fail(id json.RawMessage, err error) { _ = p.resolve(Message{ID: id, lost: err}) }

type callerKey struct{}

// WithCaller returns a context for a handler, with a connection to the other side.
func WithCaller(ctx context.Context, c Conn) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns a connection to the other side, whose message is handled with this context: the [Peer] that serves it, or
// that of [WithCaller]. It is nil if there is none.
func CallerOf(ctx context.Context) Conn {
	c, _ := ctx.Value(callerKey{}).(Conn)
	return c
}
