// Receiving: the library's reader fills an inbox, and one goroutine empties it in order.

package ahpjsonrpc

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/ahpgen/ahpgen/generated/ahp"
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
	if req.Notif {
		_ = c.handlers.Notify(ctx, req.Method, params) // nobody to answer to
		return
	}
	c.running.Go(func() {
		result, err := c.handlers.Call(ctx, req.Method, params)
		// Who asked is gone where an answer cannot be sent.
		if err != nil {
			_ = c.rpc.ReplyWithError(ctx, req.ID, wireError(err))
			return
		}
		_ = c.rpc.Reply(ctx, req.ID, result)
	})
}

// wireError is what the library sends for an error of a handler.
func wireError(err error) *jsonrpc2.Error {
	var e *ahp.RPCError
	if !errors.As(err, &e) {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	out := &jsonrpc2.Error{Code: int64(e.Code), Message: e.Message}
	if e.Data != nil {
		out.Data = &e.Data
	}
	return out
}
