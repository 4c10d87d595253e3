// Tests of the oldest Go that emitted code, and the command itself, are for.

package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestEmittedCodeIsForTheGoThatTheReadmeNames builds packages as parts of modules of that language version, which
// the compiler holds them to, and has go vet look for what the standard library did not have yet.
func TestEmittedCodeIsForTheGoThatTheReadmeNames(t *testing.T) {
	kit.Longer(t)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	floor := regexp.MustCompile(`emitted code needs Go (1\.\d+)`).FindSubmatch(readme)
	require.NotNil(t, floor, "README.md does not say which Go emitted code needs")
	for _, c := range []struct {
		name   string
		config generator.Config
	}{
		{"without reducers", generator.Config{Schemas: "ahp@0.7.0", Reducers: generator.Reducers{Omit: true}}},
		{"with stated reducers", generator.Config{Schemas: filepath.Join("..", "..", "schemas", "example")}},
		{"with finished reducers", generator.Config{Schemas: "ahp@0.7.0"}},
		{"with HTTP", generator.Config{Schemas: "acp", Transports: []string{"http"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			kit.WriteFile(t, filepath.Join(dir, "go.mod"), fmt.Sprintf("module example.com/m\n\ngo %s\n", floor[1]))
			c.config.Out, c.config.Package = filepath.Join(dir, "p"), "p"
			kit.Generate(t, c.config)
			kit.Run(t, dir, "go", "build", "./...")
			kit.Run(t, dir, "go", "vet", "-stdversion", "./...")
			// The floor is no lower than it says: code of a newer Go does not compile there.
			kit.WriteFile(t, filepath.Join(dir, "newer.go"), "package m\n\nfunc three() *int { return new(3) }\n")
			out, err := kit.Command(dir, "go", "build", ".")
			require.Error(t, err, "the go directive of the module is not taken into account")
			require.Contains(t, out, "requires go1.26")
		})
	}
}

// TestTheGoOfTheCommandIsThatOfTheReadme requires that the command builds with the Go that the README asks for.
func TestTheGoOfTheCommandIsThatOfTheReadme(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	require.NoError(t, err)
	mod, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	want := strings.TrimSuffix(mod.Go.Version, ".0")
	require.Regexp(t, `needs? Go `+regexp.QuoteMeta(want)+`\b`, string(readme))
}
