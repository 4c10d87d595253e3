// The client: it keeps copies of states in a store, shows its user's actions before the host has
// answered, and takes up a connection that broke.

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/state"
	"github.com/ahpgen/ahpgen/generated/ahp/wire/ws"
)

type client struct {
	log     journal
	id, url string
	offers  []string
	store   *ahp.Store

	version string // agreed with the host
	conn    *rpc.Peer
	host    *ahp.Client
	served  chan error

	// Held while something from the host is taken in and printed, so that what this client does next
	// is printed after it.
	mu      sync.Mutex
	away    bool                  // the store does not know yet what it has missed
	held    []*ahp.ActionEnvelope // what came while that was so
	added   map[string]bool       // sessions that the host has announced
	changed chan struct{}         // something was taken in
}

func newClient(log journal, id, url string, offers []string) *client {
	return &client{
		log: log, id: id, url: url, offers: offers,
		store: ahp.NewStore(id, &ahp.Reducer{Now: theTime}),
		added: map[string]bool{}, changed: make(chan struct{}, 1),
	}
}

// dial opens a connection, on which nothing is agreed yet.
func (c *client) dial(ctx context.Context) error {
	socket, err := ws.Dial(ctx, c.url, nil)
	if err != nil {
		return err
	}
	conn := rpc.NewPeer(socket, nil)
	c.conn, c.host, c.served = conn, ahp.NewClient(conn), make(chan error, 1)
	handlers := &ahp.ClientHandlers{Action: c.action, RootSessionAdded: c.sessionAdded}
	served := c.served
	go func() { served <- conn.Serve(context.WithoutCancel(ctx), handlers) }()
	return nil
}

// open opens a connection and agrees on a version.
func (c *client) open(ctx context.Context) error {
	if err := c.dial(ctx); err != nil {
		return err
	}
	c.log.say("offers versions %v", c.offers)
	opened, err := c.host.Initialize(ctx, &ahp.InitializeParams{ClientID: c.id, ProtocolVersions: c.offers})
	var refusal *ahp.UnsupportedProtocolVersionErrorData
	if errors.As(err, &refusal) {
		return fmt.Errorf("the host speaks %v only", refusal.SupportedVersions)
	}
	if err != nil {
		return err
	}
	c.version = opened.ProtocolVersion
	return c.agree()
}

// agree sends from now on only what the version knows.
func (c *client) agree() (err error) {
	c.host, err = c.host.AtVersion(c.version)
	return err
}

func (c *client) close() error {
	err := c.conn.Close()
	return errors.Join(err, <-c.served)
}

// reconnect takes up the connection again, where it broke.
func (c *client) reconnect(ctx context.Context) error {
	// Until the store has the answer, nothing that the new connection brings may reach it.
	c.mu.Lock()
	c.away = true
	c.mu.Unlock()
	if err := c.dial(ctx); err != nil {
		return err
	}
	c.log.say("comes back, has seen up to #%d", c.store.LastSeen())
	if err := c.agree(); err != nil {
		return err
	}
	result, err := c.host.Reconnect(ctx, &ahp.ReconnectParams{
		ClientID: c.id, LastSeenServerSeq: c.store.LastSeen(), Subscriptions: c.store.Subscriptions(),
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if replay, ok := result.(*ahp.ReconnectReplayResult); ok {
		for _, e := range replay.Actions {
			c.log.say("#%d %s: replayed", e.ServerSeq, describe(e.Action))
		}
	}
	cost, err := c.store.Reconnected(result)
	if err != nil {
		return err
	}
	c.log.say("is up to date; %d rejected, %d lost, %d gone", len(cost.Rejected), len(cost.Lost), len(cost.Gone))
	c.away = false
	for _, e := range c.held {
		c.take(e)
	}
	c.held = nil
	return nil
}

// subscribe gets the state of a channel, and what happens to it from then on.
func (c *client) subscribe(ctx context.Context, uri string) error {
	c.store.Await(uri)
	result, err := c.host.Subscribe(ctx, &ahp.SubscribeParams{Channel: uri})
	if err != nil {
		c.store.Unsubscribe(uri)
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.store.Subscribe(result.Snapshot); err != nil {
		return err
	}
	c.log.say("subscribes to %s as of #%d", uri, result.Snapshot.FromSeq)
	return nil
}

// dispatch applies an action at once and sends it.
func (c *client) dispatch(ctx context.Context, uri string, action ahp.ClientAction) error {
	params, err := c.apply(uri, action)
	if err != nil {
		return err
	}
	return c.host.DispatchAction(ctx, params)
}

// apply applies an action that is still to be sent.
func (c *client) apply(uri string, action ahp.ClientAction) (*ahp.DispatchActionParams, error) {
	params, err := c.store.Dispatch(uri, action)
	if err == nil {
		view, _ := c.store.View(uri)
		c.log.say("dispatches %s, %d pending", describe(action), view.Pending)
	}
	return params, err
}

// action takes an envelope. The connection brings them in order.
func (c *client) action(_ context.Context, e *ahp.ActionEnvelope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away {
		c.held = append(c.held, e)
		return
	}
	c.take(e)
}

// take brings an envelope into the store. The caller holds the lock.
func (c *client) take(e *ahp.ActionEnvelope) {
	outcome := c.store.Receive(e)
	if outcome == state.Rejected {
		c.log.say("#%d %s: %s, %s", e.ServerSeq, describe(e.Action), outcome, *e.RejectionReason)
	} else {
		c.log.say("#%d %s: %s", e.ServerSeq, describe(e.Action), outcome)
	}
	c.wake()
}

func (c *client) sessionAdded(_ context.Context, p *ahp.SessionAddedParams) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.say("hears of %s", p.Summary.Resource)
	c.added[p.Summary.Resource] = true
	c.wake()
}

func (c *client) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// until waits for a condition on what the client knows.
func (c *client) until(ctx context.Context, condition func() bool) error {
	for {
		c.mu.Lock()
		met := condition()
		c.mu.Unlock()
		if met {
			return nil
		}
		select {
		case <-c.changed:
		case <-c.conn.Done():
			return rpc.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// states encodes every confirmed state.
func (c *client) states() map[string][]byte {
	out := map[string][]byte{}
	for _, uri := range c.store.Subscriptions() {
		view, _ := c.store.View(uri)
		out[uri] = encode(view.Confirmed)
	}
	return out
}
