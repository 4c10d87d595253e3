// Receiving: what the handlers of a generated package share.

package rpc

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Hooks are what handlers tell about what they cannot answer, and what handles methods beyond the table.
type Hooks struct {
	Panicked    func(ctx context.Context, method string, value any)
	Dropped     func(ctx context.Context, method string, params json.RawMessage, err error)
	PassThrough PassThroughHandler
	Extensions  map[string]ExtensionHandler
	// Introduction is the request whose parameters are what the peer says of itself; "" for none. The connection keeps them
	// once it is answered.
	Introduction string
}

// Serve runs what handles a message. A panic becomes an answer, which does not tell its value to the
// peer; a message that nobody waits for any more is not handled, and a notification that nobody handled
// is told to the hook.
func (h *Hooks) Serve(ctx context.Context, m *Message, route func(context.Context, *Message) (json.RawMessage, error)) (result json.RawMessage, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, &Error{Code: int64(InternalError), Message: "the handler failed"}
			if h.Panicked != nil {
				h.Panicked(ctx, m.Method, value)
			}
		}
	}()
	if cause := context.Cause(ctx); cause != nil {
		err = failure(ctx, cause)
	} else {
		result, err = route(ctx, m)
	}
	if t := turnOf(ctx); t != nil && err == nil && m.Kind == Request && m.Method == h.Introduction {
		t.server.peer.Introduce(m.Params)
	}
	if err != nil && m.Kind == Notification && h.Dropped != nil {
		h.Dropped(ctx, m.Method, m.Params, err)
	}
	return result, err
}

// Dispatch has a handler handle a message. If ok, reply is to be sent; notifications and answers have
// none.
func Dispatch(ctx context.Context, h Handler, m *Message) (reply Message, ok bool) {
	if m.Kind == Batch {
		return dispatchBatch(ctx, h, m)
	}
	if m.Kind != Request && m.Kind != Notification {
		return Message{}, false
	}
	result, err := h.ServeRPC(ctx, m)
	if m.Kind == Notification {
		return Message{}, false
	}
	return Answer(m.ID, result, err), true
}

// readPayload decodes parameters; what is wrong with them is told with the path to it.
func readPayload[P any](raw json.RawMessage, decode func([]byte) (P, error)) (P, error) {
	var none P
	if len(raw) == 0 { // as good as an object without members, where none is required
		if p, err := decode(emptyObject); err == nil {
			return p, nil
		}
		return none, invalidParams("missing")
	}
	p, err := decode(raw)
	if err != nil {
		return p, invalidParams(err.Error())
	}
	return p, nil
}

var emptyObject = []byte("{}")

// reply encodes what a handler returned.
func reply(ctx context.Context, r wire.Appender, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failure(ctx, err)
	}
	if wire.IsNil(r) {
		return nil, internal(fmt.Errorf("result: %w", errNil))
	}
	raw, err := wire.AppendSent(nil, r)
	if err != nil {
		return nil, internal(wire.Within("result", err))
	}
	return raw, nil
}

// replyRaw is reply for a result that is JSON already; nil is null.
func replyRaw(ctx context.Context, raw json.RawMessage, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failure(ctx, err)
	}
	if raw == nil {
		return null(), nil
	}
	if _, err := appendRaw(nil, raw); err != nil {
		return nil, internal(wire.Within("result", err))
	}
	return raw, nil
}

func replyNull(ctx context.Context, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failure(ctx, err)
	}
	return null(), nil
}

// Handle answers a request with parameters and a result. A notification of that name has no handler.
func Handle[P any, R wire.Appender](ctx context.Context, m *Message, f func(context.Context, P) (R, error), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	p, err := readPayload(m.Params, decode)
	if err != nil {
		return nil, err
	}
	r, err := f(ctx, p)
	return reply(ctx, r, err)
}

// HandleNull is Handle where the result is null.
func HandleNull[P any](ctx context.Context, m *Message, f func(context.Context, P) error, decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	p, err := readPayload(m.Params, decode)
	if err != nil {
		return nil, err
	}
	return replyNull(ctx, f(ctx, p))
}

// OrNull is a handler whose result may be nil, which is null.
func OrNull[P any, R wire.Appender](f func(context.Context, P) (R, error)) func(context.Context, P) (wire.Appender, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p P) (wire.Appender, error) { return orNull(f(ctx, p)) }
}

// OrNullBare is OrNull for a method without parameters.
func OrNullBare[R wire.Appender](f func(context.Context) (R, error)) func(context.Context) (wire.Appender, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context) (wire.Appender, error) { return orNull(f(ctx)) }
}

func orNull(r wire.Appender, err error) (wire.Appender, error) {
	if err == nil && wire.IsNil(r) {
		return nothing{}, nil
	}
	return r, err
}

// nothing is null.
type nothing struct{}

func (nothing) AppendJSON(b []byte) ([]byte, error) { return append(b, null()...), nil }

// HandleBare is Handle for a method without parameters; what a peer sends along is passed over.
func HandleBare[R wire.Appender](ctx context.Context, m *Message, f func(context.Context) (R, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	r, err := f(ctx)
	return reply(ctx, r, err)
}

// HandleBareNull is Handle for a method with neither parameters nor a result.
func HandleBareNull(ctx context.Context, m *Message, f func(context.Context) error) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	return replyNull(ctx, f(ctx))
}

// HandleRaw is Handle where the result is JSON of any kind; nil is null.
func HandleRaw[P any](ctx context.Context, m *Message, f func(context.Context, P) (json.RawMessage, error), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	p, err := readPayload(m.Params, decode)
	if err != nil {
		return nil, err
	}
	r, err := f(ctx, p)
	return replyRaw(ctx, r, err)
}

// HandleBareRaw is HandleRaw for a method without parameters.
func HandleBareRaw(ctx context.Context, m *Message, f func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	r, err := f(ctx)
	return replyRaw(ctx, r, err)
}

// Take hands a notification to its handler. Its parameters may be decoded already. A request of that name
// has no handler.
func Take[P any](ctx context.Context, m *Message, f func(context.Context, P), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Notification {
		return nil, notFound(m.Method)
	}
	if m.DecodeError != nil {
		return nil, &Error{Code: int64(InvalidParams), Message: m.DecodeError.Error()}
	}
	p, ok := m.Decoded.(P)
	if !ok {
		var err error
		if p, err = readPayload(m.Params, decode); err != nil {
			return nil, err
		}
	}
	f(ctx, p)
	return nil, nil
}

// TakeBare is Take for a method without parameters.
func TakeBare(ctx context.Context, m *Message, f func(context.Context)) (json.RawMessage, error) {
	if f == nil || m.Kind != Notification {
		return nil, notFound(m.Method)
	}
	f(ctx)
	return nil, nil
}
