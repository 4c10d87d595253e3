// What becomes of a repository with a person's work in it when ahpgen is killed, when somebody saves files
// while it runs, and when it runs several times at once.
//
// A few tries are made with every test run, more with -thorough. AHPGEN_STRESS=1 makes as many as are promised: 300 kills of each
// kind, 500 saves, 200 triples. AHPGEN_STRESS_TOOL names another program to try, to see that the tests find what they
// look for.

package writes

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/kit"
)

// tries is how often a test tries: few times, more often with -thorough, or as often as is promised.
func tries(few, more, promised int) int {
	switch {
	case os.Getenv("AHPGEN_STRESS") != "":
		return promised
	case *kit.Thorough:
		return more
	}
	return few
}

// boards is a protocol with three channels, and with that many actions in each.
func boards(actions int) string {
	var defs, union []string
	for _, channel := range []string{"board", "list", "tray"} {
		state := strings.ToUpper(channel[:1]) + channel[1:]
		defs = append(defs, fmt.Sprintf(`    %q: {"x-channel": {"name": %q, "prefix": "%s/"}, "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}`,
			state, channel, channel))
		for i := range actions {
			name := fmt.Sprintf("%sChange%c", state, 'A'+i)
			union = append(union, fmt.Sprintf(`{"$ref": "#/$defs/%s"}`, name))
			defs = append(defs, fmt.Sprintf(`    %q: {"x-since": "1.0.0", "type": "object", "properties": {"type": {"const": "%s/change%c"}, "title": {"type": "string"}}, "required": ["type", "title"]}`,
				name, channel, 'A'+i))
		}
	}
	return fmt.Sprintf(`{
  "x-protocol": {"name": "boards", "title": "Board Protocol", "version": "1.%d.0"},
  "$defs": {
    "Action": {"x-actions": {}, "discriminator": {"propertyName": "type"}, "oneOf": [%s]},
%s
  }
}
`, actions, strings.Join(union, ", "), strings.Join(defs, ",\n"))
}

// repository is a folder with a configuration, schemas, newer ones, a package and a person's work in it.
func repository(t *testing.T, tool string) string {
	dir := filepath.Join(t.TempDir(), "repository")
	kit.WriteFile(t, filepath.Join(dir, "ahpgen.json"), `{"schemas": "schema", "out": "note", "package": "note"}`+"\n")
	kit.WriteFile(t, filepath.Join(dir, "schema", "boards.schema.json"), boards(2))
	kit.WriteFile(t, filepath.Join(dir, "schema", "old.schema.json"), `{"$defs": {"Old": {"type": "object", "properties": {"id": {"type": "string"}}}}}`)
	kit.WriteFile(t, filepath.Join(dir, "next", "boards.schema.json"), boards(5))
	kit.Run(t, dir, tool, "generate")
	for _, channel := range []string{"board", "list", "tray"} {
		path := filepath.Join(dir, "note", "reducers_"+channel+".go")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		kit.WriteFile(t, path, strings.ReplaceAll(string(text), "// TODO(ahpgen): return a changed copy, or s where nothing changes.", "// A person's work on "+channel+"."))
	}
	kit.WriteFile(t, filepath.Join(dir, "note", "helpers.go"), "package note\n\n// helper is a person's.\nfunc helper() {}\n")
	return dir
}

// copied is a fresh copy of a repository, under its name.
func copied(t *testing.T, from string) string {
	dir := filepath.Join(t.TempDir(), filepath.Base(from))
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

// files reads every file below a folder, hidden ones too.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
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

// requireNoMethodTwice wants each method of the package to be declared once, and returns how many of them are reducers.
func requireNoMethodTwice(t *testing.T, dir string) int {
	t.Helper()
	seen := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || !strings.Contains(method.Name.Name, "hange") {
				continue
			}
			if recv, ok := method.Recv.List[0].Type.(*ast.StarExpr); ok && recv.X.(*ast.Ident).Name == "Reducer" {
				require.NotContains(t, seen, method.Name.Name, "declared twice, in %s and %s", seen[method.Name.Name], entry.Name())
				seen[method.Name.Name] = entry.Name()
			}
		}
	}
	return len(seen)
}

// moments gives each try a time at which something happens: any, or soon after files begin to change.
type moments struct {
	random *rand.Rand
	took   time.Duration
}

func newMoments(t *testing.T, took time.Duration) *moments {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d, a run takes %s", seed, took)
	return &moments{rand.New(rand.NewPCG(seed, 0)), took}
}

// wait waits for the moment of a try.
func (m *moments) wait(dir string, try int) {
	if try%2 == 0 {
		time.Sleep(time.Duration(m.random.Int64N(int64(m.took) * 11 / 10)))
		return
	}
	for end := time.Now().Add(2 * m.took); time.Now().Before(end); time.Sleep(20 * time.Microsecond) {
		if names, _ := filepath.Glob(filepath.Join(dir, "*", ".ahpgen-new-*")); len(names) > 0 {
			break
		}
	}
	time.Sleep(time.Duration(m.random.Int64N(int64(m.took) / 100)))
}

