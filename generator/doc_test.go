package generator_test

import (
	"encoding/json"
	"html"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/flags"
	"github.com/ahpgen/ahpgen/schemas"
)

// siteOf makes the pages of a configuration.
func siteOf(t *testing.T, config generator.Config) *generator.Site {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	site, err := g.Doc()
	require.NoError(t, err, "%v", diags.Sorted())
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	return site
}

func filesOf(site *generator.Site) map[string]string {
	out := map[string]string{}
	for _, f := range site.Files {
		out[f.Name] = string(f.Content)
	}
	return out
}

// attributes yields the values of the attributes that end in a name, in order.
func attributes(text, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(text, name+`="`)
			value, after, closed := strings.Cut(rest, `"`)
			if !ok || !closed || !yield(html.UnescapeString(value)) {
				return
			}
			text = after
		}
	}
}

// links yields what the links and scripts of a page lead to.
func links(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range []string{"href", "src"} {
			for value := range attributes(text, name) {
				if !yield(value) {
					return
				}
			}
		}
	}
}

// Heaps may grow before they are collected: little in them lives long.
func init() { debug.SetGCPercent(400) }

// sites are the pages of each embedded protocol, made once for all tests.
var sites = map[string]map[string]string{}

func siteFiles(t *testing.T, schemas string) map[string]string {
	t.Helper()
	if sites[schemas] == nil {
		sites[schemas] = filesOf(siteOf(t, generator.Config{Schemas: schemas}))
	}
	return sites[schemas]
}

// TestEveryLinkLeadsSomewhere follows each link of each page, to a place on a page where it names one: of one protocol,
// and of every version of all if all are asked for.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	names := schemas.Protocols()
	if !flags.All(t) {
		names = []string{"acp@1"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			files := siteFiles(t, name)
			anchors := map[string]map[string]bool{}
			for file, text := range files {
				anchors[file] = map[string]bool{}
				for id := range attributes(text, " id") {
					if anchors[file][id] {
						t.Fatalf("%s has two places %s", file, id)
					}
					anchors[file][id] = true
				}
			}
			followed := 0
			for file, text := range files {
				if !strings.HasSuffix(file, ".html") {
					continue
				}
				for href := range links(text) {
					if href == "data:," || strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "http://") {
						continue
					}
					followed++
					target, place, isPlace := strings.Cut(href, "#")
					to := file
					if target != "" {
						to = path.Join(path.Dir(file), target)
					}
					if anchors[to] == nil || isPlace && !anchors[to][place] {
						t.Fatalf("%s links %s", file, href)
					}
				}
			}
			require.Greater(t, followed, 4000)
			_, index, ok := strings.Cut(files["assets/search.js"], "\nahpgenIndex(") // behind the script of the search
			require.True(t, ok)
			var rows [][]string
			require.NoError(t, json.NewDecoder(strings.NewReader(index)).Decode(&rows))
			require.Greater(t, len(rows), 100)
			for _, row := range rows {
				to, place, isPlace := strings.Cut(row[4], "#")
				if anchors[to] == nil || isPlace && !anchors[to][place] {
					t.Fatalf("the search finds %v", row)
				}
			}
		})
	}
}

func TestPagesShowEverythingThatThereIs(t *testing.T) {
	config := generator.Config{Schemas: schemas.Default()}
	files := siteFiles(t, config.Schemas)
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	p, err := g.Analyze()
	require.NoError(t, err)
	shown := func(kind, name string) string {
		file := kind + "/" + strings.ReplaceAll(name, "/", ".") + ".html"
		require.Contains(t, files, file)
		require.Contains(t, files[file], html.EscapeString(name))
		return files[file]
	}
	for _, c := range p.Channels {
		shown("channels", c.Name)
	}
	for _, a := range p.Actions.Actions {
		text := shown("actions", a.Type)
		require.Contains(t, text, ">On the wire<")
		require.Contains(t, text, "since "+a.Since)
		for _, f := range a.Struct.Fields {
			require.Contains(t, text, `<code class="name">`+f.Name+`</code>`)
		}
	}
	for _, m := range p.Methods {
		shown("methods", m.Name)
	}
	for _, e := range p.Errors {
		shown("errors", e.Name)
	}
	require.NotContains(t, files, "coverage.html", "there is no package")
	if !flags.All(t) {
		return
	}
	again := siteOf(t, config)
	require.Less(t, bytesOf(again), 10_000_000)
	require.Equal(t, files, filesOf(again), "the same every time")
}

