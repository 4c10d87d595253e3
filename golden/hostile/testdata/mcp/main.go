// A server of MCP over the standard input and output, which measures itself.

package main

import (
	"context"
	"os"
	"time"

	"host/gauge"
	"host/mcp"
	"host/mcp/wire/rpc"
)

func main() {
	var o rpc.Options
	if os.Getenv("HOSTILE_IMPATIENT") != "" {
		const short = 300 * time.Millisecond
		o = rpc.Options{MessageTimeout: short, WriteTimeout: short, Silence: -1, DrainTimeout: short}
	}
	peer := rpc.NewPeer(rpc.Stdio(), &o)
	handlers := &mcp.ServerHandlers{
		Initialize: func(_ context.Context, p *mcp.InitializeRequestParams) (*mcp.InitializeResult, error) {
			return &mcp.InitializeResult{
				ProtocolVersion: mcp.NegotiateVersion(p.ProtocolVersion), ServerInfo: mcp.Implementation{Name: "s", Version: "1"},
			}, nil
		},
		NotificationsInitialized: func(context.Context, *mcp.NotificationParams) {},
		Ping: func(context.Context, *mcp.RequestParams) (*mcp.EmptyResult, error) {
			return &mcp.EmptyResult{}, nil
		},
		ToolsCall: func(ctx context.Context, p *mcp.CallToolRequestParams) (mcp.CallToolOutcome, error) {
			if p.Name == "wait" {
				rpc.Async(ctx)
				<-ctx.Done()
			}
			return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "said"}}}, nil
		},
	}
	go func() { _ = peer.Serve(context.Background(), handlers) }()
	gauge.Serve(struct{}{})
}
