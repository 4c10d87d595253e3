// Test of a protocol that has other words for everything, in every stage and command. What decides in Go code by a word of
// the protocol that ahpgen was first made for shows here.

package run

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// otherWords are what the protocol of the test has other words for.
var otherWords = regexp.MustCompile(`(?i).{0,20}(?:host|ahp|chat|\b(?:an?|the|no|its|every) client\b|\bclients\b).{0,20}`)

// sameWords are where they stand all the same: what is cut out of outputs of a name before the words are looked for.
var sameWords = []struct{ in, cut, why string }{
	{`.`, `ahpgen[\w./-]*`, "the tool's name, with its files and its module"},
	{`^help`, `(\./|-C )ahp\b|--(schemas|profile) ahp\b|ahp@[\d.]+|\(default: ahp\)|chat/delta|\.\./agent-host-protocol/\S+`, "examples with the protocol that comes with ahpgen"},
	{`^help`, `side to judge for: client, host or both|--as host\b|names a host,`, "the part of a side in every protocol, and the host of an address"},
	{`\.html$`, `(?s)<style>.*?</style>|<script[^>]*>.*?</script>| (class|id|data-\w+)="[^"]*"|href="[^"]*#[^"]*"`, "classes and anchors, which nobody reads"},
	{`\.css$`, `--host[\w-]*|\.host\b`, "classes"},
	{`diff-json\.json$`, `"host":|"(from|to)": "host"|"skew": "(new|old) client, (new|old) host"`, "the part of a side in the format; what the protocol calls it stands beside it"},
	{`ahpgen-schema\.json$`, `"host"|\\?"ahp\\?"|\\"(client|host|connection|server)\\" [^;]*`, "options, and the name of a profile that comes with ahpgen"},
	{`search\.js$`, `(?s)\n\], \[\[.*`, "words that people type, whatever the protocol calls things"},
	{`ahpgen(\.lock)?\.json$`, `"host"|"hostSkeleton"`, "an option"},
	{`server_gen\.go$`, `\bhosting\b`, "a function that nobody sees"},
}

// harbour is the module of a user who follows the protocol.
type harbour struct {
	t    *testing.T
	dir  string
	says map[string]string // all that was printed, by what was asked for
}

// ask runs a command in the module, wants its exit code, and keeps what it prints.
func (h *harbour) ask(name string, code int, args ...string) string {
	h.t.Helper()
	var stdout, stderr bytes.Buffer
	got := cli.Run(append([]string{"-C", h.dir}, args...), &stdout, &stderr)
	require.Equal(h.t, code, got, "%s: %s%s", args, stdout.String(), stderr.String())
	h.says[name] = stdout.String() + stderr.String()
	return h.says[name]
}

// edit changes a file, in which the old text has to be.
func (h *harbour) edit(name, old, new string) {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	require.NoError(h.t, err)
	require.Contains(h.t, string(data), old)
	kit.WriteFile(h.t, filepath.Join(h.dir, name), strings.Replace(string(data), old, new, 1))
}

func (h *harbour) read(name string) string {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	require.NoError(h.t, err)
	return string(data)
}

func TestAProtocolWithOtherWordsForEverything(t *testing.T) {
	kit.Long(t)
	h := &harbour{t, kit.Place(t), map[string]string{}}
	require.NoError(t, os.CopyFS(h.dir, os.DirFS("testdata/words")))
	kit.WriteFile(t, filepath.Join(h.dir, "go.mod"), "module example.com/harbour\n\ngo 1.24\n")
	require.NoError(t, os.CopyFS(filepath.Join(h.dir, "schema"), os.DirFS("testdata/words/first")))

	h.start()
	h.look()
	h.compare()
	h.follow()
	h.emitted()

	used := map[string]bool{}
	for name, text := range h.says {
		for _, e := range sameWords {
			if !regexp.MustCompile(e.in).MatchString(name) {
				continue
			}
			left := regexp.MustCompile(e.cut).ReplaceAllString(text, "…")
			used[e.why] = used[e.why] || left != text
			text = left
		}
		for _, found := range otherWords.FindAllString(text, -1) {
			t.Errorf("%s has a word that the protocol does not have: %s", name, found)
		}
	}
	for _, e := range sameWords {
		require.True(t, used[e.why], "no exception is needed for %s", e.why)
	}
}

