// Copies: the states of channels, as a client keeps them.

package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// copies are the states that a client has.
type copies struct {
	channels map[string]*copied
	left     map[string]bool // channels that were unsubscribed from, and whose actions may be on their way
}

// copied is the state of a channel.
type copied struct {
	state    map[string]any // nil if it is not known
	sequence int64
	here     bool       // there is a snapshot
	awaited  bool       // a snapshot is on its way
	held     []envelope // until then
	size     int        // bytes of the snapshot and the actions since
}

// envelope is an action that a host has sent.
type envelope struct {
	channel  string
	action   map[string]any
	rule     *protocol.Action // nil for an unknown action
	sequence int64
	rejected bool
	size     int
}

const (
	maxHeld  = 10_000
	maxState = 256 << 20 // bytes of messages that a state was made of
)

func newCopies() *copies { return &copies{channels: map[string]*copied{}, left: map[string]bool{}} }

// await begins to hold the actions of a channel.
func (s *copies) await(channel string) {
	if s.channels[channel] == nil {
		s.channels[channel] = &copied{}
	}
	if !s.channels[channel].here {
		s.channels[channel].awaited = true
	}
	delete(s.left, channel)
}

// forget removes a channel that waits for a snapshot.
func (s *copies) forget(channel string) {
	if of := s.channels[channel]; of != nil && !of.here {
		s.leave(channel)
	}
}

func (s *copies) leave(channel string) {
	delete(s.channels, channel)
	if len(s.left) < maxHeld {
		s.left[channel] = true
	}
}

// take sets a state to a snapshot, unless it is newer.
func (s *copies) take(channel string, state map[string]any, sequence int64, size int, restart bool) (lost *protocol.Action) {
	of := s.channels[channel]
	switch {
	case of == nil:
		of = &copied{}
		s.channels[channel] = of
	case of.here && !of.awaited && sequence <= of.sequence && !restart:
		return nil
	}
	held := of.held
	*of = copied{state: state, sequence: sequence, here: true, size: size}
	for _, e := range held {
		if gone := of.deliver(e); gone != nil {
			lost = gone
		}
	}
	return lost
}

// deliver applies an action. It returns the rule if the state is not known afterwards.
func (of *copied) deliver(e envelope) (lost *protocol.Action) {
	if of.awaited {
		if len(of.held) < maxHeld {
			of.held = append(of.held, e)
		}
		return nil
	}
	stale := e.sequence <= of.sequence
	of.sequence = max(of.sequence, e.sequence)
	if stale || e.rejected || of.state == nil || e.rule == nil {
		return nil
	}
	of.size += e.size
	next, known := inside.ApplyAction(e.rule, of.state, e.action)
	if of.state = next; known && of.size <= maxState {
		return nil
	}
	of.state = nil
	return e.rule
}

// State returns the state of a channel as the client of a connection has it, as decoded JSON that is not to be changed. It is
// nil if it is not known.
func (j *Judge) State(id int, channel string) map[string]any {
	if of := j.conn(id).copies.channels[channel]; of != nil && of.here {
		return of.state
	}
	return nil
}

// Seen returns the highest number of the actions and snapshots on a connection.
func (j *Judge) Seen(id int) int64 { return j.conn(id).seen }

// Supports reports whether the receiver of a method has advertised it, as far as that is necessary. Gated says whether it is.
func (j *Judge) Supports(id int, method *protocol.Method, from protocol.Side) (supports, gated bool) {
	c := j.conn(id)
	if k := c.p.Capabilities; k != nil {
		gated = slices.ContainsFunc(k.Gates, func(g *protocol.Gate) bool {
			return g.Method == method && !g.Own && g.Member == "" && (g.From == from || g.From == protocol.FromBoth)
		})
	}
	return !gated || c.guards[from].Supports(method.Name), gated
}

// Channels returns the channels with a state on a connection.
func (j *Judge) Channels(id int) []string {
	var out []string
	for name, of := range j.conn(id).copies.channels {
		if of.here && of.state != nil {
			out = append(out, name)
		}
	}
	return out
}

// kindOf returns the channels that a URI may be of, the most specific ones. There is none if it fits no form.
func (c *conn) kindOf(uri string) []*protocol.Channel { return KindsOf(c.p, uri) }

// KindsOf returns the channels of a protocol that a URI may be of, the most specific ones. There is none if it fits no form.
func KindsOf(p *protocol.Protocol, uri string) (out []*protocol.Channel) {
	most := -1
	for _, ch := range p.Channels {
		said, ok := fitsForm(ch.URI, uri)
		if ch.URI == "" || !ok || said < most {
			continue
		}
		if said > most {
			most, out = said, nil
		}
		out = append(out, ch)
	}
	return out
}

// fitsForm reports whether a URI matches a form, in which placeholders are in angle brackets, and how specifically.
func fitsForm(form, uri string) (said int, ok bool) {
	start, rest, some := strings.Cut(form, "<")
	if !some {
		return len(form), form == uri
	}
	if !strings.HasPrefix(uri, start) {
		return 0, false
	}
	_, rest, _ = strings.Cut(rest, ">")
	uri = uri[len(start):]
	for i := 1; i <= len(uri); i++ {
		if more, ok := fitsForm(rest, uri[i:]); ok {
			return len(start) + more, true
		}
	}
	return 0, false
}

// lost notes that a state is not known any more.
func (m *Message) lost(channel string, rule *protocol.Action) {
	if rule != nil {
		m.find(Finding{
			Rule: UnknownState, Text: fmt.Sprintf("the state of %s is not followed any more: the rule of %s is not known", short(channel), short(rule.Type)), Schema: rule.Type, At: rule.Pos.String(), Note: true,
		})
	}
}
