// Unions: alternatives, each with the one of the other version that it becomes.

package translation

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// unions settles both directions of a pair of which at least one side is a union.
func (d *deriver) unions(at place, n *node) {
	for _, to := range both {
		from, into := n.sides[to], n.sides[1-to]
		switch u := protocol.As[*protocol.Union](from); {
		case u == nil:
			d.into(at, to, n, from, into)
		case u.Kind == protocol.Token:
			d.mixed(at, to, n, u, into)
		default:
			n.half[to].funcs = d.statedFor(n).funcs(to)
			d.decided(at, to, n, u.Dispatch, into)
		}
	}
}

// into settles values of one type that become one variant of a union.
func (d *deriver) into(at place, to Direction, n *node, from, into protocol.Expr) {
	d.become(at, to, n, from, into)
	h := &n.half[to]
	funcs := d.statedFor(n).funcs(to)
	switch {
	case len(funcs) == 0:
	case tokenOf(from) == objectToken:
		*h = half{kind: translate.Shaped, funcs: funcs, arms: []arm{{child: h.alias}}}
	default:
		d.refuse(at, to, "%s changes objects, and it is %s in %s", funcs[0], protocol.A(describe(from)), d.from(to).Version)
	}
}

// become finds the variant that values of one type become.
func (d *deriver) become(at place, to Direction, n *node, from, into protocol.Expr) {
	u := into.(protocol.Ref).Type.(*protocol.Union)
	s := protocol.As[*protocol.Struct](from)
	if u.Kind == protocol.Token || s == nil {
		for _, v := range u.Variants {
			if tokenOf(v.Type) == tokenOf(from) && tokenOf(from) != 0 {
				n.half[to].alias = d.pair(at, to, from, v.Type)
				return
			}
		}
		if !u.Anything {
			d.unlike(at, to, n)
		}
		return
	}
	list := alternatives(into)
	t := d.renamed(to, n, s, list)
	if t == nil {
		t = d.targetOf(to, s, nil, "", list)
	}
	if t == nil && len(list) == 1 {
		t = list[0].of
	}
	if t != nil {
		n.half[to].alias = d.pair(at, to, from, protocol.Ref{Type: t})
		return
	}
	d.refuse(at, to, "%s has no alternative for %s", d.to(to).Version, nameOf(s))
}

// pair compares a type that values come from with the one that they become.
func (d *deriver) pair(at place, to Direction, from, into protocol.Expr) *node {
	if to == Lower {
		return d.compare(at, from, into)
	}
	return d.compare(at, into, from)
}

// tokens are what values of a type begin with, as package translate has it.
const (
	objectToken = '{'
	listToken   = '['
	textToken   = '"'
	numberToken = '0'
	boolToken   = 't'
	nullToken   = 'n'
)

// tokenOf returns what values of a type begin with, 0 if that is not known.
func tokenOf(e protocol.Expr) byte {
	switch e := protocol.Underlying(e).(type) {
	case protocol.List:
		return listToken
	case protocol.Map:
		return objectToken
	case protocol.Scalar:
		switch e {
		case protocol.String:
			return textToken
		case protocol.Bool:
			return boolToken
		case protocol.Null:
			return nullToken
		case protocol.Any:
			return 0
		}
		return numberToken
	case protocol.Ref:
		switch t := e.Type.(type) {
		case *protocol.Enum:
			return tokenOf(t.Kind)
		case *protocol.Union:
			if t.Kind == protocol.Token {
				return 0
			}
		}
		return objectToken
	}
	return 0
}

// mixed settles one direction of a union whose variants differ in their JSON type.
func (d *deriver) mixed(at place, to Direction, n *node, u *protocol.Union, into protocol.Expr) {
	h := &n.half[to]
	h.kind = translate.Mixed
	h.funcs = d.statedFor(n).funcs(to)
	other := protocol.As[*protocol.Union](into)
	candidates := []protocol.Expr{into}
	if other != nil && other.Kind == protocol.Token {
		candidates = each.Map(other.Variants, func(v *protocol.Variant) protocol.Expr { return v.Type })
	}
	met := map[byte]int{}
	for _, v := range u.Variants {
		token := tokenOf(v.Type)
		same := each.Where(candidates, func(e protocol.Expr) bool { return tokenOf(e) == token })
		nth := met[token]
		met[token]++
		in := at.under(v.Name)
		switch {
		case into == protocol.Expr(protocol.Any), d.accounts(to, at, n, v.Name, token == objectToken):
		case len(same) > 1 || nth > 0: // lists that differ in their items
			if nth >= len(same) || d.differs(d.pair(in, to, v.Type, same[nth])) {
				in.fixed = in.newer == "" && in.older == ""
				d.refuse(in, to, "several alternatives are lists, and one of them differs")
			}
		case len(same) == 1:
			h.arms = append(h.arms, arm{tag: string(token), child: d.pair(in, to, v.Type, same[0])})
		case d.isDropped(n, v.Name):
			h.arms = append(h.arms, arm{tag: string(token), drop: true})
			d.lose(n, Loss{Direction: to, At: n.of, Kind: Dropped, What: v.Name})
		case other != nil && other.Anything:
			d.lose(n, Loss{Direction: to, At: n.of, Kind: Kept, What: v.Name})
		default:
			where := at
			if n.named {
				where.value = v.Name
			}
			d.refuse(where, to, "%s has no alternative that is %s", d.to(to).Version, protocol.A(describe(protocol.Underlying(v.Type))))
		}
	}
}

