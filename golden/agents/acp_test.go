// Tests of clients and agents of ACP, on the packages for the schemas of the corpus.

package agents

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestACPConversations generates the versions with the wire version 1 and has clients and agents talk.
func TestACPConversations(t *testing.T) {
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	out := filepath.Join(module, "acp") // of one version after the other, with the same runtime
	tests, err := filepath.Glob(filepath.Join("testdata", "acp", "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, tests)
	for _, version := range []string{"v1", "v1-unstable"} {
		t.Run(version, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(out))
			schemas := filepath.Join(kit.Corpus(t), "acp", version)
			kit.Generate(t, generator.Config{Schemas: schemas, Profile: "acp", Out: out, Package: "acp"})
			for _, name := range tests {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				kit.WriteFile(t, filepath.Join(out, filepath.Base(name)), string(text))
			}
			kit.Emitted(t, module, "vet", "./...")
			t.Log(kit.TestEmitted(t, module, "-v", "./acp"))
		})
	}
}
