// What helps to write an agent, with a client on github.com/coder/acp-go-sdk.

package acp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	coder "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// terminalClient is a client whose terminals echo what they are to run. It notes which calls it gets.
type terminalClient struct {
	*coderClient
	calls []string
}

func (c *terminalClient) note(call string, session coder.SessionId, terminal string) {
	c.calls = append(c.calls, call+" "+string(session)+" "+terminal)
}

func (c *terminalClient) CreateTerminal(_ context.Context, p coder.CreateTerminalRequest) (coder.CreateTerminalResponse, error) {
	c.note("create", p.SessionId, p.Command)
	return coder.CreateTerminalResponse{TerminalId: "t1"}, nil
}

func (c *terminalClient) WaitForTerminalExit(_ context.Context, p coder.WaitForTerminalExitRequest) (coder.WaitForTerminalExitResponse, error) {
	c.note("wait", p.SessionId, p.TerminalId)
	return coder.WaitForTerminalExitResponse{ExitCode: coder.Ptr(3)}, nil
}

func (c *terminalClient) TerminalOutput(_ context.Context, p coder.TerminalOutputRequest) (coder.TerminalOutputResponse, error) {
	c.note("output", p.SessionId, p.TerminalId)
	return coder.TerminalOutputResponse{Output: "no such file\n", Truncated: false}, nil
}

func (c *terminalClient) KillTerminal(_ context.Context, p coder.KillTerminalRequest) (coder.KillTerminalResponse, error) {
	c.note("kill", p.SessionId, p.TerminalId)
	return coder.KillTerminalResponse{}, nil
}

func (c *terminalClient) ReleaseTerminal(_ context.Context, p coder.ReleaseTerminalRequest) (coder.ReleaseTerminalResponse, error) {
	c.note("release", p.SessionId, p.TerminalId)
	return coder.ReleaseTerminalResponse{}, nil
}

// inTerminal is a turn of an agent that runs a command.
func inTerminal(ctx context.Context, session *acp.ClientSession) error {
	update := func(u acp.SessionUpdate) error {
		return session.Update(ctx, &acp.SessionNotification{Update: u})
	}
	if err := update(acp.StartToolCall("c1", "List", acp.ToolKindExecute)); err != nil {
		return err
	}
	terminal, err := session.TerminalCreate(ctx, &acp.CreateTerminalRequest{Command: "ls"})
	if err != nil {
		return err
	}
	exit, err := terminal.WaitForExit(ctx)
	if err != nil {
		return err
	}
	out, err := terminal.Output(ctx)
	if err != nil {
		return err
	}
	if _, err := terminal.Kill(ctx); err != nil {
		return err
	}
	if _, err := terminal.Release(ctx); err != nil {
		return err
	}
	status := acp.ToolCallStatusCompleted
	if *exit.ExitCode != 0 {
		status = acp.ToolCallStatusFailed
	}
	if err := update(acp.UpdateToolCall("c1", status)); err != nil {
		return err
	}
	return update(acp.AgentText(out.Output))
}

func TestHelpersOfAgentsWithTheGoSDK(t *testing.T) {
	toAgent, fromClient := io.Pipe()
	toClient, fromAgent := io.Pipe()
	peer := rpc.NewPeer(rpc.Pipes(toAgent, fromAgent), nil)
	to := acp.NewClientConn(peer)
	go func() {
		_ = peer.Serve(context.Background(), &acp.AgentHandlers{
			Initialize: func(context.Context, *acp.InitializeRequest) (*acp.InitializeResponse, error) {
				return &acp.InitializeResponse{ProtocolVersion: 1}, nil
			},
			SessionPrompt: func(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
				return &acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, inTerminal(ctx, acp.NewClientSession(to, p.SessionID))
			},
		})
	}()
	t.Cleanup(func() { _ = peer.Close() })
	c := &terminalClient{coderClient: &coderClient{heard: make(chan struct{}, 1)}}
	client := coder.NewClientSideConnection(c, fromClient, toClient)
	client.SetLogger(slog.New(slog.DiscardHandler))
	_, err := client.Initialize(t.Context(), coder.InitializeRequest{ProtocolVersion: 1, ClientCapabilities: coder.ClientCapabilities{Terminal: true}})
	require.NoError(t, err)
	r, err := client.Prompt(t.Context(), coder.PromptRequest{SessionId: "s1", Prompt: []coder.ContentBlock{coder.TextBlock("ls")}})
	require.NoError(t, err)
	require.Equal(t, coder.StopReasonEndTurn, r.StopReason)
	require.Equal(t, []string{"create s1 ls", "wait s1 t1", "output s1 t1", "kill s1 t1", "release s1 t1"}, c.calls)
	updates := c.take()
	require.Len(t, updates, 3)
	for i, want := range []coder.SessionUpdate{
		coder.StartToolCall("c1", "List", coder.WithStartKind(coder.ToolKindExecute), coder.WithStartStatus(coder.ToolCallStatusPending)),
		coder.UpdateToolCall("c1", coder.WithUpdateStatus(coder.ToolCallStatusFailed)),
		coder.UpdateAgentMessageText("no such file\n"),
	} {
		theirs, err := json.Marshal(want)
		require.NoError(t, err)
		ours, err := json.Marshal(updates[i])
		require.NoError(t, err)
		require.JSONEq(t, string(theirs), string(ours))
	}
}
