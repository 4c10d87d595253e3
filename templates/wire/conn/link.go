// Links: the successive connections of a Conn.

package conn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// link is one of the successive connections.
type link struct {
	peer   *rpc.Peer
	served chan error
}

// keep waits for the end of each connection and makes the next.
func (c *Conn) keep(l *link, known bool) {
	defer close(c.done)
	attempt := 0
	for {
		ready := time.Now()
		why := c.follow(l)
		if c.ctx.Err() != nil {
			c.become(Status{State: Closed}, nil)
			return
		}
		if errors.Is(why, ErrReplaced) {
			// A host that was paused may take an attempt for a new connection that was given up long ago.
			if c.givenUp == 0 {
				c.become(Status{State: Closed, Err: why}, nil)
				return
			}
			c.givenUp--
		}
		if why == nil {
			why = errors.New("the host has ended the connection")
		}
		if time.Since(ready) >= c.options.MaxWait {
			attempt = 0 // a short-lived connection counts as a failed attempt, to spare a host in trouble
		}
		for {
			attempt++
			wait := c.wait(attempt)
			select {
			case <-c.retry: // which skips no later wait than the one it was meant for
			default:
			}
			c.become(Status{State: Waiting, Attempt: attempt, Wait: wait, Err: why}, nil)
			select {
			case <-time.After(wait):
			case <-c.retry:
			case <-c.ctx.Done():
				c.become(Status{State: Closed}, nil)
				return
			}
			c.become(Status{State: Connecting, Attempt: attempt}, nil)
			var err error
			if l, known, err = c.connect(c.ctx, known); err == nil {
				break
			}
			if c.ctx.Err() != nil {
				c.become(Status{State: Closed}, nil)
				return
			}
			if c.protocol.Final != nil && c.protocol.Final(err) {
				c.become(Status{State: Closed, Err: err}, nil)
				return
			}
			why = err
		}
	}
}

// follow waits for the end of a connection and returns the cause.
func (c *Conn) follow(l *link) error {
	select {
	case err := <-l.served:
		return err
	case <-c.ctx.Done():
		_ = l.peer.Close()
		return <-l.served
	}
}

// wait returns the back-off before an attempt.
func (c *Conn) wait(attempt int) time.Duration {
	wait := c.options.MaxWait
	if shift := attempt - 1; shift < 30 && c.options.MinWait<<shift < wait {
		wait = c.options.MinWait << shift
	}
	return wait - rand.N(wait/2+1) //nolint:gosec // jitter prevents clients from reconnecting simultaneously
}

// connect makes one attempt. Known states whether the host should know the client; the result is its new value.
func (c *Conn) connect(ctx context.Context, known bool) (*link, bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Handshake, fmt.Errorf("not connected within %v", c.options.Handshake))
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	transport, err := c.dial(ctx)
	if err != nil {
		return nil, known, rpc.WithCause(ctx, err)
	}
	c.hold()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	doubt := &doubt{fail: fail}
	l := &link{peer: rpc.NewPeer(transport, doubt.over(c)), served: make(chan error, 1)}
	if known {
		c.translate(l.peer, c.Version())
	}
	go func() { l.served <- l.peer.Serve(context.WithoutCancel(c.ctx), &taker{c.protocol.Handler, c, l.peer}) }()
	version, known, err := c.introduce(ctx, l.peer, known)
	if err == nil {
		c.translate(l.peer, version)
		err = c.again(ctx, l.peer, version)
	}
	if err != nil {
		c.givenUp = min(c.givenUp+1, maxGivenUp)
		_ = l.peer.Close()
		if ended := <-l.served; ended != nil && errors.Is(err, rpc.ErrClosed) {
			err = ended
		}
		return nil, known, doubt.err(err)
	}
	doubt.end()
	c.mu.Lock()
	c.version = version
	c.mu.Unlock()
	c.become(Status{State: Ready}, l.peer)
	return l, true, nil
}

// maxGivenUp is how many attempts may come to an end after they were given up. Without a bound, two processes with one id
// would replace each other for as long.
const maxGivenUp = 3

