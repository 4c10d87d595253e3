// Command stdio starts a server of MCP, names its tools, and calls those of the lines of its input: a name and arguments.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"

	mcp "ours/mcp"
	"ours/wire/rpc"
)

func main() {
	if err := talk(context.Background(), os.Args[1:]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func talk(ctx context.Context, command []string) error {
	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	peer := rpc.NewPeer(rpc.Pipes(out, in), nil)
	served := make(chan error, 1)
	go func() { served <- peer.Serve(ctx, &mcp.ClientHandlers{}) }()
	server := mcp.NewServerConn(peer)
	_, err = server.Initialize(ctx, &mcp.InitializeRequestParams{ProtocolVersion: mcp.ProtocolVersion(), ClientInfo: mcp.Implementation{Name: "ours", Version: "1"}})
	if err != nil {
		return err
	}
	if err := server.NotificationsInitialized(ctx, nil); err != nil {
		return err
	}
	tools, err := server.ToolsList(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Println(len(tools.Tools), "tools")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name, arguments, _ := strings.Cut(lines.Text(), " ")
		p := &mcp.CallToolRequestParams{Name: name}
		if err := json.Unmarshal([]byte(arguments), &p.Arguments); err != nil {
			return err
		}
		outcome, err := server.ToolsCall(ctx, p)
		if err != nil {
			return err
		}
		result, ok := outcome.(*mcp.CallToolResult)
		if !ok || len(result.Content) == 0 {
			return fmt.Errorf("%s: %T", name, outcome)
		}
		text, ok := result.Content[0].(*mcp.TextContent)
		if !ok {
			return fmt.Errorf("%s: %T", name, result.Content[0])
		}
		first, _, _ := strings.Cut(strings.TrimSpace(text.Text), "\n")
		fmt.Println(name+":", result.IsError != nil && *result.IsError, first)
	}
	if err := peer.Close(); err != nil {
		return err
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	return nil
}
