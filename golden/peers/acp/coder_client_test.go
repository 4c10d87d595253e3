// A client on github.com/coder/acp-go-sdk, with our agent.

package acp

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	coder "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"
)

// coderClient embeds methods that are not part of the tests: to call one is a nil pointer.
type coderClient struct {
	coder.Client
	permit func(coder.RequestPermissionRequest) coder.RequestPermissionOutcome

	mu      sync.Mutex // guards what follows
	updates []coder.SessionUpdate
	heard   chan struct{}
}

func (c *coderClient) SessionUpdate(_ context.Context, n coder.SessionNotification) error {
	if n.Update.AvailableCommandsUpdate != nil {
		return nil // it comes when the agent likes
	}
	c.mu.Lock()
	c.updates = append(c.updates, n.Update)
	c.mu.Unlock()
	select {
	case c.heard <- struct{}{}:
	default:
	}
	return nil
}

func (c *coderClient) RequestPermission(_ context.Context, p coder.RequestPermissionRequest) (coder.RequestPermissionResponse, error) {
	return coder.RequestPermissionResponse{Outcome: c.permit(p)}, nil
}

func (c *coderClient) ReadTextFile(_ context.Context, p coder.ReadTextFileRequest) (coder.ReadTextFileResponse, error) {
	data, err := os.ReadFile(p.Path)
	return coder.ReadTextFileResponse{Content: string(data)}, err
}

func (c *coderClient) WriteTextFile(_ context.Context, p coder.WriteTextFileRequest) (coder.WriteTextFileResponse, error) {
	return coder.WriteTextFileResponse{}, os.WriteFile(p.Path, []byte(p.Content), 0o600)
}

// take returns the updates so far, and forgets them.
func (c *coderClient) take() []coder.SessionUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	updates := c.updates
	c.updates = nil
	return updates
}

// coderSide is a client in a session of our agent.
type coderSide struct {
	*coderClient
	*coder.ClientSideConnection
	id     coder.SessionId
	folder string
	end    func()
}

func startOurs(t *testing.T) *coderSide { return startWith(t, demoCommand(t)) }

// startWith opens a session of an agent that can load sessions. It ends with the test, unless that ends it before.
func startWith(t *testing.T, command []string) *coderSide {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &coderSide{coderClient: &coderClient{heard: make(chan struct{}, 1)}, folder: t.TempDir()}
	s.ClientSideConnection = coder.NewClientSideConnection(s.coderClient, in, out)
	s.SetLogger(slog.New(slog.DiscardHandler))
	ended := false
	s.end = func() {
		if !ended {
			ended = true
			require.NoError(t, in.Close())
			<-s.Done()
			require.NoError(t, cmd.Wait())
		}
	}
	t.Cleanup(s.end)
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "notes.md"), []byte("- Buy bread\n"), 0o600))
	said, err := s.Initialize(ctx, coder.InitializeRequest{
		ProtocolVersion:    coder.ProtocolVersionNumber,
		ClientCapabilities: coder.ClientCapabilities{Fs: coder.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}},
	})
	require.NoError(t, err)
	require.EqualValues(t, 1, said.ProtocolVersion)
	require.True(t, said.AgentCapabilities.LoadSession)
	r, err := s.NewSession(ctx, coder.NewSessionRequest{Cwd: s.folder, McpServers: []coder.McpServer{}})
	require.NoError(t, err)
	s.id = r.SessionId
	return s
}

// prompt has a turn, and returns how it ended and its updates.
func (s *coderSide) prompt(t *testing.T, text string) (coder.StopReason, []coder.SessionUpdate) {
	t.Helper()
	s.take()
	r, err := s.Prompt(t.Context(), coder.PromptRequest{SessionId: s.id, Prompt: []coder.ContentBlock{coder.TextBlock(text)}})
	require.NoError(t, err)
	return r.StopReason, s.take()
}

