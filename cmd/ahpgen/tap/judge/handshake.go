// Handshake: versions and capabilities.

package judge

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Version is a version of a protocol that a conversation may be in.
type Version struct {
	Protocol *protocol.Protocol                 // nil if it is not loaded
	Load     func() (*protocol.Protocol, error) // loads it
}

// orders are the orders of versions by their names in profiles.
var orders = map[string]spec.Order{"numbers": spec.Numbers, "dates": spec.Dates, "integers": spec.Integers}

// Get returns the protocol of a version, or nil if it cannot be loaded.
func (v *Version) Get() *protocol.Protocol {
	if v.Protocol == nil && v.Load != nil {
		v.Protocol, _ = v.Load() // embedded schemas, which tests load
		v.Load = nil
	}
	return v.Protocol
}

// choose begins with another version if only that has the handshake that a method opens.
func (c *conn) choose(method string) {
	if c.opened || len(c.calls[method]) > 0 {
		return
	}
	for i := range c.versions {
		if p := c.versions[i].Get(); p != nil && p.Handshake != nil && p.Handshake.Method.Name == method {
			c.speak(p)
			return
		}
	}
}

// handshake judges the order of the handshake and other messages.
func (c *conn) handshake(m *Message, in *rpc.Message, method *protocol.Method) {
	h := c.p.Handshake
	if h == nil {
		return
	}
	switch {
	case method == h.Method:
		if c.opened {
			m.find(Finding{Rule: InitializedNow, Path: "method", Text: "the handshake is over, or on its way", Schema: method.Name, At: method.Pos.String()})
		}
		c.opened = true
	case c.opened, method != nil && c.anytime(method):
	case c.resumes(method):
		c.opened = true
	default:
		m.find(Finding{Rule: NotInitialized, Path: "method", Text: fmt.Sprintf("%s comes before %s", short(in.Method), h.Method.Name), Schema: h.Method.Name, At: h.Method.Pos.String()})
	}
}

// anytime reports whether a method may come before the handshake.
func (c *conn) anytime(method *protocol.Method) bool {
	if calls := c.p.Calls; calls != nil && method == calls.Ping {
		return true
	}
	s := c.session()
	return s != nil && slices.Contains(s.Anytime, method)
}

// resumes reports whether a method opens a connection instead of the handshake.
func (c *conn) resumes(method *protocol.Method) bool {
	s := c.session()
	return s != nil && method != nil && method == s.Resume.Method
}

// session returns the methods of a connection's life, or nil.
func (c *conn) session() *protocol.SessionRoles {
	if c.p.Replication == nil {
		return nil
	}
	return c.p.Replication.Session
}

// remembers reports whether the parameters of a request are needed when it is answered.
func (c *conn) remembers(method *protocol.Method) bool {
	if method == nil {
		return false
	}
	s := c.session()
	return c.p.Handshake != nil && method == c.p.Handshake.Method ||
		s != nil && (method == s.Open.Method || method == s.Resume.Method || method == s.Subscribe.Method)
}

// agree notes the version and the capabilities in the answer to the handshake.
func (c *conn) agree(m *Message, r *request, raw json.RawMessage, result map[string]any) {
	h := c.p.Handshake
	if h != nil && r.method == h.Method && result != nil {
		answer := fmt.Sprint(result[h.Answer])
		if result[h.Answer] == nil {
			answer = c.p.Spoken()
		}
		if offered, ok := r.params[h.Offer].([]any); ok && !slices.ContainsFunc(offered, func(v any) bool { return fmt.Sprint(v) == answer }) {
			m.find(Finding{Rule: BadVersion, Path: "result." + h.Answer, Text: short(answer) + " was not offered", Schema: h.Method.Name, At: h.Method.Pos.String()})
		}
		c.agreed = answer
		c.settle(m)
	}
	if k := c.p.Capabilities; k != nil && r.method != nil && k.Introduction.Name == r.method.Name {
		params, _ := json.Marshal(r.params)
		raw = slices.Clone(raw)
		for from, said := range map[protocol.Side]json.RawMessage{m.From: raw, m.From.Peer(): params} {
			c.guards[from.Peer()].Introduce(said)
			c.own[from].Introduce(said)
		}
		c.told = true
	}
}

// settle judges by the schemas of the version that was agreed on, or else by the oldest of those that include it.
func (c *conn) settle(m *Message) {
	order := orders[c.p.SpokenOrder()]
	var best *protocol.Protocol
	for i := range c.versions {
		p := c.versions[i].Get()
		if p == nil || p.Handshake == nil || p.Handshake.Method.Name != c.p.Handshake.Method.Name {
			continue
		}
		if p.Spoken() == c.agreed {
			best = p
			break
		}
		if best == nil || order.KnownIn(p.Spoken(), c.agreed) {
			best = p
		}
	}
	if best == nil {
		return
	}
	if best != c.p {
		c.speak(best)
	}
	if best.Spoken() != c.agreed {
		m.find(Finding{Rule: OtherVersion, Text: fmt.Sprintf("%s was agreed on, and is judged by the schemas of %s", short(c.agreed), best.Spoken()), Note: true})
	}
}
