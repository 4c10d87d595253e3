// Lifecycles: which action leads a value with a status from where to where.

package protocol

import "github.com/ahpgen/ahpgen/generator/diag"

// Lifecycle is the life of the values of a type, as their status tells it. It is what reducers make of the status, said
// for people and tests: no reducer is made from it.
type Lifecycle struct {
	Channel *Channel // the values are those in its state; what others have are other values
	In      *Field   // the values are those in this member of the state; nil for all
	Type    Type     // a struct, or a union whose tag is the status
	Status  *Field   // the member that has the status; nil if it is the tag of a union
	Key     []string // way to the member that tells one value in a state from others; empty if there is only one
	Absent  string   // status of a value that lacks the member; "" if all have it
	Stages  []*Stage // statuses in which the value has another type
	States  []string // all that are known: stages, Absent, then those of the type, in its order
	Open    bool     // newer versions may have others
	// Initial are the statuses with which a value begins as a rule.
	Initial []string
	// Begins bring a value into being; their From is empty. Ends take it away; their To is.
	Begins, Transitions, Ends []*Transition
	Pos                       diag.Pos
}

// Stage is a status in which a value has a type of its own.
type Stage struct {
	Name string
	Type *Struct
}

// Transition is what one action does to the status of a value. A value that has the status already stays as it is.
type Transition struct {
	Action   string   // type of the action
	From, To []string // any of From may become any of To, which leaves out only what is no change
	Unknown  bool     // a status that only newer versions know becomes one of To, too
	As       string   // member of the action that says what the status becomes, or brings the value; "" if To does
	When     string   // what else has to hold, in words; "" for nothing
	Pos      diag.Pos
}

// Lifecycle returns that of a type, nil if none is stated.
func (p *Protocol) Lifecycle(t Type) *Lifecycle {
	for _, l := range p.Lifecycles {
		if l.Type == t {
			return l
		}
	}
	return nil
}
