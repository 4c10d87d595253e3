// Replication: which types and members carry states and actions between host and client.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Replication names what a client needs to keep a copy of states, and a host to hold them: every type and member by the role
// that it plays.
type Replication struct {
	Envelope  EnvelopeRoles
	Snapshot  SnapshotRoles
	Dispatch  DispatchRoles
	Reconnect ReconnectRoles
	Session   *SessionRoles // how clients come and go; nil if nothing says so
	Pos       diag.Pos
}

// EnvelopeRoles are the members of what the host sends an action in.
type EnvelopeRoles struct {
	Type           *Struct
	Channel        *Field
	Action         *Field
	Sequence       *Field // the host's number for the action
	Client         Path   // id of the client that dispatched it
	ClientSequence Path   // that client's number for it
	Rejection      *Field // the reason if the host refused it
}

// SnapshotRoles are the members of a state at one moment.
type SnapshotRoles struct {
	Type     *Struct
	Channel  *Field
	State    *Field
	Sequence *Field // of the latest action that the state has
}

// DispatchRoles are the members of what a client sends an action in.
type DispatchRoles struct {
	Type           *Struct
	Channel        *Field
	Action         *Field
	ClientSequence *Field
}

// ReconnectRoles are the answers to a client that comes back.
type ReconnectRoles struct {
	Type *Union

	Replay    *Struct // the variant with what was missed:
	Envelopes *Field
	Missing   *Field // channels that are gone

	Restart   *Struct // the variant with new states:
	Snapshots *Field
}

// SessionRoles are the methods by which a client comes and goes.
type SessionRoles struct {
	Open        OpenRoles
	Resume      ResumeRoles
	Subscribe   SubscribeRoles
	Unsubscribe UnsubscribeRoles
	Dispatch    *Method // the notification that brings an action to the host
	Action      *Method // the notification that brings an envelope to clients
	Anytime     []*Method
	Repeat      []RepeatRoles
	Ignored     []*Channel // actions for one that there is not are not answered
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

// ListChange is a notification that tells of a change. Members that it does not have are nil.
type ListChange struct {
	Method         *Method
	At, URI, Entry *Field
	Partial        []*Field // members that tell of new values
}

// OpenRoles are the members of the request that introduces a client. The method is that of the handshake.
type OpenRoles struct {
	Method        *Method
	Client        *Field
	Subscriptions *Field
	Sequence      *Field // of the result, as the next one
	Snapshots     *Field
}

// ResumeRoles are the members of the request of a client that comes back.
type ResumeRoles struct {
	Method        *Method
	Client        *Field
	Sequence      *Field
	Subscriptions *Field
}

// SubscribeRoles are the members of the request for a channel.
type SubscribeRoles struct {
	Method   *Method
	Channel  *Field
	Snapshot *Field // of the result; may be optional
	Missing  *ErrorCode
}

// UnsubscribeRoles are the members of the notification that ends a subscription.
type UnsubscribeRoles struct {
	Method  *Method
	Channel *Field
}

// RepeatRoles name a request whose effect ends with the connection.
type RepeatRoles struct {
	Method *Method
	Key    *Field
}
