package rpc_test

import (
	"context"
	"fmt"
	"net"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// Two peers talk over a connection: one has handlers, and the other sends requests.
func ExamplePeer() {
	here, there := net.Pipe()
	ctx := context.Background()

	agent := rpc.NewPeer(rpc.Stream(there), nil)
	go func() {
		_ = agent.Serve(ctx, &acp.AgentHandlers{
			SessionNew: func(context.Context, *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
				return &acp.NewSessionResponse{SessionID: "s1"}, nil
			},
		})
	}()

	client := rpc.NewPeer(rpc.Stream(here), nil)
	go func() { _ = client.Serve(ctx, &acp.ClientHandlers{}) }()
	session, err := acp.NewAgentConn(client).SessionNew(ctx, &acp.NewSessionRequest{CWD: "/tmp", MCPServers: []acp.MCPServer{}})
	fmt.Println(session.SessionID, err)
	fmt.Println(client.Close())
	// Output:
	// s1 <nil>
	// <nil>
}
