// Command ours calls the example server that has everything, and prints what comes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"ours/mcp"
	"ours/wire/rpc"
	"ours/wire/web"
)

func main() {
	if err := ask(os.Args[1]); err != nil {
		fmt.Println(err)
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

func ask(url string) error {
	ctx := context.Background()
	var wrong atomic.Int64
	bad := func(err error) {
		wrong.Add(1)
		fmt.Println(err)
	}
	messages := make(chan bool, 1)
	peer := rpc.NewPeer(web.Dial(url, mcp.HTTP, &web.Options{OnError: bad}), &rpc.Options{OnBad: bad})
	go func() {
		_ = peer.Serve(ctx, &mcp.ClientHandlers{
			RootsList: func(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
				return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///ours"}}}, nil
			},
			SamplingCreateMessage: func(context.Context, *mcp.CreateMessageRequestParams) (mcp.CreateMessageOutcome, error) {
				return decode(mcp.Decode[mcp.CreateMessageResult], `{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"}}`), nil
			},
			NotificationsMessage: func(context.Context, *mcp.LoggingMessageNotificationParams) {
				select {
				case messages <- true:
				default:
				}
			},
		})
	}()
	client := mcp.NewServerConn(peer)
	if _, err := client.Initialize(ctx, &mcp.InitializeRequestParams{
		ProtocolVersion: mcp.ProtocolVersion(), ClientInfo: mcp.Implementation{Name: "ours", Version: "1"},
		Capabilities: *decode(mcp.Decode[mcp.ClientCapabilities], `{"roots":{"listChanged":true},"sampling":{}}`),
	}); err != nil {
		return err
	}
	if err := client.NotificationsInitialized(ctx, &mcp.NotificationParams{}); err != nil {
		return err
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"echo", `{"message":"hi"}`, ""},
		{"get-sum", `{"a":1,"b":2}`, ""},
		{"trigger-long-running-operation", `{"duration":1,"steps":4}`, ""},
		{"get-roots-list", `{}`, "file:///ours"},
		{"trigger-sampling-request", `{"prompt":"p","maxTokens":10}`, "sampled"},
		{"toggle-simulated-logging", `{}`, ""},
	} {
		var arguments map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.arguments), &arguments); err != nil {
			return err
		}
		steps := 0
		watched := mcp.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { steps++ })
		result, err := client.ToolsCall(watched, &mcp.CallToolRequestParams{Name: c.tool, Arguments: arguments})
		if err != nil {
			return fmt.Errorf("%s: %w", c.tool, err)
		}
		text := result.(*mcp.CallToolResult).Content[0].(*mcp.TextContent).Text
		switch {
		case c.tool == "toggle-simulated-logging":
			continue
		case c.want != "" && strings.Contains(text, c.want):
			text = "it has " + c.want
		case steps > 0:
			text = fmt.Sprint(steps, " steps")
		}
		fmt.Printf("%s: %s\n", c.tool, text)
	}
	select {
	case there := <-messages:
		fmt.Println("messages:", there)
	case <-time.After(30 * time.Second):
		fmt.Println("messages: none")
	}
	err := peer.Close()
	fmt.Println("wrong:", wrong.Load())
	return err
}
