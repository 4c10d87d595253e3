// What becomes of malformed messages, and of text that is not UTF-8.

package rpc_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func TestAMalformedRequestIsAnsweredUnderItsID(t *testing.T) {
	b := servedByHand(t, nil, withBatches(examples))
	const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`
	for said, heard := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"x","params":"y"}`: `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":""}}`,
		`{"id":"a\u0062","method":"x"}`:                      `{"jsonrpc":"2.0","id":"a\u0062","error":{"code":-32600,"message":""}}`,
		`[{"id":7,"method":"x"}]`:                            `[{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":""}}]`,
		`{"jsonrpc":"2.0","method":"x","params":"y"}`:        refused,
		`{"jsonrpc":"2.0","id":7,"id":8,"method":"x"}`:       refused,
		`{"jsonrpc":"2.0","id":[7],"method":"x"}`:            refused,
		`{"jsonrpc":"2.0","id":7,"method":"x","result":1}`:   refused,
		`{"jsonrpc":"2.0","id":7}`:                           refused,
		`[[]]`:                                               `[` + refused + `]`,
	} {
		b.says(said)
		require.JSONEq(t, heard, withoutMessages(t, soon(t, b.lines)), said)
	}
}

// withoutMessages empties the texts of errors.
func withoutMessages(t *testing.T, line string) string {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(line), &v))
	all, ok := v.([]any)
	if !ok {
		all = []any{v}
	}
	for _, m := range all {
		if e, ok := m.(map[string]any)["error"].(map[string]any); ok {
			e["message"] = ""
		}
	}
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

// TestAMalformedAnswerEndsItsCall is about peers with malformed answers: their calls end at once, and they are
// not answered.
func TestAMalformedAnswerEndsItsCall(t *testing.T) {
	bad := make(chan error, 10)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, withBatches(examples))
	for _, c := range []struct{ answer, want string }{
		{`{"jsonrpc":"2.0","id":1,"error":{"code":"ENOENT","message":"gone"}}`, "malformed answer: error: code: want integer, got string"},
		{`{"id":2,"result":{}}`, "malformed answer: jsonrpc: missing"},
		{`[{"jsonrpc":"2.0","id":3,"error":"gone"}]`, "malformed answer: error: want object, got string"},
		{`{"jsonrpc":"2.0","id":4}`, "malformed answer: method: missing"},
	} {
		failed := make(chan error, 1)
		go func() {
			_, err := b.peer.Call(context.WithoutCancel(t.Context()), "x", nil)
			failed <- err
		}()
		soon(t, b.lines)
		b.says(c.answer)
		err := soon(t, failed)
		require.EqualError(t, err, c.want)
		require.NotErrorIs(t, err, rpc.InvalidRequest, "the peer has not answered with a code")
		require.ErrorContains(t, soon(t, bad), "malformed message")
	}
	b.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method: missing"}}`) // it might have been a request
	b.says(`{"jsonrpc":"2.0","id":2,"result":1,"params":1}`, request(9, "get_data"))
	b.hears(`{"jsonrpc":"2.0","id":9,"result":["hello",5]}`)
}

// TestWhatIsSentIsUTF8 has a peer whose text is not, and which gets it back as it was kept: others hang up on that.
func TestWhatIsSentIsUTF8(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		kept := json.RawMessage("{\"a\xff\":\"b\xe2\x82\",\"c\":\"\u20ac\"}")
		e := start(t, connect, nil, nil, fixed(func(context.Context, *rpc.Message) (json.RawMessage, error) { return kept, nil }))
		got, err := e.a.Call(t.Context(), "x", nil)
		require.NoError(t, err)
		require.Equal(t, "{\"a\ufffd\":\"b\ufffd\ufffd\",\"c\":\"\u20ac\"}", string(got))
		require.Equal(t, "{\"a\xff\":\"b\xe2\x82\",\"c\":\"\u20ac\"}", string(kept), "which is somebody else's")
	})
}
