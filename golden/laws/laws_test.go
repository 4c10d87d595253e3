// Tests of what the Agent Host Protocol's translators do: packages of all versions are compiled together, and their reducers
// are held against the translators on random states and actions, and on fixtures.

package laws

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

func TestMain(m *testing.M) { kit.Main(m) }

// versions are those that a package for 1.0.0 speaks and that have schemas.
var versions = []string{"0.8.0", "0.7.0", "0.6.0", "0.5.2"}

// TestTranslatorsFollowTheLaws runs testdata/laws_test.go in a package that speaks older versions.
func TestTranslatorsFollowTheLaws(t *testing.T) {
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module laws\n\ngo 1.24\n")
	runtime := filepath.Join(module, "wire")
	config := generator.Config{Schemas: "ahp@1.0.0", Out: filepath.Join(module, "ahp"), Package: "ahp", Runtime: runtime, Speaks: versions}
	kit.Generate(t, config)
	schemasOf(t, "ahp@1.0.0", filepath.Join(module, "schemas", "newest"))

	var imports, table, reducers strings.Builder
	for _, version := range versions {
		name := "v" + strings.ReplaceAll(version, ".", "_")
		kit.Generate(t, generator.Config{Schemas: "ahp@" + version, Out: filepath.Join(module, name), Package: "ahp", Runtime: runtime, Parts: []string{"reducers"}})
		schemasOf(t, "ahp@"+version, filepath.Join(module, "schemas", version))
		fmt.Fprintf(&imports, "\t%s \"laws/%s\"\n", name, name)
		fmt.Fprintf(&table, "\t{%q, reduce_%s},\n", version, name)
		fmt.Fprintf(&reducers, reducer, name)
	}
	kit.WriteFile(t, filepath.Join(module, "ahp", "peers_test.go"),
		fmt.Sprintf("package ahp_test\n\nimport (\n%s)\n\nvar peers = []peer{\n%s}\n%s", &imports, &table, &reducers))
	kit.WriteFile(t, filepath.Join(module, "ahp", "export_test.go"), "package ahp\n\nvar Older = older\n")
	for _, name := range []string{"laws_test.go", "compare_test.go", "random_test.go", "sessions_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(module, "ahp", name), string(text))
	}
	text, err := os.ReadFile(filepath.Join("testdata", "exceptions.json"))
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(module, "exceptions.json"), string(text))
	cases := "4000"
	if *kit.Thorough {
		cases = "100000"
	}
	t.Setenv("LAWS_CASES", cases)
	corpus := os.Getenv("AHPGEN_CORPUS")
	t.Setenv("CORPUS", filepath.Join(corpus, "ahp"))
	said := kit.TestEmitted(t, module, "-v", "-run", "TestLaws|TestSessions", "./ahp")
	for line := range strings.Lines(said) {
		if strings.Contains(line, " ran: ") || strings.Contains(line, "never used") {
			t.Log(strings.TrimSpace(line))
		}
	}
	t.Run("fixtures", func(t *testing.T) {
		if corpus == "" {
			t.Skip("AHPGEN_CORPUS is not set: the fixtures of older versions were not run")
		}
		require.Equal(t, 3, strings.Count(said, "fixture steps"), "0.7.0, 0.6.0 and 0.5.2 have fixtures")
	})
}

// reducer is a function that reduces with the package of a version.
const reducer = `
func reduce_%[1]s(snapshot, action []byte) ([]byte, error) {
	s, err := %[1]s.Decode[%[1]s.Snapshot](snapshot)
	if err != nil {
		return nil, err
	}
	a, err := %[1]s.DecodeStateAction(action)
	if err != nil {
		return nil, err
	}
	r := &%[1]s.Reducer{Now: now}
	s.State = r.Apply(s.State, a)
	return s.AppendJSON(nil)
}
`

// schemasOf writes embedded schemas to a folder.
func schemasOf(t *testing.T, name, dir string) {
	t.Helper()
	folder, _, err := schemas.Protocol(name)
	require.NoError(t, err)
	files, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	for _, file := range files {
		data, err := fs.ReadFile(folder, file)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, file), string(data))
	}
}
