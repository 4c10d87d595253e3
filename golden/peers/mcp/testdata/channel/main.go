// Command ours has a client of AHP that uses an MCP server of its host, over a channel: ours NODE SERVER. It prints what comes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"ours/ahp"
	"ours/mcp"
	"ours/wire/passthrough"
	"ours/wire/rpc"
	"ours/wire/rpc/spec"
)

const uri = "mcp://everything"

// ofMCP is what a relay has to know of MCP.
var ofMCP = &spec.Table{
	Cancel: &spec.Cancelling{Method: "notifications/cancelled", Member: "requestId"},
	Progress: &spec.Progressing{
		Method: "notifications/progress", Token: "progressToken", Request: []string{"_meta", "progressToken"}, Takes: func(string) bool { return true },
	},
}

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// host starts the server and returns a relay to it, with the server's answer to the handshake, which is the host's.
func host(ctx context.Context, command []string) (relay *passthrough.Relay, said *mcp.InitializeResult, stop func() error, err error) {
	server := exec.Command(command[0], command[1:]...)
	in, err := server.StdinPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := server.Start(); err != nil {
		return nil, nil, nil, err
	}
	peer := rpc.NewPeer(sent{rpc.Wrapped{Transport: rpc.Pipes(out, in)}}, nil)
	relay = &passthrough.Relay{Server: peer, Member: "channel", URI: uri, Table: ofMCP, Answers: map[string]json.RawMessage{"ping": json.RawMessage(`{}`)}}
	go peer.Serve(ctx, relay)
	to := mcp.NewServerConn(peer)
	capabilities, err := mcp.Decode[mcp.ClientCapabilities]([]byte(`{"roots":{"listChanged":true},"sampling":{}}`))
	if err != nil {
		return nil, nil, nil, err
	}
	said, err = to.Initialize(ctx, &mcp.InitializeRequestParams{
		ProtocolVersion: mcp.ProtocolVersion(), ClientInfo: mcp.Implementation{Name: "host", Version: "1"}, Capabilities: *capabilities,
	})
	if err == nil {
		err = to.NotificationsInitialized(ctx, &mcp.NotificationParams{})
	}
	return relay, said, func() error {
		err := peer.Close()
		_ = server.Process.Kill() // it does not end while a tool runs, cancelled or not
		_ = server.Wait()         // it was killed
		return err
	}, err
}

// sent counts what tells the server that a request is cancelled.
type sent struct{ rpc.Wrapped }

var cancels atomic.Int64

func (s sent) Write(ctx context.Context, message []byte) error {
	if m, err := rpc.Decode(message, nil); err == nil && m.Method == ofMCP.Cancel.Method {
		cancels.Add(1)
	}
	if strings.Contains(string(message), uri) {
		fmt.Printf("sent with a channel: %s\n", message)
	}
	return s.Transport.Write(ctx, message)
}

// client connects a client of AHP to the host, and returns its connection to the MCP server.
func client(ctx context.Context, relay *passthrough.Relay, said *mcp.InitializeResult) (*mcp.ServerConn, error) {
	here, there := net.Pipe()
	go rpc.NewPeer(rpc.Stream(there), nil).Serve(ctx, &ahp.HostHandlers{PassThrough: relay.Handle})
	peer := rpc.NewPeer(rpc.Stream(here), nil)
	handshake, err := said.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	channel := passthrough.New(peer, "channel", uri)
	channel.Answers = map[string]json.RawMessage{"initialize": handshake, "notifications/initialized": nil, "ping": json.RawMessage(`{}`)}
	channel.Handler = &mcp.ClientHandlers{
		RootsList: func(context.Context, *mcp.RequestParams) (*mcp.ListRootsResult, error) {
			return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///ours"}}}, nil
		},
		SamplingCreateMessage: func(context.Context, *mcp.CreateMessageRequestParams) (mcp.CreateMessageOutcome, error) {
			return mcp.Decode[mcp.CreateMessageResult]([]byte(`{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"}}`))
		},
	}
	go peer.Serve(ctx, &ahp.ClientHandlers{PassThrough: channel.Handle})
	return mcp.NewServerConn(channel), nil
}

func run(ctx context.Context, command []string) error {
	relay, said, stop, err := host(ctx, command)
	if err != nil {
		return err
	}
	to, err := client(ctx, relay, said)
	if err != nil {
		return err
	}
	other, err := client(ctx, relay, said) // which uses the same server
	if err != nil {
		return err
	}
	for _, c := range []*mcp.ServerConn{to, other} {
		if err := use(ctx, c); err != nil {
			return err
		}
	}
	return stop()
}

// use uses a server.
func use(ctx context.Context, to *mcp.ServerConn) error {
	if _, err := to.Initialize(ctx, &mcp.InitializeRequestParams{ProtocolVersion: mcp.ProtocolVersion(), ClientInfo: mcp.Implementation{Name: "ours", Version: "1"}}); err != nil {
		return err
	}
	if _, err := to.Ping(ctx, nil); err != nil {
		return err
	}
	tools, err := to.ToolsList(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println("tools:", len(tools.Tools) > 10)
	for _, c := range []struct{ tool, arguments, want string }{
		{"echo", `{"message":"hi"}`, "Echo: hi"},
		{"get-roots-list", `{}`, ""},
		{"trigger-sampling-request", `{"prompt":"p","maxTokens":10}`, "sampled"},
		{"trigger-long-running-operation", `{"duration":1,"steps":4}`, ""},
	} {
		steps := 0
		watched := mcp.WithProgress(ctx, func(*mcp.ProgressNotificationParams) { steps++ })
		text, err := call(watched, to, c.tool, c.arguments)
		if err != nil {
			return fmt.Errorf("%s: %w", c.tool, err)
		}
		fmt.Printf("%s: %v, %d steps\n", c.tool, strings.Contains(text, c.want), steps)
	}
	soon, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	_, err = call(soon, to, "trigger-long-running-operation", `{"duration":3600,"steps":4}`)
	late := errors.Is(err, context.DeadlineExceeded)
	_, err = call(ctx, to, "echo", `{"message":"again"}`) // so that what was sent before has reached the server
	fmt.Println("cancelled:", late, cancels.Load())
	return err
}

func call(ctx context.Context, to *mcp.ServerConn, tool, arguments string) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &members); err != nil {
		return "", err
	}
	result, err := to.ToolsCall(ctx, &mcp.CallToolRequestParams{Name: tool, Arguments: members})
	if err != nil {
		return "", err
	}
	return result.(*mcp.CallToolResult).Content[0].(*mcp.TextContent).Text, nil
}
