// Package flow works out which party sends what: for every type of a protocol, whether it travels
// from client to host, from host to client, or both ways, and in which message.
package flow

import (
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Direction is the way a message takes.
type Direction int

// The directions.
const (
	ClientToHost Direction = iota
	HostToClient
)

// Directions lists both.
var Directions = [...]Direction{ClientToHost, HostToClient}

// String names the direction.
func (d Direction) String() string {
	return [...]string{"client → host", "host → client"}[d]
}

// Producer is who sends in this direction.
func (d Direction) Producer() protocol.Side {
	return [...]protocol.Side{protocol.FromClient, protocol.FromHost}[d]
}

// Consumer is who reads in this direction.
func (d Direction) Consumer() protocol.Side { return d.Reverse().Producer() }

// Reverse is the other direction.
func (d Direction) Reverse() Direction { return 1 - d }

// Set is a set of directions.
type Set [2]bool

// Both is every direction.
var Both = Set{true, true}

// Only is the set of one direction.
func Only(d Direction) Set {
	var s Set
	s[d] = true
	return s
}

// And keeps the directions that are in both sets.
func (s Set) And(t Set) Set { return Set{s[0] && t[0], s[1] && t[1]} }

// Empty reports whether no direction is in the set.
func (s Set) Empty() bool { return s == Set{} }

// Reverse turns every direction round.
func (s Set) Reverse() Set { return Set{s[1], s[0]} }

// Map says how the types of one protocol travel.
type Map struct {
	via   map[protocol.Type][2]string // message that carries the type, by direction; "" for none
	known bool                        // some table says who sends what
}

// Of follows every message of a protocol to the types it carries.
func Of(p *protocol.Protocol) *Map {
	w := &walker{Map: &Map{via: map[protocol.Type][2]string{}}, hostOnly: hostOnly(p), hostStates: hostStates(p)}
	w.known = len(p.Methods) > 0 || p.Actions != nil || len(p.Channels) > 0
	for _, m := range p.Methods {
		for _, d := range Directions {
			if !Method(m)[d] {
				continue
			}
			w.typ(m.Params, d, "params of "+m.Name)
			w.typ(m.Result, d.Reverse(), "result of "+m.Name)
		}
	}
	if p.Actions != nil {
		for _, a := range p.Actions.Actions {
			w.typ(a.Struct, HostToClient, "action "+a.Type)
			if Action(a)[ClientToHost] {
				w.typ(a.Struct, ClientToHost, "action "+a.Type)
			}
		}
		w.typ(p.Actions.Union, HostToClient, "actions")
		if p.Actions.Client != nil {
			w.typ(p.Actions.Union, ClientToHost, "dispatched actions")
		}
	}
	for _, c := range p.Channels {
		if c.State != nil {
			w.typ(c.State, HostToClient, "state of channel "+c.Name)
			if c.Shared {
				w.typ(c.State, ClientToHost, "state of channel "+c.Name)
			}
		}
	}
	answers := Answers(p)
	for _, e := range p.Errors {
		for _, d := range Directions {
			if answers[d] {
				w.typ(e.Data, d, "data of error "+e.Name)
			}
		}
	}
	return w.Map
}

// Method is the directions that a method's request or notification takes.
func Method(m *protocol.Method) Set {
	return Set{m.From != protocol.FromHost, m.From != protocol.FromClient}
}

// Action is the directions that an action takes: a client sends those that it may dispatch, and those of
// channels that it may hold.
func Action(a *protocol.Action) Set {
	return Set{a.Client || a.Channel != nil && a.Channel.Shared, true}
}

// Answers is the directions that answers take: a host answers where clients ask, and the other way.
func Answers(p *protocol.Protocol) Set {
	var s Set
	for _, m := range p.Methods {
		if m.Notification {
			continue
		}
		asked := Method(m)
		s[0], s[1] = s[0] || asked[1], s[1] || asked[0]
	}
	if s.Empty() {
		return Only(HostToClient)
	}
	return s
}

// hostOnly lists the structs of actions that no client sends. They stand in the union that a client's
// message holds, and still never travel that way.
func hostOnly(p *protocol.Protocol) map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	for _, a := range p.AllActions() {
		out[a.Struct] = true
	}
	for _, a := range p.AllActions() {
		if Action(a)[ClientToHost] {
			delete(out, a.Struct)
		}
	}
	return out
}

// hostStates lists the states of channels that no client holds. If a client answers with the state of
// any channel, it is none of these.
func hostStates(p *protocol.Protocol) map[protocol.Type]bool {
	out := map[protocol.Type]bool{}
	for _, c := range p.Channels {
		if c.State != nil && !c.Shared {
			out[c.State] = true
		}
	}
	return out
}

// Directions returns how a type travels.
func (m *Map) Directions(t protocol.Type) Set {
	via := m.via[t]
	return Set{via[0] != "", via[1] != ""}
}

// Via names a message that carries the type in a direction, "" if none does.
func (m *Map) Via(t protocol.Type, d Direction) string { return m.via[t][d] }

// Known reports whether the protocol says who sends what at all. Plain schemas do not.
func (m *Map) Known() bool { return m.known }

type walker struct {
	*Map
	hostOnly, hostStates map[protocol.Type]bool
}

// typ marks a type and all it holds.
func (w *walker) typ(t protocol.Type, d Direction, via string) {
	if t == nil || w.via[t][d] != "" || d == ClientToHost && w.hostOnly[t] {
		return
	}
	seen := w.via[t]
	seen[d] = via
	w.via[t] = seen
	_, isUnion := t.(*protocol.Union)
	for _, e := range protocol.Parts(t) {
		if ref, ok := e.(protocol.Ref); ok && isUnion && d == ClientToHost && w.hostStates[ref.Type] {
			continue
		}
		w.typ(protocol.Held(e), d, via)
	}
}
