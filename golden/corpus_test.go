// Tests on the corpus of published schemas: each folder is generated and compiled, or refused.

package golden

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// releases are the folders that have to give a complete package.
var releases = []string{"0.4.0", "0.5.0", "0.5.1", "0.5.2", "0.6.0", "0.7.0", "0.8.0-dev"}

func releaseConfig(t testing.TB, release, out string) generator.Config {
	return generator.Config{Schemas: filepath.Join(corpus(t), "ahp", release, "schema"), Profile: "ahp", Out: out}
}

// TestReleases generates, formats, compiles and vets every release, twice.
func TestReleases(t *testing.T) {
	corpus(t)
	module := place(t)
	writeFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	for _, release := range releases {
		out := filepath.Join(module, "v"+strings.NewReplacer(".", "_", "-", "_").Replace(release))
		plan := generate(t, releaseConfig(t, release, out))
		require.Equal(t, release, plan.Protocol.Version)
		require.True(t, generate(t, releaseConfig(t, release, out)).Clean(), "%s: a second run differs", release)
		for _, f := range plan.Files {
			formatted, err := format.Source(f.New)
			require.NoError(t, err, f.Name)
			require.Equal(t, string(formatted), string(f.New), "%s %s is not formatted", release, f.Name)
			require.NotContains(t, string(f.New), "interface{}", "%s %s", release, f.Name)
		}
		require.Equal(t, release == "0.8.0-dev", plan.Protocol.Extensions.Prefix == "x-", "0.8.0 has set names aside for extensions")
		require.Equal(t, release, plan.Protocol.Supported[0], "a package speaks its own version first, and none newer")
		require.NotContains(t, plan.Protocol.Supported[1:], release)
		require.Len(t, actionTypes(plan.Protocol), map[string]int{"0.4.0": 73, "0.5.0": 73, "0.5.1": 76, "0.5.2": 79, "0.6.0": 81, "0.7.0": 85, "0.8.0-dev": 85}[release])
	}
	run(t, module, "go", "build", "./...")
	run(t, module, "go", "vet", "./...")
}

func actionTypes(p *protocol.Protocol) map[string]bool {
	types := map[string]bool{}
	for _, a := range p.Actions.Actions {
		types[a.Type] = true
	}
	return types
}

// TestFixtures runs the real instances of the corpus through the package of the release they are from.
func TestFixtures(t *testing.T) {
	module := fixtureModule(t)
	t.Setenv("FIXTURES", filepath.Join(corpus(t), "ahp", "0.7.0", "fixtures"))
	t.Log(run(t, module, "go", "test", "./..."))
}

// fixtureModule writes a module with the package for 0.7.0 and the tests that run on it.
func fixtureModule(t testing.TB) string {
	t.Helper()
	corpus(t)
	module := place(t)
	writeFileTB(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	plan := generate(t, releaseConfig(t, "0.7.0", filepath.Join(module, "ahp")))
	writeFileTB(t, filepath.Join(module, "decoders_test.go"), decoderTable(t, plan))
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

// decoderTable maps the protocol's type names to the package's decoders.
func decoderTable(t testing.TB, plan *generator.Plan) string {
	t.Helper()
	var source bytes.Buffer
	for _, f := range plan.Files {
		source.Write(f.New)
	}
	var b strings.Builder
	b.WriteString("package corpus\n\nimport (\n\t\"encoding/json\"\n\n\t\"corpus/ahp\"\n)\n\nvar decoders = map[string]func([]byte) (value, error){\n")
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
		case *protocol.Enum:
			fmt.Fprintf(&b, "\t%q: func(data []byte) (value, error) { var v ahp.%s; err := json.Unmarshal(data, &v); return marshalled{v}, err },\n", key, goName)
		}
	}
	b.WriteString("}\n")
	b.WriteString("\n// marshalled is a value that encoding/json encodes.\ntype marshalled struct{ of any }\n\nfunc (m marshalled) MarshalJSON() ([]byte, error) { return json.Marshal(m.of) }\n\n")
	b.WriteString("func (m marshalled) AppendJSON(dst []byte) ([]byte, error) {\n\ttext, err := json.Marshal(m.of)\n\treturn append(dst, text...), err\n}\n")
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

// TestEveryFolder runs the command on every folder of AHP schemas in the corpus: it is generated,
// or refused with positions and hints and nothing written. Those generated must compile.
func TestEveryFolder(t *testing.T) {
	root := corpus(t)
	var folders []string
	for _, pattern := range []string{"ahp/*/schema", "ahp/history/*"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		folders = append(folders, matches...)
	}
	require.NotEmpty(t, folders)
	module := place(t)
	writeFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	for i, folder := range folders {
		out := filepath.Join(module, fmt.Sprintf("p%d", i))
		var stdout, stderr bytes.Buffer
		code := cli.Run([]string{"generate", "--schemas", folder, "--profile", "ahp", "--out", out}, &stdout, &stderr)
		rel, err := filepath.Rel(root, folder)
		require.NoError(t, err)
		switch code {
		case 0:
			t.Logf("%s: %s", rel, stdout.String())
		case 1:
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			t.Logf("%s: refused: %s", rel, lines[len(lines)-1])
			require.NoDirExists(t, out, rel)
			require.Contains(t, stderr.String(), "hint: ", rel)
			require.Regexp(t, `^[^:]+:\d+:\d+: `, strings.TrimPrefix(lines[0], "embedded:"), rel)
		default:
			t.Errorf("%s: exit code %d: %s", rel, code, stderr.String())
		}
	}
	run(t, module, "go", "build", "./...")
}

// TestVersionIsRecognised wants every folder to be taken for the version that it says it is, and
// published releases to be in order to the last entry of the profile.
func TestVersionIsRecognised(t *testing.T) {
	root := corpus(t)
	analyse := func(folder string) (*diag.List, *protocol.Protocol) {
		var diags diag.List
		g, err := generator.New(generator.Config{Schemas: folder, Profile: "ahp"}, &diags)
		require.NoError(t, err)
		p, err := g.Analyze()
		require.True(t, err == nil || diags.HasErrors(), err)
		return &diags, p
	}
	for _, release := range releases {
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

// BenchmarkGenerate reads the schemas of 0.7.0 and plans the whole package in memory: the embedded
// ones, and the official ones where the corpus is there.
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
		measure(b, generator.Config{Schemas: "ahp@0.7.0", Out: filepath.Join(b.TempDir(), "ahp")})
	})
	b.Run("official", func(b *testing.B) {
		measure(b, releaseConfig(b, "0.7.0", filepath.Join(b.TempDir(), "ahp")))
	})
}
