// Where tests put modules.

package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/yard"
)

// home is the folder of this run, or nothing.
var home = sync.OnceValues(func() (string, error) { return yard.Folder("golden") })

// moveIn puts what is temporary there.
func moveIn() error {
	dir, err := home()
	if err != nil {
		return err
	}
	return yard.MoveIn(dir)
}

// inUse counts the folders that tests have now; they come one after the other.
var inUse int

// place is an empty folder for a module, until the test ends. The first of a test is the same for all tests, and so on.
func place(t testing.TB) string {
	t.Helper()
	base, err := home()
	require.NoError(t, err)
	if base == "" {
		return t.TempDir()
	}
	dir := filepath.Join(base, fmt.Sprint(inUse))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	inUse++
	t.Cleanup(func() {
		inUse--
		require.NoError(t, os.RemoveAll(dir))
	})
	return dir
}
