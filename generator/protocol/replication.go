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
