// Streamable HTTP: our server and client with theirs.

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestStatelessOursAndTheGoSDK has requests that stand for themselves, as in the versions without sessions, with packages of the published
// schemas and of those that ahpgen brings.
func TestStatelessOursAndTheGoSDK(t *testing.T) {
	for schemas, names := range map[string][2]string{"2026-07-28": {"RequestParams", "PaginatedRequestParams"}, "mcp@2026-07-28": {"DiscoverRequestParams", "ListToolsRequestParams"}} {
		t.Run(schemas, func(t *testing.T) {
			file := fmt.Sprintf("package main\n\nimport \"ours/mcp\"\n\ntype (\n\tdiscoverParams = mcp.%s\n\tlistParams = mcp.%s\n)\n", names[0], names[1])
			stateless(t, "2026-07-28", build(t, schemas, "stateless", map[string]string{"names.go": file}))
		})
	}
}

func stateless(t *testing.T, version, ours string) {
	t.Run("their client and our server", func(t *testing.T) {
		url := start(t, ours, "server")
		ctx := limited(t)
		var mu sync.Mutex // guards progress
		var progress []float64
		client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) {
				mu.Lock()
				defer mu.Unlock()
				progress = append(progress, p.Params.Progress)
			},
		})
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, nil)
		require.NoError(t, err)
		require.Equal(t, version, session.InitializeResult().ProtocolVersion)
		list, err := session.ListTools(ctx, nil)
		require.NoError(t, err)
		call := &mcp.CallToolParams{Name: list.Tools[0].Name, Arguments: map[string]any{"text": "hello"}, Meta: mcp.Meta{}}
		call.SetProgressToken("p")
		result, err := session.CallTool(ctx, call)
		require.NoError(t, err)
		require.Equal(t, "hello", result.Content[0].(*mcp.TextContent).Text)
		require.Eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(progress) == 2
		}, time.Minute, time.Millisecond)
		_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "nothing"})
		require.ErrorContains(t, err, "invalid params")
		_, err = session.ListPrompts(ctx, nil)
		require.Error(t, err)
		require.NoError(t, session.Close())
	})
	t.Run("our client and their server", func(t *testing.T) {
		server := mcp.NewServer(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
		server.AddTool(&mcp.Tool{Name: "say", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i := range 2 {
				if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1)}); err != nil {
					return nil, err
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
		})
		theirs := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
		defer theirs.Close()
		said, err := exec.CommandContext(limited(t), ours, "client", theirs.URL).CombinedOutput()
		require.NoError(t, err, "%s", said)
		require.Equal(t, version+" say [1 2] hello -32602\n", string(said))
	})
}

// start runs our server until the test ends, and returns its URL.
func start(t *testing.T, ours, as string) string {
	child := exec.Command(ours, as) // which ends with its standard input
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, child.Wait())
	})
	return strings.TrimSpace(url)
}

func theirHTTPClient(t *testing.T, version, ours string) {
	url := start(t, ours, "http-server")
	converse(t, version, &mcp.StreamableClientTransport{Endpoint: url})
	t.Run("cut", func(t *testing.T) { theirCutClient(t, version, url) })
}

func theirHTTPServer(t *testing.T, version, ours string) {
	for name, options := range map[string]*mcp.StreamableHTTPOptions{
		"streams":                     nil,
		"streams that can be resumed": {EventStore: mcp.NewMemoryEventStore(nil)},
	} {
		t.Run(name, func(t *testing.T) {
			server := saying()
			theirs := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options))
			defer theirs.Close()
			defer theirs.CloseClientConnections()
			said, err := exec.CommandContext(limited(t), ours, "http-client", theirs.URL).CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Equal(t, version+" theirs say [1 2] hello from file:///ours -32602\n", string(said))
			if options == nil {
				return
			}
			through := cutting(t, theirs.URL, 1200)
			said, err = exec.CommandContext(limited(t), ours, "http-many", through.url).CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Equal(t, "2500 hello from file:///ours\n", string(said))
			require.Greater(t, through.cuts.Load(), int64(200))
		})
	}
}

// theirCutClient calls a tool with much progress. Nothing of it is lost, and nothing comes twice.
func theirCutClient(t *testing.T, version, url string) {
	through := cutting(t, url, 1400)
	ctx := limited(t)
	var mu sync.Mutex // guards progress
	var progress []float64
	client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			progress = append(progress, p.Params.Progress)
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///theirs"})
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: through.url}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	call := &mcp.CallToolParams{Name: "stream", Arguments: map[string]any{"text": "hello"}, Meta: mcp.Meta{}}
	call.SetProgressToken("p")
	result, err := session.CallTool(ctx, call)
	require.NoError(t, err)
	require.Equal(t, "hello from file:///theirs", result.Content[0].(*mcp.TextContent).Text)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(progress) >= 2500
	}, time.Minute, time.Millisecond)
	slices.Sort(progress) // theirs does not keep the order
	for i, at := range progress {
		require.Equal(t, float64(i+1), at)
	}
	require.Greater(t, through.cuts.Load(), int64(200))
	_ = session.Close() // which may be cut too
}

// proxy cuts connections after some bytes of the server's.
type proxy struct {
	url  string
	cuts atomic.Int64
}

func cutting(t *testing.T, url string, after int64) *proxy {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{url: "http://" + l.Addr().String()}
	go func() {
		for n := int64(0); ; n++ {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(client, strings.TrimPrefix(url, "http://"), after+n*7%97)
		}
	}()
	return p
}

func (p *proxy) carry(client net.Conn, address string, limit int64) {
	defer client.Close()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() { _, _ = io.Copy(server, client) }()
	if n, _ := io.CopyN(client, server, limit); n == limit {
		p.cuts.Add(1)
	}
}
