// Our client against agents, of which one is ours as well: the client sees the same from all of them.

package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/gate"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/web"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// is says what this test binary is when something starts it.
const is = "ACP_PEERS_TEST_IS"

func TestMain(m *testing.M) {
	if os.Getenv(is) == "coder" {
		serveCoder()
		return
	}
	folder, err := os.MkdirTemp("", "acp-peers")
	if err != nil {
		panic(err)
	}
	scratch = folder
	code := m.Run()
	_ = os.RemoveAll(folder) // a temporary one
	os.Exit(code)
}

// scratch is a folder for what several tests use.
var scratch string

// acpdemo is the command with our agent.
var acpdemo = sync.OnceValues(func() (string, error) {
	name := filepath.Join(scratch, "acpdemo.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", name, "./cmd/acpdemo").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return name, err
})

func demoCommand(t *testing.T) []string {
	t.Helper()
	name, err := acpdemo()
	require.NoError(t, err)
	return []string{name, "agent"}
}

func TestOurClientWithOurAgent(t *testing.T) { withAgents(t, demoCommand(t)) }

func TestOurClientWithTheGoSDK(t *testing.T) {
	t.Setenv(is, "coder")
	withAgents(t, []string{os.Args[0]})
}

func TestOurClientWithTheTypeScriptSDK(t *testing.T) {
	withAgents(t, []string{"node", filepath.Join(typescript(t), "agent.mjs")})
}

// Prompts that every agent here knows; any other one is written down in a file.
const (
	promptCount     = "/count 50"
	promptWait      = "/wait"
	promptExtension = "/extension"
	promptNote      = "Buy milk"
)

// withAgents runs all that a client does with an agent.
func withAgents(t *testing.T, command []string) {
	for _, c := range []struct {
		name string
		run  func(*us, *testing.T)
	}{
		{"ItTellsItsVersion", (*us).tellsVersion},
		{"UpdatesComeInOrder", (*us).updatesInOrder},
		{"APermissionIsAllowed", func(c *us, t *testing.T) { c.permission(t, acp.PermissionOptionKindAllowOnce) }},
		{"APermissionIsRejected", func(c *us, t *testing.T) { c.permission(t, acp.PermissionOptionKindRejectOnce) }},
		{"APermissionIsCancelled", (*us).permissionCancelled},
		{"ATurnIsCancelled", (*us).turnCancelled},
		{"UnknownExtensionsAreToldApart", (*us).extensions},
		{"WhatItDoesNotOfferIsNotSent", (*us).gates},
		{"AConversationIsLoaded", (*us).loads},
		{"ATurnYieldsItsUpdates", (*us).yields},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(startAgent(t, command), t) })
	}
}

// us is our client.
type us struct {
	*acp.AgentConn
	sessions *acp.Sessions
	folder   string
	said     *acp.InitializeResponse
	session  acp.SessionID

	overtakes bool // the answer to session/load comes on another stream than the updates before it

	permit func(ctx context.Context, p *acp.RequestPermissionRequest) acp.RequestPermissionOutcome

	mu      sync.Mutex // guards what follows
	updates []acp.SessionUpdate
	heard   chan struct{} // an update has come
	broken  []error       // messages that were malformed, or were answers to nothing
}

// startAgent starts an agent in a session with a folder that holds notes.
func startAgent(t *testing.T, command []string) *us {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	transport, ended := connect(ctx, t, command)
	c := &us{folder: t.TempDir(), heard: make(chan struct{}, 1)}
	c.overtakes = strings.HasPrefix(command[0], "http:") && strings.Contains(t.Name(), "TypeScript")
	require.NoError(t, os.WriteFile(c.notes(), []byte("- Buy bread\n"), 0o600))
	conn := rpc.NewPeer(transport, &rpc.Options{OnBad: func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.broken = append(c.broken, err)
	}})
	c.AgentConn = acp.NewAgentConn(conn)
	c.sessions = acp.NewSessions(c.AgentConn)
	served := make(chan error, 1)
	go func() { served <- conn.Serve(ctx, c.handlers(t)) }()
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		require.NoError(t, <-served)
		ended()
		require.Empty(t, c.broken)
	})
	var err error
	c.said, err = c.Initialize(ctx, &acp.InitializeRequest{
		ProtocolVersion:    1,
		ClientInfo:         &acp.Implementation{Name: "peers", Version: "1"},
		ClientCapabilities: &acp.ClientCapabilities{FS: &acp.FileSystemCapabilities{ReadTextFile: new(true), WriteTextFile: new(true)}},
	})
	require.NoError(t, err)
	r, err := c.SessionNew(ctx, &acp.NewSessionRequest{CWD: c.folder, MCPServers: []acp.MCPServer{}})
	require.NoError(t, err)
	c.session = r.SessionID
	return c
}

