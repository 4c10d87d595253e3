// Package flags has the flags that every package of tests below golden accepts, so that go test ./golden/... can be run
// with them.
package flags

import "flag"

// The flags. Packages without golden files have nothing to do for Update.
var (
	Update   = flag.Bool("update", false, "rewrite the golden files")
	Thorough = flag.Bool("thorough", false, "try all of what is otherwise a sample, and try often what is left to chance")
)

// Updating reports whether the golden files are to be rewritten.
func Updating() bool {
	flag.Parse()
	return *Update
}
