// The client: printing what happens. ahp.Conn does the rest.

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/state"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

type client struct {
	*ahp.Conn
	log journal
	id  string

	mu     sync.Mutex // held while an event is printed, so that its consequences are printed later
	socket rpc.Transport
	added  map[string]bool // announced sessions
	told   int64           // sequence number of the last printed action

	changed chan struct{} // signals a change
}

// connect connects to a host and offers versions.
func connect(ctx context.Context, log journal, id, url string, offers []string) (*client, error) {
	c := &client{log: log, id: id, added: map[string]bool{}, changed: make(chan struct{}, 1)}
	log.say("offers versions %v", offers)
	dial := func(ctx context.Context) (rpc.Transport, error) {
		socket, err := ws.Dial(ctx, url, nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.socket = socket
		return socket, err
	}
	var err error
	c.Conn, err = ahp.Connect(ctx, dial, &ahp.ConnOptions{
		ClientID: id,
		Opening:  &ahp.InitializeParams{ProtocolVersions: offers},
		Reducer:  &ahp.Reducer{Now: theTime},
		Handlers: &ahp.ClientHandlers{RootSessionAdded: c.sessionAdded},
		Received: c.received,
		Reconnected: func(cost *ahp.Reconnection) {
			log.say("is up to date; %d rejected, %d lost, %d gone", len(cost.Rejected), len(cost.Lost), len(cost.Gone))
			c.mu.Lock()
			c.told = math.MaxInt64 // snapshots may be ahead of what was printed
			c.mu.Unlock()
			c.wake()
		},
		Keep: conn.Options{Status: func(s conn.Status) {
			if s.State == conn.Waiting {
				log.say("has lost the connection, and will be back")
			}
			c.wake()
		}},
	})
	var refusal *ahp.UnsupportedProtocolVersionErrorData
	if errors.As(err, &refusal) {
		return nil, fmt.Errorf("%s: the host speaks %v only", id, refusal.SupportedVersions)
	}
	return c, err
}

// received prints an envelope and its outcome.
func (c *client) received(e *ahp.ActionEnvelope, outcome state.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if outcome == state.Rejected {
		c.log.say("#%d %s: %s, %s", e.ServerSeq, describe(e.Action), outcome, *e.RejectionReason)
	} else {
		c.log.say("#%d %s: %s", e.ServerSeq, describe(e.Action), outcome)
	}
	c.told = max(c.told, e.ServerSeq)
	c.wake()
}

func (c *client) sessionAdded(_ context.Context, p *ahp.SessionAddedParams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.say("session added: %s", p.Summary.Resource)
	c.added[p.Summary.Resource] = true
	c.wake()
}

// subscribe subscribes to a channel.
func (c *client) subscribe(ctx context.Context, uri string) error {
	c.log.say("subscribes to %s", uri)
	return c.Subscribe(ctx, uri)
}

// dispatch dispatches an action optimistically.
func (c *client) dispatch(ctx context.Context, uri string, action ahp.ClientAction) error {
	c.log.say("dispatches %s", describe(action))
	return c.Dispatch(ctx, uri, action)
}

func (c *client) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// until waits for a condition on the client's state, and for the state to be printed.
func (c *client) until(ctx context.Context, condition func() bool) error {
	for {
		c.mu.Lock()
		met := condition() && c.told >= c.Store.LastSeen() // in this order, so that whatever met the condition is printed
		c.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-c.changed:
		case <-c.Done():
			return c.Status().Err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// states encodes all confirmed states.
func (c *client) states() map[string][]byte {
	out := map[string][]byte{}
	for _, uri := range c.Store.Subscriptions() {
		view, _ := c.Store.View(uri)
		out[uri] = encode(view.Confirmed)
	}
	return out
}
