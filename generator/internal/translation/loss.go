// Losses: what does not arrive in the other version as it was said.

package translation

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Loss is something that is not the same in the other version.
type Loss struct {
	Direction Direction
	At        string // definition, or method
	Kind      Kind
	What      string // a member, a variant or a value, or a sentence of the profile
}

// Kind says what becomes of something.
type Kind string

// The kinds of losses.
const (
	Dropped    Kind = "dropped"    // the other version does not have it
	Restated   Kind = "restated"   // one version says what it stands for, and the other nothing
	Rules      Kind = "other rule" // the action does something else there
	Kept       Kind = "kept"       // it is sent as it is, and the other version does not know it
	Said       Kind = "otherwise"  // a function says it in other words
	Lost       Kind = "lost"       // a function cannot say it
	Gated      Kind = "not sent"   // the other version lacks the message
	Snapshot   Kind = "snapshot"   // the peer needs a snapshot
	Impossible Kind = "impossible" // it cannot be said, and is answered with an error if it is a request
)

// loss is one with the pair that it is about, nil for messages.
type loss struct {
	Loss
	node *node
}

func (d *deriver) lose(n *node, l Loss) { d.losses = append(d.losses, loss{l, n}) }

// met returns the losses that messages can meet with.
func (d *deriver) met() []Loss {
	var out []Loss
	for _, l := range d.losses {
		if l.node == nil || d.reached[l.Direction][l.node] {
			out = append(out, l.Loss)
		}
	}
	return out
}

// stated returns what the entries of the profile say.
func (d *deriver) stated(v *table.Version) []Loss {
	var out []Loss
	used := v.Funcs()
	for _, e := range d.entries {
		for to, name := range []string{e.Lower, e.Lift} {
			if !e.used {
				continue
			}
			count := len(out)
			for _, untold := range []struct {
				kind  Kind
				words [2]string
			}{
				{Lost, [...]string{e.Loses.Lower, e.Loses.Lift}}, {Snapshot, [...]string{e.Snapshot.Lower, e.Snapshot.Lift}},
				{Impossible, [...]string{e.Impossible.Lower, e.Impossible.Lift}},
			} {
				if what := untold.words[to]; what != "" {
					out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: untold.kind, What: what})
				}
			}
			switch {
			case len(out) > count:
			case slices.Contains(used, name):
				out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: Said, What: e.Why})
			case e.Lower+e.Lift == "" && len(e.Newer)+len(e.Older) > 0: // stated to be left as it is
				out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: Kept, What: e.Why})
			}
		}
	}
	return out
}

// sorted returns them in order, each once.
func sorted(losses []Loss) []Loss {
	slices.SortFunc(losses, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	})
	return slices.Compact(losses)
}

// String returns the loss on a line.
func (l Loss) String() string {
	at := l.At
	if l.What != "" {
		at += ": " + l.What
	}
	return [...]string{"lowered", "lifted"}[l.Direction] + ": " + string(l.Kind) + ": " + at
}

// Rules returns the actions that do something else in the older version, unless the profile says something about them. It tries
// both on random states, so it is not part of a derivation.
func (p *Pair) Rules() []Loss {
	var out []Loss
	for _, c := range change.Compare(p.Older, p.Newer) {
		action, ok := c.Place.NewRow.(*protocol.Action)
		if c.Rule != change.RuleChanged || !ok || p.stated[nameOf(action.Struct)] {
			continue
		}
		for _, to := range both {
			out = append(out, Loss{Direction: to, At: action.Type, Kind: Rules, What: c.Detail()})
		}
	}
	return out
}
