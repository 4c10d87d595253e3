// Facts about methods: who sends what, what it is answered with, and the codes of errors.

package facts

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// Method is one request or notification.
type Method struct {
	Origin   `json:"-"`
	Name     string
	From     string // a side or Both; missing in a schema is an error
	Kind     string // "request" or "notification"
	Params   string
	Result   string // "" for null
	Stream   bool   // there are several results
	Since    string
	SincePos diag.Pos `json:"-"`
	Doc      string

	// ParamsAt and ResultAt are the schemas of what has no name of its own, or nil.
	ParamsAt, ResultAt *schema.Schema `json:"-"`
}

// Both is the sender and receiver of methods that either side may send.
const Both = "both"

// Sides are the names of the two sides, the initiating one first, or empty if not stated.
type Sides []string

// Names returns the names of both sides, with defaults.
func (s Sides) Names() (opens, serves string) {
	if len(s) != 2 {
		return "client", "host"
	}
	return s[0], s[1]
}

// Whole reports whether the sides are valid or not stated. Invalid names are reported elsewhere.
func (s Sides) Whole() bool { return len(s) == 0 || len(s) == 2 }

// Peer returns the opposite side, Both for Both, or "" for anything else.
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

// Messages states how to recognise definitions that name their method.
type Messages struct {
	Requests, Results, Notifications []string // suffixes of such definitions
	Both                             []string // values that mean either receiver
	Responses                        []string // suffixes of response definitions, whose result is a member
	Empty                            string   // result of requests without one of their own
	Streams                          []string // requests that have several results
	Types                            *bool    // whether whole messages have types; nil means that they do
	Payloads                         bool     // what is sent are parameters, and their names are those of the methods
}

// Sent states who sends the messages in a definition or union.
type Sent struct {
	Origin     `json:"-"`
	Definition string   // may be a pattern
	Except     []string // definitions that fit the pattern and are no messages
	From       string   // name of a side
}

// Means reports whether the messages of a definition are meant.
func (s *Sent) Means(definition string) bool {
	return schema.Wild(s.Definition, definition) && !slices.Contains(s.Except, definition)
}

// Outcome states several results of a request: a union of them, which is its result.
type Outcome struct {
	Origin  `json:"-"`
	Method  string
	Name    string   // of the union, which is defined by this
	Results []string // definitions
}

// Code is a statement about an error code.
type Code struct {
	Origin `json:"-"`
	Code   int64
	Name   string
	Data   string
	Doc    string

	Definition string // of the error, or of a message with it, which has the code and the data; "" for none

	DataPos diag.Pos `json:"-"` // position of the statement about its data
}
