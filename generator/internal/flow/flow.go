// Package flow determines in which directions each type of a protocol travels between client and host, and in which
// messages.
package flow

import (
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Direction is the direction of a message.
type Direction int

// The directions.
const (
	ClientToHost Direction = iota
	HostToClient
)

// Directions lists both.
var Directions = [...]Direction{ClientToHost, HostToClient}

// String returns the name of the direction.
func (d Direction) String() string {
	return [...]string{"client → host", "host → client"}[d]
}

// Producer returns the sender.
func (d Direction) Producer() protocol.Side {
	return [...]protocol.Side{protocol.FromClient, protocol.FromHost}[d]
}

// Consumer returns the receiver.
func (d Direction) Consumer() protocol.Side { return d.Reverse().Producer() }

// Reverse returns the opposite direction.
func (d Direction) Reverse() Direction { return 1 - d }

// Set is a set of directions.
type Set [2]bool

// Both is the set of both directions.
var Both = Set{true, true}

// Only returns the set of one direction.
func Only(d Direction) Set {
	var s Set
	s[d] = true
	return s
}

// And returns the intersection of two sets.
func (s Set) And(t Set) Set { return Set{s[0] && t[0], s[1] && t[1]} }

// Empty reports whether the set is empty.
func (s Set) Empty() bool { return s == Set{} }

// Reverse reverses each direction in the set.
func (s Set) Reverse() Set { return Set{s[1], s[0]} }

// Map holds the directions of all types of a protocol.
type Map struct {
	via   map[protocol.Type][2]string // message that carries the type, by direction, or ""
	known bool                        // the protocol states who sends what
}

// Of computes the directions from all messages of a protocol.
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

// Stored returns the types that a host keeps on disk: the states of channels and the actions in its log. It is nil if the
// protocol does not state how states are replicated, so that there is no log.
func Stored(p *protocol.Protocol) map[protocol.Type]bool {
	if p.Replication == nil {
		return nil
	}
	w := &walker{Map: &Map{via: map[protocol.Type][2]string{}}}
	for _, c := range p.Channels {
		if c.State != nil {
			w.typ(c.State, HostToClient, c.Name)
		}
	}
	for _, a := range p.AllActions() {
		w.typ(a.Struct, HostToClient, a.Type)
	}
	out := map[protocol.Type]bool{}
	for t := range w.via {
		out[t] = true
	}
	return out
}

// Method returns the directions of a method's message.
func Method(m *protocol.Method) Set {
	return Set{m.From != protocol.FromHost, m.From != protocol.FromClient}
}

// Action returns the directions of an action: from clients if they may dispatch it or hold its channel.
func Action(a *protocol.Action) Set {
	return Set{a.Client || a.Unsaid || a.Channel != nil && a.Channel.Shared, true}
}

// Answers returns the directions of a method's answers.
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

// hostOnly returns the action structs that no client sends, even though they are in a union that clients send.
func hostOnly(p *protocol.Protocol) map[protocol.Type]bool {
	out := each.SetFunc(p.AllActions(), func(a *protocol.Action) protocol.Type { return a.Struct })
	for _, a := range p.AllActions() {
		if Action(a)[ClientToHost] {
			delete(out, a.Struct)
		}
	}
	return out
}

// hostStates returns the channel states that no client holds, which a client's answer never contains.
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

// Via returns a message that carries the type in the given direction, or "".
func (m *Map) Via(t protocol.Type, d Direction) string { return m.via[t][d] }

// Known reports whether the protocol states who sends what. Plain schemas do not.
func (m *Map) Known() bool { return m.known }

type walker struct {
	*Map
	hostOnly, hostStates map[protocol.Type]bool
}

// typ marks a type and everything in it.
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
	for _, inside := range t.Head().Beneath {
		w.typ(inside, d, via)
	}
}
