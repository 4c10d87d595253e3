// Package conn keeps a client connected to a host, whatever protocol they speak: it dials, introduces the
// client, takes up a connection that was lost where it broke, and says how it stands. What it has to say to
// the host, the generated package does in a [Protocol].
package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Protocol is what a generated package does for a client.
type Protocol struct {
	// Open introduces the client on a new connection, as one that the host does not know, and asks for
	// channels. It returns the version agreed on, and take, which takes in what the host has answered. Again
	// says that it is not the first time.
	Open func(ctx context.Context, to rpc.Conn, channels []string, again bool) (version string, take Take, err error)
	// Resume takes up a connection that was lost.
	Resume func(ctx context.Context, to rpc.Conn, channels []string) (take Take, err error)
	// Subscribe gets the state of a channel, if it has one, and what happens on it from then on.
	Subscribe func(ctx context.Context, to rpc.Conn, channel string) error
	// Unsubscribe ends that.
	Unsubscribe func(ctx context.Context, to rpc.Conn, channel string) error
	// Drop forgets a channel.
	Drop func(channel string)
	// Ready is called whenever the connection is about to be ready, the first time and after each loss. An
	// error counts as a lost connection.
	Ready func(ctx context.Context, to rpc.Conn) error
	// Has reports whether the state of a channel is there, and Renew says that it is not what it should be:
	// the next Subscribe brings it.
	Has   func(channel string) bool
	Renew func(channel string)
	// Final reports whether a refusal by the host will be the same the next time.
	Final func(error) bool

	// Handler handles what the host sends. Envelopes, the notifications of that name, wait until the client has
	// taken in what it has missed.
	Handler  rpc.Handler
	Envelope string
	Channel  string // the member of an envelope that names its channel
	// Repeat are methods whose effect ends with the connection: their latest calls, one for each value of the
	// member of the parameters, are made again on the next one.
	Repeat map[string]string
}

// Take takes in what the host has answered.
type Take = func() (Taken, error)

// Taken says what an answer has left.
type Taken struct {
	Gone  []string // channels that have ended
	Renew []string // channels whose state is not what it should be, since something about them could not be decoded
}

// Salvage looks at the error beside an answer. If only items of it could not be decoded, that is no error
// any more, and channels are what these items were about: the first of the members that is a string says so.
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

// Refused reports whether an error is the host's answer, and not one of the connection.
func Refused(err error) bool {
	var refusal *rpc.Error
	return errors.As(err, &refusal)
}

// State says how a connection stands.
type State string

// The states of a connection.
const (
	Connecting State = "connecting"
	Ready      State = "ready"
	Waiting    State = "waiting" // for a while, before it connects again
	Closed     State = "closed"  // for good
)

// Status is a state, and what there is to say about it.
type Status struct {
	State   State
	Attempt int           // to connect, from 1 on, since a connection was ready for longer than MaxWait
	Wait    time.Duration // of a connection that waits
	Err     error         // why it waits or is closed; nil if that was asked for
}

// Options are how a connection is kept. The zero value of each is a default.
type Options struct {
	// Peer are the limits of each connection.
	Peer *rpc.Options
	// MinWait and MaxWait are how long to wait before the second attempt to connect, and at most: each wait is
	// about twice as long as the one before, and up to a half shorter by chance. The defaults are 100
	// milliseconds and 30 seconds.
	MinWait, MaxWait time.Duration
	// Handshake is how long an attempt may take; the default is 30 seconds.
	Handshake time.Duration
	// Status is told of every change of state. It must not wait.
	Status func(Status)
	// OnError is told of what goes wrong without anybody to answer to.
	OnError func(error)
}

// ErrReplaced is why a connection is closed for good whose client has connected once more under the same id, perhaps as
// another process. It does not connect again by itself, or the two would replace each other for ever.
var ErrReplaced = rpc.ErrReplaced

// ErrClosed says that the connection was closed for good. It is wrapped together with what ended it.
var ErrClosed = errors.New("closed")

// Conn is a connection that is taken up again when it is lost. It is an [rpc.Conn]: while it is not ready,
// calls wait. A call that was sent when the connection was lost fails, since nobody knows whether it had an
// effect.
type Conn struct {
	dial     func(context.Context) (rpc.Transport, error)
	protocol Protocol
	options  Options
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	retry    chan struct{} // ends a wait
	done     chan struct{}

	mu       sync.Mutex // guards what follows
	status   Status
	peer     *rpc.Peer     // if it is ready
	version  string        // agreed with the host
	changed  chan struct{} // closed when the state changes
	wanted   []string      // channels subscribed to
	damaged  []string      // those whose state is not what it should be, until there is a new one
	repeated []repeated

	order sync.Mutex // held while something is numbered and sent

	gate    sync.Mutex // guards what follows, and is held while something is taken in
	holding bool
	held    []func()
	heldN   int64
}

// repeated is a call to make again.
type repeated struct {
	method, key string
	params      json.RawMessage
}

// What may wait until the host has answered a client that comes back.
const (
	maxHeld      = 100_000
	maxHeldBytes = 64 << 20
)

var _ rpc.Conn = (*Conn)(nil)

