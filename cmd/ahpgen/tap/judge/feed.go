// Feed: judging the entries of a recording, or of a conversation that is going on.

package judge

import (
	"fmt"
	"net/http"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Feed judges an entry. It returns the message that the entry completes, if it does, and at the end of a connection those with
// the numbers of requests without an answer.
func (j *Judge) Feed(f record.Framing, e *record.Entry) []*Message {
	c := j.conn(e.Conn)
	if e.Lost > 0 {
		for _, c := range j.conns {
			c.blind()
		}
		m := &Message{N: j.n, Conn: e.Conn, Time: e.Time, From: e.From}
		m.find(Finding{Rule: NotJudged, Text: fmt.Sprintf("messages, or parts of one, that were not looked at or not recorded: %d", e.Lost), Note: true})
		return []*Message{m}
	}
	c.shared = c.shared || e.Shared
	s := c.sides[e.From]
	s.sizes[e.Stream] += len(e.Data)
	switch {
	case e.End:
		return c.end(e, s)
	case e.Over != "":
		return c.over(e)
	case e.More:
		return nil
	case e.Cut:
		m := j.Skipped(e.Conn, e.Time, e.From, s.sizes[e.Stream])
		delete(s.sizes, e.Stream)
		c.blind()
		return []*Message{m}
	}
	delete(s.sizes, e.Stream)
	body := record.Body(f, e.Data)
	if len(body) == 0 {
		return nil // an empty line
	}
	return []*Message{j.Message(e.Conn, e.Time, e.From, body)}
}

// end notes that a side will send no more.
func (c *conn) end(e *record.Entry, s *side) []*Message {
	if c.closed == "" {
		c.closed = e.From
	}
	s.ended = true
	var out []*Message
	if s.sizes[0] > 0 {
		out = append(out, c.incomplete(e, s))
	}
	if c.sides[e.From.Peer()].ended {
		out = append(out, c.unanswered()...)
		if c.Judge.ended = append(c.Judge.ended, e.Conn); len(c.Judge.ended) > maxEnded {
			delete(c.conns, c.Judge.ended[0])
			c.Judge.ended = c.Judge.ended[1:]
		}
	}
	return out
}

// over notes that the HTTP exchange of a request has ended. A client that has given up may still get the answer elsewhere.
func (c *conn) over(e *record.Entry) []*Message {
	s := c.sides[protocol.FromClient]
	r := s.pending[e.Over]
	switch {
	case r == nil:
		return nil
	case e.Status == 0:
		r.givenUp = true
		return nil
	}
	delete(s.pending, e.Over)
	m := &Message{N: r.n, Conn: c.id, Time: r.at, From: protocol.FromClient, Kind: rpc.Request, Method: r.name, ID: e.Over}
	f := Finding{Rule: Unanswered, Text: fmt.Sprintf("refused with HTTP status %d %s", e.Status, http.StatusText(e.Status)), Note: e.Status < http.StatusInternalServerError}
	f.of(r.method)
	m.find(f)
	return []*Message{m}
}

// incomplete returns a message for bytes that are none.
func (c *conn) incomplete(e *record.Entry, s *side) *Message {
	c.n++
	m := &Message{N: c.n, Conn: e.Conn, Time: e.Time, From: e.From, Size: s.sizes[0]}
	m.find(Finding{Rule: BadFraming, Text: fmt.Sprintf("%d bytes at the end are no whole message", s.sizes[0])})
	delete(s.sizes, 0)
	return m
}

// blind forgets what a message that was not judged may have changed.
func (c *conn) blind() {
	c.missed = true
	for _, s := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
		c.sides[s].numbered, c.sides[s].highest = false, 0
	}
	for _, of := range c.copies.channels {
		of.state = nil
	}
}
