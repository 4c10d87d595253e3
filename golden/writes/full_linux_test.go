// Disks that are full, and files that are something else or not to be written.

package writes

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestAFullDiskLeavesEverythingAsItWas: there is room for the old package beside no new one.
func TestAFullDiskLeavesEverythingAsItWas(t *testing.T) {
	source := builtRepository(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("this test needs a disk of its own, which takes the right to mount one: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	require.NoError(t, os.CopyFS(dir, os.DirFS(source)))
	t.Chdir(dir)
	t.Cleanup(func() { require.NoError(t, os.Chdir(source)) }) // or it cannot be unmounted
	fill, err := os.Create("fill")
	require.NoError(t, err)
	for err == nil {
		_, err = fill.Write(make([]byte, 512))
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, fill.Close())
	before := kit.Folder(t, dir)
	for _, args := range [][]string{{"bump", "--to", "next", "--force"}, {"generate", "--schemas", "next"}, {"diff", "schema", "next", "--out", "report.md"}} {
		out, code := kit.Ahpgen(args...)
		require.Equal(t, 3, code, "%v: %s", args, out)
		require.Equal(t, 1, strings.Count(out, "no space left on device"), "%v: %s", args, out)
		require.True(t, maps.Equal(before, kit.Folder(t, dir)), "%v", args)
	}
}

// TestAFolderInPlaceOfAFileIsNamed, and so is a link that leads to one or nowhere.
func TestAFolderInPlaceOfAFileIsNamed(t *testing.T) {
	for kind, put := range map[string]func(path string) error{
		"folder":         func(path string) error { return os.Mkdir(path, 0o777) },
		"link to one":    func(path string) error { return os.Symlink(os.TempDir(), path) },
		"link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	} {
		for name, args := range map[string][]string{
			"ahpgen.lock.json": {"generate"}, "note/types_gen.go": {"generate"},
			"profile.json": {"generate", "--profile", "./profile.json"}, "accepted.json": {"diff", "schema", "next", "--accepted", "accepted.json", "--accept", "reason"},
			"report.md": {"diff", "schema", "next", "--out", "report.md"},
		} {
			t.Run(name+" is a "+kind, func(t *testing.T) {
				dir := builtRepository(t)
				path := filepath.Join(dir, filepath.FromSlash(name))
				_ = os.Remove(path) // some are not there
				require.NoError(t, put(path))
				before := filesBelow(t, dir)
				out, code := kit.Ahpgen(args...)
				require.NotZero(t, code, out)
				require.Contains(t, out, filepath.Base(name))
				require.Equal(t, before, filesBelow(t, dir))
			})
		}
	}
}
