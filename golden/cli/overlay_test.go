// Tests of the overlay that lint drafts, on every folder of AHP schemas in the corpus.

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// repair is an entry of an overlay, as far as a draft has it.
type repair struct {
	Definition  string             `json:"definition"`
	At          string             `json:"at,omitempty"`
	Versions    string             `json:"versions,omitempty"`
	Why         string             `json:"why"`
	Define      json.RawMessage    `json:"define,omitempty"`
	Enumeration map[string]*string `json:"enumeration,omitempty"`
	Remove      json.RawMessage    `json:"remove,omitempty"`
}

// draftOverlay runs lint on a folder of the corpus and returns the draft with the findings.
func draftOverlay(t *testing.T, folder, profile string) ([]repair, *diag.List) {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: folder, Profile: profile}, &diags)
	require.NoError(t, err)
	text, err := g.Overlay()
	if diags.HasErrors() {
		require.ErrorIs(t, err, generator.ErrFindings)
	} else {
		require.NoError(t, err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var d struct {
		Extends string
		Overlay []repair
	}
	require.NoError(t, dec.Decode(&d), "%s", text)
	require.Equal(t, profile, d.Extends)
	return d.Overlay, &diags
}

// dangling lists the findings about references that lead nowhere.
func dangling(diags *diag.List) (out []diag.Diagnostic) {
	for _, d := range diags.Sorted() {
		if d.Code == "dangling-reference" {
			out = append(out, d)
		}
	}
	return out
}

// TestOverlayNamesEveryDanglingReference compares the findings in every folder with the draft, then
// fills the draft in with whatever fits and wants no such finding to be left.
func TestOverlayNamesEveryDanglingReference(t *testing.T) {
	root := kit.Corpus(t)
	var folders []string
	for _, pattern := range []string{"ahp/*/schema", "ahp/history/*"} {
		matches, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		folders = append(folders, matches...)
	}
	lacking := 0
	for _, folder := range folders {
		overlay, diags := draftOverlay(t, folder, "ahp")
		findings := dangling(diags)
		require.Equal(t, len(findings) == 0, len(overlay) == 0, folder)
		if len(findings) == 0 {
			continue
		}
		lacking++
		t.Logf("%s: %d references, %d entries", filepath.Base(folder), len(findings), len(overlay))
		requireEachOnce(t, folder, findings, overlay)
		require.Empty(t, dangling(filledIn(t, folder, overlay)), folder)
	}
	require.GreaterOrEqual(t, lacking, 5, "the history has schemas that lack definitions")
}

// requireEachOnce wants every finding's place in one entry, under the name that is missing.
func requireEachOnce(t *testing.T, folder string, findings []diag.Diagnostic, overlay []repair) {
	t.Helper()
	places := map[string]repair{}
	for _, r := range overlay {
		_, list, ok := strings.Cut(r.Why, ": ")
		require.True(t, ok, r.Why)
		for _, place := range strings.Split(strings.TrimSuffix(list, "."), ", ") {
			require.NotContains(t, places, place, "%s: twice in the overlay", folder)
			places[place] = r
		}
	}
	for _, d := range findings {
		d.Pos.File = strings.TrimPrefix(d.Pos.File, filepath.ToSlash(folder)+"/")
		r, ok := places[d.Pos.String()]
		require.True(t, ok, "%s: not in the overlay: %s", folder, d)
		delete(places, d.Pos.String())
		names := []string{r.Definition}
		for member := range r.Enumeration {
			names = append(names, r.Definition+"."+member)
		}
		if r.Remove != nil {
			names = []string{""}
		}
		_, missing, ok := strings.Cut(d.Message, " defines no ")
		require.True(t, ok, d.Message)
		quoted := make([]string, len(names))
		for i, name := range names {
			quoted[i] = fmt.Sprintf("%q", name)
		}
		require.Contains(t, quoted, missing, "%s: %s", folder, d)
	}
	require.Empty(t, places, "%s: nothing dangles there", folder)
}

// filledIn adds the entries to the profile with their gaps filled in, and returns what lint finds then.
func filledIn(t *testing.T, folder string, overlay []repair) *diag.List {
	t.Helper()
	data, _, err := schemas.Profile("ahp")
	require.NoError(t, err)
	var profile map[string]any
	require.NoError(t, json.Unmarshal(data, &profile))
	entries := profile["overlay"].([]any)
	for _, r := range overlay {
		if r.Define != nil {
			require.JSONEq(t, "{}", string(r.Define), "nothing is guessed")
			r.Define = json.RawMessage(`{"type": "string"}`)
		}
		for member, value := range r.Enumeration {
			require.Nil(t, value, "nothing is guessed")
			made := "made up/" + member
			r.Enumeration[member] = &made
		}
		entries = append(entries, r)
	}
	profile["overlay"] = entries
	data, err = json.MarshalIndent(profile, "", "  ")
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "profile.json")
	require.NoError(t, os.WriteFile(name, data, 0o644))
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: folder, Profile: name}, &diags)
	require.NoError(t, err)
	if err := g.Lint(); err != nil {
		require.ErrorIs(t, err, generator.ErrFindings)
	}
	return &diags
}
