// An agent on github.com/coder/acp-go-sdk that does what ours does.

package acp

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	coder "github.com/coder/acp-go-sdk"
)

// serveCoder serves the client that has started this process.
func serveCoder() {
	a := &coderAgent{sessions: map[coder.SessionId]*coderSession{}}
	conn := coder.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	conn.SetLogger(slog.New(slog.DiscardHandler))
	a.conn = conn
	<-conn.Done()
}

type coderSession struct {
	folder string
	told   []coder.SessionUpdate
}

// coderAgent embeds methods that are not part of the tests: to call one is a nil pointer.
type coderAgent struct {
	coder.Agent
	conn *coder.AgentSideConnection

	mu       sync.Mutex // guards what follows
	sessions map[coder.SessionId]*coderSession
}

func (a *coderAgent) Initialize(context.Context, coder.InitializeRequest) (coder.InitializeResponse, error) {
	return coder.InitializeResponse{ProtocolVersion: coder.ProtocolVersionNumber, AgentCapabilities: coder.AgentCapabilities{LoadSession: true}}, nil
}

func (a *coderAgent) NewSession(_ context.Context, p coder.NewSessionRequest) (coder.NewSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := coder.SessionId(strconv.Itoa(len(a.sessions) + 1))
	a.sessions[id] = &coderSession{folder: p.Cwd}
	return coder.NewSessionResponse{SessionId: id}, nil
}

func (a *coderAgent) session(id coder.SessionId) (*coderSession, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, coder.NewInvalidParams(map[string]any{"session": "unknown"})
}

func (a *coderAgent) LoadSession(ctx context.Context, p coder.LoadSessionRequest) (coder.LoadSessionResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return coder.LoadSessionResponse{}, err
	}
	for _, u := range s.told {
		if err := a.conn.SessionUpdate(ctx, coder.SessionNotification{SessionId: p.SessionId, Update: u}); err != nil {
			return coder.LoadSessionResponse{}, err
		}
	}
	return coder.LoadSessionResponse{}, nil
}

// Cancel has nothing to do: the SDK has ended the context of the prompt.
func (a *coderAgent) Cancel(context.Context, coder.CancelNotification) error { return nil }

func (a *coderAgent) Prompt(ctx context.Context, p coder.PromptRequest) (coder.PromptResponse, error) {
	s, err := a.session(p.SessionId)
	if err != nil {
		return coder.PromptResponse{}, err
	}
	t := coderTurn{a, s, ctx, p.SessionId}
	prompt := p.Prompt[0].Text.Text
	s.told = append(s.told, coder.UpdateUserMessageText(prompt))
	err = t.play(prompt)
	switch {
	case ctx.Err() != nil, errors.Is(err, context.Canceled):
		return coder.PromptResponse{StopReason: coder.StopReasonCancelled}, nil
	case err != nil:
		return coder.PromptResponse{}, err
	}
	return coder.PromptResponse{StopReason: coder.StopReasonEndTurn}, nil
}

type coderTurn struct {
	*coderAgent
	session *coderSession
	ctx     context.Context
	id      coder.SessionId
}

func (t coderTurn) tell(updates ...coder.SessionUpdate) error {
	for _, u := range updates {
		t.session.told = append(t.session.told, u)
		if err := t.conn.SessionUpdate(t.ctx, coder.SessionNotification{SessionId: t.id, Update: u}); err != nil {
			return err
		}
	}
	return nil
}

func (t coderTurn) play(prompt string) error {
	switch command, argument, _ := strings.Cut(prompt, " "); command {
	case "/count":
		n, err := strconv.Atoi(argument)
		for i := range n {
			err = errors.Join(err, t.tell(coder.UpdateAgentMessageText(strconv.Itoa(i+1)+" ")))
		}
		return err
	case "/wait":
		if err := t.tell(coder.UpdateAgentMessageText("I am waiting.")); err != nil {
			return err
		}
		<-t.ctx.Done()
		return t.ctx.Err()
	case "/extension":
		return t.extension()
	}
	return t.note(prompt)
}

func (t coderTurn) extension() error {
	if err := t.conn.NotifyExtension(t.ctx, "_coder/hint", map[string]any{"a": 1}); err != nil {
		return err
	}
	_, err := t.conn.CallExtension(t.ctx, "_coder/weather", map[string]any{})
	var refused *coder.RequestError
	if errors.As(err, &refused) && refused.Code == -32601 {
		return t.tell(coder.UpdateAgentMessageText("You do not know that method."))
	}
	return err
}

func (t coderTurn) note(text string) error {
	path := filepath.Join(t.session.folder, "notes.md")
	if err := t.tell(
		coder.UpdatePlan(coder.PlanEntry{Content: "Note", Priority: coder.PlanEntryPriorityHigh, Status: coder.PlanEntryStatusInProgress}),
		coder.StartEditToolCall("call", "Edit", path, map[string]any{"text": text}),
		coder.UpdateAgentMessageText("I will note that."),
	); err != nil {
		return err
	}
	before, err := t.conn.ReadTextFile(t.ctx, coder.ReadTextFileRequest{SessionId: t.id, Path: path})
	if err != nil {
		return err
	}
	after := before.Content + "- " + text + "\n"
	asked, err := t.conn.RequestPermission(t.ctx, coder.RequestPermissionRequest{
		SessionId: t.id,
		ToolCall:  coder.ToolCallUpdate{ToolCallId: "call", Content: []coder.ToolCallContent{coder.ToolDiffContent(path, after, before.Content)}},
		Options: []coder.PermissionOption{
			{OptionId: "yes", Name: "Yes", Kind: coder.PermissionOptionKindAllowOnce},
			{OptionId: "no", Name: "No", Kind: coder.PermissionOptionKindRejectOnce},
		},
	})
	switch {
	case err != nil:
		return err
	case asked.Outcome.Cancelled != nil:
		return context.Canceled
	case asked.Outcome.Selected.OptionId != "yes":
		return t.tell(coder.UpdateToolCall("call", coder.WithUpdateStatus(coder.ToolCallStatusFailed)))
	}
	if _, err := t.conn.WriteTextFile(t.ctx, coder.WriteTextFileRequest{SessionId: t.id, Path: path, Content: after}); err != nil {
		return err
	}
	return t.tell(coder.UpdateToolCall("call", coder.WithUpdateStatus(coder.ToolCallStatusCompleted)))
}
