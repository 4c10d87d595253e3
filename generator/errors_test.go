// Tests of what entry points return: errors with what was found, and the same every time.

package generator_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
)

// TestErrorsCarryWhatWasFound, so that a caller needs no list of its own.
func TestErrorsCarryWhatWasFound(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.schema.json"), []byte(`{"$defs": {
		"A": {"$ref": "#/$defs/Nowhere"},
		"B": {"$ref": "#/$defs/Elsewhere"}}}`), 0o644))
	g, err := generator.New(generator.Config{Schemas: dir, Out: filepath.Join(dir, "out")}, nil)
	require.NoError(t, err)
	for range 2 { // a generator does not change: nothing is left over from the first time
		_, err = g.Plan()
		require.ErrorIs(t, err, generator.ErrFindings)
		var found *generator.FindingsError
		require.ErrorAs(t, err, &found)
		require.Len(t, found.Diagnostics(), 2)
		require.Equal(t, diag.Pos{File: filepath.ToSlash(filepath.Join(dir, "a.schema.json")), Line: 2, Col: 17}, found.Diagnostics()[0].Pos)
		require.ErrorContains(t, err, "a.schema.json:2:17: ")
		require.ErrorContains(t, err, " (and 1 more)")
	}
}

// TestAGeneratorMakesTheSameAgain, whatever it was asked for before.
func TestAGeneratorMakesTheSameAgain(t *testing.T) {
	out := filepath.Join(t.TempDir(), "acp")
	g, err := generator.New(generator.Config{Schemas: "acp@1", Out: out}, nil)
	require.NoError(t, err)
	first, err := g.Plan()
	require.NoError(t, err)
	_, err = g.Inspect("SessionUpdate", generator.InspectOptions{Uses: true})
	require.NoError(t, err)
	second, err := g.Plan()
	require.NoError(t, err)
	require.Equal(t, first.Diff(), second.Diff())
}

// TestPagesAreNotWrittenThroughLinks: a folder of pages may come with a repository, and so do links in it.
func TestPagesAreNotWrittenThroughLinks(t *testing.T) {
	site := &generator.Site{Files: []generator.SiteFile{{Name: "index.html", Content: []byte("new")}, {Name: "assets/style.css", Content: []byte("new")}}}
	for _, name := range []string{"assets", "index.html"} {
		dir, elsewhere := t.TempDir(), t.TempDir()
		target := filepath.Join(elsewhere, "old.css")
		require.NoError(t, os.WriteFile(target, []byte("mine"), 0o644))
		if name == "assets" {
			require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "files.json"), []byte(`["assets/old.css"]`), 0o644))
			target = elsewhere
		} else {
			require.NoError(t, os.Mkdir(filepath.Join(dir, "assets"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "assets", "files.json"), []byte(`[]`), 0o644))
		}
		require.NoError(t, os.Symlink(target, filepath.Join(dir, name)))
		require.ErrorContains(t, site.Write(dir), "from where a symbolic link leads out of the folder", name)
		text, err := os.ReadFile(filepath.Join(elsewhere, "old.css"))
		require.NoError(t, err)
		require.Equal(t, "mine", string(text))
	}
}
