// The agent: its duties to the client, independent of the script in script.go.

package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/ahpgen/ahpgen/generated/acp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// agent serves one client.
type agent struct {
	client *acp.ClientConn
	keep   keeper

	mu       sync.Mutex // guards the following fields
	sessions map[acp.SessionID]*session
}

// session is a conversation.
type session struct {
	id, cwd string

	mu    sync.Mutex // guards the following fields
	told  []acp.SessionUpdate
	turn  *turn // turn in progress, or nil
	trust bool  // the user has allowed all edits
}

// serveAgent serves a client until the connection closes.
func serveAgent(ctx context.Context, t rpc.Transport, keep keeper) error {
	conn := rpc.NewPeer(t, nil)
	a := &agent{client: acp.NewClientConn(conn), keep: keep, sessions: map[acp.SessionID]*session{}}
	return conn.Serve(ctx, &acp.AgentHandlers{
		Initialize:    a.initialize,
		SessionNew:    a.newSession,
		SessionLoad:   a.loadSession,
		SessionPrompt: a.prompt,
		SessionCancel: a.cancel,
	})
}

func (a *agent) initialize(_ context.Context, p *acp.InitializeRequest) (*acp.InitializeResponse, error) {
	return &acp.InitializeResponse{
		ProtocolVersion:   acp.NegotiateVersion(p.ProtocolVersion),
		AgentInfo:         &acp.Implementation{Name: "acpdemo", Title: new("Scripted agent"), Version: "1"},
		AgentCapabilities: &acp.AgentCapabilities{LoadSession: new(true)},
		AuthMethods:       []acp.AuthMethod{},
	}, nil
}

// newSession opens a session.
func (a *agent) newSession(ctx context.Context, p *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	if err := checkFolder(p.CWD); err != nil {
		return nil, err
	}
	id, err := a.newID()
	if err != nil {
		return nil, err
	}
	a.open(ctx, &session{id: id, cwd: p.CWD})
	return &acp.NewSessionResponse{SessionID: id}, nil
}

// newID returns the first unused session id.
func (a *agent) newID() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := 1; ; n++ {
		id := "session-" + strconv.Itoa(n)
		if a.sessions[id] != nil {
			continue
		}
		if free, err := a.keep.claim(id); free || err != nil {
			return id, err
		}
	}
}

// loadSession replays the conversation before it answers.
func (a *agent) loadSession(ctx context.Context, p *acp.LoadSessionRequest) (*acp.LoadSessionResponse, error) {
	if err := checkFolder(p.CWD); err != nil {
		return nil, err
	}
	told, err := a.conversation(p.SessionID)
	if err != nil {
		return nil, err
	}
	for _, update := range told {
		if err := a.client.SessionUpdate(ctx, &acp.SessionNotification{SessionID: p.SessionID, Update: update}); err != nil {
			return nil, err
		}
	}
	a.open(ctx, &session{id: p.SessionID, cwd: p.CWD, told: told})
	return &acp.LoadSessionResponse{}, nil
}

// conversation returns the updates of a session from this or an earlier connection.
func (a *agent) conversation(id acp.SessionID) ([]acp.SessionUpdate, error) {
	a.mu.Lock()
	s := a.sessions[id]
	a.mu.Unlock()
	if s == nil {
		return a.keep.load(id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return nil, &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "session " + id + " has an open turn"}
	}
	return s.told, nil
}

// checkFolder rejects a working directory that is not absolute.
func checkFolder(cwd string) error {
	if !filepath.IsAbs(cwd) {
		return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: cwd: want an absolute path"}
	}
	return nil
}

// open registers a session. Commands are announced after the answer, when the client knows the session id.
func (a *agent) open(ctx context.Context, s *session) {
	a.mu.Lock()
	a.sessions[s.id] = s
	a.mu.Unlock()
	rpc.AfterReply(ctx, func(ctx context.Context) {
		_ = a.client.SessionUpdate(ctx, &acp.SessionNotification{SessionID: s.id, Update: commands()}) // or the connection has closed
	})
}

// prompt plays a turn without blocking other messages, since the client may cancel.
func (a *agent) prompt(ctx context.Context, p *acp.PromptRequest) (*acp.PromptResponse, error) {
	t, err := a.begin(ctx, p)
	if err != nil {
		return nil, err
	}
	defer t.stop()
	rpc.Async(ctx)
	text := t.hear(p.Prompt)
	err = t.play(text)
	if failed := t.end(); err == nil {
		err = failed
	}
	switch {
	case errors.Is(err, errTurnCancelled), err != nil && errors.Is(context.Cause(t.ctx), errTurnCancelled):
		return &acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case err != nil:
		return nil, err
	}
	return &acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// errTurnCancelled is the cause of a cancelled turn, which is answered with a stop reason and not an error.
var errTurnCancelled = errors.New("the turn was cancelled")

// begin starts a turn. A session has at most one.
func (a *agent) begin(ctx context.Context, p *acp.PromptRequest) (*turn, error) {
	a.mu.Lock()
	s := a.sessions[p.SessionID]
	a.mu.Unlock()
	if s == nil {
		return nil, noSession(p.SessionID)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return nil, &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "session " + s.id + " has an open turn"}
	}
	t := &turn{agent: a, session: s}
	ctx, cancel := context.WithCancelCause(ctx)
	t.ctx, t.cancel = ctx, cancel
	s.turn = t
	return t, nil
}

// noSession returns the error for an unknown session.
func noSession(id acp.SessionID) error {
	return &rpc.Error{Code: int64(acp.ErrorCodeResourceNotFound), Message: "there is no session " + id}
}

// cancel cancels a session's turn. The turn's prompt is then answered.
func (a *agent) cancel(_ context.Context, p *acp.CancelNotification) {
	a.mu.Lock()
	s := a.sessions[p.SessionID]
	a.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.cancel(errTurnCancelled)
	}
}
