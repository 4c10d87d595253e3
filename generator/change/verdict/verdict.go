// Package verdict says whom a change breaks. A change stands in types; types travel in messages
// between two parties; and either party may be older than the other.
package verdict

import (
	"cmp"
	"fmt"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/flow"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Verdict is how a reader takes what it gets, mildest first.
type Verdict int

// The verdicts.
const (
	Fine      Verdict = iota // it understands everything
	Tolerated                // it goes on without a part that it does not know
	Breaks                   // it refuses the message, or lacks what it relies on
)

var verdicts = [...]string{"fine", "tolerated", "breaks"}

// String names the verdict.
func (v Verdict) String() string { return verdicts[v] }

// MarshalText writes the verdict's name into JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Skew says which party is the older one.
type Skew int

// The skews.
const (
	OldClient Skew = iota // old client, new host
	OldHost               // new client, old host
)

// String names the skew.
func (s Skew) String() string { return [...]string{"old client, new host", "new client, old host"}[s] }

// MarshalText writes the skew's name into JSON.
func (s Skew) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// age says how old a party is under the skew.
func (s Skew) age(side protocol.Side) string {
	if (s == OldClient) == (side == protocol.FromClient) {
		return "old"
	}
	return "new"
}

// Effect is what a change does in one direction under one skew.
type Effect struct {
	Direction flow.Direction
	Skew      Skew
	Verdict   Verdict
	Why       string // one clause, "" where it is fine
	Via       string // a message that carries the type, such as "params of ping"; "" for rows of tables
}

// concerns reports whether a party has to care: it reads the message, or it sends it and was there
// first. A new sender knows from the version what an old reader takes; an old one cannot know.
func (e Effect) concerns(side protocol.Side) bool {
	return e.Direction.Consumer() == side || e.Skew.age(side) == "old"
}

// GoEffect is what a change does to programs that use the emitted package.
type GoEffect int

// The effects on Go programs.
const (
	GoNone     GoEffect = iota // nothing that a program can see
	GoAdditive                 // programs compile and mean the same
	GoBreak                    // some programs have to change
)

// String names the effect.
func (g GoEffect) String() string { return [...]string{"none", "additive", "source break"}[g] }

// MarshalText writes the effect's name into JSON.
func (g GoEffect) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// Finding is a change with its verdicts.
type Finding struct {
	change.Change
	Rule    *Rule
	Effects []Effect
	Client  Verdict // worst of what concerns a client
	Host    Verdict // worst of what concerns a host
	Go      GoEffect
	Todo    string   // what to do in Go, "" where there is nothing
	GoNames []string // identifiers of the package that are concerned
}

// Side returns the verdict for a party, and the worst of both for any other word.
func (f *Finding) Side(side protocol.Side) Verdict {
	switch side {
	case protocol.FromClient:
		return f.Client
	case protocol.FromHost:
		return f.Host
	}
	return max(f.Client, f.Host)
}

// Why explains the verdict for a party in a clause, "" where there is nothing to explain.
func (f *Finding) Why(side protocol.Side) string {
	worst := f.Side(side)
	for _, e := range f.Effects {
		if e.Verdict == worst && worst > Fine && (side == protocol.FromBoth || e.concerns(side)) {
			return e.Why
		}
	}
	return ""
}

// Judge gives every change its verdicts, and adds what follows from all of them together: whether
// the version moved far enough.
func Judge(old, new *protocol.Protocol, changes []change.Change) []Finding {
	j := &judge{old: flow.Of(old), new: flow.Of(new), answers: flow.Answers(old).And(flow.Answers(new))}
	var out []Finding
	for _, c := range changes {
		out = append(out, j.finding(c))
	}
	if c, ok := versionBump(old, new, out); ok {
		out = append(out, j.finding(c))
	}
	return out
}

type judge struct {
	old, new *flow.Map
	answers  flow.Set
}

func (j *judge) finding(c change.Change) Finding {
	rule := Lookup(c.Rule)
	if rule == nil {
		panic(fmt.Sprintf("no rule %s in the table", c.Rule)) // a test looks up every constant
	}
	f := Finding{Change: c, Rule: rule}
	if rule.wire == nil {
		return f
	}
	where := rule.where
	if where == nil {
		where = (*judge).place
	}
	set := where(j, c)
	cells := rule.wire(c)
	for _, d := range flow.Directions {
		if set[d] {
			via := cmp.Or(j.new.Via(c.Place.NewType, d), j.old.Via(c.Place.OldType, d))
			f.Effects = append(f.Effects, effect(d, d.Producer(), cells.oldToNew, via), effect(d, d.Consumer(), cells.newToOld, via))
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

// effect turns a cell of the table into what happens in a direction where old is the older party.
func effect(d flow.Direction, old protocol.Side, c cell, via string) Effect {
	skew := OldClient
	if old == protocol.FromHost {
		skew = OldHost
	}
	e := Effect{Direction: d, Skew: skew, Verdict: c.verdict, Via: via}
	if c.why != "" {
		from, to := d.Producer(), d.Consumer()
		e.Why = expand(c.why, article(skew.age(from))+" "+string(from), article(skew.age(to))+" "+string(to))
	}
	return e
}

func article(age string) string {
	if age == "old" {
		return "an old"
	}
	return "a new"
}

// place is the directions of a change inside a type: those that the type takes on both sides. One
// that no message carries on either side is judged both ways, in case a table is incomplete.
func (j *judge) place(c change.Change) flow.Set {
	set := j.travels(c.Place.OldType, c.Place.NewType)
	if c.Place.OldVariant != nil {
		set = set.And(j.variant(j.old, c.Place.OldVariant))
	}
	if c.Place.NewVariant != nil {
		set = set.And(j.variant(j.new, c.Place.NewVariant))
	}
	return set
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

// variant is the directions of one variant: a host-only action never comes from a client, whatever
// union it stands in.
func (j *judge) variant(m *flow.Map, e protocol.Expr) flow.Set {
	ref, ok := e.(protocol.Ref)
	if !ok || m.Directions(ref.Type).Empty() {
		return flow.Both
	}
	return m.Directions(ref.Type)
}

// row is the directions of a row: as it was where it went, as it is where it came.
func (j *judge) row(c change.Change) flow.Set {
	switch r := c.Place.NewRow.(type) {
	case *protocol.Method:
		if old, ok := c.Place.OldRow.(*protocol.Method); ok {
			return flow.Method(old).And(flow.Method(r))
		}
		return flow.Method(r)
	case *protocol.Action:
		if old, ok := c.Place.OldRow.(*protocol.Action); ok {
			return flow.Action(old).And(flow.Action(r))
		}
		return flow.Action(r)
	}
	switch r := c.Place.OldRow.(type) {
	case *protocol.Method:
		return flow.Method(r)
	case *protocol.Action:
		return flow.Action(r)
	}
	return flow.Both
}

// result is the directions of the answers to a method.
func (j *judge) result(c change.Change) flow.Set { return j.row(c).Reverse() }

// errors is the directions that errors take.
func (j *judge) errors(change.Change) flow.Set { return j.answers }

// side is the direction that a method gained or lost.
func (j *judge) side(c change.Change) flow.Set {
	if c.From+c.To == string(protocol.FromHost) {
		return flow.Only(flow.HostToClient)
	}
	return flow.Only(flow.ClientToHost)
}

// dispatch is the direction of actions that a client dispatches.
func (j *judge) dispatch(change.Change) flow.Set { return flow.Only(flow.ClientToHost) }

// broadcast is the direction of state and of what a channel carries.
func (j *judge) broadcast(change.Change) flow.Set { return flow.Only(flow.HostToClient) }
