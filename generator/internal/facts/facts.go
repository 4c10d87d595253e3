// Package facts holds what schemas leave out: names, channels, methods, what actions do. A profile states it from outside,
// vendor keywords in the schemas themselves. These are values for one version of a protocol; what is for other versions is
// not among them.
package facts

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Facts are all that is stated about a protocol, each list in the order in which it is stated.
type Facts struct {
	Name, Title string
	Package     Text   // name of the Go package
	Profile     string // file of the profile, "" for none: nobody can add to it then
	Versions    Versions
	Sides       Sides
	Messages    Messages

	Initialisms []string
	Names       []*Name

	Whole            bool     // a number that nothing else is said of is an integer
	Floats, Integers []*Place // numbers of which something else is said

	Untagged       bool     // an object without the discriminator is the one variant that does not declare it
	OpenUnions     bool     // tagged unions keep variants they do not know, unless a rule says otherwise
	Discriminators []string // members that tell variants apart, preferred first
	Unions         []*Union
	OpenEnums      bool
	Enums          []*Enum
	Keep           bool // objects keep the members that they do not declare
	NullAbsent     bool // an optional member that is null is not there, but for those listed
	ThreeStates    []*Members
	Raw            []*Place // definitions and members that are kept as they are, as JSON
	Partials       []*Partial
	Omissions      []*Omission

	Channels    []*Channel
	Actions     *Actions // nil for none
	Rules       []*Action
	Effects     []*Effects
	Dispatched  []*Place     // members that hold what a client dispatches
	Replication *Replication // nil for none
	Lifecycles  []*Lifecycle

	Methods    []*Method
	Sent       []*Sent
	ErrorEnums []*Place // definitions that list error codes
	Codes      []*Code
	Handshake  *Handshake  // nil for none
	Calls      *Calls      // nil for none
	Batches    *Batches    // nil where messages come one by one
	Extensions *Extensions // nil for none

	Introduction string // the request in which the two sides say what they can, "" for none
	Gates        []*Gate
}

// Source is who states a fact.
type Source int

// Sources of facts.
const (
	Profile  Source = iota // a profile file
	Embedded               // a profile that comes with ahpgen, so that the user cannot correct it
	Schema                 // a schema itself
)

// Absence is what it means if nothing in the schemas matches a fact.
type Absence int

// Absences, by how bad they are.
const (
	Wrong    Absence = iota // a mistake
	Doubtful                // the fact is for some versions only: they may have been mistaken for others
	Expected                // the version at hand need not have it
)

// Origin is where a fact comes from.
type Origin struct {
	Pos      diag.Pos
	Source   Source
	Extends  string   // file of the profile that builds on the one with the entry, "" if that is the user's
	What     string   // the fact in a few words
	Needs    []string `json:"-"` // definitions that it is about beside the one it is called after
	Unneeded Absence
}

// Where returns the origin itself: facts have it by embedding.
func (o *Origin) Where() *Origin { return o }

// Fact is any that has an origin.
type Fact interface{ Where() *Origin }

// Decode reads a fact as it is written: members have the names that profiles give them. What is of another kind than it should
// be is left out, and an error says so.
func Decode[F any](n *schema.Node) (out F, err error) {
	err = json.Unmarshal([]byte(n.Compact()), &out)
	return out, err
}

// Text is a text with the place that states it.
type Text struct {
	Text string
	Pos  diag.Pos
}

// Versions says which version the schemas describe, and what is known of others.
type Versions struct {
	Order     version.Order
	At        version.Version // zero if it is unknown
	Wire      *Wire           // nil if peers agree on versions of the schemas
	WirePos   diag.Pos        `json:"-"`
	Supported []string        // that implementations as new or newer offer, preferred first
	Breaking  []string        // what is as new as one of these cannot speak what is older than it
	Confirmed string          // newest for which the rules of actions were compared with the protocol's words
}

