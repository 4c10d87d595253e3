// Events: messages in streams of server-sent events, which go on where they were interrupted.

package tap

import (
	"bytes"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
)

// events are the messages in a stream of events.
type events struct {
	put      func(data []byte, cut bool)
	line     []byte
	data     []byte
	cut      bool
	id       []byte
	sent     func(id, data []byte) bool // reports whether an event was sent before, and is sent again; or nil
	returned bool                       // the last character was a carriage return
}

// split adds bytes. Lines end with a carriage return, a line feed, or both.
func (e *events) split(b []byte) {
	for len(b) > 0 {
		if e.returned && b[0] == '\n' {
			b = b[1:]
		}
		e.returned = false
		i := bytes.IndexAny(b, "\r\n")
		if i < 0 {
			e.add(b)
			return
		}
		e.add(b[:i])
		e.end()
		e.returned = b[i] == '\r'
		b = b[i+1:]
	}
}

func (e *events) add(b []byte) {
	if len(e.line)+len(e.data)+len(b) > record.Limit {
		e.cut = true
		return
	}
	e.line = append(e.line, b...)
}

// end ends a line.
func (e *events) end() {
	name, value, _ := bytes.Cut(e.line, []byte(":"))
	switch {
	case len(e.line) > 0:
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			if e.data != nil {
				e.data = append(e.data, '\n')
			}
			e.data = append(e.data, value...)
		case "id":
			e.id = value
		}
	default:
		if len(e.data) > 0 || e.cut {
			e.finish()
		}
		e.id = nil
	}
	e.line = nil
}

// finish ends a message. One that is sent again is passed over, for the stream goes on behind an event before it.
func (e *events) finish() {
	if len(e.id) == 0 || e.cut || e.sent == nil || !e.sent(e.id, e.data) {
		e.put(slices.Clone(e.data), e.cut)
	}
	e.data, e.cut = nil, false
}

// maxEvents is how many events are remembered, of all connections.
const maxEvents = 100_000

// sentEvents are the last events with an id. A host that gives each stream ids of its own may use one twice on a connection, so
// an event is known by its data as well.
type sentEvents struct {
	mu   sync.Mutex
	seed maphash.Seed
	has  map[sentEvent]bool
	list []sentEvent // oldest first, from next on once it is full
	next int
}

type sentEvent struct {
	conn     int
	id, data uint64 // hashes
}

// add remembers an event, and reports whether it was there.
func (s *sentEvents) add(conn int, id, data []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has == nil {
		s.seed, s.has = maphash.MakeSeed(), map[sentEvent]bool{}
	}
	e := sentEvent{conn, maphash.Bytes(s.seed, id), maphash.Bytes(s.seed, data)}
	switch {
	case s.has[e]:
		return true
	case len(s.list) < maxEvents:
		s.list = append(s.list, e)
	default:
		delete(s.has, s.list[s.next])
		s.list[s.next], s.next = e, (s.next+1)%maxEvents
	}
	s.has[e] = true
	return false
}
