// Obstacles: what prevents an implementation of one version from speaking an older one.

package verdict

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Hinders reports whether a finding prevents an implementation of the new version from speaking the old one on either
// side: it refuses what an old peer sends, lacks the rule for it, or may write what an old peer does not take. New actions, and
// states of new channels, are no obstacle: an old peer is not sent the former, and does not ask for the latter. Nor are limits:
// decoders take what is beyond them.
func (f *Finding) Hinders() bool {
	return !f.Change.Rule.IsLimit() && slices.ContainsFunc(f.Effects, func(e Effect) bool { return e.Verdict == Breaks && f.hinders(e) })
}

// Translate takes note that the package translates messages for peers of the older version, and what they have stored: what
// would break them in the type of a value does not. What becomes of rows of the tables, such as methods, is no matter of types.
func (f *Finding) Translate(older string) {
	if f.Change.Rule.IsLimit() || f.Change.Rule.IsDefault() {
		return // values stay what they are, and what is left out stays away
	}
	if f.Place.OldRow != nil || f.Place.NewRow != nil {
		return
	}
	f.Client, f.Host, f.Disk = min(f.Client, Tolerated), min(f.Host, Tolerated), min(f.Disk, Tolerated)
	for i := range f.Effects {
		if e := &f.Effects[i]; e.Verdict == Breaks {
			e.Verdict, e.Why = Tolerated, "it is translated, for the package speaks "+older
		}
	}
}

// hinders reports whether what breaks a reader is an obstacle for a new implementation.
func (f *Finding) hinders(e Effect) bool {
	if e.Skew.age(e.Direction.Producer()) == "new" {
		return !f.asked
	}
	// A removed variant is kept verbatim by an open union, and by one with a general variant as that. The loss of an action's effect on a state is a separate
	// finding.
	u, ok := f.Place.NewType.(*protocol.Union)
	return !(f.Change.Rule == change.VariantRemoved && ok && (u.Open || u.Dispatch.General() != nil))
}
