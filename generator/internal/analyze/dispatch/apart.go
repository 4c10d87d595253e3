// Apart: alternatives that cannot be told from each other, while most of the others can. Where unions keep what they do not know, objects
// of these alternatives are kept like that.

package dispatch

import (
	"cmp"
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
	if d == nil {
		d, left = b.mostByTag(leaves, want)
	}
	if d == nil && want == "" {
		d, left = b.mostByShape(leaves, rule.Otherwise)
	}
	if d == nil {
		return nil
	}
	gone := each.Set(left)
	isGone := func(v *protocol.Variant) bool {
		return slices.ContainsFunc(leavesOf(v), func(s *protocol.Struct) bool { return gone[s] })
	}
	kept := each.Where(u.Variants, func(v *protocol.Variant) bool { return !isGone(v) })
	told := each.Where(leaves, func(s *protocol.Struct) bool {
		return slices.ContainsFunc(kept, func(v *protocol.Variant) bool { return slices.Contains(leavesOf(v), s) })
	})
	if len(told)+len(left) != len(leaves) { // unions among the alternatives hold some of them
		left = each.Where(leaves, func(s *protocol.Struct) bool { return !slices.Contains(told, s) })
		d = b.withoutOthers(d, told, left)
	}
	if d == nil || 2*len(left) >= len(leaves) {
		return nil
	}
	u.Variants = kept
	u.Apart = each.Map(left, func(s *protocol.Struct) string { return s.Name })
	u.Doc = strings.TrimSpace(u.Doc + "\n\n" + sayApart(u.Apart))
	return d
}

// leavesOf returns the structs that an alternative is or holds.
func leavesOf(v *protocol.Variant) []*protocol.Struct {
	if inner := protocol.As[*protocol.Union](v.Type); inner != nil {
		return inner.Leaves()
	}
	return []*protocol.Struct{phase.StructOf(v.Type)}
}

// withoutOthers returns the decision by the same member between some of the structs, or nil if others could be taken for one of them.
func (b *builder) withoutOthers(d *protocol.Dispatch, told, others []*protocol.Struct) *protocol.Dispatch {
	if d.Member == "" || len(told) == 0 {
		return nil
	}
	list := b.candidates(told, d.Member)
	if len(list) == 0 {
		return nil
	}
	out := b.byConstant(list[0])
	if out == nil {
		return nil
	}
	out.Absent = d.Absent
	taken := map[protocol.Value]bool{}
	for _, c := range out.Cases {
		for _, v := range c.Values {
			taken[v] = true
		}
	}
	if slices.ContainsFunc(others, func(s *protocol.Struct) bool {
		values := constants(s, d.Member)
		return len(values) == 0 && !b.forbids(s, d.Member) || slices.ContainsFunc(values, func(v protocol.Value) bool { return taken[v] })
	}) {
		return nil
	}
	return out
}

// forbids reports whether no valid object of a struct has a member.
func (b *builder) forbids(s *protocol.Struct, member string) bool {
	written := b.types.Written[s]
	return written != nil && s.Field(member) == nil && written.Forbids(member)
}

// mostByTag returns the decision by the best text that is a constant in most structs, and the structs that forbid the member. Objects
// without it are of none of the others.
func (b *builder) mostByTag(leaves []*protocol.Struct, want string) (*protocol.Dispatch, []*protocol.Struct) {
	count := map[string]int{}
	var names []string
	for _, s := range leaves {
		for _, f := range s.Fields {
			if len(constants(s, f.Name)) > 0 && (want == "" || f.Name == want) {
				if count[f.Name]++; count[f.Name] == 1 {
					names = append(names, f.Name)
				}
			}
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Or(count[y]-count[x], b.rank(x)-b.rank(y)) })
	if len(names) == 0 || len(names) > 1 && count[names[0]] == count[names[1]] && b.rank(names[0]) == b.rank(names[1]) {
		return nil, nil // nothing says which
	}
	best := names[0]
	has := func(s *protocol.Struct) bool { return len(constants(s, best)) > 0 }
	told := each.Where(leaves, has)
	left := each.Where(leaves, func(s *protocol.Struct) bool { return !has(s) })
	if len(left) == 0 || slices.ContainsFunc(left, func(s *protocol.Struct) bool { return !b.forbids(s, best) }) {
		return nil, nil
	}
	d := b.byPresent(told, best)
	if d == nil {
		return nil, nil
	}
	d.Absent = true
	return d, left
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
		return slices.ContainsFunc(left, func(s *protocol.Struct) bool { return !b.forbids(s, c.Marker) })
	}) {
		return nil, nil // others might be taken for one of those
	}
	return d, left
}
