//go:build unix

// Delve and a client that reads and writes with go-dap, with a tap between them.

package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/between"
)

// debugger is a client that waits for each answer.
type debugger struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	seq  int

	last, highest int      // numbers that Delve has sent
	misnumbered   []string // what is wrong with them: it leaves out numbers, and messages that it sends at once change places
}

func (d *debugger) header(command string) dap.Request {
	d.seq++
	return dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: d.seq, Type: "request"}, Command: command}
}

func (d *debugger) send(m dap.Message) {
	d.t.Helper()
	require.NoError(d.t, dap.WriteProtocolMessage(d.conn, m))
}

func (d *debugger) number(n int) {
	switch {
	case n == d.last+1 || n == d.highest+1:
	case n > d.last:
		d.misnumbered = append(d.misnumbered, fmt.Sprintf("sequence-gap: seq: %d follows %d", n, d.last))
	default:
		d.misnumbered = append(d.misnumbered, fmt.Sprintf("sequence-back: seq: %d follows %d", n, d.last))
	}
	d.last, d.highest = n, max(d.highest, n)
}

// until reads messages until one is of a type.
func until[T dap.Message](d *debugger) T {
	d.t.Helper()
	for {
		m, err := dap.ReadProtocolMessage(d.in)
		require.NoError(d.t, err)
		d.number(m.GetSeq())
		if m, ok := m.(T); ok {
			return m
		}
		if failed, ok := m.(*dap.ErrorResponse); ok {
			require.Fail(d.t, failed.Body.Error.Format)
		}
	}
}

// TestDelveBehindATap has 10,000 messages between programs of others: no byte is changed, and there is nothing to find fault with.
func TestDelveBehindATap(t *testing.T) {
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	program := filepath.Join(t.TempDir(), "debuggee.exe")
	run(t, exec.Command("go", "build", "-C", filepath.Join("testdata", "debuggee"), "-gcflags=all=-N -l", "-o", program))
	tap := between.New(t, between.Build(t), "--schemas", filepath.Join(corpus, "dap"), "--profile", "dap")
	conn, err := net.Dial("tcp", tap.Listen(delve(t)))
	require.NoError(t, err)
	d := &debugger{t: t, conn: conn, in: bufio.NewReader(conn)}
	d.debug(program)
	_ = conn.Close()
	require.Greater(t, tap.Check(d.misnumbered...), 10_000)
}

func (d *debugger) debug(program string) {
	t := d.t
	source, err := filepath.Abs(filepath.Join("testdata", "debuggee", "main.go"))
	require.NoError(t, err)
	d.send(&dap.InitializeRequest{Request: d.header("initialize"), Arguments: dap.InitializeRequestArguments{AdapterID: "go", LinesStartAt1: true, ColumnsStartAt1: true, PathFormat: "path"}})
	until[*dap.InitializeResponse](d)
	launch, err := json.Marshal(map[string]any{"mode": "exec", "program": program})
	require.NoError(t, err)
	d.send(&dap.LaunchRequest{Request: d.header("launch"), Arguments: launch})
	until[*dap.InitializedEvent](d)
	d.send(&dap.SetBreakpointsRequest{Request: d.header("setBreakpoints"), Arguments: dap.SetBreakpointsArguments{Source: dap.Source{Path: source}, Breakpoints: []dap.SourceBreakpoint{{Line: 9}}}})
	require.True(t, until[*dap.SetBreakpointsResponse](d).Body.Breakpoints[0].Verified)
	d.send(&dap.SetExceptionBreakpointsRequest{Request: d.header("setExceptionBreakpoints"), Arguments: dap.SetExceptionBreakpointsArguments{Filters: []string{}}})
	d.send(&dap.ConfigurationDoneRequest{Request: d.header("configurationDone")})
	stopped := until[*dap.StoppedEvent](d)
	for range 4990 {
		d.send(&dap.ThreadsRequest{Request: d.header("threads")})
		until[*dap.ThreadsResponse](d)
	}
	d.send(&dap.StackTraceRequest{Request: d.header("stackTrace"), Arguments: dap.StackTraceArguments{ThreadId: stopped.Body.ThreadId}})
	frame := until[*dap.StackTraceResponse](d).Body.StackFrames[0].Id
	d.send(&dap.ScopesRequest{Request: d.header("scopes"), Arguments: dap.ScopesArguments{FrameId: frame}})
	for _, scope := range until[*dap.ScopesResponse](d).Body.Scopes {
		d.send(&dap.VariablesRequest{Request: d.header("variables"), Arguments: dap.VariablesArguments{VariablesReference: scope.VariablesReference}})
		until[*dap.VariablesResponse](d)
	}
	for _, expression := range []string{"total + 40", "nothing + 1"} {
		d.send(&dap.EvaluateRequest{Request: d.header("evaluate"), Arguments: dap.EvaluateArguments{Expression: expression, FrameId: frame, Context: "repl"}})
	}
	until[*dap.EvaluateResponse](d)
	until[*dap.ErrorResponse](d)
	d.send(&dap.NextRequest{Request: d.header("next"), Arguments: dap.NextArguments{ThreadId: stopped.Body.ThreadId}})
	until[*dap.StoppedEvent](d)
	d.send(&dap.DisconnectRequest{Request: d.header("disconnect"), Arguments: &dap.DisconnectArguments{TerminateDebuggee: true}})
	until[*dap.TerminatedEvent](d)
}
