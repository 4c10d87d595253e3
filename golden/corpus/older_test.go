// Tests of the package for an older version than the one that generated/ahp is made from. Most tests of reducers that
// stand there are about every version; they are run on the older one as well.

package corpus

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// testsOfEveryVersion are the files of generated/ahp that are about no version, but for what a folder of testdata says.
var testsOfEveryVersion = []string{"reference_*_test.go", "reference_test.go", "reducers_test.go", "reducers_customization_test.go", "reducers_toolcall_test.go"}

// TestOlderReducersFollowTheirRules puts the package of the older version in the place of the committed one, for the
// compiler alone, with the tests of every version and those of the folder testdata/ahp-VERSION.
func TestOlderReducersFollowTheirRules(t *testing.T) {
	kit.Longer(t)
	const version = "0.7.0"
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module github.com/ahpgen/ahpgen\n\ngo 1.24\n")
	older := filepath.Join(module, "generated", "ahp")
	const runtime = "wire" // beside the package, as for the committed one
	kit.Generate(t, generator.Config{Schemas: "ahp@" + version, Out: older, Runtime: filepath.Join(module, "generated", runtime), Package: "ahp"})

	overlay := map[string]string{} // from where a file would be to where it is, "" for nowhere
	committed := filepath.Join(kit.Root(t), "generated", "ahp")
	goFiles(t, committed, func(name string) {
		if !matchesAny(t, name, testsOfEveryVersion) {
			overlay[filepath.Join(committed, name)] = ""
		}
	})
	for _, dir := range []string{older, filepath.Join(kit.Root(t), "golden", "corpus", "testdata", "ahp-"+version)} {
		goFiles(t, dir, func(name string) { overlay[filepath.Join(committed, name)] = filepath.Join(dir, name) })
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	require.NoError(t, err)
	file := filepath.Join(module, "overlay.json")
	kit.WriteFile(t, file, string(text))
	printed := kit.Run(t, kit.Root(t), "go", "test", "-overlay", file, "-v", "./generated/ahp")
	require.Contains(t, printed, "--- PASS: TestVersion ")
	require.Contains(t, printed, "--- PASS: TestReducersAgreeWithReference ")
	require.Contains(t, printed, "--- PASS: TestReducersFollowTheLifecycles ")
	if os.Getenv("AHPGEN_CORPUS") != "" {
		require.NotContains(t, printed, "--- SKIP")
	}
}

// goFiles calls f with the Go files below a folder, by their paths from there.
func goFiles(t *testing.T, dir string, f func(name string)) {
	t.Helper()
	found := false
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			name, relative := filepath.Rel(dir, path)
			found, err = true, relative
			f(name)
		}
		return err
	}))
	require.True(t, found, "no Go files in %s", dir)
}

func matchesAny(t *testing.T, name string, patterns []string) bool {
	t.Helper()
	for _, p := range patterns {
		ok, err := filepath.Match(p, name)
		require.NoError(t, err)
		if ok {
			return true
		}
	}
	return false
}
