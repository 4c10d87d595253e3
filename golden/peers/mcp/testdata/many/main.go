// Command many is a server of many sessions, of which the memory is measured: for each line of its standard input it prints the
// bytes that are in use.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"

	"ours/mcp"
	"ours/wire/rpc"
	"ours/wire/web"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	ctx, cancel := context.WithCancel(context.Background())
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			runtime.GC()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			fmt.Println(m.HeapAlloc + m.StackInuse)
		}
		cancel()
	}()
	return web.Serve(ctx, l, &web.Sessions{Dialect: mcp.HTTP, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, nil).Serve(ctx, handlers)
	}})
}

var handlers = &mcp.ServerHandlers{
	Initialize: func(_ context.Context, p *mcp.InitializeRequestParams) (*mcp.InitializeResult, error) {
		return &mcp.InitializeResult{
			ProtocolVersion: mcp.NegotiateVersion(p.ProtocolVersion), ServerInfo: mcp.Implementation{Name: "ours", Version: "1"},
		}, nil
	},
	NotificationsInitialized: func(context.Context, *mcp.NotificationParams) {},
	ToolsCall: func(_ context.Context, p *mcp.CallToolRequestParams) (mcp.CallToolOutcome, error) {
		var text string
		if err := json.Unmarshal(p.Arguments["text"], &text); err != nil {
			return nil, rpc.InvalidParams
		}
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: text}}}, nil
	},
}
