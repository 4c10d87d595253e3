// Obstacles: what keeps an implementation of one version from speaking an older one.

package verdict

import (
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Hinders reports whether a finding keeps an implementation of the new version from speaking the old one,
// whichever side it is on: it refuses what an old peer sends, has lost the rule for it, or has no way to write
// what an old peer relies on. What it merely should not send to an old peer is no obstacle: it knows the agreed
// version.
func (f *Finding) Hinders() bool {
	for _, e := range f.Effects {
		if e.Verdict == Breaks && f.hinders(e) {
			return true
		}
	}
	return false
}

// hinders reports whether what breaks a reader stands in the way of a new implementation.
func (f *Finding) hinders(e Effect) bool {
	if e.Skew.age(e.Direction.Producer()) == "new" {
		return !f.Rule.avoidable
	}
	// A variant that went is kept as it came if the union takes unknown ones. What an action does to a
	// state would be lost, which is a finding of its own.
	u, ok := f.Place.NewType.(*protocol.Union)
	return !(f.Change.Rule == change.VariantRemoved && ok && u.Open)
}
