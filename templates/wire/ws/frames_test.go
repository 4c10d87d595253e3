// How connections end, whatever the other side writes.

package ws_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

const never = "a message was not complete within 50ms"

func TestHowConnectionsEnd(t *testing.T) {
	gib := head(final|text, 1<<30)
	for name, c := range map[string]struct {
		sent [][]byte
		err  string // "" is a good end
		code websocket.StatusCode
		told string // prefix of the reason sent to the peer; "" is not checked
	}{
		"normal":       {sent: [][]byte{closing(1000, "")}, told: "\x03\xe8"},
		"going away":   {sent: [][]byte{closing(1001, "a page was left")}, told: "\x03\xe9"},
		"no code":      {sent: [][]byte{closing(0, "")}},
		"in a message": {sent: [][]byte{frame(text, "{"), closing(1000, "")}},

		"protocol error": {sent: [][]byte{closing(1002, "what?")}, code: 1002, err: "what?"},
		"no such data":   {sent: [][]byte{closing(1003, "")}, code: 1003, err: "read"},
		"not UTF-8":      {sent: [][]byte{closing(1007, "")}, code: 1007, err: "read"},
		"policy":         {sent: [][]byte{closing(1008, "no")}, code: 1008, err: "no"},
		"too big":        {sent: [][]byte{closing(1009, "")}, code: 1009, err: "read"},
		"broken":         {sent: [][]byte{closing(1011, "")}, code: 1011, err: "read"},
		"try later":      {sent: [][]byte{closing(1013, "busy")}, code: 1013, err: "busy"},
		"of a library":   {sent: [][]byte{closing(3000, "x")}, code: 3000, err: `"x"`},
		"private":        {sent: [][]byte{closing(4000, "token is old")}, code: 4000, err: "token is old"},
		"last private":   {sent: [][]byte{closing(4999, "")}, code: 4999, err: "4999"},
		"not for frames": {sent: [][]byte{closing(1006, "")}, code: -1, err: "AbnormalClosure", told: "\x03\xea"},
		"half a code":    {sent: [][]byte{frame(final|bye, "\x03")}, code: -1, err: "too small", told: "\x03\xea"},
		"no code at all": {sent: [][]byte{closing(999, "")}, code: -1, err: "999", told: "\x03\xea"},

		"half a frame":   {sent: [][]byte{head(final|text, 10), []byte("{")}, code: -1, err: never, told: "\x03\xf0" + never},
		"half a message": {sent: [][]byte{frame(text, "{")}, code: -1, err: never, told: "\x03\xf0" + never},
		"half a header":  {sent: [][]byte{frame(text, "{"), head(more, 500)[:3]}, code: -1, err: never},
		"1 GiB claimed":  {sent: [][]byte{gib}, code: -1, err: never},
		"1 GiB begun":    {sent: [][]byte{gib, []byte(strings.Repeat("x", limit+1))}, code: -1, err: "message too large", told: "\x03\xf1"},
		"in pieces":      {sent: [][]byte{frame(text, strings.Repeat("x", limit)), frame(more, "y")}, code: -1, err: "message too large", told: "\x03\xf1"},
		"binary":         {sent: [][]byte{frame(final|bin, "{}")}, code: -1, err: "binary", told: "\x03\xebtext"},
		"half binary":    {sent: [][]byte{head(bin, 10)}, code: -1, err: "binary", told: "\x03\xebtext"},
		"not text":       {sent: [][]byte{frame(text, "{\"\xe2"), frame(final|more, "\x82\"}")}, code: -1, err: "not UTF-8", told: "\x03\xeftext"},
		"not hidden":     {sent: [][]byte{{final | text, 2, '{', '}'}}, code: -1, err: "unmasked"},
		"out of order":   {sent: [][]byte{frame(final|more, "{}")}, code: -1, err: "continuation", told: "\x03\xea"},
		"two at a time":  {sent: [][]byte{frame(text, "{"), frame(final|text, "}")}, code: -1, err: "previous message", told: "\x03\xea"},
		"no such frame":  {sent: [][]byte{frame(final|3, "")}, code: -1, err: "opcode", told: "\x03\xea"},
		"long ping":      {sent: [][]byte{frame(final|ping, strings.Repeat("x", 126))}, code: -1, err: "length", told: "\x03\xea"},
		"compressed":     {sent: [][]byte{frame(final|0x40|text, "{}")}, code: -1, err: "rsv", told: "\x03\xea"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, ends := reading(t, &ws.Handler{MessageTimeout: 50 * time.Millisecond, CloseTimeout: 50 * time.Millisecond})
			s, _ := knock(t, at(server))
			// The first is fine. What comes at once is never late, however busy the machine is.
			s.send(t, bytes.Join(append([][]byte{frame(final|text, "{}")}, c.sent...), nil))
			if c.told != "" {
				first, payload := s.next(t)
				require.Equal(t, byte(final|bye), first)
				require.Truef(t, strings.HasPrefix(payload, c.told), "%q", payload)
			}
			err := soon(t, ends)
			if c.err == "" {
				require.True(t, err == io.EOF, err)
				return
			}
			require.ErrorContains(t, err, c.err)
			require.False(t, err == io.EOF)
			require.Equal(t, c.code, websocket.CloseStatus(err))
			require.Equal(t, c.err == "message too large", errors.Is(err, rpc.ErrTooLarge))
		})
	}
}

