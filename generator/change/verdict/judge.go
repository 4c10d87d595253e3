// Judging: the directions a change travels in, and the verdict of the table for each.

package verdict

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Judge assigns verdicts to all changes, and adds findings about all of them together: whether the version was raised
// enough.
func Judge(old, new *protocol.Protocol, changes []change.Change) []Finding {
	j := &judge{keeps: old.Keeps, sides: new.Sides, old: flow.Of(old), new: flow.Of(new), answers: flow.Answers(old).And(flow.Answers(new)), stored: flow.Stored(old), states: each.Set(new.States())}
	out := each.Map(changes, j.finding)
	if c, ok := versionBump(old, new, out); ok {
		out = append(out, j.finding(c))
	}
	return out
}

type judge struct {
	old, new *flow.Map
	answers  flow.Set
	stored   map[protocol.Type]bool    // what old hosts have on disk
	states   map[*protocol.Struct]bool // states of channels in the new version
	keeps    bool                      // old readers keep unknown members
	sides    protocol.Sides
}

func (j *judge) finding(c change.Change) Finding {
	rule := Lookup(c.Rule)
	if rule == nil {
		panic(fmt.Sprintf("no rule %s in the table", c.Rule)) // a test looks up every constant
	}
	f := Finding{Change: c, Rule: rule, Unstable: unstable(c.Place), asked: rule.gated}
	if ref, ok := c.Place.NewVariant.(protocol.Ref); ok {
		state, isStruct := ref.Type.(*protocol.Struct)
		f.asked = f.asked || isStruct && j.states[state] // who does not know such channels does not subscribe to one
	}
	if rule.wire == nil {
		return f
	}
	where := rule.where
	if where == nil {
		where = (*judge).place
	}
	set := where(j, c)
	cells := rule.wire(c)
	if j.keeps && c.Rule == change.FieldAdded && cells.newToOld.why == ignores {
		cells.newToOld.why = unread
	}
	if j.stored[c.Place.OldType] && c.Place.OldRow == nil && c.Place.NewRow == nil {
		f.Disk = cells.oldToNew.verdict
	}
	for _, d := range flow.Directions {
		if set[d] {
			via := cmp.Or(j.new.Via(c.Place.NewType, d), j.old.Via(c.Place.OldType, d))
			f.Effects = append(f.Effects, j.effect(d, d.Producer(), cells.oldToNew, via), j.effect(d, d.Consumer(), cells.newToOld, via))
		}
	}
	if a, ok := c.Place.NewRow.(*protocol.Action); ok && a.Unsaid {
		for i := range f.Effects {
			if e := &f.Effects[i]; e.Direction == flow.ClientToHost && e.Verdict > Fine {
				e.Why = j.sides.In("nothing says whether a client may send it; if one may, ") + e.Why
			}
		}
	}
	for _, e := range f.Effects {
		if e.concerns(protocol.FromClient) {
			f.Client = max(f.Client, e.Verdict)
		}
		if e.concerns(protocol.FromHost) {
			f.Host = max(f.Host, e.Verdict)
		}
	}
	return f
}

// effect evaluates a cell of the table for a direction in which old is the older party.
func (j *judge) effect(d flow.Direction, old protocol.Side, c cell, via string) Effect {
	skew := OldClient
	if old == protocol.FromHost {
		skew = OldHost
	}
	e := Effect{Direction: d, Skew: skew, Verdict: c.verdict, Via: via}
	if c.why != "" {
		from, to := d.Producer(), d.Consumer()
		name := func(side protocol.Side) string { return protocol.A(skew.age(side)) + " " + j.sides.Name(side) }
		e.Why = strings.NewReplacer("{from}", name(from), "{to}", name(to)).Replace(j.sides.In(c.why))
	}
	return e
}

// place returns the directions of a change inside a type: those the type travels in on both sides. A type no message
// carries is judged in both directions, in case a table is incomplete.
func (j *judge) place(c change.Change) flow.Set {
	return j.travels(c.Place.OldType, c.Place.NewType).And(variantIn(j.old, c.Place.OldVariant)).And(variantIn(j.new, c.Place.NewVariant))
}

func (j *judge) travels(old, new protocol.Type) flow.Set {
	o, n := j.old.Directions(old), j.new.Directions(new)
	if o.Empty() && n.Empty() {
		return flow.Both
	}
	if !j.old.Known() {
		o = flow.Both
	}
	if !j.new.Known() {
		n = flow.Both
	}
	return o.And(n)
}

// variantIn returns the directions of one variant, or of all if there is none. A host-only action never comes from a client,
// whatever union it is in.
func variantIn(m *flow.Map, e protocol.Expr) flow.Set {
	ref, ok := e.(protocol.Ref)
	if !ok || m.Directions(ref.Type).Empty() {
		return flow.Both
	}
	return m.Directions(ref.Type)
}

// row returns the directions of a table row: those of both sides, or of the one that has it.
func (j *judge) row(c change.Change) flow.Set {
	set := flow.Both
	for _, r := range []change.Row{c.Place.OldRow, c.Place.NewRow} {
		switch r := r.(type) {
		case *protocol.Method:
			set = set.And(flow.Method(r))
		case *protocol.Action:
			set = set.And(flow.Action(r))
		}
	}
	return set
}

// result returns the directions of a method's result.
func (j *judge) result(c change.Change) flow.Set { return j.row(c).Reverse() }

// errors returns the directions of errors.
func (j *judge) errors(change.Change) flow.Set { return j.answers }

// side returns the direction a method gained or lost.
func (j *judge) side(c change.Change) flow.Set {
	if c.From+c.To == j.sides.Name(protocol.FromHost) {
		return flow.Only(flow.HostToClient)
	}
	return flow.Only(flow.ClientToHost)
}

// dispatch returns the direction of actions that clients dispatch.
func (j *judge) dispatch(change.Change) flow.Set { return flow.Only(flow.ClientToHost) }

// broadcast returns the direction of states and channel messages.
func (j *judge) broadcast(change.Change) flow.Set { return flow.Only(flow.HostToClient) }
