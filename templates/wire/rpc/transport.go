// Transports: what carries messages from one peer to the other.

package rpc

import (
	"context"
	"errors"
)

// Transport carries whole messages as bytes; it knows nothing of what is in them. Order, limits and
// back-pressure are the business of [Peer], so that they are the same over all transports.
type Transport interface {
	// Read returns the next message, which is the caller's from then on. [io.EOF] itself, wrapped in
	// nothing, says that the other side ended the connection in good order: it may still read. A
	// message of more bytes than the limit is [ErrTooLarge], after which nothing more can be read. One
	// goroutine reads.
	Read(limit int64) ([]byte, error)
	// Write sends a message, and neither keeps nor changes the bytes. When ctx ends, it gives up, and
	// with it the connection: half a message helps nobody. One goroutine writes.
	Write(ctx context.Context, message []byte) error
	// Close ends the connection, which wakes Read where that is possible. The reason is told to the other
	// side where the transport has a way to; "" is an end in good order.
	Close(reason string) error
}

// ErrTooLarge says that a message is larger than what is accepted.
var ErrTooLarge = errors.New("message too large")

// Pinger is a transport that can find out whether the other side is still there.
type Pinger interface {
	// Ping asks for a sign of life and waits for it, while another goroutine reads.
	Ping(ctx context.Context) error
}
