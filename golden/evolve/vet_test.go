// What a test emits one after the other is vetted at once: the go command takes longer to look around than to vet a package
// that it has seen before.

package evolve

import (
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// states keeps packages as they were in a module, each in a folder of its own.
type states struct {
	module string // its folder
	kept   map[[sha256.Size]byte]bool
}

// vetStates has what is kept vetted when the test ends.
func vetStates(t *testing.T, module string) *states {
	t.Helper()
	dir, err := filepath.Abs(module)
	require.NoError(t, err)
	s := &states{module: dir, kept: map[[sha256.Size]byte]bool{}}
	t.Cleanup(func() {
		if !t.Failed() && len(s.kept) > 0 {
			kit.Emitted(t, dir, "vet", "./kept/...")
		}
	})
	return s
}

// keep keeps the package in a folder as it is, without those below it, which its imports have to find in the end as well.
func (s *states) keep(t *testing.T, from string) {
	t.Helper()
	files := kit.GoFilesIn(t, from)
	digest := sha256.Sum256([]byte(fmt.Sprint(files)))
	if s.kept[digest] {
		return
	}
	s.kept[digest] = true
	to := fmt.Sprintf("%s-%d", path.Base(t.Name()), len(s.kept))
	for name, text := range files {
		kit.WriteFile(t, filepath.Join(s.module, "kept", to, name), text)
	}
}

// keepRuntime puts what a package has below it where the imports of those that are kept find it. Packages that share one
// have all that each of them needs.
func (s *states) keepRuntime(t *testing.T, from, to string) {
	t.Helper()
	for name, text := range kit.Folder(t, from) {
		if strings.Contains(name, "/") {
			kit.WriteFile(t, filepath.Join(s.module, to, filepath.FromSlash(name)), text)
		}
	}
}
