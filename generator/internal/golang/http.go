// Transports beside streams, and how messages travel over HTTP.

package golang

import (
	"maps"
	"slices"
	"strconv"
)

// HTTP describes how messages travel over HTTP. Headers are "" if they are not used.
type HTTP struct {
	Session   string   `go:"text"`
	Version   string   `go:"text"`
	VersionAt []string `go:"text"`
	Method    string   `go:"text"`
	Name      string   `go:"text"`
	Names     []HTTPName
	Mismatch  int64
	Arguments *HTTPArguments
	Refusal   *HTTPRefusal
	Status    []HTTPStatus
	LastEvent string `go:"text"`

	Scope    string `go:"text"`
	ScopeAt  string `go:"text"`
	Unscoped []*Method

	Get, Delete, Prime, Deferred bool
}

// HTTPName is the parameter of a method that a header repeats.
type HTTPName struct {
	Method *Method
	Member string `go:"text"`
}

// HTTPArguments are the arguments of requests that headers repeat.
type HTTPArguments struct {
	Method                      *Method
	Called, In, Keyword, Prefix string `go:"text"`
}

// HTTPRefusal is the error for a version that a server does not accept.
type HTTPRefusal struct {
	Code                 int64
	Supported, Requested string `go:"text"`
}

// HTTPStatus is the status of error answers with a code.
type HTTPStatus struct{ Code, Status int64 }

// http builds how messages travel over HTTP.
func (b *builder) http(out *RPC) {
	in := b.in.HTTP
	if in == nil {
		return
	}
	out.HTTP = &HTTP{
		Session: in.Session, Version: in.Version, VersionAt: in.VersionAt, Method: in.Method, Name: in.Name, Mismatch: in.Mismatch,
		LastEvent: in.LastEvent, Get: in.Get, Delete: in.Delete, Prime: in.Prime,
		Deferred: in.Deferred, Scope: in.Scope, ScopeAt: in.ScopeAt,
	}
	for _, n := range in.Names {
		out.HTTP.Names = append(out.HTTP.Names, HTTPName{b.out.Methods[slices.Index(b.in.Methods, n.Method)], n.Member})
	}
	for _, m := range in.Unscoped {
		out.HTTP.Unscoped = append(out.HTTP.Unscoped, b.out.Methods[slices.Index(b.in.Methods, m)])
	}
	if a := in.Arguments; a != nil {
		out.HTTP.Arguments = &HTTPArguments{b.out.Methods[slices.Index(b.in.Methods, a.Method)], a.Called, a.In, a.Keyword, a.Prefix}
	}
	if r := in.Refusal; r != nil {
		out.HTTP.Refusal = &HTTPRefusal{r.Code, r.Supported, r.Requested}
	}
	for _, code := range slices.Sorted(maps.Keys(in.Status)) {
		out.HTTP.Status = append(out.HTTP.Status, HTTPStatus{code, int64(in.Status[code])})
	}
}

// The names of transports that a package may have beside streams.
const (
	WebSocket = "websocket" // with a dependency
	Web       = "http"
)

// Transports returns those names.
func Transports() []string { return []string{WebSocket, Web} }

// transports determines the additional transports.
func (b *builder) transports() {
	for _, name := range b.opts.Transports {
		switch {
		case !slices.Contains(Transports(), name):
			b.Errorf(b.opts.TransportsAt, "unknown-transport", "there are "+strconv.Quote(WebSocket)+" and "+strconv.Quote(Web)+"; streams need not be asked for", "there is no transport %q", name)
		case b.out.RPC == nil:
			b.Errorf(b.opts.TransportsAt, "no-methods", "leave transports out: there is nothing that could be sent", "the protocol has no methods")
		case name == Web && b.out.RPC.Envelope != nil:
			b.Errorf(b.opts.TransportsAt, "bad-http", "leave \"http\" out of transports", "the messages of the protocol are not those of JSON-RPC 2.0, which HTTP carries")
		case !b.lacks(b.opts.TransportsAt, "transports", PartClient, PartHost):
			b.out.Sockets = b.out.Sockets || name == WebSocket
			b.out.Web = b.out.Web || name == Web
		}
	}
}