// timed runs a command, which may have findings, and says how long it takes.
func timed(t *testing.T, dir, name string, args ...string) time.Duration {
	start := time.Now()
	if out, err := kit.Command(dir, name, args...); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, out)
		require.Equal(t, 1, exit.ExitCode(), out)
	}
	return time.Since(start)
}

// TestKillsLoseNothing: after a kill each file is whole, the old one or the new one, and the same command again makes what
// it would have made.
func TestKillsLoseNothing(t *testing.T) {
	tool := kit.Tool(t)
	start := repository(t, tool)
	old := files(t, start)
	reference := copied(t, start)
	bump := []string{"bump", "--to", "next", "--force"}
	m := newMoments(t, timed(t, reference, tool, bump...))
	updated := files(t, reference)
	require.NotEqual(t, old, updated)
	states := map[string]int{}
	for try := range tries(6, 18, 300) {
		dir := copied(t, start)
		states[killed(t, m, dir, try, tool, bump...)]++
		left := snapshot(t, dir)
		_, err := kit.Command(dir, tool, "check")
		require.Equal(t, left, snapshot(t, dir), "check writes: %v", err)
		requireWhole(t, files(t, dir), old, updated)
		kit.Run(t, dir, tool, bump...)
		requireFiles(t, updated, files(t, dir))
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%v", states)
}

// killed kills a command at some moment, and says what it leaves.
func killed(t *testing.T, m *moments, dir string, try int, tool string, args ...string) string {
	before := files(t, dir)
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	require.NoError(t, cmd.Start())
	m.wait(dir, try)
	_ = cmd.Process.Kill() // it may have come to its end
	_ = cmd.Wait()         // killed: an error says nothing
	changed, temporary := 0, 0
	for name, text := range files(t, dir) {
		switch {
		case strings.Contains(name, ".ahpgen-new-"):
			temporary++
		case !strings.Contains(name, ".ahpgen-") && text != before[name]:
			changed++
		}
	}
	switch {
	case changed > 0 && temporary > 0:
		return "while files took their places"
	case temporary > 0:
		return "while files were staged"
	case changed > 0:
		return "all was written"
	}
	return "untouched"
}

// requireWhole wants each file to be the old one or the new one, and nothing that is in both to be missing.
func requireWhole(t *testing.T, now, old, updated map[string]string) {
	t.Helper()
	for name, text := range now {
		if !strings.Contains(name, ".ahpgen-") && text != old[name] && text != updated[name] {
			t.Errorf("%s is neither old nor new", name)
		}
	}
	for name := range old {
		_, there := now[name]
		_, wanted := updated[name]
		require.True(t, there || !wanted, "%s is missing", name)
	}
}

// requireFiles compares folders, and names the files that differ.
func requireFiles(t *testing.T, want, now map[string]string) {
	t.Helper()
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(now)))
	for name := range want {
		require.Equal(t, want[name], now[name], name)
	}
}

// edit is something that a person saves.
type edit struct {
	name string // of the file
	text func(now string) string
}

// edits are what a person may save. Methods that exist are not written again, so the package is searched first.
func edits(mark, dir string) []edit {
	appended := func(now string) string { return now + "\n// " + mark + "\n" }
	return []edit{
		{"note/reducers_board.go", appended},
		{"note/reducers_tray.go", appended},
		{"note/helpers.go", appended},
		{"note/new.go", func(string) string { return "package note\n\n// " + mark + "\n" }},
		// A method that ahpgen is about to add.
		{"note/mine.go", func(string) string {
			if board, err := os.ReadFile(filepath.Join(dir, "note", "reducers_board.go")); err != nil || strings.Contains(string(board), "boardChangeC") {
				return "package note\n\n// " + mark + "\n"
			}
			return "package note\n\n// " + mark + "\nfunc (r *Reducer) boardChangeC(s *Board, a *BoardChangeC) *Board { return s }\n"
		}},
		{"note/reducers_list.go", func(now string) string {
			if strings.Contains(now, "listChangeD") {
				return appended(now)
			}
			return now + "\n// " + mark + "\nfunc (r *Reducer) listChangeD(s *List, a *ListChangeD) *List { return s }\n"
		}},
		{"ahpgen.json", func(now string) string {
			return strings.TrimSuffix(strings.TrimSpace(now), "}") + `, "$schema": "` + mark + "\"}\n"
		}},
	}
}

// saveFile saves a text as programs do.
func saveFile(t *testing.T, path, text string, how int) {
	switch how % 3 {
	case 0:
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	case 1: // a new file takes the place of the old one
		temp := filepath.Join(filepath.Dir(path), "#saving")
		require.NoError(t, os.WriteFile(temp, []byte(text), 0o644))
		require.NoError(t, os.Rename(temp, path))
	case 2: // the old one is moved away first
		_ = os.Rename(path, path+"~") // a new file has no old one
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_ = os.Remove(path + "~")
	}
}

