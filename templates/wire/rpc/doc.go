// Package rpc implements JSON-RPC 2.0 for generated packages: strict message decoding, connections, typed errors,
// handlers and version negotiation. It is independent of the protocol; generated packages describe it with package spec, and
// send and handle messages with package typed.
package rpc

import (
	"context"
	"encoding/json"
	"log"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
)

// Conn sends requests and notifications. It can be implemented with any JSON-RPC library. Both methods must be safe
// for concurrent use.
type Conn interface {
	// Call sends a request and waits for its answer; params is nil for a method without parameters. An error answer
	// is, or wraps, an [*Error].
	Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params json.RawMessage) error
}

// Handler decodes and handles messages. Generated handlers implement it.
type Handler interface {
	// DecodeRPC decodes a message, like [Decode] with the protocol's table.
	DecodeRPC(data []byte) (Message, error)
	// ServeRPC handles a request or notification. The result or error answers a request, the error as converted by
	// [AsError]. For notifications both are discarded.
	ServeRPC(ctx context.Context, m *Message) (json.RawMessage, error)
}

// Introduced is implemented by a [Conn] that stores the peer's capabilities.
type Introduced interface {
	Introduce(said json.RawMessage)
	Introduction() json.RawMessage // nil before the exchange
}

// Versioned is implemented by a [Conn] that knows the negotiated version, which is "" before the handshake. Links on
// it refuse what the version lacks, as with [Link.AtVersion].
type Versioned interface {
	Version() string
}

// Local returns an in-memory connection: calls run the handler on the caller's goroutine.
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

// localCall is a request on a [Local] connection. It is answered when the handler returns.
type localCall struct {
	mu       sync.Mutex // guards the following fields
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

// done calls what waits for the answer, concurrently with the caller.
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
			if err := hooks.Apart("a function passed to AfterReply", func() { f(ctx) }); err != nil {
				log.Print("rpc: ", err)
			}
		}
	}()
}

func null() json.RawMessage { return json.RawMessage("null") }
