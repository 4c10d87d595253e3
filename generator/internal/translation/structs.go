// Structs: objects with members, member by member.

package translation

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// structs compares two objects.
func (d *deriver) structs(at place, n *node, newer, older *protocol.Struct) {
	stated := d.statedFor(n)
	for _, to := range both {
		n.half[to].funcs = stated.funcs(to)
	}
	covered := stated.covered()
	matched := map[string]bool{}
	for _, f := range newer.Fields {
		name := f.Name
		if old, ok := stated.renamed[name]; ok {
			name = old
		}
		g := older.Field(name)
		in := at.under(f.Name)
		in.pos, in.newer, in.skip = f.Pos, f.Name, covered[0][f.Name]
		if g == nil {
			d.single(in, n, Lower, f)
			continue
		}
		matched[name] = true
		in.older = g.Name
		for _, to := range both {
			in.skip[to] = in.skip[to] || covered[1][name][to]
		}
		if in.skip != [2]bool{true, true} {
			d.members(in, n, f, g, newer.Partial != nil || older.Partial != nil)
		}
	}
	for _, g := range older.Fields {
		if !matched[g.Name] {
			in := at.under(g.Name)
			in.pos, in.older, in.skip = g.Pos, g.Name, covered[1][g.Name]
			d.single(in, n, Lift, g)
		}
	}
	for _, to := range both { // functions account for what is beside the members
		at.skip[to] = len(stated.funcs(to)) > 0
	}
	d.besides(at, n, newer, older)
}

// single settles a member that only one version has: the one that values of a direction come from.
func (d *deriver) single(at place, n *node, to Direction, f *protocol.Field) {
	other := protocol.As[*protocol.Struct](n.sides[1-to])
	switch {
	case at.skip[to]:
	case to == Lower || other != nil && other.Extra != nil && other.Extra != protocol.Expr(protocol.Any):
		n.half[to].edges = append(n.half[to].edges, edge{name: f.Name, drop: true})
		d.lose(n, Loss{Direction: to, At: n.of, Kind: Dropped, What: f.Name})
	default:
		d.lose(n, Loss{Direction: to, At: n.of, Kind: Kept, What: f.Name})
	}
	back := 1 - to
	if at.skip[back] {
		d.moved(at, n, back, f)
	}
	if !f.Required || at.skip[back] {
		return
	}
	if value, ok := d.statedFor(n).added(f, f); ok {
		n.half[back].add = append(n.half[back].add, table.Added{Name: f.Name, JSON: value})
		return
	}
	d.refuse(at, back, "%s requires %s, which %s does not have", d.from(to).Version, f.Name, d.to(to).Version)
}

// moved converts what a function has moved into a member that only the version of the result has: it is of the types of the same
// names that the other version has.
func (d *deriver) moved(at place, n *node, to Direction, f *protocol.Field) {
	if from := named(f.Type, d.from(to)); from != nil && f.Allowed() == nil {
		n.half[to].edges = append(n.half[to].edges, edge{name: f.Name, child: d.pair(at, to, from, f.Type), required: f.Required})
	}
}

// named returns the type that another version has by the same name, or a list or a map of it, or nil.
func named(e protocol.Expr, in *protocol.Protocol) protocol.Expr {
	switch e := protocol.Underlying(e).(type) {
	case protocol.List:
		if elem := named(e.Elem, in); elem != nil {
			return protocol.List{Elem: elem}
		}
	case protocol.Map:
		if elem := named(e.Elem, in); elem != nil {
			return protocol.Map{Elem: elem}
		}
	case protocol.Ref:
		if t := in.Lookup(nameOf(e.Type)); nameOf(e.Type) != "" && t != nil {
			return protocol.Ref{Type: t}
		}
	}
	return nil
}

// implied returns the value that a member has if nothing is said: its default, or the only one.
func implied(f *protocol.Field) (string, bool) {
	switch {
	case f.Absent != "":
		return compact(f.Absent), true
	case f.Const != nil:
		return f.Const.JSON(), true
	case len(f.Values) == 1:
		return f.Values[0].JSON(), true
	}
	return "", false
}

