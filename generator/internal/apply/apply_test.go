package apply_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/apply"
	"github.com/ahpgen/ahpgen/golden/yard"
)

// TestMain has the tests change files in memory, where there is room.
func TestMain(m *testing.M) { os.Exit(yard.Run("apply", m)) }

// tree reads every file of a folder.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if !entry.Type().IsRegular() {
			out[filepath.ToSlash(rel)] = entry.Type().String()
			return nil
		}
		content, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(content)
		return err
	}))
	return out
}

func write(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// change replaces, adds and removes files of each owner.
func change(dir string) apply.Change {
	at := func(name string, owned bool, old, new string) apply.File {
		f := apply.File{Path: filepath.Join(dir, filepath.FromSlash(name)), Owned: owned}
		if old != "" {
			f.Old = []byte(old)
		}
		if new != "" {
			f.New = []byte(new)
		}
		return f
	}
	return apply.Change{
		Hand: []apply.File{
			at("out/hand.go", true, "a person's", "a person's and a stub"), at("out/started.go", true, "", "a stub"), at("out/empty.go", true, "a stub", ""),
		},
		Rest: []apply.File{
			at("out/a.go", false, "old a", "new a"), at("out/b.go", false, "", "new b"), at("out/gone.go", false, "old gone", ""),
			at("lock.json", true, "old lock", "new lock"),
		},
		Check: func() error {
			other, err := os.ReadFile(filepath.Join(dir, "out", "other.go"))
			if err == nil && string(other) != "another" {
				err = fmt.Errorf("other.go %w", apply.ErrChanged)
			}
			return err
		},
	}
}

var (
	before = map[string]string{
		"out/a.go": "old a", "out/gone.go": "old gone", "out/hand.go": "a person's", "out/empty.go": "a stub", "lock.json": "old lock", "out/other.go": "another",
	}
	after = map[string]string{
		"out/a.go": "new a", "out/b.go": "new b", "out/hand.go": "a person's and a stub", "out/started.go": "a stub", "lock.json": "new lock", "out/other.go": "another",
	}
)

func setUp(t testing.TB) string {
	dir := t.TempDir()
	for name, content := range before {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return dir
}

// steps lists every moment of a change, as step and name.
func steps(t *testing.T) []string {
	var out []string
	t.Run("steps", func(t *testing.T) {
		apply.OnStep(t, func(step, path string) error {
			out = append(out, step+" "+filepath.Base(path))
			return nil
		})
		dir := setUp(t)
		require.NoError(t, apply.Write(change(dir)))
		require.Equal(t, after, tree(t, dir))
	})
	require.GreaterOrEqual(t, len(out), 14)
	return out
}

// at calls do when the change comes to a step, by its number.
func at(t *testing.T, number int, do func() error) {
	n := 0
	apply.OnStep(t, func(string, string) error {
		n++
		if n-1 == number {
			return do()
		}
		return nil
	})
}

// isWhole reports whether each file is the old one or the new one, temporary files aside.
func isWhole(now map[string]string) bool {
	for name, text := range now {
		if !strings.HasPrefix(filepath.Base(name), ".ahpgen-") && text != before[name] && text != after[name] {
			return false
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok && after[name] != "" {
			return false
		}
	}
	return true
}

func TestAKillLeavesEachFileWhole(t *testing.T) {
	type killed struct{} // a panic in the place of a kill: nothing is tidied up
	for i, step := range steps(t) {
		t.Run(step, func(t *testing.T) {
			dir := setUp(t)
			at(t, i, func() error { panic(killed{}) })
			func() {
				defer func() { require.Equal(t, killed{}, recover()) }()
				_ = apply.Write(change(dir))
			}()
			now := tree(t, dir)
			require.True(t, isWhole(now), "%v", now)
			_, err := apply.Sweep([]string{dir, filepath.Join(dir, "out")})
			require.NoError(t, err)
			for name := range tree(t, dir) {
				require.NotContains(t, name, ".ahpgen-")
			}
		})
	}
}

func TestAStepThatFailsLeavesEachFileWhole(t *testing.T) {
	for i, step := range steps(t) {
		t.Run(step, func(t *testing.T) {
			dir := setUp(t)
			full := errors.New("input/output error")
			at(t, i, func() error { return full })
			require.ErrorIs(t, apply.Write(change(dir)), full)
			now := tree(t, dir)
			require.True(t, isWhole(now), "%v", now)
			if strings.Contains(step, "hand.go") && !strings.HasPrefix(step, "settle") {
				require.Equal(t, before, now, "it is the first that is written")
			}
		})
	}
}

// saves are the ways in which programs save a file.
var saves = map[string]func(t testing.TB, path, text string){
	"in place": func(t testing.TB, path, text string) { write(t, path, text) },
	"by renaming": func(t testing.TB, path, text string) {
		temp := filepath.Join(t.TempDir(), "new") // beside it, it would be in the tree
		write(t, temp, text)
		require.NoError(t, os.Rename(temp, path))
	},
	"removing it first": func(t testing.TB, path, text string) {
		if err := os.Remove(path); err != nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
		write(t, path, text)
	},
}

func TestASaveAtAnyMomentIsKept(t *testing.T) {
	for i, step := range steps(t) {
		for _, how := range slices.Sorted(maps.Keys(saves)) {
			for _, name := range []string{"out/hand.go", "out/started.go", "out/empty.go", "lock.json", "out/other.go"} {
				t.Run(step+", "+name+" "+how, func(t *testing.T) {
					dir := setUp(t)
					at(t, i, func() error {
						saves[how](t, filepath.Join(dir, filepath.FromSlash(name)), "saved meanwhile")
						return nil
					})
					err := apply.Write(change(dir))
					now := tree(t, dir)
					require.Equal(t, "saved meanwhile", now[name], "%v", now)
					if now[name] = before[name]; now[name] == "" {
						delete(now, name)
					}
					require.True(t, isWhole(now), "%v", now)
					for other := range now {
						require.NotContains(t, other, ".ahpgen-new")
					}
					if err != nil {
						require.ErrorIs(t, err, apply.ErrChanged)
						require.ErrorContains(t, err, "written, run ahpgen again")
						require.ErrorContains(t, err, filepath.Base(name))
					}
					if err != nil && name != "lock.json" {
						require.Equal(t, "old a", now["out/a.go"], "nothing is written after a file of the user's that changed")
					}
				})
			}
		}
	}
}

// TestTwoSavesAreBothKept: one between the comparison and the exchange, and one before the first is back in its place.
func TestTwoSavesAreBothKept(t *testing.T) {
	for _, name := range []string{"hand.go", "empty.go"} {
		dir := setUp(t)
		path := filepath.Join(dir, "out", name)
		apply.OnStep(t, func(step, at string) error {
			switch {
			case at != path:
			case step == "replace":
				write(t, path, "saved once")
			case step == "settle":
				write(t, path, "saved twice")
			}
			return nil
		})
		err := apply.Write(change(dir))
		now := tree(t, dir)
		require.Equal(t, "saved twice", now["out/"+name])
		if kept := "out/" + name + ".ahpgen-kept-1"; now[kept] != "" {
			require.Equal(t, "saved once", now[kept])
			require.ErrorContains(t, err, "was saved twice while ahpgen ran: the last text is there, the other one is in ")
		} else {
			t.Errorf("the first is gone: %v", now)
		}
	}
}

func TestAFileThatIsNotAsReadIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	for what, c := range map[string]struct {
		do   func(path string) error
		says string
	}{
		"a folder": {func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, "hand.go is a folder, not a file"},
		"a link": {func(path string) error {
			return errors.Join(os.Rename(path, path+".txt"), os.Symlink(filepath.Base(path)+".txt", path))
		}, "hand.go is a symbolic link, not a file"},
		"read-only": {func(path string) error { return os.Chmod(path, 0o444) }, "hand.go is read-only: make it writable"},
		"changed":   {func(path string) error { return os.WriteFile(path, []byte("another text"), 0o644) }, "hand.go has changed meanwhile"},
		"gone":      {os.Remove, "hand.go has changed meanwhile"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := setUp(t)
			require.NoError(t, c.do(filepath.Join(dir, "out", "hand.go")))
			require.NoError(t, os.Chmod(filepath.Join(dir, "lock.json"), 0o444))
			want := tree(t, dir)
			err := apply.Write(change(dir))
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "lock.json is read-only")
			require.Equal(t, want, tree(t, dir))
		})
	}
}

