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
	kit.Wide(t)
	module := kit.Place(t)
	write(t, module, false)
	corpus := os.Getenv("AHPGEN_CORPUS")
	t.Setenv("CORPUS", filepath.Join(corpus, "ahp"))
	said := run(t, module, "TestLaws|TestSessions")
	t.Run("fixtures", func(t *testing.T) {
		if corpus == "" {
			t.Skip("AHPGEN_CORPUS is not set: the fixtures of older versions were not run")
		}
		require.Equal(t, 3, strings.Count(said, "fixture steps"), "0.7.0, 0.6.0 and 0.5.2 have fixtures")
	})
}

// TestProgramsOfOlderVersions runs testdata/programs_test.go: hosts and clients with the package of each older version against
// those of the newest.
func TestProgramsOfOlderVersions(t *testing.T) {
	kit.Longer(t)
	module := kit.Place(t)
	write(t, module, true)
	said := run(t, module, "TestOlder")
	for _, version := range versions {
		require.Equal(t, 2, strings.Count(said, version+" ran: "), "a host and a client")
	}
}

// write writes a module with packages of all versions, whole or with what the laws need.
func write(t *testing.T, module string, whole bool) {
	t.Helper()
	root := kit.Root(t)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(module, name), strings.Replace(string(text), "module github.com/ahpgen/ahpgen\n\ngo 1.26.0", "module laws\n\ngo 1.24", 1))
	}
	runtime := filepath.Join(module, "wire")
	transports := []string{"websocket"}
	config := generator.Config{Schemas: "ahp@1.0.0", Out: filepath.Join(module, "ahp"), Package: "ahp", Runtime: runtime, Speaks: versions, Transports: transports}
	kit.Generate(t, config)
	schemasOf(t, "ahp@1.0.0", filepath.Join(module, "schemas", "newest"))

	var imports, table, reducers, programs strings.Builder
	for _, version := range versions {
		name := "v" + strings.ReplaceAll(version, ".", "_")
		config := generator.Config{Schemas: "ahp@" + version, Out: filepath.Join(module, name), Package: "ahp", Runtime: runtime, Parts: []string{"reducers"}}
		if whole {
			config.Parts, config.Transports = nil, transports
			fmt.Fprintf(&imports, "\tpeer_%s \"laws/peer_%s\"\n", name, name)
			fmt.Fprintf(&programs, program, version, "peer_"+name)
			writePeer(t, module, "peer_"+name, name)
		}
		kit.Generate(t, config)
		schemasOf(t, "ahp@"+version, filepath.Join(module, "schemas", version))
		fmt.Fprintf(&imports, "\t%s \"laws/%s\"\n", name, name)
		fmt.Fprintf(&table, "\t{%q, reduce_%s},\n", version, name)
		fmt.Fprintf(&reducers, reducer, name)
	}
	writePeer(t, module, "peer_newest", "ahp")
	fmt.Fprintf(&imports, "\t\"context\"\n\t\"laws/peer_newest\"\n\t\"laws/wire/rpc\"\n")
	fmt.Fprintf(&programs, program, "newest", "peer_newest")
	kit.WriteFile(t, filepath.Join(module, "ahp", "peers_test.go"), fmt.Sprintf(
		"package ahp_test\n\nimport (\n%s)\n\nvar peers = []peer{\n%s}\n%s\nvar programs = map[string]program{\n%s}\n",
		&imports, &table, &reducers, &programs))
	kit.WriteFile(t, filepath.Join(module, "ahp", "export_test.go"), "package ahp\n\nvar Older = older\n")
	for _, name := range []string{"laws_test.go", "compare_test.go", "random_test.go", "sessions_test.go", "programs_test.go"} {
		copyFile(t, name, filepath.Join(module, "ahp", name))
	}
	copyFile(t, "exceptions.json", filepath.Join(module, "exceptions.json"))
}

// copyFile copies a file from testdata.
func copyFile(t *testing.T, name, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	kit.WriteFile(t, to, string(text))
}

// writePeer writes the package of testdata/peer for one of the emitted packages.
func writePeer(t *testing.T, module, name, of string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "peer", "peer.go"))
	require.NoError(t, err)
	own := strings.NewReplacer("package peer\n", "package "+name+"\n", `"laws/ahp"`, `"laws/`+of+`"`).Replace(string(text))
	kit.WriteFile(t, filepath.Join(module, name, "peer.go"), own)
}

// run runs tests in the package of the newest version.
func run(t *testing.T, module, tests string) (said string) {
	t.Helper()
	cases, rounds := "1000", "8"
	if *kit.Thorough {
		cases, rounds = "100000", "30"
	}
	t.Setenv("LAWS_CASES", cases)
	t.Setenv("LAWS_ROUNDS", rounds)
	said = kit.TestEmitted(t, module, "-v", "-timeout", "1h", "-run", tests, "./ahp")
	for line := range strings.Lines(said) {
		if strings.Contains(line, " ran: ") || strings.Contains(line, "never used") {
			t.Log(strings.TrimSpace(line))
		}
	}
	return said
}

// program makes hosts and clients with the package of a version.
const program = `	%[1]q: {
		func(seen func(string)) (host, error) { return %[2]s.NewHost(seen) },
		func(ctx context.Context, id string, dial func(context.Context) (rpc.Transport, error)) (caller, error) {
			return %[2]s.Connect(ctx, id, dial)
		},
	},
`

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
