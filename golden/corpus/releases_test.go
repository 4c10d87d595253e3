// Tests of every release: its package, and what the reducers that come with it do there.

package corpus

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// finishedReducers is how many of the reducers come finished in each release. The others are stated.
var finishedReducers = map[string]int{"0.4.0": 27, "0.5.0": 22, "0.5.1": 23, "0.5.2": 25, "0.6.0": 27, "0.7.0": 27, "0.8.0-dev": 27}

func releaseConfig(t testing.TB, release, out string) generator.Config {
	return generator.Config{Schemas: filepath.Join(kit.Corpus(t), "ahp", release, "schema"), Profile: "ahp", Out: out}
}

// TestReleases generates, formats, compiles and vets every release, twice. Nothing is left for a person. Then all that the
// corpus has of states, actions and values runs through the packages, and so do cases.json, of rules that the corpus has no
// fixtures for. The output says how many these were.
func TestReleases(t *testing.T) {
	root := kit.Corpus(t)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	var table strings.Builder
	for _, release := range kit.Releases {
		name := "v" + strings.NewReplacer(".", "_", "-", "_").Replace(release)
		out := filepath.Join(module, name)
		config := releaseConfig(t, release, out)
		config.Runtime = filepath.Join(module, "wire") // which all of them share
		plan := kit.Generate(t, config)
		require.Equal(t, release, plan.Protocol.Version)
		require.True(t, kit.Generate(t, config).Clean(), "%s: a second run differs", release)
		require.Len(t, plan.Finished, finishedReducers[release], "%s: %v", release, plan.Finished)
		for _, f := range plan.Files {
			require.Empty(t, f.Stubs, "%s: %s", release, f.Name)
			formatted, err := format.Source(f.New)
			require.NoError(t, err, f.Name)
			require.Equal(t, string(formatted), string(f.New), "%s %s is not formatted", release, f.Name)
			require.NotContains(t, string(f.New), "interface{}", "%s %s", release, f.Name)
		}
		require.Equal(t, release == "0.8.0-dev", plan.Protocol.Extensions.Prefix == "x-", "0.8.0 has set names aside for extensions")
		require.Equal(t, release, plan.Protocol.Supported[0], "a package speaks its own version first, and none newer")
		require.NotContains(t, plan.Protocol.Supported[1:], release)
		require.Len(t, actionTypes(plan.Protocol), map[string]int{"0.4.0": 73, "0.5.0": 73, "0.5.1": 76, "0.5.2": 79, "0.6.0": 81, "0.7.0": 85, "0.8.0-dev": 85}[release])
		kit.WriteFile(t, filepath.Join(module, name+"_decoders_test.go"), decoderTable(t, plan, name, "decoders_"+name))
		kit.WriteFile(t, filepath.Join(module, name+"_test.go"), releaseTable(name))
		fmt.Fprintf(&table, "\t{%q, decoders_%s, reduce_%s},\n", release, name, name)
	}
	// A version without official schemas of its own is there for the cases alone.
	plan := kit.Generate(t, generator.Config{Schemas: "ahp@1.0.0", Out: filepath.Join(module, "v1_0_0"), Runtime: filepath.Join(module, "wire")})
	kit.WriteFile(t, filepath.Join(module, "v1_0_0_decoders_test.go"), decoderTable(t, plan, "v1_0_0", "decoders_v1_0_0"))
	kit.WriteFile(t, filepath.Join(module, "v1_0_0_test.go"), releaseTable("v1_0_0"))
	table.WriteString("\t{\"1.0.0\", decoders_v1_0_0, reduce_v1_0_0},\n")
	kit.WriteFile(t, filepath.Join(module, "table_test.go"), "package corpus\n\nvar releases = []release{\n"+table.String()+"}\n")
	for _, name := range []string{"releases_test.go", "cases.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "corpus", name))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(module, name), string(text))
	}
	t.Setenv("CORPUS", filepath.Join(root, "ahp"))
	for line := range strings.Lines(kit.TestEmitted(t, module, "-v", ".")) {
		if strings.Contains(line, " ran: ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func actionTypes(p *protocol.Protocol) map[string]bool {
	types := map[string]bool{}
	for _, a := range p.Actions.Actions {
		types[a.Type] = true
	}
	return types
}

// releaseTable is a Go file with the reducer of a package.
func releaseTable(name string) string {
	return fmt.Sprintf(`package corpus

import (
	"time"

	ahp "corpus/%s"
)

func reduce_%s(state, action value, now time.Time) value {
	r := &ahp.Reducer{Now: func() time.Time { return now }}
	return r.Apply(state.(ahp.SnapshotState), action.(ahp.StateAction)).(value)
}
`, name, name)
}
