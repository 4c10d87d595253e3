// Observing: what a server reports to its observer, without its lock.

package server

import (
	"errors"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// observe queues an event, which is told once everything queued before it was stored and sent. The caller must hold the lock.
func (s *Server[S, A]) observe(e rpc.Event) {
	if s.options.Observe == nil {
		return
	}
	e.Time = time.Now()
	s.out.events = append(s.out.events, e)
	s.kick()
}

// emitted reports an action that is about to be queued. The caller must hold the lock.
func (s *Server[S, A]) emitted(d *delivery, channel string, refusal *string) {
	if s.options.Observe == nil {
		return
	}
	d.made = rpc.Now()
	e := rpc.Event{Type: rpc.EventPublished, Channel: channel, Size: len(d.data), Count: len(d.to), Queued: len(s.out.list)}
	if refusal != nil {
		e.Type, e.Err = rpc.EventRejected, rejection(*refusal)
	}
	if d.also != nil {
		e.Count++
	}
	if d.from != nil {
		e.Client, e.Conn = d.from.id, d.from.peer.Number()
	}
	s.observe(e)
}

// rejection is why an action was rejected.
type rejection string

func (r rejection) Error() string { return string(r) }

// subscribed reports a subscription that has begun or ended. The caller must hold the lock.
func (s *Server[S, A]) subscribed(what rpc.EventType, channel string, subscribers int, c *Client) {
	s.observe(rpc.Event{Type: what, Conn: c.peer.Number(), Channel: channel, Client: c.id, Count: subscribers})
}

// restored reports what a client gets that came back. The caller must hold the lock.
func (s *Server[S, A]) restored(what rpc.EventType, c *Client, count int) {
	s.observe(rpc.Event{Type: what, Conn: c.peer.Number(), Client: c.id, Count: count})
}

// logged reports records that were appended to the log, or were not.
func (s *Server[S, A]) logged(start time.Time, count, size int, err error) {
	if s.options.Observe == nil {
		return
	}
	e := rpc.Event{Type: rpc.EventLogged, Time: time.Now(), Size: size, Count: count, Latency: time.Since(start), Err: err}
	var conflict *shared.ConflictError
	if errors.As(err, &conflict) {
		e.Type = rpc.EventConflict
	}
	rpc.Tell(s.options.Observe, e, s.options.OnError)
}

// timed notes how long actions took until they were sent.
func timed(events []rpc.Event) {
	for i := range events {
		if e := &events[i]; e.Type == rpc.EventPublished || e.Type == rpc.EventRejected {
			e.Latency = time.Since(e.Time)
		}
	}
}

// tellObserver calls the observer.
func (s *Server[S, A]) tellObserver(events []rpc.Event) {
	for i := range events {
		rpc.Tell(s.options.Observe, events[i], s.options.OnError)
		events[i] = rpc.Event{}
	}
}
