// Losses: what does not arrive in the other version as it was said.

package translation

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
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
	Kept       Kind = "kept"       // it is sent as it is, and the other version does not know it
	Said       Kind = "otherwise"  // a function says it in other words
	Lost       Kind = "lost"       // a function cannot say it
	Gated      Kind = "not sent"   // the other version lacks the message
	Impossible Kind = "impossible" // it cannot be answered
)

func (d *deriver) lose(l Loss) { d.losses = append(d.losses, l) }

// stated returns what the entries of the profile say.
func (d *deriver) stated(v *table.Version) []Loss {
	var out []Loss
	used := v.Funcs()
	for _, e := range d.entries {
		for to, name := range []string{e.Lower, e.Lift} {
			loses := [...]string{e.Loses.Lower, e.Loses.Lift}[to]
			switch {
			case !e.used:
			case loses != "":
				out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: Lost, What: loses})
			case slices.Contains(used, name):
				out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: Said, What: e.Why})
			}
		}
	}
	return out
}

// sortLosses sorts them.
func (p *Pair) sortLosses() {
	slices.SortFunc(p.Losses, func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	})
	p.Losses = slices.Compact(p.Losses)
}

// String returns the loss on a line.
func (l Loss) String() string {
	at := l.At
	if l.What != "" {
		at += ": " + l.What
	}
	return [...]string{"lowered", "lifted"}[l.Direction] + ": " + string(l.Kind) + ": " + at
}
