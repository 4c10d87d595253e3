// Package conn keeps a client connected to a host: it dials, performs the handshake, resumes lost connections, and
// reports its state. It is independent of the protocol; the generated package supplies a [Protocol].
package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Protocol is the generated package's part of a connection.
type Protocol struct {
	// Open performs the handshake on a new connection for a client unknown to the host, and subscribes to channels.
	// It returns the negotiated version, and take, which applies the host's answer. Again is true on later
	// connections.
	Open func(ctx context.Context, to rpc.Conn, channels []string, again bool) (version string, take Take, err error)
	// Resume resumes a lost connection.
	Resume func(ctx context.Context, to rpc.Conn, channels []string) (take Take, err error)
	// Subscribe subscribes to a channel and fetches its state, if any.
	Subscribe func(ctx context.Context, to rpc.Conn, channel string) error
	// Unsubscribe ends a subscription.
	Unsubscribe func(ctx context.Context, to rpc.Conn, channel string) error
	// Drop forgets a channel.
	Drop func(channel string)
	// Translator returns the translator of a connection on which a version was agreed, or "" before the handshake. It and
	// what it returns may be nil. Behind reports whether the host has said more than was applied.
	Translator func(version string, behind func() bool) rpc.Translator
	// Ready is called whenever the connection is about to become ready. An error counts as a lost connection.
	Ready func(ctx context.Context, to rpc.Conn) error
	// Has reports whether the state of a channel is present. Renew marks it as outdated, so that the next Subscribe
	// replaces it.
	Has   func(channel string) bool
	Renew func(channel string)
	// Final reports whether the host would refuse again.
	Final func(error) bool

	// Handler handles messages from the host. Envelopes, which are notifications of the action method, wait until
	// missed ones have been applied.
	Handler  rpc.Handler
	Envelope string
	// Callbacks calls what tells the program of envelopes and of the host's answers; nil if there is nothing like that.
	Callbacks *Callbacks
	Channel   string // member of an envelope that names its channel
	// Repeat maps methods whose effect ends with the connection to a member of their parameters. The last call for
	// each value of that member is repeated on the next connection.
	Repeat map[string]string
}

// Take applies the host's answer.
type Take = func() (Taken, error)

// Taken is the result of applying an answer.
type Taken struct {
	Gone  []string // channels that no longer exist
	Renew []string // channels with outdated state, because something about them could not be decoded
	// Replayed and Snapshots count what the answer had: missed actions, and states.
	Replayed, Snapshots int
}

// Salvage examines the error beside an answer. If only list items could not be decoded, it returns no error and the
// channels these items concern, taken from the first of the members that is a string.
func Salvage(err error, members ...string) (channels []string, _ error) {
	var bad *rpc.ItemsError
	if !errors.As(err, &bad) {
		return nil, err
	}
	for _, item := range bad.Items {
		for _, member := range members {
			d := wire.NewDecoder(item.Raw)
			if channel, ok := d.OnlyString(member); ok {
				channels = append(channels, channel)
				break
			}
		}
	}
	return channels, nil
}

// Refused reports whether an error is the host's answer, as opposed to a connection error.
func Refused(err error) bool {
	var refusal *rpc.Error
	return errors.As(err, &refusal)
}

// State is the state of a connection.
type State string

// The states of a connection.
const (
	Connecting State = "connecting"
	Ready      State = "ready"
	Waiting    State = "waiting" // before the next attempt
	Closed     State = "closed"  // permanently
)

// Status is a state with details.
type Status struct {
	State   State
	Attempt int           // number of attempts since the connection was last ready for longer than MaxWait
	Wait    time.Duration // time until the next attempt
	Err     error         // reason for waiting or closing; nil after Close
}

// Options configures a Conn. Zero fields use defaults.
type Options struct {
	// Peer configures each connection.
	Peer *rpc.Options
	// MinWait and MaxWait bound the back-off between attempts. It doubles each time, minus up to half of it at
	// random. The defaults are 100 milliseconds and 30 seconds.
	MinWait, MaxWait time.Duration
	// Handshake limits the duration of an attempt. The default is 30 seconds.
	Handshake time.Duration
	// Status is called on each change of state. Status, OnError and OnBad of Peer are called one after the other, on a goroutine
	// of their own, and may use the connection: it does not wait for them. Close and Connect do, before they return.
	Status func(Status)
	// OnError is called with errors that belong to no request. While 10,000 calls wait for callbacks that take long, further errors
	// are dropped.
	OnError func(error)
	// Observe receives the events of the session and of its connections. Those of the session come like errors. Nil costs nothing.
	Observe rpc.Observer
}

// ErrReplaced is why a connection is closed for good whose client has connected once more under the same id, perhaps as
// another process. It does not connect again by itself, or the two would replace each other for ever.
var ErrReplaced = rpc.ErrReplaced

// ErrClosed is returned after the connection was closed permanently, wrapped with the cause.
var ErrClosed = errors.New("closed")

