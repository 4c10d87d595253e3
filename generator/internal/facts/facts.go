// Package facts holds what schemas leave out: names, channels, methods, effects of actions. A profile states facts
// from outside, vendor keywords within the schemas. The values are for one version of a protocol.
package facts

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Facts are the facts about a protocol. Lists are in the order stated.
type Facts struct {
	Name, Title string
	Package     Text   // Go package name
	Profile     string // profile file, or "" if the user has none
	Versions    Versions
	Sides       Sides
	Messages    Messages

	Initialisms []string
	Synonyms    [][]string
	Names       []*Name

	Whole            bool     // numbers are integers by default
	Floats, Integers []*Place // exceptions to the default

	Untagged       bool     // an object without the discriminator is the only variant that does not declare it
	UndecidedRaw   bool     // unions whose alternatives cannot be told apart are raw JSON
	OpenUnions     bool     // tagged unions keep unknown variants by default
	Discriminators []string // preferred discriminators, in order
	Unions         []*Union
	OpenEnums      bool
	Enums          []*Enum
	Keep           bool // objects keep undeclared members
	NullAbsent     bool // null counts as absent for optional members, with exceptions
	ThreeStates    []*Members
	Raw            []*Place // definitions and members kept as raw JSON
	Partials       []*Partial
	Omissions      []*Omission

	Channels    []*Channel
	Actions     *Actions // nil if not stated
	Rules       []*Action
	Effects     []*Effects
	Dispatched  []*Place     // members that hold dispatched actions
	Replication *Replication // nil if not stated
	Lifecycles  []*Lifecycle

	Methods      []*Method
	Sent         []*Sent
	Outcomes     []*Outcome
	ErrorEnums   []*Place // definitions that enumerate error codes
	Codes        []*Code
	Handshake    *Handshake // nil if not stated
	Calls        *Calls     // nil if not stated
	Batches      *Batches   // nil without batches
	Envelope     *Envelope  // nil for JSON-RPC 2.0
	HTTP         *HTTP      // nil if not stated
	Handles      []*Handle
	Constructors []*Constructor
	Extensions   *Extensions // nil if not stated

	Introduction string // the request that exchanges capabilities, or ""
	Gates        []*Gate

	Translations []*Translation
}

// Source is where a fact was stated.
type Source int

// The sources of facts.
const (
	Profile  Source = iota // the user's profile
	Embedded               // an embedded profile, which the user cannot edit
	Schema                 // a schema
)

// Absence is how to treat a fact that matches nothing in the schemas.
type Absence int

// The kinds of absence, the most serious first.
const (
	Wrong    Absence = iota // an error
	Doubtful                // a warning: the version may have been misdetected
	Expected                // expected in the version at hand
)

// Origin is where a fact comes from.
type Origin struct {
	Pos      diag.Pos
	Source   Source
	Extends  string   // profile that extends the one with the entry, or "" if that is the user's
	What     string   // short description of the fact
	Needs    []string `json:"-"` // other definitions it is about
	Unneeded Absence
	Other    bool // the schemas may be of another version than what states the fact
}

// Where returns the origin. Facts inherit it by embedding.
func (o *Origin) Where() *Origin { return o }

// Fact is implemented by everything with an origin.
type Fact interface{ Where() *Origin }

// Decode decodes a fact from its JSON form. Mismatched members are omitted and reported in the error.
func Decode[F any](n *schema.Node) (out F, err error) {
	err = json.Unmarshal([]byte(n.Compact()), &out)
	return out, err
}

// Text is a string with its position.
type Text struct {
	Text string
	Pos  diag.Pos
}

// Versions describes the version of the schemas and its relation to others.
type Versions struct {
	Order     version.Order
	At        version.Version // zero if unknown
	Wire      *Wire           // nil if peers negotiate schema versions
	WirePos   diag.Pos        `json:"-"`
	Supported []string        // versions offered by implementations that are at least as new, preferred first
	Breaking  []string        // versions that cannot speak older ones
	Confirmed string          // newest version whose action rules were checked against the specification
}

// Unconfirmed returns the last version for which action rules were checked, if the current one is newer. Otherwise it
// is "".
func (v Versions) Unconfirmed() string {
	confirmed, err := v.Order.Parse(v.Confirmed)
	if v.Confirmed == "" || err != nil || v.At.Compare(confirmed) <= 0 {
		return ""
	}
	return v.Confirmed
}

