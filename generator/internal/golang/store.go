// The store: the fields that update a client's copies of states.

package golang

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Store describes a client's copies of states.
type Store struct {
	Action       *Union // any action
	Dispatchable *Union // an action this client may dispatch
	Channels     []*ChannelReducer

	Envelope  StoreEnvelope
	Snapshot  StoreSnapshot
	Dispatch  StoreDispatch
	Reconnect StoreReconnect
}

// StoreEnvelope has the fields of an envelope.
type StoreEnvelope struct {
	Type                                 *Struct
	Channel, Action, Sequence, Rejection *Field

	Client, ClientSequence []*Field   // paths
	Present                [][]*Field // paths that are nil if no client dispatched the action
}

// StoreSnapshot has the fields of a snapshot.
type StoreSnapshot struct {
	Type                     *Struct
	Channel, State, Sequence *Field
	Any                      bool // the state has the union of all states as its type
}

// StoreDispatch has the fields of a dispatched action.
type StoreDispatch struct {
	Type                            *Struct
	Channel, Action, ClientSequence *Field
}

// StoreReconnect has the variants of the answer to a reconnect.
type StoreReconnect struct {
	Type               *Union
	Replay             *Struct
	Envelopes, Missing *Field
	Restart            *Struct
	Snapshots          *Field
}

// storeMethods are the methods of a store except one for each channel.
var storeMethods = []string{
	"Await", "Subscribe", "Unsubscribe", "Subscriptions", "LastSeen", "View", "Watch", "Dispatch", "Receive", "Reconnected", "Reset",
}

// store builds the store. It requires reducers.
func (b *builder) store() {
	in := b.in.Replication
	if in == nil || b.out.Reducers == nil {
		return
	}
	out := &Store{
		Action: b.UnionOf(b.in.Actions.Union), Dispatchable: b.UnionOf(b.in.Actions.Union), Channels: b.out.Reducers.Channels,
		Envelope: StoreEnvelope{
			Type:    b.StructOf(in.Envelope.Type),
			Channel: b.fieldOf[in.Envelope.Channel], Action: b.fieldOf[in.Envelope.Action],
			Sequence: b.fieldOf[in.Envelope.Sequence], Rejection: b.fieldOf[in.Envelope.Rejection],
		},
		Snapshot: StoreSnapshot{
			Type:    b.StructOf(in.Snapshot.Type),
			Channel: b.fieldOf[in.Snapshot.Channel], State: b.fieldOf[in.Snapshot.State], Sequence: b.fieldOf[in.Snapshot.Sequence],
		},
		Dispatch: StoreDispatch{
			Type:    b.StructOf(in.Dispatch.Type),
			Channel: b.fieldOf[in.Dispatch.Channel], Action: b.fieldOf[in.Dispatch.Action],
			ClientSequence: b.fieldOf[in.Dispatch.ClientSequence],
		},
		Reconnect: StoreReconnect{
			Type:   b.UnionOf(in.Reconnect.Type),
			Replay: b.StructOf(in.Reconnect.Replay), Envelopes: b.fieldOf[in.Reconnect.Envelopes], Missing: b.fieldOf[in.Reconnect.Missing],
			Restart: b.StructOf(in.Reconnect.Restart), Snapshots: b.fieldOf[in.Reconnect.Snapshots],
		},
	}
	if u, ok := Underlying(b.fieldOf[in.Snapshot.State].Type).(UnionType); ok {
		out.Snapshot.Any = u.Union == b.out.Reducers.State
	}
	if client := b.in.Actions.Client; client != nil {
		out.Dispatchable = b.UnionOf(client)
	}
	e := &out.Envelope
	e.Client = b.member(in.Envelope.Client, &e.Present)
	e.ClientSequence = b.member(in.Envelope.ClientSequence, &e.Present)
	methods := newScope(b.opts)
	for _, name := range storeMethods {
		methods.add(name, "a method of every Store", "", diag.Pos{})
	}
	for _, c := range out.Channels {
		methods.add(c.Method, "the view of channel "+c.Channel, "", b.channelPos(c))
	}
	b.Add(methods.clashes()...)
	b.out.Store = out
}

func (b *builder) channelPos(c *ChannelReducer) diag.Pos {
	i := slices.IndexFunc(b.in.Channels, func(ch *protocol.Channel) bool { return ch.Name == c.Channel })
	return b.in.Channels[i].Pos
}

// member returns the Go path of a member, and adds the pointers on it to present.
func (b *builder) member(path protocol.Path, present *[][]*Field) []*Field {
	var out []*Field
	for _, f := range path {
		out = append(out, b.fieldOf[f])
		known := func(other []*Field) bool { return slices.Equal(other, out) }
		if b.fieldOf[f].Pointer && !slices.ContainsFunc(*present, known) {
			*present = append(*present, slices.Clone(out))
		}
	}
	return out
}
