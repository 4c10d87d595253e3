// Enums and unions: known values and variants.

package change

import (
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func (c *comparer) enums(subject string, old, new *protocol.Enum, place Place) {
	whole := spot{subject, old.Pos, new.Pos, place}
	if old.Bitset != new.Bitset || old.Kind != new.Kind {
		c.add(EnumKindChanged, enumKind(old), enumKind(new), whole)
		return
	}
	c.either(EnumOpened, EnumClosed, old.Open, new.Open, whole)
	join(old.Members, new.Members, func(m *protocol.EnumMember) string { return valueText(m.Value) },
		func(o *protocol.EnumMember) {
			c.add(EnumValueRemoved, valueText(o.Value), "", spot{subject, o.Pos, new.Pos, place})
		},
		func(n *protocol.EnumMember) {
			c.add(EnumValueAdded, "", valueText(n.Value), spot{subject, old.Pos, n.Pos, place})
		},
		func(_, _ *protocol.EnumMember) {})
}

func enumKind(e *protocol.Enum) string {
	if e.Bitset {
		return "bitset"
	}
	return e.Kind.String()
}

// outcome is a variant with the conditions that select it.
type outcome struct {
	key string
	typ protocol.Expr
	pos diag.Pos

	limits *protocol.Constraints
	sign   string // the members that tell it from others, or ""
}

// outcomes returns the variants of a union keyed by how they are recognised. A variant with several tags occurs under
// each.
func outcomes(u *protocol.Union) []outcome {
	var out []outcome
	if u.Kind == protocol.Token || u.Dispatch == nil {
		for _, v := range u.Variants {
			if v.Name != "array" || u.Elements == nil {
				out = append(out, outcome{key: v.Name, typ: v.Type, pos: v.Pos, limits: v.Limits})
			}
		}
		return append(out, lists(u)...)
	}
	return recognised(u.Dispatch)
}

// lists returns the list variants of a union keyed by how their first item is recognised.
func lists(u *protocol.Union) []outcome {
	if u.Elements == nil {
		return nil
	}
	out := recognised(u.Elements)
	for i, item := range out {
		out[i].key, out[i].typ = "array of "+item.key, protocol.List{Elem: item.typ}
	}
	return out
}

// recognised returns the outcomes of a decision.
func recognised(decision *protocol.Dispatch) []outcome {
	var out []outcome
	var walk func(d *protocol.Dispatch, prefix string)
	walk = func(d *protocol.Dispatch, prefix string) {
		for _, cs := range d.Cases {
			keys := []string{prefix + presenceKey(cs)}
			if d.Inside() != "" {
				keys = nil
				for _, text := range cs.Signs[0].Is {
					keys = append(keys, prefix+strconv.Quote(text))
				}
			}
			if d.Member != "" {
				keys = nil
				for _, v := range cs.Values {
					keys = append(keys, prefix+valueText(v))
				}
				if len(cs.Values) == 0 {
					keys = append(keys, prefix+"any other "+d.Member)
				}
			}
			for _, k := range keys {
				if cs.Next != nil {
					walk(cs.Next, k+" and "+cs.Next.Member+" ")
					continue
				}
				out = append(out, outcome{key: k, typ: protocol.Ref{Type: cs.Struct}, pos: cs.Struct.Pos, sign: markers(prefix, cs)})
			}
		}
	}
	walk(decision, "")
	return out
}

// markers returns the members by which a case is recognised, or "".
func markers(prefix string, cs *protocol.Case) string {
	list := []string{cs.Marker}
	for _, s := range cs.Signs {
		list = append(list, s.Member+"="+strings.Join(s.Is, "|"))
	}
	if text := strings.Join(list, " "); text != "" {
		return prefix + text
	}
	return ""
}

// presenceKey returns the key of a case that the members of an object decide: the name of its definition, or else the member that tells
// it from others, since the name of what stands in place depends on where that is.
func presenceKey(cs *protocol.Case) string {
	switch {
	case cs.Struct == nil:
		return ""
	case cs.Struct.Inline && cs.Struct.GoName == "" && cs.Marker != "":
		return "with " + cs.Marker
	}
	return publicName(cs.Struct)
}

func (c *comparer) unions(subject string, old, new *protocol.Union, place Place) {
	whole := spot{subject, old.Pos, new.Pos, place}
	if o, n := unionKind(old), unionKind(new); o != n {
		c.add(DiscriminatorChanged, o, n, whole)
	}
	c.either(UnionOpened, UnionClosed, old.Open, new.Open, whole)
	key := func(o outcome) string { return o.key }
	if unionKind(old) != unionKind(new) {
		key = outcome.name // what tells them apart has nothing in common
	}
	before, after := outcomes(old), outcomes(new)
	if byPresence(old) && byPresence(new) {
		before, after = matched(before, after)
	}
	join(before, after, key,
		func(o outcome) {
			at := place
			at.OldVariant = o.typ
			c.add(VariantRemoved, o.key, "", spot{subject, o.pos, new.Pos, at})
		},
		func(n outcome) {
			at := place
			at.NewVariant = n.typ
			c.add(VariantAdded, "", n.key, spot{subject, old.Pos, n.pos, at})
		},
		func(o, n outcome) {
			at := place
			at.OldVariant, at.NewVariant = o.typ, n.typ
			c.variant(o, n, spot{subject + " " + o.key, o.pos, n.pos, at})
		})
}

// variant compares two outcomes that belong together.
func (c *comparer) variant(o, n outcome, at spot) {
	old, new := protocol.Held(o.typ), protocol.Held(n.typ)
	if c.placed[old] && c.placed[new] && publicName(old) != publicName(new) {
		c.add(TypeRestated, publicName(old), publicName(new), at) // their places are others, and so are their names in Go
	}
	c.expr(o.typ, n.typ, at)
	c.limits(valued{o.typ, o.limits}, valued{n.typ, n.limits}, at)
}

// name returns the name of an outcome's type, or else its key.
func (o outcome) name() string {
	if t := protocol.Held(o.typ); t != nil {
		return t.Head().Name
	}
	return o.key
}

func unionKind(u *protocol.Union) string {
	switch u.Kind {
	case protocol.Token:
		return "by JSON type"
	case protocol.Shaped:
		if path := u.Dispatch.Inside(); path != "" {
			return "by " + path
		}
		return "by required members"
	}
	if u.Dispatch == nil {
		return "nothing"
	}
	return "by " + u.Dispatch.Member
}
