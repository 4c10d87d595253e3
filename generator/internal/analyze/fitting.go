// Fitting: facts of profiles that come with ahpgen, for schemas that may be newer than these.

package analyze

import (
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
)

// fitting reads a fact. If a profile that comes with ahpgen states it, and it does not fit the schemas, one warning says so
// in the place of all errors, and takeBack undoes what was read: the package does without.
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
		fit.Mismatch(f, said, code, "", "the profile's %s does not fit these schemas, and the package does without: %s", what, own.Sorted()[0].Message)
	}
}
