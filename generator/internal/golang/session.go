// Session: the connection of a client, as used by Conn and Server.

package golang

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Session describes what a client and a server need besides the store.
type Session struct {
	Dispatch, Action   *Method
	Unsubscribe        *Method
	Anytime            []*Method
	Repeat             []protocol.RepeatRoles // requests to repeat on each connection
	Missing            *ErrorCode             // for an unknown channel
	Negotiate          *Handshake
	Origin             Origin
	Client, Server     *Party // both sides
	Open               SessionOpen
	Resume             SessionResume
	Subscribe          SessionSubscribe
	UnsubscribeChannel *Field
	SnapshotUnion      *Union // type of its state; nil if it is the union of all states
	Forms              []Form
	Lists              []*ChannelList
}

// Form is what channels of one kind look like.
type Form struct {
	URI     string  `go:"text"`
	Other   bool    // they may have other URIs
	State   *Struct // nil if they have none
	Ignored bool    // actions for a channel that does not exist are not answered
}

// SessionOpen is the opening request, with fields of its parameters and result.
type SessionOpen struct {
	*Method
	Client, Subscriptions *Field
	Sequence, Snapshots   *Field // of the result
}

// SessionResume is the reconnect request, with fields of its parameters.
type SessionResume struct {
	*Method
	Client, Sequence, Subscriptions *Field
}

// SessionSubscribe is the subscribe request, with fields of its parameters and result.
type SessionSubscribe struct {
	*Method
	Channel, Snapshot *Field
}

// Broadcasts returns the notifications that a server sends to all subscribers of a channel, apart from those that it sends
// by itself.
func (s *Session) Broadcasts() []*Call {
	return slices.DeleteFunc(slices.Clone(s.Server.Sends), func(c *Call) bool {
		return !c.Notification || c.Method == s.Action || c.Method == s.Unsubscribe || len(c.Actions) > 0
	})
}

// Origin states where an envelope names its client.
type Origin struct {
	Field            string  `go:"identifier"` // envelope field with the object that has the other two; "" if they are in the envelope
	Type             *Struct // type of the object
	Optional         bool    // the object is absent if no client dispatched the action
	Client, Sequence OriginField
}

// OriginField is a field of the origin.
type OriginField struct {
	Name    string `go:"identifier"`
	Pointer bool   // it may be absent
}

// session builds the session. It requires a store.
func (b *builder) session() {
	if b.out.Store == nil || b.in.Replication.Session == nil || b.out.RPC == nil || b.out.RPC.Handshake == nil {
		return
	}
	r, in := b.in.Replication, b.in.Replication.Session
	field := func(f *protocol.Field) *Field { return b.fieldOf[f] }
	open, resume, subscribe := in.Open, in.Resume, in.Subscribe
	out := &Session{
		Dispatch: b.method(in.Dispatch), Action: b.method(in.Action), Unsubscribe: b.method(in.Unsubscribe.Method),
		Missing: b.out.Errors[slices.Index(b.in.Errors, subscribe.Missing)], Negotiate: b.out.RPC.Handshake, Origin: b.origin(r.Envelope),
		Client: b.out.RPC.Sides[0], Server: b.out.RPC.Sides[1],
		Open:      SessionOpen{b.method(open.Method), field(open.Client), field(open.Subscriptions), field(open.Sequence), field(open.Snapshots)},
		Resume:    SessionResume{b.method(resume.Method), field(resume.Client), field(resume.Sequence), field(resume.Subscriptions)},
		Subscribe: SessionSubscribe{b.method(subscribe.Method), field(subscribe.Channel), field(subscribe.Snapshot)},

		UnsubscribeChannel: field(in.Unsubscribe.Channel), Anytime: each.Map(in.Anytime, b.method), Repeat: in.Repeat,
	}
	if u, ok := Underlying(b.fieldOf[r.Snapshot.State].Type).(UnionType); ok && !b.out.Store.Snapshot.Any {
		out.SnapshotUnion = u.Union
	}
	out.Forms, out.Lists = b.forms(in), b.lists(in)
	for _, m := range []*Method{out.Open.Method, out.Resume.Method, out.Subscribe.Method} {
		m.NullResult = false // the connection could not continue with null
	}
	b.out.Session = out
}

// forms returns the kinds of channels of which something is known.
func (b *builder) forms(in *protocol.SessionRoles) []Form {
	var out []Form
	for _, c := range b.in.Channels {
		f := Form{URI: c.URI, Other: c.OtherURIs, Ignored: slices.Contains(in.Ignored, c)}
		if slices.ContainsFunc(b.out.Store.Channels, func(r *ChannelReducer) bool { return r.Channel == c.Name }) {
			f.State = b.StructOf(c.State)
		}
		if f.URI != "" || f.State != nil {
			out = append(out, f)
		}
	}
	// Schemas and profiles have their own order of channels, and the same package comes of both.
	slices.SortStableFunc(out, func(a, c Form) int { return strings.Compare(a.URI, c.URI) })
	return out
}

// origin determines where an envelope names its client.
func (b *builder) origin(e protocol.EnvelopeRoles) (out Origin) {
	if len(e.Client) > 1 {
		at := b.fieldOf[e.Client[0]]
		out.Field, out.Type, out.Optional = at.Name, Underlying(at.Type).(StructType).Struct, at.Pointer
	}
	field := func(p protocol.Path) OriginField {
		return OriginField{b.fieldOf[p.Last()].Name, b.fieldOf[p.Last()].Pointer}
	}
	out.Client, out.Sequence = field(e.Client), field(e.ClientSequence)
	return out
}
