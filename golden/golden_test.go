// Tests that compare what ahpgen prints and emits with the golden files.

package golden

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/want"
)

var (
	update   = flag.Bool("update", false, "rewrite the golden files")
	thorough = flag.Bool("thorough", false, "try all of what is otherwise a sample, and try often what is left to chance")
)

func TestMain(m *testing.M) {
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

// newModule makes a module for emitted packages, and returns its folder. They share one runtime there.
func newModule(t *testing.T) string {
	t.Helper()
	dir := place(t)
	writeFile(t, filepath.Join(dir, "go.mod"), "module golden\n\ngo 1.24\n")
	return dir
}

// TestTypes generates each case of types/ twice and compares the emitted Go with what is wanted. Then it
// vets all of it, with the runtime that does not depend on the case and is in none of the files.
func TestTypes(t *testing.T) {
	cases, err := filepath.Glob("types/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	module := newModule(t)
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say at the top what the case shows")
			out := filepath.Join(module, strings.TrimSuffix(filepath.Base(file), ".txtar"))
			emitted := generateCase(t, archive, out)
			requireUsed(t, out)
			require.Equal(t, emitted, generateCase(t, archive, filepath.Join(newModule(t), filepath.Base(out))), "a second run differs")
			compareFiles(t, file, archive, emitted)
		})
	}
	if t.Failed() {
		return
	}
	if testing.Short() {
		return // what is emitted is as wanted, and that has been compiled
	}
	run(t, module, "go", "vet", "./...") // which type-checks; TestRun and TestEffects compile
	if *thorough {
		run(t, module, "go", "build", "./...")
	}
}

// sharedRuntime is where cases have what does not depend on them, relative to their packages.
const sharedRuntime = "../wire"

// generateCase runs one case and returns the files that belong into it, in order.
func generateCase(t *testing.T, archive *txtar.Archive, out string) []txtar.File {
	t.Helper()
	in := t.TempDir()
	var diags diag.List
	var config generator.Config
	show := []string{"*"}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		writeFile(t, filepath.Join(in, f.Name), string(f.Data))
		switch f.Name {
		case "profile.json":
			config.Profile = filepath.Join(in, f.Name)
		case "ahpgen.json":
			stated, err := generator.ReadConfig(filepath.Join(in, f.Name), &diags)
			require.NoError(t, err)
			config.Reducers = stated.Reducers
		case "show":
			show = strings.Fields(string(f.Data))
		}
	}
	config.Schemas, config.Out, config.Package = filepath.Join(in, "schema"), out, "p"
	config.Runtime = filepath.Join(out, sharedRuntime)
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.Zerof(t, diags.Len(), "%s", diags.Sorted())
	require.NoError(t, plan.Apply())
	var files []txtar.File
	for _, f := range plan.Files {
		shared := strings.HasPrefix(f.Name, sharedRuntime+"/") || f.Name == "doc_gen.go"
		shown := slices.ContainsFunc(show, func(pattern string) bool {
			ok, err := filepath.Match(pattern, f.Name)
			require.NoError(t, err)
			return ok
		})
		if !shared && shown {
			files = append(files, txtar.File{Name: "want/" + f.Name, Data: f.New})
		}
	}
	return files
}

// compareFiles compares by name, so that a missing and an unexpected file both fail.
func compareFiles(t *testing.T, file string, archive *txtar.Archive, emitted []txtar.File) {
	t.Helper()
	if *update {
		input := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
		archive.Files = append(input, emitted...)
		require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
		return
	}
	wanted := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			wanted[f.Name] = string(f.Data)
		}
	}
	c := causes.For(t)
	for _, f := range emitted {
		want, ok := wanted[f.Name]
		if !ok {
			t.Errorf("%s: unexpected file %s", file, f.Name)
			continue
		}
		delete(wanted, f.Name)
		c.Same(f.Name, want, string(f.Data))
	}
	for name := range wanted {
		t.Errorf("%s: %s was not emitted", file, name)
	}
	c.End()
}

// causes are the differences of this run.
var causes want.Causes

// long skips a test that runs the go command on emitted packages, or a program many times.
func long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: this test compiles what is emitted, or tries often")
	}
}

// longer skips a test that compiles whole packages of AHP and says little that others do not, unless -thorough asks for it.
func longer(t testing.TB) {
	t.Helper()
	if !*thorough {
		t.Skip("this test is for -thorough, as .ci/run runs it")
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

// corpus returns the folder of real schemas and instances, and skips the test where there is none.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AHPGEN_CORPUS")
	if dir == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	abs, err := filepath.Abs(dir)
	require.NoError(t, err)
	if !filepath.IsAbs(dir) { // relative to the module, where people run go test from
		abs, err = filepath.Abs(filepath.Join("..", dir))
		require.NoError(t, err)
	}
	_, err = os.Stat(abs)
	require.NoError(t, err, "AHPGEN_CORPUS names no folder")
	return abs
}

// run executes a command in a folder and returns what it printed.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	out, err := command(dir, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// command executes a command in a folder and returns all that it printed.
func command(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func toJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// generate writes the package for a folder of schemas and returns the plan.
func generate(t testing.TB, config generator.Config) *generator.Plan {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	require.NoErrorf(t, err, "%s", diags.Sorted())
	require.False(t, diags.HasErrors(), fmt.Sprint(diags.Sorted()))
	require.NoError(t, plan.Apply())
	return plan
}