// differs reports whether two types differ at all. It is only asked for what cannot be told apart.
func (d *deriver) differs(n *node) bool {
	return n.sides[0] != n.sides[1] && describe(n.sides[0]) != describe(n.sides[1])
}

// alternative is a struct among those that a union, or a type without alternatives, consists of.
type alternative struct {
	of     *protocol.Struct
	member string // the discriminator, or ""
	values []protocol.Value
	absent bool   // the discriminator may be missing
	marker string // the member that identifies it, or ""
}

// alternatives lists the structs that a type may be.
func alternatives(e protocol.Expr) []alternative {
	ref, _ := e.(protocol.Ref)
	switch t := ref.Type.(type) {
	case *protocol.Struct:
		return []alternative{{of: t}}
	case *protocol.Union:
		if t.Kind == protocol.Token {
			for _, v := range t.Variants {
				if tokenOf(v.Type) == objectToken {
					return alternatives(protocol.Underlying(v.Type))
				}
			}
			return nil
		}
		return within(t.Dispatch, alternative{})
	}
	return nil
}

func within(dispatch *protocol.Dispatch, outer alternative) []alternative {
	var out []alternative
	if dispatch == nil {
		return nil
	}
	for _, c := range dispatch.Cases {
		a := outer
		if dispatch.Member != "" {
			a.member, a.values = dispatch.Member, c.Values
			a.absent = slices.ContainsFunc(c.Values, func(v protocol.Value) bool { return isImplied(dispatch, v) })
		} else if c.Marker != "" {
			a.marker = c.Marker
		}
		if c.Next != nil {
			out = append(out, within(c.Next, a)...)
			continue
		}
		a.of = c.Struct
		out = append(out, a)
	}
	return out
}

// isImplied reports whether a missing discriminator means a value.
func isImplied(d *protocol.Dispatch, v protocol.Value) bool {
	return d.Untagged != "" && v.String() == d.Untagged || d.Absent && v.Kind == protocol.String && v.Str == ""
}

// targetOf returns what a variant becomes: the one with the same tag, or else with the same name, or with the same mark.
// It returns nil if there is none.
func (d *deriver) targetOf(to Direction, s *protocol.Struct, tag *tagged, marker string, list []alternative) *protocol.Struct {
	var fits []alternative
	if tag != nil {
		for _, a := range list {
			if a.member == tag.member && slices.Contains(a.values, tag.becomes) || a.member == "" && takesTag(a.of, tag) {
				fits = append(fits, a)
			}
		}
		if len(fits) == 0 {
			fits = each.Where(list, func(a alternative) bool { return a.member == tag.member && len(a.values) == 0 })
		}
	} else {
		fits = each.Where(list, func(a alternative) bool { return a.member == "" || hasTag(s, a) })
	}
	if len(fits) == 1 && (tag != nil || fits[0].member != "") {
		return fits[0].of
	}
	if len(fits) == 0 { // told apart by something else
		fits = each.Where(list, func(a alternative) bool { return tag == nil || a.member != tag.member })
	}
	if found := each.Where(fits, func(a alternative) bool { return nameOf(a.of) == nameOf(s) && nameOf(s) != "" }); len(found) == 1 {
		return found[0].of
	}
	renamed := func(a alternative) bool { // neither version has the name of the other
		f := s.Field(a.marker)
		return a.marker != "" && (marker == "" || a.marker == marker) && f != nil && f.Required &&
			d.to(to).Lookup(nameOf(s)) == nil && d.from(to).Lookup(nameOf(a.of)) == nil
	}
	if found := each.Where(fits, renamed); len(found) == 1 {
		return found[0].of
	}
	return nil
}

// takesTag reports whether an object that stands alone has the tag among its constants. One that does not know the member is
// not told from others by it.
func takesTag(s *protocol.Struct, tag *tagged) bool {
	f := s.Field(tag.member)
	return f != nil && slices.Contains(f.Allowed(), tag.becomes)
}

// hasTag reports whether an object that stands alone has the tag of an alternative.
func hasTag(s *protocol.Struct, a alternative) bool {
	f := s.Field(a.member)
	if f == nil {
		return a.absent
	}
	own := f.Allowed()
	return len(own) > 0 && !slices.ContainsFunc(own, func(v protocol.Value) bool { return !slices.Contains(a.values, v) })
}

// tagged is the tag of a variant, and what it becomes in the other version.
type tagged struct {
	member      string
	is, becomes protocol.Value
	empty       bool // any tag that no other variant has
}
