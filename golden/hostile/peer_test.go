// Peers at the level of bytes: lines, and the frames of RFC 6455.

package hostile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// peer is one end of a connection to a host.
type peer struct {
	t      *testing.T
	stream io.ReadWriteCloser
	socket bool // frames, not lines

	mu    sync.Mutex // guards what follows
	more  *sync.Cond
	got   []string // messages that no await has seen
	count int      // of all messages that came
	bytes int64
	ended bool
	last  string // what await or until has found
	why   string // what the host sent with a close frame: code and reason
}

// pipe is the standard input and output of a host.
type pipe struct {
	io.ReadCloser
	io.WriteCloser
}

func (p pipe) Read(b []byte) (int, error)  { return p.ReadCloser.Read(b) }
func (p pipe) Write(b []byte) (int, error) { return p.WriteCloser.Write(b) }
func (p pipe) Close() error                { _ = p.WriteCloser.Close(); return p.ReadCloser.Close() }

// dial connects without a word.
func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// newPeer is a peer on a stream; one that is reading takes what the host sends.
func newPeer(t *testing.T, stream io.ReadWriteCloser, socket, reading bool) *peer {
	p := &peer{t: t, stream: stream, socket: socket}
	p.more = sync.NewCond(&p.mu)
	if reading {
		p.listens()
	}
	return p
}

// listens begins to take what the host sends.
func (p *peer) listens() { go p.read(bufio.NewReader(p.stream)) }

// first reads the first message by hand, byte by byte, so that nothing behind it is taken.
func (p *peer) first(text string) {
	p.t.Helper()
	next := readLine
	if p.socket {
		next = p.readFrame
	}
	message, err := next(bufio.NewReaderSize(oneByte{p.stream}, 16))
	require.NoError(p.t, err)
	require.Contains(p.t, message, text)
}

// oneByte reads no more than one byte at a time.
type oneByte struct{ io.Reader }

func (o oneByte) Read(b []byte) (int, error) { return o.Reader.Read(b[:min(1, len(b))]) }

// upgrade asks for a WebSocket, as in section 4.1 of RFC 6455.
const upgrade = "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// dialSocket connects over WebSocket, with a bearer token unless that is "".
func dialSocket(t *testing.T, address, token string, reading bool) *peer {
	t.Helper()
	c := dial(t, address)
	request := fmt.Sprintf(upgrade, address)
	if token != "" {
		request = strings.Replace(request, "Connection:", "Authorization: Bearer "+token+"\r\nConnection:", 1)
	}
	_, err := io.WriteString(c, request)
	require.NoError(t, err)
	header := readHeader(t, c)
	require.True(t, strings.HasPrefix(header, "HTTP/1.1 101 "), header)
	require.Contains(t, header, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "the answer to the key of section 1.3")
	return newPeer(t, c, true, reading)
}

// readHeader reads up to the empty line and no further.
func readHeader(t *testing.T, r io.Reader) string {
	t.Helper()
	var b []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(b, []byte("\r\n\r\n")) {
		_, err := io.ReadFull(r, one)
		require.NoError(t, err, "%s", b)
		b = append(b, one...)
	}
	return string(b)
}

// frame is a frame of a client: final or not, with an operation, masked with zeros, so that the text stays readable.
func frame(final bool, operation byte, payload string) []byte {
	b := []byte{operation, 0x80}
	if final {
		b[0] |= 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b[1] |= byte(n)
	case n < 1<<16:
		b[1] |= 126
		b = binary.BigEndian.AppendUint16(b, uint16(n))
	default:
		b[1] |= 127
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// The operations of frames.
const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opClose        = 8
	opPing         = 9
	opPong         = 10
)

// bytesOf is a message as it goes over the stream.
func (p *peer) bytesOf(message string) []byte {
	if p.socket {
		return frame(true, opText, message)
	}
	return append([]byte(message), '\n')
}

// send sends messages, and reports whether all of them could be written.
func (p *peer) send(messages ...string) bool {
	for _, m := range messages {
		if !p.raw(p.bytesOf(m)) {
			return false
		}
	}
	return true
}

// raw sends bytes, and reports whether all of them could be written.
func (p *peer) raw(b []byte) bool {
	_, err := p.stream.Write(b)
	return err == nil
}

// read takes all that comes until the end.
func (p *peer) read(r *bufio.Reader) {
	next := readLine
	if p.socket {
		next = p.readFrame
	}
	for {
		message, err := next(r)
		p.mu.Lock()
		if err != nil {
			p.ended = true
			p.more.Broadcast()
			p.mu.Unlock()
			return
		}
		p.got, p.count, p.bytes = append(p.got, message), p.count+1, p.bytes+int64(len(message))
		p.more.Broadcast()
		p.mu.Unlock()
	}
}

func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}

