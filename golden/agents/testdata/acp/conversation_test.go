// Clients and agents that talk over a stream, both ways: order, capabilities, cancelling.

package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"corpus/acp"
	"corpus/acp/wire/gate"
	"corpus/acp/wire/rpc"
)

type conversation struct {
	client *acp.AgentConn
	agent  *acp.ClientConn
}

// connect starts both ends of a connection over a stream of lines.
func connect(t *testing.T, client *acp.ClientHandlers, agent *acp.AgentHandlers) conversation {
	t.Helper()
	here, there := net.Pipe()
	a, b := rpc.NewPeer(rpc.Stream(here), nil), rpc.NewPeer(rpc.Stream(there), nil)
	var ends sync.WaitGroup
	for p, h := range map[*rpc.Peer]rpc.Handler{a: client, b: agent} {
		ends.Add(1)
		go func() {
			defer ends.Done()
			_ = p.Serve(context.WithoutCancel(t.Context()), h)
		}()
	}
	t.Cleanup(func() {
		_, _ = a.Close(), b.Close()
		ends.Wait()
	})
	return conversation{acp.NewAgentConn(a), acp.NewClientConn(b)}
}

func initialize(can *acp.AgentCapabilities) func(context.Context, *acp.InitializeRequest) (*acp.InitializeResponse, error) {
	return func(_ context.Context, p *acp.InitializeRequest) (*acp.InitializeResponse, error) {
		return &acp.InitializeResponse{ProtocolVersion: acp.NegotiateVersion(p.ProtocolVersion), AgentCapabilities: can}, nil
	}
}

