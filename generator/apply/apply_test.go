package apply_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/apply"
)

// tree reads every file of a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[filepath.ToSlash(rel)] = string(content)
		return err
	}))
	return out
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// change is a change of three files in two folders.
func change(dir string) []apply.File {
	return []apply.File{
		{Path: filepath.Join(dir, "out", "a.go"), Old: []byte("old a"), New: []byte("new a")},
		{Path: filepath.Join(dir, "out", "b.go"), New: []byte("new b")},
		{Path: filepath.Join(dir, "out", "gone.go"), Old: []byte("old gone")},
		{Path: filepath.Join(dir, "lock.json"), Old: []byte("old lock"), New: []byte("new lock"), Guarded: true},
	}
}

func before(t *testing.T) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "out", "a.go"), "old a")
	write(t, filepath.Join(dir, "out", "gone.go"), "old gone")
	write(t, filepath.Join(dir, "lock.json"), "old lock")
	return dir
}

var after = map[string]string{"out/a.go": "new a", "out/b.go": "new b", "lock.json": "new lock"}

func TestWriteReplacesAll(t *testing.T) {
	dir := before(t)
	require.NoError(t, apply.Write(filepath.Join(dir, "out"), change(dir)))
	require.Equal(t, after, tree(t, dir))
}

func TestNothingChangesWhenAGuardedFileDid(t *testing.T) {
	dir := before(t)
	write(t, filepath.Join(dir, "lock.json"), "somebody's")
	want := tree(t, dir)
	require.ErrorIs(t, apply.Write(filepath.Join(dir, "out"), change(dir)), apply.ErrChanged)
	require.Equal(t, want, tree(t, dir))
}

func TestNothingChangesWhenAFileCannotTakeItsPlace(t *testing.T) {
	dir := before(t)
	files := append(change(dir), apply.File{Path: filepath.Join(dir, "out", "folder"), New: []byte("x")})
	write(t, filepath.Join(dir, "out", "folder", "inside"), "a folder with something in it stands in the way")
	want := tree(t, dir)
	require.Error(t, apply.Write(filepath.Join(dir, "out"), files))
	require.Equal(t, want, tree(t, dir))
}

// TestRecoverFinishes cuts a change short after each step that a kill can leave behind.
func TestRecoverFinishes(t *testing.T) {
	journal := `{"rename": ["a.go", "b.go", "../lock.json"], "remove": ["gone.go"]}`
	for done := range 4 {
		dir := before(t)
		out := filepath.Join(dir, "out")
		write(t, filepath.Join(out, ".ahpgen-a.go"), "new a")
		write(t, filepath.Join(out, ".ahpgen-b.go"), "new b")
		write(t, filepath.Join(dir, ".ahpgen-lock.json"), "new lock")
		write(t, filepath.Join(out, apply.JournalName), journal)
		for _, name := range []string{"out/.ahpgen-a.go", "out/.ahpgen-b.go", ".ahpgen-lock.json"}[:done] {
			from := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.Rename(from, filepath.Join(filepath.Dir(from), filepath.Base(from)[len(".ahpgen-"):])))
		}
		finished, err := apply.Recover(out, dir)
		require.NoError(t, err)
		require.True(t, finished)
		require.Equal(t, after, tree(t, dir), "after %d renames", done)
		finished, err = apply.Recover(out, dir)
		require.NoError(t, err)
		require.False(t, finished)
	}
}

func TestAJournalCutShortChangesNothing(t *testing.T) {
	dir := before(t)
	want := tree(t, dir)
	write(t, filepath.Join(dir, "out", apply.JournalName), `{"rename": ["a.`)
	finished, err := apply.Recover(filepath.Join(dir, "out"), dir)
	require.NoError(t, err)
	require.False(t, finished)
	require.Equal(t, want, tree(t, dir))
}

func TestAJournalReachesNoOtherFolder(t *testing.T) {
	dir := before(t)
	write(t, filepath.Join(dir, ".ahpgen-lock.json"), "hostile")
	for _, path := range []string{"../lock.json", "sub/../../lock.json", "../../etc/passwd"} {
		write(t, filepath.Join(dir, "out", apply.JournalName), `{"rename": ["`+path+`"]}`)
		want := tree(t, dir)
		_, err := apply.Recover(filepath.Join(dir, "out"))
		require.ErrorContains(t, err, "none of ahpgen's business")
		require.Equal(t, want, tree(t, dir))
	}
}

func TestAPersonsPermissionsStay(t *testing.T) {
	dir := before(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, "lock.json"), 0o600))
	require.NoError(t, apply.Write(dir, change(dir)))
	info, err := os.Stat(filepath.Join(dir, "lock.json"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestALinkIsNotFollowed(t *testing.T) {
	dir := before(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	write(t, elsewhere, "untouched")
	if err := os.Symlink(elsewhere, filepath.Join(dir, "out", ".ahpgen-a.go")); err != nil && errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no symbolic links here")
	}
	require.NoError(t, apply.Write(dir, change(dir)))
	content, err := os.ReadFile(elsewhere)
	require.NoError(t, err)
	require.Equal(t, "untouched", string(content))
	require.Equal(t, after, tree(t, dir))
}
