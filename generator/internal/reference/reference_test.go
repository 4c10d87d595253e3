// Tests of the pages of a small protocol. Those of AHP are opened in a browser elsewhere.

package reference_test

import (
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/reference"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
)

const notes = `{"x-protocol": {"name": "notes", "title": "Notes", "version": "1.0.0"}, "$defs": {
	"Note": {"description": "A note with <b>text</b>.", "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
	"ReadNoteParams": {"description": "Reads a note.", "x-method": "readNote", "x-side": "host", "x-result": "Note", "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
}}`

func pages(t *testing.T, coverage *reference.Coverage) map[string]string {
	t.Helper()
	var diags diag.List
	set, loaded, err := schema.Load(fstest.MapFS{"notes.schema.json": {Data: []byte(notes)}}, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	pkg, found := golang.Build(p, golang.Options{Package: "notes", Wire: "notes/wire", WireDir: "wire"})
	diags.Add(found...)
	require.NotNil(t, pkg, "%v", diags.Sorted())
	files, err := reference.Pages(reference.Input{Protocol: p, Package: pkg, Coverage: coverage})
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = string(f.Content)
	}
	return out
}

// page returns the one page that has a title.
func page(t *testing.T, all map[string]string, prefix string) string {
	t.Helper()
	for name, text := range all {
		if strings.HasPrefix(name, prefix) {
			return text
		}
	}
	t.Fatalf("no page %s among %v", prefix, slices.Sorted(maps.Keys(all)))
	return ""
}

func TestPages(t *testing.T) {
	all := pages(t, nil)
	require.Contains(t, all["index.html"], "Notes")
	require.Contains(t, page(t, all, "methods/readNote"), "readNote")
	note := page(t, all, "types/Note")
	require.NotContains(t, note, "<b>text</b>", "descriptions are text")
	require.Contains(t, html.UnescapeString(note), "<b>text</b>")
}

// TestLinksLead follows each link between pages.
func TestLinksLead(t *testing.T) {
	all := pages(t, nil)
	links := 0
	for name, text := range all {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		for _, m := range regexp.MustCompile(`href="([^"#:]+)[#"]`).FindAllStringSubmatch(text, -1) {
			links++
			target := strings.TrimPrefix(m[1], "./")
			if dir, _, ok := strings.Cut(name, "/"); ok {
				if rest, up := strings.CutPrefix(m[1], "../"); up {
					target = rest
				} else {
					target = dir + "/" + target
				}
			}
			require.Contains(t, all, target, "%s leads to %s", name, m[1])
		}
	}
	require.Greater(t, links, 10)
}

// TestSearch: types, methods and members can be found.
func TestSearch(t *testing.T) {
	index := pages(t, nil)["assets/search.js"]
	for _, entry := range []string{`"readNote"`, `"Note"`, `"member","id"`} {
		require.Contains(t, index, entry)
	}
}

func TestCoverage(t *testing.T) {
	const name = "coverage.html"
	require.NotContains(t, pages(t, nil), name, "no package is looked at")
	text := pages(t, &reference.Coverage{Folder: "notes", Items: []reference.Covered{
		{Kind: "method", Name: "readNote", Method: "Server.ReadNote", Status: reference.Unfinished, Note: "what is in the way"},
	}})[name]
	require.Contains(t, text, "Server.ReadNote")
	require.Contains(t, text, "what is in the way")
}
