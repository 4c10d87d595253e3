// Apart: alternatives that cannot be told from each other, while most of the others can. Where unions keep what they do not know, objects
// of these alternatives are kept like that.

package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// apart returns the decision between the alternatives of a union that can be told apart, or nil if they are not most of them. It takes
// the others out of the union.
func (b *builder) apart(u *protocol.Union, leaves []*protocol.Struct, rule *facts.Union, want string) *protocol.Dispatch {
	open := b.Facts.OpenUnions && (rule.Open == nil || *rule.Open)
	if !b.Facts.UndecidedRaw || !open || u.Beside != "" || b.Facts.Actions != nil && b.Facts.Actions.Union == u.Name {
		return nil
	}
	d, left := b.mostByConstant(leaves, want)
	if d == nil && want == "" {
		d, left = b.mostByShape(leaves, rule.Otherwise)
	}
	of := func(v *protocol.Variant) *protocol.Struct { return phase.StructOf(v.Type) }
	direct := each.Map(u.Variants, of)
	if d == nil || 2*len(left) >= len(leaves) || slices.ContainsFunc(left, func(s *protocol.Struct) bool { return !slices.Contains(direct, s) }) {
		return nil
	}
	u.Variants = slices.DeleteFunc(u.Variants, func(v *protocol.Variant) bool { return slices.Contains(left, of(v)) })
	u.Apart = each.Map(left, func(s *protocol.Struct) string { return s.Name })
	u.Doc = strings.TrimSpace(u.Doc + "\n\n" + sayApart(u.Apart))
	return d
}

// sayApart returns a sentence about alternatives that are kept like unknown ones.
func sayApart(names []string) string {
	links := each.Map(names, func(name string) string { return fmt.Sprintf("{@link %s}", name) })
	if len(links) == 1 {
		return links[0] + " cannot be told from the other alternatives, and is kept like one that is not known."
	}
	last := len(links) - 1
	return strings.Join(links[:last], ", ") + " and " + links[last] + " cannot be told apart, and are kept like alternatives that are not known."
}

// mostByConstant returns the decision by the best member that is a constant in each struct, and the structs that share its value with
// others and cannot be told from them.
func (b *builder) mostByConstant(leaves []*protocol.Struct, want string) (*protocol.Dispatch, []*protocol.Struct) {
	list := b.candidates(leaves, want)
	if len(list) == 0 || len(list) > 1 && b.sameRank(list[0], list[1]) {
		return nil, nil
	}
	c := list[0]
	var left []*protocol.Struct
	told := c
	told.groups = each.Where(c.groups, func(g []*protocol.Struct) bool {
		if len(g) == 1 || b.byConstant(candidate{name: c.name, groups: [][]*protocol.Struct{g}}) != nil {
			return true
		}
		left = append(left, g...)
		return false
	})
	if len(told.groups) == 0 || constants(told.groups[0][0], c.name)[0].Kind == protocol.Bool { // no value of a flag is unknown
		return nil, nil
	}
	return b.byConstant(told), left
}

// mostByShape returns the decision between the structs that have a required member of their own, and the others, which forbid these
// members.
func (b *builder) mostByShape(leaves []*protocol.Struct, named []string) (*protocol.Dispatch, []*protocol.Struct) {
	_, left := byShape(leaves, named)
	told := each.Where(leaves, func(s *protocol.Struct) bool { return !slices.Contains(left, s) })
	if len(told) == 0 {
		return nil, nil
	}
	d, _ := byShape(told, named)
	if d == nil || slices.ContainsFunc(d.Cases, func(c *protocol.Case) bool {
		return slices.ContainsFunc(left, func(s *protocol.Struct) bool {
			written := b.types.Written[s]
			return written == nil || !written.Forbids(c.Marker)
		})
	}) {
		return nil, nil // others might be taken for one of those
	}
	return d, left
}
