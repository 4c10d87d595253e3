// Variants: the objects of a union, as a decoder tells them apart.

package translation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// decided settles one direction of a union of objects, or of a part of it whose variants share a tag.
func (d *deriver) decided(at place, to Direction, n *node, dispatch *protocol.Dispatch, into protocol.Expr) {
	if dispatch == nil || into == protocol.Expr(protocol.Any) {
		return
	}
	list := alternatives(into)
	if len(list) == 0 && !openUnion(into) {
		d.unlike(at, to, n)
		return
	}
	d.cases(at, to, n, dispatch, nil, list)
}

// cases settles the cases of a decision. The tag is that of a decision around it, or nil.
func (d *deriver) cases(at place, to Direction, n *node, dispatch *protocol.Dispatch, outer *tagged, list []alternative) {
	h := &n.half[to]
	dispatch = cmp.Or(byText(dispatch), dispatch)
	h.kind, h.tag = translate.Tagged, dispatch.Member
	if dispatch.Member == "" {
		h.kind = translate.Shaped
	}
	for _, c := range dispatch.Cases {
		switch {
		case dispatch.Member == "":
			a, ok := d.variant(at, to, n, c, outer, list)
			if c.Marker != "" {
				a.has, a.sole = []string{c.Marker}, soleMember(dispatch, c)
			}
			for _, sign := range c.Signs {
				h.signs = h.signs || len(sign.Is) > 0 || strings.Contains(sign.Member, ".")
				a.has = append(a.has, sign.Member)
			}
			if ok {
				h.arms = append(h.arms, a)
			}
		case len(c.Values) == 0:
			if a, ok := d.variant(at, to, n, c, &tagged{member: dispatch.Member, empty: true}, list); ok {
				if dispatch.Absent {
					h.arms = append(h.arms, a)
				}
				a.tag = anyTag
				h.arms = append(h.arms, a)
			}
		default:
			for _, v := range c.Values {
				tag := d.tagOf(to, n, dispatch.Member, v)
				a, ok := d.variant(at, to, n, c, tag, list)
				if !ok {
					continue
				}
				if tag.becomes != v {
					d.standIn(n, to, "", v.Str, tag.becomes.Str, d.tagOf(1-to, n, dispatch.Member, tag.becomes).becomes.Str)
				}
				if a.tag = v.JSON(); isImplied(dispatch, v) {
					absent := a
					absent.tag = ""
					h.arms = append(h.arms, absent)
				}
				h.arms = append(h.arms, a)
			}
		}
	}
	if h.kind == translate.Tagged {
		slices.SortStableFunc(h.arms, func(a, b arm) int { return cmp.Compare(a.tag, b.tag) })
	}
}

// soleMember returns a required member that only one case has, the first in order, or "". It decides as soon as it is met. A
// decoder reads on to the marker, which finds the same case in every value that has the members of one case.
func soleMember(dispatch *protocol.Dispatch, c *protocol.Case) string {
	shared := func(f *protocol.Field) bool {
		return slices.ContainsFunc(dispatch.Cases, func(o *protocol.Case) bool {
			return o != c && (o.Struct == nil || slices.ContainsFunc(o.Struct.Whole(), func(g *protocol.Field) bool { return g.Name == f.Name }))
		})
	}
	if c.Struct == nil {
		return ""
	}
	f := each.First(c.Struct.Fields, func(f *protocol.Field) bool { return f.Required && !shared(f) })
	if f == nil {
		return ""
	}
	return f.Name
}

// anyTag stands for each tag that no other variant has.
const anyTag = "*"

// variant settles what becomes of one case. It reports false if it stays as it is.
func (d *deriver) variant(at place, to Direction, n *node, c *protocol.Case, tag *tagged, list []alternative) (arm, bool) {
	if c.Next != nil {
		inner := d.node(at, n.sides)
		inner.of = n.of
		inner.half[to].kind = translate.Shaped
		d.cases(at, to, inner, c.Next, tag, list)
		return arm{child: inner}, true
	}
	s := c.Struct
	in := at
	in.pos = cmp.Or(s.Pos, at.pos)
	if d.accounts(to, at, n, nameOf(s), true) || tag != nil && !tag.empty && d.accounts(to, at, n, tag.is.String(), true) {
		return arm{}, true
	}
	t := d.renamed(to, n, s, list)
	if t == nil {
		t = d.targetOf(to, s, tag, c.Marker, list)
	}
	if t != nil {
		return arm{child: d.pair(in, to, protocol.Ref{Type: s}, protocol.Ref{Type: t})}, true
	}
	return d.gone(in, to, n, s, tag)
}

