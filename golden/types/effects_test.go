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
