// Streams of answers: requests with several results.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Streamer is implemented by a [Conn] that receives several results of one request.
type Streamer interface {
	// Stream sends a request when the sequence is iterated, each time anew, and yields its results as they arrive. An
	// error is the last element: an error answer, which is, or wraps, an [*Error], or that of the connection. The request
	// ends when the iteration does, or ctx. It must be safe for concurrent use.
	Stream(ctx context.Context, method string, params json.RawMessage) iter.Seq2[json.RawMessage, error]
}

// ErrNoStream is returned for a request with several results on a connection that takes one.
var ErrNoStream = errors.New("the connection takes one result of a request")

var errStreamEnded = errors.New("the stream of results has ended")

// Stream implements [Streamer]. The handler runs on its own goroutine, and waits for each result to be taken. When the
// iteration stops, its context ends.
func (l local) Stream(ctx context.Context, method string, params json.RawMessage) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		results, returned := make(chan json.RawMessage), make(chan answer, 1)
		call := &localCall{}
		m := &Message{Kind: Request, ID: null(), Method: method, Params: params, Partial: func(result json.RawMessage) error {
			select {
			case results <- result:
				return nil
			case <-ctx.Done():
				return ContextError(ctx)
			}
		}}
		go func() {
			last := answer{err: errStreamEnded} // if the handler ends its goroutine
			defer func() {
				if value := recover(); value != nil { // as a [Peer] answers
					log.Printf("rpc: the handler of %s panicked: %v", wire.Readable(method), value)
					last.err = &Error{Code: int64(InternalError), Message: "the handler failed"}
				}
				returned <- last
			}()
			defer call.done(context.WithoutCancel(ctx))
			last.result, last.err = l.ServeRPC(context.WithValue(ctx, localKey{}, call), m)
		}()
		for {
			select {
			case result := <-results:
				if !yield(result, nil) {
					return
				}
			case last := <-returned:
				if last.err != nil {
					yield(nil, AsError(last.err))
				} else if last.result != nil {
					yield(last.result, nil)
				}
				return
			case <-ctx.Done():
				yield(nil, ContextError(ctx))
				return
			}
		}
	}
}

// answer is what a handler returned.
type answer struct {
	result json.RawMessage
	err    error
}
