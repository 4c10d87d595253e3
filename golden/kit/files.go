// Files and folders of tests.

package kit

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/yard"
)

// Folder reads the files of a folder and of those below it, by path.
func Folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	tree := os.DirFS(dir)
	require.NoError(t, fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		out[name] = string(content)
		return err
	}))
	return out
}

// GoFilesIn reads the Go files of a folder.
func GoFilesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		out[filepath.Base(name)] = string(text)
	}
	return out
}

// WriteFile writes a file, and creates the folders that it is in.
func WriteFile(t testing.TB, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

// home is the folder of this run, or nothing. Packages have folders of their own, so that what each compiles is found again.
var home = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return yard.Folder("golden-" + filepath.Base(dir))
})

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

// Place is an empty folder for a module, until the test ends. The first of a test is the same for all tests, and so on.
func Place(t testing.TB) string {
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
