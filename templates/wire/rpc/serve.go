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

// Reply encodes the result of a request's handler, or converts its error.
func (*Message) Reply(ctx context.Context, r wire.Appender, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failure(ctx, err)
	}
	if wire.IsNil(r) {
		return nil, internal(fmt.Errorf("result: %w", errNil))
	}
	raw, err := wire.AppendValid(nil, r)
	if err != nil {
		return nil, internal(wire.Within("result", err))
	}
	return raw, nil
}

// ReplyRaw is Reply for raw JSON; nil is null.
func (*Message) ReplyRaw(ctx context.Context, raw json.RawMessage, err error) (json.RawMessage, error) {
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

// ReplyNull is Reply for a null result.
func (*Message) ReplyNull(ctx context.Context, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, failure(ctx, err)
	}
	return null(), nil
}
