// Package jsonrpc shows how to bring a JSON-RPC library of one's own. It connects what was generated over
// any stream that github.com/sourcegraph/jsonrpc2 can frame: standard input and output, TCP, pipes.
//
//	conn := jsonrpc.New(ctx, jsonrpc2.NewPlainObjectStream(stream), func(conn rpc.Conn) rpc.Handler {
//		return &ahp.ClientHandlers{Action: ...}
//	})
//	client := ahp.NewHostConn(conn)
//
// The library decodes parameters and encodes them again, so that they arrive with the same values, integers
// of any size included, but with their members sorted. It takes ids that are strings or whole numbers from zero
// up, and ends the connection at a message that is none, or a result with a number beyond what a float64 holds.
// How large messages may be is up to the stream, and an answer may be seen before what was sent ahead of it.
// The connections that are generated do without all of this.
package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// backlog is how many messages may wait for handlers of notifications before reading pauses.
const backlog = 1024

// Conn is one connection. It is an [rpc.Conn]; after the end, its errors are [jsonrpc2.ErrClosed].
type Conn struct {
	library  *jsonrpc2.Conn
	ready    chan struct{} // closed when the library is there
	handlers rpc.Handler
	inbox    chan *jsonrpc2.Request
	running  sync.WaitGroup
	lastID   atomic.Uint64
}

var _ rpc.Conn = (*Conn)(nil)

// New starts a connection, which ends with ctx. The function returns what handles the peer's messages:
// [*ahp.ClientHandlers] or [*ahp.HostHandlers]. It is called once, before the first message, with the
// connection, to which handlers may send.
//
// Notifications are handled one after the other, in the order in which they were sent. A request is
// handled on a goroutine of its own, when all notifications before it have been.
func New(ctx context.Context, stream jsonrpc2.ObjectStream, handlers func(rpc.Conn) rpc.Handler, options ...jsonrpc2.ConnOpt) *Conn {
	c := &Conn{ready: make(chan struct{}), inbox: make(chan *jsonrpc2.Request, backlog)}
	c.handlers = handlers(c)
	ctx, cancel := context.WithCancel(ctx)
	options = append([]jsonrpc2.ConnOpt{jsonrpc2.SetLogger(silent{})}, options...)
	c.library = jsonrpc2.NewConn(ctx, stream, receiver{c}, options...)
	close(c.ready)
	c.running.Go(func() { c.deliver(ctx) })
	context.AfterFunc(ctx, func() { _ = c.library.Close() }) // closed already, mostly
	go func() {
		<-c.library.DisconnectNotify()
		cancel()
	}()
	return c
}

// silent keeps the library from writing to standard error.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Close ends the connection.
func (c *Conn) Close() error {
	if err := c.library.Close(); !errors.Is(err, jsonrpc2.ErrClosed) {
		return err
	}
	return nil
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.library.DisconnectNotify() }

// Wait returns when the connection has ended and all handlers have returned; their context is done by then.
func (c *Conn) Wait() {
	<-c.Done()
	c.running.Wait()
}

// Call sends a request and waits for its answer. AHP has no message that cancels a request: when the
// context ends, the answer is no longer waited for, and the peer goes on.
func (c *Conn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	<-c.ready
	// The library takes an answer to nothing in particular for one to the id 0.
	id := jsonrpc2.PickID(jsonrpc2.ID{Num: c.lastID.Add(1)})
	var result json.RawMessage
	err := c.library.Call(ctx, method, optional(params), &result, id)
	var answered *jsonrpc2.Error
	if errors.As(err, &answered) {
		e := &rpc.Error{Code: answered.Code, Message: answered.Message}
		if answered.Data != nil {
			e.Data = *answered.Data
		}
		return nil, e
	}
	return result, err
}

// Notify sends a notification. Those of one goroutine arrive in the order of its calls.
func (c *Conn) Notify(ctx context.Context, method string, params json.RawMessage) error {
	<-c.ready
	return c.library.Notify(ctx, method, optional(params))
}

// optional is nothing at all where there are no parameters.
func optional(params json.RawMessage) any {
	if params == nil {
		return nil
	}
	return params
}
