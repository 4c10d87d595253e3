// Tests of schemas that a profile of ahpgen's is for, used without it.

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// plainSchemas writes the newest embedded schemas without what they state in keywords of their own, as
// others publish theirs.
func plainSchemas(t *testing.T, dir string) {
	t.Helper()
	protocol, version, _ := strings.Cut(schemas.Default(), "@")
	files, err := filepath.Glob(filepath.Join("..", "..", "schemas", protocol, version, "*.schema.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		var root any
		require.NoError(t, json.Unmarshal(data, &root))
		text, err := json.Marshal(withoutVendor(root))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, filepath.Base(name)), string(text))
	}
}

func withoutVendor(node any) any {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if strings.HasPrefix(key, "x-") {
				delete(node, key)
				continue
			}
			node[key] = withoutVendor(value)
		}
	case []any:
		for i := range node {
			node[i] = withoutVendor(node[i])
		}
	}
	return node
}

func TestSchemasWithoutTheirProfile(t *testing.T) {
	flags.SkipUnlessAll(t)
	dir := t.TempDir()
	plainSchemas(t, filepath.Join(dir, "schema"))
	t.Chdir(dir)
	const says = ": these are the schemas of Agent Host Protocol 1.0.0, which mean what they should only with its profile\n"
	for _, args := range [][]string{
		{"lint", "--schemas", "schema"}, {"generate", "--schemas", "schema", "--out", "out"}, {"inspect", "--schemas", "schema"},
		{"diff", "schema", "0.7.0"}, {"lint", "--overlay", "--schemas", "schema"},
	} {
		printed, code := kit.Ahpgen(args...)
		require.Equal(t, 1, code, printed)
		require.True(t, strings.HasPrefix(printed, "schema"+says+"    hint: add --profile ahp\nahpgen: 1 error and 0 warnings"), printed)
	}
	require.NoDirExists(t, "out")

	// The hint for a configuration is a line to paste, and following it makes the message go away.
	kit.WriteFile(t, "ahpgen.json", "{\n\"schemas\": \"schema\", \"out\": \"out\", \"package\": \"p\"}\n")
	printed, code := kit.Ahpgen("generate")
	require.Equal(t, 1, code, printed)
	hint := `"profile": "ahp",`
	require.Equal(t, "ahpgen.json"+says+"    hint: add this line to ahpgen.json: "+hint+"\nahpgen: 1 error and 0 warnings; nothing was written\n", printed)
	kit.WriteFile(t, "ahpgen.json", "{\n"+hint+"\n\"schemas\": \"schema\", \"out\": \"out\", \"package\": \"p\"}\n")
	printed, _ = kit.Ahpgen("inspect")
	require.NotContains(t, printed, "only with its profile")
}

// TestSchemasOfPublishedReleasesWithoutTheirProfile holds the same for what is published.
func TestSchemasOfPublishedReleasesWithoutTheirProfile(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(kit.Corpus(t), "ahp", "*", "schema"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		version := filepath.Base(filepath.Dir(folder))
		printed, code := kit.Ahpgen("lint", "--schemas", folder)
		require.Equal(t, 1, code, printed)
		require.Contains(t, printed, ": these are the schemas of Agent Host Protocol "+version+", which mean")
		require.Equal(t, 3, strings.Count(printed, "\n"), printed)
	}
}
