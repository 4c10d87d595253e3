// Receiving: one goroutine reads, another hands over what was read in order, and each request has a
// goroutine of its own from then on.

package ahpws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// Handlers takes what the peer sends: [*ahp.ClientHandlers] or [*ahp.HostHandlers].
type Handlers interface {
	Dispatch(ctx context.Context, f *ahp.Frame) (reply ahp.RPCMessage, ok bool)
}

// Serve reads until the connection ends and returns nil where one of the two sides closed it in good
// order. It returns when all handlers have; their context is done by then. When ctx ends, so does the
// connection. Call it once.
//
// Notifications are handled one after the other, in the order in which they were sent. A request is
// handled on a goroutine of its own, when all notifications before it have been. So a handler of a
// notification holds up what comes behind it: where it has to wait, it should start a goroutine.
func (c *Conn) Serve(ctx context.Context, h Handlers) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = c.Close() }) // the reader has the error
	inbox := make(chan ahp.Frame, c.options.Backlog)
	var handlers sync.WaitGroup
	handlers.Go(func() {
		for f := range inbox {
			c.handle(ctx, h, f, &handlers)
		}
	})
	err := c.read(ctx, inbox)
	close(inbox)
	ours := c.end(err)
	stop()
	cancel()
	handlers.Wait()
	if ours {
		_ = c.socket.CloseNow() // free it where no close frame has
	}
	return c.cause()
}

// cause is what ended the connection, unless that was a wish.
func (c *Conn) cause() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch websocket.CloseStatus(c.err) {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway:
		return nil
	}
	return c.err
}

// read brings answers to who waits for them, and everything else into the inbox.
func (c *Conn) read(ctx context.Context, inbox chan<- ahp.Frame) error {
	for {
		// Reading under the context of Serve would cut the connection off where Close says goodbye.
		kind, data, err := c.socket.Read(context.WithoutCancel(ctx))
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			_ = c.socket.Close(websocket.StatusUnsupportedData, "text messages only")
			return errors.New("the peer sent a binary message")
		}
		frame, err := ahp.DecodeFrame(data)
		switch {
		case err != nil:
			c.refuse(ctx, err)
		case frame.Kind == ahp.RPCResult || frame.Kind == ahp.RPCFailure:
			if err := c.resolve(frame.RPCMessage); err != nil {
				c.options.OnBad(err)
			}
		default:
			select {
			case inbox <- frame:
			case <-c.ended:
				return io.ErrClosedPipe
			}
		}
	}
}

// refuse answers a malformed message. Its id cannot be told, and null stands for that.
func (c *Conn) refuse(ctx context.Context, err error) {
	c.options.OnBad(fmt.Errorf("malformed message: %w", err))
	var bad *ahp.RPCError
	if errors.As(err, &bad) {
		c.reply(ctx, ahp.RPCMessage{Kind: ahp.RPCFailure, ID: json.RawMessage("null"), Error: bad})
	}
}

// handle handles a notification, or starts to handle a request.
func (c *Conn) handle(ctx context.Context, h Handlers, f ahp.Frame, handlers *sync.WaitGroup) {
	if f.Kind == ahp.RPCNotification {
		h.Dispatch(ctx, &f)
		return
	}
	if reason := c.begin(); reason != "" {
		c.reply(ctx, ahp.RPCMessage{Kind: ahp.RPCFailure, ID: f.ID, Error: &ahp.RPCError{Code: ahp.ErrorCodeInternalError, Message: reason}})
		return
	}
	handlers.Go(func() {
		defer c.finish()
		if reply, ok := h.Dispatch(ctx, &f); ok {
			c.reply(ctx, reply)
		}
	})
}

// reply sends an answer. Who asked is gone where that fails, and Serve tells why.
func (c *Conn) reply(ctx context.Context, m ahp.RPCMessage) {
	_ = c.write(ctx, m)
}

// begin counts a request in, or says why it is not handled.
func (c *Conn) begin() (refusal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.draining:
		return "shutting down"
	case c.running >= c.options.MaxRequests:
		return "too many requests at a time"
	}
	c.running++
	return ""
}

// finish counts a request out.
func (c *Conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running--
	if c.draining && c.running == 0 {
		close(c.idle)
	}
}

// drain takes no more requests.
func (c *Conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.draining && c.running == 0 {
		close(c.idle)
	}
	c.draining = true
}
