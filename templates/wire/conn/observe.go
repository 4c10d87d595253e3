// Observing: what a session reports to its observer and to callbacks, which are called one after the other, on a goroutine of their own.

package conn

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// maxNotices is how many calls may wait. Further errors and events are dropped.
const maxNotices = 10_000

// notice calls a callback that takes no part in anything, and that may take long or call back.
func (c *Conn) notice(f func()) { c.notices.Offer(maxNotices, f) }

// failed calls OnError.
func (c *Conn) failed(err error) { c.notice(func() { c.options.OnError(err) }) }

// Callbacks calls the functions of a program that are told what was applied, in order. Generated packages use it. The zero value
// calls at once.
type Callbacks struct {
	apart  atomic.Bool // the connection is not ready again, which functions may wait for
	late   hooks.Queue
	behind bool        // late may have calls
	failed func(error) // is told of panics
}

// Now reports whether functions are called at once. It costs less than a function that is passed to Call.
func (c *Callbacks) Now() bool {
	if c.apart.Load() {
		return false
	}
	c.behind = c.behind && c.late.Busy()
	return !c.behind
}

// Call calls f: at once, or, from when a connection was lost until it is ready again and has caught up, on another goroutine, since the
// connection does not get ready while it waits for f. A panic there is reported. Call and Now must not be called concurrently.
func (c *Callbacks) Call(f func()) {
	late := func() {
		defer func() {
			if value := recover(); value != nil {
				c.failed(fmt.Errorf("a callback panicked: %v", value))
			}
		}()
		f()
	}
	switch {
	case c.Now():
		f()
	case c.apart.Load():
		c.behind = true
		c.late.Add(late)
	case !c.late.Offer(maxHeld, late):
		c.late.Wait()
		f()
	}
}

// await waits until what is late was called.
func (c *Callbacks) await() {
	if c != nil {
		c.late.Wait()
	}
}

// observe calls the observer.
func (c *Conn) observe(e rpc.Event) {
	if c.options.Observe != nil {
		e.Time = time.Now()
		c.notice(func() { rpc.Tell(c.options.Observe, e, c.options.OnError) })
	}
}

// Traces reports whether what is sent has an observer that is an [rpc.Tracer].
func (c *Conn) Traces() bool {
	o := c.options.Observe
	if c.options.Peer != nil && c.options.Peer.Observe != nil {
		o = c.options.Peer.Observe
	}
	_, ok := o.(rpc.Tracer)
	return ok
}

// observeStatus reports a change of state.
func (c *Conn) observeStatus(s Status) {
	if c.options.Observe == nil {
		return
	}
	e := rpc.Event{Count: s.Attempt, Latency: s.Wait, Err: s.Err}
	switch s.State {
	case Connecting:
		e.Type = rpc.EventConnecting
	case Ready:
		c.mu.Lock()
		e.Count, e.Version = c.readies, c.version
		if c.peer != nil {
			e.Conn = c.peer.Number()
		}
		c.mu.Unlock()
		e.Type = rpc.EventReady
	case Waiting:
		e.Type = rpc.EventWaiting
	case Closed:
		e.Type = rpc.EventClosed
	}
	c.observe(e)
}

// observeTaken reports what the host's answer to a handshake or reconnection had.
func (c *Conn) observeTaken(t Taken) {
	if t.Snapshots > 0 {
		c.observe(rpc.Event{Type: rpc.EventSnapshots, Count: t.Snapshots})
	}
	if t.Replayed > 0 {
		c.observe(rpc.Event{Type: rpc.EventReplayed, Count: t.Replayed})
	}
}
