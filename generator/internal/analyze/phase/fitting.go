// Fitting: facts of embedded profiles for newer schemas.

package phase

import (
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/facts/fit"
)

// Apart begins the reading of a fact. Settle ends it. What is known to be wrong does not concern a profile that comes with
// ahpgen: whether the fact fits is to be found out.
func (w *Work) Apart(f facts.Fact) *Work {
	out := &Work{Given: w.Given, Used: w.Used, Repeated: w.Repeated}
	if f.Where().Source != facts.Embedded {
		out.known = w.Known()
	}
	return out
}

// Settle takes over what the reading of a fact has found, and reports whether what was read counts. If a profile that comes
// with ahpgen states the fact, and the schemas do not fit it, one warning says so in the place of all errors: the package does
// without it.
func (w *Work) Settle(f facts.Fact, code, what string, read *Work) bool {
	w.Repeated = read.Repeated
	found := read.Sorted()
	switch wrong := slices.IndexFunc(found, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); {
	case f.Where().Source != facts.Embedded, wrong < 0:
		w.Add(found...)
		return true
	case w.HasErrors(): // possibly because of a reported error
	default:
		why := strings.TrimPrefix(found[0].Message, what+": ")
		w.Mismatch(f, code, "", "these schemas do not fit the profile's %s, and the package does without: %s", what, why)
	}
	return false
}

// Mismatch reports that a fact does not fit the schemas.
func (w *Work) Mismatch(f facts.Fact, code, hint, format string, args ...any) {
	w.Add(fit.Mismatch(f, code, hint, format, args...))
}
