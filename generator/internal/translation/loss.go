// Losses: what does not arrive in the other version as it was said.

package translation

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Loss is something that is not the same in the other version.
type Loss struct {
	Direction Direction
	At        string // definition, or method
	Kind      Kind
	What      string // a member, a variant or a value, or a sentence of the profile

	Members []string // that it is about, with all that is in them; in a definition of a union or an enum, variants or values
	Alters  []string // that it is about, without what is in them
	Func    string   // what says it otherwise, loses it or cannot say it, or ""
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
	Never      Kind = "never"      // it has nothing that it could become, so that no package can speak the older version
)

// loss is one with the pair that it is about, nil for messages.
type loss struct {
	Loss
	node *node
}

func (d *deriver) lose(n *node, l Loss) {
	if l.Members == nil {
		l.Members = []string{l.What}
	}
	d.losses = append(d.losses, loss{l, n})
}

// standIn lists a value or a tag for which another one stands that does not become it again.
func (d *deriver) standIn(n *node, to Direction, what, text, stand, again string) {
	if again != text {
		d.lose(n, Loss{Direction: to, At: n.of, Kind: Said, What: what + jsontext.Line(text) + " as " + jsontext.Line(stand), Members: []string{what + jsontext.Line(text)}})
	}
}

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
			members := slices.Concat(e.Newer, e.Older)
			add := func(kind Kind, what string) {
				out = append(out, Loss{Direction: Direction(to), At: e.At, Kind: kind, What: what, Members: members, Alters: e.Alters, Func: name})
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
					add(untold.kind, what)
				}
			}
			switch {
			case e.Never != "":
				add(Never, e.Never)
			case len(out) > count:
			case slices.Contains(used, name):
				add(Said, e.Why)
			case e.Lower+e.Lift == "" && len(e.Newer)+len(e.Older) > 0: // stated to be left as it is
				add(Kept, e.Why)
			}
		}
	}
	return out
}

// sorted returns them in order, each once.
func sorted(losses []Loss) []Loss {
	order := func(a, b Loss) int {
		return cmp.Or(cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.What, b.What))
	}
	slices.SortStableFunc(losses, order)
	var out []Loss
	for _, l := range losses {
		if last := len(out) - 1; last < 0 || order(out[last], l) != 0 {
			out = append(out, l)
			continue
		}
		last := &out[len(out)-1]
		last.Members = append(last.Members, each.Without(l.Members, last.Members)...)
	}
	return out
}

// String returns the loss on a line.
func (l Loss) String() string {
	at := l.At
	if l.What != "" {
		at += ": " + l.What
	}
	return [...]string{"lowered", "lifted"}[l.Direction] + ": " + string(l.Kind) + ": " + at
}

// Rules returns the actions that do something else in the older version, as their effects state it, unless the profile says
// something about them. It tries both on random states, so it is not part of a derivation. Reducers in Go are not compared.
func (p *Pair) Rules() []Loss {
	var out []Loss
	for _, c := range change.Compare(p.Older, p.Newer) {
		newer, ok := c.Place.NewRow.(*protocol.Action)
		older, ok2 := c.Place.OldRow.(*protocol.Action)
		if c.Rule != change.RuleChanged || !ok || !ok2 || newer.Finished+older.Finished != "" || p.stated[nameOf(newer.Struct)] || p.stated[newer.Type] {
			continue
		}
		for _, to := range both {
			out = append(out, Loss{Direction: to, At: newer.Type, Kind: Rules, What: c.Detail()})
		}
	}
	return out
}
