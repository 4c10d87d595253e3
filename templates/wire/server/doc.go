// Package server is the side that holds states: it numbers actions, applies them, remembers the latest for
// who comes back, and sends each to all who have subscribed, whatever protocol they are of. What it has to
// know of the protocol, the generated package tells it in a [Protocol].
//
// What is sent to a client keeps its order, answers included: they stand behind what was published before
// they were given.
package server

import (
	"context"
	"encoding/json"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Protocol is what a generated package tells of its protocol: S is any state, A any action.
type Protocol[S comparable, A any] struct {
	Version string // that it is of: what a log has of another is looked at closely
	Table   *rpc.Table
	// The methods that the server handles itself, and the notification that carries envelopes.
	Open, Resume, Subscribe, Unsubscribe, Dispatch, Action string
	// Anytime are methods that a client may use before it has introduced itself.
	Anytime []string
	// Forms are the kinds of channels that there are; none where that is not known.
	Forms []Form[S]
	// Lists are lists of channels that follow from their states.
	Lists []List[S, A]
	// Stateless says that a client that subscribes can be told that a channel has no state.
	Stateless bool
	Members   Members
	// The members of what an action is dispatched in, for one that cannot be decoded.
	DispatchChannel, DispatchSequence, DispatchAction string

	ReadOpen        func(params []byte) (Opening, error)
	ReadResume      func(params []byte) (Resuming, error)
	ReadSubscribe   func(params []byte) (channel string, err error)
	ReadUnsubscribe func(params []byte) (channel string, err error)
	ReadDispatch    func(params []byte) (Dispatched[A], error)
	ReadEnvelope    func(data []byte) (Envelope[A], error)
	ReadSnapshot    func(data []byte) (Snapshot[S], error)
	Refused         func(data []byte) bool // of an envelope that cannot be decoded: it says a refusal

	// Envelope, Opened and so on are what is sent.
	Envelope   func(Envelope[A]) wire.Appender
	Snapshot   func(Snapshot[S]) wire.Appender
	Opened     func(ctx context.Context, params []byte, o Opened[S]) (wire.Appender, error)
	Subscribed func(ctx context.Context, c *Client, params []byte, now *Snapshot[S]) (wire.Appender, error) // now is nil for a channel without a state
	Replayed   func(missed []Envelope[A], missing []string) wire.Appender
	Restarted  func([]Snapshot[S]) wire.Appender

	NotFound  error // answers who asks for a channel that there is not
	Negotiate func(offered []string) (version string, err error)
	Apply     func(state S, action A, now time.Time) S
	Fits      func(action A, state S) bool             // whether an action is one for the state
	Raw       func(json.RawMessage) A                  // an action that could not be decoded; nil if the protocol has no type for one
	Refusal   func(action A) string                    // why no client may dispatch it, "" if it may
	Since     func(action A) (version string, ok bool) // when it came in, and whether it is the protocol's
}

// Opening is what a client introduces itself with.
type Opening struct {
	Client        string
	Offers        []string // versions
	Subscriptions []string // channels
}

// Opened is what it is answered.
type Opened[S any] struct {
	Client    *Client
	Version   string
	Sequence  int64
	Snapshots []Snapshot[S]
}

// Resuming is what a client comes back with.
type Resuming struct {
	Client        string
	Seen          int64 // sequence up to which it has everything
	Subscriptions []string
}

// Dispatched is an action that a client wants to happen.
type Dispatched[A any] struct {
	Channel  string
	Sequence int64 // by the client's count
	Action   A
}

// Snapshot is a state at one moment.
type Snapshot[S any] struct {
	Channel  string
	State    S
	Sequence int64
}

// Envelope is an action as it is sent to subscribers.
type Envelope[A any] struct {
	Channel  string
	Action   A
	Sequence int64
	Origin   *Origin // nil for an action of the server's own
	Refusal  *string // why it was refused, nil if it was applied
}

// Origin says who has dispatched an action.
type Origin struct {
	Client   string
	Sequence int64
}
