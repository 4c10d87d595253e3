// Work after answers, answers of requests that were cancelled, and what is as good as an object without members.

package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/typed"
)

func TestWhatIsDoneAfterAReplyIsBehindIt(t *testing.T) {
	var b *byHand
	order := make(chan string, 10)
	b = servedByHand(t, nil, cancellable{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		order <- m.Method
		if m.Method != "begin" {
			return null, nil
		}
		for i := range 2 {
			require.True(t, rpc.AfterReply(ctx, func(after context.Context) {
				if err := after.Err(); err != nil {
					t.Error(err)
				}
				_ = b.peer.Notify(after, fmt.Sprint("after ", i), nil)
				order <- fmt.Sprint("after ", i)
			}))
		}
		require.True(t, rpc.AfterReply(ctx, func(context.Context) { panic("harms nobody") }))
		_ = b.peer.Notify(ctx, "before", nil)
		return null, nil
	}})
	b.says(request(1, "begin"), request(2, "next"))
	for _, want := range []string{`{"jsonrpc":"2.0","method":"before"}`, result(1), `{"jsonrpc":"2.0","method":"after 0"}`, `{"jsonrpc":"2.0","method":"after 1"}`, result(2)} {
		b.hears(want)
	}
	for _, want := range []string{"begin", "after 0", "after 1", "next"} { // what came behind the request waits
		require.Equal(t, want, soon(t, order))
	}
}

func TestWhatIsDoneAfterAReplyMayFail(t *testing.T) {
	bad := make(chan error, 2)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "begin" {
			rpc.AfterReply(ctx, func(context.Context) { runtime.Goexit() })
			rpc.AfterReply(ctx, func(context.Context) { panic("oops") })
		}
		return null, nil
	}))
	b.says(request(1, "begin"), request(2, "next"))
	b.hears(result(1))
	b.hears(result(2))
	require.EqualError(t, soon(t, bad), "a function passed to AfterReply ended its goroutine")
	require.EqualError(t, soon(t, bad), "a function passed to AfterReply panicked: oops")
	require.NoError(t, b.peer.Shutdown(t.Context()), "nothing is owed")

	called := make(chan bool, 1)
	local := rpc.Local(handler(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.AfterReply(ctx, func(context.Context) { panic("oops") })
		rpc.AfterReply(ctx, func(context.Context) { called <- true })
		return null, nil
	}))
	_, err := local.Call(t.Context(), "begin", nil)
	require.NoError(t, err)
	soon(t, called)
}

func TestWhatIsDoneAfterAReplyMayCallThePeer(t *testing.T) {
	var b *byHand
	b = servedByHand(t, nil, handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		rpc.AfterReply(ctx, func(after context.Context) {
			_, err := b.peer.Call(after, "asks", nil)
			require.NoError(t, err)
			_ = b.peer.Notify(after, "answered", nil)
		})
		return null, nil
	}))
	b.says(request(1, "begin"))
	b.hears(result(1))
	b.hears(request(1, "asks"))
	b.says(result(1))
	b.hears(`{"jsonrpc":"2.0","method":"answered"}`)
}

func TestAfterReplyNeedsARequestWithoutAnAnswer(t *testing.T) {
	nothing := func(context.Context) { t.Error("called") }
	require.False(t, rpc.AfterReply(t.Context(), nothing))
	kept, dropped := make(chan context.Context, 1), make(chan bool, 1)
	b := servedByHand(t, nil, handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Kind == rpc.Notification {
			dropped <- rpc.AfterReply(ctx, nothing)
			return nil, nil
		}
		kept <- ctx
		return null, nil
	}))
	b.says(`{"jsonrpc":"2.0","method":"note"}`, request(1, "ask"))
	require.False(t, soon(t, dropped))
	b.hears(result(1))
	require.False(t, rpc.AfterReply(soon(t, kept), nothing), "it is answered")
}

func TestAfterReplyInMemory(t *testing.T) {
	done := make(chan string, 2)
	var late context.Context
	conn := rpc.Local(handler(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		late = ctx //nolint:fatcontext // what the handler leaves behind is what the test is about
		require.True(t, rpc.AfterReply(ctx, func(context.Context) { done <- "first" }))
		require.True(t, rpc.AfterReply(ctx, func(context.Context) { done <- "second" }))
		return null, nil
	}))
	_, err := conn.Call(t.Context(), "ask", nil)
	require.NoError(t, err)
	require.Equal(t, "first", soon(t, done))
	require.Equal(t, "second", soon(t, done))
	require.False(t, rpc.AfterReply(late, func(context.Context) { t.Error("called") }))
}

// coded is a protocol with a code for what was cancelled.
type coded struct{ handler }

func (coded) DecodeRPC(data []byte) (rpc.Message, error) {
	return rpc.Decode(data, &spec.Table{Cancel: &spec.Cancelling{Method: "$/cancel", Member: "requestId", Code: -32800}})
}

func (c coded) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	hooks := rpc.Hooks{}
	return hooks.Serve(ctx, m, c.handler)
}

