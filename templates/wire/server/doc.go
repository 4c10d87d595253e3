// Package server holds states for clients: it numbers and applies actions, keeps recent ones for clients that
// reconnect, and sends each to all subscribers. It is independent of the protocol; the generated package supplies a
// [Protocol].
//
// What is sent to a client is ordered, answers included: they follow what was published before them.
package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Protocol is the generated package's part of a server. S is any state, A any action.
type Protocol[S comparable, A any] struct {
	Version string // protocol version; log data of other versions is validated
	// Older are translations of the older versions that are spoken besides.
	Older []Translation
	Table *spec.Table
	// The methods that the server handles, and the notification that carries envelopes.
	Open, Resume, Subscribe, Unsubscribe, Dispatch, Action string
	// Anytime are the methods allowed before the handshake.
	Anytime []string
	// Forms are the kinds of channels, if known.
	Forms []Form[S]
	// Lists are the lists of channels derived from their states.
	Lists []List[S, A]
	// Stateless reports whether a subscription can be answered without a state.
	Stateless bool
	Members   Members
	// Members of a dispatched action, for one that cannot be decoded.
	DispatchChannel, DispatchSequence, DispatchAction string

	ReadOpen        func(params []byte) (Opening, error)
	ReadResume      func(params []byte) (Resuming, error)
	ReadSubscribe   func(params []byte) (channel string, err error)
	ReadUnsubscribe func(params []byte) (channel string, err error)
	ReadDispatch    func(params []byte) (Dispatched[A], error)
	ReadEnvelope    func(data []byte) (Envelope[A], error)
	ReadSnapshot    func(data []byte) (Snapshot[S], error)
	Refused         func(data []byte) bool // of an envelope that cannot be decoded: reports whether it is a rejection

	// Encoders of what is sent.
	Envelope   func(Envelope[A]) wire.Appender
	Snapshot   func(Snapshot[S]) wire.Appender
	Opened     func(ctx context.Context, params []byte, o Opened[S]) (wire.Appender, error)
	Subscribed func(ctx context.Context, c *Client, params []byte, now *Snapshot[S]) (wire.Appender, error) // now is nil for a channel without a state
	Replayed   func(missed []Envelope[A], missing []string) wire.Appender
	Restarted  func([]Snapshot[S]) wire.Appender

	NotFound  error // the answer for an unknown channel
	Negotiate func(offered []string) (version string, err error)
	Apply     func(state S, action A, now time.Time) S
	Fits      func(action A, state S) bool             // reports whether an action applies to the state
	Raw       func(json.RawMessage) A                  // wraps an action that could not be decoded; nil if impossible
	Refusal   func(action A) string                    // why no client may dispatch it, or ""
	Since     func(action A) (version string, ok bool) // version of introduction, and whether it is in the protocol
}

// Opening is the client's part of the handshake.
type Opening struct {
	Client        string
	Offers        []string // versions
	Subscriptions []string // channels
}

// Opened is the server's part of the handshake.
type Opened[S any] struct {
	Client    *Client
	Version   string
	Sequence  int64
	Snapshots []Snapshot[S]
}

// Resuming is a reconnect request.
type Resuming struct {
	Client        string
	Seen          int64 // last sequence number received
	Subscriptions []string
}

// Dispatched is an action dispatched by a client.
type Dispatched[A any] struct {
	Channel  string
	Sequence int64 // client's sequence number
	Action   A
}

// Snapshot is a state at a sequence number.
type Snapshot[S any] struct {
	Channel  string
	State    S
	Sequence int64
}

// Envelope is an action as sent to subscribers.
type Envelope[A any] struct {
	Channel  string
	Action   A
	Sequence int64
	Origin   *Origin // nil for the server's own actions
	Refusal  *string // reason of a rejection, or nil
}

// Origin identifies the client that dispatched an action.
type Origin struct {
	Client   string
	Sequence int64
}
