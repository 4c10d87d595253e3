// Conversation: how two peers agree on a version and what they may add to the protocol.

package profile

import "github.com/ahpgen/ahpgen/generator/diag"

// Handshake says how the two sides agree on a version of the protocol.
type Handshake struct {
	Entry
	Method    string `json:"method"`    // the request that opens a connection
	Offer     string `json:"offer"`     // member of its parameters with the client's versions
	Answer    string `json:"answer"`    // member of its result with the host's choice
	Error     int64  `json:"error"`     // code where no version fits
	Supported string `json:"supported"` // member of that error's data with the host's versions
}

// Calls says what a protocol can do about requests that take long.
type Calls struct {
	Cancel   *Cancel   `json:"cancel"`
	Progress *Progress `json:"progress"`
}

// Cancel names the notification that cancels a request.
type Cancel struct {
	Entry
	Method string `json:"method"`
	ID     string `json:"id"` // member of its parameters
}

// Progress names the notification that tells how far a request has got.
type Progress struct {
	Entry
	Method  string `json:"method"`
	Token   string `json:"token"`   // member of its parameters
	Request string `json:"request"` // path of the member in the parameters of a request
}

// Extensions says how a protocol leaves room for what it does not define.
type Extensions struct {
	Prefix string `json:"prefix"` // what names begin with that belong to extensions
	Since  string `json:"since"`  // version from which on the prefix is set aside
	Meta   string `json:"meta"`   // member that holds data beyond the protocol
}

// AddHandshake adds the handshake that stands in a schema.
func (p *Profile) AddHandshake(h Handshake, pos diag.Pos) {
	if p.Handshake == nil {
		p.Handshake = &h
		p.place("/handshake", pos)
	}
}

// AddCalls adds what a schema states about requests that take long.
func (p *Profile) AddCalls(c Calls, pos diag.Pos) {
	if p.Calls == nil {
		p.Calls = &c
		p.place("/calls", pos)
	}
}

// AddExtensions adds the rules for extensions that stand in a schema.
func (p *Profile) AddExtensions(e Extensions, pos diag.Pos) {
	if p.Extensions == nil {
		p.Extensions = &e
		p.place("/extensions", pos)
	}
}

// AddDispatched adds a member for dispatched actions that stands in a schema.
func (p *Profile) AddDispatched(e Place, pos diag.Pos) {
	if taken(p, "/actions/dispatched", p.Actions.Dispatched, e, func(e Place) string { return e.At }, always) {
		return
	}
	p.Actions.Dispatched = add(p, "/actions/dispatched", p.Actions.Dispatched, e, pos)
}

// place notes where an entry stands that a schema states about itself.
func (p *Profile) place(pointer string, pos diag.Pos) {
	if p.from == nil {
		p.from = map[string]diag.Pos{}
	}
	p.from[pointer] = pos
}
