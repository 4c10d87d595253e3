// Package gate prevents sending what a peer has not advertised. Peers exchange capabilities in the handshake;
// anything that requires a missing one is refused locally.
package gate

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// ErrNotAdvertised is returned for something that requires a capability the peer has not advertised. The error is an
// [*Error] that names the capability.
var ErrNotAdvertised = errors.New("not advertised by the peer")

// Error reports a missing capability.
type Error struct {
	Method     string
	Value      string // parameter value that requires it, such as "image" at prompt[].type; "" for the method
	Capability string // path in the peer's capabilities
}

// Error implements error.
func (e *Error) Error() string {
	what := wire.Name(e.Method)
	if e.Value != "" {
		what += ": " + e.Value
	}
	return what + ": " + e.Capability + " is " + ErrNotAdvertised.Error()
}

// Is reports whether target is ErrNotAdvertised.
func (e *Error) Is(target error) bool { return target == ErrNotAdvertised }

// Gates lists the capabilities required by messages of one side.
type Gates struct {
	// Method is the request that exchanges capabilities. The receiver's are in its result, the sender's in its
	// parameters.
	Method string
	// Opens reports whether this side sends that request, so that the peer's capabilities are in the result.
	Opens bool
	// Methods maps methods to the dotted path of the capability they require.
	Methods map[string]string
	Values  []Value
}

// Value is a parameter value that requires a capability.
type Value struct {
	Method string
	Member string // path of the member, where [] stands for list items
	Is     string // required text; "" for anything but null and an empty list
	Needs  string
}

// Guard checks what is sent on a connection. Guards of one connection share the peer's capabilities if the connection
// stores them, as [rpc.Peer] does.
type Guard struct {
	gates *Gates
	conn  rpc.Conn

	mu   sync.Mutex
	said json.RawMessage // if the connection does not store it
}

// New returns a guard for a connection.
func New(gates *Gates, conn rpc.Conn) *Guard { return &Guard{gates: gates, conn: conn} }

// Allow implements Guard of package typed.
func (g *Guard) Allow(method string, params json.RawMessage) error {
	if path, ok := g.gates.Methods[method]; ok && !Advertised(g.peer(), path) {
		return &Error{Method: method, Capability: path}
	}
	for i := range g.gates.Values {
		v := &g.gates.Values[i]
		if v.Method == method && v.in(params) && !Advertised(g.peer(), v.Needs) {
			return &Error{Method: method, Value: v.text(), Capability: v.Needs}
		}
	}
	return nil
}

// Answered implements Guard of package typed.
func (g *Guard) Answered(method string, result json.RawMessage) {
	if g.gates.Opens && method == g.gates.Method {
		g.Introduce(result)
	}
}

// Introduce sets the peer's capabilities.
func (g *Guard) Introduce(said json.RawMessage) {
	if conn, ok := g.conn.(rpc.Introduced); ok {
		conn.Introduce(said)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = said
}

// Supports reports whether the peer has advertised everything a method requires, regardless of parameters.
func (g *Guard) Supports(method string) bool {
	path, ok := g.gates.Methods[method]
	return !ok || Advertised(g.peer(), path)
}

// peer returns the peer's capabilities, or nil.
func (g *Guard) peer() json.RawMessage {
	if conn, ok := g.conn.(rpc.Introduced); ok {
		return conn.Introduction()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.said
}

// Advertised reports whether capabilities contain a path with the value true, an object, or a non-empty list.
func Advertised(said json.RawMessage, path string) bool {
	d := wire.NewDecoder(said)
	for _, name := range strings.Split(path, ".") {
		if d.Kind() != '{' || !enter(&d, name) {
			return false
		}
	}
	switch d.Kind() {
	case 't':
		return d.Bool()
	case '{':
		return true
	case '[':
		return d.Array()
	}
	return false
}

// enter moves to the value of a member and reports whether it is present.
func enter(d *wire.Decoder, name string) bool {
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == name {
			return true
		}
		d.Skip()
	}
	return false
}

// in reports whether parameters contain the value.
func (v *Value) in(params json.RawMessage) bool {
	d := wire.NewDecoder(params)
	return v.find(&d, strings.Split(v.Member, "."))
}

// find looks for the value at the end of a path.
func (v *Value) find(d *wire.Decoder, path []string) bool {
	name, isList := strings.CutSuffix(path[0], "[]")
	if d.Kind() != '{' || !enter(d, name) {
		return false
	}
	if !isList {
		return v.at(d, path[1:])
	}
	if d.Kind() != '[' {
		return false
	}
	for more := d.Array(); more; more = d.NextItem() {
		item := wire.NewDecoder(d.Slice())
		if v.at(&item, path[1:]) {
			return true
		}
	}
	return false
}

// at examines the next value.
func (v *Value) at(d *wire.Decoder, rest []string) bool {
	if len(rest) > 0 {
		return v.find(d, rest)
	}
	switch d.Kind() {
	case '"':
		return v.Is == "" || string(d.Text()) == v.Is
	case 'n', 0:
		return false
	case '[':
		return v.Is == "" && d.Array()
	}
	return v.Is == ""
}

// text names the value in an error.
func (v *Value) text() string {
	if v.Is == "" {
		return v.Member
	}
	return wire.Excerpt(v.Is) + " at " + v.Member
}
