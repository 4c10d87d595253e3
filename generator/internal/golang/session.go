// Session: how a client comes and goes, as the connection that is kept and the server say it.

package golang

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Session is what a client and a server need beyond the store. Fields of structs are by their names.
type Session struct {
	Dispatch, Action      *Method
	Open, Resume          *Method
	Subscribe             *Method
	Unsubscribe           *Method
	Anytime               []*Method
	Repeat                []Repeat
	Missing               *ErrorCode // where there is no such channel
	Negotiate             *Handshake
	Origin                Origin
	Client, Server        *Party // who sends what
	OpenClient            string `go:"identifier"`
	OpenSubscriptions     string `go:"identifier"`
	OpenSequence          string `go:"identifier"` // of the result, as the next one
	OpenSnapshots         string `go:"identifier"`
	ResumeClient          string `go:"identifier"`
	ResumeSequence        string `go:"identifier"`
	ResumeSubscriptions   string `go:"identifier"`
	SubscribeChannel      string `go:"identifier"`
	UnsubscribeChannel    string `go:"identifier"`
	SubscribeSnapshot     string `go:"identifier"` // of the result
	SnapshotOptional      bool
	SnapshotUnion         *Union // type of its state, nil where that is the type of any state
	SnapshotChannel       string `go:"identifier"`
	SnapshotState         string `go:"identifier"`
	SnapshotSequence      string `go:"identifier"`
	EnvelopeChannel       string `go:"identifier"`
	EnvelopeAction        string `go:"identifier"`
	EnvelopeSequence      string `go:"identifier"`
	EnvelopeRejection     string `go:"identifier"`
	ReplayEnvelopes       string `go:"identifier"`
	ReplayMissing         string `go:"identifier"`
	RestartSnapshots      string `go:"identifier"`
	DispatchChannelWire   string `go:"text"`
	DispatchActionWire    string `go:"text"`
	DispatchSequenceWire  string `go:"text"`
	EnvelopeChannelWire   string `go:"text"`
	EnvelopeRejectionWire string `go:"text"`
	SnapshotChannelWire   string `go:"text"`
}

// Repeat is a request whose effect ends with the connection.
type Repeat struct {
	*Method
	Key string `go:"text"`
}

// Origin says where an envelope has the client behind it.
type Origin struct {
	Field            string  `go:"identifier"` // of the envelope: an object with the other two; "" where these are the envelope's
	Type             *Struct // of the object
	Optional         bool    // the object may be missing, and is where no client is behind the action
	Client, Sequence OriginField
}

// OriginField is one of the two.
type OriginField struct {
	Name    string `go:"identifier"`
	Pointer bool   // it may be missing itself
}

// session settles how clients come and go. There is nothing to settle without a store.
func (b *builder) session() {
	if b.out.Store == nil || b.in.Replication.Session == nil || b.out.RPC == nil || b.out.RPC.Handshake == nil {
		return
	}
	r, in := b.in.Replication, b.in.Replication.Session
	name := func(f *protocol.Field) string { return b.fieldOf[f].Name }
	method := func(m *protocol.Method) *Method { return b.out.Methods[slices.Index(b.in.Methods, m)] }
	snapshot := b.fieldOf[in.Subscribe.Snapshot]
	out := &Session{
		Dispatch: method(in.Dispatch), Action: method(in.Action), Open: method(in.Open.Method), Resume: method(in.Resume.Method),
		Subscribe: method(in.Subscribe.Method), Unsubscribe: method(in.Unsubscribe.Method),
		Missing: b.out.Errors[slices.Index(b.in.Errors, in.Subscribe.Missing)], Negotiate: b.out.RPC.Handshake, Origin: b.origin(r.Envelope),
		Client: b.out.RPC.Sides[0], Server: b.out.RPC.Sides[1],
		OpenClient: name(in.Open.Client), OpenSubscriptions: name(in.Open.Subscriptions),
		OpenSequence: name(in.Open.Sequence), OpenSnapshots: name(in.Open.Snapshots),
		ResumeClient: name(in.Resume.Client), ResumeSequence: name(in.Resume.Sequence), ResumeSubscriptions: name(in.Resume.Subscriptions),
		SubscribeChannel: name(in.Subscribe.Channel), UnsubscribeChannel: name(in.Unsubscribe.Channel),
		SubscribeSnapshot: snapshot.Name, SnapshotOptional: snapshot.Pointer,
		SnapshotChannel: name(r.Snapshot.Channel), SnapshotState: name(r.Snapshot.State), SnapshotSequence: name(r.Snapshot.Sequence),
		EnvelopeChannel: name(r.Envelope.Channel), EnvelopeAction: name(r.Envelope.Action),
		EnvelopeSequence: name(r.Envelope.Sequence), EnvelopeRejection: name(r.Envelope.Rejection),
		ReplayEnvelopes: name(r.Reconnect.Envelopes), ReplayMissing: name(r.Reconnect.Missing), RestartSnapshots: name(r.Reconnect.Snapshots),
		DispatchChannelWire: r.Dispatch.Channel.Name, DispatchActionWire: r.Dispatch.Action.Name,
		DispatchSequenceWire: r.Dispatch.ClientSequence.Name, EnvelopeChannelWire: r.Envelope.Channel.Name, EnvelopeRejectionWire: r.Envelope.Rejection.Name,
		SnapshotChannelWire: r.Snapshot.Channel.Name,
	}
	if u, ok := Underlying(b.fieldOf[r.Snapshot.State].Type).(UnionType); ok && !b.out.Store.Snapshot.Any {
		out.SnapshotUnion = u.Union
	}
	for _, m := range in.Anytime {
		out.Anytime = append(out.Anytime, method(m))
	}
	for _, m := range in.Repeat {
		out.Repeat = append(out.Repeat, Repeat{method(m.Method), m.Key.Name})
	}
	b.out.Session = out
}

// origin says where an envelope has the client behind it: in itself, or in an object.
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
