// Sending: one queue for all that goes out, so that it keeps its order and is kept in the log before anybody
// sees it.

package server

import (
	"sync"
)

// outbox is what is on its way. The lock of the server guards it.
type outbox struct {
	list    []delivery
	records []Record
	bytes   int64 // of both
	busy    bool  // somebody sends
	failed  error // of the log, once it could not keep something
	room    *sync.Cond
}

// Beyond this many bytes, or deliveries, whoever adds to what is on its way waits.
const (
	maxOnItsWay      = 8 << 20
	maxOnItsWayCount = 50_000
	// A client that has an answer of more bytes than this on its way waits for the next one.
	largeAnswer = 1 << 20
)

// wait waits for room. The caller holds the lock.
func (o *outbox) wait() {
	for o.bytes > maxOnItsWay || len(o.list) > maxOnItsWayCount {
		o.room.Wait()
	}
}

// delivery is one thing to send, or to do at that place.
type delivery struct {
	data  []byte
	to    []*Client
	also  *Client
	gated bool // clients get it whose version knows it
	since string
	known bool

	do     func(failed error) // failed is not nil where the log has failed
	large  *Client            // whose answer it is, if that is a large one
	always bool               // somebody waits for it, whatever becomes of the log
}

// kick starts to send, if nobody does. The caller holds the lock.
func (s *Server[S, A]) kick() {
	if !s.out.busy {
		s.out.busy = true
		go s.send()
	}
}

// send sends until nothing is left.
func (s *Server[S, A]) send() {
	var list []delivery
	var records []Record
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.out.list) > 0 || len(s.out.records) > 0 {
		list, s.out.list = s.out.list, list[:0]
		records, s.out.records = s.out.records, records[:0]
		s.out.bytes = 0
		s.out.room.Broadcast()
		failed := s.out.failed // then what comes later is not kept either, or there would be a gap
		s.mu.Unlock()
		err := failed
		if err == nil && len(records) > 0 {
			err = s.options.Log.Append(records)
		}
		for i := range list {
			if err == nil || list[i].always {
				list[i].send(asAnswer(err))
			}
		}
		s.landed(list)
		clear(list)
		clear(records)
		if cap(list) > 1024 {
			list = nil
		}
		if cap(records) > 1024 {
			records = nil
		}
		s.mu.Lock()
		if err != nil && failed == nil {
			s.out.failed = err
			s.fail(err)
		}
	}
	// Without a log, records are counted and go nowhere; and whoever waits for room would wait for the next message.
	s.out.bytes, s.out.busy = 0, false
	s.out.room.Broadcast()
}

// landed counts large answers out that are in the queues of their peers, or will never be.
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

// send sends to everybody it is for. Whoever is gone, or too far behind, is cut off by its connection.
func (d *delivery) send(failed error) {
	for _, c := range d.to {
		d.sendTo(c)
	}
	if d.also != nil {
		d.sendTo(d.also)
	}
	if d.do != nil {
		d.do(failed)
	}
}

func (d *delivery) sendTo(c *Client) {
	if !d.gated || d.known && c.knows(d.since) {
		_ = c.peer.Send(d.data)
	}
}

// knows reports whether the client's version has what came in with another. One goroutine asks at a time.
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
