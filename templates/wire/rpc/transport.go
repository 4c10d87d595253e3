// Transports: what carries messages from one peer to the other.

package rpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Transport carries whole messages as bytes; it knows nothing of what is in them. Order, limits and
// back-pressure are the business of [Peer], so that they are the same over all transports.
type Transport interface {
	// Read returns the next message, which is the caller's from then on. [io.EOF] itself, wrapped in
	// nothing, says that the other side ended the connection in good order: it may still read. A
	// message of more bytes than the limit is [ErrTooLarge], after which nothing more can be read. One
	// goroutine reads.
	Read(limit int64) ([]byte, error)
	// Write sends a message, and neither keeps nor changes the bytes. When ctx ends, it gives up, and
	// with it the connection: half a message helps nobody. One goroutine writes.
	Write(ctx context.Context, message []byte) error
	// Close ends the connection, which wakes Read where that is possible. The reason is told to the other
	// side where the transport has a way to; "" is an end in good order.
	Close(reason string) error
}

// ErrTooLarge says that a message is larger than what is accepted.
var ErrTooLarge = errors.New("message too large")

// Pinger is what a [Transport] is besides where it can find out whether the other side is still there.
type Pinger interface {
	// Ping asks the other side for a sign of life, and returns nil when there is one. It may be called
	// beside Write, and needs somebody in Read. An error says that none came until ctx ended, or that
	// the connection has ended; an attempt that fails may end it.
	Ping(ctx context.Context) error
}

// Timed is what a [Transport] is besides where it limits how long a message takes to arrive. Those of
// this package are, and those over WebSocket.
type Timed interface {
	// SetMessageTimeout says how long a message may take from its beginning to its end; what comes
	// between messages is not counted. 0 is [MessageTimeout], and less than 0 no limit. It is called
	// before the first Read.
	SetMessageTimeout(limit time.Duration)
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

// MessageTimeout is how long a message may take to arrive where nothing else is said.
const MessageTimeout = 30 * time.Second

// MessageTimer wakes a reader that waits for the rest of a message for too long. It is for those who
// write a transport: before it waits in the middle of a message it calls Start, and when it has all of it,
// or has failed, Stop.
type MessageTimer struct {
	wake  func()
	limit time.Duration

	running atomic.Bool // most messages never start it, so this is looked at without the lock

	mu    sync.Mutex // guards what follows, and changes of running: who closes a transport may read the rest of it
	timer *time.Timer
	nth   int // how many timers there were before: one that fired too late to be stopped is left alone
	late  bool
}

// NewMessageTimer returns a timer. It calls wake, which has to make reading fail, on a goroutine of its
// own.
func NewMessageTimer(wake func()) *MessageTimer {
	return &MessageTimer{wake: wake, limit: MessageTimeout}
}

// SetMessageTimeout implements [Timed] for the transport.
func (t *MessageTimer) SetMessageTimeout(limit time.Duration) {
	if limit == 0 {
		limit = MessageTimeout
	}
	t.limit = limit
}

// Start begins to count, unless it has begun.
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

// Stop ends the count. It returns what reading fails with if the reader was woken, and nil otherwise.
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
	late := t.running.Load() && nth == t.nth // otherwise the message was complete at the last moment
	t.late = t.late || late
	t.mu.Unlock()
	if late {
		t.wake()
	}
}
