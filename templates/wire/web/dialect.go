// Package web carries messages over HTTP, with net/http alone: each message of a client is the body of a POST request, and
// what the server has to say comes as the answer, in one JSON text or as a stream of server-sent events.
//
// There are two ways. Where each request stands for itself, [Client] is an [rpc.Conn] and [rpc.Streamer], and [Handler] serves an
// [rpc.Handler]. Where requests belong to sessions in which both sides may ask, as in Streamable HTTP, [Dial] and [Sessions]
// make transports for [rpc.Peer]. What protocols call their headers, and which of all this they have, is in a [Dialect].
//
// Two packages of different versions can share one URL: [Handler.Older] has the sessions of the older one. A client finds out which
// one a server knows with a request of the newer one, whose error it gives to [Dialect.Supported] and [Dialect.Foreign].
//
// Sessions are in the process that has opened them. In front of several processes, a balancer has to route by the header of the session,
// once an answer has set it. A process that does not know the session answers 404; the connection of the client then ends with
// [ErrSessionEnded], and the client begins anew. Requests without sessions may go to any process.
package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Dialect is how a protocol uses HTTP. The zero value is that of JSON-RPC over POST requests, without more. Headers that are
// "" are not used.
type Dialect struct {
	// Session is the header with the id of a session. The server sets it in its answer to the request that opens one, and
	// the client in all later requests.
	Session string
	// Open is the method of the request that opens a session; "" for any.
	Open string
	// Agreed is the member of the result of that request with the version for the header Version.
	Agreed string
	// Version is the header with the version of the protocol, and Versions what a server accepts there; nil for anything.
	Version  string
	Versions []string
	// VersionAt is the path in the parameters of requests where the version stands as well; nil for nowhere. A client
	// copies it from there, and a server refuses requests in which they differ.
	VersionAt []string
	// Unsupported is the error for a version that a server does not accept; nil for one without data.
	Unsupported *Unsupported
	// Method is the header that repeats the method of requests.
	Method string
	// Name is the header that repeats a member of the parameters of some requests, and Names that member, by method.
	Name  string
	Names map[string]string
	// Parameters says which arguments headers repeat, where a schema asks for it; nil for none.
	Parameters *Parameters
	// Mismatch is the code of the error for headers that are missing or differ from the body.
	Mismatch int64
	// Status is the HTTP status of error answers, by code. It is 200 for all others.
	Status map[int64]int
	// Get is set if a client may open a stream, by GET, for messages that answer no request, or resume one.
	Get bool
	// Delete is set if a client may end a session, by DELETE.
	Delete bool
	// LastEvent is the header with the id of the last event received, with which a stream is resumed.
	LastEvent string
	// Prime is set if clients understand an event without data, whose id lets them resume a stream from its beginning.
	Prime bool
	// Deferred is set if what is sent in a session is answered with 202 and no body. The answers then come on the streams that
	// GET opens, except that of the request which opens the session.
	Deferred bool
	// Scope is the header that divides a session whose answers are deferred: each value has a stream of its own, which is
	// asked for with that header. Messages repeat there what stands at ScopeAt in their parameters, and answers what the
	// request was sent with. A client asks for the stream of a scope that it learns at ScopeAt in a result.
	Scope   string
	ScopeAt string
	// Unscoped are the methods whose answers may come on the stream without a scope all the same. A server sends them there
	// if the stream of the scope is not read, since otherwise they would overtake what was sent before them.
	Unscoped []string
	// Batches is set if a body may be several messages, for [Sessions]. With a [Handler] the table of the protocol decides.
	Batches bool
}

// none is the dialect for a nil pointer.
var none = &Dialect{}

func (d *Dialect) orNone() *Dialect {
	if d == nil {
		return none
	}
	return d
}

// member returns the value at a path of a JSON object.
func member(object json.RawMessage, path ...string) (value json.RawMessage, ok bool) {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			return nil, false
		}
		if object, ok = members[name]; !ok {
			return nil, false
		}
	}
	return object, len(object) > 0
}

// at returns the text at a path of a JSON object.
func at(object json.RawMessage, path ...string) (text string, ok bool) {
	value, ok := member(object, path...)
	if !ok || value[0] != '"' {
		return "", false
	}
	return text, json.Unmarshal(value, &text) == nil
}

