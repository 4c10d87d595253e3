// Package ws carries messages over WebSocket, one in each text message. It is a transport of package rpc,
// which does all the rest:
//
//	socket, err := ws.Dial(ctx, "ws://localhost:8080", nil)
//	...
//	conn := rpc.NewPeer(socket, nil)
//	go conn.Serve(ctx, handlers)
//
// The other side is a [Handler], which lets in only whom it should, or [Accept] in an HTTP handler of
// one's own:
//
//	handler := &ws.Handler{Serve: func(ctx context.Context, socket rpc.Transport, r *http.Request) {
//		_ = rpc.NewPeer(socket, nil).Serve(ctx, handlers)
//	}}
//	err := ws.ListenAndServe(ctx, "localhost:8080", handler)
//
// This is the one package of the generated ones that imports more than the standard library:
//
//	go get github.com/coder/websocket
//
// That library has no dependencies, honours contexts, answers pings and closing as it should, and takes
// compression and HTTP/2 upon itself; the standard library has no WebSocket.
package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Dial connects to a URL such as ws://localhost:8080. The context only applies to connecting. Options are those of
// the library: headers, HTTP client and subprotocols; nil means defaults. The transport implements [rpc.Pinger] and
// [rpc.Timed].
func Dial(ctx context.Context, url string, o *websocket.DialOptions) (rpc.Transport, error) {
	s := newSocket()
	var options websocket.DialOptions
	if o != nil {
		options = *o
	}
	client := *http.DefaultClient
	if options.HTTPClient != nil {
		client = *options.HTTPClient
	}
	client.Transport = dialed{s, client.Transport}
	options.HTTPClient = &client
	conn, _, err := websocket.Dial(ctx, url, &options) // the library closes the body
	if err != nil {
		return nil, fmt.Errorf("dial: %w", rpc.WithCause(ctx, err))
	}
	s.conn = conn
	return s, nil
}

// Accept makes a transport of an HTTP request. If it fails, the client has been answered already. The
// connection lives on when the HTTP handler returns, but the context of the request ends then. Options are
// those of the library: allowed origins, subprotocols; nil lets in pages of the same host, and what is no
// browser. The name in the Host header is not looked at: [Handler] does that. The transport is an
// [rpc.Pinger] and [rpc.Timed].
func Accept(w http.ResponseWriter, r *http.Request, o *websocket.AcceptOptions) (rpc.Transport, error) {
	s, err := accept(w, r, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func accept(w http.ResponseWriter, r *http.Request, o *websocket.AcceptOptions) (*socket, error) {
	s := newSocket()
	if hijackable(w) { // otherwise the library reports it
		w = accepted{w, s}
	}
	conn, err := websocket.Accept(w, r, o)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	s.conn = conn
	return s, nil
}

// socket is a connection of the library with its byte stream, because the library alone would wait indefinitely for
// the rest of a frame, even when closing.
type socket struct {
	conn    *websocket.Conn
	timer   *rpc.MessageTimer
	goodbye time.Duration // limit on the closing handshake
	inside  atomic.Bool   // within a message
	frames  frames        // what has been read; only the goroutine that reads uses it
	below   io.Closer     // cuts the connection
}

// goodbye is the default limit on the closing handshake.
const goodbye = 5 * time.Second

func newSocket() *socket {
	s := &socket{goodbye: goodbye}
	s.timer = rpc.NewMessageTimer(func() {
		// A deadline still permits writing.
		if d, ok := s.below.(net.Conn); !ok || d.SetReadDeadline(time.Unix(1, 0)) != nil {
			s.cut()
		}
	})
	return s
}

// cut ends the connection immediately.
func (s *socket) cut() { _ = s.below.Close() }

// pass reads bytes for the library. In the middle of a message or of a frame, the time is limited. Of a message that came
// at once, the library has all bytes already when it is begun, so that no time is taken.
func (s *socket) pass(from io.Reader, p []byte) (int, error) {
	if s.inside.Load() || !s.frames.between() {
		s.timer.Start()
	}
	n, err := from.Read(p)
	s.frames.pass(p[:n])
	if !s.inside.Load() && s.frames.between() {
		_ = s.timer.Stop() // of a frame between messages; a late one fails the next read
	}
	return n, err
}

// SetMessageTimeout implements [rpc.Timed].
func (s *socket) SetMessageTimeout(limit time.Duration) { s.timer.SetMessageTimeout(limit) }

// Read implements [rpc.Transport]. Going away, closing without a status as browsers do, and normal closure are
// graceful. Other errors have the code and reason, see websocket.CloseStatus and websocket.CloseError.
func (s *socket) Read(limit int64) ([]byte, error) {
	s.conn.SetReadLimit(limit)
	// Cancelling a context would cut the closing handshake short; Close unblocks Read instead.
	kind, message, err := s.conn.Reader(context.Background())
	if err != nil {
		if late := s.timer.Stop(); late != nil {
			_ = s.close(websocket.StatusPolicyViolation, late.Error())
			return nil, late
		}
	}
	if err == nil && kind != websocket.MessageText {
		_ = s.close(websocket.StatusUnsupportedData, "text messages only")
		return nil, errors.New("the peer sent a binary message")
	}
	var data []byte
	if err == nil {
		s.inside.Store(true)
		data, err = io.ReadAll(message)
		s.inside.Store(false)
		if late := s.timer.Stop(); late != nil {
			_ = s.close(websocket.StatusPolicyViolation, late.Error())
			return nil, late
		}
	}
	switch {
	case err == nil && !wire.ValidUTF8(data): // which the library does not check
		_ = s.close(websocket.StatusInvalidFramePayloadData, "text that is not UTF-8")
		return nil, errors.New("the peer sent text that is not UTF-8")
	case err == nil:
		return data, nil
	case errors.Is(err, websocket.ErrMessageTooBig):
		return nil, fmt.Errorf("%w: more than %d bytes", rpc.ErrTooLarge, limit)
	}
	switch websocket.CloseStatus(err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return nil, io.EOF
	}
	return nil, fmt.Errorf("read: %w", err)
}

// Write implements [rpc.Transport].
func (s *socket) Write(ctx context.Context, message []byte) error {
	return s.conn.Write(ctx, websocket.MessageText, message)
}

// Ping implements [rpc.Pinger]. While a message is arriving, the peer is alive but could only answer after it; the
// message timeout applies.
func (s *socket) Ping(ctx context.Context) error {
	for !s.inside.Load() {
		err := s.conn.Ping(ctx)
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		// The library timed out waiting for our own message, which is not an error.
	}
	return nil
}

// Close implements [rpc.Transport].
func (s *socket) Close(reason string) error {
	code := websocket.StatusNormalClosure
	if reason != "" {
		code = websocket.StatusPolicyViolation
	}
	err := s.close(code, reason)
	if err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || websocket.CloseStatus(err) != -1 {
		return nil // the peer closed as well
	}
	return fmt.Errorf("close: %w", err)
}

// close performs the closing handshake with a time limit.
func (s *socket) close(code websocket.StatusCode, reason string) error {
	defer time.AfterFunc(s.goodbye, s.cut).Stop()
	return s.conn.Close(code, short(reason))
}

// short truncates a close reason.
func short(reason string) string {
	const room = 123 // bytes beside the code
	reason = strings.ToValidUTF8(reason, "?")
	if len(reason) <= room {
		return reason
	}
	end := room
	for !utf8.RuneStart(reason[end]) {
		end--
	}
	return reason[:end]
}
