// Our client against Delve's adapter.

package ours

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ours/dap"
	"ours/dap/wire/rpc"
)

// events are those of the adapter, as they arrive.
type events struct {
	initialized, terminated chan struct{}
	stopped                 chan *dap.StoppedEventBody
	output                  chan string
}

func TestOurClientDebugsWithDelve(t *testing.T) {
	address, program := os.Getenv("DLV_ADDRESS"), os.Getenv("DEBUGGEE")
	if address == "" {
		t.Skip("started by the test of the module above")
	}
	stream, err := net.Dial("tcp", address)
	require.NoError(t, err)
	var bad []error
	peer := dap.NewPeer(rpc.HeaderStream(stream), &rpc.Options{OnBad: func(err error) { bad = append(bad, err) }})
	got := events{make(chan struct{}, 1), make(chan struct{}, 1), make(chan *dap.StoppedEventBody, 16), make(chan string, 64)}
	served := make(chan error, 1)
	go func() {
		served <- peer.Serve(context.Background(), &dap.ClientHandlers{
			Initialized: func(context.Context) { got.initialized <- struct{}{} },
			Terminated:  func(context.Context, *dap.TerminatedEventBody) { got.terminated <- struct{}{} },
			Stopped:     func(_ context.Context, e *dap.StoppedEventBody) { got.stopped <- e },
			Output:      func(_ context.Context, e *dap.OutputEventBody) { got.output <- e.Output },
		})
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	adapter := dap.NewAdapterConn(peer)

	can, err := adapter.Initialize(ctx, &dap.InitializeRequestArguments{AdapterID: "go", LinesStartAt1: ptr(true), PathFormat: ptr(dap.InitializeRequestArgumentsPathFormatPath)})
	require.NoError(t, err)
	require.True(t, *can.SupportsConfigurationDoneRequest)

	// The answer to launch comes after the configuration.
	launched := make(chan error, 1)
	go func() {
		launched <- adapter.Launch(ctx, &dap.LaunchRequestArguments{Extra: map[string]json.RawMessage{
			"mode": json.RawMessage(`"debug"`), "program": json.RawMessage(strconv.Quote(program)), "stopOnEntry": json.RawMessage("false"),
		}})
	}()
	wait(t, ctx, got.initialized)
	source := dap.Source{Path: ptr(program + "/main.go")}
	set, err := adapter.SetBreakpoints(ctx, &dap.SetBreakpointsArguments{Source: source, Breakpoints: []dap.SourceBreakpoint{{Line: 9}}})
	require.NoError(t, err)
	require.Len(t, set.Breakpoints, 1)
	require.True(t, set.Breakpoints[0].Verified)
	require.NoError(t, adapter.ConfigurationDone(ctx, nil))
	require.NoError(t, <-launched)

	for round, want := range []struct{ name, total string }{{"one", "0"}, {"two", "0"}, {"three", "1"}} {
		stopped := wait(t, ctx, got.stopped)
		require.Equal(t, dap.StoppedEventBodyReasonBreakpoint, stopped.Reason)
		threads, err := adapter.Threads(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, threads.Threads)
		frames, err := adapter.StackTrace(ctx, &dap.StackTraceArguments{ThreadID: *stopped.ThreadID, Levels: ptr(uint32(5))})
		require.NoError(t, err)
		require.Equal(t, "main.main", frames.StackFrames[0].Name)
		require.EqualValues(t, 9, frames.StackFrames[0].Line)
		scopes, err := adapter.Scopes(ctx, &dap.ScopesArguments{FrameID: frames.StackFrames[0].ID})
		require.NoError(t, err)
		values := map[string]string{}
		for _, scope := range scopes.Scopes {
			variables, err := adapter.Variables(ctx, &dap.VariablesArguments{VariablesReference: scope.VariablesReference})
			require.NoError(t, err)
			for _, v := range variables.Variables {
				values[v.Name] = v.Value
			}
		}
		require.Equal(t, strconv.Quote(want.name), values["name"], "%v", values)
		require.Equal(t, want.total, values["total"])
		if round == 0 {
			require.NoError(t, adapter.Next(ctx, &dap.NextArguments{ThreadID: *stopped.ThreadID}))
			require.Equal(t, dap.StoppedEventBodyReasonStep, wait(t, ctx, got.stopped).Reason)
			answer, err := adapter.Evaluate(ctx, &dap.EvaluateArguments{Expression: "total + 40", FrameID: &frames.StackFrames[0].ID})
			if err == nil { // frames of before the step may be unknown
				require.Equal(t, "40", answer.Result)
			}
			_, err = adapter.Evaluate(ctx, &dap.EvaluateArguments{Expression: "nothing + 1"})
			require.ErrorContains(t, err, "evaluate: ") // an error of the adapter's, with its text
			var failed *rpc.Error
			require.ErrorAs(t, err, &failed)
			require.NotEmpty(t, failed.Data)
		}
		_, err = adapter.Continue(ctx, &dap.ContinueArguments{ThreadID: *stopped.ThreadID})
		require.NoError(t, err)
	}
	wait(t, ctx, got.terminated)
	require.NoError(t, adapter.Disconnect(ctx, &dap.DisconnectArguments{}))
	_ = peer.Close()
	<-served
	require.Empty(t, bad, "nothing was malformed")
}

func wait[T any](t *testing.T, ctx context.Context, from chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-ctx.Done():
		t.Fatal("nothing came")
		panic("not reached")
	}
}

func ptr[T any](v T) *T { return &v }
