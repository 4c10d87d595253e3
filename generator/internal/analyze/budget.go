// Budget: what a few lines of schema may grow into. A struct repeats the members of its bases, a
// union the variants of the unions in it, and an enum the values of those it is made of; chains of
// these grow with the square of what is written.

package analyze

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// maxRepeated bounds how many members, variants and values are taken over from where they stand.
const maxRepeated = 100_000

// repeat notes that n things are taken over from somewhere else, and reports whether that is not
// too much yet.
func (b *builder) repeat(pos diag.Pos, n int, what, from string) bool {
	if b.exhausted() {
		return false // said already
	}
	b.repeated += n
	if b.exhausted() {
		b.diags.Errorf(pos, "too-much-repeated", "put what is shared into an object that the others have as a member, or flatten the chain",
			"the schemas take over more than %d members, variants and values from one another; here it is the %s of %s", maxRepeated, what, from)
		return false
	}
	return true
}

func (b *builder) exhausted() bool { return b.repeated > maxRepeated }

// repeatedVariants counts the variants that unions have through others in them.
func (b *builder) repeatedVariants() {
	for u := range protocol.Each[*protocol.Union](b.out.Types) {
		if !slices.ContainsFunc(u.Variants, isUnion) {
			continue
		}
		if !b.repeat(u.Pos, b.leavesUpTo(u, maxRepeated+1-b.repeated)-len(u.Variants)+1, "variants", "the unions in "+u.Name) {
			return
		}
	}
}

func isUnion(v *protocol.Variant) bool {
	ref, _ := v.Type.(protocol.Ref)
	_, ok := ref.Type.(*protocol.Union)
	return ok
}

// leavesUpTo counts the alternatives below a union, and stops if there are too many.
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
			if ref, ok := v.Type.(protocol.Ref); ok {
				if inner, ok := ref.Type.(*protocol.Union); ok {
					walk(inner)
				}
			}
		}
	}
	walk(u)
	return n
}
