// Package flags has the flags that every package of tests below golden accepts, so that go test ./golden/... can be run
// with them.
package flags

import (
	"flag"
	"os"
	"testing"
)

// The flags. Packages without golden files have nothing to do for Update.
var (
	Update   = flag.Bool("update", false, "rewrite the golden files")
	Thorough = flag.Bool("thorough", false, "try all of what is otherwise a sample, and try often what is left to chance")
)

// All reports whether tests try everything that a change has to pass, and not a sample of it: if AHPGEN_TESTS is all, as
// .ci/run sets it, or they are thorough.
func All() bool { return os.Getenv("AHPGEN_TESTS") == "all" || *Thorough }

// SkipUnlessAll skips a test that takes seconds and seldom finds what the others do not, unless all are asked for.
func SkipUnlessAll(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("this test is for AHPGEN_TESTS=all, as .ci/run sets it")
	}
}

// Updating reports whether the golden files are to be rewritten.
func Updating() bool {
	flag.Parse()
	return *Update
}
