// Both eras on both sides: our server at one URL and our client against the Go SDK in each version.

package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// TestOneURLServesClientsOfBothEras has the SDK ask for each version, and choose one by itself.
func TestOneURLServesClientsOfBothEras(t *testing.T) {
	url := start(t, buildEras(t, "conformance"), "server")
	for asked, want := range map[string]string{"2025-11-25": "2025-11-25", "2025-06-18": "2025-11-25", "2026-07-28": "2026-07-28", "": "2026-07-28"} {
		t.Run(asked, func(t *testing.T) {
			ctx := limited(t)
			client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url}, &mcp.ClientSessionOptions{ProtocolVersion: asked})
			require.NoError(t, err)
			require.Equal(t, want, session.InitializeResult().ProtocolVersion)
			list, err := session.ListTools(ctx, nil)
			require.NoError(t, err)
			require.Greater(t, len(list.Tools), 10)
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "test_simple_text"})
			require.NoError(t, err)
			require.Equal(t, "This is a simple text response for testing.", result.Content[0].(*mcp.TextContent).Text)
			require.NoError(t, session.Close())
		})
	}
}

// TestOneClientFindsServersOfBothEras has our client find out which era the SDK's server is of, and call its tool.
func TestOneClientFindsServersOfBothEras(t *testing.T) {
	ours := buildEras(t, "conformance")
	for want, options := range map[string]*mcp.StreamableHTTPOptions{"newer": {Stateless: true}, "older": nil} {
		t.Run(want, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
			calls := 0
			server.AddTool(&mcp.Tool{Name: "say", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				calls++
				return &mcp.CallToolResult{Content: []mcp.Content{}}, nil
			})
			theirs := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options))
			defer theirs.Close()
			defer theirs.CloseClientConnections()
			said, err := exec.CommandContext(limited(t), ours, theirs.URL).CombinedOutput()
			require.NoError(t, err, "%s", said)
			require.Equal(t, want+"\n", string(said))
			require.Equal(t, 1, calls)
		})
	}
}
