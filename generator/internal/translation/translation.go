// Package translation derives what converts messages between two versions of a protocol. It walks both protocols side by
// side, from methods, snapshots and envelopes to all that is in them. What follows from the types alone is derived; where
// meaning is missing, a profile states what to do, and everything else is refused.
package translation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
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

	stated map[string]bool // definitions and actions about which the profile says something
}

// Need is a function that a translator uses.
type Need struct {
	Name string
	At   string // the definition whose objects it changes
	To   Direction
	Why  string
}

// Derive compares two versions. No package can speak the older one if something is wrong. There is a pair all the same if messages
// could be converted but for those of which the profile says why they never can, or if only peers cannot agree on a version.
func Derive(newer, older *protocol.Protocol, stated []*facts.Translation) (*Pair, []diag.Diagnostic) {
	d := &deriver{
		sides: [2]*protocol.Protocol{newer, older}, memo: map[[2]protocol.Expr]*node{}, channels: channelsOf(newer, older), states: statesOf(newer, older),
	}
	d.read(stated)
	d.conversation()
	roots := d.roots()
	d.spread()
	d.finish()
	d.reach(roots)
	found, convertible := d.report()
	if !convertible {
		return nil, found
	}
	p := &Pair{Newer: newer, Older: older, Version: &table.Version{Name: older.Spoken()}}
	p.Version.Lower, p.Version.Lift = d.table(Lower, roots), d.table(Lift, roots)
	p.Needs, p.stated = d.needs(p.Version), map[string]bool{}
	for _, e := range d.entries {
		p.stated[e.At] = true
		for _, action := range e.Rules {
			p.stated[action] = true
		}
	}
	p.Losses = sorted(append(d.met(), d.stated(p.Version)...))
	return p, found
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
	losses   []loss
	reached  [2]map[*node]bool // by direction: what messages can have in it, as far as no function accounts for it
}

// from returns the version that values of a direction come from.
func (d *deriver) from(to Direction) *protocol.Protocol { return d.sides[to] }

// to returns the version that they go to.
func (d *deriver) to(to Direction) *protocol.Protocol { return d.sides[1-to] }

// statesOf returns the states of channels in both versions.
func statesOf(newer, older *protocol.Protocol) (out [2]map[*protocol.Struct]bool) {
	for i, p := range []*protocol.Protocol{newer, older} {
		out[i] = each.Set(p.States())
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
	data               map[int64]*node // of errors that both versions have, by code
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
			d.lose(nil, Loss{Direction: Lower, At: m.Name, Kind: Gated, What: m.Kind()})
			continue
		}
		d.turned(m, o)
		at := place{path: "params of " + m.Name, pos: m.Pos, owner: "params of " + m.Name}
		r := root{method: m.Name, params: d.payload(at, m.Params, o.Params)}
		at.path, at.owner = "result of "+m.Name, "result of "+m.Name
		r.result = d.payload(at, m.Result, o.Result)
		out.methods = append(out.methods, r)
	}
	for _, m := range older.Methods {
		if newer.Method(m.Name) == nil {
			d.lose(nil, Loss{Direction: Lift, At: m.Name, Kind: Impossible, What: m.Kind()})
		}
	}
	if len(newer.Methods) == 0 && len(older.Methods) == 0 { // schemas without messages: whole definitions are converted
		out.methods = d.definitions()
	}
	slices.SortFunc(out.methods, func(a, b root) int { return cmp.Compare(a.method, b.method) })
	if n, o := newer.Replication, older.Replication; n != nil && o != nil {
		out.envelope = d.payload(place{path: "envelope", pos: n.Pos}, n.Envelope.Type, o.Envelope.Type)
		out.snapshot = d.payload(place{path: "snapshot", pos: n.Pos}, n.Snapshot.Type, o.Snapshot.Type)
	}
	out.data = d.codes()
	return out
}

// turned lists messages of a method that are of another kind, or that the other side does not take.
func (d *deriver) turned(newer, older *protocol.Method) {
	methods := [2]*protocol.Method{newer, older}
	for _, to := range both {
		from, into := methods[to], methods[1-to]
		switch {
		case from.Notification != into.Notification:
			d.lose(nil, Loss{Direction: to, At: from.Name, Kind: Impossible, What: "it is a " + into.Kind() + " in " + d.to(to).Version})
		case from.From != into.From && into.From != protocol.FromBoth:
			d.lose(nil, Loss{Direction: to, At: from.Name, Kind: Impossible, What: "only the " + d.to(to).Sides.Name(into.From) + " sends it in " + d.to(to).Version})
		}
	}
}

// conversation refuses versions whose peers cannot agree on one, or whose messages have another form.
func (d *deriver) conversation() {
	n, o := d.sides[0].Handshake, d.sides[1].Handshake
	at := place{path: "the handshake", fixed: true}
	switch {
	case n == nil && o == nil:
	case n == nil || o == nil:
		which := d.sides[0]
		if o == nil {
			which = d.sides[1]
		}
		d.refuse(at, Lower, "%s has none, by which peers would agree on a version", which.Version)
	case n.Method.Name != o.Method.Name || n.Offer != o.Offer || n.Answer != o.Answer:
		at.pos = n.Pos
		d.refuse(at, Lower, "it is %s with %s and %s in %s, and %s with %s and %s in %s", n.Method.Name, n.Offer, n.Answer, d.sides[0].Version, o.Method.Name, o.Offer, o.Answer, d.sides[1].Version)
	}
	if form(d.sides[0].Envelope) != form(d.sides[1].Envelope) {
		d.refuse(place{path: "a message", fixed: true}, Lower, "it has another form in %s", d.sides[1].Version)
	}
}

// form returns the form of messages as text, "" for JSON-RPC 2.0.
func form(e *protocol.Envelope) string {
	if e == nil {
		return ""
	}
	return strings.Join([]string{e.Request, e.Result, e.Error, e.Notification}, "\n")
}

// definitions compares definitions of the same name, as if each were the parameters of a method.
func (d *deriver) definitions() []root {
	var out []root
	for _, t := range d.sides[0].Types {
		head := t.Head()
		if o := d.sides[1].Lookup(head.Name); o != nil && !head.Inline {
			out = append(out, root{method: head.Name, params: d.payload(place{path: head.Name, pos: head.Pos, owner: head.Name}, t, o)})
		}
	}
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

// codes compares the data of errors, and lists the codes that only one version has.
func (d *deriver) codes() map[int64]*node {
	out := map[int64]*node{}
	for _, to := range both {
		for _, e := range d.from(to).Errors {
			o := d.to(to).Error(e.Code)
			switch {
			case o == nil && !d.statedCode(to, e.Code):
				d.lose(nil, Loss{Direction: to, At: e.Name, Kind: Kept, What: "error code"})
			case o != nil && to == Lower:
				out[e.Code] = d.payload(place{path: "data of " + e.Name, pos: e.Pos, owner: e.Name}, e.Data, o.Data)
			}
		}
	}
	return out
}

// order returns the order of the protocol's versions.
func (d *deriver) order() version.Order { return version.Order(d.sides[0].Order) }
