// Ends: closing a server, and a failing log.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Done is closed when the server has ended, because it was closed or its log failed. A program should then stop
// listening.
func (s *Server[S, A]) Done() <-chan struct{} { return s.done }

// Err returns why the server has ended: an [ErrClosed] that wraps the error of the log, if any. It is nil while the
// server runs, so it can be used by health probes.
func (s *Server[S, A]) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Ready waits until everything queued so far was stored and sent, and returns nil. It returns Err if the server has ended, and
// the error of the context if that ends first, for instance because the log does not answer. With a shared log, it also waits
// until everything that the log has was applied. It suits a readiness probe. The observer knows of it by then, unless it calls Ready.
func (s *Server[S, A]) Ready(ctx context.Context) error {
	if err := s.caughtUpWithLog(ctx); err != nil {
		return err
	}
	sent := func(done func()) {
		s.out.list = append(s.out.list, delivery{do: func(error) { done() }, always: true})
		s.kick()
	}
	observed := func(done func()) { s.later(&s.watched, done) }
	rounds := []func(done func()){sent}
	if s.options.Observe != nil && !hooks.Observing() {
		rounds = append(rounds, sent, observed) // events are queued for the observer at the end of the first
	}
	for _, queue := range rounds {
		if err := s.Err(); err != nil {
			return err
		}
		done := make(chan struct{})
		s.mu.Lock()
		queue(func() { close(done) })
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return rpc.ContextError(ctx)
		}
	}
	return s.Err()
}

// end records why the server ends. The caller must hold the lock.
func (s *Server[S, A]) end(why error) {
	if s.closed == nil {
		s.closed = why
		close(s.done)
		s.out.room.Broadcast() // for those who wait for hooks: one of them may be what ends the server
	}
}

// Close reasons sent to clients. They do not reveal the log's error.
var (
	errFailed = &rpc.Error{Code: int64(rpc.InternalError), Message: "the server has ended: its log has failed"}
	errEnded  = &rpc.Error{Code: int64(rpc.InternalError), Message: "the server has ended"}
)

// asAnswer returns the error sent to clients for an error of the log.
func asAnswer(err error) error {
	if err == nil {
		return nil
	}
	return errFailed
}

// over returns the answer to those who come after the server has ended, or nil before. The caller must hold the lock.
func (s *Server[S, A]) over() *rpc.Error {
	switch {
	case s.failed != nil:
		return errFailed
	case s.closed != nil:
		return errEnded
	}
	return nil
}

// turnAway answers a new connection after the server has ended, and closes it.
func turnAway(ctx context.Context, peer *rpc.Peer, why *rpc.Error) {
	_ = peer.Serve(ctx, ended{peer, why})
}

// ended is the handler used after the server has ended.
type ended struct {
	peer *rpc.Peer
	why  *rpc.Error
}

func (ended) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (e ended) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if !rpc.AfterReply(ctx, func(context.Context) { go func() { _ = e.peer.CloseFor(e.why.Message) }() }) {
		return nil, nil // notifications are not answered
	}
	return nil, e.why
}

// Close closes all connections gracefully and stops the server. What was published is stored and sent; the error is
// that of the log. Accepted and Empty may call it. Handlers, the observer and other hooks must call it on another goroutine, since it
// waits for them.
func (s *Server[S, A]) Close() error {
	s.mu.Lock()
	s.end(ErrClosed)
	clients := slices.Collect(maps.Keys(s.served))
	s.mu.Unlock()
	s.closeShared()
	s.flush()
	for _, c := range clients {
		go func() { _ = c.peer.Close() }()
	}
	s.serving.Wait()
	s.settle()
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.out.busy || s.watched.busy { // the observer may not know everything yet
		s.out.room.Wait()
	}
	return s.failed
}

// report calls OnError once the lock is released. The caller must hold the lock.
func (s *Server[S, A]) report(err error) {
	s.out.list = append(s.out.list, delivery{do: func(error) { s.options.OnError(err) }, always: true})
	s.kick()
}

// flush waits until everything queued was sent.
func (s *Server[S, A]) flush() {
	done := make(chan struct{})
	s.mu.Lock()
	s.out.list = append(s.out.list, delivery{do: func(error) { close(done) }, always: true})
	s.kick()
	s.mu.Unlock()
	<-done
}

// fail stops the server because of a log error. The caller must hold the lock.
func (s *Server[S, A]) fail(err error) {
	err = fmt.Errorf("%w: %w", ErrClosed, err)
	s.failed = cmp.Or(s.failed, err)
	s.end(err)
	s.observe(rpc.Event{Type: rpc.EventFailed, Err: err})
	clients := slices.Collect(maps.Keys(s.served))
	s.out.list = append(s.out.list, delivery{always: true, do: func(error) { // after the answers that are queued
		for _, c := range clients {
			go func() { _ = c.peer.CloseFor(errFailed.Message) }()
		}
	}})
	s.report(err)
}
