// Enums and unions: known values and variants.

package change

import (
	"strconv"

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
}

// outcomes returns the variants of a union keyed by how they are recognised. A variant with several tags occurs under
// each.
func outcomes(u *protocol.Union) []outcome {
	var out []outcome
	if u.Kind == protocol.Token || u.Dispatch == nil {
		for _, v := range u.Variants {
			if v.Name != "array" || u.Elements == nil {
				out = append(out, outcome{v.Name, v.Type, v.Pos, v.Limits})
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
			keys := []string{prefix + publicName(structOrNil(cs.Struct))}
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
				out = append(out, outcome{k, protocol.Ref{Type: cs.Struct}, cs.Struct.Pos, nil})
			}
		}
	}
	walk(decision, "")
	return out
}

// structOrNil returns nil for a case without a struct.
func structOrNil(s *protocol.Struct) protocol.Type {
	if s == nil {
		return &protocol.Struct{}
	}
	return s
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
	join(outcomes(old), outcomes(new), key,
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
			where := spot{subject + " " + o.key, o.pos, n.pos, at}
			c.expr(o.typ, n.typ, where)
			c.limits(valued{o.typ, o.limits}, valued{n.typ, n.limits}, where)
		})
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
