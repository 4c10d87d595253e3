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
	Client, Sequence string  `go:"identifier"`
	Pointers         bool    // the two may be missing themselves
}

// session settles how clients come and go. There is nothing to settle without a store.
func (b *builder) session() {
	if b.out.Store == nil || b.in.Replication.Session == nil || b.out.RPC == nil || b.out.RPC.Handshake == nil {
		return
	}
	r, in := b.in.Replication, b.in.Replication.Session
	name := func(f *protocol.Field) string { return b.fieldOf[f].Name }
	method := func(m *protocol.Method) *Method { return b.out.Methods[slices.Index(b.in.Methods, m)] }
	origin, ok := b.origin(r.Envelope)
	if !ok {
		b.diags.Errorf(r.Pos, "bad-role", "name members of the envelope, or of one object in it",
			"a session needs the client behind an action, and its number, to be beside each other")
		return
	}
	snapshot := b.fieldOf[in.Subscribe.Snapshot]
	out := &Session{
		Dispatch: method(in.Dispatch), Action: method(in.Action), Open: method(in.Open.Method), Resume: method(in.Resume.Method),
		Subscribe: method(in.Subscribe.Method), Unsubscribe: method(in.Unsubscribe.Method),
		Missing: b.out.Errors[slices.Index(b.in.Errors, in.Subscribe.Missing)], Negotiate: b.out.RPC.Handshake, Origin: origin,
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
	for _, m := range in.Anytime {
		out.Anytime = append(out.Anytime, method(m))
	}
	for _, m := range in.Repeat {
		out.Repeat = append(out.Repeat, Repeat{method(m.Method), m.Key.Name})
	}
	b.out.Session = out
}

// origin reads where an envelope has the client behind it.
func (b *builder) origin(e protocol.EnvelopeRoles) (out Origin, ok bool) {
	client, sequence := e.Client, e.ClientSequence
	if len(client) != len(sequence) || len(client) == 0 || len(client) > 2 {
		return out, false
	}
	if len(client) == 2 {
		at := client[0]
		if at != sequence[0] {
			return out, false
		}
		t, isStruct := Underlying(b.fieldOf[at].Type).(StructType)
		if !isStruct {
			return out, false
		}
		out.Field, out.Type, out.Optional = b.fieldOf[at].Name, t.Struct, b.fieldOf[at].Pointer
	}
	c, n := b.fieldOf[client.Last()], b.fieldOf[sequence.Last()]
	out.Client, out.Sequence, out.Pointers = c.Name, n.Name, c.Pointer
	return out, c.Pointer == n.Pointer && (c.Pointer || out.Optional)
}
