// Tables: the channels, actions and error codes of a protocol.

package protocol

import (
	"github.com/ahpgen/ahpgen/generator/diag"
)

// Channel is a stream of actions that change a state.
type Channel struct {
	Name   string
	URI    string
	Prefix string  // prefix of its action types, or ""
	State  *Struct // nil if it only carries notifications
	// PassThrough is the parameter that names the channel if it carries methods of another protocol, or "".
	PassThrough string
	// OtherURIs says that there may be such channels with URIs of other forms.
	OtherURIs bool
	// Shared reports whether a client may hold such a channel and send its state and actions.
	Shared    bool
	Stability Stability
	Doc       string
	Pos       diag.Pos
}

// ActionSet is the union of actions with the facts about each.
type ActionSet struct {
	Union    *Union
	Client   *Union   // the actions clients may dispatch, or nil if not stated
	Channels []*Union // one for each channel with actions, in channel order
	Actions  []*Action
}

// Structs returns the structs of the accepted actions in table order, without duplicates.
func (s *ActionSet) Structs(keep func(*Action) bool) []*Struct {
	var out []*Struct
	seen := map[*Struct]bool{}
	for _, a := range s.Actions {
		if keep(a) && !seen[a.Struct] {
			seen[a.Struct] = true
			out = append(out, a.Struct)
		}
	}
	return out
}

// Action is a row of the action table: an action type and a struct.
type Action struct {
	Type    string
	Struct  *Struct
	Channel *Channel // nil if no channel has its prefix
	Client  bool     // clients may dispatch it
	Unsaid  bool     // nothing says whether they may
	Since   string   // version of introduction, or ""
	// Effects are the stated effects. If stated and empty, the action changes nothing.
	Stated  bool
	Effects []*Effect
	// Finished identifies the finished reducer, or is "".
	Finished string
	// Apply applies the finished reducer to a state and an action as decoded JSON with integers as int64, which it may
	// change. It reports whether the result is known. It is nil if there is no finished reducer.
	Apply func(state, action map[string]any) (map[string]any, bool)
	Pos   diag.Pos
}

// ErrorCode is one JSON-RPC error code.
type ErrorCode struct {
	Name string
	Code int64
	Data Type // type of the error's data, or nil
	Doc  string
	Pos  diag.Pos
}
