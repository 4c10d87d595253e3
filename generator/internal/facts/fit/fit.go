// Package fit reports profile facts that do not match the schemas.
package fit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

// Used records the facts that matched.
type Used map[*facts.Origin]bool

// Add records that a fact matched.
func (u Used) Add(f facts.Fact) { u[f.Where()] = true }

// Unused returns a diagnostic for every fact of a profile that matched nothing. A fact that is limited to some versions is a
// warning if the current version is among them. Another one is an error in the profile; in an embedded profile it is a
// warning, because the schemas are probably newer.
func Unused(all []facts.Fact, used Used, set *schema.Set, at version.Version) (found []diag.Diagnostic) {
	for _, f := range all {
		o := f.Where()
		switch {
		case o.Source == facts.Schema || used[o] || o.Other:
		case o.Unneeded == facts.Doubtful:
			found = append(found, diag.Warnf(o.Pos, "unused-entry",
				fmt.Sprintf("these schemas were taken for version %s: limit the entry with versions, or say with --protocol-version which version they are", cmp.Or(at.String(), "unknown")),
				"the profile's %s matches nothing in these schemas", o.What))
		case o.Unneeded == facts.Wrong:
			hint, why := "correct it, or limit it to the versions it is for with versions", ""
			if i := slices.IndexFunc(o.Needs, func(name string) bool { return !set.Has(name) }); i >= 0 {
				why = ", which define no " + o.Needs[i]
				hint = set.DidYouMean(o.Needs[i], hint, hint)
			}
			found = append(found, Mismatch(o, "unused-entry", hint, "the profile's %s matches nothing in these schemas%s", o.What, why))
		}
	}
	return found
}

// Mismatch returns the diagnostic for a fact that does not fit the schemas. For an embedded profile it is a warning:
// the schemas may be newer or older than the profile, and the fact is ignored. So it is where schemas of two versions have one profile.
func Mismatch(f facts.Fact, code, hint, format string, args ...any) diag.Diagnostic {
	o := f.Where()
	if o.Extends != "" {
		hint = "state it in " + o.Extends + " as it should be; with \"versions\": \"<0\" it is for none"
	}
	if o.Source == facts.Embedded {
		if o.Extends == "" {
			hint = "the schemas may be newer or older than ahpgen's profile; a profile file of your own that extends it can say otherwise"
		}
		return diag.Warnf(o.Pos, code, hint, format, args...)
	}
	if o.Other {
		return diag.Warnf(o.Pos, code, hint, format, args...)
	}
	return diag.Errorf(o.Pos, code, hint, format, args...)
}
