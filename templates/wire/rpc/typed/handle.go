// Handlers: decoding parameters and encoding results.

package typed

import (
	"context"
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// readPayload decodes parameters. Errors contain the path.
func readPayload[P any](ctx context.Context, raw json.RawMessage, decode func([]byte) (P, error)) (P, error) {
	var none P
	if len(raw) == 0 { // equivalent to an empty object if no member is required
		if p, err := decode(emptyObject); err == nil {
			return validParams(ctx, p)
		}
		return none, invalidParams("missing")
	}
	p, err := decode(raw)
	if err != nil {
		return p, invalidParams(err.Error())
	}
	return validParams(ctx, p)
}

var emptyObject = []byte("{}")

// Handle handles a request with parameters and a result.
func Handle[P any, R wire.Appender](ctx context.Context, m *rpc.Message, f func(context.Context, P) (R, error), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	p, err := readPayload(ctx, m.Params, decode)
	if err != nil {
		return nil, err
	}
	r, err := f(ctx, p)
	return reply(ctx, m, r, err)
}

// HandleNoResult is Handle for a null result.
func HandleNoResult[P any](ctx context.Context, m *rpc.Message, f func(context.Context, P) error, decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	p, err := readPayload(ctx, m.Params, decode)
	if err != nil {
		return nil, err
	}
	return m.ReplyNull(ctx, f(ctx, p))
}

// NullableResult adapts a handler whose nil result means null.
func NullableResult[P any, R wire.Appender](f func(context.Context, P) (R, error)) func(context.Context, P) (wire.Appender, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p P) (wire.Appender, error) { return orNull(f(ctx, p)) }
}

// NullableResultNoParams is NullableResult for a method without parameters.
func NullableResultNoParams[R wire.Appender](f func(context.Context) (R, error)) func(context.Context) (wire.Appender, error) {
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

func (nothing) AppendJSON(b []byte) ([]byte, error) { return append(b, "null"...), nil }

// OrAlive returns a handler of the request for a sign of life, or one that returns an empty result if it is nil: a peer
// that asks must not take this side for dead.
func OrAlive[P, R any](f func(context.Context, P) (*R, error)) func(context.Context, P) (*R, error) {
	if f == nil {
		return func(context.Context, P) (*R, error) { return new(R), nil }
	}
	return f
}

// OrAliveNoParams is OrAlive for a request without parameters.
func OrAliveNoParams[R any](f func(context.Context) (*R, error)) func(context.Context) (*R, error) {
	if f == nil {
		return func(context.Context) (*R, error) { return new(R), nil }
	}
	return f
}

// OrAliveNoResult is OrAlive for a null result.
func OrAliveNoResult[P any](f func(context.Context, P) error) func(context.Context, P) error {
	if f == nil {
		return func(context.Context, P) error { return nil }
	}
	return f
}

// OrAliveNoParamsNoResult is OrAlive without parameters and with a null result.
func OrAliveNoParamsNoResult(f func(context.Context) error) func(context.Context) error {
	if f == nil {
		return func(context.Context) error { return nil }
	}
	return f
}

// HandleNoParams is Handle for a method without parameters. Any that are sent are ignored.
func HandleNoParams[R wire.Appender](ctx context.Context, m *rpc.Message, f func(context.Context) (R, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	r, err := f(ctx)
	return reply(ctx, m, r, err)
}

// HandleNoParamsNoResult is Handle without parameters and with a null result.
func HandleNoParamsNoResult(ctx context.Context, m *rpc.Message, f func(context.Context) error) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	return m.ReplyNull(ctx, f(ctx))
}

// HandleRaw is Handle for a raw JSON result; nil is null.
func HandleRaw[P any](ctx context.Context, m *rpc.Message, f func(context.Context, P) (json.RawMessage, error), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	p, err := readPayload(ctx, m.Params, decode)
	if err != nil {
		return nil, err
	}
	r, err := f(ctx, p)
	return m.ReplyRaw(ctx, r, err)
}

// HandleNoParamsRaw is HandleRaw for a method without parameters.
func HandleNoParamsRaw(ctx context.Context, m *rpc.Message, f func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	r, err := f(ctx)
	return m.ReplyRaw(ctx, r, err)
}

// HandleNotification handles a notification, whose parameters may already be decoded.
func HandleNotification[P any](ctx context.Context, m *rpc.Message, f func(context.Context, P), decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Notification {
		return nil, m.NotFound()
	}
	if m.DecodeError != nil {
		return nil, &rpc.Error{Code: int64(rpc.InvalidParams), Message: m.DecodeError.Error()}
	}
	p, ok := m.Decoded.(P)
	var err error
	if ok {
		p, err = validParams(ctx, p)
	} else {
		p, err = readPayload(ctx, m.Params, decode)
	}
	if err != nil {
		return nil, err
	}
	f(ctx, p)
	return nil, nil
}

// HandleNotificationNoParams is HandleNotification for a method without parameters.
func HandleNotificationNoParams(ctx context.Context, m *rpc.Message, f func(context.Context)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Notification {
		return nil, m.NotFound()
	}
	f(ctx)
	return nil, nil
}

// Encoding adapts a handler whose result is no object.
func Encoding[P, R any](f func(context.Context, P) (R, error), encode func(R, []byte, *wire.Encoder) []byte) func(context.Context, P) (wire.Appender, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p P) (wire.Appender, error) {
		r, err := f(ctx, p)
		return codec.Encoded(r, encode), err
	}
}

// EncodingNoParams is Encoding for a method without parameters.
func EncodingNoParams[R any](f func(context.Context) (R, error), encode func(R, []byte, *wire.Encoder) []byte) func(context.Context) (wire.Appender, error) {
	if f == nil {
		return nil
	}
	return func(ctx context.Context) (wire.Appender, error) {
		r, err := f(ctx)
		return codec.Encoded(r, encode), err
	}
}

// EncodingStream adapts a handler whose results are no objects.
func EncodingStream[P, R any](f func(context.Context, P, func(R) error) error, encode func(R, []byte, *wire.Encoder) []byte) func(context.Context, P, func(wire.Appender) error) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p P, send func(wire.Appender) error) error {
		return f(ctx, p, func(r R) error { return send(codec.Encoded(r, encode)) })
	}
}

// EncodingStreamNoParams is EncodingStream for a method without parameters.
func EncodingStreamNoParams[R any](f func(context.Context, func(R) error) error, encode func(R, []byte, *wire.Encoder) []byte) func(context.Context, func(wire.Appender) error) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, send func(wire.Appender) error) error {
		return f(ctx, func(r R) error { return send(codec.Encoded(r, encode)) })
	}
}

// NullableStream wraps a handler with several results, each of which may be nil, and is null then.
func NullableStream[P any, R wire.Appender](f func(context.Context, P, func(R) error) error) func(context.Context, P, func(wire.Appender) error) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, p P, send func(wire.Appender) error) error {
		return f(ctx, p, func(r R) error { return sendOrNull(r, send) })
	}
}

// NullableStreamNoParams is NullableStream for a method without parameters.
func NullableStreamNoParams[R wire.Appender](f func(context.Context, func(R) error) error) func(context.Context, func(wire.Appender) error) error {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, send func(wire.Appender) error) error {
		return f(ctx, func(r R) error { return sendOrNull(r, send) })
	}
}

func sendOrNull(r wire.Appender, send func(wire.Appender) error) error {
	r, _ = orNull(r, nil)
	return send(r)
}
