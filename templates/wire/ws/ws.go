// Package ws carries messages over WebSocket, one in each text message. It is a transport of package rpc,
// which does all the rest:
//
//	socket, err := ws.Dial(ctx, "ws://localhost:8080", nil)
//	...
//	conn := rpc.NewPeer(socket, nil)
//	go conn.Serve(ctx, handlers)
//
// The other side does the same with [Accept] in an HTTP handler.
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

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Dial connects to a URL such as ws://localhost:8080. The context is for connecting alone. Options are
// those of the library: headers, HTTP client, subprotocols; nil is none.
func Dial(ctx context.Context, url string, o *websocket.DialOptions) (rpc.Transport, error) {
	conn, _, err := websocket.Dial(ctx, url, o) // the library closes the body
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	return &socket{conn}, nil
}

// Accept makes a transport of an HTTP request. Where it fails, the client has been answered already. The
// HTTP handler has to go on for as long as the connection lives. Options are those of the library: allowed
// origins, subprotocols; nil lets in pages of the same host, and what is no browser.
func Accept(w http.ResponseWriter, r *http.Request, o *websocket.AcceptOptions) (rpc.Transport, error) {
	conn, err := websocket.Accept(w, r, o)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	return &socket{conn}, nil
}

type socket struct{ conn *websocket.Conn }

// Read implements [rpc.Transport]. That the peer goes away, closes without a status as browsers do, or
// with the one for the normal case, is a good end. The error of another end has the code of it, which
// websocket.CloseStatus finds.
func (s *socket) Read(limit int64) ([]byte, error) {
	s.conn.SetReadLimit(limit)
	// A context that ends would cut the connection off in the middle of saying goodbye; Close wakes it.
	kind, data, err := s.conn.Read(context.Background())
	switch {
	case err == nil && kind == websocket.MessageText:
		return data, nil
	case err == nil:
		_ = s.conn.Close(websocket.StatusUnsupportedData, "text messages only")
		return nil, errors.New("the peer sent a binary message")
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

// Close implements [rpc.Transport].
func (s *socket) Close(reason string) error {
	code := websocket.StatusNormalClosure
	if reason != "" {
		code = websocket.StatusPolicyViolation
	}
	err := s.conn.Close(code, reason)
	if err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || websocket.CloseStatus(err) != -1 {
		return nil // the peer closed as well
	}
	return fmt.Errorf("close: %w", err)
}
