// Package peer is a host and a client with the package of one version, for tests that know the version as JSON only. The test
// writes a copy for each version, with the import of its package.
package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"laws/ahp"
	"laws/wire/conn"
	"laws/wire/rpc"
	"laws/wire/server"
	"laws/wire/state"
)

// Host is a host of the version.
type Host struct{ server *ahp.Server }

// NewHost returns a host without channels. It calls seen with each action that a client has dispatched.
func NewHost(seen func(channel string)) (*Host, error) {
	s, err := ahp.NewServer(&ahp.ServerOptions{
		OwnLists: true,
		Validate: func(_ *server.Client, channel string, _ ahp.SnapshotState, _ ahp.StateAction) error {
			seen(channel)
			return nil
		},
	})
	return &Host{s}, err
}

// Serve serves a client until its connection ends.
func (h *Host) Serve(ctx context.Context, t rpc.Transport) error { return h.server.Serve(ctx, t) }

// Open opens the channel of a snapshot.
func (h *Host) Open(snapshot []byte) error {
	s, err := ahp.Decode[ahp.Snapshot](snapshot)
	if err != nil {
		return err
	}
	return h.server.OpenChannel(s.Resource, s.State)
}

// End ends a channel.
func (h *Host) End(channel string) error { return h.server.CloseChannel(channel) }

// State returns the state of a channel.
func (h *Host) State(channel string) []byte {
	now, ok := h.server.State(channel)
	if !ok {
		return nil
	}
	return encoded(now)
}

// Publish publishes an action.
func (h *Host) Publish(channel string, action []byte) error {
	a, err := ahp.DecodeStateAction(action)
	if err != nil {
		return err
	}
	return h.server.Publish(channel, a)
}

// Close ends the host.
func (h *Host) Close() error { return h.server.Close() }

// Client is a client of the version.
type Client struct {
	conn    *ahp.Conn
	changed chan struct{}

	mu     sync.Mutex
	faults []error
}

// Connect connects to a host.
func Connect(ctx context.Context, id string, dial func(context.Context) (rpc.Transport, error)) (*Client, error) {
	c := &Client{changed: make(chan struct{}, 1)}
	var err error
	c.conn, err = ahp.Connect(ctx, dial, &ahp.ConnOptions{
		ClientID:    id,
		Received:    func(*ahp.ActionEnvelope, state.Outcome) { c.wake() },
		Reconnected: func(*ahp.Reconnection) { c.wake() },
		Keep: conn.Options{
			MinWait: time.Millisecond, MaxWait: 10 * time.Millisecond,
			Status: func(conn.Status) { c.wake() },
			OnError: func(err error) {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.faults = append(c.faults, err)
			},
		},
	})
	return c, err
}

func (c *Client) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Version returns the version that was agreed.
func (c *Client) Version() string { return c.conn.Version() }

// Subscribe subscribes to a channel.
func (c *Client) Subscribe(ctx context.Context, channel string) error {
	return c.conn.Subscribe(ctx, channel)
}

// Unsubscribe ends a subscription.
func (c *Client) Unsubscribe(ctx context.Context, channel string) error {
	return c.conn.Unsubscribe(ctx, channel)
}

// Dispatch dispatches an action.
func (c *Client) Dispatch(ctx context.Context, channel string, action []byte) error {
	a, err := ahp.DecodeStateAction(action)
	if err != nil {
		return err
	}
	mine, ok := a.(ahp.ClientAction)
	if !ok {
		return fmt.Errorf("clients do not dispatch %s", action)
	}
	return c.conn.Dispatch(ctx, channel, mine)
}

// Settle waits until the host has answered everything that was dispatched on a channel.
func (c *Client) Settle(ctx context.Context, channel string) error {
	for {
		view, ok := c.conn.Store.View(channel)
		if !ok {
			return errors.New("the channel is gone")
		}
		if view.Pending == 0 && c.conn.Status().State == conn.Ready {
			return nil
		}
		select {
		case <-c.changed:
		case <-c.conn.Done():
			return errors.Join(errors.New("the connection has ended"), c.conn.Status().Err)
		case <-ctx.Done():
			return fmt.Errorf("%w: %d actions have no answer: %v", ctx.Err(), view.Pending, c.conn.Status())
		}
	}
}

// State returns the state of a channel as the host has confirmed it, and how many actions wait for an answer.
func (c *Client) State(channel string) (confirmed []byte, pending int) {
	view, ok := c.conn.Store.View(channel)
	if !ok {
		return nil, 0
	}
	return encoded(view.Confirmed), view.Pending
}

// Faults returns the errors since the last call that belonged to no request.
func (c *Client) Faults() []error {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.faults
	c.faults = nil
	return out
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

func encoded(s ahp.SnapshotState) []byte {
	data, err := s.AppendJSON(nil)
	if err != nil {
		panic(err)
	}
	return json.RawMessage(data)
}
