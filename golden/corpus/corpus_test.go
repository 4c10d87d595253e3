// Tests on the corpus of published schemas: each folder is generated and compiled, or refused.

package corpus

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestFixtures runs the real instances of the corpus through the package of the release they are from.
func TestFixtures(t *testing.T) {
	module := fixtureModule(t)
	t.Setenv("FIXTURES", filepath.Join(kit.Corpus(t), "ahp", "0.7.0", "fixtures"))
	t.Log(kit.TestEmitted(t, module, "./..."))
}

// fixtureModule writes a module with the package for 0.7.0 and the tests that run on it.
func fixtureModule(t testing.TB) string {
	t.Helper()
	kit.Corpus(t)
	module := kit.Place(t)
	writeFileTB(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	plan := kit.Generate(t, releaseConfig(t, "0.7.0", filepath.Join(module, "ahp")))
	writeFileTB(t, filepath.Join(module, "decoders_test.go"), decoderTable(t, plan, "ahp", "decoders"))
	tests, err := os.ReadFile(filepath.Join("testdata", "corpus", "fixtures_test.go"))
	require.NoError(t, err)
	writeFileTB(t, filepath.Join(module, "fixtures_test.go"), string(tests))
	return module
}

func writeFileTB(t testing.TB, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

// decoderTable is a Go file with a table of a package's decoders by the protocol's type names, for tests that run on it.
func decoderTable(t testing.TB, plan *generator.Plan, pkg, table string) string {
	t.Helper()
	var source bytes.Buffer
	for _, f := range plan.Files {
		if !strings.Contains(f.Name, "/") { // what is in the runtime is no type of the protocol
			source.Write(f.New)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package corpus\n\nimport (\n\t\"encoding/json\"\n\n\tahp \"corpus/%s\"\n)\n\nvar %s = map[string]func([]byte) (value, error){\n", pkg, table)
	for _, typ := range plan.Protocol.Types {
		name := typ.Head().Name
		if strings.Contains(name, ".") && typ.Head().GoName == "" {
			continue
		}
		goName := goNameOf(t, source.String(), name, typ.Head().GoName)
		key := name
		if strings.Contains(name, ".") {
			key = goName
		}
		switch typ.(type) {
		case *protocol.Struct:
			fmt.Fprintf(&b, "\t%q: func(data []byte) (value, error) { return ahp.Decode[ahp.%s](data) },\n", key, goName)
		case *protocol.Union:
			if !strings.Contains(source.String(), "\nfunc Decode"+goName+"(") {
				continue // made for the table of actions, and decoded as any action
			}
			fmt.Fprintf(&b, "\t%q: func(data []byte) (value, error) { return ahp.Decode%s(data) },\n", key, goName)
		case *protocol.Enum, *protocol.Alias:
			fmt.Fprintf(&b, "\t%q: func(data []byte) (value, error) { var v ahp.%s; err := json.Unmarshal(data, &v); return marshalled{v}, err },\n", key, goName)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// goNameOf finds how the emitted source spells a definition, whatever the case of its initialisms.
func goNameOf(t testing.TB, source, name, stated string) string {
	t.Helper()
	if stated != "" {
		return stated
	}
	lower := strings.ToLower(source)
	at := strings.Index(lower, "\ntype "+strings.ToLower(name)+" ")
	require.GreaterOrEqual(t, at, 0, "type %s was not emitted", name)
	at += len("\ntype ")
	return source[at : at+len(name)]
}

// TestEveryFolder runs the command on every folder of AHP schemas in the corpus, of releases and of snapshots between
// them: each is generated and type-checks, with one runtime for all. What a snapshot declares otherwise than the releases beside it becomes a stub.
// Those older than the oldest release may be refused, with positions and hints and nothing written.
func TestEveryFolder(t *testing.T) {
	root := kit.Corpus(t)
	var folders []string
	for _, pattern := range []string{"ahp/*/schema", "ahp/history/*"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		folders = append(folders, matches...)
	}
	require.NotEmpty(t, folders)
	older := regexp.MustCompile(`history/\d+-(1|0\.2\.0)-`)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	for i, folder := range folders {
		out, config := filepath.Join(module, fmt.Sprintf("p%d", i)), filepath.Join(module, fmt.Sprintf("config%d", i))
		stated := map[string]string{"schemas": folder, "profile": "ahp", "out": out, "package": "ahp", "runtime": filepath.Join(module, "wire")}
		kit.WriteFile(t, filepath.Join(config, generator.ConfigName), string(kit.ToJSON(t, stated)))
		var stdout, stderr bytes.Buffer
		code := cli.Run([]string{"generate", config}, &stdout, &stderr)
		rel, err := filepath.Rel(root, folder)
		require.NoError(t, err)
		if code == 1 && older.MatchString(rel) { // some refer to what nothing defines
			require.NoDirExists(t, out, rel)
			require.Contains(t, stderr.String(), "hint: ", rel)
			require.Regexp(t, `^[^:]+:\d+:\d+: `, strings.TrimPrefix(stderr.String(), "embedded:"), rel)
			continue
		}
		require.Zero(t, code, "%s: %s", rel, stderr.String())
		t.Logf("%s: %s", rel, strings.ReplaceAll(stdout.String(), out, ""))
	}
	kit.Run(t, module, "go", "vet", "./...") // which type-checks, for a third of what building takes; TestReleases builds
}

// TestVersionIsRecognised wants every folder to be taken for the version that it says it is, and
// published releases to be in order to the last entry of the profile.
func TestVersionIsRecognised(t *testing.T) {
	root := kit.Corpus(t)
	analyse := func(folder string) (*diag.List, *protocol.Protocol) {
		var diags diag.List
		g, err := generator.New(generator.Config{Schemas: folder, Profile: "ahp"}, &diags)
		require.NoError(t, err)
		p, err := g.Analyze()
		require.True(t, err == nil || diags.HasErrors(), err)
		return &diags, p
	}
	for _, release := range kit.Releases {
		diags, p := analyse(filepath.Join(root, "ahp", release, "schema"))
		require.Empty(t, diags.Sorted(), release)
		require.Equal(t, release, p.Version)
	}
	history, err := filepath.Glob(filepath.Join(root, "ahp", "history", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, history)
	for _, folder := range history {
		version := strings.Split(filepath.Base(folder), "-")[1]
		if version == "1" {
			continue // numbered before there were releases
		}
		diags, _ := analyse(folder)
		require.Contains(t, diags.Context(), " version "+version+",", folder)
	}
}

// BenchmarkGenerate reads schemas and plans the whole package in memory: the embedded ones of the default version, and the
// official ones of 0.7.0 where the corpus is there.
func BenchmarkGenerate(b *testing.B) {
	measure := func(b *testing.B, config generator.Config) {
		b.ReportAllocs()
		for b.Loop() {
			var diags diag.List
			g, err := generator.New(config, &diags)
			require.NoError(b, err)
			plan, err := g.Plan()
			require.NoError(b, err)
			b.SetBytes(int64(plan.SchemaBytes))
		}
	}
	b.Run("embedded", func(b *testing.B) {
		measure(b, generator.Config{Schemas: "ahp", Out: filepath.Join(b.TempDir(), "ahp")})
	})
	b.Run("official", func(b *testing.B) {
		measure(b, releaseConfig(b, "0.7.0", filepath.Join(b.TempDir(), "ahp")))
	})
}
