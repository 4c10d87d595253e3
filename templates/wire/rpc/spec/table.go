// Package spec describes protocols to package rpc: their methods, what they say about cancellation, progress, batches and
// extensions, and the order of their versions. Generated packages fill in a [Table].
package spec

import (
	"encoding/json"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Table describes a protocol's methods.
type Table struct {
	// Known returns the name of a method as a constant, if it is in the protocol.
	Known func(name []byte) (method string, ok bool)
	// Notification decodes a notification's parameters. It returns nil for other methods and without parameters.
	Notification func(d *wire.Decoder, method string) wire.Appender
	// Since returns the version that introduced a method, and whether the method is in the protocol.
	Since func(method string) (version string, ok bool)
	// Versions is the order of negotiated versions.
	Versions Order
	// Stated describes how each request states the version that it is of, or is nil.
	Stated *Stating
	// Cancel describes cancellation, or is nil.
	Cancel *Cancelling
	// Ends are notifications that cancel requests other than by id.
	Ends []Ending
	// Progress describes progress notifications, or is nil.
	Progress *Progressing
	// Trace describes where messages carry trace context, or is nil.
	Trace *Tracing
	// Batches describes batches, or is nil.
	Batches *Batching
	// Envelope describes the messages, nil for those of JSON-RPC 2.0.
	Envelope *Envelope
	// Extension is the prefix reserved for extensions, or "".
	Extension string
	// ExtensionSince is the version that reserved the prefix, or "" for all versions.
	ExtensionSince string
	// PassThroughs identifies channels that carry other protocols.
	PassThroughs []PassThrough
}

// Stating describes how each request states the version that it is of.
type Stating struct {
	At        []string // path in the parameters
	Supported []string // versions that are accepted
	// Code is that of the error for other versions. Its data has the accepted ones and that of the request, as these members.
	Code                int64
	Accepted, Requested string
}

// Cancelling describes how a protocol cancels requests: by a notification with their id.
type Cancelling struct {
	Method string
	Member string // parameter with the id
	Code   int64  // error code for cancelled requests, or 0
	// Unanswered is set if requests that were cancelled are not answered, unless the transport needs it.
	Unanswered bool
	Never      []string // requests that are not cancelled
}

// Ending describes a notification that cancels requests with the same value in a parameter of both. It cancels
// handlers' contexts as soon as it is read, and is then handled in its turn without waiting for those handlers.
type Ending struct {
	Method  string // of the notification
	Request string // of the requests
	Member  string // parameter of both
	// Result answers a cancelled request whose handler returns its context's error; nil answers with the error.
	Result json.RawMessage
}

// Progressing describes a protocol's progress notifications.
type Progressing struct {
	Method  string                   // notification method
	Token   string                   // parameter with the token
	Request []string                 // path of the token in a request's parameters
	Takes   func(method string) bool // reports whether a request has that member
}

// Tracing describes where messages carry trace context.
type Tracing struct {
	Member string                   // of parameters: an object open to any data
	Takes  func(method string) bool // reports whether the parameters of a method have it
}

// Batching describes a protocol's support for batches.
type Batching struct {
	Alone []string // requests not allowed in batches
}

// PassThrough identifies channels that carry another protocol.
type PassThrough struct {
	Member string // parameter with the channel's URI
	Start  string // prefix of such URIs
}

// Extended returns the version that reserved a name for extensions, and whether it is reserved.
func (t *Table) Extended(name string) (since string, ok bool) {
	return t.ExtensionSince, t.Extension != "" && strings.HasPrefix(name, t.Extension)
}

// Channel returns the channel in parameters if it carries another protocol.
func (t *Table) Channel(params json.RawMessage) (string, bool) {
	for _, p := range t.PassThroughs {
		d := wire.NewDecoder(params)
		if d.Kind() != '{' {
			return "", false
		}
		uri, ok := d.OnlyString(p.Member)
		if ok && strings.HasPrefix(uri, p.Start) {
			return uri, true
		}
	}
	return "", false
}
