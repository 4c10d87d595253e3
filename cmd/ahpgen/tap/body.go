// Body: bodies of HTTP, and the messages in them.

package tap

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
)

// message is a message whose bytes come little by little. One that is too large to be held is noted in parts as they come, which
// have the number of a stream: those of others may come in between.
type message struct {
	proxy *proxy
	entry record.Entry // what all entries have

	mu   sync.Mutex
	held []byte
}

// message returns a message, which is an entry like this one.
func (p *proxy) message(e record.Entry) *message { return &message{proxy: p, entry: e} }

// add adds bytes.
func (m *message) add(b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.entry.Cut && len(m.held)+len(b) > record.Limit {
		m.entry.Cut, m.entry.Stream = true, int(m.proxy.streams.Add(1))
		if len(m.held) > 0 {
			m.put(m.held, true)
			m.held = nil
		}
	}
	switch {
	case !m.entry.Cut:
		m.held = append(m.held, b...)
	case len(b) > 0:
		m.put(slices.Clone(b), true)
	}
}

// whole returns the bytes, and whether these are all of them.
func (m *message) whole() ([]byte, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held, !m.entry.Cut
}

// drop forgets the bytes that are held.
func (m *message) drop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = nil
}

// finish ends the message, and begins another one. What is not whole cannot be judged.
func (m *message) finish(whole bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.entry.Cut:
		m.put(nil, false)
	case len(bytes.TrimSpace(m.held)) > 0:
		m.entry.Cut = !whole
		m.put(m.held, false)
	}
	m.held, m.entry.Cut, m.entry.Stream = nil, false, 0
}

func (m *message) put(data []byte, more bool) {
	e := m.entry
	e.Time, e.Data, e.More = time.Now(), data, more
	m.proxy.tap.put(e)
}

// seen is a body whose bytes are looked at before they are passed on.
type seen struct {
	io.ReadCloser
	add  func([]byte)
	end  func(whole bool)
	left int64 // bytes that are to come, negative if that is not known
	once sync.Once
}

// Read implements [io.Reader].
func (s *seen) Read(b []byte) (int, error) {
	n, err := s.ReadCloser.Read(b)
	s.add(b[:n])
	if s.left -= int64(n); err != nil || s.left == 0 {
		s.finish(err == nil || err == io.EOF)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *seen) Close() error {
	s.finish(false)
	return s.ReadCloser.Close()
}

func (s *seen) finish(whole bool) { s.once.Do(func() { s.end(whole) }) }
