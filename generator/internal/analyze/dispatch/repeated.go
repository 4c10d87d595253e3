// Repeated: variants that unions have through others in them.

package dispatch

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/analyze/phase"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// repeatedVariants counts the variants of nested unions.
func (b *builder) repeatedVariants() {
	for u := range protocol.Each[*protocol.Union](b.types.All) {
		if !slices.ContainsFunc(u.Variants, isUnion) {
			continue
		}
		if !b.Repeat(u.Pos, b.leavesUpTo(u, phase.MaxRepeated+1-b.Repeated)-len(u.Variants)+1, "variants", "the unions in "+u.Name) {
			return
		}
	}
}

func isUnion(v *protocol.Variant) bool { return protocol.As[*protocol.Union](v.Type) != nil }

// leavesUpTo counts the alternatives of a union up to a limit.
func (b *builder) leavesUpTo(u *protocol.Union, most int) int {
	n := 0
	seen := map[protocol.Type]bool{}
	var walk func(*protocol.Union)
	walk = func(u *protocol.Union) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, v := range u.Variants {
			if n++; n > most+len(u.Variants) {
				return
			}
			if inner := protocol.As[*protocol.Union](v.Type); inner != nil {
				walk(inner)
			}
		}
	}
	walk(u)
	return n
}