func TestTheGoSDKWithOurAgent(t *testing.T) {
	t.Run("UpdatesComeInOrder", func(t *testing.T) {
		s := startOurs(t)
		for range 20 {
			reason, updates := s.prompt(t, promptCount)
			require.Equal(t, coder.StopReasonEndTurn, reason)
			require.Len(t, updates, 50)
			for i, u := range updates {
				require.Equal(t, strconv.Itoa(i+1)+" ", u.AgentMessageChunk.Content.Text.Text)
			}
		}
	})
	for _, c := range []struct {
		name     string
		kind     coder.PermissionOptionKind
		status   coder.ToolCallStatus
		contents string
	}{
		{"APermissionIsAllowed", coder.PermissionOptionKindAllowOnce, coder.ToolCallStatusCompleted, "- Buy bread\n- Buy milk\n"},
		{"APermissionIsRejected", coder.PermissionOptionKindRejectOnce, coder.ToolCallStatusFailed, "- Buy bread\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startOurs(t)
			s.permit = func(p coder.RequestPermissionRequest) coder.RequestPermissionOutcome {
				for _, o := range p.Options {
					if o.Kind == c.kind {
						return coder.NewRequestPermissionOutcomeSelected(o.OptionId)
					}
				}
				return coder.NewRequestPermissionOutcomeCancelled()
			}
			reason, updates := s.prompt(t, promptNote)
			require.Equal(t, coder.StopReasonEndTurn, reason)
			var status coder.ToolCallStatus
			for _, u := range updates {
				if u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil {
					status = *u.ToolCallUpdate.Status
				}
			}
			require.Equal(t, c.status, status)
			written, err := os.ReadFile(filepath.Join(s.folder, "notes.md"))
			require.NoError(t, err)
			require.Equal(t, c.contents, string(written))
		})
	}
	t.Run("APermissionIsCancelled", func(t *testing.T) {
		s := startOurs(t)
		s.permit = func(p coder.RequestPermissionRequest) coder.RequestPermissionOutcome {
			if err := s.Cancel(context.Background(), coder.CancelNotification{SessionId: p.SessionId}); err != nil {
				t.Error(err)
			}
			return coder.NewRequestPermissionOutcomeCancelled()
		}
		reason, _ := s.prompt(t, promptNote)
		require.Equal(t, coder.StopReasonCancelled, reason)
	})
	t.Run("ATurnIsCancelled", func(t *testing.T) {
		s := startOurs(t)
		cancelled := make(chan error, 1)
		go func() {
			<-s.heard
			cancelled <- s.Cancel(context.Background(), coder.CancelNotification{SessionId: s.id})
		}()
		reason, _ := s.prompt(t, promptWait)
		require.Equal(t, coder.StopReasonCancelled, reason)
		require.NoError(t, <-cancelled)
	})
	t.Run("UnknownExtensionsAreToldApart", func(t *testing.T) {
		s := startOurs(t)
		require.NoError(t, s.NotifyExtension(t.Context(), "_peers/nobody.knows", map[string]any{"a": 1}))
		_, err := s.CallExtension(t.Context(), "_peers/nobody.knows", map[string]any{"a": 1})
		var refused *coder.RequestError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, -32601, refused.Code)
		_, updates := s.prompt(t, promptExtension)
		require.Equal(t, "You do not know that method.", updates[0].AgentMessageChunk.Content.Text.Text)
	})
	t.Run("AConversationIsLoaded", func(t *testing.T) {
		s := startOurs(t)
		_, told := s.prompt(t, promptCount)
		_, err := s.LoadSession(t.Context(), coder.LoadSessionRequest{SessionId: s.id, Cwd: s.folder, McpServers: []coder.McpServer{}})
		require.NoError(t, err)
		again := s.take()
		require.Len(t, again, 51)
		require.Equal(t, promptCount, again[0].UserMessageChunk.Content.Text.Text)
		require.Equal(t, told, again[1:])
	})
}
