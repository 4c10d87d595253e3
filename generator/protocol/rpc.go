// Conversation: the two sides, their methods, and rules for requests.

package protocol

import (
	"cmp"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
)

// Side is a party by its role: a client opens a connection, a host serves it. [Sides] has the protocol's names for
// them.
type Side string

// The senders of messages.
const (
	FromClient Side = "client"
	FromHost   Side = "host"
	FromBoth   Side = "both"
)

// Sides are the protocol's names of the two sides.
type Sides struct{ Client, Host string }

// Name returns the name of a side, or of both.
func (s Sides) Name(side Side) string {
	switch side {
	case FromClient:
		return cmp.Or(s.Client, string(side))
	case FromHost:
		return cmp.Or(s.Host, string(side))
	}
	return string(side)
}

// A returns the name of a side with an indefinite article.
func (s Sides) A(side Side) string { return A(s.Name(side)) }

// A returns a word with an indefinite article.
func A(word string) string {
	if strings.IndexAny(word, "aeioAEIO") == 0 {
		return "an " + word
	}
	return "a " + word
}

// Peer returns the opposite side.
func (s Side) Peer() Side {
	if s == FromClient {
		return FromHost
	}
	return FromClient
}

// Envelope describes messages. Their forms are JSON in which texts such as "$method" are placeholders.
type Envelope struct {
	Request, Result, Error string
	Notification           string // "" if there are none
	TextIDs                bool   // the ids of requests are texts
	Codes                  []NamedCode
	Headers                bool // over a stream, each message has a header with its length
	Pos                    diag.Pos
}

// NamedCode is an error code that is a text on the wire.
type NamedCode struct {
	Name string
	Code int64
}

// Method is a request or notification.
type Method struct {
	Name         string
	GoName       string // stated Go name, or ""
	From         Side
	Notification bool
	Params       Type // nil without parameters
	Result       Type // nil if the result is null
	NullResult   bool // the result may be null as well
	Stream       bool // there are several results
	Since        string
	Doc          string
	Pos          diag.Pos
}

// Wire describes negotiated versions that differ from schema versions.
type Wire struct {
	Order   string
	Version string            // the version negotiated by peers of this version
	Since   map[string]string // negotiated versions by the schema versions that introduced something
}

// OnWire returns the version peers must have negotiated for something introduced in a schema version.
func (p *Protocol) OnWire(since string) string {
	if p.Wire == nil {
		return since
	}
	return p.Wire.Since[since]
}

// SpokenOrder returns the order of negotiated versions.
func (p *Protocol) SpokenOrder() string {
	if p.Wire == nil {
		return p.Order
	}
	return p.Wire.Order
}

// Spoken returns the version negotiated by peers of this version.
func (p *Protocol) Spoken() string {
	if p.Wire == nil {
		return p.Version
	}
	return p.Wire.Version
}

// Handshake describes the version negotiation.
type Handshake struct {
	Method    *Method    // the opening request
	Offer     string     // parameter with the client's versions
	Answer    string     // result member with the chosen version
	Error     *ErrorCode // error for no common version; nil if a single version is offered
	Supported string     // error data member with the supported versions
	Number    bool       // if a single version is offered: it is an integer
	Pos       diag.Pos
}

// Calls describes cancellation, progress and ids of requests.
type Calls struct {
	Cancel      *Method // the cancelling notification, or nil
	CancelID    string  // parameter with the request id
	CancelError int64   // error code of cancelled requests, or 0
	// Unanswered is set if cancelled requests are not answered, NotHandshake if that of the handshake is never cancelled.
	Unanswered, NotHandshake bool
	Ends                     []*Ending // notifications that cancel requests by something else than their ids
	NotIDs                   []string  // what requests must not have as ids, sorted: "fraction", "null", "used"
	Ping                     *Method   // the request that asks for a sign of life; nil if there is none
	PingParams               string    // JSON of its parameters, "" if it is sent without
	Progress                 *Method   // the progress notification, or nil
	Token                    string    // parameter with the progress token
	RequestPath              []string
	Rising                   string    // parameter that is higher in each notification with a token, "" if there is none
	Takes                    []*Method // requests that accept a token
	Metadata                 string    // parameter in which each request describes its sender, "" if there is none
	Pos                      diag.Pos
}

// Ending is a notification that cancels requests.
type Ending struct {
	Method  *Method // the notification
	Request *Method // the requests that it cancels
	Member  string  // of the parameters of both, which has the same value then
	Result  string  // JSON of the result that answers such a request, "" if an error does
}

// Batches describes JSON-RPC batches.
type Batches struct {
	Alone []*Method // requests not allowed in a batch
	Pos   diag.Pos
}

// HTTP describes how messages travel over HTTP. Headers are "" if they are not used.
type HTTP struct {
	Session   string     // header with the id of a session
	Version   string     // header with the version of the protocol
	VersionAt []string   // path of the version in the parameters of requests, or nil
	Method    string     // header that repeats the method
	Name      string     // header that repeats a parameter
	Names     []HTTPName // that parameter
	Mismatch  int64      // code of the error for headers that differ from the body, or 0
	Arguments *HTTPArguments
	Refusal   *HTTPRefusal  // the error for an unsupported version, or nil
	Status    map[int64]int // HTTP status of error answers, by code
	LastEvent string        // header with the id of the last event received
	Get       bool          // a client may open a stream for messages that answer no request
	Delete    bool          // a client may end a session
	Prime     bool          // clients understand an event with an id and no data
	Deferred  bool          // answers come on the streams that clients open
	Scope     string        // header that divides a session, each value with a stream of its own
	ScopeAt   string        // the parameter that it repeats
	Unscoped  []*Method     // requests whose answers come on the stream without a scope
	Pos       diag.Pos
}

// HTTPArguments are the arguments of requests that headers repeat: those for which the schema of what is called asks.
type HTTPArguments struct {
	Method  *Method
	Called  string // member of the parameters: the name of what is called
	In      string // member of the parameters: an object of the arguments
	Keyword string // of the schema
	Prefix  string // of the headers
}

// HTTPRefusal is the error for a version that a server does not accept. The members of its data are the versions that the server
// accepts, and the one of the request.
type HTTPRefusal struct {
	Code                 int64
	Supported, Requested string
}

// HTTPName is the parameter of a method that a header repeats.
type HTTPName struct {
	Method *Method
	Member string
}

// Capabilities describes what requires a capability of the peer, or of the sender itself.
type Capabilities struct {
	Introduction *Method // the request that exchanges capabilities, sent by the initiating side
	Gates        []*Gate // those of methods first
}

// Gate is something that requires a capability of its receiver, or of its sender.
type Gate struct {
	Method *Method
	From   Side     // the sender
	Own    bool     // the sender itself must have advertised the capability
	Member string   // path of a parameter, with [] after lists; "" for the whole method
	Is     string   // required text of the member; "" for any
	Needs  string   // path in the capabilities of that side: the parameters or the result of the exchange
	Pos    diag.Pos // position of the gate or the method in a schema
}

// Extensions describes how names outside the protocol are handled.
type Extensions struct {
	Prefix string // prefix reserved for extensions, or ""
	Values bool   // also for variant tags and enum values
	Since  string // version that reserved the prefix; "" for all
	Meta   string // member for metadata and trace context, or ""
	Pos    diag.Pos
}
