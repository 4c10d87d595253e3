// Package kit has what the packages of golden tests share: their flags and TestMain, temporary modules, commands, and
// comparison with golden files.
package kit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/want"
)

// Main runs the tests of a package, or the command ahpgen where a test starts this program under that name.
func Main(m *testing.M) {
	collectRarely()
	testscript.Main(testRun{m}, map[string]func(){
		"ahpgen": func() { os.Exit(cli.Main()) },
	})
}

// testRun is a run of the tests, and not of the command that they try.
type testRun struct{ *testing.M }

// Run finds the folder of this run before any test has another home: its lock is there. What else is temporary goes there too.
func (r testRun) Run() int {
	if err := moveIn(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return r.M.Run()
}

// collectRarely lets heaps of this process, and of those that it starts, grow to nine times what lives in them before they
// are collected, instead of twice. Few of them live long.
func collectRarely() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return // set by the user
	}
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(1 << 30)
	_ = os.Setenv("GOGC", "800")
	_ = os.Setenv("GOMEMLIMIT", "1GiB")
}

// Root returns the folder of this module, whatever the current folder is.
func Root(t testing.TB) string {
	t.Helper()
	dir, ok := root()
	require.True(t, ok)
	return dir
}

func root() (string, bool) {
	_, file, _, ok := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file))), ok
}

// Update is the flag of package flags.
var Update = flags.Update

// Thorough is the flag of package flags.
var Thorough = flags.Thorough

// Causes are the differences of this run.
var Causes want.Causes

// Long skips a test that runs the go command on emitted packages, or a program many times.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this test compiles what is emitted, or tries often")
	}
}

// Wide is [flags.SkipUnlessAll] for a test that is Long too.
func Wide(t testing.TB) {
	t.Helper()
	Long(t)
	flags.SkipUnlessAll(t)
}

// Longer skips a test that compiles whole packages of AHP and says little that others do not, unless -thorough asks for it.
func Longer(t testing.TB) {
	t.Helper()
	if !*Thorough {
		t.Skip("this test is for -thorough, as .ci/run runs it")
	}
}

// Corpus returns the folder of real schemas and instances, and skips the test where there is none.
func Corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AHPGEN_CORPUS")
	if dir == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(Root(t), dir) // go test is run there
	}
	_, err := os.Stat(dir)
	require.NoError(t, err, "AHPGEN_CORPUS names no folder")
	return dir
}

// ToJSON returns a value as JSON.
func ToJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// ExampleProtocol is the folder of the example protocol, from the folder of a package of tests.
const ExampleProtocol = "../../schemas/example"

// Releases are the folders of the corpus that have to give a complete package.
var Releases = []string{"0.4.0", "0.5.0", "0.5.1", "0.5.2", "0.6.0", "0.7.0", "0.8.0-dev"}
