// Replication: the types and members that carry states and actions.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Replication assigns roles to types and members: what a client needs to keep copies of states, and a host to hold
// them.
type Replication struct {
	Envelope  EnvelopeRoles
	Snapshot  SnapshotRoles
	Dispatch  DispatchRoles
	Reconnect ReconnectRoles
	Session   *SessionRoles // how clients connect, or nil
	Pos       diag.Pos
}

// EnvelopeRoles are the members of an action envelope.
type EnvelopeRoles struct {
	Type           *Struct
	Channel        *Field
	Action         *Field
	Sequence       *Field // the host's sequence number
	Client         Path   // id of the dispatching client
	ClientSequence Path   // that client's sequence number
	Rejection      *Field // reason of a rejection
}

// SnapshotRoles are the members of a snapshot.
type SnapshotRoles struct {
	Type     *Struct
	Channel  *Field
	State    *Field
	Sequence *Field // sequence number of the last applied action
}

// DispatchRoles are the members of a dispatched action.
type DispatchRoles struct {
	Type           *Struct
	Channel        *Field
	Action         *Field
	ClientSequence *Field
}

// ReconnectRoles are the variants of the answer to a reconnect.
type ReconnectRoles struct {
	Type *Union

	Replay    *Struct // the variant with missed actions:
	Envelopes *Field
	Missing   *Field // channels that no longer exist

	Restart   *Struct // the variant with snapshots:
	Snapshots *Field
}

// SessionRoles are the methods of a connection's life.
type SessionRoles struct {
	Open        OpenRoles
	Resume      ResumeRoles
	Subscribe   SubscribeRoles
	Unsubscribe UnsubscribeRoles
	Dispatch    *Method // the notification that dispatches an action
	Action      *Method // the notification that delivers an envelope
	Anytime     []*Method
	Repeat      []RepeatRoles
	Ignored     []*Channel // actions for a channel that does not exist are not answered
	Lists       []*ListRoles
}

// ListRoles say how a list of channels follows from the states of these.
type ListRoles struct {
	Channel, At                  *Channel
	Entry                        *Struct
	Members                      []EntryMember
	Made                         []*Field // members of the entry that are no members of the state: any of the next three
	URI, Created, Changed        *Field
	LatestOf, Latest             *Field // a list in the state, and a member of its items; nil if nothing is said
	Method                       *Method
	Items, Limit, Cursor, Next   *Field // the last three are nil where the list has no pages
	Added, Removed, Updated      *ListChange
	Count                        *Action // nil if none says how many there are
	CountMember, CountOfTheState *Field
}

// EntryMember is a member of an entry, or of an item in one, with the path of the state, or the member of its item, that
// it is equal to. Of a list whose items have another type, it has the members of the items.
type EntryMember struct {
	Member *Field
	From   Path
	Items  []EntryMember
}

// ListChange is a notification about a change. Members that it does not have are nil.
type ListChange struct {
	Method         *Method
	At, URI, Entry *Field
	Partial        []*Field // members with new values
}

// OpenRoles are the members of the opening request, which is that of the handshake.
type OpenRoles struct {
	Method        *Method
	Client        *Field
	Subscriptions *Field
	Sequence      *Field // of the result, as are the following
	Snapshots     *Field
}

// ResumeRoles are the members of the reconnect request.
type ResumeRoles struct {
	Method        *Method
	Client        *Field
	Sequence      *Field
	Subscriptions *Field
}

// SubscribeRoles are the members of the subscribe request.
type SubscribeRoles struct {
	Method   *Method
	Channel  *Field
	Snapshot *Field // of the result; may be optional
	Missing  *ErrorCode
}

// UnsubscribeRoles are the members of the unsubscribe notification.
type UnsubscribeRoles struct {
	Method  *Method
	Channel *Field
}

// RepeatRoles name requests to repeat on each connection.
type RepeatRoles struct {
	Method *Method
	Key    *Field
}