// Name fixes a Go name.
type Name struct {
	Origin `json:"-"`
	At     string // Definition, Definition.member, path of an inline type, or method()
	Name   string
}

// Place refers to a definition or one of its members.
type Place struct {
	Origin `json:"-"`
	At     string
}

// Members refers to members by pattern, with exceptions.
type Members struct {
	Origin `json:"-"`
	At     string   // Definition.member, where * matches any text
	Except []string // excluded members
	Unless []string // excluded descriptions, where * matches any text
}

// Has reports whether a member matches.
func (m *Members) Has(definition, member, description string) bool {
	return !slices.Contains(m.Except, member) && schema.Wild(m.At, definition+"."+member) &&
		!slices.ContainsFunc(m.Unless, func(pattern string) bool { return schema.Wild(pattern, description) })
}

// Union is a statement about a union.
type Union struct {
	Origin        `json:"-"`
	Union         string
	Discriminator string
	Open          *bool
	Tag           string // type name of the discriminator
	Untagged      string // discriminator value implied if it is missing
	Decide        []Decision
	Otherwise     []string // variants chosen if no other variant's members are present
}

// Decision lists the signs of a variant. It applies if no earlier decision does.
type Decision struct {
	Variant string
	Is      map[string][]string // members with one of the given texts
	Has     []string            // paths of members that must be present
}

// Enum is a statement about an enum.
type Enum struct {
	Origin `json:"-"`
	Enum   string
	Open   *bool
	Bitset bool
	Names  map[string]string // value → constant name
}

// Partial states that an object repeats a definition with all members optional.
type Partial struct {
	Origin       `json:"-"`
	At, Of, Name string
}

// Omission excludes a definition that is never on the wire.
type Omission struct {
	Origin     `json:"-"`
	Definition string // may have wildcards
}

// In returns the definitions that are excluded.
func (o *Omission) In(set *schema.Set) []*schema.Definition {
	if def := set.Lookup(o.Definition); def != nil {
		return []*schema.Definition{def}
	} else if !schema.IsPattern(o.Definition) {
		return nil
	}
	return each.Where(set.Definitions(), func(def *schema.Definition) bool { return schema.Matches(o.Definition, def.Name) })
}

// Channel is a stream of actions or notifications.
type Channel struct {
	Origin      `json:"-"`
	Name        string
	URI         string
	Prefix      string
	State       string
	PassThrough string // parameter that names the channel, if it carries methods of another protocol
	Shared      bool   // clients may hold it as well
	OtherURIs   bool   // there may be URIs of other forms
	Stability   Mark   // what its owner promises of it
	Doc         string
}

// Mark is a word, or a number as it is written.
type Mark string

// UnmarshalJSON takes a string or a number.
func (m *Mark) UnmarshalJSON(data []byte) error {
	*m = Mark(strings.Trim(string(data), `"`))
	return nil
}

// Actions names the union of all actions.
type Actions struct {
	Union  string
	Client string // name of the interface of dispatchable actions
	Source Source
	// UnionPos and ClientPos are the positions of the statements.
	UnionPos, ClientPos diag.Pos
}

// Action is a statement about an action. A profile refers to it by type, a schema by definition or union.
type Action struct {
	Origin     `json:"-"`
	Type       string
	Definition string
	Since      string
	SincePos   diag.Pos `json:"-"`
	Client     bool     // clients may dispatch it
}

// Effects is the effect of an action on its channel's state. The action is referred to as in Action.
type Effects struct {
	Origin     `json:"-"`
	Action     string
	Definition string
	Steps      *schema.Node `json:"-"`
}

// Lifecycle lists the actions that change the status of a type's values.
type Lifecycle struct {
	Origin    `json:"-"`
	Type      string
	Statement *schema.Node `json:"-"`
}

// Replication assigns roles to the types and members that replicate states.
type Replication struct {
	Origin
	Statement *schema.Node
}

// Handshake states how versions are negotiated.
type Handshake struct {
	Origin    `json:"-"`
	Method    string // the opening request
	Offer     string // parameter with the client's versions
	Answer    string // result member with the chosen version
	Error     int64  // error code for no common version
	Supported string // error data member with the supported versions
}