// Conn is a client connection that reconnects when lost. It implements [rpc.Conn]: calls wait while it is not ready.
// A call in flight when the connection is lost fails, because its effect is unknown.
type Conn struct {
	dial     func(context.Context) (rpc.Transport, error)
	protocol Protocol
	options  Options
	ctx      context.Context // cancelled by Close
	cancel   context.CancelFunc
	retry    chan struct{} // skips the back-off
	done     chan struct{}
	givenUp  int // attempts that a host may still complete; of the goroutine that connects

	mu       sync.Mutex // guards the following fields
	status   Status
	peer     *rpc.Peer     // nil unless ready
	version  string        // the negotiated version
	changed  chan struct{} // closed on a change of state
	wanted   []string      // subscribed channels
	trials   map[string]*trial
	fetching map[string]chan struct{} // channels whose state is being fetched; closed when it was
	damaged  []string                 // those with outdated state
	mending  map[string]bool          // channels whose state is being fetched again, and whether that has to be done once more
	repeated []repeated
	readies  int // how often the connection has become ready

	order sync.Mutex // held while actions are numbered and sent, and while answers are applied; taken after gate

	gate    sync.Mutex // guards the following fields; held while answers are applied
	holding bool
	held    []func()
	heldN   int64
	spilt   bool // more came than can be held, so that this connection is of no use

	notices hooks.Queue // calls of callbacks

	behind atomic.Bool // holding, or what was held is being applied
}

// repeated is a call to repeat on reconnect.
type repeated struct {
	method, key string
	params      json.RawMessage
}

// Limits on what waits for the host's answer to a reconnect.
const (
	maxHeld      = 100_000
	maxHeldBytes = 64 << 20
)

var _ rpc.Conn = (*Conn)(nil)

