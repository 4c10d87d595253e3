// Tests of errors and hints: following a hint has to resolve the error.

package cli

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// mistake is one case: what is done to a protocol without mistakes, what lint says then, and the changes that follow the
// hint, one for each remedy that it proposes.
type mistake struct {
	name, make, says string
	fixes            []string
}

// TestErrorsNameOneRemedyThatWorks makes each mistake of mistakes/ in a protocol without any. Lint has to
// say one thing about it, with a position and a hint, and nothing once the hint is followed. Unless all are asked for, it is a third of
// them.
func TestErrorsNameOneRemedyThatWorks(t *testing.T) {
	files, err := filepath.Glob("../mistakes/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		base, cases := readMistakes(t, archive)
		said := map[string]string{}
		for i, m := range cases {
			if i%3 > 0 && !flags.All(t) && !*kit.Update {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+m.name, func(t *testing.T) {
				require.NotEmpty(t, m.fixes, "nothing follows the hint")
				for _, fix := range m.fixes {
					w := &workshop{dir: t.TempDir()}
					for name, data := range base {
						kit.WriteFile(t, filepath.Join(w.dir, name), data)
					}
					t.Chdir(w.dir)
					require.Equal(t, "no findings\n", w.lint(t), "before the mistake is made")
					w.edit(t, m.make)
					said[m.name] = w.lint(t)
					if !*kit.Update {
						require.Equal(t, m.says, said[m.name])
					}
					requireOneRemedy(t, said[m.name])
					w.edit(t, fix)
					require.Equal(t, "no findings\n", w.lint(t), "after following the hint:\n%s", said[m.name])
				}
			})
		}
		if *kit.Update {
			for i, f := range archive.Files {
				if name, ok := strings.CutSuffix(f.Name, "/says"); ok && said[name] != "" {
					archive.Files[i].Data = []byte(said[name])
				}
			}
			require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
		}
	}
}

// readMistakes returns the files of the protocol, and the cases in order.
func readMistakes(t *testing.T, archive *txtar.Archive) (base map[string]string, cases []*mistake) {
	base = map[string]string{}
	byName := map[string]*mistake{}
	for _, f := range archive.Files {
		name, part, _ := strings.Cut(f.Name, "/")
		if name == "base" {
			base[part] = string(f.Data)
			continue
		}
		m := byName[name]
		if m == nil {
			m = &mistake{name: name}
			byName[name] = m
			cases = append(cases, m)
		}
		switch part {
		case "":
			m.make = string(f.Data)
		case "says":
			m.says = string(f.Data)
		case "fix", "or":
			m.fixes = append(m.fixes, string(f.Data))
		default:
			t.Fatalf("%s is neither a mistake nor what lint says of it nor its fix", f.Name)
		}
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(base)), func(name string) bool { return strings.HasPrefix(name, "schema/") }) {
		example, err := filepath.Glob(kit.ExampleProtocol + "/*.schema.json")
		require.NoError(t, err)
		require.NotEmpty(t, example)
		for _, file := range example {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			base["schema/"+filepath.Base(file)] = string(data)
		}
	}
	return base, cases
}

// workshop is a folder in which mistakes are made and mended.
type workshop struct {
	dir  string
	args []string // of lint, where they are not the usual ones
	file string   // that edits are about
}

// lint returns what lint prints, without the count at the end.
func (w *workshop) lint(t *testing.T) string {
	t.Helper()
	args := w.args
	if args == nil {
		args = []string{"--schemas", "schema"}
		if _, err := os.Stat("profile.json"); err == nil {
			args = append(args, "--profile", "./profile.json")
		}
		if _, err := os.Stat("ahpgen.json"); err == nil {
			args = nil
		}
	}
	var out bytes.Buffer
	code := cli.Run(append([]string{"lint"}, args...), &out, &out)
	text := counted.ReplaceAllString(out.String(), "")
	require.Equal(t, text == "no findings\n", code == 0, "exit code %d: %s", code, text)
	return text
}

var counted = regexp.MustCompile(`(?m)^ahpgen: (1 error|0 errors) and (1 warning|0 warnings)(; nothing was written)?\n`)

var (
	messageForm  = regexp.MustCompile(`^[^: ]+(:\d+:\d+)?: (warning: )?\S`)
	positionForm = regexp.MustCompile(`^[^: ]+:\d+:\d+: `)
)

// requireOneRemedy wants one message with a hint. It has a line and a column unless it is about a file or
// folder as a whole.
func requireOneRemedy(t *testing.T, text string) {
	t.Helper()
	var messages, hints []string
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "    hint: "):
			hints = append(hints, strings.TrimPrefix(line, "    hint: "))
		case strings.HasPrefix(line, "     "):
		default:
			messages = append(messages, line)
		}
	}
	require.Len(t, messages, 1, "one mistake, one message:\n%s", text)
	require.Len(t, hints, 1, "one message, one hint:\n%s", text)
	require.Regexp(t, messageForm, messages[0])
	if !strings.Contains(messages[0], "file") && !strings.Contains(messages[0], "folder") {
		require.Regexp(t, positionForm, messages[0])
	}
	for _, part := range append(messages, hints...) {
		require.False(t, strings.HasSuffix(part, "."), "a full stop ends %q", part)
	}
}

// edit changes files: "@ FILE" says which, lines after "- " are replaced by those after "+ " that follow,
// and there are "write FILE "text"", "remove FILE", "folder FILE" and "lint ARGUMENTS".
func (w *workshop) edit(t *testing.T, script string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(script, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		verb, rest, _ := strings.Cut(lines[i], " ")
		switch verb {
		case "@":
			w.file = rest
		case "-", "+":
			var from, to []string
			for ; i < len(lines) && strings.HasPrefix(lines[i], "-"); i++ {
				from = append(from, strings.TrimPrefix(lines[i][1:], " "))
			}
			for ; i < len(lines) && strings.HasPrefix(lines[i], "+"); i++ {
				to = append(to, strings.TrimPrefix(lines[i][1:], " "))
			}
			i--
			w.replace(t, strings.Join(from, "\n"), strings.Join(to, "\n"))
		case "write":
			name, quoted, _ := strings.Cut(rest, " ")
			text, err := strconv.Unquote(quoted)
			require.NoError(t, err, lines[i])
			kit.WriteFile(t, filepath.Join(w.dir, name), text)
		case "remove":
			require.NoError(t, os.RemoveAll(filepath.Join(w.dir, rest)))
		case "folder":
			require.NoError(t, os.MkdirAll(filepath.Join(w.dir, rest), 0o755))
		case "lint":
			w.args = strings.Fields(rest)
		default:
			t.Fatalf("not an edit: %q", lines[i])
		}
	}
}

func (w *workshop) replace(t *testing.T, from, to string) {
	t.Helper()
	path := filepath.Join(w.dir, w.file)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(data), from), "%s does not have this just once: %s", w.file, from)
	kit.WriteFile(t, path, strings.Replace(string(data), from, to, 1))
}
