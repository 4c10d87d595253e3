// Versions, as servers use them: envelopes, snapshots and actions with the states at hand.

package translate

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// States returns the state of a channel before a message, in the version of the package, or nil.
type States = func(channel string) json.RawMessage

// Older returns the name of the version.
func (v *Version) Older() string { return v.Name }

// Lowered returns the envelopes that an older peer gets instead of one. There may be several, whose numbers end with that of
// the one, or none.
func (v *Version) Lowered(envelope json.RawMessage, states States) ([]json.RawMessage, error) {
	if v.Lower.isSame(envelope) {
		return []json.RawMessage{envelope}, nil
	}
	return v.Lower.Actions(envelope, &Context{State: states, valid: true})
}

// LoweredParams returns the parameters that an older peer gets, or nil if it gets nothing.
func (v *Version) LoweredParams(method string, params json.RawMessage) (json.RawMessage, error) {
	out, err := v.Lower.Params(method, params, &Context{valid: true})
	if err != nil || len(out) != 1 {
		return nil, err
	}
	return out[0], nil
}

// Lifted returns the parameters of a message from an older peer. There may be several messages in place of one, or none.
func (v *Version) Lifted(method string, params json.RawMessage, states States) ([]json.RawMessage, error) {
	return v.Lift.Params(method, params, &Context{State: states, valid: true})
}

// LiftedSnapshot returns a snapshot that an older version has stored, or nil if nothing is left of it.
func (v *Version) LiftedSnapshot(snapshot json.RawMessage) (json.RawMessage, error) {
	return v.Lift.State(snapshot, &Context{})
}

// LiftedEnvelope returns the envelopes for one that an older version has stored.
func (v *Version) LiftedEnvelope(envelope json.RawMessage, states States) ([]json.RawMessage, error) {
	return v.Lift.Actions(envelope, &Context{State: states})
}

// Translator returns the translator of a connection on which the version was agreed. Received messages of some methods are
// left as they are.
func (v *Version) Translator(states States, own ...string) rpc.Translator {
	c := &Connection{State: states, Own: own}
	c.agreed.Store(v)
	return c
}
