// Streams: requests with several results.

package typed

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Stream sends a request when the sequence is iterated, and yields its results decoded as in [Call]. The iteration
// continues after a result that cannot be decoded; any other error is the last element. It is [rpc.ErrNoStream] if the
// connection is no [rpc.Streamer].
func Stream[M ~string, R any](ctx context.Context, l Link, method M, p wire.Appender, read func(*wire.Decoder) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		if err := l.checkMethod(string(method)); err != nil {
			yield(none, err)
			return
		}
		params, err := l.encodeParams(string(method), p)
		if err != nil {
			yield(none, err)
			return
		}
		l.stream(ctx, string(method), params, func(raw json.RawMessage, err error) bool {
			if err != nil {
				return yield(none, err)
			}
			v, err := decodeResult(string(method), raw, read)
			return yield(validResult(l, string(method), v, err))
		})
	}
}

// stream yields the results of a request unless its context has ended.
func (l Link) stream(ctx context.Context, method string, params json.RawMessage, yield func(json.RawMessage, error) bool) {
	failed := func(err error) bool { return yield(nil, fmt.Errorf("%s: %w", wire.Name(method), err)) }
	if err := l.usable(ctx, method); err != nil {
		yield(nil, err)
		return
	}
	conn, ok := l.conn.(rpc.Streamer)
	if !ok {
		failed(rpc.ErrNoStream)
		return
	}
	if l.guard != nil {
		if err := l.guard.Allow(method, params); err != nil {
			yield(nil, err)
			return
		}
	}
	ctx, params = rpc.PrepareCall(ctx, l.table, method, params)
	conn.Stream(ctx, method, params)(func(raw json.RawMessage, err error) bool {
		if err != nil {
			return failed(err)
		}
		if l.guard != nil {
			l.guard.Answered(method, raw)
		}
		return yield(raw, nil)
	})
}

// StreamNoParams is Stream for a method without parameters.
func StreamNoParams[M ~string, R any](ctx context.Context, l Link, method M, read func(*wire.Decoder) R) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		if err := l.checkMethod(string(method)); err != nil {
			yield(none, err)
			return
		}
		l.stream(ctx, string(method), nil, func(raw json.RawMessage, err error) bool {
			if err != nil {
				return yield(none, err)
			}
			v, err := decodeResult(string(method), raw, read)
			return yield(validResult(l, string(method), v, err))
		})
	}
}

// HandleStreamNoParams is HandleStream for a method without parameters.
func HandleStreamNoParams[R wire.Appender](ctx context.Context, m *rpc.Message, f func(ctx context.Context, send func(R) error) error) (json.RawMessage, error) {
	if f == nil {
		return nil, m.NotFound()
	}
	return HandleStream(ctx, m, func(ctx context.Context, _ struct{}, send func(R) error) error { return f(ctx, send) },
		func([]byte) (struct{}, error) { return struct{}{}, nil })
}

// HandleStream handles a request with several results. F calls send for each, and returns when send fails, which is when
// no more results are wanted.
func HandleStream[P any, R wire.Appender](ctx context.Context, m *rpc.Message, f func(ctx context.Context, p P, send func(R) error) error, decode func([]byte) (P, error)) (json.RawMessage, error) {
	if f == nil || m.Kind != rpc.Request {
		return nil, m.NotFound()
	}
	if m.Partial == nil {
		return nil, rpc.ErrNoStream
	}
	p, err := readPayload(ctx, m.Params, decode)
	if err != nil {
		return nil, err
	}
	err = f(ctx, p, func(r R) error {
		raw, err := reply(ctx, m, r, nil)
		if err != nil {
			return err
		}
		return m.Partial(raw)
	})
	if err != nil {
		return m.Reply(ctx, nil, err)
	}
	return nil, nil
}

// Fails returns a sequence of an error.
func Fails[R any](err error) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		var none R
		yield(none, err)
	}
}
