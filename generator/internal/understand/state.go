// State: setting the keywords that a profile states about schemas.

package understand

import (
	"fmt"
	"slices"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// said is a keyword at a place.
type said struct{ path, keyword string }

// state sets stated keywords in the schemas, those of statements with wildcards first, so that others come in their place. It
// reports what two statements with wildcards in one file say differently.
func state(set *schema.Set, statements []*profile.Statement, used fit.Used) []diag.Diagnostic {
	type word struct {
		by    *profile.Statement
		value *schema.Node
	}
	known, contested := map[said]word{}, map[said]diag.Diagnostic{}
	var order []said
	rank := func(st *profile.Statement) int {
		switch {
		case !schema.IsPattern(st.At):
			return 2
		case st.Extends != "":
			return 0
		}
		return 1
	}
	sorted := slices.Clone(statements)
	slices.SortStableFunc(sorted, func(a, b *profile.Statement) int { return rank(a) - rank(b) })
	for _, st := range sorted {
		for _, path := range set.State(st.At, st.Keywords) {
			used.Add(st)
			for _, k := range st.Keywords {
				at := said{path, k.Key}
				first, ok := known[at]
				switch {
				case !schema.IsPattern(st.At):
					delete(contested, at)
				case ok && first.by != st && first.by.Pos.File == st.Pos.File && !first.value.Equal(k.Value):
					contested[at] = diag.Errorf(k.KeyPos, "contradiction", fmt.Sprintf("add an entry for %s, which comes before those with asterisks, or make one match less", path),
						"%s of %s is %s here and %s at %s", k.Key, path, k.Value.Compact(), first.value.Compact(), first.value.Pos)
					order = append(order, at)
				}
				known[at] = word{st, k.Value}
			}
		}
	}
	var found []diag.Diagnostic
	for _, at := range order {
		if d, ok := contested[at]; ok {
			found = append(found, d)
		}
	}
	return found
}
