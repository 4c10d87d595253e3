// Sending: one queue for everything sent. It preserves order and stores actions in the log before clients see them.

package server

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// outbox is the queue. It is guarded by the server's lock.
type outbox struct {
	list    []delivery
	records []Record
	events  []rpc.Event // for the observer, once what was queued before them is sent
	bytes   int64       // of both
	busy    bool        // a goroutine is sending
	failed  error       // error of the log
	room    *sync.Cond
}

// Limits in bytes and deliveries beyond which senders wait.
const (
	maxOnItsWay      = 8 << 20
	maxOnItsWayCount = 50_000
	// largeAnswer is the size of an answer in transit beyond which a client's next one waits.
	largeAnswer = 1 << 20
)

// wait waits for room. The caller must hold the lock.
func (o *outbox) wait() {
	for o.bytes > maxOnItsWay || len(o.list) > maxOnItsWayCount {
		o.room.Wait()
	}
}

// delivery is something to send, or to do at that point of the queue.
type delivery struct {
	data  []byte
	to    []*Client
	also  *Client
	since string
	gated bool // only for clients whose version includes it
	known bool
	plain bool // the client's version has been considered

	always bool // awaited even if the log has failed

	from   *Client // who dispatched the action, or nil
	method string  // of a notification that is not an envelope, with its parameters
	params json.RawMessage
	older  []lowered
	made   int64 // time of rpc.Now, if that is observed

	do    func(failed error) // failed is the error of the log, if any
	large *Client            // the client, if it is a large answer
}

// kick starts sending if needed. The caller must hold the lock.
func (s *Server[S, A]) kick() {
	if !s.out.busy {
		s.out.busy = true
		go s.send()
	}
}

// send sends until the queue is empty.
func (s *Server[S, A]) send() {
	var list []delivery
	var records []Record
	var events []rpc.Event
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.out.list) > 0 || len(s.out.records) > 0 || len(s.out.events) > 0 {
		list, s.out.list = s.out.list, list[:0]
		records, s.out.records = s.out.records, records[:0]
		events, s.out.events = s.out.events, nil
		s.out.bytes = 0
		s.out.room.Broadcast()
		failed := s.out.failed // later records are not stored either, or there would be a gap
		s.mu.Unlock()
		err := failed
		if err == nil && len(records) > 0 {
			err = s.store(records)
		}
		for i := range list {
			if err == nil || list[i].always {
				list[i].send(s.protocol.Action, asAnswer(err))
			}
		}
		s.landed(list)
		timed(events)
		clear(list)
		clear(records)
		if cap(list) > 1024 {
			list = nil
		}
		if cap(records) > 1024 {
			records = nil
		}
		s.mu.Lock()
		if len(events) > 0 {
			events := events
			s.later(&s.watched, func() { s.tellObserver(events) })
		}
		if err != nil && failed == nil {
			s.out.failed = err
			s.fail(err)
		}
	}
	// Without a log, records are only counted.
	s.out.bytes, s.out.busy = 0, false
	s.out.room.Broadcast()
}

// store appends records to the log.
func (s *Server[S, A]) store(records []Record) error {
	if s.options.Observe == nil {
		return s.options.Log.Append(records)
	}
	start, size := time.Now(), 0
	for i := range records {
		size += len(records[i].Data)
	}
	err := s.options.Log.Append(records)
	s.logged(start, len(records), size, err)
	return err
}

// landed subtracts large answers that were queued at their peers or dropped.
func (s *Server[S, A]) landed(list []delivery) {
	for i := range list {
		if c := list[i].large; c != nil {
			s.mu.Lock()
			c.large--
			s.out.room.Broadcast()
			s.mu.Unlock()
		}
	}
}

// send sends to all recipients an envelope, which is a notification of the given method, or another notification. Connections cut off recipients that are too far behind.
func (d *delivery) send(envelope string, failed error) {
	if d.method != "" {
		envelope = d.method
	}
	for _, c := range d.to {
		d.sendTo(c, envelope)
	}
	if d.also != nil {
		d.sendTo(d.also, envelope)
	}
	if d.do != nil {
		d.do(failed)
	}
}

func (d *delivery) sendTo(c *Client, method string) {
	if c.older != nil && !d.plain {
		d.sendOlder(c, method)
		return
	}
	if d.reaches(c) {
		_ = c.peer.SendNotification(method, d.data, d.made)
	}
}

// reaches reports whether the client's version includes what is sent.
func (d *delivery) reaches(c *Client) bool { return !d.gated || d.known && c.knows(d.since) }

// knows reports whether the client's version includes something. It must not be called concurrently.
func (c *Client) knows(since string) bool {
	if since == "" {
		return true
	}
	yes, ok := c.has[since]
	if !ok {
		yes = c.versions.KnownIn(c.version, since)
		if c.has == nil {
			c.has = map[string]bool{}
		}
		c.has[since] = yes
	}
	return yes
}