// Unconfirmed returns the version up to which the rules of actions were confirmed, if the one at hand is
// newer: nobody has compared them with it yet. It is "" if they were, and if nothing is said.
func (v Versions) Unconfirmed() string {
	confirmed, err := v.Order.Parse(v.Confirmed)
	if v.Confirmed == "" || err != nil || v.At.Compare(confirmed) <= 0 {
		return ""
	}
	return v.Confirmed
}

// Name pins a Go name.
type Name struct {
	Origin `json:"-"`
	At     string // Definition, Definition.member, the path of an inline type, or method()
	Name   string
}

// Place names a definition or one of its members.
type Place struct {
	Origin `json:"-"`
	At     string
}

// Members names members, of which some may be left out.
type Members struct {
	Origin `json:"-"`
	At     string   // Definition.member, where * stands for any text
	Except []string // members that are not meant
	Unless []string // neither are members whose description is so, where * stands for any text
}

// Has reports whether a member of a definition is among them.
func (m *Members) Has(definition, member, description string) bool {
	return !slices.Contains(m.Except, member) && Wild(m.At, definition+"."+member) &&
		!slices.ContainsFunc(m.Unless, func(pattern string) bool { return Wild(pattern, description) })
}

// Wild reports whether a text is as a pattern says, in which * stands for any text.
func Wild(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return strings.HasSuffix(rest, last)
}

// Union is a rule for one union.
type Union struct {
	Origin        `json:"-"`
	Union         string
	Discriminator string
	Open          *bool
	Tag           string // name of the type of the discriminator's values
	Untagged      string // value of the discriminator that is meant if there is none
	Decide        []Decision
	Otherwise     []string // variants that an object is which lacks the members of the others
}

// Decision says what an object has that is one variant of a union, if it is none of those before.
type Decision struct {
	Variant string
	Is      map[string][]string // members that are one of these texts
	Has     []string            // members that are there, or paths to some
}

// Enum is a rule for one enum.
type Enum struct {
	Origin `json:"-"`
	Enum   string
	Open   *bool
	Bitset bool
	Names  map[string]string // value → member name
}

// Partial says that an object repeats a definition with every member optional.
type Partial struct {
	Origin       `json:"-"`
	At, Of, Name string
}

// Omission leaves a definition out that is never on the wire.
type Omission struct {
	Origin     `json:"-"`
	Definition string
}

// Channel is a stream of actions or notifications.
type Channel struct {
	Origin      `json:"-"`
	Name        string
	URI         string
	Prefix      string
	State       string
	PassThrough string // member of parameters that names the channel, if it carries methods of another protocol
	Shared      bool   // a client may hold it as well
	OtherURIs   bool   // there may be URIs of other forms
	Doc         string
}

// Actions names the union of all actions.
type Actions struct {
	Union  string
	Client string // name of the interface of what clients may dispatch
	Source Source
	// UnionPos and ClientPos are where these are stated.
	UnionPos, ClientPos diag.Pos
}

// Action is what is known of one action. A profile knows it by its type, a schema by the definition of the action or of
// a union that holds it.
type Action struct {
	Origin     `json:"-"`
	Type       string
	Definition string
	Since      string
	SincePos   diag.Pos `json:"-"`
	Client     bool     // clients may dispatch it
}

// Effects is what one action, known as in Action, does to the state of its channel.
type Effects struct {
	Origin     `json:"-"`
	Action     string
	Definition string
	Steps      *schema.Node `json:"-"`
}

// Lifecycle is which actions lead the values of a type from status to status.
type Lifecycle struct {
	Origin    `json:"-"`
	Type      string
	Statement *schema.Node `json:"-"`
}

// Replication is which types and members have which roles where states are replicated.
type Replication struct {
	Origin
	Statement *schema.Node
}

// Method is one request or notification.
type Method struct {
	Origin   `json:"-"`
	Name     string
	From     string // the name of a side, or Both; a schema may lack it, which is a mistake
	Kind     string // "request" or "notification"
	Params   string
	Result   string // "" is null
	Since    string
	SincePos diag.Pos `json:"-"`
	Doc      string
}

