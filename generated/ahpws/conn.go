// Package ahpws connects the emitted client and host over WebSocket: one JSON-RPC message in each text
// message, requests and notifications in both directions.
//
// Frames are decoded by [ahp.DecodeFrame], so an action goes from the bytes on the wire to its type in
// one pass. A client:
//
//	conn, err := ahpws.Dial(ctx, "ws://localhost:8080", nil)
//	...
//	go conn.Serve(ctx, &ahp.ClientHandlers{Action: ...})
//	client := ahp.NewClient(conn)
//
// A host does the same with [Accept], [ahp.HostHandlers] and [ahp.NewHost] in an HTTP handler.
package ahpws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// ErrClosed says that the connection has ended. It is wrapped together with what ended it.
var ErrClosed = errors.New("connection closed")

// Options are how a connection behaves. The zero value of each is a default.
type Options struct {
	// MaxMessage is the size in bytes of the largest message that is accepted; a larger one ends the
	// connection. The default is 32 MiB, room for the snapshot of a long chat.
	MaxMessage int64
	// MaxRequests is how many of the peer's requests are handled at a time; those beyond are refused
	// with -32603. The default is 256.
	MaxRequests int
	// Backlog is how many messages may wait for handlers of notifications before reading pauses. The
	// default is 1024.
	Backlog int
	// WriteTimeout is how long a message may take to be sent before the peer counts as gone. The
	// default is 30 seconds.
	WriteTimeout time.Duration
	// OnBad is told of messages that cannot be handled: malformed ones, and answers to no question. The
	// connection lives on.
	OnBad func(error)

	Dial   *websocket.DialOptions   // headers, HTTP client, subprotocols
	Accept *websocket.AcceptOptions // allowed origins, subprotocols
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.MaxMessage == 0 {
		out.MaxMessage = 32 << 20
	}
	if out.MaxRequests == 0 {
		out.MaxRequests = 256
	}
	if out.Backlog == 0 {
		out.Backlog = 1024
	}
	if out.WriteTimeout == 0 {
		out.WriteTimeout = 30 * time.Second
	}
	if out.OnBad == nil {
		out.OnBad = func(error) {}
	}
	return out
}

// Conn is one connection. It is an [ahp.Conn]; answers arrive while [Conn.Serve] runs.
type Conn struct {
	socket  *websocket.Conn
	options Options
	writing chan struct{} // holds one token: whoever has it may write
	ended   chan struct{} // closed when the connection has ended

	mu       sync.Mutex // guards what follows
	lastID   uint64
	waiting  map[string]chan ahp.RPCMessage // answers that are awaited, by id
	running  int                            // requests of the peer that are being handled
	draining bool                           // no more requests are taken
	idle     chan struct{}                  // closed when draining and nothing runs
	err      error                          // what ended the connection
}

var _ ahp.Conn = (*Conn)(nil)

// Dial connects to a host. The context is for connecting alone. A nil o stands for the defaults.
func Dial(ctx context.Context, url string, o *Options) (*Conn, error) {
	options := o.withDefaults()
	socket, _, err := websocket.Dial(ctx, url, options.Dial) // the library closes the body
	if err != nil {
		return nil, fmt.Errorf("dial: %w", err)
	}
	return newConn(socket, options), nil
}

// Accept makes a connection of an HTTP request. Where it fails, the client has been answered already.
// The HTTP handler has to go on with [Conn.Serve].
func Accept(w http.ResponseWriter, r *http.Request, o *Options) (*Conn, error) {
	options := o.withDefaults()
	socket, err := websocket.Accept(w, r, options.Accept)
	if err != nil {
		return nil, fmt.Errorf("accept: %w", err)
	}
	return newConn(socket, options), nil
}

func newConn(socket *websocket.Conn, o Options) *Conn {
	socket.SetReadLimit(o.MaxMessage)
	c := &Conn{
		socket:  socket,
		options: o,
		writing: make(chan struct{}, 1),
		ended:   make(chan struct{}),
		waiting: map[string]chan ahp.RPCMessage{},
		idle:    make(chan struct{}),
	}
	c.writing <- struct{}{}
	return c
}

// Close ends the connection at once, telling the peer where that is possible.
func (c *Conn) Close() error {
	if !c.end(nil) {
		return nil
	}
	return c.socket.Close(websocket.StatusNormalClosure, "")
}

// Shutdown refuses further requests, waits until those that are being handled are answered, and closes.
// A handler that wants the connection closed after its own answer starts it on another goroutine.
func (c *Conn) Shutdown(ctx context.Context) error {
	c.drain()
	select {
	case <-c.idle:
	case <-c.ended:
	case <-ctx.Done():
		_ = c.Close() // the context's error says more
		return ctx.Err()
	}
	return c.Close()
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.ended }

// end notes that the connection has ended and why, once; nobody gets an answer any more.
func (c *Conn) end(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.ended:
		return false
	default:
	}
	c.err = err
	clear(c.waiting)
	close(c.ended)
	return true
}

// closed is the error of whoever uses the connection after its end.
func (c *Conn) closed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, c.err)
}
