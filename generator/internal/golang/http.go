// Transports beside streams.

package golang

import (
	"slices"
	"strconv"
)

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
