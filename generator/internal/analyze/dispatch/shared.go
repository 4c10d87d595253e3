// Shared: one decision for unions that hold the same alternatives, if a fact makes it for one of them.

package dispatch

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// decided are decisions that follow from facts, by the names of the alternatives. One is nil if facts contradict each other.
type decided map[string]*protocol.Dispatch

// isStated reports whether a fact states what distinguishes the variants of a union.
func (b *builder) isStated(u *protocol.Union) bool {
	if rule := b.UnionRule(u.Name); rule != nil && (rule.Discriminator != "" || rule.Decide != nil || rule.Otherwise != nil) {
		return true
	}
	def := b.Set.Lookup(u.Name)
	return def != nil && def.Schema.Discriminator != ""
}

// add notes the decision of a union, if there is one.
func (d decided) add(u *protocol.Union) {
	if u.Dispatch == nil {
		return
	}
	key := alternatives(u.Leaves())
	if first, ok := d[key]; ok && (first == nil || first.Member == "" || first.Member != u.Dispatch.Member) {
		d[key] = nil
		return
	}
	d[key] = u.Dispatch
}

// of returns the decision for some alternatives, to be changed by the union that it is for, or nil.
func (d decided) of(leaves []*protocol.Struct) *protocol.Dispatch {
	if len(d) == 0 {
		return nil
	}
	found := d[alternatives(leaves)]
	if found == nil {
		return nil
	}
	out := *found
	out.Untagged, out.Lenient = "", false
	return &out
}

// alternatives returns a text that is the same for the same alternatives.
func alternatives(leaves []*protocol.Struct) string {
	names := each.Map(leaves, func(s *protocol.Struct) string { return s.Name })
	slices.Sort(names)
	return strings.Join(names, "\n")
}