// connect starts an agent as a process, or connects to one at a URL.
func connect(ctx context.Context, t *testing.T, command []string) (to rpc.Transport, ended func()) {
	t.Helper()
	switch scheme, _, _ := strings.Cut(command[0], "://"); scheme {
	case "http":
		return web.Dial(command[0], acp.HTTP, nil), func() {}
	case "ws":
		to, err := ws.Dial(ctx, command[0], nil)
		require.NoError(t, err)
		return to, func() {}
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return rpc.Pipes(out, in), func() { require.NoError(t, cmd.Wait(), "an agent ends when its input does") }
}

func (c *us) notes() string { return filepath.Join(c.folder, "notes.md") }

func (c *us) handlers(t *testing.T) *acp.ClientHandlers {
	return &acp.ClientHandlers{
		SessionUpdate: func(ctx context.Context, n *acp.SessionNotification) {
			if c.session != "" && n.SessionID != c.session {
				t.Errorf("an update of session %s", n.SessionID)
			}
			c.mu.Lock()
			c.updates = append(c.updates, n.Update)
			c.mu.Unlock()
			c.sessions.SessionUpdate(ctx, n)
			select {
			case c.heard <- struct{}{}:
			default:
			}
		},
		SessionRequestPermission: func(ctx context.Context, p *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
			return &acp.RequestPermissionResponse{Outcome: c.permit(ctx, p)}, nil
		},
		FSReadTextFile: func(_ context.Context, p *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
			data, err := os.ReadFile(p.Path)
			return &acp.ReadTextFileResponse{Content: string(data)}, err
		},
		FSWriteTextFile: func(_ context.Context, p *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
			return &acp.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
		},
		OnDrop: func(_ context.Context, method string, params json.RawMessage, err error) {
			if !strings.HasPrefix(method, "_") {
				t.Errorf("dropped %s %s: %v", method, params, err)
			}
		},
	}
}

// prompt has a turn, and returns how it ended and its updates. They are those that were there with the answer.
func (c *us) prompt(t *testing.T, text string) (acp.StopReason, []acp.SessionUpdate) {
	t.Helper()
	c.mu.Lock()
	c.updates = nil
	c.mu.Unlock()
	r, err := c.SessionPrompt(t.Context(), &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{&acp.TextContent{Text: text}}})
	require.NoError(t, err)
	return r.StopReason, c.sofar()
}

// sofar are the updates that have come, without those that an agent sends when it likes.
func (c *us) sofar() (updates []acp.SessionUpdate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.updates {
		if _, ok := u.(*acp.AvailableCommandsUpdate); !ok {
			updates = append(updates, u)
		}
	}
	return updates
}

// cancelWhen cancels the turn when the agent has said something.
func (c *us) cancelWhen(ctx context.Context, said string) error {
	for {
		for _, u := range c.sofar() {
			if text(u) == said {
				return c.SessionCancel(ctx, &acp.CancelNotification{SessionID: c.session})
			}
		}
		select {
		case <-c.heard:
		case <-time.After(30 * time.Second):
			return fmt.Errorf("the agent did not say %q", said)
		}
	}
}

// text is the text of an update from the agent, "" for other updates.
func text(u acp.SessionUpdate) string {
	if chunk, ok := u.(*acp.SessionUpdateAgentMessageChunk); ok {
		if content, ok := chunk.Content.(*acp.TextContent); ok {
			return content.Text
		}
	}
	return ""
}

func (c *us) tellsVersion(t *testing.T) {
	require.EqualValues(t, 1, c.said.ProtocolVersion)
	require.True(t, c.Supports(acp.MethodSessionLoad))
	require.NotEmpty(t, c.session)
}

func (c *us) updatesInOrder(t *testing.T) {
	for range 20 {
		reason, updates := c.prompt(t, promptCount)
		require.Equal(t, acp.StopReasonEndTurn, reason)
		require.Len(t, updates, 50)
		for i, u := range updates {
			require.Equal(t, strconv.Itoa(i+1)+" ", text(u))
		}
	}
}

// permission answers with the option of a kind, and looks at what comes of it.
func (c *us) permission(t *testing.T, kind acp.PermissionOptionKind) {
	c.permit = func(_ context.Context, p *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		for _, o := range p.Options {
			if o.Kind == kind {
				return &acp.SelectedPermissionOutcome{OptionID: o.OptionID}
			}
		}
		t.Errorf("no option is %s", kind)
		return &acp.RequestPermissionOutcomeCancelled{}
	}
	reason, updates := c.prompt(t, promptNote)
	require.Equal(t, acp.StopReasonEndTurn, reason)
	want, status := "- Buy bread\n- Buy milk\n", acp.ToolCallStatusCompleted
	if kind == acp.PermissionOptionKindRejectOnce {
		want, status = "- Buy bread\n", acp.ToolCallStatusFailed
	}
	require.Equal(t, status, lastStatus(updates))
	written, err := os.ReadFile(c.notes())
	require.NoError(t, err)
	require.Equal(t, want, string(written))
	kinds := map[acp.SessionUpdateKind]bool{}
	for _, u := range updates {
		kinds[u.SessionUpdateKind()] = true
	}
	require.True(t, kinds[acp.SessionUpdateKindPlan] && kinds[acp.SessionUpdateKindToolCall] && kinds[acp.SessionUpdateKindAgentMessageChunk], "%v", kinds)
}

