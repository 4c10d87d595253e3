// Fitting: facts of profiles that come with ahpgen, for schemas that may be newer than these.

package analyze

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
)

// fitting reads a fact. If a profile that comes with ahpgen states it, and the schemas do not fit it, one warning says so
// in the place of all errors, and takeBack undoes what was read: the package does without it.
func (b *builder) fitting(f facts.Fact, code, what string, read, takeBack func()) {
	if f.Where().Source != facts.Embedded {
		read()
		return
	}
	var own diag.List
	said := b.diags
	b.diags = &own
	read()
	b.diags = said
	switch {
	case !own.HasErrors():
		said.Merge(&own)
	case said.HasErrors():
		takeBack() // it may not fit because of what is reported already
	default:
		takeBack()
		why := strings.TrimPrefix(own.Sorted()[0].Message, what+": ")
		fit.Mismatch(f, said, code, "", "these schemas do not fit the profile's %s, and the package does without: %s", what, why)
	}
}
