// Transports: what carries messages between peers.

package rpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Transport carries complete messages as bytes. [Peer] implements ordering, limits and back-pressure for all
// transports.
type Transport interface {
	// Read returns the next message, owned by the caller. [io.EOF], unwrapped, means that the other side closed
	// gracefully and may still read. A message over the limit is [ErrTooLarge], after which Read must not be called
	// again. After Close, an error that is [ErrClosed] is no reason for the end. Only one goroutine calls Read.
	Read(limit int64) ([]byte, error)
	// Write sends a message, without retaining or modifying the bytes. If ctx ends first, the connection is unusable.
	// Only one goroutine calls Write.
	Write(ctx context.Context, message []byte) error
	// Close ends the connection and unblocks Read where possible. The reason is sent if the transport supports it; ""
	// means a graceful close.
	Close(reason string) error
}

// ErrTooLarge is returned for a message over the limit.
var ErrTooLarge = errors.New("message too large")

// Pinger is implemented by a [Transport] that can check whether the other side is alive.
type Pinger interface {
	// Ping waits for a sign of life. It may be called concurrently with Write, and requires an active Read. It fails
	// if ctx or the connection ends; a failed ping may end the connection.
	Ping(ctx context.Context) error
}

// Timed is implemented by a [Transport] that limits how long a message may take to arrive.
type Timed interface {
	// SetMessageTimeout limits the time from a message's first to its last byte. Zero means [MessageTimeout], a
	// negative value no limit. It is called before the first Read.
	SetMessageTimeout(limit time.Duration)
}

// Immediate is implemented by a [Transport] whose Read returns at once when it is closed. A [Peer] then serves it on one goroutine
// less.
type Immediate interface {
	// Immediate does nothing.
	Immediate()
}

// Wrapped is for transports that do something beside another one, such as logging: with this embedded, they keep what the
// other one can do.
//
//	type logged struct{ rpc.Wrapped }
//
//	func (l logged) Write(ctx context.Context, message []byte) error {
//		log.Printf("sent %s", message)
//		return l.Transport.Write(ctx, message)
//	}
//
//	transport = logged{rpc.Wrapped{transport}}
type Wrapped struct{ Transport }

// Unwrap returns the other transport.
func (w Wrapped) Unwrap() Transport { return w.Transport }

// Find returns the first transport that is a T, such as a [Pinger] or [Timed], of the one given and those that it is wrapped
// around: a transport that has a method Unwrap, as [Wrapped], is a wrapper.
func Find[T any](t Transport) (found T, ok bool) {
	for t != nil {
		if found, ok = t.(T); ok {
			return found, true
		}
		wrapper, ok := t.(interface{ Unwrap() Transport })
		if !ok {
			break
		}
		t = wrapper.Unwrap()
	}
	return found, false
}

// MessageTimeout is the default time limit for receiving a message.
const MessageTimeout = 30 * time.Second

// MessageTimer interrupts a reader that waits too long for the rest of a message. Transports call Start before
// waiting within a message, and Stop when it is complete or has failed.
type MessageTimer struct {
	wake  func()
	limit time.Duration

	running atomic.Bool // rarely set, and read without the lock

	mu    sync.Mutex // guards the following fields and changes of running, since a closing goroutine may read the rest of a message
	timer *time.Timer
	nth   int // number of earlier timers, to ignore one that fired too late to be stopped
	late  bool
}

// NewMessageTimer returns a timer that calls wake on its own goroutine. Wake must unblock the reader.
func NewMessageTimer(wake func()) *MessageTimer {
	return &MessageTimer{wake: wake, limit: MessageTimeout}
}

// SetMessageTimeout implements [Timed] for a transport.
func (t *MessageTimer) SetMessageTimeout(limit time.Duration) {
	if limit == 0 {
		limit = MessageTimeout
	}
	t.limit = limit
}

// Start starts the timer unless it is running.
func (t *MessageTimer) Start() {
	if t.limit < 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.running.Load():
		return
	case t.timer == nil: // most connections never need one
		nth := t.nth
		t.timer = time.AfterFunc(t.limit, func() { t.fire(nth) })
	default:
		t.timer.Reset(t.limit)
	}
	t.running.Store(true)
}

// Stop stops the timer. It returns the read error if the timer has fired, and nil otherwise.
func (t *MessageTimer) Stop() error {
	if !t.running.Load() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.late {
		return fmt.Errorf("a message was not complete within %v", t.limit)
	}
	t.running.Store(false)
	if !t.timer.Stop() {
		t.timer = nil
		t.nth++
	}
	return nil
}

func (t *MessageTimer) fire(nth int) {
	t.mu.Lock()
	late := t.running.Load() && nth == t.nth // otherwise the message was completed just in time
	t.late = t.late || late
	t.mu.Unlock()
	if late {
		t.wake()
	}
}
