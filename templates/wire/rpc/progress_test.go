// Progress where something is amiss.

package rpc_test

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// progressing is a protocol with progress.
var progressing = &spec.Table{Progress: &spec.Progressing{
	Method: "progress", Token: "token", Request: []string{"_meta", "token"}, Takes: func(string) bool { return true },
}}

func TestAProgressFunctionThatPanicsOrEndsItsGoroutineStopsNothing(t *testing.T) {
	for _, c := range []struct {
		fails func()
		want  string
	}{
		{func() { panic("oops") }, "a function passed to WithProgress panicked: oops"},
		{runtime.Goexit, "a function passed to WithProgress ended its goroutine"},
	} {
		failingProgress(t, c.fails, c.want)
	}
}

func failingProgress(t *testing.T, fails func(), want string) {
	t.Helper()
	bad := make(chan error, 1)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, decoding{progressing, nil})
	ctx := rpc.WithProgress(t.Context(), func(json.RawMessage) { fails() })
	ctx, params := rpc.PrepareCall(ctx, progressing, "work", nil)
	done := make(chan error, 1)
	go func() {
		_, err := b.peer.Call(ctx, "work", params)
		done <- err
	}()
	var sent struct {
		Params struct {
			Meta json.RawMessage `json:"_meta"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(soon(t, b.lines)), &sent))
	b.says(`{"jsonrpc":"2.0","method":"progress","params":`+string(sent.Params.Meta)+`}`, result(1))
	require.EqualError(t, soon(t, bad), want)
	require.NoError(t, soon(t, done))
	token, found := rpc.Message{Kind: rpc.Notification}, new(struct{ Token string })
	require.NoError(t, json.Unmarshal(sent.Params.Meta, found))
	token.Token = found.Token
	require.True(t, rpc.Progress(ctx, &token), "on other connections too")
}

func TestProgressIsAskedForWhereThereIsNull(t *testing.T) {
	ctx := rpc.WithProgress(context.Background(), func(json.RawMessage) {})
	for _, params := range []string{``, `null`, `{}`, `{"_meta":null}`} {
		_, sent := rpc.PrepareCall(ctx, progressing, "work", json.RawMessage(params))
		require.Regexp(t, `^{"_meta":{"token":"\w+"}}$`, string(sent), params)
	}
}