// lastStatus is the status that a tool call was told to have last.
func lastStatus(updates []acp.SessionUpdate) (status acp.ToolCallStatus) {
	for _, u := range updates {
		if update, ok := u.(*acp.SessionUpdateToolCallUpdate); ok {
			if s, ok := update.Status.Get(); ok {
				status = s
			}
		}
	}
	return status
}

func (c *us) permissionCancelled(t *testing.T) {
	c.permit = func(ctx context.Context, p *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		if err := c.SessionCancel(ctx, &acp.CancelNotification{SessionID: p.SessionID}); err != nil {
			t.Error(err)
		}
		return &acp.RequestPermissionOutcomeCancelled{}
	}
	reason, _ := c.prompt(t, promptNote)
	require.Equal(t, acp.StopReasonCancelled, reason)
	reason, _ = c.prompt(t, promptCount)
	require.Equal(t, acp.StopReasonEndTurn, reason, "the session goes on")
}

func (c *us) turnCancelled(t *testing.T) {
	cancelled := make(chan error, 1)
	go func() { cancelled <- c.cancelWhen(t.Context(), "I am waiting.") }()
	reason, _ := c.prompt(t, promptWait)
	require.Equal(t, acp.StopReasonCancelled, reason)
	require.NoError(t, <-cancelled)
}

func (c *us) yields(t *testing.T) {
	session := c.sessions.Of(c.session)
	counted := 0
	turn := session.Prompt(t.Context(), &acp.PromptRequest{Prompt: []acp.ContentBlock{acp.Text(promptCount)}})
	for n, err := range turn.Updates() {
		require.NoError(t, err)
		if _, ok := n.Update.(*acp.AvailableCommandsUpdate); ok {
			continue
		}
		counted++
		require.Equal(t, strconv.Itoa(counted)+" ", text(n.Update))
	}
	require.Equal(t, 50, counted)
	r, err := turn.Result()
	require.NoError(t, err)
	require.Equal(t, acp.StopReasonEndTurn, r.StopReason)

	turn = session.Prompt(t.Context(), &acp.PromptRequest{Prompt: []acp.ContentBlock{acp.Text(promptWait)}})
	for n, err := range turn.Updates() {
		require.NoError(t, err)
		if text(n.Update) == "I am waiting." {
			require.NoError(t, session.Cancel(t.Context()))
		}
	}
	r, err = turn.Result()
	require.NoError(t, err)
	require.Equal(t, acp.StopReasonCancelled, r.StopReason)
}

func (c *us) extensions(t *testing.T) {
	require.NoError(t, c.NotifyExtension(t.Context(), "_peers/nobody.knows", json.RawMessage(`{"a":1}`)))
	_, err := c.CallExtension(t.Context(), "_peers/nobody.knows", json.RawMessage(`{"a":1}`))
	require.ErrorIs(t, err, rpc.MethodNotFound)
	reason, updates := c.prompt(t, promptExtension) // now the other way
	require.Equal(t, acp.StopReasonEndTurn, reason)
	require.Len(t, updates, 1)
	require.Equal(t, "You do not know that method.", text(updates[0]))
}

func (c *us) gates(t *testing.T) {
	_, err := c.SessionPrompt(t.Context(), &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{&acp.ImageContent{Data: "AA==", MimeType: "image/png"}}})
	require.ErrorIs(t, err, gate.ErrNotAdvertised)
	reason, _ := c.prompt(t, promptCount)
	require.Equal(t, acp.StopReasonEndTurn, reason)
}

func (c *us) loads(t *testing.T) {
	_, told := c.prompt(t, promptCount)
	c.mu.Lock()
	c.updates = nil
	c.mu.Unlock()
	_, err := c.SessionLoad(t.Context(), &acp.LoadSessionRequest{SessionID: c.session, CWD: c.folder, MCPServers: []acp.MCPServer{}})
	require.NoError(t, err)
	if c.overtakes {
		require.Eventually(t, func() bool { return len(c.sofar()) == 51 }, 20*time.Second, 10*time.Millisecond)
	}
	again := c.sofar()
	require.Len(t, again, 51)
	require.Equal(t, promptCount, again[0].(*acp.SessionUpdateUserMessageChunk).Content.(*acp.TextContent).Text)
	require.Equal(t, told, again[1:])
	_, err = c.SessionLoad(t.Context(), &acp.LoadSessionRequest{SessionID: "none", CWD: c.folder, MCPServers: []acp.MCPServer{}})
	require.ErrorAs(t, err, new(*rpc.Error))
}
