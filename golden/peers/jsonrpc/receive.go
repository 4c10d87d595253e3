// Receiving: the library's reader fills an inbox, and one goroutine empties it in order.

package jsonrpc

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// receiver takes requests and notifications from the library, on the goroutine that reads: answers to
// this side's own requests come in on it too, so handlers must not run there.
type receiver struct{ *Conn }

func (r receiver) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	select {
	case r.inbox <- req:
	case <-ctx.Done():
	}
}

// deliver handles notifications, and starts to handle requests, until the connection ends.
func (c *Conn) deliver(ctx context.Context) {
	for {
		select {
		case req := <-c.inbox:
			c.handle(ctx, req)
		case <-ctx.Done():
			return
		}
	}
}

func (c *Conn) handle(ctx context.Context, req *jsonrpc2.Request) {
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	m := rpc.Message{Kind: rpc.Request, Method: req.Method, Params: params}
	if req.Notif {
		m.Kind = rpc.Notification
		_, _ = c.handlers.ServeRPC(ctx, &m) // a notification has no answer
		return
	}
	c.running.Go(func() {
		result, err := c.handlers.ServeRPC(ctx, &m)
		// Who asked is gone where an answer cannot be sent.
		if err != nil {
			_ = c.library.ReplyWithError(ctx, req.ID, wireError(err))
			return
		}
		_ = c.library.Reply(ctx, req.ID, result)
	})
}

// wireError is what the library sends for an error of a handler.
func wireError(err error) *jsonrpc2.Error {
	e := rpc.AsError(err) // whatever a handler returned, with its code and data
	out := &jsonrpc2.Error{Code: e.Code, Message: e.Message}
	if e.Data != nil {
		out.Data = &e.Data
	}
	return out
}
