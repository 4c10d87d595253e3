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

	"github.com/ahpgen/ahpgen/generator/apply"
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

// place is where the tests change files: two folders, the rules of which are simple.
func place(dir string) apply.Place {
	return apply.Place{
		Folders: map[string]string{"out": filepath.Join(dir, "out"), "config": dir, "elsewhere": filepath.Join(dir, "elsewhere")},
		Home:    "out", Journal: apply.JournalName,
		Check: func(f apply.File) error {
			switch {
			case f.In == "out" && strings.HasSuffix(f.Name, ".go"), f.In == "config" && f.Name == "lock.json":
			default:
				return errors.New("no file of ours")
			}
			for _, text := range [][]byte{f.Old, f.New} {
				if text != nil && f.Kind == apply.Emitted && !strings.HasPrefix(string(text), "tool: ") {
					return errors.New("not emitted")
				}
			}
			return nil
		},
		Trust: func(key string) error {
			if key == "elsewhere" {
				return errors.New("outside")
			}
			return nil
		},
	}
}

// change replaces, adds and removes files in two folders.
func change() []apply.File {
	return []apply.File{
		{In: "out", Name: "a.go", Kind: apply.Emitted, Old: []byte("tool: old a"), New: []byte("tool: new a")},
		{In: "out", Name: "b.go", Kind: apply.Emitted, New: []byte("tool: new b")},
		{In: "out", Name: "gone.go", Kind: apply.Emitted, Old: []byte("tool: old gone")},
		{In: "out", Name: "hand.go", Kind: apply.Extended, Old: []byte("a person's"), New: []byte("a person's and a stub")},
		{In: "config", Name: "lock.json", Kind: apply.Aside, Old: []byte("old lock"), New: []byte("new lock")},
	}
}

var (
	before = map[string]string{
		"out/a.go": "tool: old a", "out/gone.go": "tool: old gone", "out/hand.go": "a person's", "lock.json": "old lock", "out/other.go": "another",
	}
	after = map[string]string{
		"out/a.go": "tool: new a", "out/b.go": "tool: new b", "out/hand.go": "a person's and a stub", "lock.json": "new lock", "out/other.go": "another",
	}
)

func setUp(t testing.TB) string {
	dir := t.TempDir()
	for name, content := range before {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), content)
	}
	return dir
}

// everywhere runs a test on the system at hand, and on one that can do less.
func everywhere(t *testing.T, test func(t *testing.T)) {
	t.Run("exchange", test)
	t.Run("plain", func(t *testing.T) {
		apply.PlainSystem(t)
		test(t)
	})
}

func TestWriteReplacesAll(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		dir := setUp(t)
		require.NoError(t, apply.Write(place(dir), change()))
		require.Equal(t, after, tree(t, dir))
		outcome, _, err := apply.Recover(place(dir))
		require.NoError(t, err)
		require.Equal(t, apply.Nothing, outcome)
	})
}

// steps lists every moment of a change, as step and path.
func steps(t *testing.T) []string {
	var out []string
	t.Run("steps", func(t *testing.T) {
		apply.OnStep(t, func(step, path string) error {
			out = append(out, step+" "+filepath.Base(path))
			return nil
		})
		require.NoError(t, apply.Write(place(setUp(t)), change()))
	})
	require.Greater(t, len(out), 20)
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

func TestNothingChangesWhenAStepFails(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		for i, step := range steps(t) {
			if strings.HasPrefix(step, "drop ") {
				continue // all is written then
			}
			t.Run(step, func(t *testing.T) {
				dir := setUp(t)
				full := errors.New("no space left on device")
				at(t, i, func() error { return full })
				require.ErrorIs(t, apply.Write(place(dir), change()), full)
				require.Equal(t, before, tree(t, dir))
			})
		}
	})
}

// killed is a panic in the place of a kill: nothing is tidied up.
type killed struct{}

func writeKilledAt(t *testing.T, dir string, number int) {
	t.Run("write", func(t *testing.T) {
		at(t, number, func() error { panic(killed{}) })
		defer func() { require.Equal(t, killed{}, recover()) }()
		_ = apply.Write(place(dir), change())
	})
}