// compact returns a value without white space.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// members settles a member that both versions have.
func (d *deriver) members(at place, n *node, f, g *protocol.Field, partial bool) {
	fields := [2]*protocol.Field{f, g}
	if f.Reading != g.Reading {
		for _, to := range both {
			if f.Reading == protocol.Plain || g.Reading == protocol.Plain { // one version says nothing about it
				d.lose(n, Loss{Direction: to, At: n.of, Kind: Restated, What: f.Name})
				continue
			}
			d.refuse(at, to, "%s means %s by it, %s %s", d.sides[0].Version, f.Reading, d.sides[1].Version, g.Reading)
		}
	}
	child := d.memberType(at, fields)
	for _, to := range both {
		if at.skip[to] {
			continue
		}
		from, into := fields[to], fields[1-to]
		e := edge{name: from.Name, child: child, required: into.Required}
		if into.Name != from.Name {
			e.to = into.Name
		}
		n.half[to].edges = append(n.half[to].edges, e)
		if from.Nullable && !into.Nullable {
			d.refuse(at, to, "it may be null in %s, and not in %s", d.from(to).Version, d.to(to).Version)
		}
		d.presence(at, n, to, from, into, partial)
	}
}

// presence adds a member that may be missing.
func (d *deriver) presence(at place, n *node, to Direction, from, into *protocol.Field, partial bool) {
	switch {
	case from.Required:
	case into.Required:
		value, ok := d.statedFor(n).added(into, from, into)
		if !ok {
			d.refuse(at, to, "%s requires it, and it may be missing in %s", d.to(to).Version, d.from(to).Version)
			return
		}
		n.half[to].add = append(n.half[to].add, table.Added{Name: into.Name, JSON: value})
	case partial || from.Absent == "" || into.Absent == "" || compact(from.Absent) == compact(into.Absent):
	default: // what is left out means something else in the other version
		n.half[to].add = append(n.half[to].add, table.Added{Name: into.Name, JSON: compact(from.Absent)})
	}
}

// memberType compares the types of a member, or the values that it is restricted to.
func (d *deriver) memberType(at place, fields [2]*protocol.Field) *node {
	values := [2][]protocol.Value{fields[0].Allowed(), fields[1].Allowed()}
	if values[0] == nil && values[1] == nil {
		return d.compare(at, fields[0].Type, fields[1].Type)
	}
	n := d.node(at, [2]protocol.Expr{})
	for _, to := range both {
		d.constants(at, n, to, fields[to], fields[1-to])
	}
	return n
}

// constants settles one direction of a member that is restricted to some values in at least one version.
func (d *deriver) constants(at place, n *node, to Direction, from, into *protocol.Field) {
	source, target := from.Allowed(), into.Allowed()
	n.half[to].kind = translate.Text
	switch {
	case target == nil && (covers(protocol.Underlying(into.Type), source[0].Kind) || openEnum(into.Type, source)):
	case len(source) == 1 && len(target) == 1 && source[0].Kind == protocol.String && target[0].Kind == protocol.String:
		if source[0] != target[0] {
			n.half[to].values = []table.Value{{From: source[0].Str, To: target[0].Str}}
		}
	case source == nil || slices.ContainsFunc(source, func(v protocol.Value) bool { return !slices.Contains(target, v) }):
		d.refuse(at, to, "%s has %s, %s has %s", d.sides[0].Version, described(to, from, into, 0), d.sides[1].Version, described(to, from, into, 1))
	}
}

// described describes the member of a version.
func described(to Direction, from, into *protocol.Field, side int) string {
	f := from
	if int(to) != side {
		f = into
	}
	if values := f.Allowed(); values != nil {
		return listed(values)
	}
	return describe(protocol.Underlying(f.Type))
}

// openEnum reports whether a type takes the values.
func openEnum(e protocol.Expr, values []protocol.Value) bool {
	enum := protocol.As[*protocol.Enum](e)
	return enum != nil && enum.Kind == values[0].Kind &&
		(enum.Open || !slices.ContainsFunc(values, func(v protocol.Value) bool { return !enum.Has(v) }))
}

// besides compares alternatives beside members, and undeclared members.
func (d *deriver) besides(at place, n *node, newer, older *protocol.Struct) {
	for i := range max(len(newer.Choices), len(older.Choices)) {
		if i >= len(newer.Choices) || i >= len(older.Choices) {
			for _, to := range both {
				d.refuse(at, to, "only one version has alternatives beside the members")
			}
			return
		}
		in := at.under(newer.Choices[i].Name)
		in.pos = newer.Choices[i].Pos
		n.beside = append(n.beside, beside{in, d.compare(in, protocol.Ref{Type: newer.Choices[i].Type}, protocol.Ref{Type: older.Choices[i].Type})})
	}
	if newer.Extra != nil && older.Extra != nil {
		n.beside = append(n.beside, beside{at.under("value"), d.compare(at.under("value"), newer.Extra, older.Extra)})
	}
}
