// Split: messages in streams of bytes.

package record

import (
	"bytes"
	"slices"
	"strconv"
)

// Limit is the size of the largest message that is kept in memory.
const Limit = 8 << 20

const maxHeader = 4 << 10

// Splitter splits the bytes of one direction into entries. It passes over nothing: the entries are all the bytes in their order.
type Splitter struct {
	Framing Framing
	Limit   int // of a message, in bytes

	held   []byte // the beginning of a message
	cut    bool   // the message is larger than the limit
	body   int    // bytes of the body that are to come, -1 in a header
	broken bool   // a header could not be read: message boundaries are unknown
}

// NewSplitter returns a splitter for messages up to the usual limit.
func NewSplitter(f Framing) *Splitter { return &Splitter{Framing: f, Limit: Limit, body: -1} }

// Split adds bytes, and calls put with what is complete. The data is put's to keep.
func (s *Splitter) Split(data []byte, put func(Entry)) {
	for len(data) > 0 {
		if s.broken {
			put(Entry{Data: slices.Clone(data), Cut: true, More: true})
			return
		}
		n, complete := s.next(data)
		s.add(data[:n], complete, put)
		data = data[n:]
	}
}

// next returns how much of the data is of the current message, and whether that completes it.
func (s *Splitter) next(data []byte) (n int, complete bool) {
	if s.Framing == Lines {
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			return i + 1, true
		}
		return len(data), false
	}
	if s.body < 0 {
		return s.header(data), s.body == 0
	}
	n = min(s.body, len(data))
	s.body -= n
	return n, s.body == 0
}

// header reads the lines of a header, and returns how much of the data they take.
func (s *Splitter) header(data []byte) int {
	for i, c := range data {
		if c != '\n' {
			continue
		}
		head := append(slices.Clone(s.held), data[:i+1]...)
		if blank(head) {
			if s.body = length(head); s.body < 0 {
				s.broken = true
			}
			return i + 1
		}
	}
	s.broken = len(s.held)+len(data) > maxHeader
	return len(data)
}

// blank reports whether a header is complete.
func blank(head []byte) bool {
	return bytes.HasSuffix(head, []byte("\n\r\n")) || bytes.HasSuffix(head, []byte("\n\n"))
}

// length returns the length in a header, or -1.
func length(head []byte) int {
	for line := range bytes.Lines(head) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(bytes.TrimSpace(name), []byte("Content-Length")) {
			n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 62)
			if err != nil {
				return -1
			}
			return int(n)
		}
	}
	return -1
}

// add adds to the current message.
func (s *Splitter) add(data []byte, complete bool, put func(Entry)) {
	if !s.cut && len(s.held)+len(data) > s.Limit || s.broken {
		s.cut = true
		if len(s.held) > 0 {
			put(Entry{Data: s.held, Cut: true, More: true})
			s.held = nil
		}
	}
	switch {
	case s.cut:
		put(Entry{Data: slices.Clone(data), Cut: true, More: !complete})
	case complete:
		put(Entry{Data: append(s.held, data...)})
		s.held = nil
	default:
		s.held = append(s.held, data...)
	}
	if complete {
		s.cut, s.body = false, -1
	}
}

// Finish ends the direction, and calls put with what is left of a message.
func (s *Splitter) Finish(put func(Entry)) {
	if len(s.held) > 0 {
		put(Entry{Data: s.held, More: s.Framing == Headers})
	}
	s.held = nil
}

// Body returns a message without its framing.
func Body(f Framing, data []byte) []byte {
	if f == Headers {
		for i, c := range data {
			if c == '\n' && blank(data[:i+1]) {
				return data[i+1:]
			}
		}
	}
	return bytes.TrimSpace(data)
}
