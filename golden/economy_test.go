// What the tests save: time of the garbage collector and of the compiler. What is tried is the same.

package golden

import (
	"os"
	"runtime/debug"
	"testing"
)

// collectRarely lets heaps of this process, and of those that it starts, grow to nine times what lives in them before they
// are collected, instead of twice. Few of them live long.
func collectRarely() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // somebody has chosen
	}
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
	_ = os.Setenv("GOGC", "800")
	_ = os.Setenv("GOMEMLIMIT", "1GiB")
}

// emitted runs a go command on the packages of a module, compiled without optimizations and symbols for debuggers, as they
// run once. TestRun does with optimizations what it does if the tests are thorough, and so do the tests of generated/ahp.
func emitted(t testing.TB, module, verb string, args ...string) string {
	t.Helper()
	flags := []string{verb}
	if !*thorough {
		flags = append(flags, "-gcflags=./...=-N -l -dwarf=false")
	}
	return run(t, module, "go", append(flags, args...)...)
}

// everyError has the compiler name all that it refuses, and do without what takes long, as emitted has it.
const everyError = "-gcflags=./...=-e -N -l -dwarf=false"

// testEmitted tests packages of a module. What is emitted is vetted elsewhere.
func testEmitted(t testing.TB, module string, packages ...string) string {
	t.Helper()
	return emitted(t, module, "test", append([]string{"-vet=off", "-ldflags=-s -w"}, packages...)...)
}
