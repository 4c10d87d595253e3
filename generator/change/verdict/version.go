// Versions: whether a version number moved as far as the changes call for.

package verdict

import (
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// number is the numeric part of a version.
type number [3]int

func parse(version string) (number, bool) {
	core, _, _ := strings.Cut(version, "-")
	var n number
	parts := strings.Split(core, ".")
	if version == "" || len(parts) > len(n) {
		return n, false
	}
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return n, false
		}
		n[i] = v
	}
	return n, true
}

// place is the first number in which two versions differ: 0 major, 1 minor, 2 patch, 3 none.
func (n number) place(m number) int {
	for i := range n {
		if n[i] != m[i] {
			return i
		}
	}
	return len(n)
}

// older reports whether n comes before m.
func (n number) older(m number) bool {
	i := n.place(m)
	return i < len(n) && n[i] < m[i]
}

// versionBump reports a version that moved too little. Before 1.0 a change that breaks a party
// calls for a new minor version and any other for a new patch; from then on for a major and a
// minor one. A pre-release counts as the release that it leads to.
func versionBump(old, new *protocol.Protocol, findings []Finding) (change.Change, bool) {
	o, ok1 := parse(old.Version)
	n, ok2 := parse(new.Version)
	unreleased := strings.Contains(old.Version, "-") && o == n
	if !ok1 || !ok2 || n.older(o) || unreleased {
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
	if needed < 3 && o[0] > 0 {
		needed--
	}
	if o.place(n) <= needed || needed == 3 {
		return change.Change{}, false
	}
	want := number{}
	copy(want[:needed], o[:needed])
	want[needed] = o[needed] + 1
	return change.Change{
		Rule: change.VersionTooSmall, Subject: "version", From: old.Version,
		To: new.Version + "; " + worst + " call for " + want.String(),
	}, true
}

// String renders the version.
func (n number) String() string {
	return strconv.Itoa(n[0]) + "." + strconv.Itoa(n[1]) + "." + strconv.Itoa(n[2])
}
