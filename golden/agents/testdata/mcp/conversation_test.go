// A client and a server of MCP talk, as schemas of each version have it until 2025-11-25.

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"corpus/wire/gate"
	"corpus/wire/rpc"
)

// must decodes a value whose Go type is called otherwise from version to version.
func must[T any](t *testing.T, decode func([]byte) (T, error), text string) T {
	t.Helper()
	v, err := decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon receives, or fails where that takes suspiciously long.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		t.Fatal("nothing came")
	}
	return v
}

const tools = `{"tools":[{"name":"say","description":"Says it.","inputSchema":{"type":"object","x-odd":[1.0,9007199254740993]}}],"nextCursor":"more"}`

// talk is a connection between a server that has tools and a client that has roots.
type talk struct {
	client      *ServerConn
	server      *ClientConn
	initialized chan struct{}
	cancelled   chan error
}

func begin(t *testing.T) *talk {
	t.Helper()
	near, far := net.Pipe()
	ours, theirs := rpc.NewPeer(rpc.Stream(near), nil), rpc.NewPeer(rpc.Stream(far), nil)
	k := &talk{client: NewServerConn(ours), server: NewClientConn(theirs), initialized: make(chan struct{}, 1), cancelled: make(chan error, 1)}
	go func() {
		_ = ours.Serve(context.Background(), &ClientHandlers{
			RootsList: func(context.Context, *rootsParams) (*ListRootsResult, error) {
				return &ListRootsResult{Roots: []Root{{URI: "file:///a"}}}, nil
			},
		})
	}()
	go func() { _ = theirs.Serve(context.Background(), k.handlers(t)) }()
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	return k
}

func (k *talk) handlers(t *testing.T) *ServerHandlers {
	return &ServerHandlers{
		Initialize: func(_ context.Context, p *InitializeRequestParams) (*InitializeResult, error) {
			return &InitializeResult{
				ProtocolVersion: NegotiateVersion(p.ProtocolVersion),
				Capabilities:    *must(t, Decode[ServerCapabilities], `{"tools":{}}`), ServerInfo: Implementation{Name: "s", Version: "1"},
			}, nil
		},
		NotificationsInitialized: func(context.Context, *initializedParams) { k.initialized <- struct{}{} },
		ToolsList: func(context.Context, *listParams) (*ListToolsResult, error) {
			return must(t, Decode[ListToolsResult], tools), nil
		},
		ToolsCall: func(ctx context.Context, p *CallToolRequestParams) (toolResult, error) {
			if p.Name == "wait" {
				rpc.Async(ctx)
				<-ctx.Done()
				k.cancelled <- context.Cause(ctx)
				return nil, ctx.Err()
			}
			if p.Meta != nil && p.Meta.ProgressToken != nil {
				for i := range 3 {
					ok(t, k.server.NotificationsProgress(ctx, &ProgressNotificationParams{ProgressToken: p.Meta.ProgressToken, Progress: float64(i)}))
				}
			}
			return must(t, Decode[CallToolResult], `{"content":[{"type":"text","text":`+string(p.Arguments["text"])+`}]}`), nil
		},
	}
}

// introduce has the two say what they can.
func (k *talk) introduce(t *testing.T) {
	t.Helper()
	said, err := k.client.Initialize(t.Context(), &InitializeRequestParams{
		ProtocolVersion: ProtocolVersion(), Capabilities: *must(t, Decode[ClientCapabilities], `{"roots":{"listChanged":true}}`), ClientInfo: Implementation{Name: "c", Version: "1"},
	})
	ok(t, err)
	if said.ProtocolVersion != ProtocolVersion() || said.ServerInfo.Name != "s" {
		t.Fatal(said)
	}
	ok(t, k.client.NotificationsInitialized(t.Context(), &initializedParams{}))
	soon(t, k.initialized)
}

func TestAClientAndAServerTalk(t *testing.T) {
	k := begin(t)
	k.introduce(t)
	list, err := k.client.ToolsList(t.Context(), nil)
	ok(t, err)
	if back, err := list.AppendJSON(nil); err != nil || !sameJSON(t, back, tools) {
		t.Fatal(string(back), err)
	}
	_, err = k.client.Ping(t.Context(), &pingParams{}) // neither has a handler for it
	ok(t, err)
	_, err = k.server.Ping(t.Context(), &pingParams{})
	ok(t, err)
	roots, err := k.server.RootsList(t.Context(), &rootsParams{})
	ok(t, err)
	if len(roots.Roots) != 1 || roots.Roots[0].URI != "file:///a" {
		t.Fatal(roots)
	}
}

