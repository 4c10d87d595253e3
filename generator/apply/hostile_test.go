// Journals that somebody else wrote.

package apply_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/apply"
	"github.com/ahpgen/ahpgen/generator/diag"
)

const run = "0123456789abcdef"

// planted writes a journal of a state that names one file.
func planted(t *testing.T, dir, state, in, name, kind, old, new string) {
	digest := func(text string) string {
		if text == "" {
			return ""
		}
		return apply.Digest([]byte(text))
	}
	write(t, filepath.Join(dir, "out", apply.JournalName), fmt.Sprintf(
		`{"ahpgen":2,"run":"%s","state":"%s","files":[{"in":%q,"name":%q,"kind":%q,"old":%q,"new":%q}]}`,
		run, state, in, name, kind, digest(old), digest(new)))
}

func TestAPlantedJournalDoesNothing(t *testing.T) {
	cases := map[string]struct{ in, name, kind, old, new, says string }{
		"a path above":           {"out", "../victim.go", "emitted", "tool: victim", "", "no name of a file"},
		"a path below":           {"out", "sub/victim.go", "emitted", "tool: victim", "", "no name of a file"},
		"an absolute path":       {"out", "/etc/passwd", "emitted", "tool: victim", "", "no name of a file"},
		"a path of Windows":      {"out", `..\victim.go`, "emitted", "tool: victim", "", "no name of a file"},
		"a stream of Windows":    {"out", "a.go:b", "emitted", "tool: victim", "", "no name of a file"},
		"the folder itself":      {"out", "..", "emitted", "tool: victim", "", "no name of a file"},
		"nothing":                {"out", "", "emitted", "tool: victim", "", "no name of a file"},
		"a hidden file":          {"out", ".gitignore", "emitted", "tool: victim", "", "no hidden files"},
		"an unknown folder":      {"home", "a.go", "emitted", "tool: old a", "", `a folder "home"`},
		"a folder outside":       {"elsewhere", "a.go", "emitted", "tool: old a", "", "outside"},
		"an unknown kind":        {"out", "a.go", "anybody's", "tool: old a", "", "no kind"},
		"a file of another sort": {"out", "notes.txt", "emitted", "notes", "", "no file of ours"},
		"another file beside":    {"config", "package.json", "aside", "victim", "", "no file of ours"},
		"a file of a person's":   {"out", "hand.go", "emitted", "a person's", "", "not emitted"},
		"what is not emitted":    {"out", "b.go", "emitted", "", "func init() {}", "not emitted"},
		"a link":                 {"out", "link.go", "emitted", "tool: victim", "", "is a symbolic link"},
		"a folder":               {"out", "folder.go", "emitted", "tool: victim", "", "is a folder"},
		"no change":              {"out", "a.go", "emitted", "tool: old a", "tool: old a", "digests"},
		"neither old nor new":    {"out", "a.go", "emitted", "", "", "digests"},
		"a control character":    {"out", "a\u202e.go", "emitted", "tool: old a", "", "no name of a file"},
	}
	for _, state := range []string{"begun", "decided", "done"} {
		for what, c := range cases {
			if state == "begun" && (c.says == "not emitted" || strings.HasPrefix(c.says, "is a ")) {
				continue // the file itself is not touched in that state
			}
			t.Run(state+", "+what, func(t *testing.T) {
				dir := setUp(t)
				for _, name := range []string{"victim.go", "out/sub/victim.go", "elsewhere/a.go", "out/notes.txt", "package.json", "out/.gitignore"} {
					write(t, filepath.Join(dir, name), "tool: victim")
				}
				require.NoError(t, os.Symlink("../victim.go", filepath.Join(dir, "out", "link.go")))
				require.NoError(t, os.Mkdir(filepath.Join(dir, "out", "folder.go"), 0o755))
				for _, folder := range []string{".", "out", "elsewhere"} {
					write(t, filepath.Join(dir, folder, ".ahpgen-"+run+"-0"), c.new)
				}
				planted(t, dir, state, c.in, c.name, c.kind, c.old, c.new)
				want := tree(t, dir)
				_, _, err := apply.Recover(place(dir))
				require.ErrorContains(t, err, "out/.ahpgen-journal cannot be believed")
				require.ErrorContains(t, err, c.says)
				require.ErrorContains(t, err, "nothing was done")
				require.Contains(t, diag.HintOf(err), "remove it")
				require.Equal(t, want, tree(t, dir))
			})
		}
	}
}

