// Tests that compare what ahpgen prints and emits with the golden files.

package types

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestTypes generates each case of types/ twice and compares the emitted Go with what is wanted. Then it
// vets all of it, with the runtime that does not depend on the case and is in none of the files.
func TestTypes(t *testing.T) {
	cases, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	module := kit.NewModule(t)
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.NotEmpty(t, archive.Comment, "say at the top what the case shows")
			out := filepath.Join(module, strings.TrimSuffix(filepath.Base(file), ".txtar"))
			emitted := kit.GenerateCase(t, archive, out)
			kit.RequireUsed(t, out)
			require.Equal(t, emitted, kit.GenerateCase(t, archive, filepath.Join(kit.NewModule(t), filepath.Base(out))), "a second run differs")
			kit.CompareFiles(t, file, archive, emitted)
		})
	}
	if t.Failed() {
		return
	}
	if testing.Short() {
		return // what is emitted is as wanted, and that has been compiled
	}
	kit.Run(t, module, "go", "vet", "./...") // which type-checks; TestRun and TestEffects compile
	if *kit.Thorough {
		kit.Run(t, module, "go", "build", "./...")
	}
}