// Connect connects to a host and keeps the connection alive. If the first attempt fails, it returns the error. The
// context applies to this attempt only.
func Connect(ctx context.Context, dial func(context.Context) (rpc.Transport, error), p Protocol, o Options) (*Conn, error) {
	if o.MinWait == 0 {
		o.MinWait = 100 * time.Millisecond
	}
	if o.MaxWait == 0 {
		o.MaxWait = 30 * time.Second
	}
	if o.Handshake == 0 {
		o.Handshake = 30 * time.Second
	}
	if o.Status == nil {
		o.Status = func(Status) {}
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	c := &Conn{dial: dial, protocol: p, options: o, done: make(chan struct{}), changed: make(chan struct{}), retry: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if p.Callbacks != nil {
		p.Callbacks.failed = c.failed
	}
	c.become(Status{State: Connecting, Attempt: 1}, nil)
	defer c.notices.Wait()
	link, known, err := c.connect(ctx, false)
	if err != nil {
		c.become(Status{State: Closed, Err: err}, nil)
		c.cancel()
		close(c.done)
		return nil, err
	}
	go c.keep(link, known)
	return c, nil
}

// taker handles the messages of one connection.
type taker struct {
	rpc.Handler
	conn *Conn
	peer *rpc.Peer
}

// AskRPC implements [rpc.Asking] with what the protocol has for that.
func (t *taker) AskRPC() (method string, params json.RawMessage) {
	if protocol, ok := t.Handler.(rpc.Asking); ok {
		return protocol.AskRPC()
	}
	return "", nil
}

// ServeRPC implements [rpc.Handler].
func (t *taker) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	c := t.conn
	if m.Kind != rpc.Notification || m.Method != c.protocol.Envelope {
		return t.Handler.ServeRPC(ctx, m)
	}
	ctx = context.WithoutCancel(ctx) // messages received before the end are applied even after it
	take := func() {
		if _, err := t.Handler.ServeRPC(ctx, m); err != nil {
			c.mend(m, err)
		}
	}
	c.gate.Lock()
	defer c.gate.Unlock()
	if !c.holding {
		take()
		return nil, nil
	}
	c.held = append(c.held, take)
	c.heldN += int64(len(m.Params))
	if len(c.held) > maxHeld || c.heldN > maxHeldBytes {
		c.held, c.heldN, c.spilt = nil, 0, true
		go func() { _ = t.peer.Close() }() // what is lost is fetched on the next connection
	}
	return nil, nil
}

// become changes the state.
func (c *Conn) become(s Status, peer *rpc.Peer) {
	c.mu.Lock()
	c.status, c.peer = s, peer
	close(c.changed)
	c.changed = make(chan struct{})
	if s.State == Ready {
		c.readies++
	}
	if callbacks := c.protocol.Callbacks; callbacks != nil {
		callbacks.apart.Store(c.readies > 0 && s.State != Ready) // nobody can wait for the first connection
	}
	c.mu.Unlock()
	c.notices.Add(func() { c.options.Status(s) })
	c.observeStatus(s)
}

// Status returns the state of the connection.
func (c *Conn) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Version returns the last negotiated version.
func (c *Conn) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Done is closed when the connection is closed permanently.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Retry skips the back-off.
func (c *Conn) Retry() {
	select {
	case c.retry <- struct{}{}:
	default:
	}
}

// Close flushes, closes the connection, and waits until it is closed and the callbacks of [Options] have returned. Called by one
// of them, it does not wait for callbacks, and called by an observer for nothing. Handlers must call it on another goroutine.
func (c *Conn) Close() error {
	c.cancel()
	if hooks.Observing() {
		return nil
	}
	<-c.done
	c.protocol.Callbacks.await()
	c.notices.Wait()
	return c.Status().Err
}

// Wait waits until the connection is ready. It returns an error once that is impossible.
func (c *Conn) Wait(ctx context.Context) (*rpc.Peer, error) {
	for {
		c.mu.Lock()
		peer, status, changed := c.peer, c.status, c.changed
		c.mu.Unlock()
		switch {
		case peer != nil:
			return peer, nil
		case status.State == Closed && status.Err != nil:
			return nil, fmt.Errorf("%w: %w", ErrClosed, status.Err)
		case status.State == Closed || c.ctx.Err() != nil:
			return nil, ErrClosed
		}
		select {
		case <-changed:
		case <-c.ctx.Done():
		case <-ctx.Done():
			if status.Err != nil {
				return nil, fmt.Errorf("%w: %w", rpc.ContextError(ctx), status.Err)
			}
			return nil, rpc.ContextError(ctx)
		}
	}
}

// Call implements [rpc.Conn].
func (c *Conn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	peer, err := c.Wait(ctx)
	if err != nil {
		return nil, err
	}
	result, err := peer.Call(ctx, method, params)
	if member, ok := c.protocol.Repeat[method]; ok && err == nil {
		c.repeat(method, member, params)
	}
	return result, err
}

// repeat records a call to repeat on reconnect.
func (c *Conn) repeat(method, member string, params json.RawMessage) {
	d := wire.NewDecoder(params)
	key, _ := d.OnlyString(member)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.repeated = slices.DeleteFunc(c.repeated, func(r repeated) bool { return r.method == method && r.key == key })
	c.repeated = append(c.repeated, repeated{method, key, slices.Clone(params)})
}

// Notify implements [rpc.Conn].
func (c *Conn) Notify(ctx context.Context, method string, params json.RawMessage) error {
	peer, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	return peer.Notify(ctx, method, params)
}

// Flush waits until all messages are written.
func (c *Conn) Flush(ctx context.Context) error {
	peer, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	return peer.Flush(ctx)
}

// InOrder calls f with the ready connection, waiting for one if needed, and excludes concurrent calls: what f numbers
// and sends stays in order. It must use that connection alone: the next one waits until it has returned.
func (c *Conn) InOrder(ctx context.Context, f func(to rpc.Conn) error) error {
	for {
		peer, err := c.Wait(ctx)
		if err != nil {
			return err
		}
		if done, err := c.inTurn(ctx, peer, f); done {
			return err
		}
	}
}

// inTurn calls f, unless the connection has ended by the time that its turn comes.
func (c *Conn) inTurn(ctx context.Context, peer *rpc.Peer, f func(to rpc.Conn) error) (done bool, err error) {
	c.order.Lock()
	defer c.order.Unlock()
	if err := rpc.ContextError(ctx); err != nil {
		return true, err // nothing has happened yet
	}
	c.mu.Lock()
	current, version := c.peer == peer, c.version
	c.mu.Unlock()
	if !current {
		return false, nil
	}
	return true, f(at{peer, version})
}

// Subscribe subscribes to a channel on this and every later connection.
func (c *Conn) Subscribe(ctx context.Context, channel string) error {
	return c.subscribe(ctx, channel, func() bool { return true })
}

// subscribe is Subscribe for as long as that is still wanted when there is a connection.
func (c *Conn) subscribe(ctx context.Context, channel string, wanted func() bool) (err error) {
	var t *trial
	defer func() { c.decide(channel, t, err) }()
	for {
		peer, err := c.Wait(ctx)
		if err != nil || !wanted() {
			return err
		}
		t = c.want(channel, t) // before the answer, so that a reconnect in between subscribes as well
		if err = c.fetch(ctx, at{peer, c.Version()}, channel); err == nil {
			c.observe(rpc.Event{Type: rpc.EventSubscribed, Conn: peer.Number(), Channel: channel})
			return nil
		}
		if !errors.Is(err, rpc.ErrClosed) || ctx.Err() != nil {
			return err
		}
		if err := c.lost(ctx, peer); err != nil {
			return err
		}
	}
}

// Unsubscribe ends a subscription.
func (c *Conn) Unsubscribe(ctx context.Context, channel string) error {
	c.forget(channel)
	c.protocol.Drop(channel)
	peer, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	c.observe(rpc.Event{Type: rpc.EventUnsubscribed, Conn: peer.Number(), Channel: channel})
	return c.protocol.Unsubscribe(ctx, at{peer, c.Version()}, channel)
}

// Subscriptions returns the subscribed channels.
func (c *Conn) Subscriptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(slices.Values(c.wanted))
}
