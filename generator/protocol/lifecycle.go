// Lifecycles: which actions change the status of a value.

package protocol

import (
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// Lifecycle describes the statuses of a type's values. It documents what reducers do and is used in tests; reducers
// are not generated from it.
type Lifecycle struct {
	Channel *Channel // the channel whose state has the values
	In      *Field   // the state member that has the values, or nil for all
	Type    Type     // a struct, or a union with the status as its tag
	Status  *Field   // the status member, or nil if it is the tag of a union
	Key     []string // path of the member that identifies a value in a state; empty if there is only one
	Absent  string   // status of a value without the member; "" if all have it
	Stages  []*Stage // statuses with a type of their own
	States  []string // all known statuses: stages, Absent, then those of the type in its order
	Open    bool     // newer versions may have more
	// Initial are the usual statuses of a new value.
	Initial []string
	// Begins create a value and have no From. Ends remove it and have no To.
	Begins, Transitions, Ends []*Transition
	Pos                       diag.Pos
}

// Stage is a status whose values have their own type.
type Stage struct {
	Name string
	Type *Struct
}

// Transition is the effect of one action on a status. A value that already has the status is unchanged.
type Transition struct {
	Action   string   // action type
	From, To []string // each status in From may become each one in To
	Unknown  bool     // unknown statuses become one of To as well
	As       string   // member of the action that holds the new status or the value; "" if To does
	When     string   // further conditions in words, or ""
	Pos      diag.Pos
}

// Lifecycle returns the lifecycle of a type, or nil.
func (p *Protocol) Lifecycle(t Type) *Lifecycle {
	return each.First(p.Lifecycles, func(l *Lifecycle) bool { return l.Type == t })
}
