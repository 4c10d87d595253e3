// Notifications that cancel requests by what they are about.

package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// turns is a protocol whose requests "prompt" are cancelled by "stop", for the same session.
var turns = spec.Table{
	Cancel: &spec.Cancelling{Method: "$/cancel", Member: "id", Code: -32800},
	Ends:   []spec.Ending{{Method: "stop", Request: "prompt", Member: "session", Result: json.RawMessage(`{"stopped":true}`)}},
}

type turning struct{ handler }

func (turning) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, &turns) }

func (t turning) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	hooks := rpc.Hooks{}
	return hooks.Serve(ctx, m, t.handler)
}

func stop(session string) string {
	return `{"jsonrpc":"2.0","method":"stop","params":{"session":` + session + `}}`
}

func prompt(id, session string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompt","params":{"session":` + session + `}}`
}

func TestANotificationCancelsTheRequestsThatItIsAbout(t *testing.T) {
	started, stopped := make(chan string, 10), make(chan string, 10)
	b := servedByHand(t, nil, turning{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		switch m.Method {
		case "stop":
			stopped <- string(m.Params)
			return nil, nil
		case "prompt":
			started <- string(m.ID)
			<-ctx.Done() // without Async
			if string(m.ID) == "3" {
				return nil, errors.New("an error of its own")
			}
			return nil, ctx.Err()
		}
		return null, nil
	}})
	b.says(prompt("1", `"a"`), prompt("2", `"a"`)) // the second one waits behind the first
	require.Equal(t, "1", soon(t, started))
	b.says(stop(`"b"`), stop(`"\u0061"`)) // which is the same text
	b.hearsAll(`{"jsonrpc":"2.0","id":1,"result":{"stopped":true}}`, `{"jsonrpc":"2.0","id":2,"result":{"stopped":true}}`)
	require.JSONEq(t, `{"session":"b"}`, soon(t, stopped), "it is handled as well, in its place")
	require.JSONEq(t, `{"session":"a"}`, soon(t, stopped))
	require.Empty(t, started, "what was cancelled before its turn is not begun")

	b.says(prompt("3", `7`), stop(`"7"`))
	require.Equal(t, "3", soon(t, started))
	b.says(stop(` 7 `))
	b.hears(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"an error of its own"}}`)
	b.says(prompt("4", `"a"`)) // what came before it does not cancel it
	require.Equal(t, "4", soon(t, started))
	b.says(`{"jsonrpc":"2.0","method":"$/cancel","params":{"id":4}}`)
	b.hears(`{"jsonrpc":"2.0","id":4,"error":{"code":-32800,"message":"cancelled by the peer"}}`)
}

// A handler that does not look at its context does not hold back the handler of the notification.
func TestANotificationThatCancelsIsNotHeldBack(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	b := servedByHand(t, nil, turning{func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		switch m.Method {
		case "stop":
			close(release)
		case "prompt":
			close(started)
			<-release
		}
		return null, nil
	}})
	b.says(prompt("1", `"a"`))
	soon(t, started)
	b.says(stop(`"a"`), request(2, "next"))
	b.hearsAll(result(1), result(2))
}

// hearsAll takes messages that may come in any order.
func (b *byHand) hearsAll(want ...string) {
	b.t.Helper()
	got := make([]string, len(want))
	for i := range got {
		got[i] = soon(b.t, b.lines)
	}
	require.ElementsMatch(b.t, want, got)
}

func TestAParameterThatIsNotThereCancelsNothing(t *testing.T) {
	b := servedByHand(t, nil, turning{func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		if m.Method == "prompt" {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
		return null, nil
	}})
	for _, params := range []string{`{}`, `[]`, `{"session":null}`, `{"session":"a","session":"b"}`, `{"session":["a"]}`} {
		b.says(prompt("1", `"a"`), `{"jsonrpc":"2.0","method":"stop","params":`+params+`}`)
		b.hears(result(1))
	}
}

// TestRequestsWithOneIDDoNotShareAContext sends three requests with one id at once. A handler that ends must not cancel
// the next one, and every context has to end with its answer, since what is held for it lives until then.
func TestRequestsWithOneIDDoNotShareAContext(t *testing.T) {
	contexts := make(chan context.Context, 3)
	b := servedByHand(t, nil, turning{func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		contexts <- ctx
		return null, ctx.Err()
	}})
	answer := `{"jsonrpc":"2.0","id":7,"result":null}`
	b.says(prompt("7", `"a"`), prompt("7", `"b"`), prompt("7", `"c"`))
	b.hearsAll(answer, answer, answer)
	for range 3 {
		select {
		case <-soon(t, contexts).Done():
		case <-time.After(time.Minute):
			require.Fail(t, "a context outlives its request")
		}
	}
}