// sets reports whether the headers repeat anything of a message.
func (d *Dialect) sets() bool {
	return d.Method != "" || d.Scope != "" || d.Name != "" || d.Version != "" && d.VersionAt != nil
}

// describe sets the headers that repeat what is in a request or notification.
func (d *Dialect) describe(h http.Header, m *rpc.Message) {
	if d.Method != "" {
		h.Set(d.Method, encodeValue(m.Method))
	}
	if member, ok := d.Names[m.Method]; ok && d.Name != "" {
		if name, ok := at(m.Params, member); ok {
			h.Set(d.Name, encodeValue(name))
		}
	}
	if scope := d.scope(m); scope != "" {
		h.Set(d.Scope, encodeValue(scope))
	}
	if d.Version != "" && d.VersionAt != nil {
		if version, ok := at(m.Params, d.VersionAt...); ok {
			h.Set(d.Version, version)
		}
	}
}

// compare checks what the headers repeat of a request. An error is a reason. If the request is of no version, as those of older
// clients, the error says which there are.
func (d *Dialect) compare(h http.Header, m *rpc.Message) *rpc.Error {
	if m.Kind != rpc.Request || !d.sets() {
		return nil
	}
	err := d.repeated(h, m)
	if err == nil || d.VersionAt == nil || len(d.Versions) == 0 {
		return err
	}
	if _, there := at(m.Params, d.VersionAt...); !there {
		err.Message += "; supported versions are " + strings.Join(d.Versions, ", ")
	}
	return err
}

// repeated is compare without that.
func (d *Dialect) repeated(h http.Header, m *rpc.Message) *rpc.Error {
	if err := d.version(h, m); err != nil {
		return err
	}
	if d.Method != "" {
		if err := d.same(h, d.Method, m.Method, true); err != nil {
			return err
		}
	}
	if member, ok := d.Names[m.Method]; ok && d.Name != "" {
		name, there := at(m.Params, member)
		if err := d.same(h, d.Name, name, there); err != nil {
			return err
		}
	}
	return nil
}

// same checks that a header has a value of the body, if it is there.
func (d *Dialect) same(h http.Header, name, want string, there bool) *rpc.Error {
	values := h.Values(name)
	switch {
	case len(values) == 0 && there:
		return d.mismatch("the header " + name + " is missing")
	case len(values) > 1:
		return d.mismatch("the header " + name + " is given twice")
	case len(values) == 0:
		return nil
	case !there:
		return d.mismatch("the header " + name + " repeats what the body does not have")
	}
	got, ok := decodeValue(values[0])
	if !ok || got != want {
		return d.mismatch("the header " + name + " is not what the body has")
	}
	return nil
}

func (d *Dialect) mismatch(reason string) *rpc.Error {
	code := d.Mismatch
	if code == 0 {
		code = int64(rpc.InvalidRequest)
	}
	return &rpc.Error{Code: code, Message: reason}
}

// knows reports whether a server accepts the version in a header. An absent one is accepted.
func (d *Dialect) knows(h http.Header) bool {
	if d.Version == "" || d.VersionAt != nil || len(d.Versions) == 0 {
		return true
	}
	version := h.Get(d.Version)
	return version == "" || slices.Contains(d.Versions, version)
}

// status returns the HTTP status for an answer.
func (d *Dialect) status(m *rpc.Message) int {
	if m.Kind == rpc.Failure && m.Error != nil {
		if status, ok := d.Status[m.Error.Code]; ok {
			return status
		}
	}
	return http.StatusOK
}

// What surrounds a header value in Base64.
const before, behind = "=?base64?", "?="

// encodeValue returns a text as a header value, in Base64 if it is not plain visible ASCII.
func encodeValue(text string) string {
	if plain(text) && !strings.HasPrefix(text, before) && strings.TrimSpace(text) == text {
		return text
	}
	return before + base64.StdEncoding.EncodeToString([]byte(text)) + behind
}

func plain(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return (c < ' ' || c > '~') && c != '\t' })
}

// decodeValue is the inverse of encodeValue.
func decodeValue(value string) (text string, ok bool) {
	inner, encoded := strings.CutPrefix(value, before)
	if !encoded || !strings.HasSuffix(inner, behind) {
		return value, plain(value)
	}
	out, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, behind))
	return string(out), err == nil
}
