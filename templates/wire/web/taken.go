// Connections that streams take over from the HTTP server: an idle stream then needs a goroutine that waits for the client to go, and
// none of what the server keeps for a request.

package web

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// taken is a connection that was taken over. It is the [http.ResponseWriter] of its stream, which goes out in chunks: so a client
// sees where it was cut, instead of taking a part of an event for all of it.
type taken struct {
	net.Conn
	header http.Header
	end    func()

	pushing, gone bool // guarded by the lock of the session
}

// Header implements [http.ResponseWriter].
func (c *taken) Header() http.Header { return c.header }

// WriteHeader implements [http.ResponseWriter].
func (c *taken) WriteHeader(status int) {
	var head bytes.Buffer
	_, _ = fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n", status, http.StatusText(status))
	c.header.Del("Connection")
	_ = c.header.Write(&head) // into memory
	c.header = nil
	head.WriteString("\r\n")
	_, _ = c.Conn.Write(head.Bytes()) // if that fails, so does what follows
}

// Write implements [http.ResponseWriter].
func (c *taken) Write(part []byte) (int, error) {
	if len(part) == 0 {
		return 0, nil
	}
	chunk := strconv.AppendInt(make([]byte, 0, len(part)+20), int64(len(part)), 16)
	chunk = append(append(append(chunk, "\r\n"...), part...), "\r\n"...)
	if _, err := c.Conn.Write(chunk); err != nil {
		_ = c.Close() // the client may wait for more
		return 0, err //nolint:wrapcheck // of the connection
	}
	return len(part), nil
}

// FlushError implements what [http.ResponseController] uses.
func (c *taken) FlushError() error { return nil }

// takeOver sends a stream over the connection of a request, which the HTTP server has no more to do with. It reports false if that is
// not possible, as over HTTP/2.
func (h *Sessions) takeOver(w http.ResponseWriter, r *http.Request, s *session, st *stream, from int) bool {
	if r.ProtoMajor != 1 || r.ProtoMinor != 1 || !s.hold() {
		return false
	}
	header := w.Header().Clone()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.release()
		return false
	}
	h.again()
	c := &taken{Conn: conn, header: header, end: func() {
		_ = conn.Close()
		s.release()
		h.leave()
	}}
	v := h.sending(newSink(c, &h.Access), s, st, from, false)
	v.taken = c
	s.mu.Lock()
	if st.turn == v.turn {
		st.sender = v
	}
	c.push(v)
	s.mu.Unlock()
	go c.watch(v)
	return true
}

// watch waits until the client goes, which sends nothing more.
func (c *taken) watch(v *sending) {
	var rest [64]byte
	for {
		if _, err := c.Read(rest[:]); err != nil {
			break
		}
	}
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	c.gone = true
	c.push(v)
}

// push sends what there is, on a goroutine of its own. The caller must hold the lock of the session.
func (c *taken) push(v *sending) {
	if !c.pushing {
		c.pushing = true
		go c.send(v)
	}
}

func (c *taken) send(v *sending) {
	for {
		wake, more := v.send()
		v.s.mu.Lock()
		gone := c.gone
		over := !more || gone || v.s.closed && v.next >= v.st.first+len(v.st.messages)
		if !over && wake == (<-chan struct{})(v.st.wake) { // nothing has changed meanwhile
			c.pushing = false
			v.s.mu.Unlock()
			return
		}
		v.s.mu.Unlock()
		if over {
			if more && !gone {
				v.last()
			}
			v.out.end()
			_, _ = c.Conn.Write([]byte("0\r\n\r\n")) // the last chunk
			v.s.detach(v.st, v.turn)
			c.end() // it is not pushed again
			return
		}
	}
}