// Connect connects for the first time, and keeps the connection from then on. If the first attempt fails,
// that is the error. The context is for this attempt.
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
	c := &Conn{dial: dial, protocol: p, options: o, done: make(chan struct{}), changed: make(chan struct{}), retry: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.become(Status{State: Connecting, Attempt: 1}, nil)
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

// taker handles what comes on one connection.
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
	ctx = context.WithoutCancel(ctx) // what came before the end of a connection is taken in, also after it
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
		c.held, c.heldN = nil, 0
		go func() { _ = t.peer.Close() }() // what is lost, the next connection brings
	}
	return nil, nil
}

// mend gets the state of a channel anew, on which something happened that the client does not understand.
func (c *Conn) mend(m *rpc.Message, err error) {
	c.options.OnError(fmt.Errorf("%s: %w", m.Method, err))
	var members map[string]json.RawMessage
	var channel string
	if json.Unmarshal(m.Params, &members) != nil || json.Unmarshal(members[c.protocol.Channel], &channel) != nil || !c.protocol.Has(channel) {
		return
	}
	c.renew(channel)
	go func() {
		if err := c.Subscribe(c.ctx, channel); err != nil && c.ctx.Err() == nil {
			c.options.OnError(fmt.Errorf("subscribe to %s again: %w", channel, err))
		}
	}()
}

// renew notes that the state of a channel is not what it should be.
func (c *Conn) renew(channel string) {
	c.protocol.Renew(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.damaged, channel) {
		c.damaged = append(c.damaged, channel)
	}
}

// fetch gets the state of a channel.
func (c *Conn) fetch(ctx context.Context, to rpc.Conn, channel string) error {
	if err := c.protocol.Subscribe(ctx, to, channel); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.damaged = slices.DeleteFunc(c.damaged, func(have string) bool { return have == channel })
	return nil
}

// become changes the state.
func (c *Conn) become(s Status, peer *rpc.Peer) {
	c.mu.Lock()
	c.status, c.peer = s, peer
	close(c.changed)
	c.changed = make(chan struct{})
	c.mu.Unlock()
	c.options.Status(s)
}

// Status says how the connection stands.
func (c *Conn) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Version is the version that was agreed with the host at last.
func (c *Conn) Version() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// Done is closed when the connection is closed for good.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Retry connects at once if the connection waits before it does, as a user may want it who sees that.
func (c *Conn) Retry() {
	select {
	case c.retry <- struct{}{}:
	default:
	}
}

// Close sends what waits to be sent, ends the connection in good order, and waits until that is so. Called by
// a handler or a callback, it would wait for itself: there, call it on another goroutine.
func (c *Conn) Close() error {
	c.cancel()
	<-c.done
	return c.Status().Err
}

// Wait waits until the connection is ready and returns it. It is an error if that cannot be any more.
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

// repeat notes a call that is to be made again on the next connection.
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

// Flush waits until what was sent is written.
func (c *Conn) Flush(ctx context.Context) error {
	peer, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	return peer.Flush(ctx)
}

// InOrder calls f with what is connected now, once there is something, and lets nobody else in meanwhile: what
// is numbered and sent in f is sent in the order of the numbers.
func (c *Conn) InOrder(ctx context.Context, f func(to rpc.Conn) error) error {
	peer, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	c.order.Lock()
	defer c.order.Unlock()
	if err := rpc.ContextError(ctx); err != nil {
		return err // before anything has happened
	}
	return f(at{peer, c.Version()})
}

// Subscribe subscribes to a channel, and does so again on every connection from then on.
func (c *Conn) Subscribe(ctx context.Context, channel string) error {
	for {
		peer, err := c.Wait(ctx)
		if err != nil {
			return err
		}
		c.want(channel) // before the answer: should the connection be lost meanwhile, the next one brings it
		if err = c.fetch(ctx, at{peer, c.Version()}, channel); err == nil {
			return nil
		}
		if !errors.Is(err, rpc.ErrClosed) || ctx.Err() != nil {
			c.forget(channel)
			return err
		}
		if err := c.lost(ctx, peer); err != nil {
			return err
		}
	}
}

// lost waits until a connection that has ended counts as lost.
func (c *Conn) lost(ctx context.Context, peer *rpc.Peer) error {
	for {
		c.mu.Lock()
		same, changed := c.peer == peer, c.changed
		c.mu.Unlock()
		if !same {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return rpc.ContextError(ctx)
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
	return c.protocol.Unsubscribe(ctx, at{peer, c.Version()}, channel)
}

// Subscriptions lists the channels that the connection keeps.
func (c *Conn) Subscriptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(slices.Values(c.wanted))
}

func (c *Conn) want(channel string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.wanted, channel) {
		c.wanted = append(c.wanted, channel)
	}
}

func (c *Conn) forget(channel string) { c.drop([]string{channel}) }

// drop takes channels out of those to subscribe to again.
func (c *Conn) drop(channels []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = slices.DeleteFunc(c.wanted, func(have string) bool { return slices.Contains(channels, have) })
	c.damaged = slices.DeleteFunc(c.damaged, func(have string) bool { return slices.Contains(channels, have) })
}
