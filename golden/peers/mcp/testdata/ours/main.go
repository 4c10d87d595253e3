// Command ours is a server or a client of MCP, over its standard input and output or over HTTP.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"ours/mcp"
	"ours/wire/gate"
	"ours/wire/rpc"
	"ours/wire/web"
)

func main() {
	ctx := context.Background()
	var err error
	switch os.Args[1] {
	case "server":
		err = serve(ctx, rpc.NewPeer(rpc.Stdio(), nil))
	case "client":
		err = ask(rpc.NewPeer(rpc.Stdio(), nil))
	case "http-server":
		err = serveHTTP(ctx)
	case "http-many":
		err = askMuch(rpc.NewPeer(web.Dial(os.Args[2], mcp.HTTP, nil), nil))
	case "http-client":
		err = ask(rpc.NewPeer(web.Dial(os.Args[2], mcp.HTTP, nil), nil))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveHTTP prints the URL at which it serves. It ends with its standard input.
func serveHTTP(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return web.Serve(ctx, l, &web.Sessions{Dialect: mcp.HTTP, Retry: time.Millisecond, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		if err := serve(ctx, rpc.NewPeer(t, nil)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}})
}

func decode[T any](read func([]byte) (T, error), text string) T {
	v, err := read([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

func alive(context.Context, *pingParams) (*mcp.EmptyResult, error) { return &mcp.EmptyResult{}, nil }

// serve has a tool that says what it is told, once it has told its progress, seen that the client is there and asked where its
// roots are.
func serve(ctx context.Context, peer *rpc.Peer) error {
	server := mcp.NewClientConn(peer)
	say := func(ctx context.Context, p *mcp.CallToolRequestParams) (toolResult, error) {
		steps := 2
		if p.Name == "stream" {
			steps = 2500
		}
		for i := 1; p.Meta != nil && i <= steps; i++ {
			if err := server.NotificationsProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.Meta.ProgressToken, Progress: float64(i)}); err != nil {
				return nil, err
			}
		}
		if _, err := server.Ping(ctx, &pingParams{}); err != nil {
			return nil, err
		}
		roots, err := server.RootsList(ctx, &rootsParams{})
		if err != nil {
			return nil, err
		}
		if _, err := server.SamplingCreateMessage(ctx, &mcp.CreateMessageRequestParams{}); !errors.Is(err, gate.ErrNotAdvertised) {
			return nil, fmt.Errorf("the client cannot sample, and was asked to: %w", err)
		}
		var text string
		if err := json.Unmarshal(p.Arguments["text"], &text); err != nil {
			return nil, rpc.InvalidParams
		}
		said, err := json.Marshal(text + " from " + roots.Roots[0].URI)
		if err != nil {
			return nil, err
		}
		return decode(mcp.Decode[mcp.CallToolResult], `{"content":[{"type":"text","text":`+string(said)+`}]}`), nil
	}
	return peer.Serve(ctx, &mcp.ServerHandlers{
		Initialize: func(_ context.Context, p *mcp.InitializeRequestParams) (*mcp.InitializeResult, error) {
			return &mcp.InitializeResult{
				ProtocolVersion: mcp.NegotiateVersion(p.ProtocolVersion), ServerInfo: mcp.Implementation{Name: "ours", Version: "1"},
				Capabilities: *decode(mcp.Decode[mcp.ServerCapabilities], `{"tools":{}}`),
			}, nil
		},
		NotificationsInitialized: func(context.Context, *initializedParams) {},
		Ping:                     alive,
		ToolsCall:                say,
		ToolsList: func(context.Context, *listParams) (*mcp.ListToolsResult, error) {
			return decode(mcp.Decode[mcp.ListToolsResult], `{"tools":[{"name":"say","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}`), nil
		},
	})
}

// ask writes to the standard error what it finds at a server.
func ask(peer *rpc.Peer) error {
	client, said, err := open(peer)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if _, err := client.Ping(ctx, &pingParams{}); err != nil {
		return err
	}
	list, err := client.ToolsList(ctx, &listParams{})
	if err != nil {
		return err
	}
	progress, result, err := call(client, list.Tools[0].Name)
	if err != nil {
		return err
	}
	_, err = client.ToolsCall(ctx, &mcp.CallToolRequestParams{Name: "nothing"})
	var refused *rpc.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("a tool that there is not: %w", err)
	}
	fmt.Fprintln(os.Stderr, said.ProtocolVersion, said.ServerInfo.Name, list.Tools[0].Name, progress, result, refused.Code)
	return peer.Close()
}

// askMuch calls a tool with much progress, which has to arrive in order, each once.
func askMuch(peer *rpc.Peer) error {
	client, _, err := open(peer)
	if err != nil {
		return err
	}
	progress, result, err := call(client, "stream")
	if err != nil {
		return err
	}
	for i, at := range progress {
		if at != float64(i+1) {
			return fmt.Errorf("progress %d is %g", i+1, at)
		}
	}
	fmt.Fprintln(os.Stderr, len(progress), result)
	return peer.Close()
}

// call calls a tool and returns its progress and what it says.
func call(client *mcp.ServerConn, tool string) (progress []float64, text string, err error) {
	watched := mcp.WithProgress(context.Background(), func(p *mcp.ProgressNotificationParams) { progress = append(progress, p.Progress) })
	result, err := client.ToolsCall(watched, &mcp.CallToolRequestParams{Name: tool, Arguments: map[string]json.RawMessage{"text": json.RawMessage(`"hello"`)}})
	if err != nil {
		return nil, "", err
	}
	return progress, any(result).(*mcp.CallToolResult).Content[0].(*mcp.TextContent).Text, nil
}

// open introduces a client with a root.
func open(peer *rpc.Peer) (*mcp.ServerConn, *mcp.InitializeResult, error) {
	go func() {
		_ = peer.Serve(context.Background(), &mcp.ClientHandlers{
			Ping: alive,
			RootsList: func(context.Context, *rootsParams) (*mcp.ListRootsResult, error) {
				return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///ours"}}}, nil
			},
		})
	}()
	ctx, client := context.Background(), mcp.NewServerConn(peer)
	said, err := client.Initialize(ctx, &mcp.InitializeRequestParams{
		ProtocolVersion: mcp.ProtocolVersion(), ClientInfo: mcp.Implementation{Name: "ours", Version: "1"},
		Capabilities: *decode(mcp.Decode[mcp.ClientCapabilities], `{"roots":{}}`),
	})
	if err == nil {
		err = client.NotificationsInitialized(ctx, &initializedParams{})
	}
	return client, said, err
}
