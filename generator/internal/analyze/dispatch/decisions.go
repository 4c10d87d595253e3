// Decisions: unions with stated signs.

package dispatch

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// byStatement returns the stated decision, or nil if it does not match the variants. An embedded profile may know variants that newer
// schemas do not have.
func (b *builder) byStatement(u *protocol.Union, leaves []*protocol.Struct, rule *facts.Union) *protocol.Dispatch {
	d := &protocol.Dispatch{Stated: true}
	list := rule.Decide
	wrong := func(hint, format string, args ...any) *protocol.Dispatch {
		if rule.Source == facts.Embedded {
			own := cmp.Or(rule.Extends, "a profile file of your own that extends it")
			hint = fmt.Sprintf("the schemas may be newer or older than ahpgen's profile: state {\"union\": %q, \"decide\": […]} anew under unions.rules in %s", u.Name, own)
		}
		b.Errorf(u.Pos, "bad-decision", hint, format, args...)
		return nil
	}
	left := map[string]*protocol.Struct{}
	for _, s := range leaves {
		left[s.Name] = s
	}
	for i, stated := range list {
		s := left[stated.Variant]
		if s == nil && rule.Source == facts.Embedded && b.Set.Lookup(stated.Variant) == nil {
			b.Mismatch(rule, "bad-decision", "", "%s: the schemas define no %s", u.Name, stated.Variant)
			continue
		}
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