// introduce resumes the connection, or opens a new one if the host no longer knows the client.
func (c *Conn) introduce(ctx context.Context, to *rpc.Peer, known bool) (version string, still bool, err error) {
	c.mu.Lock()
	channels, version := slices.Clone(c.wanted), c.version
	again := version != ""
	c.mu.Unlock()
	if known {
		take, err := c.protocol.Resume(ctx, to, channels)
		switch {
		case err == nil:
			if err = c.settle(take); err == nil {
				return version, true, nil
			}
		case !Refused(err): // an answer that cannot be read is followed by a handshake, since the next one would be no better
			return "", errors.Is(err, rpc.ErrClosed) || ctx.Err() != nil, err
		}
	}
	c.translate(to, "")
	version, take, err := c.protocol.Open(ctx, to, channels, again)
	if err != nil {
		return "", false, err
	}
	return version, false, c.settle(take)
}

// translate sets the translator for a connection on which a version was agreed, or none yet.
func (c *Conn) translate(to *rpc.Peer, version string) {
	if c.protocol.Translator != nil {
		to.Translate(c.protocol.Translator(version, c.behind.Load))
	}
}

// again restores what a new connection lacks.
func (c *Conn) again(ctx context.Context, to *rpc.Peer, version string) error {
	c.mu.Lock()
	channels, damaged, calls := slices.Clone(c.wanted), slices.Clone(c.damaged), slices.Clone(c.repeated)
	c.mu.Unlock()
	for _, call := range calls {
		if _, err := to.Call(ctx, call.method, call.params); err != nil {
			if err := c.told(fmt.Errorf("%s: %w", call.method, err)); err != nil {
				return err
			}
		}
	}
	for _, channel := range channels {
		if c.protocol.Has(channel) && !slices.Contains(damaged, channel) {
			continue
		}
		if err := c.fetch(ctx, to, channel); err != nil {
			if err := c.told(fmt.Errorf("subscribe to %s: %w", channel, err)); err != nil {
				return err
			}
			c.forget(channel)
		}
	}
	if c.protocol.Ready != nil {
		return c.protocol.Ready(ctx, at{to, version})
	}
	return nil
}

// renew marks the state of a channel as outdated.
func (c *Conn) renew(channel string) {
	c.protocol.Renew(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.damaged, channel) {
		c.damaged = append(c.damaged, channel)
	}
}

// fetch subscribes to a channel and applies its state. For each channel, it is done once at a time: what is forgotten after an error
// is nothing that another call has fetched, or waits for.
func (c *Conn) fetch(ctx context.Context, to rpc.Conn, channel string) error {
	done, err := c.alone(ctx, channel)
	if err != nil {
		return err
	}
	defer done()
	if err := c.protocol.Subscribe(ctx, to, channel); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.damaged = slices.DeleteFunc(c.damaged, func(have string) bool { return have == channel })
	return nil
}

// alone waits until nobody else fetches the state of a channel.
func (c *Conn) alone(ctx context.Context, channel string) (done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.fetching[channel] != nil {
		other := c.fetching[channel]
		c.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			err = rpc.ContextError(ctx)
		}
		if c.mu.Lock(); err != nil {
			return nil, err
		}
	}
	if c.fetching == nil {
		c.fetching = map[string]chan struct{}{}
	}
	mine := make(chan struct{})
	c.fetching[channel] = mine
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.fetching, channel)
		close(mine)
	}, nil
}

// told reports permanent failures. A lost connection or a timeout is returned as the attempt's error.
func (c *Conn) told(err error) error {
	if errors.Is(err, rpc.ErrClosed) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	c.failed(err)
	return nil
}

// at is a connection at a negotiated version.
type at struct {
	rpc.Conn
	version string
}

func (a at) Version() string { return a.version }

// Traces reports whether what is sent has an observer that is a tracer.
func (a at) Traces() bool { return rpc.Traces(a.Conn) }

// hold delays envelopes.
func (c *Conn) hold() {
	c.gate.Lock()
	defer c.gate.Unlock()
	c.holding, c.spilt = true, false
	c.behind.Store(true)
	c.held, c.heldN = nil, 0
}

// settle applies the host's answer, then the delayed envelopes.
func (c *Conn) settle(take Take) error {
	c.gate.Lock()
	defer c.gate.Unlock()
	if c.spilt {
		return rpc.ErrClosed
	}
	c.order.Lock() // what is dispatched on the connection before is lost now, and nothing is afterwards
	taken, err := take()
	c.order.Unlock()
	if err != nil {
		return err
	}
	c.drop(slices.DeleteFunc(taken.Gone, func(channel string) bool { return slices.Contains(taken.Renew, channel) }))
	for _, channel := range taken.Renew {
		c.renew(channel)
	}
	c.holding = false
	for _, take := range c.held {
		take()
	}
	c.held, c.heldN = nil, 0
	c.behind.Store(false)
	c.observeTaken(taken)
	return nil
}

