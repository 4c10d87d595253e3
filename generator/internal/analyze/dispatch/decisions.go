// Decisions: unions with stated signs.

package dispatch

import (
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byStatement returns the stated decision, or nil if it does not match the variants.
func (b *builder) byStatement(u *protocol.Union, leaves []*protocol.Struct, list []facts.Decision) *protocol.Dispatch {
	d := &protocol.Dispatch{Stated: true}
	wrong := func(hint, format string, args ...any) *protocol.Dispatch {
		b.Errorf(u.Pos, "bad-decision", hint, format, args...)
		return nil
	}
	left := map[string]*protocol.Struct{}
	for _, s := range leaves {
		left[s.Name] = s
	}
	for i, stated := range list {
		s := left[stated.Variant]
		if s == nil {
			return wrong("name each variant once", "%s: %s is none of its variants, or decided before", u.Name, stated.Variant)
		}
		delete(left, stated.Variant)
		c := &protocol.Case{Struct: s}
		for _, member := range slices.Sorted(maps.Keys(stated.Is)) {
			c.Signs = append(c.Signs, protocol.Sign{Member: member, Is: stated.Is[member]})
		}
		for _, path := range stated.Has {
			c.Signs = append(c.Signs, protocol.Sign{Member: path})
		}
		for _, sign := range c.Signs {
			if name, _, _ := strings.Cut(sign.Member, "."); s.Field(name) == nil {
				return wrong("name a member that it declares", "%s: %s has no member %q to be told by", u.Name, s.Name, name)
			}
		}
		if len(c.Signs) == 0 && i < len(list)-1 {
			return wrong("put it behind all others", "%s: what comes after %s is never looked at", u.Name, s.Name)
		}
		d.Cases = append(d.Cases, c)
	}
	for _, s := range leaves {
		if left[s.Name] != nil {
			return wrong("add it to the decisions", "%s: nothing decides for %s", u.Name, s.Name)
		}
	}
	return d
}