// Both is who sends a method that either side may send, and who receives it.
const Both = "both"

// Sides are what a protocol calls its two sides, first the one that opens a connection. There are none if it does not say.
type Sides []string

// Names are those of the two sides, or those that they have if the protocol does not say.
func (s Sides) Names() (opens, serves string) {
	if len(s) != 2 {
		return "client", "host"
	}
	return s[0], s[1]
}

// Whole reports whether the sides are named as they should be, or not at all. That they are not is reported.
func (s Sides) Whole() bool { return len(s) == 0 || len(s) == 2 }

// Peer is the side across from one, or both from both. It is "" for what is neither.
func (s Sides) Peer(side string) string {
	switch opens, serves := s.Names(); side {
	case opens:
		return serves
	case serves:
		return opens
	case Both:
		return Both
	}
	return ""
}

// Messages says how to tell apart definitions that name the method that they are a message of.
type Messages struct {
	Requests, Results, Notifications []string // what the names of such definitions end with
	Both                             []string // what else a definition may say of who receives it: both do
	Responses                        []string // what the names of whole responses end with, whose member is the result
	Empty                            string   // definition of the result of requests that have no other
}

// Sent says who sends the messages that a definition is, or is a union of.
type Sent struct {
	Origin     `json:"-"`
	Definition string
	From       string // the name of a side
}

// Code names one error code.
type Code struct {
	Origin `json:"-"`
	Code   int64
	Name   string
	Data   string
	Doc    string

	DataPos diag.Pos `json:"-"` // where a schema says what data comes with it
}

// Handshake says how the two sides agree on a version of the protocol.
type Handshake struct {
	Origin    `json:"-"`
	Method    string // the request that opens a connection
	Offer     string // member of its parameters with the client's versions
	Answer    string // member of its result with the host's choice
	Error     int64  // code if no version fits
	Supported string // member of that error's data with the host's versions
}

// Calls says what a protocol can do about requests that take long.
type Calls struct {
	Origin   `json:"-"`
	Cancel   *Cancel
	Ends     []Ending
	Progress *Progress
	Ping     *Ping
}

// Cancel names the notification that cancels a request.
type Cancel struct {
	Method string
	ID     string // member of its parameters
	Error  int64  // code of the error that answers such a request, 0 if none is set aside
}

// Ending names a notification that cancels requests of a method if a member is the same in both.
type Ending struct {
	Method  string
	Request string
	Member  string          // of the parameters of both
	Result  json.RawMessage // that answers a request which was cancelled, nil if an error does
}

// Ping names the request that asks for a sign of life.
type Ping struct {
	Method string
	Params json.RawMessage // nil if it is sent without
}

// Progress names the notification that tells how far a request has got.
type Progress struct {
	Method  string
	Token   string // member of its parameters
	Request string // path of the member in the parameters of a request
}

// Batches says that messages may come as batches.
type Batches struct {
	Origin     `json:"-"`
	Definition string   // a definition that schemas have if the protocol has batches; "" if it has them anyway
	Alone      []string // requests that must not be in one
}

// Gate says which capability something needs that is sent: the receiver has to have said in the introduction that it has it.
type Gate struct {
	Origin `json:"-"`
	Method string // name of the method, or what such names begin with and an asterisk
	Member string // path of a member of the parameters, with [] for the items of lists; "" for the method as a whole
	Is     string // the text that the member has; "" for anything
	Needs  string // path in what the receiver says of itself
}

// Extensions says how a protocol leaves room for what it does not define.
type Extensions struct {
	Origin `json:"-"`
	Prefix string // what names begin with that belong to extensions
	Since  string // version from which on the prefix is set aside
	Meta   string // member that holds data beyond the protocol
	Values bool   // tags of variants and values of enums may be extensions as well
}