// doubt ends an attempt to connect at the first thing that comes and is no message, or an answer to nothing. Later such
// things are only told, since a connection that works is worth more.
type doubt struct {
	fail context.CancelCauseFunc

	mu      sync.Mutex // guards what follows
	ended   bool
	strange error
}

// over returns options with which a connection reports what cannot be handled.
func (d *doubt) over(c *Conn) *rpc.Options {
	var out rpc.Options
	if c.options.Peer != nil {
		out = *c.options.Peer
	}
	if out.Observe == nil {
		out.Observe = c.options.Observe
	}
	tell := out.OnBad
	out.OnBad = func(err error) {
		if panicked := (*rpc.ObserverError)(nil); !errors.As(err, &panicked) { // which is not the host's doing
			d.note(err)
		}
		if tell != nil {
			c.notice(func() { tell(err) })
		}
	}
	return &out
}

func (d *doubt) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended && d.strange == nil {
		d.strange = rpc.ProtocolError(err)
		d.fail(d.strange)
	}
}

// end is called when the other side has introduced itself.
func (d *doubt) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
}

// err returns why an attempt failed: what was strange, if anything was.
func (d *doubt) err(err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.strange != nil {
		return d.strange
	}
	return err
}

// lost waits until an ended connection is noticed.
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

// mend fetches the state of a channel again after an action that could not be decoded.
func (c *Conn) mend(m *rpc.Message, err error) {
	c.failed(fmt.Errorf("%s: %w", m.Method, err))
	var members map[string]json.RawMessage
	var channel string
	if json.Unmarshal(m.Params, &members) != nil || json.Unmarshal(members[c.protocol.Channel], &channel) != nil || !c.protocol.Has(channel) {
		return
	}
	c.renew(channel)
	wanted := c.wants(channel)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, busy := c.mending[channel]
	if c.mending == nil {
		c.mending = map[string]bool{}
	}
	c.mending[channel] = busy
	if !busy {
		go c.fetchAgain(channel, func() bool { return !wanted || c.wants(channel) }) // it may be left meanwhile
	}
}

// fetchAgain fetches the state of a channel, and once more if another action could not be decoded meanwhile: there may be many.
func (c *Conn) fetchAgain(channel string, wanted func() bool) {
	for again := true; again; {
		if err := c.subscribe(c.ctx, channel, wanted); err != nil && c.ctx.Err() == nil {
			c.failed(fmt.Errorf("subscribe to %s again: %w", channel, err))
		}
		c.mu.Lock()
		if again = c.mending[channel]; again {
			c.mending[channel] = false
		} else {
			delete(c.mending, channel)
		}
		c.mu.Unlock()
		if again {
			c.renew(channel) // the state that was fetched may be from before that action
		}
	}
}

// wants reports whether a channel is subscribed to.
func (c *Conn) wants(channel string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.wanted, channel)
}

// trial is the calls that alone want a channel, as long as none of them has succeeded.
type trial struct{ calls int }

// want subscribes to a channel for a call, which may have part in a trial already. It returns the trial that the call has part in,
// or nil if the channel is subscribed to anyway.
func (c *Conn) want(channel string, had *trial) *trial {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.trials[channel]
	if !slices.Contains(c.wanted, channel) {
		c.wanted = append(c.wanted, channel)
		if t = new(trial); c.trials == nil {
			c.trials = map[string]*trial{}
		}
		c.trials[channel] = t
	}
	if t != nil && t != had {
		t.calls++
	}
	return t
}

// decide ends a call's part in a trial. A channel for which all calls have failed is not subscribed to any more.
func (c *Conn) decide(channel string, t *trial, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t == nil || c.trials[channel] != t {
		return
	}
	if t.calls--; err == nil {
		delete(c.trials, channel)
	} else if t.calls == 0 {
		c.forgetLocked([]string{channel})
	}
}

func (c *Conn) forget(channel string) { c.drop([]string{channel}) }

// drop removes channels from the subscriptions.
func (c *Conn) drop(channels []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forgetLocked(channels)
}

// forgetLocked is drop. The caller must hold the lock.
func (c *Conn) forgetLocked(channels []string) {
	for _, channel := range channels {
		delete(c.trials, channel)
	}
	c.wanted = slices.DeleteFunc(c.wanted, func(have string) bool { return slices.Contains(channels, have) })
	c.damaged = slices.DeleteFunc(c.damaged, func(have string) bool { return slices.Contains(channels, have) })
}