func TestAKilledChangeIsFinishedOrHasNotBegun(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		for i, step := range steps(t) {
			t.Run(step, func(t *testing.T) {
				dir := setUp(t)
				writeKilledAt(t, dir, i)
				outcome, _, err := apply.Recover(place(dir))
				require.NoError(t, err)
				want := after
				if outcome == apply.Nothing || outcome == apply.Swept {
					want = before
				}
				require.Equal(t, want, tree(t, dir), "%s", outcome)
			})
		}
	})
}

// TestARecoveryThatIsKilledIsFinished cuts short what finishes a change that was cut short.
func TestARecoveryThatIsKilledIsFinished(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		for i, step := range steps(t) {
			for j := range 12 {
				t.Run(fmt.Sprint(step, j), func(t *testing.T) {
					dir := setUp(t)
					writeKilledAt(t, dir, i)
					func() {
						at(t, j, func() error { panic(killed{}) })
						defer func() { _ = recover() }() // it may end before
						_, _, _ = apply.Recover(place(dir))
					}()
					apply.OnStep(t, func(string, string) error { return nil })
					_, _, err := apply.Recover(place(dir))
					require.NoError(t, err)
					now := tree(t, dir)
					require.True(t, maps.Equal(now, before) || maps.Equal(now, after), "%v", now)
				})
			}
		}
	})
}

// save is how a program saves a file.
type save struct {
	name string
	do   func(t testing.TB, path, text string)
}

var saves = []save{
	{"in place", func(t testing.TB, path, text string) { write(t, path, text) }},
	{"by renaming", func(t testing.TB, path, text string) {
		temp := filepath.Join(t.TempDir(), "new") // beside it, it would be in the tree
		write(t, temp, text)
		require.NoError(t, os.Rename(temp, path))
	}},
	{"removing it first", func(t testing.TB, path, text string) {
		if err := os.Remove(path); err != nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
		write(t, path, text)
	}},
}

// edited are the files that somebody saves in the tests, one of each sort: replaced, new, removed, extended.
var edited = []string{"out/a.go", "out/b.go", "out/gone.go", "out/hand.go", "lock.json"}

// requireKept wants a saved text to be in its place, all others old or all others new, and no other texts
// than those that the user is told of.
func requireKept(t *testing.T, dir, name, text string) {
	t.Helper()
	now := tree(t, dir)
	require.Equal(t, text, now[name], "what was saved is gone: %v", now)
	others := func(files map[string]string) map[string]string {
		out := maps.Clone(files)
		delete(out, name)
		maps.DeleteFunc(out, func(n, _ string) bool { return strings.HasPrefix(n, name+".ahpgen-kept") })
		return out
	}
	rest := others(now)
	require.True(t, maps.Equal(rest, others(before)) || maps.Equal(rest, others(after)), "neither old nor new: %v", now)
}

func TestASaveAtAnyMomentIsKept(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		for i, step := range steps(t) {
			for _, s := range saves {
				for _, name := range edited {
					t.Run(step+", "+name+" "+s.name, func(t *testing.T) {
						dir := setUp(t)
						at(t, i, func() error {
							s.do(t, filepath.Join(dir, filepath.FromSlash(name)), "saved meanwhile")
							return nil
						})
						err := apply.Write(place(dir), change())
						requireKept(t, dir, name, "saved meanwhile")
						if err != nil {
							require.ErrorIs(t, err, apply.ErrChanged)
							require.ErrorContains(t, err, "run ahpgen again")
							require.ErrorContains(t, err, filepath.Base(name))
						} else {
							now := tree(t, dir)
							delete(now, name)
							require.Equal(t, len(after)-len(now), map[bool]int{true: 1, false: 0}[after[name] != ""], "no error, and not all is new: %v", now)
						}
					})
				}
			}
		}
	})
}

func TestASaveBetweenAKillAndTheNextRunIsKept(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		for i, step := range steps(t) {
			for _, name := range edited {
				t.Run(step+", "+name, func(t *testing.T) {
					dir := setUp(t)
					writeKilledAt(t, dir, i)
					write(t, filepath.Join(dir, filepath.FromSlash(name)), "saved since")
					_, _, err := apply.Recover(place(dir))
					require.NoError(t, err)
					requireKept(t, dir, name, "saved since")
				})
			}
		}
	})
}