func TestARequestThatWasCancelledIsAnsweredWithTheProtocolsCode(t *testing.T) {
	started := make(chan struct{}, 1)
	b := servedByHand(t, nil, coded{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "own" {
			return typed.HandleNoParamsNoResult(ctx, m, func(ctx context.Context) error { return context.Canceled })
		}
		return typed.HandleNoParamsNoResult(ctx, m, func(ctx context.Context) error {
			started <- struct{}{}
			<-ctx.Done()
			if m.Method == "insists" {
				return rpc.Code(-7)
			}
			return fmt.Errorf("reading: %w", ctx.Err())
		})
	}})
	cancel := func(id string) { b.says(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":` + id + `}}`) }
	failed := func(id, code, text string) {
		b.hears(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + text + `"}}`)
	}
	b.says(request(1, "work"), request(2, "waits behind it"))
	soon(t, started)
	cancel("2") // before its turn
	cancel("1")
	failed("1", "-32800", "cancelled by the peer")
	failed("2", "-32800", "cancelled by the peer")
	b.says(request(3, "insists"))
	soon(t, started)
	cancel("3")
	failed("3", "-7", "error -7")
	b.says(request(4, "own")) // which is not cancelled
	failed("4", "-32603", "context canceled")
}

// silent is a protocol whose requests are not answered once they are cancelled, apart from the first, which nobody cancels.
type silent struct{ handler }

var silence = &spec.Table{Cancel: &spec.Cancelling{Method: "$/cancel", Member: "requestId", Unanswered: true, Never: []string{"begin"}}}

func (silent) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, silence) }

func TestARequestThatWasCancelledIsNotAnswered(t *testing.T) {
	started, ended := make(chan struct{}, 1), make(chan error, 1)
	b := servedByHand(t, nil, silent{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "last" {
			return raw(`"done"`), nil
		}
		require.True(t, rpc.AfterReply(ctx, func(context.Context) { ended <- context.Cause(ctx) }))
		started <- struct{}{}
		<-ctx.Done()
		if m.Method == "has it" {
			return raw(`"all the same"`), nil
		}
		return nil, ctx.Err()
	}})
	for i, method := range []string{"gives up", "has it"} {
		b.says(request(i, method))
		soon(t, started)
		b.says(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":%d}}`, i))
		soon(t, ended)
	}
	b.says(request(7, "last"))
	b.hears(`{"jsonrpc":"2.0","id":7,"result":"done"}`)
}

func TestTheHandshakeIsNotCancelled(t *testing.T) {
	b := servedByHand(t, nil, silent{})
	for i, method := range []string{"begin", "other"} {
		ctx, cancel := context.WithCancel(t.Context())
		ctx, params := rpc.PrepareCall(ctx, silence, method, nil)
		go func() { _, _ = b.peer.Call(ctx, method, params) }()
		b.hears(request(i+1, method))
		cancel()
	}
	b.hears(`{"jsonrpc":"2.0","method":"$/cancel","params":{"requestId":2}}`)
}

// loose is an object without required members.
type loose struct{ text string }

func decodeLoose(data []byte) (*loose, error) {
	var v struct{ Text *string }
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	if string(data) == "null" {
		return nil, fmt.Errorf("want object, got null")
	}
	out := &loose{}
	if v.Text != nil {
		out.text = *v.Text
	}
	return out, nil
}

func decodeStrict(data []byte) (*loose, error) {
	v, err := decodeLoose(data)
	if err == nil && v.text == "" {
		return nil, fmt.Errorf("text: missing")
	}
	return v, err
}

func TestAbsentParametersAreAnEmptyObjectWhereNothingIsRequired(t *testing.T) {
	m := &rpc.Message{Kind: rpc.Request, ID: null, Method: "leave"}
	called := 0
	take := func(context.Context, *loose) error { called++; return nil }
	_, err := typed.HandleNoResult(t.Context(), m, take, decodeLoose)
	require.NoError(t, err)
	_, err = typed.HandleNoResult(t.Context(), m, take, decodeStrict)
	require.EqualError(t, err, "params: missing (-32602)")
	require.Equal(t, 1, called)
}

func TestAResultThatIsNullIsAnEmptyObjectWhereNothingIsRequired(t *testing.T) {
	link := typed.NewLink(rpc.Local(handler(func(context.Context, *rpc.Message) (json.RawMessage, error) { return null, nil })), &spec.Table{})
	v, err := typed.CallNoParams(t.Context(), link, "leave", reading(decodeLoose))
	require.NoError(t, err)
	require.Equal(t, &loose{}, v)
	_, err = typed.CallNoParams(t.Context(), link, "leave", reading(decodeStrict))
	require.EqualError(t, err, "leave: result: want object, got null")
}

// reading makes of a function that decodes one that reads.
func reading[V any](decode func([]byte) (V, error)) func(*wire.Decoder) V {
	return func(d *wire.Decoder) V {
		v, err := decode(d.Slice())
		if err != nil {
			d.Failf("%v", err)
		}
		return v
	}
}
