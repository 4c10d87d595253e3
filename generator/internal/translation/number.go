// Numbers: the types of a table, each with a number, in the order in which messages reach them.

package translation

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/translation/table"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// table returns one direction. Types that are the same have no number.
func (d *deriver) table(to Direction, roots whole) table.Direction {
	b := &tableBuilder{to: to, out: table.Direction{}}
	for _, r := range roots.methods {
		m := table.Method{Name: r.method, Params: b.number(r.params), Result: b.number(r.result)}
		if m.Params != 0 || m.Result != 0 {
			b.out.Methods = append(b.out.Methods, m)
		}
	}
	b.out.Envelope, b.out.Snapshot = b.number(roots.envelope), b.number(roots.snapshot)
	if r := d.from(to).Replication; r != nil && b.out.Envelope != 0 {
		b.out.Action, b.out.Sequence = r.Envelope.Action.Name, r.Envelope.Sequence.Name
		if len(r.Envelope.Client) > 0 {
			b.out.Origin = r.Envelope.Client[0].Name
		}
	}
	for _, e := range d.from(to).Errors {
		if other, ok := d.codeFor(to, e.Code); ok {
			b.out.Codes = append(b.out.Codes, table.Code{From: e.Code, To: other})
		} else if data := b.number(roots.data[e.Code]); data != 0 {
			b.out.Codes = append(b.out.Codes, table.Code{From: e.Code, To: e.Code, Data: data})
		}
	}
	return b.out
}

// tableBuilder numbers types.
type tableBuilder struct {
	to  Direction
	out table.Direction
}

// number returns the number of a pair, 0 if nothing differs.
func (b *tableBuilder) number(n *node) table.Number {
	if n == nil || !n.half[b.to].differs {
		return 0
	}
	h := &n.half[b.to]
	if h.alias != nil {
		return b.number(h.alias)
	}
	if h.number != 0 {
		return h.number
	}
	if len(b.out.Types) == 0 {
		b.out.Types = append(b.out.Types, table.Type{})
	}
	if n.named { // it may be inside itself
		h.number = table.Number(len(b.out.Types))
		b.out.Types = append(b.out.Types, table.Type{})
		b.out.Types[h.number] = b.row(n, h)
		return h.number
	}
	t := b.row(n, h)
	same := func(o table.Type) bool { o.Of = t.Of; return reflect.DeepEqual(o, t) }
	if i := slices.IndexFunc(b.out.Types[1:], same); i >= 0 {
		h.number = table.Number(i + 1)
		return h.number
	}
	h.number = table.Number(len(b.out.Types))
	b.out.Types = append(b.out.Types, t)
	return h.number
}

// row returns the row of a pair.
func (b *tableBuilder) row(n *node, h *half) table.Type {
	t := table.Type{Of: n.of, Kind: h.kind, Funcs: h.funcs, Add: h.add, Channel: h.channel, Values: h.values, Item: b.number(h.item)}
	if h.kind == translate.Tagged {
		t.Tag = h.tag
	}
	for _, e := range h.edges {
		m := table.Member{Name: e.name, To: e.to, Type: b.number(e.child), Drop: e.drop, Needed: e.required && e.child != nil && e.child.half[b.to].mayDrop}
		if m.To != "" || m.Type != 0 || m.Drop {
			t.Members = append(t.Members, m)
		}
	}
	slices.SortFunc(t.Members, func(x, y table.Member) int { return cmp.Compare(x.Name, y.Name) })
	for _, a := range h.arms {
		if !h.armsDiffer(b.to) {
			break
		}
		v := table.Variant{Tag: a.tag, Has: a.has, Sole: a.sole, Type: b.number(a.child), Drop: a.drop}
		if v.Type != 0 || v.Drop || h.kind == translate.Shaped || b.general(h) {
			t.Variants = append(t.Variants, v)
		}
	}
	return t
}

// general reports whether a variant that differs stands for all other tags, so that the others have to be listed.
func (b *tableBuilder) general(h *half) bool {
	return slices.ContainsFunc(h.arms, func(a arm) bool { return a.tag == anyTag && (a.drop || a.child.differs(b.to)) })
}

// needs returns the functions that tables use.
func (d *deriver) needs(v *table.Version) []Need {
	var out []Need
	used := v.Funcs()
	for _, e := range d.entries {
		for to, name := range []string{e.Lower, e.Lift} {
			if name != "" && slices.Contains(used, name) && !slices.ContainsFunc(out, func(n Need) bool { return n.Name == name }) {
				out = append(out, Need{Name: name, At: e.At, To: Direction(to), Why: e.Why})
			}
		}
	}
	return out
}
