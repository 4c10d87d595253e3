// Tests of clients and agents of ACP, on the packages for the schemas of the corpus.

package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
)

// TestACPConversations generates the versions with the wire version 1 and has clients and agents talk.
func TestACPConversations(t *testing.T) {
	for _, version := range []string{"v1", "v1-unstable"} {
		t.Run(version, func(t *testing.T) {
			schemas := filepath.Join(corpus(t), "acp", version)
			module := place(t)
			writeFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
			out := filepath.Join(module, "acp")
			generate(t, generator.Config{Schemas: schemas, Profile: "acp", Out: out, Package: "acp"})
			tests, err := filepath.Glob(filepath.Join("testdata", "acp", "*_test.go"))
			require.NoError(t, err)
			require.NotEmpty(t, tests)
			for _, name := range tests {
				text, err := os.ReadFile(name)
				require.NoError(t, err)
				writeFile(t, filepath.Join(out, filepath.Base(name)), string(text))
			}
			run(t, module, "go", "vet", "./...")
			t.Log(run(t, module, "go", "test", "-v", "./acp"))
		})
	}
}
