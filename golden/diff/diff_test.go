// Tests of the diff command: a pair of schemas for every rule, run both ways.

package diff

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

func TestMain(m *testing.M) { kit.Main(m) }

// diffRuns are the two ways to run a pair, with the file that holds what is wanted.
var diffRuns = []struct{ want, from, to string }{
	{"want", "old", "new"},
	{"want-back", "new", "old"},
}

// TestDiff compares each pair of diff/ both ways.
func TestDiff(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	pairs, err := filepath.Glob(filepath.Join(here, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, pairs)
	for _, file := range pairs {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say at the top what the pair shows")
			output := runPair(t, archive)
			if strings.HasPrefix(filepath.Base(file), "same-") {
				for _, out := range output {
					require.Equal(t, "no differences\n", string(out.Data), out.Name)
				}
			}
			if *kit.Update {
				isInput := func(f txtar.File) bool { return !strings.HasPrefix(f.Name, "want") }
				archive.Files = append(slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return !isInput(f) }), output...)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			c := kit.Causes.For(t)
			for _, out := range output {
				i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == out.Name })
				require.GreaterOrEqual(t, i, 0, "no %s in the pair; go test ./golden -update writes it", out.Name)
				c.Same(out.Name, string(archive.Files[i].Data), string(out.Data))
			}
			c.End()
		})
	}
}

// TestDiffAsJSON holds the JSON form of every pair against its schema, and wants every rule to be reported by some pair.
func TestDiffAsJSON(t *testing.T) {
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("mem:///diff", bytes.NewReader(schemas.DiffSchema)))
	validator, err := compiler.Compile("mem:///diff")
	require.NoError(t, err)
	reported := map[change.Rule]bool{}
	pairs, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, pairs)
	for _, file := range pairs {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, out := range runPair(t, archive, "--format", "json") {
				var v any
				require.NoError(t, json.Unmarshal(out.Data, &v))
				require.NoError(t, validator.Validate(v), "%s", out.Data)
				var diff struct {
					Changes []struct{ Rule change.Rule }
				}
				require.NoError(t, json.Unmarshal(out.Data, &diff))
				for _, c := range diff.Changes {
					reported[c.Rule] = true
				}
			}
		})
	}
	for _, r := range verdict.Rules {
		require.True(t, reported[r.ID], "no pair in diff/ makes the rule %s speak", r.ID)
	}
}

var reportedRule = regexp.MustCompile(`(?m)\[([a-z-]+)\]$`)

// onlyAdvice reports whether a report holds no finding but advice.
func onlyAdvice(report string) bool {
	for _, m := range reportedRule.FindAllStringSubmatch(report, -1) {
		if !verdict.Lookup(change.Rule(m[1])).Advice {
			return false
		}
	}
	return true
}

// runPair runs a pair both ways and returns what is printed.
func runPair(t *testing.T, archive *txtar.Archive, flags ...string) []txtar.File {
	t.Helper()
	asText := len(flags) == 0
	dir := t.TempDir()
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want") {
			continue
		}
		kit.WriteFile(t, filepath.Join(dir, f.Name), string(f.Data))
		if f.Name == "profile.json" {
			flags = append(flags, "--profile", "./profile.json")
		}
	}
	t.Chdir(dir)
	var out []txtar.File
	for _, r := range diffRuns {
		var stdout, stderr bytes.Buffer
		code := cli.Run(append([]string{"diff", r.from, r.to}, flags...), &stdout, &stderr)
		require.LessOrEqual(t, code, 1, stderr.String())
		require.Empty(t, stderr.String())
		if asText {
			require.Equal(t, onlyAdvice(stdout.String()), code == 0, "exit code %d", code)
		}
		out = append(out, txtar.File{Name: r.want, Data: stdout.Bytes()})
	}
	return out
}
