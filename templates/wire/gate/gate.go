// Package gate holds back what a peer has not said that it can take. Two peers tell each other their capabilities when they
// introduce themselves; what needs one that is not among them is refused before anything is sent.
package gate

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// ErrNotAdvertised says that the peer has not said that it can take what was to be sent. The error is an [*Error], which
// names the capability.
var ErrNotAdvertised = errors.New("not advertised by the peer")

// Error says which capability is missing for what.
type Error struct {
	Method     string
	Value      string // the value in the parameters that needs it, such as "image" at prompt[].type; "" for the method itself
	Capability string // path in what the peer said of itself
}

// Error implements error.
func (e *Error) Error() string {
	what := wire.Name(e.Method)
	if e.Value != "" {
		what += ": " + e.Value
	}
	return what + ": " + e.Capability + " is " + ErrNotAdvertised.Error()
}

// Is makes errors.Is(err, ErrNotAdvertised) hold.
func (e *Error) Is(target error) bool { return target == ErrNotAdvertised }

// Gates are what a protocol says about all that one side sends.
type Gates struct {
	// Method is the request in which the sides introduce themselves. What the receiver says of itself is in its result,
	// and what the sender says is in its parameters.
	Method string
	// Opens says that the side of the gates sends that request: then its peer's capabilities are in the result.
	Opens bool
	// Methods are the capabilities that methods need, as paths with dots.
	Methods map[string]string
	Values  []Value
}

// Value is a value in the parameters of a method that needs a capability.
type Value struct {
	Method string
	Member string // path to the member, where [] stands for the items of a list
	Is     string // the text that it has; "" for anything but null and an empty list
	Needs  string
}

// Guard guards what is sent on a connection. Several guards of one connection share what the peer has said if the
// connection keeps it, as an [rpc.Peer] does.
type Guard struct {
	gates *Gates
	conn  rpc.Conn

	mu   sync.Mutex
	said json.RawMessage // if the connection does not keep it
}

// New returns a guard of a connection.
func New(gates *Gates, conn rpc.Conn) *Guard { return &Guard{gates: gates, conn: conn} }

// Allow implements [rpc.Guard].
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

// Answered implements [rpc.Guard].
func (g *Guard) Answered(method string, result json.RawMessage) {
	if g.gates.Opens && method == g.gates.Method {
		g.Introduce(result)
	}
}

// Introduce notes what the peer has said of itself.
func (g *Guard) Introduce(said json.RawMessage) {
	if conn, ok := g.conn.(rpc.Introduced); ok {
		conn.Introduce(said)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = said
}

// Supports reports whether the peer has said all that a method needs, whatever is in its parameters.
func (g *Guard) Supports(method string) bool {
	path, ok := g.gates.Methods[method]
	return !ok || Advertised(g.peer(), path)
}

// peer is what the peer has said of itself, nil if it has said nothing yet.
func (g *Guard) peer() json.RawMessage {
	if conn, ok := g.conn.(rpc.Introduced); ok {
		return conn.Introduction()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.said
}

// Advertised reports whether an introduction has a capability, by its path: true, an object, or a list with something in it.
// All else is none, as null is, or what is not there.
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

// enter goes to the value of a member of the object that comes next, and reports whether there is one.
func enter(d *wire.Decoder, name string) bool {
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == name {
			return true
		}
		d.Skip()
	}
	return false
}

// in reports whether parameters have the value.
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

// at looks at the value that comes next, or into it.
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
