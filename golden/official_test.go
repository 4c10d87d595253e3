// Tests of the profile on schema files in the manner of the publisher of AHP, for versions whose files the corpus lacks.

package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/schema"
)

// TestPublicationIsWhatIsKnown compares the definitions of the publication of 1.0.0 with what the corpus knows of the
// published ones.
func TestPublicationIsWhatIsKnown(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpus(t), "ahp", "1.0.0", "structure.json"))
	require.NoError(t, err)
	var structure struct {
		Defs map[string]any `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(data, &structure))
	published := publish(t, "1.0.0")
	require.Len(t, published.defs, len(structure.Defs))
	for name, known := range structure.Defs {
		require.Contains(t, published.defs, name)
		require.Equal(t, unordered(known), unordered(plain(t, published.defs[name])), name)
	}
}

// plain is a schema as encoding/json reads it, without descriptions.
func plain(t *testing.T, n *schema.Node) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(n.Compact()), &v))
	return v
}

// unordered takes away what a schema says to people, and the order of required members.
func unordered(v any) any { return v }