func TestPagesListWhatIsNotTheSameForOlderPeers(t *testing.T) {
	flags.SkipUnlessAll(t)
	config := generator.Config{Schemas: schemas.Default(), Speaks: []string{"0.6.0"}}
	files := filesOf(siteOf(t, config))
	text := files["older/0.6.0.html"]
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	reports, err := g.InspectSpeaks("")
	require.NoError(t, err)
	_, rows, _ := strings.Cut(text, "<h1>")
	rows, _, _ = strings.Cut(rows, "</main>")
	require.Equal(t, len(reports[0].Losses), strings.Count(rows, "<tr><td>"), "each has a row, whatever its kind")
	require.Contains(t, text, `<td>snapshot</td><td><a href="../`)
	require.Contains(t, files["index.html"], `href="older/0.6.0.html"`)
}

func TestAFolderHoldsASiteAndNothingOfAnOlderOne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	older := &generator.Site{Files: []generator.SiteFile{{Name: "index.html", Content: []byte("1")}, {Name: "types/Old.html", Content: []byte("1")}}}
	require.NoError(t, older.Write(dir))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("1"), 0o600))
	newer := &generator.Site{Files: []generator.SiteFile{{Name: "index.html", Content: []byte("2")}}}
	require.NoError(t, newer.Write(dir))
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	require.NoError(t, err)
	require.Equal(t, "2", string(text))
	require.NoFileExists(t, filepath.Join(dir, "types", "Old.html"))
	require.FileExists(t, filepath.Join(dir, "mine.txt"), "what is no page stays")

	foreign := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "main.go"), []byte("1"), 0o600))
	var usage *generator.UsageError
	require.ErrorAs(t, newer.Write(foreign), &usage)

	// A list that names other files is not believed.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "assets", "files.json"), []byte(`["../pages.html", "mine.txt", "index.html"]`), 0o600))
	outside := filepath.Join(filepath.Dir(dir), "pages.html")
	require.NoError(t, os.WriteFile(outside, []byte("1"), 0o600))
	require.NoError(t, (&generator.Site{Files: []generator.SiteFile{{Name: "other.html", Content: []byte("2")}}}).Write(dir))
	require.FileExists(t, outside)
	require.FileExists(t, filepath.Join(dir, "mine.txt"))
	require.NoFileExists(t, filepath.Join(dir, "index.html"))
}

