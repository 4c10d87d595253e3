// Work in progress: what a server waits for before it ends.

package web

import (
	"context"
	"sync"
)

// work counts requests, and what goes on beside them.
type work struct {
	mu     sync.Mutex // guards the following fields
	count  int        // requests
	held   int
	ended  bool
	idle   chan struct{} // closed when nothing is left; nil if there are no waiters
	ctx    context.Context
	cancel context.CancelFunc
	stops  chan struct{} // closed by stop; nil if nobody has asked for it
}

// enter counts a request if there is room.
func (k *work) enter(limit int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended || k.count >= limit {
		return false
	}
	k.count++
	return true
}

// again counts a request once more, which goes on when its handler has returned.
func (k *work) again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count++
}

func (k *work) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count--
	k.settle()
}

// hold counts something else than a request, unless everything has ended.
func (k *work) hold() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return false
	}
	k.held++
	return true
}

func (k *work) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held--
	k.settle()
}

// settle tells waiters that nothing is left. The caller must hold the lock.
func (k *work) settle() {
	if k.idle != nil && k.count+k.held == 0 {
		close(k.idle)
		k.idle = nil
	}
}

// ending returns a context that ends when the end is not waited for any more.
func (k *work) ending() context.Context {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ctx == nil {
		k.ctx, k.cancel = context.WithCancel(context.Background())
	}
	return k.ctx
}

// stop refuses requests from now on.
func (k *work) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.ended && k.stops != nil {
		close(k.stops)
	}
	k.ended = true
}

// stopping returns a channel that is closed by stop.
func (k *work) stopping() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stops == nil {
		k.stops = make(chan struct{})
		if k.ended {
			close(k.stops)
		}
	}
	return k.stops
}

type stoppingKey struct{}

// Stopping returns a channel that is closed when the shutdown of the [Handler] begins that serves the request of a context. A
// handler that would go on for ever, such as one for a subscription, answers then, since the shutdown waits for it. It returns nil
// for a request of another transport.
func Stopping(ctx context.Context) <-chan struct{} {
	stopping, _ := ctx.Value(stoppingKey{}).(<-chan struct{})
	return stopping
}

// wait waits until nothing is left. If ctx ends first, it ends the context of all requests and returns the error.
func (k *work) wait(ctx context.Context) error {
	k.ending()
	k.mu.Lock()
	defer k.cancel()
	if k.count+k.held == 0 {
		k.mu.Unlock()
		return nil
	}
	if k.idle == nil {
		k.idle = make(chan struct{})
	}
	idle := k.idle
	k.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err() //nolint:wrapcheck // of the caller
	}
}