func TestACutIsAnErrorWhereverItComes(t *testing.T) {
	for _, sent := range [][]byte{nil, head(final|text, 10), frame(text, "{"), {final}} {
		server, ends := reading(t, &ws.Handler{})
		s, _ := knock(t, at(server))
		s.send(t, sent)
		require.NoError(t, s.Close())
		err := soon(t, ends)
		require.Error(t, err)
		require.False(t, err == io.EOF)
	}
}

func TestEmptyFramesWithoutEndAreCut(t *testing.T) {
	server, ends := reading(t, &ws.Handler{MessageTimeout: 50 * time.Millisecond, CloseTimeout: 50 * time.Millisecond})
	for _, between := range [][]byte{frame(more, ""), append(frame(more, ""), frame(final|ping, "")...)} {
		s, _ := knock(t, at(server))
		many := []byte(strings.Repeat(string(between), 1000))
		s.send(t, frame(text, ""))
		go func() { _, _ = io.Copy(io.Discard, s) }() // pongs
		for {
			if _, err := s.Write(many); err != nil {
				break // cut: the deadline of the stranger is much later
			}
		}
		require.ErrorContains(t, soon(t, ends), never)
	}
}

func TestPiecesThatComeInTimeAreAMessage(t *testing.T) {
	sockets := make(chan rpc.Transport, 1)
	s, _ := knock(t, at(listening(t, &ws.Handler{}, sockets)))
	s.send(t, frame(text, `{"a`), frame(final|ping, "there?"), frame(more, ""), frame(more, `"`), frame(final|more, `:1}`))
	got, err := (<-sockets).Read(limit)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(got))
	first, payload := s.next(t)
	require.Equal(t, byte(final|pong), first)
	require.Equal(t, "there?", payload)
}

func TestTheTimeBetweenMessagesIsNotCounted(t *testing.T) {
	t.Parallel()
	server, ends := reading(t, &ws.Handler{MessageTimeout: 500 * time.Millisecond})
	s, _ := knock(t, at(server))
	for range 2 {
		s.send(t, frame(text, `{"a`), frame(final|more, `":1}`))
		time.Sleep(600 * time.Millisecond)
	}
	s.send(t, closing(1000, ""))
	require.True(t, soon(t, ends) == io.EOF)
}

func TestAPeerThatDoesNotSayGoodbyeIsCut(t *testing.T) {
	sockets := make(chan rpc.Transport, 1)
	server := listening(t, &ws.Handler{CloseTimeout: 50 * time.Millisecond}, sockets)
	for _, sent := range [][]byte{nil, head(final|text, 1<<30), frame(text, "{")} {
		s, _ := knock(t, at(server))
		s.send(t, sent)
		socket := <-sockets
		read := make(chan error, 1)
		go func() {
			_, err := socket.Read(limit)
			read <- err
		}()
		_ = socket.Close("")
		require.Error(t, soon(t, read))
		_, err := io.Copy(io.Discard, s)
		require.NoError(t, err, "the end of the stream, after that of the connection")
	}
}

