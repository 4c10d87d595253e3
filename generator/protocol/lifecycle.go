// Lifecycle: how values live that have a status.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Lifecycle is the life of a value with a status.
type Lifecycle struct {
	Type     Type     // *Struct, or *Union that is told apart by the status
	By       string   // member with the status
	Statuses []string // that are known, in their order
	Moves    []*Move
	Pos      diag.Pos
}

// Move is what one action does to the status.
type Move struct {
	Action   string   // its type
	Channel  *Channel // of the action, nil for none
	From     []string // empty: the value is not there before
	Any      bool     // from any status instead
	To       []string // empty: the value is gone
	Brings   bool     // to the status that the action brings instead
	When     string   // what decides, in words
	Position diag.Pos
}

// Gone reports whether the move ends the life of the value.
func (m *Move) Gone() bool { return len(m.To) == 0 && !m.Brings }

// New reports whether the life of a value begins with the move.
func (m *Move) New() bool { return len(m.From) == 0 && !m.Any }