// readFrame returns the payload of the next text; a host does not mask, and this one does not fragment. Pings of the host are
// not answered.
func (p *peer) readFrame(r *bufio.Reader) (string, error) {
	for {
		var head [10]byte
		if _, err := io.ReadFull(r, head[:2]); err != nil {
			return "", err
		}
		n := uint64(head[1])
		switch n {
		case 126:
			if _, err := io.ReadFull(r, head[2:4]); err != nil {
				return "", err
			}
			n = uint64(binary.BigEndian.Uint16(head[2:4]))
		case 127:
			if _, err := io.ReadFull(r, head[2:10]); err != nil {
				return "", err
			}
			n = binary.BigEndian.Uint64(head[2:10])
		}
		payload := make([]byte, n)
		if _, err := io.ReadFull(r, payload); err != nil {
			return "", err
		}
		switch head[0] & 0xf {
		case opText:
			return string(payload), nil
		case opClose:
			if n >= 2 {
				p.mu.Lock()
				p.why = fmt.Sprint(binary.BigEndian.Uint16(payload), " ", string(payload[2:]))
				p.mu.Unlock()
			}
		}
	}
}

// await waits for a message that contains a text, and returns it. Others before it are passed over.
func (p *peer) await(text string) string {
	p.t.Helper()
	var last string
	found := p.wait(func() (string, bool) {
		for i, m := range p.got {
			if last = m; strings.Contains(m, text) {
				p.last, p.got = m, p.got[i+1:]
				return m, true
			}
		}
		p.got = nil
		return "", p.ended
	})
	if found == "" {
		p.t.Fatalf("nothing came with %s; the last was %.300s", text, last)
	}
	return found
}

// sees is await for goroutines that are not the test's: it reports whether the message came.
func (p *peer) sees(text string) bool {
	return p.wait(func() (string, bool) {
		for i, m := range p.got {
			if strings.Contains(m, text) {
				p.got = p.got[i+1:]
				return m, true
			}
		}
		return "", p.ended
	}) != ""
}

// awaitEnd waits until the host has ended the connection, and returns why as far as it said so.
func (p *peer) awaitEnd() string {
	p.t.Helper()
	p.wait(func() (string, bool) { return "", p.ended })
	p.mu.Lock()
	defer p.mu.Unlock()
	require.True(p.t, p.ended, "the host has not ended the connection")
	return p.why
}

// wait calls f with the lock until it says so, or for as long as a test is patient.
func (p *peer) wait(f func() (string, bool)) string {
	late := false
	timer := time.AfterFunc(patient, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		late = true
		p.more.Broadcast()
	})
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if s, ok := f(); ok || late {
			return s
		}
		p.more.Wait()
	}
}

// received is how many messages came, and their bytes.
func (p *peer) received() (int, int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count, p.bytes
}

// take returns what came and was not looked at, and forgets it.
func (p *peer) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	got := p.got
	p.got = nil
	return got
}

// until waits for a message that contains a text, and returns all that came before it.
func (p *peer) until(text string) []string {
	p.t.Helper()
	seen := 0
	var before []string
	found := p.wait(func() (string, bool) {
		for ; seen < len(p.got); seen++ {
			if strings.Contains(p.got[seen], text) {
				before, p.last, p.got = p.got[:seen], p.got[seen], p.got[seen+1:]
				return text, true
			}
		}
		return "", p.ended
	})
	require.NotEmpty(p.t, found, "nothing came with %s", text)
	return before
}
