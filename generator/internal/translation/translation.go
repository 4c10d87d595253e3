// Package translation derives what converts messages between two versions of a protocol. It walks both protocols side by
// side, from methods, snapshots and envelopes to all that is in them. What follows from the types alone is derived; where
// meaning is missing, a profile states what to do, and everything else is refused.
package translation

import (
	"cmp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Direction says which way values go.
type Direction int

// The directions.
const (
	Lower Direction = iota // from the newer version to the older one
	Lift
)

var both = [...]Direction{Lower, Lift}

// Pair is what converts between two versions.
type Pair struct {
	Newer, Older *protocol.Protocol
	Version      *table.Version // with empty tables if nothing differs
	Losses       []Loss
	Needs        []Need // functions that the tables use
}

// Need is a function that a translator uses.
type Need struct {
	Name string
	Pos  diag.Pos // of the entry that names it
	At   string   // the definition whose objects it changes
	To   Direction
	Why  string
}

// Derive compares two versions. There is no pair if something is wrong.
func Derive(newer, older *protocol.Protocol, stated []*facts.Translation) (*Pair, []diag.Diagnostic) {
	d := &deriver{
		sides: [2]*protocol.Protocol{newer, older}, memo: map[[2]protocol.Expr]*node{}, channels: channelsOf(newer, older), states: statesOf(newer, older),
	}
	d.read(stated)
	roots := d.roots()
	d.spread()
	d.finish()
	if found := d.report(); len(found) > 0 {
		return nil, found
	}
	p := &Pair{Newer: newer, Older: older, Version: &table.Version{Name: older.Spoken()}, Losses: d.losses}
	p.Version.Lower, p.Version.Lift = d.table(Lower, roots), d.table(Lift, roots)
	p.Needs = d.needs(p.Version)
	p.Losses = append(p.Losses, d.stated(p.Version)...)
	p.sortLosses()
	return p, nil
}

// deriver is a derivation in progress.
type deriver struct {
	sides    [2]*protocol.Protocol // the newer version, then the older one
	memo     map[[2]protocol.Expr]*node
	nodes    []*node         // all, in the order in which they were reached
	entries  []*entry        // of the profile, newest first
	channels map[string]bool // members that name channels
	states   [2]map[*protocol.Struct]bool
	problems []problem
	found    []diag.Diagnostic // what is wrong with entries
	losses   []Loss
}

// from returns the version that values of a direction come from.
func (d *deriver) from(to Direction) *protocol.Protocol { return d.sides[to] }

// to returns the version that they go to.
func (d *deriver) to(to Direction) *protocol.Protocol { return d.sides[1-to] }

// statesOf returns the states of channels in both versions.
func statesOf(newer, older *protocol.Protocol) (out [2]map[*protocol.Struct]bool) {
	for i, p := range []*protocol.Protocol{newer, older} {
		out[i] = map[*protocol.Struct]bool{}
		for _, c := range p.Channels {
			if c.State != nil {
				out[i][c.State] = true
			}
		}
	}
	return out
}

// channelsOf returns the members by which messages name their channel: those that have a role in it.
func channelsOf(newer, older *protocol.Protocol) map[string]bool {
	out := map[string]bool{}
	for _, p := range []*protocol.Protocol{newer, older} {
		r := p.Replication
		if r == nil {
			continue
		}
		fields := []*protocol.Field{r.Envelope.Channel, r.Snapshot.Channel, r.Dispatch.Channel}
		if s := r.Session; s != nil {
			fields = append(fields, s.Subscribe.Channel, s.Unsubscribe.Channel)
		}
		for _, f := range fields {
			if f != nil {
				out[f.Name] = true
			}
		}
	}
	return out
}

// root is where messages begin.
type root struct {
	method         string
	params, result *node
}

// whole are the roots of a protocol.
type whole struct {
	methods            []root
	snapshot, envelope *node
}

// roots compares everything that is sent.
func (d *deriver) roots() whole {
	var out whole
	newer, older := d.sides[0], d.sides[1]
	seen := map[string]bool{}
	for _, m := range newer.Methods {
		if seen[m.Name] {
			continue // a request and a notification may share a name
		}
		seen[m.Name] = true
		o := older.Method(m.Name)
		if o == nil {
			d.lose(Loss{Direction: Lower, At: m.Name, Kind: Gated, What: m.Kind()})
			continue
		}
		at := place{path: "params of " + m.Name, pos: m.Pos, owner: m.Name}
		r := root{method: m.Name, params: d.payload(at, m.Params, o.Params)}
		at.path = "result of " + m.Name
		r.result = d.payload(at, m.Result, o.Result)
		out.methods = append(out.methods, r)
	}
	for _, m := range older.Methods {
		if newer.Method(m.Name) == nil {
			d.lose(Loss{Direction: Lift, At: m.Name, Kind: Impossible, What: m.Kind()})
		}
	}
	slices.SortFunc(out.methods, func(a, b root) int { return cmp.Compare(a.method, b.method) })
	if n, o := newer.Replication, older.Replication; n != nil && o != nil {
		out.envelope = d.payload(place{path: "envelope", pos: n.Pos}, n.Envelope.Type, o.Envelope.Type)
		out.snapshot = d.payload(place{path: "snapshot", pos: n.Pos}, n.Snapshot.Type, o.Snapshot.Type)
	}
	d.codes()
	return out
}

// payload compares parameters or results. One that there is not is an empty object.
func (d *deriver) payload(at place, n, o protocol.Type) *node {
	if missing(n) && missing(o) {
		return nil
	}
	empty := func(t protocol.Type) protocol.Expr {
		if missing(t) {
			return protocol.Ref{Type: &protocol.Struct{}}
		}
		return protocol.Ref{Type: t}
	}
	out := d.compare(at, empty(n), empty(o))
	for _, to := range both {
		if s := protocol.As[*protocol.Struct](out.sides[to]); s != nil {
			for _, f := range s.Fields {
				if d.channels[f.Name] && out.half[to].channel == "" {
					out.half[to].channel = f.Name
				}
			}
		}
	}
	return out
}

// missing reports whether there is no type, also as a struct that is not there.
func missing(t protocol.Type) bool {
	s, ok := t.(*protocol.Struct)
	return t == nil || ok && s == nil
}

// codes lists the codes of errors that only one version has.
func (d *deriver) codes() {
	for _, to := range both {
		for _, e := range d.from(to).Errors {
			if d.to(to).Error(e.Code) == nil && !d.statedCode(to, e.Code) {
				d.lose(Loss{Direction: to, At: e.Name, Kind: Kept, What: "error code"})
			}
		}
	}
}

// order returns the order of the protocol's versions.
func (d *deriver) order() version.Order { return version.Order(d.sides[0].Order) }
