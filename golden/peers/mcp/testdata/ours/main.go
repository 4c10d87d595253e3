// Command ours is a server or a client of MCP over its standard input and output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"ours/mcp"
	"ours/mcp/wire/gate"
	"ours/mcp/wire/rpc"
)

func main() {
	peer := rpc.NewPeer(rpc.Stdio(), nil)
	var err error
	if os.Args[1] == "server" {
		err = serve(peer)
	} else {
		err = ask(peer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
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
func serve(peer *rpc.Peer) error {
	server := mcp.NewClientConn(peer)
	say := func(ctx context.Context, p *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
		for i := 1; p.Meta != nil && i <= 2; i++ {
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
	return peer.Serve(context.Background(), &mcp.ServerHandlers{
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
	if err != nil {
		return err
	}
	if err := client.NotificationsInitialized(ctx, &initializedParams{}); err != nil {
		return err
	}
	if _, err := client.Ping(ctx, &pingParams{}); err != nil {
		return err
	}
	list, err := client.ToolsList(ctx, &listParams{})
	if err != nil {
		return err
	}
	var progress []float64
	watched := mcp.WithProgress(ctx, func(p *mcp.ProgressNotificationParams) { progress = append(progress, p.Progress) })
	result, err := client.ToolsCall(watched, &mcp.CallToolRequestParams{Name: list.Tools[0].Name, Arguments: map[string]json.RawMessage{"text": json.RawMessage(`"hello"`)}})
	if err != nil {
		return err
	}
	_, err = client.ToolsCall(ctx, &mcp.CallToolRequestParams{Name: "nothing"})
	var refused *rpc.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("a tool that there is not: %w", err)
	}
	fmt.Fprintln(os.Stderr, said.ProtocolVersion, said.ServerInfo.Name, list.Tools[0].Name, progress, result.Content[0].(*mcp.TextContent).Text, refused.Code)
	return peer.Close()
}
