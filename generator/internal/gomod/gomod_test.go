// Tests of where packages and their runtime may be.

package gomod

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGoLetsSomeImportOthers compares with the go command which imports within a module are allowed.
func TestGoLetsSomeImportOthers(t *testing.T) {
	for _, c := range []struct {
		importer, imported string
		want               bool
	}{
		{"m/a", "m/a/wire", true},
		{"m/a", "m/internal/wire", true},
		{"m", "m/internal", true},
		{"m/b/a", "m/b/internal", true},
		{"m/internal/a", "m/internal/a/wire", true},
		{"internal/a", "internal/a/wire", true},
		{"m/a", "m/internals/wire", true},
		{"m/a", "m/b/internal", false},
		{"m/bb", "m/b/internal/wire", false},
		{"m/a", "m/internal/b/internal/wire", false},
		{"m/a", "m/vendor", false},
		{"m/a", "m/vendor/wire", false},
		{"vendor/a", "vendor/a/wire", false},
	} {
		require.Equal(t, c.want, mayImport(c.importer, c.imported), "%s imports %s", c.importer, c.imported)
	}
}
