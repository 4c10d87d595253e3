// Versions: whether a version number moved as far as the changes call for.

package verdict

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// versionBump reports a version that moved too little. Before 1.0 a change that breaks a party
// calls for a new minor version and any other for a new patch; from then on for a major and a
// minor one. A pre-release counts as the release that it leads to. Dates and single numbers promise
// nothing by how far they move.
func versionBump(old, new *protocol.Protocol, findings []Finding) (change.Change, bool) {
	o, err1 := version.Order(old.Order).Parse(old.Version)
	n, err2 := version.Order(new.Order).Parse(new.Version)
	unreleased := strings.Contains(old.Version, "-") && o.Compare(n) == 0
	if err1 != nil || err2 != nil || !o.Numbered() || !n.Numbered() || n.Compare(o) < 0 || unreleased {
		return change.Change{}, false
	}
	needed, worst := 3, "" // the place that has to move at least
	for _, f := range findings {
		switch {
		case f.Rule.Advice:
		case max(f.Client, f.Host) == Breaks:
			needed, worst = 1, "breaking changes"
		case needed > 2:
			needed, worst = 2, "changes"
		}
	}
	if needed < 3 && o.Differ(version.Version{}) == 0 { // from 1.0 on
		needed--
	}
	if o.Differ(n) <= needed || needed == 3 {
		return change.Change{}, false
	}
	return change.Change{
		Rule: change.VersionTooSmall, Subject: "version", From: old.Version,
		To: new.Version + "; " + worst + " call for " + o.Raised(needed),
	}, true
}
