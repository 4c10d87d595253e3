// A peer that writes frames by hand, byte by byte according to RFC 6455: the library would not let it
// do most of what is tested here.

package ws_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

const (
	more  = 0x00 // the rest of a message
	text  = 0x01
	bin   = 0x02
	bye   = 0x08
	ping  = 0x09
	pong  = 0x0a
	final = 0x80
)

// frame returns a frame of a client. The key that hides it is zero, so the bytes stay what they are.
func frame(first byte, payload string) []byte { return append(head(first, len(payload)), payload...) }

// head begins a frame that claims to have a payload of so many bytes.
func head(first byte, claimed int) []byte {
	const masked = 0x80
	out := []byte{first}
	switch {
	case claimed < 126:
		out = append(out, masked|byte(claimed))
	case claimed < 1<<16:
		out = binary.BigEndian.AppendUint16(append(out, masked|126), uint16(claimed))
	default:
		out = binary.BigEndian.AppendUint64(append(out, masked|127), uint64(claimed))
	}
	return append(out, 0, 0, 0, 0)
}

// closing returns the frame that ends a connection; the code 0 is none.
func closing(code int, reason string) []byte {
	if code == 0 {
		return frame(final|bye, "")
	}
	return frame(final|bye, string(binary.BigEndian.AppendUint16(nil, uint16(code)))+reason)
}

// stranger is a client that uses no library.
type stranger struct {
	net.Conn
	in *bufio.Reader
}

// knock asks a server for a WebSocket.
func knock(t testing.TB, address string, headers ...string) (*stranger, *http.Response) {
	t.Helper()
	s, answer := call(t, address, headers...)
	t.Cleanup(func() { _ = s.Close() })
	return s, answer
}

// call is knock for a test that closes the connection itself.
func call(t testing.TB, address string, headers ...string) (*stranger, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	standard := []string{"Host: " + address, "Connection: keep-alive, Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="}
	for _, h := range headers {
		name, _, _ := strings.Cut(h, ":")
		standard = slices.DeleteFunc(standard, func(s string) bool { return strings.HasPrefix(s, name+":") })
	}
	_, err = fmt.Fprintf(conn, "GET / HTTP/1.1\r\n%s\r\n\r\n", strings.Join(append(standard, headers...), "\r\n"))
	require.NoError(t, err)
	s := &stranger{conn, bufio.NewReader(conn)}
	answer, err := http.ReadResponse(s.in, nil)
	require.NoError(t, err)
	return s, answer
}

func (s *stranger) send(t testing.TB, frames ...[]byte) {
	t.Helper()
	for _, f := range frames {
		_, err := s.Write(f)
		require.NoError(t, err)
	}
}

// next returns the next frame of the server.
func (s *stranger) next(t testing.TB) (first byte, payload string) {
	t.Helper()
	var head [2]byte
	_, err := io.ReadFull(s.in, head[:])
	require.NoError(t, err)
	require.Less(t, head[1], byte(126), "a server hides nothing, and has little to say here")
	data := make([]byte, head[1])
	_, err = io.ReadFull(s.in, data)
	require.NoError(t, err)
	return head[0], string(data)
}

// limit is the largest message of these tests.
const limit = 1000

// reading returns a server that reads, and tells how each of its connections ended. It then ends it itself.
func reading(t testing.TB, h *ws.Handler) (server *httptest.Server, ends chan error) {
	t.Helper()
	ends = make(chan error, 10)
	h.Serve = func(ctx context.Context, socket rpc.Transport, _ *http.Request) {
		var err error
		for err == nil {
			_, err = socket.Read(limit)
		}
		_ = socket.Close("")
		select {
		case ends <- err:
		case <-ctx.Done(): // no ping
		}
	}
	return start(t, h), ends
}

// listening returns a server that hands its connections over, and keeps them until the test ends.
func listening(t testing.TB, h *ws.Handler, sockets chan<- rpc.Transport) *httptest.Server {
	t.Helper()
	h.Serve = func(ctx context.Context, socket rpc.Transport, _ *http.Request) {
		sockets <- socket
		<-ctx.Done()
	}
	return start(t, h)
}

func start(t testing.TB, h *ws.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = h.Shutdown(ctx) // cuts those that a test left
	})
	return server
}

func at(server *httptest.Server) string { return server.Listener.Addr().String() }
