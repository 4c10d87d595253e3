// Replication: which types and members carry states and actions between host and client.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Replication names what a client needs to keep a copy of states: every type and member by the role
// that it plays.
type Replication struct {
	Envelope  EnvelopeRoles
	Snapshot  SnapshotRoles
	Dispatch  DispatchRoles
	Reconnect ReconnectRoles
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
	Rejection      *Field // the reason where the host refused it
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
