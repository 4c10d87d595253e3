// Conversation: the two sides, what they send, and what they owe each other beyond the shape of single messages.

package protocol

import (
	"cmp"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Side is a party of the protocol, by the part that it has: a client opens a connection, and a host serves it. What the
// protocol calls the two is in [Sides].
type Side string

// The sides a message can come from.
const (
	FromClient Side = "client"
	FromHost   Side = "host"
	FromBoth   Side = "both"
)

// Sides are what a protocol calls its two sides.
type Sides struct{ Client, Host string }

// Name is what the protocol calls a side, and what it calls both.
func (s Sides) Name(side Side) string {
	switch side {
	case FromClient:
		return cmp.Or(s.Client, string(side))
	case FromHost:
		return cmp.Or(s.Host, string(side))
	}
	return string(side)
}

// A is the name of a side with the article before it.
func (s Sides) A(side Side) string { return A(s.Name(side)) }

// A is a word with the article before it.
func A(word string) string {
	if strings.IndexAny(word, "aeioAEIO") == 0 {
		return "an " + word
	}
	return "a " + word
}

// Peer is the other side.
func (s Side) Peer() Side {
	if s == FromClient {
		return FromHost
	}
	return FromClient
}

// Method is one JSON-RPC request or notification.
type Method struct {
	Name         string
	GoName       string // Go name stated by the profile; "" leaves it to the language stage
	From         Side
	Notification bool
	Params       Type // nil if it takes none
	Result       Type // nil if the result is null
	NullResult   bool // the result may be null as well
	Since        string
	Doc          string
	Pos          diag.Pos
}

// Wire says what peers agree on instead of a version of the schemas.
type Wire struct {
	Order   string
	Version string            // of peers that speak the version at hand
	Since   map[string]string // the same for versions of the schemas that something came in with
}

// OnWire is what a peer has to have agreed on for what came in with a version of the schemas.
func (p *Protocol) OnWire(since string) string {
	if p.Wire == nil {
		return since
	}
	return p.Wire.Since[since]
}

// SpokenOrder is the order of the versions that peers agree on.
func (p *Protocol) SpokenOrder() string {
	if p.Wire == nil {
		return p.Order
	}
	return p.Wire.Order
}

// Spoken is the version that peers agree on who speak this one.
func (p *Protocol) Spoken() string {
	if p.Wire == nil {
		return p.Version
	}
	return p.Wire.Version
}

// Handshake says how the two sides agree on a version of the protocol.
type Handshake struct {
	Method    *Method    // the request that opens a connection
	Offer     string     // member of its parameters: the versions that the client can speak
	Answer    string     // member of its result: the one that the host picked
	Error     *ErrorCode // what the host answers if none fits; nil if one version is offered
	Supported string     // member of that error's data: the versions that the host can speak
	Number    bool       // if one version is offered: versions are whole numbers
	Pos       diag.Pos
}

// Calls says what a protocol can do about requests that take long.
type Calls struct {
	Cancel      *Method   // the notification that cancels a request; nil if there is none
	CancelID    string    // member of its parameters: the id of the request
	CancelError int64     // code of the error that answers a request which was cancelled; 0 if none is set aside
	Ends        []*Ending // notifications that cancel requests by something else than their ids
	Ping        *Method   // the request that asks for a sign of life; nil if there is none
	PingParams  string    // JSON of its parameters, "" if it is sent without
	Progress    *Method   // the notification that tells how far a request has got; nil if there is none
	Token       string    // member of its parameters: the token of the request
	RequestPath []string
	Takes       []*Method // requests that may carry a token
	Pos         diag.Pos
}

// Ending is a notification that cancels requests.
type Ending struct {
	Method  *Method // the notification
	Request *Method // the requests that it cancels
	Member  string  // of the parameters of both, which has the same value then
	Result  string  // JSON of the result that answers such a request, "" if an error does
}

// Batches says that messages may come several at a time, as JSON-RPC allows.
type Batches struct {
	Alone []*Method // requests that must not be in a batch
	Pos   diag.Pos
}

// Capabilities says what the two sides have to tell each other before something is sent.
type Capabilities struct {
	Introduction *Method // a request of the side that opens the connection
	Gates        []*Gate // of methods first
}

// Gate is something that needs a capability of its receiver.
type Gate struct {
	Method *Method
	From   Side     // who sends it
	Member string   // path of a member of the parameters, with [] behind lists; "" for the method as a whole
	Is     string   // the text that the member has; "" for anything
	Needs  string   // path in what the receiver says of itself: the parameters of the introduction, or its result
	Pos    diag.Pos // in a schema: of the gate, or of the method
}

// Extensions says how a protocol leaves room for what it does not define.
type Extensions struct {
	Prefix string // what names begin with that belong to extensions; "" if there are none
	Values bool   // so do tags of variants and values of enums that begin with it
	Since  string // version that set the prefix aside; "" if it has always been
	Meta   string // member that holds data beyond the protocol, with the trace context; "" if there is none
	Pos    diag.Pos
}
