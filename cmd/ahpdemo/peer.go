// The host's end of one connection: the requests and notifications of one client.

package main

import (
	"context"
	"strings"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/rpc"
)

// speaks are the versions that the host can speak.
var speaks = []string{"0.7.0", "0.6.0"}

// errStranger answers whoever has not agreed on a version.
var errStranger = &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "initialize first"}

// peer is a client that is connected.
type peer struct {
	host *host
	conn *rpc.Peer

	// Guarded by the host's lock.
	to         *ahp.Host // the connection at the version of the client; it never waits, so it may be used under the lock
	client     string    // its id
	version    string    // agreed with it
	subscribed map[string]bool
}

func newPeer(h *host, conn *rpc.Peer) *peer {
	return &peer{host: h, conn: conn, subscribed: map[string]bool{}}
}

func (p *peer) handlers() *ahp.HostHandlers {
	return &ahp.HostHandlers{
		Initialize:     p.initialize,
		Reconnect:      p.reconnect,
		Ping:           func(context.Context, *ahp.PingParams) error { return nil },
		Subscribe:      p.subscribe,
		Unsubscribe:    p.unsubscribe,
		CreateSession:  p.createSession,
		DispatchAction: func(_ context.Context, params *ahp.DispatchActionParams) { p.host.dispatch(p, params) },
		OnPanic:        func(_ context.Context, method string, value any) { p.host.log.say("%s panicked: %v", method, value) },
	}
}

// initialize agrees on a version. Where none fits, the connection ends after the answer.
func (p *peer) initialize(_ context.Context, params *ahp.InitializeParams) (*ahp.InitializeResult, error) {
	version, err := ahp.NegotiateVersion(params.ProtocolVersions, speaks...)
	if err != nil {
		p.host.log.say("has no version in common with %s", params.ClientID)
		go func() { _ = p.conn.Shutdown(context.Background()) }()
		return nil, err
	}
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	p.host.log.say("agrees with %s on version %s", params.ClientID, version)
	if err := p.join(params.ClientID, version); err != nil {
		return nil, err
	}
	return &ahp.InitializeResult{ProtocolVersion: version, ServerSeq: p.host.sequence, Snapshots: []ahp.Snapshot{}}, nil
}

// join starts to send to a client what its version knows. The caller holds the lock.
func (p *peer) join(client, version string) error {
	if p.client != "" {
		return &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "already initialized"}
	}
	to, err := ahp.NewHost(p.conn).AtVersion(version)
	if err != nil {
		return err
	}
	p.client, p.to = client, to
	p.host.versions[client] = version
	p.host.peers[p] = true
	return nil
}

func (p *peer) subscribe(_ context.Context, params *ahp.SubscribeParams) (*ahp.SubscribeResult, error) {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	if p.client == "" {
		return nil, errStranger
	}
	snapshot, ok := p.host.snapshot(params.Channel)
	if !ok {
		return nil, ahp.ErrorCodeNotFound
	}
	p.subscribed[params.Channel] = true
	return &ahp.SubscribeResult{Snapshot: snapshot}, nil
}

func (p *peer) unsubscribe(_ context.Context, params *ahp.UnsubscribeParams) {
	p.host.mu.Lock()
	defer p.host.mu.Unlock()
	delete(p.subscribed, params.Channel)
}

// reconnect takes a client up again: with what it has missed, or with snapshots where the host does not
// remember that far back. The gate looks at notifications only; what goes into an answer is filtered here.
func (p *peer) reconnect(ctx context.Context, params *ahp.ReconnectParams) (ahp.ReconnectResult, error) {
	p.host.agent.rest(ctx) // so that the demo always prints the same
	h := p.host
	h.mu.Lock()
	defer h.mu.Unlock()
	version, ok := h.versions[params.ClientID]
	if !ok {
		return nil, errStranger
	}
	if err := p.join(params.ClientID, version); err != nil {
		return nil, err
	}
	missing, snapshots := []string{}, []ahp.Snapshot{}
	for _, uri := range params.Subscriptions {
		snapshot, ok := h.snapshot(uri)
		if !ok {
			missing = append(missing, uri)
			continue
		}
		p.subscribed[uri] = true
		snapshots = append(snapshots, *snapshot)
	}
	if h.sequence-int64(len(h.missed)) > params.LastSeenServerSeq {
		h.log.say("takes %s up again with %d snapshots", params.ClientID, len(snapshots))
		return &ahp.ReconnectSnapshotResult{Snapshots: snapshots}, nil
	}
	actions := []ahp.ActionEnvelope{}
	for _, e := range h.missed {
		if e.ServerSeq > params.LastSeenServerSeq && p.subscribed[e.Channel] && knows(version, e.Action) {
			actions = append(actions, e)
		}
	}
	h.log.say("takes %s up again after #%d with %d actions", params.ClientID, params.LastSeenServerSeq, len(actions))
	return &ahp.ReconnectReplayResult{Actions: actions, Missing: missing}, nil
}

// createSession opens a session with one chat and tells everybody who looks at the root.
func (p *peer) createSession(_ context.Context, params *ahp.CreateSessionParams) error {
	h := p.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.client == "" {
		return errStranger
	}
	if !strings.HasPrefix(params.Channel, sessionPrefix) {
		return &rpc.Error{Code: int64(rpc.InvalidParams), Message: "params: channel: want " + sessionPrefix + "…"}
	}
	if h.channels[params.Channel] != nil {
		return ahp.ErrorCodeSessionAlreadyExists
	}
	h.log.say("creates %s", params.Channel)
	chat := chatOf(params.Channel)
	summary := ahp.ChatSummary{Resource: chat, Title: "Chat", Status: ahp.SessionStatusIdle, ModifiedAt: theTimeText}
	h.channels[chat] = &ahp.ChatState{Resource: chat, Title: "Chat", Status: ahp.SessionStatusIdle, ModifiedAt: theTimeText, Turns: []ahp.Turn{}}
	h.channels[params.Channel] = &ahp.SessionState{
		Provider: "demo", Title: "New session", Status: ahp.SessionStatusIdle, Lifecycle: ahp.SessionLifecycleReady,
		ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{summary}, DefaultChat: &chat,
	}
	sessions := int64(0)
	for _, state := range h.channels {
		if _, ok := state.(*ahp.SessionState); ok {
			sessions++
		}
	}
	h.apply(ahp.ActionEnvelope{Channel: rootURI, Action: &ahp.RootActiveSessionsChangedAction{ActiveSessions: sessions}})
	added := &ahp.SessionAddedParams{Channel: rootURI, Summary: ahp.SessionSummary{
		Provider: "demo", Title: "New session", Status: ahp.SessionStatusIdle, Resource: params.Channel,
		CreatedAt: theTimeText, ModifiedAt: theTimeText,
	}}
	for other := range h.peers {
		if other.subscribed[rootURI] {
			_ = other.to.RootSessionAdded(context.Background(), added) // as with actions
		}
	}
	return nil
}

// knows reports whether a version of the protocol has an action.
func knows(version string, action ahp.StateAction) bool {
	info, ok := action.ActionType().Info()
	return ok && rpc.KnownIn(version, info.Since)
}

// chatOf names the chat that a session starts with.
func chatOf(session string) string { return "ahp-chat:/" + strings.TrimPrefix(session, sessionPrefix) }