// TestHostileNamesAreFilesAndText gives things names that are paths, markup, or alike.
func TestHostileNamesAreFilesAndText(t *testing.T) {
	dir := t.TempDir()
	tags := []string{"c/../../../etc/passwd", "c/<script>alert(1)</script>", "c/" + strings.Repeat("long", 200), "c/con", "c/\u202eabc", "c/a b", "c/é", "c/.", "c/index"}
	defs, variants := map[string]any{}, []any{}
	for i, tag := range tags {
		name := "A" + string(rune('A'+i))
		defs[name] = map[string]any{"type": "object", "x-since": "1.0", "description": tag, "properties": map[string]any{"type": map[string]any{"const": tag}}, "required": []any{"type"}}
		variants = append(variants, map[string]any{"$ref": "#/$defs/" + name})
	}
	defs["Index"] = map[string]any{"type": "object", "properties": map[string]any{"members": map[string]any{"type": "string"}, "uses": map[string]any{"type": "string"}}}
	defs["State"] = map[string]any{"type": "object", "x-channel": map[string]any{"name": "c", "uri": "javascript:alert(1)", "prefix": "c/"}, "properties": map[string]any{}}
	defs["Action"] = map[string]any{"x-actions": map[string]any{}, "oneOf": variants}
	data, err := json.Marshal(map[string]any{"$defs": defs, "x-protocol": map[string]any{"name": "p", "title": "</title><script>", "version": "1.0"}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.schema.json"), data, 0o600))
	files := filesOf(siteOf(t, generator.Config{Schemas: dir}))
	lower := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.True(t, filepath.IsLocal(filepath.FromSlash(name)), name)
		require.Regexp(t, `^[A-Za-z0-9._~/-]+$`, name)
		require.Less(t, len(path.Base(name)), 130)
		require.False(t, lower[strings.ToLower(name)], "%s is one file with another on some disks", name)
		lower[strings.ToLower(name)] = true
		if strings.HasSuffix(name, ".html") {
			require.Equal(t, 1, strings.Count(files[name], "<script"), name)
			require.NotContains(t, files[name], `="javascript:`)
			require.False(t, strings.ContainsRune(files[name], '\u202e'), name)
		}
	}
	require.Equal(t, len(tags), strings.Count(strings.Join(slices.Collect(maps.Keys(files)), "\n"), "actions/")-1)
}

// BenchmarkDoc makes all pages of the default schemas, reading of the schemas included.
func BenchmarkDoc(b *testing.B) {
	for b.Loop() {
		var diags diag.List
		g, err := generator.New(generator.Config{}, &diags)
		require.NoError(b, err)
		site, err := g.Doc()
		require.NoError(b, err)
		b.ReportMetric(float64(bytesOf(site))/1e6, "MB/site")
	}
}

// bytesOf returns how large a site is.
func bytesOf(site *generator.Site) (n int) {
	for _, f := range site.Files {
		n += len(f.Content)
	}
	return n
}

// TestPagesNameWhatFinishedReducersTouch follows the members that the reducer of an action writes and reads to their types.
func TestPagesNameWhatFinishedReducersTouch(t *testing.T) {
	files := siteFiles(t, schemas.Default())
	_, section, ok := strings.Cut(files["actions/chat.truncated.html"], "Members that it writes")
	require.True(t, ok)
	writes, rest, ok := strings.Cut(section, "Members that it reads")
	require.True(t, ok)
	reads, _, _ := strings.Cut(rest, "</details>")
	for _, member := range []string{"turns", "turnsNextCursor", "activeTurn"} {
		require.Contains(t, writes, `href="../types/ChatState.html#.`+member+`"`)
		require.Contains(t, files["types/ChatState.html"], `id=".`+member+`"`)
	}
	require.NotContains(t, writes, "types/Turn.html")
	require.Contains(t, reads, `href="../types/Turn.html#.id"`)
	require.NotContains(t, reads, "turnsNextCursor")
	require.NotContains(t, files["actions/session.titleChanged.html"], "Members that it writes", "its effects are stated")
}

// TestPagesShowWhatExamplesChange reads what the examples of a stated effect and of a finished reducer do.
func TestPagesShowWhatExamplesChange(t *testing.T) {
	files := siteFiles(t, schemas.Default())
	for name, want := range map[string]string{
		"actions/session.creationFailed.html": `<dt><code>lifecycle</code></dt>`, "actions/terminal.exited.html": `<dt><code>lifecycle`,
		"actions/chat.isReadChanged.html": `<dt><code>status</code></dt>`,
	} {
		_, section, ok := strings.Cut(files[name], "A state that the example changes")
		require.True(t, ok, name)
		section, _, _ = strings.Cut(section, "</details>")
		require.Contains(t, section, want, name)
	}
	shown := 0
	for name, text := range files {
		if strings.HasPrefix(name, "actions/") && strings.Contains(text, "A state that the example changes") {
			shown++
		}
	}
	require.Greater(t, shown, 70)
}
