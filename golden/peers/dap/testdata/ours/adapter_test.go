// Our adapter, driven by a client that reads and writes with go-dap.

package ours

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"testing"

	theirs "github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"ours/dap"
	"ours/dap/wire/rpc"
)

// stepper is a debug adapter for a program of three lines, in memory.
type stepper struct {
	client  *dap.ClientConn
	line    uint64
	program string
}

func (s *stepper) handlers() *dap.AdapterHandlers {
	return &dap.AdapterHandlers{
		Initialize: func(ctx context.Context, p *dap.InitializeRequestArguments) (*dap.Capabilities, error) {
			rpc.AfterReply(ctx, func(ctx context.Context) { _ = s.client.Initialized(ctx) })
			return &dap.Capabilities{SupportsConfigurationDoneRequest: ptr(true)}, nil
		},
		Launch: func(_ context.Context, p *dap.LaunchRequestArguments) error {
			return json.Unmarshal(p.Extra["program"], &s.program)
		},
		ConfigurationDone: func(ctx context.Context, _ dap.ConfigurationDoneArguments) error {
			s.line = 1
			return s.client.Stopped(ctx, &dap.StoppedEventBody{Reason: dap.StoppedEventBodyReasonEntry, ThreadID: ptr(int32(1))})
		},
		Threads: func(context.Context) (*dap.ThreadsResponseBody, error) {
			return &dap.ThreadsResponseBody{Threads: []dap.Thread{{ID: 1, Name: "main"}}}, nil
		},
		StackTrace: func(context.Context, *dap.StackTraceArguments) (*dap.StackTraceResponseBody, error) {
			return &dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{{ID: 7, Name: s.program, Line: s.line, Column: 1}}}, nil
		},
		Next: func(ctx context.Context, _ *dap.NextArguments) error {
			if s.line == 3 {
				return &rpc.Error{Message: "notStopped", Data: json.RawMessage(`{"error":{"id":9,"format":"at the end"}}`)}
			}
			s.line++
			rpc.AfterReply(ctx, func(ctx context.Context) {
				_ = s.client.Stopped(ctx, &dap.StoppedEventBody{Reason: dap.StoppedEventBodyReasonStep, ThreadID: ptr(int32(1))})
			})
			return nil
		},
		Disconnect: func(ctx context.Context, _ *dap.DisconnectArguments) error {
			r, err := s.client.RunInTerminal(ctx, &dap.RunInTerminalRequestArguments{Cwd: "/", Args: []string{"bye"}})
			if err == nil && r.ProcessID != nil && *r.ProcessID == 42 {
				return nil
			}
			return &rpc.Error{Message: "no terminal"}
		},
	}
}

func TestGoDAPDrivesOurAdapter(t *testing.T) {
	near, far := net.Pipe()
	peer := dap.NewPeer(rpc.HeaderStream(near), nil)
	go func() { _ = peer.Serve(context.Background(), (&stepper{client: dap.NewClientConn(peer)}).handlers()) }()
	in := bufio.NewReader(far)
	seq := 0
	send := func(m theirs.Message) {
		t.Helper()
		require.NoError(t, theirs.WriteProtocolMessage(far, m))
	}
	request := func(command string) theirs.Request {
		seq++
		return theirs.Request{ProtocolMessage: theirs.ProtocolMessage{Seq: seq, Type: "request"}, Command: command}
	}
	count := 0
	receive := func() theirs.Message {
		t.Helper()
		m, err := theirs.ReadProtocolMessage(in)
		require.NoError(t, err)
		count++
		require.Equal(t, count, m.GetSeq(), "messages are numbered in the order that they are sent in")
		return m
	}
	send(&theirs.InitializeRequest{Request: request("initialize"), Arguments: theirs.InitializeRequestArguments{AdapterID: "stepper"}})
	can := receive().(*theirs.InitializeResponse)
	require.True(t, can.Success && can.Body.SupportsConfigurationDoneRequest)
	require.IsType(t, &theirs.InitializedEvent{}, receive())
	send(&theirs.LaunchRequest{Request: request("launch"), Arguments: json.RawMessage(`{"program":"steps.txt","stopOnEntry":true}`)})
	require.True(t, receive().(*theirs.LaunchResponse).Success)
	send(&theirs.ConfigurationDoneRequest{Request: request("configurationDone")})
	require.Equal(t, "entry", receive().(*theirs.StoppedEvent).Body.Reason)
	require.True(t, receive().(*theirs.ConfigurationDoneResponse).Success)
	send(&theirs.ThreadsRequest{Request: request("threads")})
	require.Equal(t, []theirs.Thread{{Id: 1, Name: "main"}}, receive().(*theirs.ThreadsResponse).Body.Threads)
	for line := 2; line <= 3; line++ {
		send(&theirs.NextRequest{Request: request("next"), Arguments: theirs.NextArguments{ThreadId: 1}})
		require.True(t, receive().(*theirs.NextResponse).Success)
		require.Equal(t, "step", receive().(*theirs.StoppedEvent).Body.Reason)
		send(&theirs.StackTraceRequest{Request: request("stackTrace"), Arguments: theirs.StackTraceArguments{ThreadId: 1}})
		frames := receive().(*theirs.StackTraceResponse).Body.StackFrames
		require.Equal(t, theirs.StackFrame{Id: 7, Name: "steps.txt", Line: line, Column: 1}, frames[0])
	}
	send(&theirs.NextRequest{Request: request("next"), Arguments: theirs.NextArguments{ThreadId: 1}})
	failed := receive().(*theirs.ErrorResponse)
	require.False(t, failed.Success)
	require.Equal(t, "notStopped", failed.Message)
	require.Equal(t, "at the end", failed.Body.Error.Format)
	send(&theirs.RestartRequest{Request: request("restart")})
	require.Equal(t, `method not found: "restart"`, receive().(*theirs.ErrorResponse).Message)
	send(&theirs.DisconnectRequest{Request: request("disconnect")})
	terminal := receive().(*theirs.RunInTerminalRequest)
	require.Equal(t, []string{"bye"}, terminal.Arguments.Args)
	response := theirs.RunInTerminalResponse{Response: theirs.Response{
		ProtocolMessage: theirs.ProtocolMessage{Seq: seq + 1, Type: "response"}, RequestSeq: terminal.Seq, Success: true, Command: "runInTerminal",
	}}
	response.Body.ProcessId = 42
	send(&response)
	require.True(t, receive().(*theirs.DisconnectResponse).Success)
	require.NoError(t, peer.Close())
}
