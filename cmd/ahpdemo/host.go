// The host: application logic. ahp.Server does the rest.

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

const (
	rootURI       = "ahp-root://"
	sessionPrefix = "ahp-session:/"
)

// theTime returns a fixed time for reproducible output.
func theTime() time.Time { return time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC) }

const theTimeText = "2026-01-01T12:00:00.000Z"

type host struct {
	*ahp.Server
	log   journal
	agent *agent
}

// newHost returns a host. The observer may be nil.
func newHost(ctx context.Context, log journal, o rpc.Observer, limits server.Limits) (*host, error) {
	h := &host{log: log}
	h.agent = newAgent(ctx, func(channel string, action ahp.StateAction) { _ = h.Publish(channel, action) })
	limits.Now = theTime
	// Numbers from 1 make every run print the same. A host whose clients may outlive it leaves this to the server.
	limits.Numbers = func(last int64) (int64, error) { return last, nil }
	var err error
	h.Server, err = ahp.NewServer(&ahp.ServerOptions{
		Opened: func(_ context.Context, c *server.Client, _ *ahp.InitializeParams, r *ahp.InitializeResult) error {
			log.say("agrees with %s on version %s", c.ID(), c.Version())
			r.Automations = canAutomate()
			return nil
		},
		Handlers: func(c *server.Client) *ahp.HostHandlers {
			return &ahp.HostHandlers{
				CreateSession: h.createSession, RunAutomation: h.runAutomation,
				OnPanic: func(_ context.Context, method string, value any) {
					log.say("%s of %s panicked: %v", method, c.ID(), value)
				},
			}
		},
		Validate: h.validate,
		Accepted: func(_ *server.Client, channel string, action ahp.StateAction) {
			h.agent.observe(channel, action)
			if err := h.automate(channel, action); err != nil {
				log.say("has trouble: %v", err)
			}
		},
		Admit: func(ctx context.Context, _ *server.Client, _ string) error {
			h.agent.rest(ctx) // for reproducible output
			return nil
		},
		Listed:  func(context.Context, *server.Client, string) bool { return true },
		Left:    func(*server.Client) { h.agent.left() },
		OnError: func(err error) { log.say("has trouble: %v", err) },
		Observe: o,
		Limits:  limits,
	})
	if err != nil {
		return nil, err
	}
	return h, errors.Join(
		h.OpenChannel(rootURI, &ahp.RootState{
			Agents: []ahp.AgentInfo{{Provider: "demo", DisplayName: "Demo agent", Models: []ahp.SessionModelInfo{}}},
		}),
		h.OpenChannel(automationsURI, &ahp.AutomationState{Entries: []ahp.AutomationEntry{}}),
	)
}

// serveOn serves at an address while f runs.
func (h *host) serveOn(ctx context.Context, address string, f func(ctx context.Context, url string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	served := make(chan error, 1)
	go func() {
		served <- ws.Serve(ctx, listener, &ws.Handler{Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
			if err := h.Serve(ctx, t); err != nil {
				h.log.say("lost a connection: %v", err)
			}
		}})
	}()
	err = f(ctx, "ws://"+listener.Addr().String())
	cancel()
	return errors.Join(err, <-served, h.Close())
}

// validate validates clients' actions.
func (h *host) validate(from *server.Client, _ string, now ahp.SnapshotState, action ahp.StateAction) error {
	reason := ""
	switch action := action.(type) {
	case *ahp.SessionTitleChangedAction:
		if strings.TrimSpace(action.Title) == "" {
			reason = "a title needs a word"
		}
	case *ahp.ChatTurnStartedAction:
		if now.(*ahp.ChatState).ActiveTurn != nil {
			reason = "a turn is open"
		}
	}
	if reason != "" {
		h.log.say("refuses %s of %s: %s", describe(action), from.ID(), reason)
		return errors.New(reason)
	}
	h.log.say("accepts %s of %s", describe(action), from.ID())
	return nil
}

// createSession opens a session with one chat. The server tells everybody who looks at the root.
func (h *host) createSession(_ context.Context, p *ahp.CreateSessionParams) error {
	if !strings.HasPrefix(p.Channel, sessionPrefix) {
		return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: channel: want " + sessionPrefix + "…"}
	}
	if _, there := h.State(p.Channel); there {
		return ahp.ErrorCodeSessionAlreadyExists
	}
	chat := chatOf(p.Channel)
	summary := ahp.ChatSummary{Resource: chat, Title: "Chat", Status: ahp.SessionStatusIdle, ModifiedAt: theTimeText}
	h.log.say("creates %s", p.Channel)
	return errors.Join(
		h.OpenChannel(chat, &ahp.ChatState{Resource: chat, Title: "Chat", Status: ahp.SessionStatusIdle, ModifiedAt: theTimeText, Turns: []ahp.Turn{}}),
		h.OpenChannel(p.Channel, &ahp.SessionState{
			Provider: "demo", Title: "New session", Status: ahp.SessionStatusIdle, Lifecycle: ahp.SessionLifecycleReady,
			ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{summary}, DefaultChat: &chat,
		}),
	)
}

// states encodes all states.
func (h *host) states() map[string][]byte {
	out := map[string][]byte{}
	for _, uri := range h.Channels() {
		if state, ok := h.State(uri); ok {
			out[uri] = encode(state)
		}
	}
	return out
}

// encode encodes a state. States here are valid, so it cannot fail.
func encode(state ahp.SnapshotState) []byte {
	data, err := state.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return data
}

// chatOf returns the id of a session's first chat.
func chatOf(session string) string { return "ahp-chat:/" + strings.TrimPrefix(session, sessionPrefix) }
