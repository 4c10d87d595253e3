// Connections: translating what a peer sends and gets, once an older version was agreed.

package translate

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Handshake says how a version is agreed.
type Handshake struct {
	Method string // the request
	Offer  string // the member of its parameters that is the offered version, or a list of them
	Answer string // the member of its result that is the version
}

// Connection is the [rpc.Translator] of one connection. It translates nothing until a version is agreed, by the answer to
// the handshake, in whichever direction it goes, or by Use.
type Connection struct {
	Versions  []*Version
	Handshake Handshake
	// State returns the state of a channel, in the version of the package, or nil. It may be nil.
	State func(channel string) json.RawMessage
	// Own are methods of received messages that are left as they are.
	Own []string
	// Strict refuses to send notifications of which nothing is left in the other version, instead of leaving them out.
	Strict bool

	agreed atomic.Pointer[Version]
}

var _ rpc.Translator = (*Connection)(nil)

// Use sets the agreed version. One that is not among the versions needs no translation.
func (c *Connection) Use(version string) { c.agreed.Store(Find(c.Versions, version)) }

// Connect returns the translator of a connection on which a version was agreed, or "" before the handshake. It is nil if
// nothing needs to be translated.
func Connect(versions []*Version, h Handshake, version string, states States) rpc.Translator {
	if version != "" && Find(versions, version) == nil {
		return nil
	}
	c := &Connection{Versions: versions, Handshake: h, State: states}
	c.Use(version)
	return c
}

// Client is Connect for clients whose notifications have answers. It is strict; see [Connection].
func Client(versions []*Version, h Handshake, version string, states States) rpc.Translator {
	t := Connect(versions, h, version, states)
	if c, ok := t.(*Connection); ok {
		c.Strict = true
	}
	return t
}

// Find returns the translation of an older version, or nil.
func Find(versions []*Version, name string) *Version {
	for _, v := range versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// agree notes the version in the answer to a handshake.
func (c *Connection) agree(m *rpc.Message) {
	if m.Kind != rpc.Result || m.Method != c.Handshake.Method {
		return
	}
	if o, err := Parse(m.Result); err == nil && o.Has(c.Handshake.Answer) {
		c.Use(nameOf(o.Get(c.Handshake.Answer)))
	}
}

// greets reports whether a message is the handshake itself, which offers versions and is in none of them.
func (c *Connection) greets(m *rpc.Message) bool {
	return m.Kind == rpc.Request && m.Method == c.Handshake.Method
}

// nameOf returns a version that is a string or a number.
func nameOf(version json.RawMessage) string {
	if text := textOf(version); text != "" {
		return text
	}
	return string(version)
}

// Sent implements [rpc.Translator].
func (c *Connection) Sent(m *rpc.Message) (keep bool, err error) {
	if m.Kind == rpc.Result && m.Method == c.Handshake.Method {
		if err := m.EncodeBody(); err != nil {
			return false, err
		}
	}
	c.agree(m)
	if v := c.agreed.Load(); v != nil && !c.greets(m) {
		if err := m.EncodeBody(); err != nil {
			return false, err
		}
		keep, err := v.Lower.message(m, c.context())
		if err == nil && !keep && (c.Strict || m.Kind == rpc.Request) { // whoever sends it would wait for what never comes
			err = c.context().Impossible("nothing of it is left")
		}
		if err != nil {
			err = fmt.Errorf("version %s: %w", v.Name, err)
		}
		return keep, err
	}
	return true, nil
}

// Received implements [rpc.Translator].
func (c *Connection) Received(m *rpc.Message) (keep bool, err error) {
	c.agree(m)
	if v := c.agreed.Load(); v != nil && !c.greets(m) && !slices.Contains(c.Own, m.Method) {
		if m.Kind == rpc.Notification {
			m.Decoded, m.DecodeError = nil, nil
		}
		return v.Lift.message(m, c.context())
	}
	return true, nil
}

func (c *Connection) context() *Context { return &Context{State: c.State, valid: true} }

// message converts a message, and reports whether anything of it is left.
func (d *Direction) message(m *rpc.Message, c *Context) (keep bool, err error) {
	switch m.Kind {
	case rpc.Request, rpc.Notification:
		params, err := d.Params(m.Method, m.Params, c)
		if err != nil || len(params) == 0 {
			return false, err
		}
		if len(params) > 1 {
			return false, c.Impossible("it is several messages there")
		}
		m.Params, m.Method = params[0], d.Name(m.Method)
	case rpc.Result:
		m.Result, err = d.Result(m.Method, m.Result, c)
	case rpc.Failure:
		m.Error, err = d.failure(m.Error, c)
	}
	return true, err
}

// failure converts an error.
func (d *Direction) failure(e *rpc.Error, c *Context) (*rpc.Error, error) {
	if e == nil {
		return nil, nil
	}
	row := d.code(e.Code)
	if row == nil {
		return e, nil
	}
	other := *e
	other.Code = row.To
	var err error
	if len(e.Data) > 0 {
		other.Data, err = d.one(row.Data, e.Data, c)
	}
	return &other, err
}
