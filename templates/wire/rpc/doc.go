// Package rpc is JSON-RPC 2.0 for a generated package: messages, told apart strictly, the connection that
// methods travel on, errors with their codes and data, handlers, and which versions two peers speak. It
// knows nothing of the protocol; what it has to know, the generated package tells it in a [Table].
package rpc

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Conn sends requests and notifications to the peer; any JSON-RPC library fits behind it. Both methods
// may be called by several goroutines at once.
type Conn interface {
	// Call sends a request and waits for its answer; params is nil where the method takes none. An
	// error that the peer answered is, or wraps, an [*Error].
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify sends a notification, which has no answer.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// Handler is the other end: it decodes messages and handles them. The handlers of a generated package
// are one.
type Handler interface {
	// DecodeRPC decodes a message, as [Decode] does with the table of the protocol.
	DecodeRPC(data []byte) (Message, error)
	// ServeRPC handles a request or a notification. What it returns is the answer to a request, an
	// error that [AsError] makes an answer of; that of a notification goes nowhere.
	ServeRPC(ctx context.Context, m *Message) (json.RawMessage, error)
}

// Table is what a generated package tells of the methods of its protocol.
type Table struct {
	// Known returns the name of a method as a constant, if the protocol has it.
	Known func(name []byte) (method string, ok bool)
	// Notification decodes the parameters of a notification; nil where it has none, or is none.
	Notification func(d *wire.Decoder, method string) wire.Appender
	// Since returns the version that a method came in with, and whether the protocol has it.
	Since func(method string) (version string, ok bool)
	// Versions is the order of what peers agree on.
	Versions Order
	// Cancel says how requests are cancelled; nil where the protocol has no way.
	Cancel *Cancelling
	// Ends are notifications that cancel requests by something else than their ids.
	Ends []Ending
	// Progress says how progress is told; nil where the protocol has no way.
	Progress *Progressing
	// Batches says that messages may come as batches; nil where they may not.
	Batches *Batching
	// Extension begins the names of methods that the protocol leaves to others; "" where it does not.
	Extension string
	// ExtensionSince is the version that set those names aside; "" where it has always been so.
	ExtensionSince string
	// PassThroughs tells the channels that carry methods of other protocols.
	PassThroughs []PassThrough
}

// Local is the peer's end in memory: calls go straight to its handler, on the caller's goroutine.
func Local(h Handler) Conn { return local{h} }

type local struct{ Handler }

func (l local) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	call := &localCall{}
	result, err := l.ServeRPC(context.WithValue(ctx, localKey{}, call), &Message{Kind: Request, ID: null(), Method: method, Params: params})
	call.done(context.WithoutCancel(ctx))
	if err != nil {
		return nil, AsError(err)
	}
	return result, nil
}

func (l local) Notify(ctx context.Context, method string, params json.RawMessage) error {
	_, _ = l.ServeRPC(ctx, &Message{Kind: Notification, Method: method, Params: params})
	return nil
}

// localCall is a request of a [Local] connection, whose answer is on its way when the handler has returned.
type localCall struct {
	mu       sync.Mutex // guards what follows
	answered bool
	after    []func(context.Context)
}

type localKey struct{}

func (c *localCall) add(f func(context.Context)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.answered {
		c.after = append(c.after, f)
	}
	return !c.answered
}

// done calls what waits for the answer, beside the caller that gets it now.
func (c *localCall) done(ctx context.Context) {
	c.mu.Lock()
	after := c.after
	c.answered, c.after = true, nil
	c.mu.Unlock()
	if len(after) == 0 {
		return
	}
	go func() {
		for _, f := range after {
			f(ctx)
		}
	}()
}

func null() json.RawMessage { return json.RawMessage("null") }
