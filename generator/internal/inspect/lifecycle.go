// Lifecycles, as inspect shows them.

package inspect

import (
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// DetailLifecycle lists the actions that change the status of a type's values.
type DetailLifecycle struct {
	Channel string   `json:"channel"`          // the values are in its state
	In      string   `json:"in,omitempty"`     // member of the state that alone has them
	Status  string   `json:"status,omitempty"` // member that has the status; the tag of a union is not named
	States  []string `json:"states"`
	Initial []string `json:"initial"`

	Begins      []DetailTransition `json:"begins,omitempty"`
	Transitions []DetailTransition `json:"transitions"`
	Ends        []DetailTransition `json:"ends,omitempty"`
}

// DetailTransition is the effect of one action on a status.
type DetailTransition struct {
	Action string   `json:"action"`
	From   []string `json:"from,omitempty"`
	To     []string `json:"to,omitempty"`
	As     string   `json:"as,omitempty"` // member of the action that says to which
	When   string   `json:"when,omitempty"`
}

// lifecycleDetail describes a lifecycle, nil for none.
func lifecycleDetail(l *protocol.Lifecycle) *DetailLifecycle {
	if l == nil {
		return nil
	}
	d := &DetailLifecycle{
		Channel: l.Channel.Name, States: l.States, Initial: l.Initial,
		Begins: transitionDetails(l.Begins), Transitions: transitionDetails(l.Transitions), Ends: transitionDetails(l.Ends),
	}
	if l.In != nil {
		d.In = l.In.Name
	}
	if l.Status != nil {
		d.Status = l.Status.Name
	}
	return d
}

func transitionDetails(list []*protocol.Transition) []DetailTransition {
	return each.Map(list, func(t *protocol.Transition) DetailTransition {
		return DetailTransition{Action: t.Action, From: t.From, To: t.To, As: t.As, When: t.When}
	})
}