// Calls states how long requests are cancelled and report progress, and which ids requests have.
type Calls struct {
	Origin   `json:"-"`
	Cancel   *Cancel
	Ends     []Ending
	IDs      []IDRule
	Progress *Progress
	Ping     *Ping
	Metadata *Metadata
}

// Cancel names the notification that cancels a request.
type Cancel struct {
	Method string
	ID     string // parameter name
	Error  int64  // error code of a cancelled request, or 0
	// Unanswered is set if a request that was cancelled is not answered.
	Unanswered bool
	// NotHandshake is set if the request of the handshake is never cancelled.
	NotHandshake bool
}

// IDRule states ids that requests must not have: "null", "fraction", or those that are "used".
type IDRule struct{ Not string }

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

// Metadata names the parameter in which each request describes its sender.
type Metadata struct{ Member string }

// Progress names the notification that reports progress.
type Progress struct {
	Method  string
	Token   string // parameter name
	Request string // path of the parameter in requests
	Rising  string // parameter name: a number that only rises, or ""
}

// Batches states that messages may be batched.
type Batches struct {
	Origin     `json:"-"`
	Definition string   // definition that is present if the protocol has batches; "" for always
	Alone      []string // requests not allowed in batches
}

// Envelope states what messages look like.
type Envelope struct {
	Origin                               `json:"-"`
	Request, Result, Error, Notification json.RawMessage
	IDs                                  string // "texts" or "numbers"
	Codes                                map[string]int64
	Framing                              string // "headers" or "lines", "" if not stated

	Written *schema.Node `json:"-"` // where it is stated
}

// Forms returns the envelope as the runtime takes it.
func (e *Envelope) Forms() spec.Forms {
	out := spec.Forms{Request: string(e.Request), Result: string(e.Result), Failure: string(e.Error), Notification: string(e.Notification), TextIDs: e.IDs == "texts"}
	for name, code := range e.Codes {
		if out.Codes == nil {
			out.Codes = map[int64]string{}
		}
		out.Codes[code] = name
	}
	return out
}

// Gate states the capability that the receiver, or the sender, must have advertised for something to be sent.
type Gate struct {
	Origin `json:"-"`
	Method string // method name, or a prefix followed by an asterisk
	Member string // path of a parameter, with [] for list items; "" for the whole method
	Is     string // required text of the member; "" for any
	Needs  string // path in the capabilities of that side
	Of     string // "sender" if it is the sender's, or ""
}

// Extensions states how names outside the protocol are handled.
type Extensions struct {
	Origin `json:"-"`
	Prefix string // prefix reserved for extensions
	Since  string // first version that reserves the prefix
	Meta   string // member for metadata
	Values bool   // variant tags and enum values may be extensions as well
}

// Translation says what a difference between two versions means.
type Translation struct {
	Origin   `json:"-"`
	At       string                     // definition in the newer version, or in the older one, perhaps with wildcards; or the name of an error
	Since    string                     // version in which the change came
	Newer    []string                   // members of the newer version that the functions account for
	Older    []string                   // members of the older one
	Alters   []string                   // members that the functions change as well, and that are converted all the same
	Lower    string                     // function that converts to the older version, or ""
	Lift     string                     // function that converts back, or ""
	Values   map[string]string          // stand-ins of an enum's values that the other version lacks
	Renamed  map[string]string          // new names of members by their old ones
	Variants map[string]string          // new tags by the old ones
	Dropped  []string                   // tags of variants that are left out
	Codes    map[string]int64           // codes of errors by those that the other version lacks
	Added    map[string]json.RawMessage // members that one version requires, with what they are if the other does not say it
	Rules    []string                   // actions whose rules differ in nothing else
	// What is lost, when a snapshot is needed, and what cannot be said at all, in sentences.
	Loses, Snapshot, Impossible struct{ Lower, Lift string }
	Never                       string // why messages cannot be converted at all, or ""
	Why                         string
}

// IsAbout reports whether the entry is about a definition.
func (t *Translation) IsAbout(name string) bool {
	return t.At == name || schema.IsPattern(t.At) && schema.Matches(t.At, name)
}
