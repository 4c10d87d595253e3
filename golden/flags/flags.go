// Package flags has the flags that every package of tests below golden accepts, so that go test ./golden/... can be run
// with them.
package flags

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"testing"
)

// The flags. Packages without golden files have nothing to do for Update.
var (
	Update   = flag.Bool("update", false, "rewrite the golden files")
	Thorough = flag.Bool("thorough", false, "try all of what is otherwise a sample, and try often what is left to chance")
)

// All reports whether a test tries everything that a change has to pass, and not a sample of it: if the tests are thorough, or
// AHPGEN_TESTS asks for it. It is all, for every test, or a part of the tests, such as 2/3 for the second of three; then the
// others take their samples.
func All(t testing.TB) bool {
	t.Helper()
	if *Thorough {
		return true
	}
	has, err := asks(os.Getenv("AHPGEN_TESTS"), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return has
}

// asks reports whether a value of AHPGEN_TESTS asks for all that a test can try. The name of a test decides which part has it,
// so that it stays there while others come and go.
func asks(value, test string) (bool, error) {
	if value == "" || value == "all" {
		return value == "all", nil
	}
	var part, parts uint32
	var more string
	if n, _ := fmt.Sscanf(value+" .", "%d/%d %s", &part, &parts, &more); n != 3 || more != "." || part < 1 || part > parts {
		return false, fmt.Errorf("AHPGEN_TESTS=%s: want all, or a part such as 2/3", value)
	}
	h := fnv.New32a()
	h.Write([]byte(test))
	return h.Sum32()%parts == part-1, nil
}

// SkipUnlessAll skips a test that takes seconds and seldom finds what the others do not, unless it is asked for.
func SkipUnlessAll(t testing.TB) {
	t.Helper()
	if !All(t) {
		t.Skip("this test is for AHPGEN_TESTS=all; .ci/run has it with each third commit")
	}
}

// Updating reports whether the golden files are to be rewritten.
func Updating() bool {
	flag.Parse()
	return *Update
}
