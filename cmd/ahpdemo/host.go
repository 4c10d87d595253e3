// The host: it owns the states. Every action gets a number, is applied by the reducer, is remembered for
// those who come back, and goes to all who have subscribed.

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/ws"
)

const (
	rootURI       = "ahp-root://"
	sessionPrefix = "ahp-session:/"

	// remembered is how many envelopes the host keeps for replay. Whoever has missed more gets snapshots.
	remembered = 64
)

// theTime is always the same here, so that every run prints the same.
func theTime() time.Time { return time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC) }

const theTimeText = "2026-01-01T12:00:00.000Z"

type host struct {
	log     journal
	reducer *ahp.Reducer
	agent   *agent
	serving sync.WaitGroup // connections

	mu       sync.Mutex // guards what follows, and the order in which actions are sent
	sequence int64
	channels map[string]ahp.SnapshotState
	missed   []ahp.ActionEnvelope // the latest ones, for replay
	peers    map[*peer]bool
	versions map[string]string // agreed with each client, also for when it comes back
}

func newHost(ctx context.Context, log journal) *host {
	h := &host{
		log:      log,
		reducer:  &ahp.Reducer{Now: theTime},
		peers:    map[*peer]bool{},
		versions: map[string]string{},
		channels: map[string]ahp.SnapshotState{rootURI: &ahp.RootState{
			Agents: []ahp.AgentInfo{{Provider: "demo", DisplayName: "Demo agent", Models: []ahp.SessionModelInfo{}}},
		}},
	}
	h.agent = newAgent(ctx, h.publish)
	return h
}

// serveOn serves at an address for as long as f takes.
func (h *host) serveOn(ctx context.Context, address string, f func(ctx context.Context, url string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	err = f(ctx, "ws://"+listener.Addr().String())
	cancel() // ends the WebSocket connections, of which the server knows no more
	err = errors.Join(err, server.Close())
	if end := <-stopped; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	h.serving.Wait()
	return err
}

// ServeHTTP serves one connection until it ends.
func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.serving.Add(1)
	defer h.serving.Done()
	socket, err := ws.Accept(w, r, nil)
	if err != nil {
		h.log.say("cannot accept a connection: %v", err)
		return
	}
	conn := rpc.NewPeer(socket, nil)
	p := newPeer(h, conn)
	defer h.leave(p)
	if err := conn.Serve(r.Context(), p.handlers()); err != nil {
		h.log.say("lost a connection: %v", err)
	}
}

// publish applies an action of the host's own and sends it.
func (h *host) publish(channel string, action ahp.StateAction) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.apply(ahp.ActionEnvelope{Channel: channel, Action: action})
}

// apply makes an accepted action part of its state. The caller holds the lock.
func (h *host) apply(e ahp.ActionEnvelope) {
	h.channels[e.Channel] = h.reducer.Apply(h.channels[e.Channel], e.Action)
	h.send(e)
}

// send numbers an envelope, remembers it and puts it on its way. The caller holds the lock.
func (h *host) send(e ahp.ActionEnvelope) {
	h.sequence++
	e.ServerSeq = h.sequence
	h.missed = append(h.missed, e)
	if len(h.missed) > remembered {
		h.missed = h.missed[1:]
	}
	for p := range h.peers {
		if p.subscribed[e.Channel] {
			// What the version of the client does not know is left out. A connection that has ended ends
			// Serve as well, so errors need no answer here.
			_ = p.to.Action(context.Background(), &e)
		}
	}
}

// dispatch decides on an action of a client. Either way everybody hears of it, with its origin.
func (h *host) dispatch(from *peer, p *ahp.DispatchActionParams) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from.client == "" {
		return // it has no id under which to answer
	}
	e := ahp.ActionEnvelope{
		Channel: p.Channel, Action: p.Action,
		Origin: &ahp.ActionOrigin{ClientID: from.client, ClientSeq: p.ClientSeq},
	}
	if reason := h.refusal(p); reason != "" {
		h.log.say("refuses %s of %s: %s", describe(p.Action), from.client, reason)
		e.RejectionReason = &reason
		h.send(e)
		return
	}
	h.log.say("accepts %s of %s", describe(p.Action), from.client)
	h.apply(e)
	h.agent.observe(p.Channel, p.Action)
}

// refusal is why the host does not accept an action, "" where it does.
func (h *host) refusal(p *ahp.DispatchActionParams) string {
	state, ok := h.channels[p.Channel]
	if !ok {
		return "no such channel"
	}
	switch a := p.Action.(type) {
	case *ahp.UnknownStateAction:
		return "no such action"
	case *ahp.SessionTitleChangedAction:
		if strings.TrimSpace(a.Title) == "" {
			return "a title needs a word"
		}
	case *ahp.ChatTurnStartedAction:
		if chat, ok := state.(*ahp.ChatState); ok && chat.ActiveTurn != nil {
			return "a turn is open"
		}
	}
	return ""
}

// snapshot is the state of a channel at this moment. The caller holds the lock.
func (h *host) snapshot(uri string) (*ahp.Snapshot, bool) {
	state, ok := h.channels[uri].(ahp.SnapshotState)
	return &ahp.Snapshot{Resource: uri, State: state, FromSeq: h.sequence}, ok
}

func (h *host) leave(p *peer) {
	h.mu.Lock()
	delete(h.peers, p)
	h.mu.Unlock()
	h.agent.left()
}

// states encodes every state.
func (h *host) states() map[string][]byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string][]byte{}
	for uri, state := range h.channels {
		out[uri] = encode(state)
	}
	return out
}

// encode encodes a state. All states here were decoded or made by a reducer, so it cannot fail.
func encode(state ahp.SnapshotState) []byte {
	data, err := state.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return data
}
