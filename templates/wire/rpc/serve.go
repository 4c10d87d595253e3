// Receiving: shared by generated handlers.

package rpc

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Hooks are the optional callbacks of handlers, and handlers for methods outside the table.
type Hooks struct {
	Panicked    func(ctx context.Context, method string, value any)
	Dropped     func(ctx context.Context, method string, params json.RawMessage, err error)
	PassThrough PassThroughHandler
	Extensions  map[string]ExtensionHandler
	// Introduction is the request whose parameters are the peer's capabilities, or "". They are stored once it is
	// answered.
	Introduction string
}

// Serve calls the handler of a message. A panic is answered without its value. Cancelled messages are skipped, and
// unhandled notifications are reported.
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

// Dispatch handles a message. If ok, reply must be sent; notifications and answers have none.
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

// readPayload decodes parameters. Errors contain the path.
func readPayload[P any](raw json.RawMessage, decode func([]byte) (P, error)) (P, error) {
	var none P
	if len(raw) == 0 { // equivalent to an empty object if no member is required
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

// reply encodes a handler's result.
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

// replyRaw is reply for raw JSON; nil is null.
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

// Handle handles a request with parameters and a result.
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

// HandleNull is Handle for a null result.
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

// OrNull adapts a handler whose nil result means null.
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

// nothing encodes as null.
type nothing struct{}

func (nothing) AppendJSON(b []byte) ([]byte, error) { return append(b, null()...), nil }

// HandleBare is Handle for a method without parameters. Any that are sent are ignored.
func HandleBare[R wire.Appender](ctx context.Context, m *Message, f func(context.Context) (R, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	r, err := f(ctx)
	return reply(ctx, r, err)
}

// HandleBareNull is Handle without parameters and with a null result.
func HandleBareNull(ctx context.Context, m *Message, f func(context.Context) error) (json.RawMessage, error) {
	if f == nil || m.Kind != Request {
		return nil, notFound(m.Method)
	}
	return replyNull(ctx, f(ctx))
}

// HandleRaw is Handle for a raw JSON result; nil is null.
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

// Take handles a notification, whose parameters may already be decoded.
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