func read[T any](t *testing.T, decode func([]byte) (T, error), text string) T {
	t.Helper()
	v, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func chunk(t *testing.T, text string) *acp.SessionNotification {
	return read(t, acp.Decode[acp.SessionNotification], `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+text+`"}}}`)
}

func newSession(t *testing.T, more string) *acp.NewSessionRequest {
	return read(t, acp.Decode[acp.NewSessionRequest], `{"cwd":"/","mcpServers":[]`+more+`}`)
}

// TestAPromptReturnsAfterItsUpdates: every update is handled before the answer, in order, and what the agent sends after its
// answer is behind it.
func TestAPromptReturnsAfterItsUpdates(t *testing.T) {
	const count = 200
	var seen []string
	after := make(chan string, 1)
	client := &acp.ClientHandlers{
		SessionUpdate: func(_ context.Context, n *acp.SessionNotification) {
			text, err := n.Update.AppendJSON(nil)
			if err != nil {
				t.Error(err)
			}
			if strings.Contains(string(text), `"after"`) {
				after <- "after"
				return
			}
			seen = append(seen, string(text))
		},
		SessionRequestPermission: func(context.Context, *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
			return acp.Decode[acp.RequestPermissionResponse]([]byte(`{"outcome":{"outcome":"selected","optionId":"yes"}}`))
		},
	}
	agent := &acp.AgentHandlers{Initialize: initialize(nil)}
	c := connect(t, client, agent)
	agent.SessionPrompt = func(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
		for i := range count {
			if i == count/2 {
				ask := read(t, acp.Decode[acp.RequestPermissionRequest], `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}`)
				if _, err := c.agent.SessionRequestPermission(ctx, ask); err != nil {
					return nil, err
				}
			}
			if err := c.agent.SessionUpdate(ctx, chunk(t, "x")); err != nil {
				return nil, err
			}
		}
		rpc.AfterReply(ctx, func(ctx context.Context) {
			if err := c.agent.SessionUpdate(ctx, chunk(t, "after")); err != nil {
				t.Error(err)
			}
		})
		return &acp.PromptResponse{StopReason: "end_turn"}, nil
	}
	for range 5 {
		seen = nil
		r, err := c.client.SessionPrompt(t.Context(), &acp.PromptRequest{SessionID: "s", Prompt: []acp.ContentBlock{}})
		if err != nil || r.StopReason != "end_turn" {
			t.Fatal(r, err)
		}
		equal(t, len(seen), count)
		select {
		case <-after:
		case <-time.After(time.Minute):
			t.Fatal("what was sent after the answer did not come")
		}
	}
}

// TestCancellingACall: the context of the caller cancels the handler's, by the notification for that, and the code is the
// protocol's own. session/cancel is an ordinary notification.
func TestCancellingACall(t *testing.T) {
	here, there := net.Pipe()
	agent := &acp.AgentHandlers{}
	started, cancelled := make(chan struct{}, 1), make(chan string, 2)
	agent.SessionPrompt = func(ctx context.Context, _ *acp.PromptRequest) (*acp.PromptResponse, error) {
		rpc.Async(ctx)
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	agent.SessionCancel = func(_ context.Context, n *acp.CancelNotification) { cancelled <- string(n.SessionID) }
	peer := rpc.NewPeer(rpc.Stream(there), nil)
	go func() { _ = peer.Serve(context.WithoutCancel(t.Context()), agent) }()
	t.Cleanup(func() { _, _ = peer.Close(), here.Close() })
	lines := bufio.NewReader(here)
	says := func(line string) {
		if _, err := io.WriteString(here, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	hears := func() string {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(line, "\n")
	}
	says(`{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	<-started
	says(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"a"}}`)
	equal(t, hears(), `{"jsonrpc":"2.0","id":"a","error":{"code":-32800,"message":"cancelled by the peer"}}`)
	says(`{"jsonrpc":"2.0","id":"b","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
	<-started
	says(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	equal(t, hears(), `{"jsonrpc":"2.0","id":"b","result":{"stopReason":"cancelled"}}`)
	equal(t, <-cancelled, "s")

	ours := rpc.NewPeer(rpc.Stream(pipe{lines, here}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := acp.NewAgentConn(ours).SessionPrompt(ctx, &acp.PromptRequest{SessionID: "s", Prompt: []acp.ContentBlock{}})
		failed <- err
	}()
	go func() { _ = ours.Serve(context.WithoutCancel(t.Context()), nil) }()
	<-started
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// pipe reads through a buffer that has read already.
type pipe struct {
	io.Reader
	net.Conn
}

func (p pipe) Read(b []byte) (int, error) { return p.Reader.Read(b) }

// TestNothingIsSentThatThePeerHasNotAdvertised, from either side, and over a connection that keeps nothing by itself.
func TestNothingIsSentThatThePeerHasNotAdvertised(t *testing.T) {
	yes := true
	agent := &acp.AgentHandlers{Initialize: initialize(&acp.AgentCapabilities{LoadSession: &yes, PromptCapabilities: &acp.PromptCapabilities{Audio: &yes}})}
	client := &acp.ClientHandlers{FSReadTextFile: func(context.Context, *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
		return &acp.ReadTextFileResponse{Content: "text"}, nil
	}}
	agent.SessionLoad = func(context.Context, *acp.LoadSessionRequest) (*acp.LoadSessionResponse, error) {
		return &acp.LoadSessionResponse{}, nil
	}
	agent.SessionPrompt = func(context.Context, *acp.PromptRequest) (*acp.PromptResponse, error) {
		return &acp.PromptResponse{StopReason: "end_turn"}, nil
	}
	c := connect(t, client, agent)
	load := read(t, acp.Decode[acp.LoadSessionRequest], `{"sessionId":"s","cwd":"/","mcpServers":[]}`)
	if _, err := c.client.SessionLoad(t.Context(), load); !errors.Is(err, gate.ErrNotAdvertised) {
		t.Error("nothing is advertised yet:", err)
	}
	can := &acp.ClientCapabilities{FS: &acp.FileSystemCapabilities{ReadTextFile: &yes}}
	if _, err := c.client.Initialize(t.Context(), &acp.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: can}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.SessionLoad(t.Context(), load); err != nil {
		t.Error(err)
	}
	equal(t, []bool{c.client.Supports(acp.MethodSessionLoad), c.client.Supports(acp.MethodSessionList), c.client.Supports(acp.MethodSessionPrompt)}, []bool{true, false, true})
	equal(t, []bool{c.agent.Supports(acp.MethodFSReadTextFile), c.agent.Supports(acp.MethodFSWriteTextFile), c.agent.Supports(acp.MethodTerminalCreate)}, []bool{true, false, false})
	if r, err := c.agent.FSReadTextFile(t.Context(), &acp.ReadTextFileRequest{SessionID: "s", Path: "/a"}); err != nil || r.Content != "text" {
		t.Error(r, err)
	}
	var missing *gate.Error
	if _, err := c.agent.FSWriteTextFile(t.Context(), &acp.WriteTextFileRequest{SessionID: "s", Path: "/a"}); !errors.As(err, &missing) || missing.Capability != "clientCapabilities.fs.writeTextFile" {
		t.Error(err)
	}
	for block, want := range map[string]string{
		`{"type":"text","text":"t"}`: "", `{"type":"audio","data":"","mimeType":"audio/wav"}`: "",
		`{"type":"image","data":"","mimeType":"image/png"}`:                      "agentCapabilities.promptCapabilities.image",
		`{"type":"resource","resource":{"uri":"file:///a","text":"t"}}`:          "agentCapabilities.promptCapabilities.embeddedContext",
		`{"type":"resource_link","uri":"file:///a","name":"a"}`:                  "",
		`{"type":"text","text":"t"},{"type":"image","data":"","mimeType":"a/b"}`: "agentCapabilities.promptCapabilities.image",
	} {
		p := read(t, acp.Decode[acp.PromptRequest], `{"sessionId":"s","prompt":[`+block+`]}`)
		_, err := c.client.SessionPrompt(t.Context(), p)
		missing = nil
		if errors.As(err, &missing) != (want != "") || want != "" && missing.Capability != want || want == "" && err != nil {
			t.Error(block, err)
		}
	}
	conn := &recorded{answer: `{}`}
	alone := acp.NewAgentConn(conn)
	for more, want := range map[string]bool{``: true, `,"additionalDirectories":[]`: true, `,"additionalDirectories":["/a"]`: false} {
		if _, err := alone.SessionNew(t.Context(), newSession(t, more)); errors.Is(err, gate.ErrNotAdvertised) == want {
			t.Error(more, err)
		}
	}
	said := read(t, acp.Decode[acp.InitializeResponse], `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"additionalDirectories":{}}}}`)
	if err := alone.Introduced(said); err != nil {
		t.Fatal(err)
	}
	if _, err := alone.SessionNew(t.Context(), newSession(t, `,"additionalDirectories":["/a"]`)); errors.Is(err, gate.ErrNotAdvertised) {
		t.Error(err)
	}
	equal(t, len(slices.DeleteFunc(conn.sent, func(s string) bool { return !strings.HasPrefix(s, "session/new") })), 3)
}

// TestVersions: the agent answers with what it speaks, and the client goes away from what it does not.
func TestVersions(t *testing.T) {
	equal(t, acp.NegotiateVersion(1), acp.NegotiateVersion(65535))
	for answer, ok := range map[string]bool{`1`: true, `2`: false, `7`: true} {
		conn := &recorded{answer: `{"protocolVersion":` + answer + `}`}
		_, err := acp.NewAgentConn(conn).Initialize(t.Context(), &acp.InitializeRequest{ProtocolVersion: 7})
		if (err == nil) != ok || !ok && !errors.Is(err, rpc.ErrNoCommonVersion) {
			t.Error(answer, err)
		}
	}
}

// TestEmptyParameters: what requires nothing may be left out, in parameters and in results.
func TestEmptyParameters(t *testing.T) {
	called := 0
	h := &acp.AgentHandlers{Logout: func(context.Context, *acp.LogoutRequest) (*acp.LogoutResponse, error) {
		called++
		return &acp.LogoutResponse{}, nil
	}}
	for _, params := range []string{``, `,"params":{}`, `,"params":null`} {
		equal(t, exchange(t, h, `{"jsonrpc":"2.0","id":1,"method":"logout"`+params+`}`), `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}
	equal(t, called, 3)
	conn := &recorded{answer: `null`}
	client := acp.NewAgentConn(conn)
	if err := client.Introduced(read(t, acp.Decode[acp.InitializeResponse], `{"protocolVersion":1,"agentCapabilities":{"auth":{"logout":{}}}}`)); err != nil {
		t.Fatal(err)
	}
	if r, err := client.Logout(t.Context(), &acp.LogoutRequest{}); err != nil || r == nil {
		t.Error(r, err)
	}
	equal(t, conn.sent, []string{"logout {}"})
}

var _ json.Marshaler = (*acp.PromptRequest)(nil)
