package generator_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// TestRolesThatLackAMemberAreFindings leaves out each member of a session, at any depth, in turn.
func TestRolesThatLackAMemberAreFindings(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("..", "golden", "types", "lists.txtar"))
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, json.Unmarshal(archive.Files[0].Data, &root))
	dir := t.TempDir()
	tried := 0
	var without func(v any)
	without = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				value := v[name]
				delete(v, name)
				text, err := json.Marshal(root)
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(filepath.Join(dir, "pins.schema.json"), text, 0o600))
				g, err := generator.New(generator.Config{Schemas: dir}, &diag.List{})
				require.NoError(t, err)
				if err := g.Lint(); err != nil {
					require.ErrorIs(t, err, generator.ErrFindings, name)
				}
				v[name] = value
				without(value)
				tried++
			}
		case []any:
			for _, item := range v {
				without(item)
			}
		}
	}
	without(root["x-replication"].(map[string]any)["session"])
	require.Greater(t, tried, 40)
}
