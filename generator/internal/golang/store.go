// The store: which fields a client's copy of states is fed from.

package golang

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Store is what keeps a client's copies of states. Its selectors are Go expressions without the
// variable, such as .Origin.ClientID.
type Store struct {
	Action       *Union // any action
	Dispatchable *Union // an action that this client may dispatch
	Channels     []*ChannelReducer

	Envelope  StoreEnvelope
	Snapshot  StoreSnapshot
	Dispatch  StoreDispatch
	Reconnect StoreReconnect
}

// StoreEnvelope says where an envelope has what.
type StoreEnvelope struct {
	Type                                 *Struct
	Channel, Action, Sequence, Rejection string `go:"selector"`

	Client, ClientSequence string   `go:"selector"` // with a star in front where behind a pointer
	Present                []string `go:"selector"` // selectors that are nil where no client is behind the action
}

// StoreSnapshot says where a snapshot has what.
type StoreSnapshot struct {
	Type                     *Struct
	Channel, State, Sequence string `go:"selector"`
	Any                      bool   // the state is of the type of any state
}

// StoreDispatch names the fields of what a client sends an action in.
type StoreDispatch struct {
	Type                            *Struct
	Channel, Action, ClientSequence string `go:"identifier"`
}

// StoreReconnect says what answers there are to a client that comes back.
type StoreReconnect struct {
	Type               *Union
	Replay             *Struct
	Envelopes, Missing string `go:"selector"`
	Restart            *Struct
	Snapshots          string `go:"selector"`
}

// storeMethods are the methods of a store beside the one for each channel.
var storeMethods = []string{
	"Await", "Subscribe", "Unsubscribe", "Subscriptions", "LastSeen", "View", "Watch", "Dispatch", "Receive", "Reconnected", "Reset",
}

// store settles the store. There is none without reducers.
func (b *builder) store() {
	in := b.in.Replication
	if in == nil || b.out.Reducers == nil {
		return
	}
	out := &Store{
		Action: b.unions[b.in.Actions.Union], Dispatchable: b.unions[b.in.Actions.Union], Channels: b.out.Reducers.Channels,
		Envelope: StoreEnvelope{
			Type:    b.structs[in.Envelope.Type],
			Channel: b.selector(in.Envelope.Channel), Action: b.selector(in.Envelope.Action),
			Sequence: b.selector(in.Envelope.Sequence), Rejection: b.selector(in.Envelope.Rejection),
		},
		Snapshot: StoreSnapshot{
			Type:    b.structs[in.Snapshot.Type],
			Channel: b.selector(in.Snapshot.Channel), State: b.selector(in.Snapshot.State), Sequence: b.selector(in.Snapshot.Sequence),
		},
		Dispatch: StoreDispatch{
			Type:    b.structs[in.Dispatch.Type],
			Channel: b.fieldOf[in.Dispatch.Channel].Name, Action: b.fieldOf[in.Dispatch.Action].Name,
			ClientSequence: b.fieldOf[in.Dispatch.ClientSequence].Name,
		},
		Reconnect: StoreReconnect{
			Type:   b.unions[in.Reconnect.Type],
			Replay: b.structs[in.Reconnect.Replay], Envelopes: b.selector(in.Reconnect.Envelopes), Missing: b.selector(in.Reconnect.Missing),
			Restart: b.structs[in.Reconnect.Restart], Snapshots: b.selector(in.Reconnect.Snapshots),
		},
	}
	if u, ok := Underlying(b.fieldOf[in.Snapshot.State].Type).(UnionType); ok {
		out.Snapshot.Any = u.Union == b.out.Reducers.State
	}
	if client := b.in.Actions.Client; client != nil {
		out.Dispatchable = b.unions[client]
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
	methods.report(b.diags)
	b.out.Store = out
}

func (b *builder) channelPos(c *ChannelReducer) diag.Pos {
	i := slices.IndexFunc(b.in.Channels, func(ch *protocol.Channel) bool { return ch.Name == c.Channel })
	return b.in.Channels[i].Pos
}

// selector selects a field.
func (b *builder) selector(f *protocol.Field) string { return "." + b.fieldOf[f].Name }

// member selects the value at a path, with a star in front where it is behind a pointer, and adds
// the pointers on the way.
func (b *builder) member(path protocol.Path, present *[]string) string {
	at, star := "", ""
	for i, f := range path {
		at += b.selector(f)
		if !b.fieldOf[f].Pointer {
			continue
		}
		if !slices.Contains(*present, at) {
			*present = append(*present, at)
		}
		if i == len(path)-1 {
			star = "*"
		}
	}
	return star + at
}
