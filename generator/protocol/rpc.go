// Conversation: what two peers owe each other beyond the shape of single messages.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

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
	Error     *ErrorCode // what the host answers if none fits
	Supported string     // member of that error's data: the versions that the host can speak
	Pos       diag.Pos
}

// Calls says what a protocol can do about requests that take long.
type Calls struct {
	Cancel      *Method // the notification that cancels a request; nil if there is none
	CancelID    string  // member of its parameters: the id of the request
	Progress    *Method // the notification that tells how far a request has got; nil if there is none
	Token       string  // member of its parameters: the token of the request
	RequestPath []string
	Takes       []*Method // requests that may carry a token
}

// Extensions says how a protocol leaves room for what it does not define.
type Extensions struct {
	Prefix string // what names begin with that belong to extensions; "" if there are none
	Since  string // version that set the prefix aside; "" if it has always been
	Meta   string // member that holds data beyond the protocol, with the trace context; "" if there is none
	Pos    diag.Pos
}