func TestAPeerThatIsThereAnswersAPing(t *testing.T) {
	sockets := make(chan rpc.Transport, 1)
	server := listening(t, &ws.Handler{CloseTimeout: 50 * time.Millisecond}, sockets)
	s, _ := knock(t, at(server))
	socket := <-sockets
	go func() { _, _ = socket.Read(limit) }()
	pinged := make(chan error, 1)
	go func() { pinged <- socket.(rpc.Pinger).Ping(t.Context()) }()
	first, payload := s.next(t)
	require.Equal(t, byte(final|ping), first)
	s.send(t, frame(final|pong, payload))
	require.NoError(t, soon(t, pinged))

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Error(t, socket.(rpc.Pinger).Ping(ctx), "nobody answers")

	s.send(t, frame(text, "{"))
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		return socket.(rpc.Pinger).Ping(ctx) == nil
	}, time.Minute, time.Millisecond, "who is sending a message is there")
}

func TestAClientLimitsMessagesAsWell(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		message, _ := conn.Writer(r.Context(), websocket.MessageText)
		_, _ = message.Write(make([]byte, 10_000)) // more than a buffer holds back, and not all of it
		_, _, _ = conn.Read(r.Context())
	}))
	defer server.Close()
	socket, err := ws.Dial(t.Context(), address(server), nil)
	require.NoError(t, err)
	socket.(rpc.Timed).SetMessageTimeout(50 * time.Millisecond)
	_, err = socket.Read(1 << 20)
	require.ErrorContains(t, err, never)
	_ = socket.Close("")
}

func TestWhatComesWithTheHandshakeIsNotLost(t *testing.T) {
	server, ends := reading(t, &ws.Handler{})
	early := string(frame(final|text, strings.Repeat("x", 500))) + string(closing(4001, "early"))
	conn, err := net.Dial("tcp", at(server))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"+early)
	require.NoError(t, err)
	require.Equal(t, websocket.StatusCode(4001), websocket.CloseStatus(soon(t, ends)))
}

func TestAPartOfAFrameHoldsAConnectionNoLongerThanAPartOfAMessage(t *testing.T) {
	whole := head(final|text, 70_000)
	for length := 1; length < len(whole); length++ { // of 14 bytes
		server, ends := reading(t, &ws.Handler{MessageTimeout: 50 * time.Millisecond, CloseTimeout: 50 * time.Millisecond})
		s, _ := knock(t, at(server))
		s.send(t, frame(final|ping, "there?"), frame(final|text, "{}"), whole[:length])
		require.ErrorContains(t, soon(t, ends), never, length)
	}
	for _, control := range [][]byte{{final | ping}, frame(final|ping, "12345")[:8], closing(1000, "bye")[:7]} {
		server, ends := reading(t, &ws.Handler{MessageTimeout: 50 * time.Millisecond, CloseTimeout: 50 * time.Millisecond})
		s, _ := knock(t, at(server))
		s.send(t, control)
		require.ErrorContains(t, soon(t, ends), never)
	}
}

func TestAPartOfAFrameThatComesWithTheHandshakeCounts(t *testing.T) {
	server, ends := reading(t, &ws.Handler{MessageTimeout: 50 * time.Millisecond, CloseTimeout: 50 * time.Millisecond})
	conn, err := net.Dial("tcp", at(server))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81")
	require.NoError(t, err)
	require.ErrorContains(t, soon(t, ends), never)
}

// TestABurstBeforeACutIsTakenWhole has a client send a burst and go away without a closing frame, while the server still
// writes to it: the failing writes are no reason not to read what has arrived.
func TestABurstBeforeACutIsTakenWhole(t *testing.T) {
	const burst = 100
	taken := make(chan int, 1)
	h := &ws.Handler{Serve: func(ctx context.Context, socket rpc.Transport, _ *http.Request) {
		count := 0
		peer := rpc.NewPeer(socket, nil)
		_ = peer.Serve(ctx, counting(func() {
			count++
			_ = peer.Notify(ctx, "echo", []byte(`["`+strings.Repeat("x", 1000)+`"]`))
			time.Sleep(100 * time.Microsecond)
		}))
		taken <- count
	}}
	server := start(t, h)
	for range 20 {
		s, _ := knock(t, at(server))
		s.send(t, []byte(strings.Repeat(string(frame(final|text, `{"jsonrpc":"2.0","method":"x"}`)), burst)))
		require.NoError(t, s.Close())
		require.Equal(t, burst, <-taken)
	}
}

// counting handles messages by counting them.
type counting func()

func (counting) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (c counting) ServeRPC(context.Context, *rpc.Message) (json.RawMessage, error) {
	c()
	return nil, nil
}
