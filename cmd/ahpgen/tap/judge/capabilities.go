// Capabilities: what a side may send only if its peer, or it itself, has advertised a capability.

package judge

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/gate"
)

// permitted judges whether the capabilities allow a message.
func (c *conn) permitted(m *Message, method *protocol.Method, params json.RawMessage, path string) {
	if !c.told {
		return
	}
	find := func(rule, text string) {
		f := Finding{Rule: rule, Path: path, Text: text}
		f.of(method)
		m.find(f)
	}
	if err := c.guards[m.From].Allow(method.Name, params); err != nil {
		find(NotAdvertised, err.Error())
	}
	var missing *gate.Error
	if errors.As(c.own[m.From].Allow(method.Name, params), &missing) {
		what := wire.Name(missing.Method)
		if missing.Value != "" {
			what += ": " + missing.Value
		}
		find(NotDeclared, fmt.Sprintf("%s: the %s has not advertised %s", what, c.p.Sides.Name(m.From), missing.Capability))
	}
}

// guardsOf returns what knows, for each sender, what it needs of its peer, or what it needs of its own.
func guardsOf(p *protocol.Protocol, own bool) map[protocol.Side]*gate.Guard {
	out := map[protocol.Side]*gate.Guard{}
	for _, from := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
		gates := &gate.Gates{Methods: map[string]string{}}
		if p.Capabilities != nil {
			for _, g := range p.Capabilities.Gates {
				switch {
				case g.Own != own, g.From != from:
				case g.Member == "":
					gates.Methods[g.Method.Name] = g.Needs
				default:
					gates.Values = append(gates.Values, gate.Value{Method: g.Method.Name, Member: g.Member, Is: g.Is, Needs: g.Needs})
				}
			}
		}
		out[from] = gate.New(gates, nil)
	}
	return out
}
