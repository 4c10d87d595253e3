// Events: reading and writing text/event-stream.

package web

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// event is a server-sent event. Its data is empty if it only has an id.
type event struct {
	id    string // the last one so far
	data  []byte
	retry time.Duration // 0 if not given
}

// events reads events, each of a limited size.
type events struct {
	in    *bufio.Reader
	limit int64
	id    string
	begun bool
	cr    bool // the last line ended in a carriage return, whose line feed may follow
}

func newEvents(in io.Reader, limit int64) *events {
	return &events{in: bufio.NewReader(in), limit: limit}
}

// next returns the next event that has data or an id. Other events and comments are skipped. Part of an event at the end is
// dropped.
func (e *events) next() (event, error) {
	var out event
	lines, named, size := 0, false, int64(0)
	for {
		line, err := e.line(e.limit - size)
		if err != nil {
			return event{}, err
		}
		size += int64(len(line))
		if len(line) == 0 {
			if lines > 0 || named {
				out.id = e.id
				return out, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			if lines > 0 {
				out.data = append(out.data, '\n')
			}
			out.data = append(out.data, value...)
			lines++
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id, named = string(value), true
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				out.retry = time.Duration(ms) * time.Millisecond
			}
		case "": // a comment, which a limit on the whole would count
			size -= int64(len(line))
		}
	}
}

// line returns the next line, which may end in a line feed, a carriage return, or both.
func (e *events) line(limit int64) ([]byte, error) {
	var line []byte
	for {
		if _, err := e.in.Peek(1); err != nil {
			return nil, err //nolint:wrapcheck // of the stream, which callers compare
		}
		buffered, _ := e.in.Peek(e.in.Buffered())
		if !e.begun {
			e.begun = true
			if bytes.HasPrefix(buffered, []byte("\ufeff")) {
				_, _ = e.in.Discard(len("\ufeff"))
				continue
			}
		}
		if e.cr {
			e.cr = false
			if buffered[0] == '\n' {
				_, _ = e.in.Discard(1)
				continue
			}
		}
		end := bytes.IndexByte(buffered, '\n')
		part := buffered
		if end >= 0 {
			part = buffered[:end]
		}
		if cr := bytes.IndexByte(part, '\r'); cr >= 0 {
			end, part, e.cr = cr, part[:cr], true
		}
		if int64(len(line)+len(part)) > limit {
			return nil, fmt.Errorf("%w: an event of more than %d bytes", rpc.ErrTooLarge, e.limit)
		}
		line = append(line, part...)
		if end >= 0 {
			_, _ = e.in.Discard(end + 1)
			return line, nil
		}
		_, _ = e.in.Discard(len(part))
	}
}

var errStreamClosed = errors.New("the stream has ended")

// sink writes the answer to an HTTP request: one JSON text, or events. It is safe for concurrent use.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // of each write
	every   time.Duration // between comments

	mu     sync.Mutex // guards the following fields and w
	begun  bool       // as a stream of events
	closed bool
	failed error
	buf    []byte
	alive  *time.Timer
}

func newSink(w http.ResponseWriter, a *Access) *sink {
	return &sink{w: w, control: http.NewResponseController(w), timeout: a.writeTimeout(), every: a.keepAlive()}
}

// watch begins to send comments, so that no proxy takes the connection for dead.
func (s *sink) watch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alive = time.AfterFunc(s.every, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.closed && s.write([]byte(": still here\n\n")) == nil {
			s.alive.Reset(s.every)
		}
	})
}

// begin starts the stream of events.
func (s *sink) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.write(nil)
}

// event sends an event; without an id if that is "".
func (s *sink) event(id string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alive != nil && !s.closed {
		s.alive.Reset(s.every)
	}
	buf := s.buf[:0]
	if id != "" {
		buf = append(append(append(buf, "id: "...), id...), '\n')
	}
	buf = append(buf, "data: "...)
	start := len(buf)
	buf = append(buf, data...)
	for i, c := range buf[start:] { // a line end in JSON is white space
		if c == '\n' || c == '\r' {
			buf[start+i] = ' '
		}
	}
	buf = append(buf, "\n\n"...)
	if cap(buf) <= 1<<16 {
		s.buf = buf
	}
	return s.write(buf)
}

// prime sends an event that has no data: an id unless that is "", and after how long to ask for the stream again unless that is 0.
func (s *sink) prime(id string, retry time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := ""
	if id != "" {
		text = "id: " + id + "\n"
	}
	if retry > 0 {
		text += "retry: " + strconv.FormatInt(retry.Milliseconds(), 10) + "\n"
	}
	if id != "" {
		text += "data: \n"
	}
	return s.write([]byte(text + "\n"))
}

// write writes a part of the stream, after its header. The caller must hold the lock.
func (s *sink) write(part []byte) error {
	switch {
	case s.closed:
		return errStreamClosed
	case s.failed != nil:
		return s.failed
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout)) // not on recorders in tests
	if !s.begun {
		s.begun = true
		h := s.w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("X-Accel-Buffering", "no")
		s.w.WriteHeader(http.StatusOK)
	}
	_, s.failed = s.w.Write(part) //nolint:gosec // no browser shows events as a page
	if s.failed == nil {
		if err := s.control.Flush(); !errors.Is(err, http.ErrNotSupported) { // otherwise it is sent later, all at once
			s.failed = err
		}
	}
	return s.failed
}

// json sends a JSON text as the whole answer, or as the last event if the stream has begun.
func (s *sink) json(status int, data []byte) error {
	s.mu.Lock()
	begun := s.begun
	if !begun && !s.closed {
		s.closed = true
		_ = s.control.SetWriteDeadline(time.Now().Add(s.timeout))
		h := s.w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Length", strconv.Itoa(len(data)))
		s.w.WriteHeader(status)
		_, s.failed = s.w.Write(data)
	}
	err := s.failed
	s.mu.Unlock()
	if begun {
		return s.event("", data)
	}
	return err
}

// end stops all writing, which must not go on when the request has been handled.
func (s *sink) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.alive != nil {
		s.alive.Stop()
	}
}
