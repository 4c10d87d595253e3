package typed

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// TestAResultMayBeNull answers with nothing, where that is an answer and where it is not.
func TestAResultMayBeNull(t *testing.T) {
	nobody := func(context.Context, *noteParams) (*noteParams, error) { return nil, nil }
	m := &rpc.Message{Kind: rpc.Request, Method: "open", Params: raw(`{"text":"a"}`)}
	result, err := Handle(t.Context(), m, NullableResult(nobody), decodeNote)
	check(t, string(result), "null")
	check(t, err, nil)
	_, err = Handle(t.Context(), m, nobody, decodeNote)
	check(t, text(err), "result: missing: the value is nil (-32603)")
	result, err = Handle(t.Context(), m, NullableResult(func(_ context.Context, p *noteParams) (*noteParams, error) { return p, nil }), decodeNote)
	check(t, string(result), `{"text":"a"}`)
	check(t, err, nil)
	_, err = Handle(t.Context(), m, NullableResult(func(context.Context, *noteParams) (*noteParams, error) { return nil, busy }), decodeNote)
	check(t, errors.Is(err, busy), true)
	_, err = Handle(t.Context(), m, NullableResult[*noteParams, *noteParams](nil), decodeNote)
	check(t, errors.Is(err, rpc.MethodNotFound), true)
	result, err = HandleNoParams(t.Context(), m, NullableResultNoParams(func(context.Context) (*noteParams, error) { return nil, nil }))
	check(t, string(result), "null")
	check(t, err, nil)
	_, err = HandleNoParams(t.Context(), m, NullableResultNoParams[*noteParams](nil))
	check(t, errors.Is(err, rpc.MethodNotFound), true)

	for text, want := range map[string]string{"null": "", " null\n": "", `{"text":"a"}`: "a", "nul": "want object, got null", "nulll": "want object, got null", "": "unexpected end", "{}": "text: missing"} {
		got, err := codec.NullOr(decodeNote)([]byte(text))
		switch {
		case err != nil:
			check(t, strings.Contains(err.Error(), want) && want != "", true, text, err)
		case got == nil:
			check(t, want, "", text)
		default:
			check(t, got.text, want, text)
		}
	}
}

// TestASignOfLifeNeedsNoHandler answers with an empty result where there is no handler, and calls one that there is.
func TestASignOfLifeNeedsNoHandler(t *testing.T) {
	m := &rpc.Message{Kind: rpc.Request, Method: "ping", Params: raw(`{"text":"a"}`)}
	result, err := Handle(t.Context(), m, OrAlive[*noteParams, noteParams](nil), decodeNote)
	check(t, string(result), `{"text":""}`)
	check(t, err, nil)
	result, err = HandleNoParams(t.Context(), m, OrAliveNoParams[noteParams](nil))
	check(t, string(result), `{"text":""}`)
	check(t, err, nil)
	result, err = HandleNoResult(t.Context(), m, OrAliveNoResult[*noteParams](nil), decodeNote)
	check(t, string(result), "null")
	check(t, err, nil)
	result, err = HandleNoParamsNoResult(t.Context(), m, OrAliveNoParamsNoResult(nil))
	check(t, string(result), "null")
	check(t, err, nil)

	_, err = Handle(t.Context(), m, OrAlive(func(context.Context, *noteParams) (*noteParams, error) { return nil, busy }), decodeNote)
	check(t, errors.Is(err, busy), true)
	_, err = HandleNoParams(t.Context(), m, OrAliveNoParams(func(context.Context) (*noteParams, error) { return nil, busy }))
	check(t, errors.Is(err, busy), true)
	_, err = HandleNoResult(t.Context(), m, OrAliveNoResult(func(context.Context, *noteParams) error { return busy }), decodeNote)
	check(t, errors.Is(err, busy), true)
	_, err = HandleNoParamsNoResult(t.Context(), m, OrAliveNoParamsNoResult(func(context.Context) error { return busy }))
	check(t, errors.Is(err, busy), true)
}
