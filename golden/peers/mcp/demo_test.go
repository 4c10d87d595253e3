// The demo server, as clients of the Go SDK see it, over a stream and over HTTP.

package mcp

import (
	"bufio"
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// demo builds the demo server.
func demo(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "mcpdemo.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", program, "./cmd/mcpdemo").CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

func TestTheDemoAndTheGoSDK(t *testing.T) {
	program := demo(t)
	http := exec.Command(program, "--http", "localhost:0", "--page", "2")
	out, err := http.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, http.Start())
	defer func() { _, _ = http.Process.Kill(), http.Wait() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	for _, version := range append([]string{"2025-06-18"}, eras...) {
		for name, transport := range map[string]mcp.Transport{
			"a stream": &mcp.CommandTransport{Command: exec.Command(program, "--page", "2")},
			"HTTP":     &mcp.StreamableClientTransport{Endpoint: strings.TrimSpace(url)},
		} {
			t.Run(version+" over "+name, func(t *testing.T) { useDemo(t, transport, version) })
		}
	}
}

func useDemo(t *testing.T, transport mcp.Transport, version string) {
	t.Helper()
	ctx := limited(t)
	changed, progress := make(chan struct{}, 8), make(chan float64, 8)
	client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) { progress <- p.Params.Progress },
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
	})
	session, err := client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	defer session.Close()
	require.Equal(t, version, session.InitializeResult().ProtocolVersion)
	var names []string
	for tool, err := range session.Tools(ctx, nil) { // all pages
		require.NoError(t, err)
		names = append(names, tool.Name)
	}
	require.Subset(t, names, []string{"add_note", "add_tool", "greet", "wait"})

	call := func(name string, arguments map[string]any) *mcp.CallToolResult {
		t.Helper()
		params := &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: mcp.Meta{}}
		params.SetProgressToken(name)
		result, err := session.CallTool(ctx, params)
		require.NoError(t, err)
		return result
	}
	text := func(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }
	added := text(call("add_note", map[string]any{"title": "Milk", "text": "Buy some."}))
	uri := strings.TrimPrefix(added, "Added ")
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	require.NoError(t, err)
	require.Equal(t, "Buy some.", read.Contents[0].Text)
	wrong := call("add_note", map[string]any{"title": "Milk"})
	require.True(t, wrong.IsError)
	require.Equal(t, "invalid arguments: missing properties: 'text'", text(wrong))
	require.Equal(t, "Hello, Ada", text(call("greet", nil)))
	require.Equal(t, "Took 3 steps", text(call("wait", map[string]any{"steps": 3})))
	for i := range 3 {
		require.InDelta(t, i+1, <-progress, 0)
	}
	require.Equal(t, "Added tell_time", text(call("add_tool", nil)))
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Fatal("the client was not notified of the new tool")
	}
	now := text(call("tell_time", nil))
	_, err = time.Parse(time.RFC3339, now)
	require.NoError(t, err)
}
