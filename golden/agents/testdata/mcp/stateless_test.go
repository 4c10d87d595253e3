// A client and a server of MCP talk, as schemas from 2026-07-28 on have it: each request says what its sender can.

package mcp

import (
	"context"
	"net"
	"testing"

	"corpus/wire/rpc"
)

func TestAClientAndAServerTalk(t *testing.T) {
	near, far := net.Pipe()
	ours, theirs := rpc.NewPeer(rpc.Stream(near), nil), rpc.NewPeer(rpc.Stream(far), nil)
	client, server := NewServerConn(ours), NewClientConn(theirs)
	listed := make(chan struct{}, 1)
	go func() {
		_ = ours.Serve(context.Background(), &ClientHandlers{NotificationsToolsListChanged: func(context.Context, *NotificationParams) { listed <- struct{}{} }})
	}()
	go func() {
		_ = theirs.Serve(context.Background(), &ServerHandlers{
			ToolsCall: func(ctx context.Context, p *CallToolRequestParams) (CallToolOutcome, error) {
				if p.Name == "ask" {
					return Decode[InputRequiredResult]([]byte(`{"resultType":"input_required","requestState":"s"}`))
				}
				if err := server.NotificationsToolsListChanged(ctx, &NotificationParams{}); err != nil {
					t.Error(err)
				}
				return Decode[CallToolResult]([]byte(`{"resultType":"complete","content":[{"type":"text","text":"hello"}]}`))
			},
		})
	}()
	t.Cleanup(func() { _, _ = ours.Close(), theirs.Close() })
	params, err := Decode[CallToolRequestParams]([]byte(`{"name":"say","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	outcome, err := client.ToolsCall(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	result, ok := outcome.(*CallToolResult)
	if !ok || result.Content[0].(*TextContent).Text != "hello" {
		t.Fatal(outcome)
	}
	select {
	case <-listed:
	default:
		t.Fatal("the notification came after the answer")
	}
	params.Name = "ask"
	if outcome, err = client.ToolsCall(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	if asked, ok := outcome.(*InputRequiredResult); !ok || asked.RequestState == nil || *asked.RequestState != "s" {
		t.Fatal(outcome)
	}
}
