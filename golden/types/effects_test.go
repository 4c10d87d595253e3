// Tests that run what is emitted for effects: states, actions, and the states that come of them.

package types

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestEffects runs the steps of every case of types/ that has some, each in the emitted package itself.
func TestEffects(t *testing.T) {
	kit.Long(t)
	cases, err := filepath.Glob("effects-*.txtar")
	require.NoError(t, err)
	test, err := os.ReadFile("testdata/effects.go.txt")
	require.NoError(t, err)
	module := kit.NewModule(t)
	ran := 0
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "steps" })
		if i < 0 {
			continue // it shows names or stubs
		}
		out := filepath.Join(module, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		kit.GenerateCase(t, archive, out)
		kit.WriteFile(t, filepath.Join(out, "steps"), string(archive.Files[i].Data))
		kit.WriteFile(t, filepath.Join(out, "steps_test.go"), string(test))
		ran++
	}
	require.GreaterOrEqual(t, ran, 8, "every family of effects has steps")
	kit.TestEmitted(t, module, "./...")
}

// TestEffectsAreInterpreted runs the same steps without emitted code, as tap and show do.
func TestEffectsAreInterpreted(t *testing.T) {
	cases, err := filepath.Glob("effects-*.txtar")
	require.NoError(t, err)
	ran := 0
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		config := generator.Config{Schemas: filepath.Join(t.TempDir(), "schema")}
		var steps string
		for _, f := range archive.Files {
			switch {
			case f.Name == "steps":
				steps = strings.TrimSpace(string(f.Data))
			case strings.HasPrefix(f.Name, "schema/"), f.Name == "profile.json":
				name := filepath.Join(filepath.Dir(config.Schemas), f.Name)
				kit.WriteFile(t, name, string(f.Data))
				if f.Name == "profile.json" {
					config.Profile = name
				}
			}
		}
		if steps == "" {
			continue
		}
		g, err := generator.New(config, nil)
		require.NoError(t, err)
		p, err := g.AnalyzeReducers()
		require.NoError(t, err)
		for step := range strings.SplitSeq(steps, "\n\n") {
			lines := strings.Split(strings.TrimSpace(step), "\n")
			before, action := inside.DecodeState([]byte(lines[1])).(map[string]any), inside.DecodeState([]byte(lines[2])).(map[string]any)
			for _, rule := range p.AllActions() {
				if rule.Type != action["type"] {
					continue
				}
				after, known := inside.ApplyAction(rule, inside.CloneState(before), action)
				require.True(t, known, "%s: %s", file, lines[0])
				want := lines[3]
				if want == "same" {
					want = lines[1]
				}
				require.JSONEq(t, want, string(judge.JSON(after)), "%s: %s", file, lines[0])
				ran++
			}
		}
	}
	require.Greater(t, ran, 100)
}