func TestProgressIsToldBeforeTheAnswer(t *testing.T) {
	k := begin(t)
	k.introduce(t)
	var told []float64
	ctx := WithProgress(t.Context(), func(p *ProgressNotificationParams) { told = append(told, p.Progress) })
	result, err := k.client.ToolsCall(ctx, &CallToolRequestParams{Name: "say", Arguments: map[string]json.RawMessage{"text": json.RawMessage(`"hello"`)}})
	ok(t, err)
	if !slices.Equal(told, []float64{0, 1, 2}) {
		t.Fatal(told)
	}
	if text, is := any(result).(*CallToolResult).Content[0].(*TextContent); !is || text.Text != "hello" {
		t.Fatal(result)
	}
}

func TestACallThatEndsIsCancelled(t *testing.T) {
	k := begin(t)
	k.introduce(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := k.client.ToolsCall(ctx, &CallToolRequestParams{Name: "wait"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if err := soon(t, k.cancelled); !errors.Is(err, rpc.ErrCancelled) {
		t.Fatal(err)
	}
}

func TestWhatThePeerHasNotSaidIsNotSent(t *testing.T) {
	k := begin(t)
	k.introduce(t)
	if _, err := k.client.PromptsGet(t.Context(), &GetPromptRequestParams{Name: "p"}); !errors.Is(err, gate.ErrNotAdvertised) {
		t.Fatal(err)
	}
	if _, err := k.server.SamplingCreateMessage(t.Context(), &CreateMessageRequestParams{}); !errors.Is(err, gate.ErrNotAdvertised) {
		t.Fatal(err)
	}
	if !k.client.Supports(MethodToolsCall) || k.client.Supports(MethodPromptsGet) || !k.server.Supports(MethodRootsList) {
		t.Fatal("what is said is not what is supported")
	}
}

func TestAServerAnswersAVersionThatItDoesNotKnowWithItsOwn(t *testing.T) {
	if NegotiateVersion("1999-01-01") != ProtocolVersion() || NegotiateVersion(ProtocolVersion()) != ProtocolVersion() {
		t.Fatal(NegotiateVersion("1999-01-01"))
	}
}

// TestBatchesAreOfOneVersion: of all versions one has batches, and there only the first request must not be in one.
func TestBatchesAreOfOneVersion(t *testing.T) {
	near, far := net.Pipe()
	peer := rpc.NewPeer(rpc.Stream(near), nil)
	k := &talk{server: NewClientConn(peer), initialized: make(chan struct{}, 1)}
	go func() { _ = peer.Serve(context.Background(), k.handlers(t)) }()
	t.Cleanup(func() { _, _ = far.Close(), peer.Close() })
	lines := bufio.NewReader(far)
	const none = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want object, got array: batches are not supported"}}`
	for _, talk := range []struct{ sent, answer string }{
		{
			`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"b","method":"prompts/list"},{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"method not found: \"prompts/list\""}},{"jsonrpc":"2.0","id":2,"result":{}}]`,
		},
		{
			`[{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}},{"jsonrpc":"2.0","id":4,"method":"ping"}]`,
			`[{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"initialize is not to be in a batch"}},{"jsonrpc":"2.0","id":4,"result":{}}]`,
		},
		{`[]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch without messages"}}`},
	} {
		if _, err := io.WriteString(far, talk.sent+"\n"); err != nil {
			t.Fatal(err)
		}
		want := talk.answer
		if !hasBatches {
			want = none
		}
		if line, err := lines.ReadString('\n'); err != nil || line != want+"\n" {
			t.Errorf("%s%v\nwant %s", line, err, want)
		}
	}
	if hasBatches {
		soon(t, k.initialized)
	}
}

// sameJSON compares values, whatever the order of members, and numbers by their digits.
func sameJSON(t *testing.T, a []byte, b string) bool {
	t.Helper()
	var sorted [2]string
	for i, text := range []string{string(a), b} {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		ok(t, d.Decode(&v))
		out, err := json.Marshal(v)
		ok(t, err)
		sorted[i] = string(out)
	}
	return sorted[0] == sorted[1]
}
