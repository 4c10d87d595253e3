// Versions: whether the version number was raised as much as the changes require.

package verdict

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/internal/version"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// versionBump reports a version that was raised too little. Before 1.0, a breaking change requires a new minor
// version and any other change a new patch version; from 1.0 on, a new major or minor version. A pre-release counts
// as its release. Dates and integers are not checked.
func versionBump(old, new *protocol.Protocol, findings []Finding) (change.Change, bool) {
	o, err1 := version.Order(old.Order).Parse(old.Version)
	n, err2 := version.Order(new.Order).Parse(new.Version)
	unreleased := strings.Contains(old.Version, "-") && o.Compare(n) == 0
	if err1 != nil || err2 != nil || !o.Numbered() || !n.Numbered() || n.Compare(o) < 0 || unreleased {
		return change.Change{}, false
	}
	needed, worst := 3, "" // the component that must at least change
	for _, f := range findings {
		switch {
		case f.Rule.Advice:
		case f.Unstable != "": // may change in any version
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
