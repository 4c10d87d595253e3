// Tests of the folders of runs.

package yard

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/ahpgen/ahpgen/golden/flags" // which go test ./golden/... is given
)

// TestRunsDoNotMeet: a run with another home, or with none, has another folder.
func TestRunsDoNotMeet(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	first, err := Folder("yard-test")
	require.NoError(t, err)
	require.NotEmpty(t, first)
	require.NoError(t, os.MkdirAll(first, 0o700))
	kept := filepath.Join(first, "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o600))
	for _, home := range []string{t.TempDir(), ""} {
		t.Setenv("HOME", home)
		t.Setenv("XDG_CACHE_HOME", home)
		other, err := Folder("yard-test")
		require.NoError(t, err)
		require.NotEqual(t, first, other)
		require.FileExists(t, kept)
	}
}
