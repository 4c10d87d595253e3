// Progress where something is amiss.

package rpc_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// progressing is a protocol with progress.
var progressing = &spec.Table{Progress: &spec.Progressing{
	Method: "progress", Token: "token", Request: []string{"_meta", "token"}, Takes: func(string) bool { return true },
}}

func TestAProgressFunctionThatPanicsStopsNothing(t *testing.T) {
	bad := make(chan error, 1)
	b := servedByHand(t, &rpc.Options{OnBad: func(err error) { bad <- err }}, decoding{progressing, nil})
	ctx := rpc.WithProgress(t.Context(), func(json.RawMessage) { panic("oops") })
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
	require.EqualError(t, soon(t, bad), "a function passed to WithProgress panicked: oops")
	require.NoError(t, soon(t, done))
}

func TestProgressIsAskedForWhereThereIsNull(t *testing.T) {
	ctx := rpc.WithProgress(context.Background(), func(json.RawMessage) {})
	for _, params := range []string{``, `null`, `{}`, `{"_meta":null}`} {
		_, sent := rpc.PrepareCall(ctx, progressing, "work", json.RawMessage(params))
		require.Regexp(t, `^{"_meta":{"token":"\w+"}}$`, string(sent), params)
	}
}
