// Command ours is a server or a client of MCP 2026-07-28, in which each request stands for itself.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"ours/mcp"
	"ours/wire/rpc"
	"ours/wire/web"
)

func main() {
	var err error
	if os.Args[1] == "server" {
		err = serve()
	} else {
		err = ask(os.Args[2])
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

// say tells its progress before what it is told.
func say(ctx context.Context, p *mcp.CallToolRequestParams) (mcp.CallToolOutcome, error) {
	client := mcp.NewClientConn(rpc.CallerOf(ctx))
	for i := 1; p.Meta.ProgressToken != nil && i <= 2; i++ {
		if err := client.NotificationsProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: p.Meta.ProgressToken, Progress: float64(i)}); err != nil {
			return nil, err
		}
	}
	if p.Name != "say" {
		return nil, rpc.InvalidParams
	}
	return decode(mcp.Decode[mcp.CallToolResult], `{"resultType":"complete","content":[{"type":"text","text":`+string(p.Arguments["text"])+`}]}`), nil
}

// serve prints the URL at which it serves. It ends with its standard input.
func serve() error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String())
	return web.Serve(ctx, l, &web.Handler{Dialect: mcp.HTTP, Handler: &mcp.ServerHandlers{
		ServerDiscover: func(context.Context, *discoverParams) (*mcp.DiscoverResult, error) {
			return decode(mcp.Decode[mcp.DiscoverResult], `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"ours","version":"1"},"ttlMs":0,"cacheScope":"private"}`), nil
		},
		ToolsCall: say,
		ToolsList: func(context.Context, *listParams) (*mcp.ListToolsResult, error) {
			return decode(mcp.Decode[mcp.ListToolsResult], `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"say","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]}`), nil
		},
	}})
}

// ask writes to the standard error what it finds at a server.
func ask(url string) error {
	client := mcp.NewServerConn(web.NewClient(url, mcp.HTTP, &web.Options{Handler: &mcp.ClientHandlers{}}))
	ctx := context.Background()
	meta := *decode(mcp.Decode[mcp.RequestMetaObject], `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"ours","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`)
	found, err := client.ServerDiscover(ctx, &discoverParams{Meta: meta})
	if err != nil {
		return err
	}
	list, err := client.ToolsList(ctx, &listParams{Meta: meta})
	if err != nil {
		return err
	}
	var progress []float64
	watched := mcp.WithProgress(ctx, func(p *mcp.ProgressNotificationParams) { progress = append(progress, p.Progress) })
	result, err := client.ToolsCall(watched, &mcp.CallToolRequestParams{Meta: meta, Name: list.Tools[0].Name, Arguments: map[string]json.RawMessage{"text": json.RawMessage(`"hello"`)}})
	if err != nil {
		return err
	}
	_, err = client.ToolsCall(ctx, &mcp.CallToolRequestParams{Meta: meta, Name: "nothing"})
	var refused *rpc.Error
	if !errors.As(err, &refused) {
		return fmt.Errorf("a tool that there is not: %w", err)
	}
	fmt.Fprintln(os.Stderr, found.SupportedVersions[0], list.Tools[0].Name, progress, result.(*mcp.CallToolResult).Content[0].(*mcp.TextContent).Text, refused.Code)
	return nil
}
