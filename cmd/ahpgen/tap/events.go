// Events: messages in streams of server-sent events, which go on where they were interrupted.

package tap

import (
	"bytes"
	"hash/maphash"
	"sync"
)

// events are the messages in a stream of events.
type events struct {
	message  *message
	some     bool   // the event has data
	line     []byte // up to maxLine of it; of data that is less than its name and a space
	within   bool   // the line is of data, and behind its name
	id       []byte
	sent     func(id, data []byte) bool // reports whether an event was sent before, and is sent again; or nil
	returned bool                       // the last character was a carriage return
}

// maxLine bounds what is held of a line that has no data.
const maxLine = 64 << 10

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

// add adds to a line. What is data goes to the message at once, for a line may be longer than what is held.
func (e *events) add(b []byte) {
	const data = "data: "
	if n := min(len(data)-len(e.line), len(b)); n > 0 && !e.within {
		e.line, b = append(e.line, b[:n]...), b[n:]
		if len(e.line) == len(data) && bytes.HasPrefix(e.line, []byte("data:")) {
			e.within = true
			e.value(bytes.TrimPrefix(e.line[len("data:"):], []byte(" ")))
		}
	}
	if e.within {
		e.message.add(b)
		return
	}
	e.line = append(e.line, b[:min(len(b), maxLine-len(e.line))]...)
}

// value begins a line of data.
func (e *events) value(b []byte) {
	if e.some {
		e.message.add([]byte("\n"))
	}
	e.some = true
	e.message.add(b)
}

// end ends a line.
func (e *events) end() {
	name, value, _ := bytes.Cut(e.line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch {
	case e.within:
	case len(e.line) == 0:
		e.finish()
	case string(name) == "data":
		e.value(value)
	case string(name) == "id":
		e.id = value
	}
	e.line, e.within = nil, false
}

// finish ends an event. One that is sent again is passed over, for the stream goes on behind an event before it.
func (e *events) finish() {
	if data, ok := e.message.whole(); ok && len(e.id) > 0 && e.sent != nil && e.sent(e.id, data) {
		e.message.drop()
	}
	e.message.finish(true)
	e.id, e.some = nil, false
}

// over ends the stream. What is left of an event is none, unless parts of it were noted.
func (e *events) over(bool) {
	if _, ok := e.message.whole(); ok {
		e.message.drop()
	}
	e.message.finish(false)
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
