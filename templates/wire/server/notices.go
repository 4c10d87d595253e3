// Notices: calls of hooks, one after the other, outside the lock.

package server

import (
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// notices is the queue of hook calls. It is guarded by the server's lock.
type notices struct {
	list []func()
	busy bool
}

// maxNotices is the length of that queue beyond which dispatching clients wait.
const maxNotices = 10_000

// tell queues a call of f, made without the lock once everything before it was stored and sent. The caller must hold
// the lock.
func (s *Server[S, A]) tell(f func()) {
	s.out.list = append(s.out.list, delivery{do: func(failed error) {
		if failed != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.later(&s.notices, f)
	}})
	s.kick()
}

// later queues a call of f, which may take long or call the server: nothing is sent while the sender waits. The caller must hold
// the lock.
func (s *Server[S, A]) later(q *notices, f func()) {
	q.list = append(q.list, f)
	if !q.busy {
		q.busy = true
		go s.tellAll(q)
	}
}

func (s *Server[S, A]) tellAll(q *notices) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(q.list) > 0 {
		list := q.list
		q.list = nil
		s.out.room.Broadcast()
		s.mu.Unlock()
		for _, f := range list {
			if err := hooks.Apart("a hook", f); err != nil { // those behind it are called all the same
				s.options.OnError(err)
			}
		}
		s.mu.Lock()
	}
	q.busy = false
	s.out.room.Broadcast()
}

// quit removes a subscriber. The caller must hold the lock.
func (s *Server[S, A]) quit(on *channel[S], c *Client) {
	was := len(on.subscribers)
	on.leave(c)
	if len(on.subscribers) < was {
		s.subscribed(rpc.EventUnsubscribed, on.name, len(on.subscribers), c)
	}
	if empty := s.options.Empty; empty != nil && was > 0 && len(on.subscribers) == 0 {
		s.tell(func() {
			if s.still(on) {
				empty(on.name)
			}
		})
	}
}

// still reports whether a channel exists and has no subscribers.
func (s *Server[S, A]) still(on *channel[S]) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.channels[on.name] == on && len(on.subscribers) == 0
}

// ErrSubscribed is returned for a channel with subscribers.
var ErrSubscribed = errors.New("the channel has subscribers")

// CloseEmpty is like [Server.CloseChannel], but fails if the channel has subscribers.
func (s *Server[S, A]) CloseEmpty(name string) error { return s.closeIf(name, true) }

// CloseChannel ends a channel. The server only notifies clients if it keeps a list of such channels: protocols have
// actions or notifications for that.
func (s *Server[S, A]) CloseChannel(name string) error { return s.closeIf(name, false) }

func (s *Server[S, A]) closeIf(name string, empty bool) error {
	if s.replica != nil {
		return s.closeChannelShared(name, empty)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[name]
	switch {
	case s.closed != nil: // such as for its clients, who have left only because of that
		return s.closed
	case c == nil:
		return ErrNoChannel
	case empty && len(c.subscribers) > 0:
		return ErrSubscribed
	}
	s.record(Record{Kind: ChannelGone, Key: name, Sequence: s.sequence})
	s.remove(c)
	return nil
}

// remove ends a channel. The caller must hold the lock.
func (s *Server[S, A]) remove(c *channel[S]) {
	delete(s.channels, c.name)
	s.observe(rpc.Event{Type: rpc.EventChannelClosed, Channel: c.name, Count: len(s.channels)})
	for _, to := range c.subscribers {
		delete(to.channels, c.name)
	}
	s.listRemoved(c)
}