func TestASourceThatChangesUndoesWhatRestsOnIt(t *testing.T) {
	sources := func(dir string) apply.Place {
		p := place(dir)
		p.Sources = func() (map[string]string, error) {
			out := map[string]string{}
			for name, text := range tree(t, filepath.Join(dir, "out")) {
				if !strings.HasPrefix(name, ".") && !strings.HasPrefix(text, "tool: ") {
					out[name] = apply.Digest([]byte(text))
				}
			}
			return out, nil
		}
		p.Planned = map[string]string{"hand.go": apply.Digest([]byte("a person's")), "other.go": apply.Digest([]byte("another"))}
		return p
	}
	require.NoError(t, func() error { return apply.Write(sources(setUp(t)), change()) }())
	edits := map[string]func(dir string){
		"changed": func(dir string) { write(t, filepath.Join(dir, "out", "other.go"), "func stub()") },
		"new":     func(dir string) { write(t, filepath.Join(dir, "out", "fresh.go"), "func stub()") },
		"removed": func(dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "out", "other.go"))) },
	}
	for _, what := range slices.Sorted(maps.Keys(edits)) {
		t.Run(what, func(t *testing.T) {
			dir := setUp(t)
			apply.OnStep(t, func(step, _ string) error {
				if step == "settle" {
					edits[what](dir)
					edits[what] = func(string) {}
				}
				return nil
			})
			edit := edits[what]
			require.ErrorIs(t, apply.Write(sources(dir), change()), apply.ErrChanged)
			require.Equal(t, "a person's", tree(t, dir)["out/hand.go"])

			dir = setUp(t)
			func() {
				apply.OnStep(t, func(step, _ string) error {
					if step == "settle" {
						panic(killed{})
					}
					return nil
				})
				defer func() { require.Equal(t, killed{}, recover()) }()
				_ = apply.Write(sources(dir), change())
			}()
			apply.OnStep(t, func(string, string) error { return nil })
			edit(dir)
			outcome, _, err := apply.Recover(sources(dir))
			require.NoError(t, err)
			require.Equal(t, apply.Undone, outcome)
			require.Equal(t, "a person's", tree(t, dir)["out/hand.go"])
		})
	}
}

func TestWhatIsNotAsPlannedIsRefusedBeforeAnythingIsWritten(t *testing.T) {
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
			want := tree(t, dir)
			touched := false
			apply.OnStep(t, func(string, string) error { touched = true; return nil })
			require.ErrorContains(t, apply.Write(place(dir), change()), c.says)
			require.False(t, touched)
			require.Equal(t, want, tree(t, dir))
		})
	}
}

func TestEverythingThatIsInTheWayIsSaidAtOnce(t *testing.T) {
	dir := setUp(t)
	require.NoError(t, os.Chmod(filepath.Join(dir, "out", "hand.go"), 0o444))
	require.NoError(t, os.Chmod(filepath.Join(dir, "lock.json"), 0o444))
	err := apply.Write(place(dir), change())
	require.ErrorContains(t, err, "hand.go is read-only")
	require.ErrorContains(t, err, "lock.json is read-only")
}

func TestPermissionsStay(t *testing.T) {
	everywhere(t, func(t *testing.T) {
		dir := setUp(t)
		modes := map[string]os.FileMode{"lock.json": 0o600, "out/a.go": 0o444, "out/hand.go": 0o666}
		for name, mode := range modes {
			require.NoError(t, os.Chmod(filepath.Join(dir, name), mode))
		}
		require.NoError(t, apply.Write(place(dir), change()))
		for name, mode := range modes {
			info, err := os.Stat(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm(), name)
		}
		require.Equal(t, after, tree(t, dir))
	})
}

func TestAFolderThatWasMadeForNothingGoesAgain(t *testing.T) {
	dir := t.TempDir()
	p := place(filepath.Join(dir, "not", "there"))
	apply.OnStep(t, func(step, _ string) error {
		if step == "take" {
			return errors.New("fails")
		}
		return nil
	})
	require.Error(t, apply.Write(p, []apply.File{{In: "out", Name: "b.go", Kind: apply.Emitted, New: []byte("tool: b")}}))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestTwoChangesAtOnceAreNotMixed(t *testing.T) {
	dir := setUp(t)
	var second error
	done := false
	apply.OnStep(t, func(step, _ string) error {
		if step == "take" && !done {
			done = true
			second = apply.Write(place(dir), change()[4:])
		}
		return nil
	})
	require.NoError(t, apply.Write(place(dir), change()))
	require.ErrorIs(t, second, apply.ErrInterrupted)
	require.Equal(t, after, tree(t, dir))
}
