// What is written, and what never is: by commands that only read, and to files that are not ahpgen's to
// replace.

package writes

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// interrupt leaves a repository as a kill would in the middle of an update: one file is new, one waits beside its place.
func interrupt(t *testing.T, dir string) {
	t.Helper()
	note := filepath.Join(dir, "note")
	for name, path := range map[string]string{"types_gen.go": "types_gen.go", "enums_gen.go": ".ahpgen-new-0123456789abcdef-1"} {
		old, err := os.ReadFile(filepath.Join(note, name))
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(note, path), string(old)+"\n// changed\n")
	}
}

// builtRepository is a repository made by the program in this process.
func builtRepository(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	kit.WriteFile(t, filepath.Join(dir, "ahpgen.json"), `{"schemas": "schema", "out": "note", "package": "note"}`+"\n")
	kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), boards(2))
	kit.WriteFile(t, filepath.Join(dir, "next", "boards.schema.json"), boards(5))
	t.Chdir(dir)
	out, code := kit.Ahpgen("generate")
	require.Zero(t, code, out)
	return dir
}

func TestCommandsThatReadWriteNothing(t *testing.T) {
	states := map[string]func(t *testing.T, dir string){
		"clean":       func(*testing.T, string) {},
		"interrupted": interrupt,
		"planted":     func(t *testing.T, dir string) { kit.WriteFile(t, filepath.Join(dir, "note", ".ahpgen-journal"), "{}") },
		"stale": func(t *testing.T, dir string) {
			kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), boards(3))
		},
		"empty": func(t *testing.T, dir string) { require.NoError(t, os.RemoveAll(filepath.Join(dir, "note"))) },
	}
	for state, set := range states {
		t.Run(state, func(t *testing.T) {
			dir := builtRepository(t)
			set(t, dir)
			before := snapshot(t, dir)
			for _, args := range [][]string{
				{"check"}, {"lint"}, {"lint", "--overlay"}, {"inspect"}, {"inspect", "--json"},
				{"generate", "--dry-run"}, {"bump", "--to", "next", "--force", "--dry-run"},
				{"diff", "schema", "next"}, {"rules"}, {"version"}, {"completion", "bash"}, {"help", "bump"},
			} {
				out, code := kit.Ahpgen(args...)
				require.Less(t, code, 2, "%v: %s", args, out)
				require.Equal(t, before, snapshot(t, dir), "%v", args)
			}
		})
	}
}

func TestAnInterruptedUpdateIsMadeGoodByTheNextThatWrites(t *testing.T) {
	for _, args := range [][]string{{"generate"}, {"bump", "--to", "next", "--force"}} {
		dir := builtRepository(t)
		want := files(t, dir)
		interrupt(t, dir)
		out, code := kit.Ahpgen(args...)
		require.Zero(t, code, out)
		require.Contains(t, out, "an earlier run was cut short: this one writes what it did not")
		if args[0] == "generate" {
			require.Equal(t, want, files(t, dir))
		}
		out, _ = kit.Ahpgen("check") // stubs are unfinished
		require.NotContains(t, out, "stale")
	}
}

// filesBelow is all that can be seen of what is in a folder, but for the times of folders: a lock in them comes and goes.
func filesBelow(t *testing.T, dir string) []string {
	var out []string
	for _, line := range snapshot(t, dir) {
		if fields := strings.Fields(line); !strings.HasPrefix(fields[1], "d") {
			out = append(out, line)
		}
	}
	return out
}

func TestAFileThatIsNotToBeReplacedStopsTheRunBeforeAnythingIsWritten(t *testing.T) {
	for _, c := range []struct {
		name, says string
		do         func(path string) error
		args       []string
	}{
		{"note/reducers_board.go", "note/reducers_board.go is read-only: make it writable", func(path string) error { return os.Chmod(path, 0o444) }, nil},
		{"ahpgen.lock.json", "ahpgen.lock.json is read-only", func(path string) error { return os.Chmod(path, 0o444) }, nil},
		{"ahpgen.lock.json", "ahpgen.lock.json is a symbolic link, not a file", func(path string) error {
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(path)+".real", path)
		}, nil},
		{"note/types_gen.go", "this is no regular file", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		}, nil},
		{"schema/boards.schema.json", "schema/boards.schema.json is read-only", func(path string) error { return os.Chmod(path, 0o444) }, []string{"bump", "--to", "next", "--force"}},
	} {
		t.Run(c.says, func(t *testing.T) {
			dir := builtRepository(t)
			args := c.args
			if args == nil {
				kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), boards(5))
				args = []string{"generate"}
			}
			require.NoError(t, c.do(filepath.Join(dir, filepath.FromSlash(c.name))))
			before := filesBelow(t, dir)
			out, code := kit.Ahpgen(args...)
			require.NotZero(t, code, out)
			require.Contains(t, out, c.says)
			require.Equal(t, before, filesBelow(t, dir))
		})
	}
}

func TestOneWhoWaitsInVainIsToldForWhom(t *testing.T) {
	dir := builtRepository(t)
	release, err := inside.Lock([]string{filepath.Join(dir, "note")}, 0, nil)
	require.NoError(t, err)
	defer release()
	out, code := kit.Ahpgen("generate", "--wait", "30ms")
	require.Equal(t, 3, code)
	require.Contains(t, out, fmt.Sprintf("waiting for process %d (", os.Getpid()))
	require.Contains(t, out, "is at work in note: wait for it, or end it, and run ahpgen again")
	_, code = kit.Ahpgen("check")
	require.LessOrEqual(t, code, 1, "who only reads does not wait")
}

// TestAcceptedChangesAreReplacedAtOnce: neither a full disk nor a reader may meet half of them.
func TestAcceptedChangesAreReplacedAtOnce(t *testing.T) {
	dir := builtRepository(t)
	accept := []string{"diff", "schema", "next", "--accepted", "accepted.json", "--accept", "We want them."}
	out, code := kit.Ahpgen(accept...)
	require.Zero(t, code, out)
	first, err := os.Stat("accepted.json")
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(dir, "next", "boards.schema.json"), boards(6))
	require.NoError(t, os.Chmod("accepted.json", 0o640))
	held, err := os.Open("accepted.json")
	require.NoError(t, err)
	defer held.Close()
	text, err := os.ReadFile("accepted.json")
	require.NoError(t, err)
	kit.WriteFile(t, "accepted.json", `{"accepted": []}`)
	out, code = kit.Ahpgen(accept...)
	require.Zero(t, code, out)
	now, err := os.Stat("accepted.json")
	require.NoError(t, err)
	require.False(t, os.SameFile(first, now), "it was written in place")
	require.Equal(t, os.FileMode(0o640), now.Mode().Perm())
	rest := make([]byte, 100)
	n, _ := held.Read(rest)
	require.Equal(t, `{"accepted": []}`, string(rest[:n]), "who reads the old one reads all of it")
	require.NotEmpty(t, text)
	for name := range files(t, dir) {
		require.NotContains(t, name, ".ahpgen-")
	}
	kit.WriteFile(t, "accepted.json", `{"accepted": []}`)
	require.NoError(t, os.Chmod("accepted.json", 0o440))
	out, code = kit.Ahpgen(accept...)
	require.Equal(t, 3, code, out)
	require.Contains(t, out, "accepted.json is read-only")
}