func TestPermissionsStay(t *testing.T) {
	dir := setUp(t)
	modes := map[string]os.FileMode{"lock.json": 0o600, "out/a.go": 0o444, "out/hand.go": 0o666}
	for name, mode := range modes {
		require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	require.NoError(t, apply.Write(change(dir)))
	for name, mode := range modes {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
	require.Equal(t, after, tree(t, dir))
}

func TestAFolderThatWasMadeForNothingGoesAgain(t *testing.T) {
	dir := t.TempDir()
	apply.OnStep(t, func(string, string) error { return errors.New("fails") })
	path := filepath.Join(dir, "not", "there", "b.go")
	require.ErrorContains(t, apply.Write(apply.Change{Rest: []apply.File{{Path: path, New: []byte("b")}}}), "fails")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// TestSweepRemovesItsOwnFilesOnly: other files with such names may be the user's.
func TestSweepRemovesItsOwnFilesOnly(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".ahpgen-new-0123456789abcdef-0", ".ahpgen-new-0123456789abcdef-back-12", ".ahpgen-new-mine", ".ahpgen-0123456789abcdef-0", ".ahpgen-journal", "a.go"} {
		write(t, filepath.Join(dir, name), "text")
	}
	require.NoError(t, os.Symlink("a.go", filepath.Join(dir, ".ahpgen-new-0123456789abcdef-1")))
	n, err := apply.Sweep([]string{dir, filepath.Join(dir, "not there")})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []string{".ahpgen-0123456789abcdef-0", ".ahpgen-journal", ".ahpgen-new-0123456789abcdef-1", ".ahpgen-new-mine", "a.go"}, slices.Sorted(maps.Keys(tree(t, dir))))
}
