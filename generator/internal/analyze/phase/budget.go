// Budget: bounding growth. Structs copy the members of bases, unions the variants of nested unions, and enums the
// values of others; chains of these grow quadratically.

package phase

import "github.com/ahpgen/ahpgen/generator/diag"

// MaxRepeated bounds how many members, variants and values are taken over from where they stand.
const MaxRepeated = 100_000

// Repeat notes that n things are taken over from somewhere else, and reports whether that is not
// too much yet.
func (w *Work) Repeat(pos diag.Pos, n int, what, from string) bool {
	if w.Exhausted() {
		return false // already reported
	}
	w.Repeated += n
	if w.Exhausted() {
		w.Errorf(pos, "too-much-repeated", "put what is shared into an object that the others have as a member, or flatten the chain",
			"the schemas take over more than %d members, variants and values from one another; here it is the %s of %s", MaxRepeated, what, from)
		return false
	}
	return true
}

// Exhausted reports whether too much has been taken over.
func (w *Work) Exhausted() bool { return w.Repeated > MaxRepeated }

// Exhausted reports whether too much has been taken over.
func (b Broken) Exhausted() bool { return b.Repeated > MaxRepeated }