// gone settles a variant that the other version does not have.
func (d *deriver) gone(at place, to Direction, n *node, s *protocol.Struct, tag *tagged) (arm, bool) {
	name := cmp.Or(nameOf(s), "an alternative")
	what := name
	if tag != nil && !tag.empty {
		what = tag.is.JSON()
	}
	if alone := d.alone(to, s); alone != nil {
		return arm{child: alone}, true
	}
	switch {
	case tag != nil && d.isDropped(n, tag.is.String()), tag == nil && d.isDropped(n, nameOf(s)), d.isAction(to, n), d.states[to][s]:
		d.lose(n, Loss{Direction: to, At: n.of, Kind: Dropped, What: what})
		return arm{drop: true}, true
	case openUnion(n.sides[1-to]):
		d.lose(n, Loss{Direction: to, At: n.of, Kind: Kept, What: what})
		return arm{}, false
	}
	value := nameOf(s)
	if tag != nil {
		value = tag.is.String()
	}
	switch {
	case n.named:
		at.value = value
	case at.newer == "" && at.older == "":
		*[]*string{&at.newer, &at.older}[to] = value
	}
	d.refuse(at, to, "%s has no variant %s in %s", d.to(to).Version, what, n.of)
	return arm{}, false
}

// renamed returns the alternative that a variant is stated to become, by the names of their definitions.
func (d *deriver) renamed(to Direction, n *node, s *protocol.Struct, list []alternative) *protocol.Struct {
	for _, e := range d.forUnion(n) {
		for old, new := range e.Variants {
			from, into := [...]string{new, old}[to], [...]string{old, new}[to]
			if nameOf(s) != from || from == "" {
				continue
			}
			for _, a := range list {
				if nameOf(a.of) == into {
					return a.of
				}
			}
		}
	}
	return nil
}

// openUnion reports whether unknown variants are kept.
func openUnion(e protocol.Expr) bool {
	u := protocol.As[*protocol.Union](e)
	return u != nil && (u.Open || u.Anything)
}

// isAction reports whether a union holds actions, of which new ones are not sent.
func (d *deriver) isAction(to Direction, n *node) bool {
	u := protocol.As[*protocol.Union](n.sides[to])
	set := d.from(to).Actions
	if u == nil || set == nil || to == Lift {
		return false
	}
	acts := each.SetFunc(set.Actions, func(a *protocol.Action) *protocol.Struct { return a.Struct })
	leaves := u.Leaves()
	return len(leaves) > 0 && !slices.ContainsFunc(leaves, func(s *protocol.Struct) bool { return !acts[s] })
}

// alone returns a pair of an object that the other version does not have and what a function of the profile makes of it, nil
// if there is none.
func (d *deriver) alone(to Direction, s *protocol.Struct) *node {
	sides := [2]protocol.Expr{}
	sides[to] = protocol.Ref{Type: s}
	if n := d.memo[sides]; n != nil {
		return n
	}
	n := &node{sides: sides, of: nameOf(s)}
	funcs := d.statedFor(n).funcs(to)
	if len(funcs) == 0 {
		return nil
	}
	n.half[to].funcs = funcs
	d.memo[sides] = n
	d.nodes = append(d.nodes, n)
	return n
}

func nameOf(t protocol.Type) string { return t.Head().Name }

// byText returns a decision that looks for texts in one member, and has a variant for all others, as one by a discriminator that may
// be missing. It returns nil for any other decision.
func byText(of *protocol.Dispatch) *protocol.Dispatch {
	out := &protocol.Dispatch{Kind: protocol.String, Absent: true}
	for i, c := range of.Cases {
		last := i == len(of.Cases)-1
		if !of.Stated || last != (len(c.Signs) == 0) || len(c.Signs) > 1 || c.Struct == nil {
			return nil
		}
		to := &protocol.Case{Struct: c.Struct}
		out.Cases = append(out.Cases, to)
		if last {
			break
		}
		sign := c.Signs[0]
		if len(sign.Is) == 0 || strings.Contains(sign.Member, ".") || i > 0 && sign.Member != out.Member {
			return nil
		}
		out.Member = sign.Member
		to.Values = each.Map(sign.Is, func(text string) protocol.Value { return protocol.Value{Kind: protocol.String, Str: text} })
	}
	return out
}