func TestSavesDuringARunLoseNothing(t *testing.T) {
	tool := kit.Tool(t)
	start := repository(t, tool)
	old := files(t, start)
	reference := copied(t, start)
	m := newMoments(t, timed(t, reference, tool, "bump", "--to", "next", "--force"))
	methods := requireNoMethodTwice(t, filepath.Join(reference, "note"))
	require.Equal(t, 15, methods)
	states := map[string]int{}
	for try := range tries(7, 21, 500) {
		dir := copied(t, start)
		args := []string{"bump", "--to", "next", "--force"}
		if try%4 < 2 {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "schema", "boards.schema.json"), []byte(boards(5)), 0o644))
			args = []string{"generate"}
		}
		mark := fmt.Sprintf("saved in try %d", try)
		e := edits(mark, dir)[try%len(edits(mark, dir))]
		if e.name == "ahpgen.json" && args[0] == "generate" {
			e = edits(mark, dir)[0]
		}
		path := filepath.Join(dir, filepath.FromSlash(e.name))
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		m.wait(dir, try)
		// An editor has the text of before; a script takes what is there.
		base := old[e.name]
		if now, err := os.ReadFile(path); err == nil && m.random.IntN(2) == 0 {
			base = string(now)
		}
		text := e.text(base)
		saveFile(t, path, text, try/len(edits(mark, dir)))
		err := cmd.Wait()
		states[fmt.Sprintf("%s: %v", args[0], err)]++
		requireSaved(t, dir, e.name, text, mark, out.String())

		// And the next run, without anybody beside it, makes all of it good.
		if again, err := kit.Command(dir, tool, args...); err != nil && !strings.Contains(again, "nothing to do") {
			t.Fatalf("try %d: %s: %v\n%s\n%s", try, e.name, err, out.String(), again)
		}
		requireSaved(t, dir, e.name, text, mark, out.String())
		require.Equal(t, methods, requireNoMethodTwice(t, filepath.Join(dir, "note")), "try %d: %s\n%s", try, e.name, out.String())
		for name := range files(t, dir) {
			require.NotContains(t, name, ".ahpgen-", "try %d", try)
		}
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%v", states)
}

var stub = regexp.MustCompile(`\n*// \w+ applies \w+\.\nfunc \(r \*Reducer\) \w+\(s \*\w+, a \*\w+\) \*\w+ \{\n\t// TODO\(ahpgen\): [^\n]*\n\treturn s\n\}\n*`)

// requireSaved wants a file to hold what a person saved, all of it, and nothing else but stubs.
func requireSaved(t *testing.T, dir, name, text, mark, printed string) {
	t.Helper()
	now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	require.NoError(t, err, printed)
	require.Contains(t, string(now), mark, "%s lost what was saved\n%s", name, printed)
	squeeze := func(s string) string { return strings.Join(strings.Fields(stub.ReplaceAllString(s, "\n")), " ") }
	require.Equal(t, squeeze(text), squeeze(string(now)), "%s\n%s", name, printed)
}

func TestRunsAtOnceAreLikeOneAfterTheOther(t *testing.T) {
	tool := kit.Tool(t)
	start := repository(t, tool)
	reference := copied(t, start)
	kit.Run(t, reference, tool, "bump", "--to", "next", "--force")
	bumped := files(t, reference)
	newer := func(dir string) { // as the bump leaves the schemas
		require.NoError(t, os.WriteFile(filepath.Join(dir, "schema", "boards.schema.json"), []byte(boards(5)), 0o644))
		require.NoError(t, os.Remove(filepath.Join(dir, "schema", "old.schema.json")))
	}
	reference = copied(t, start)
	newer(reference)
	kit.Run(t, reference, tool, "generate")
	generated := files(t, reference)
	random := newMoments(t, time.Second).random
	for try := range tries(3, 9, 200) {
		dir := copied(t, start)
		commands, want := [3][]string{{"bump", "--to", "next", "--force"}, {"generate"}, {"bump", "--to", "next", "--force"}}, bumped
		if try%2 == 0 {
			newer(dir)
			commands, want = [3][]string{{"generate"}, {"generate"}, {"generate"}}, generated
		}
		var wait sync.WaitGroup
		var outs [3]string
		for i, args := range commands {
			pause := time.Duration(random.IntN(10)) * time.Millisecond
			wait.Go(func() {
				time.Sleep(pause)
				out, err := kit.Command(dir, tool, args...)
				outs[i] = fmt.Sprintf("%v: %v\n%s", args, err, out)
			})
		}
		wait.Wait()
		printed := strings.Join(outs[:], "\n")
		for _, out := range outs {
			require.Contains(t, out, ": <nil>\n", printed)
		}
		requireNoMethodTwice(t, filepath.Join(dir, "note"))
		require.Equal(t, want, files(t, dir), printed)
		require.NoError(t, os.RemoveAll(dir))
	}
}

// snapshot is all that can be seen of a folder, down to times.
func snapshot(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		rel, _ := filepath.Rel(dir, path)
		out = append(out, fmt.Sprintf("%s %s %s %q", filepath.ToSlash(rel), info.Mode(), info.ModTime().Format(time.RFC3339Nano), text))
		return nil
	}))
	return out
}