func TestWhatIsNoJournalDoesNothing(t *testing.T) {
	for what, text := range map[string]string{
		"an older form":   `{"rename": ["a.go"], "remove": ["../victim.go"]}`,
		"a newer form":    `{"ahpgen":3,"run":"` + run + `","state":"decided","files":[]}`,
		"no name":         `{"ahpgen":2,"run":"../..","state":"decided","files":[]}`,
		"no state":        `{"ahpgen":2,"run":"` + run + `","state":"deleted","files":[]}`,
		"more members":    `{"ahpgen":2,"run":"` + run + `","state":"decided","files":[],"remove":["a.go"]}`,
		"two journals":    `{"ahpgen":2,"run":"` + run + `","state":"decided","files":[]} {}`,
		"no JSON":         "rename a.go",
		"too much of it":  `{"ahpgen":2,"run":"` + run + `","state":"begun","files":[` + strings.Repeat(" ", 17<<20) + `]}`,
		"the same twice":  `{"ahpgen":2,"run":"` + run + `","state":"begun","files":[` + twice + `,` + twice + `]}`,
		"other brackets":  `[]`,
		"only the number": `2`,
	} {
		t.Run(what, func(t *testing.T) {
			dir := setUp(t)
			write(t, filepath.Join(dir, "out", apply.JournalName), text)
			want := tree(t, dir)
			_, _, err := apply.Recover(place(dir))
			require.ErrorContains(t, err, "cannot be believed")
			require.Equal(t, want, tree(t, dir))
			require.ErrorIs(t, apply.Write(place(dir), change()), apply.ErrInterrupted)
			require.Equal(t, want, tree(t, dir))
		})
	}
}

var twice = `{"in":"out","name":"a.go","kind":"emitted","old":"","new":"` + apply.Digest([]byte("x")) + `"}`

func TestAJournalThatIsNoFileIsNotFollowed(t *testing.T) {
	dir := setUp(t)
	planted(t, dir, "decided", "out", "a.go", "emitted", "tool: old a", "")
	journal := filepath.Join(dir, "out", apply.JournalName)
	require.NoError(t, os.Rename(journal, filepath.Join(dir, "journal")))
	require.NoError(t, os.Symlink("../journal", journal))
	want := tree(t, dir)
	_, _, err := apply.Recover(place(dir))
	require.ErrorContains(t, err, "it is a symbolic link")
	require.Equal(t, want, tree(t, dir))
}

// TestAPlantedJournalChangesNoTextThatItDoesNotKnow: digests keep what is not in the repository out of reach.
func TestAPlantedJournalChangesNoTextThatItDoesNotKnow(t *testing.T) {
	for _, state := range []string{"decided", "done"} {
		dir := setUp(t)
		planted(t, dir, state, "out", "a.go", "emitted", "tool: what the attacker knows", "tool: hostile")
		write(t, filepath.Join(dir, "out", ".ahpgen-"+run+"-0"), "tool: hostile")
		_, _, err := apply.Recover(place(dir))
		require.NoError(t, err)
		require.Equal(t, before, tree(t, dir))
	}
}

func TestAJournalCutShortChangesNothing(t *testing.T) {
	dir := setUp(t)
	planted(t, dir, "begun", "out", "a.go", "emitted", "tool: old a", "tool: new a")
	path := filepath.Join(dir, "out", apply.JournalName)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for n := range text {
		write(t, path, string(text[:n]))
		outcome, _, err := apply.Recover(place(dir))
		require.NoError(t, err, "%s", text[:n])
		require.Equal(t, apply.Swept, outcome)
		require.Equal(t, before, tree(t, dir))
	}
}