// start sets a package up, with a reducer written by hand, and beside it one with a skeleton.
func (h *harbour) start() {
	t := h.t
	for _, version := range []string{"first", "second"} {
		require.Equal(t, "no findings\n", h.ask("lint-"+version, 0, "lint", "--schemas", version))
	}
	h.ask("init", 0, "init", "gauges", "--schemas", "schema")
	require.Contains(t, h.ask("generate", 0, "generate", "gauges"), "added 1 stub for you to write: measured")
	require.Contains(t, h.ask("check-unfinished", 1, "check", "gauges"), "Reducer.measured is unfinished")
	h.says["stub.go"] = h.read("gauges/reducers_gauge.go")
	h.edit("gauges/reducers_gauge.go", "\t// TODO(ahpgen): return a changed copy, or s where nothing changes.\n\treturn s\n}\n",
		"\tnext := *s\n\tnext.Levels = append(next.Levels[:len(next.Levels):len(next.Levels)], a.Level)\n\tnext.Peak = higher(s.Peak, a.Level)\n\treturn &next\n}\n"+h.read("reducer.go.txt"))
	h.ask("check", 0, "check", "gauges")
	kit.WriteFile(t, filepath.Join(h.dir, "stubs", "ahpgen.json"),
		`{"schemas": "../schema", "out": ".", "package": "stubs", "runtime": "../wire", "reducers": {"omit": true}, "host": {"skeleton": true}}`)
	require.Contains(t, h.ask("generate-skeleton", 0, "generate", "stubs"), "stubs/station_server.go: added 6 stubs for you to write: Order, Hail")
}

// look asks for all that shows the protocol.
func (h *harbour) look() {
	h.ask("inspect", 0, "inspect", "--schemas", "schema")
	h.ask("inspect.json", 0, "inspect", "--schemas", "schema", "--json")
	for _, name := range []string{"gauge", "gauge:dived", "sound", "Diver", "Shift"} {
		h.ask("inspect-"+name, 0, "inspect", "--schemas", "schema", name)
	}
	require.Contains(h.t, h.says["inspect-Diver"], "gauge:dived")
	h.ask("doc", 0, "doc", "--schemas", "second", "--out", "pages")
	for _, c := range []string{"bump", "check", "diff", "doc", "generate", "inspect", "lint", "version", "rules"} {
		h.ask("help-"+c, 0, "help", c)
	}
}

// compare asks for the differences, in every form.
func (h *harbour) compare() {
	for _, form := range []string{"text", "markdown", "json", "html", "github"} {
		h.ask("diff-"+form+"."+form, 1, "diff", "first", "second", "--format", form)
	}
	h.ask("diff-back", 1, "diff", "second", "first")
	require.Contains(h.t, h.says["diff-text.text"], "0 changes break a console, 0 a station")
	require.Contains(h.t, h.says["diff-back"], "break a console")
}

// follow goes to the second version, and keeps what was written by hand.
func (h *harbour) follow() {
	t := h.t
	require.Contains(t, h.ask("bump", 0, "bump", "gauges", "--to", "second", "--force"), "1 stub is new")
	h.ask("bump-skeleton", 0, "generate", "stubs")
	require.Contains(t, h.says["bump-skeleton"], "Forecast")
	reducers := h.read("gauges/reducers_gauge.go")
	require.Contains(t, reducers, "next.Peak = higher(s.Peak, a.Level)")
	require.Contains(t, reducers, "func (r *Reducer) dredged(s *Gauge, a *Dredged) *Gauge {")
	h.edit("gauges/reducers_gauge.go", "\t// TODO(ahpgen): return a changed copy, or s where nothing changes.\n\treturn s\n",
		"\tnext := *s\n\tnext.Datum = &a.Datum\n\treturn &next\n")
	h.ask("check-second", 0, "check", "gauges")
	kit.WriteFile(t, filepath.Join(h.dir, "harbour_test.go"), h.read("program.go.txt"))
	kit.Emitted(t, h.dir, "vet", "./...")
	kit.TestEmitted(t, h.dir, "-count=1", ".")
}

// emitted keeps what was written, but for the runtime, which is the same for every protocol.
func (h *harbour) emitted() {
	for _, dir := range []string{"gauges", "stubs", "pages"} {
		err := fs.WalkDir(os.DirFS(h.dir), dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "wire":
				return fs.SkipDir
			case !d.IsDir():
				h.says[name] = h.read(name)
			}
			return nil
		})
		require.NoError(h.t, err)
	}
}
