// Tests of the comparison on real releases.

package diff

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/cli"
	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/report"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
)

// TestOwnSchemasSayWhatTheOfficialOnesSay compares the embedded schemas with the published ones of
// the same version. What differs on purpose is listed with its reason; the list may not hold more
// than that.
func TestOwnSchemasSayWhatTheOfficialOnesSay(t *testing.T) {
	for _, name := range schemas.Protocols() {
		t.Run(name, func(t *testing.T) {
			protocol, version, _ := strings.Cut(name, "@")
			folder := filepath.Join(kit.Corpus(t), protocol, version, "schema")
			if other := filepath.Join(kit.Corpus(t), protocol, "v"+version); present(other) {
				folder = other // as the publisher calls it
			}
			if present(filepath.Join(kit.Corpus(t), protocol, version, "schema.ts")) {
				t.Skip("the published schemas lack much of their own source, with which the tests of peers compare")
			}
			if _, err := os.Stat(folder); err != nil {
				if version == "0.8.0" {
					t.Skip("nobody kept its files; golden/corpus compares with what is known of when it changed")
				}
				require.FileExists(t, filepath.Join(filepath.Dir(folder), "structure.json"))
				t.Skip("of this version there is nothing but its structure, with which the tests of the schemas compare")
			}
			official := kit.Analyse(t, generator.Config{Schemas: folder, Profile: protocol})
			own := kit.Analyse(t, generator.Config{Schemas: name})
			require.Equal(t, version, own.Version)
			require.Equal(t, official.Supported, own.Supported)
			data, err := os.ReadFile("testdata/accepted-" + protocol + "-" + version + ".json")
			require.NoError(t, err)
			var accepted []struct{ Change, Why string }
			require.NoError(t, json.Unmarshal(data, &accepted))
			got, want := []string{}, []string{}
			for _, c := range change.Compare(official, own) {
				got = append(got, c.String())
			}
			for _, a := range accepted {
				require.NotEmpty(t, a.Why, a.Change)
				want = append(want, a.Change)
			}
			require.ElementsMatch(t, want, got)
		})
	}
}

func present(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// groundTruth is one change between two releases as the corpus knows it.
type groundTruth struct {
	ID, Kind, Def, Pointer, Layer, Breaking string
}

// subject is how our comparison calls the place: Definition.member.member, tags and keywords left out.
func (g groundTruth) subject() string {
	parts := strings.Split(strings.TrimPrefix(g.Pointer, "/$defs/"), "/")
	out := parts[0]
	for i := 1; i+1 < len(parts); i += 2 {
		if parts[i] != "properties" {
			break
		}
		out += "." + parts[i+1]
	}
	return out
}

// wantedVerdict is what the ground truth's own words call for: the worst verdict over both sides, and
// what happens in Go. The words before a colon or a bracket classify; the rest explains.
func (g groundTruth) wantedVerdict(t *testing.T) (wire verdict.Verdict, goAPI verdict.GoEffect) {
	t.Helper()
	class, _, _ := strings.Cut(g.Breaking, ":")
	class, _, _ = strings.Cut(class, " (")
	switch class {
	case "none":
		return verdict.Fine, verdict.GoAdditive // a definition that came
	case "additive":
		return verdict.Tolerated, verdict.GoAdditive
	case "additive for open unions; breaking for closed decoders": // all unions at hand are open
		return verdict.Tolerated, verdict.GoAdditive
	case "breaking for readers", "breaking for readers, additive for writers", "breaking for writers":
		return verdict.Breaks, verdict.GoBreak
	case "breaking":
		switch {
		case strings.Contains(g.Breaking, "variant removed"):
			return verdict.Breaks, verdict.GoBreak
		case strings.Contains(g.Breaking, "silent"), strings.Contains(g.Breaking, "type gone"):
			// Messages stay valid; only programs notice.
			return verdict.Fine, verdict.GoBreak
		}
	}
	t.Fatalf("%s: no verdict is known for %q", g.ID, g.Breaking)
	return 0, 0
}

// TestChangesFrom060 holds the comparison of two releases against the ground truth: each change on
// the wire is found with the verdict that the ground truth's classification calls for, and none
// that only concerns how the schemas are written.
func TestChangesFrom060(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(kit.Corpus(t), "ahp", "0.7.0", "changes-from-0.6.0.json"))
	require.NoError(t, err)
	var truth struct{ Changes []groundTruth }
	require.NoError(t, json.Unmarshal(data, &truth))
	findings := compareReleases(t, "0.6.0", "0.7.0").Findings

	// Names that differ between a published schema and what is compared: mixins are flattened into
	// the types that use them, and inlined partial objects have a name.
	stand := map[string]string{
		"SessionMetadata": "SessionSummary", "ToolCallParameterFields": "ToolCallRunningState",
		"SessionChatUpdatedAction.changes": "PartialChatSummary", "SessionSummaryChangedParams.changes": "PartialSessionSummary",
	}
	rules := map[string][]change.Rule{
		"prop-added": {change.FieldAdded}, "prop-removed": {change.FieldRemoved}, "prop-required→optional": {change.FieldBecameOptional},
		"def-added": {change.TypeAdded}, "def-removed": {change.TypeRemoved}, "oneOf-changed": {change.VariantAdded, change.VariantRemoved},
		"schema-changed": {change.TypeChanged, change.TypeWidened, change.TypeNarrowed},
	}
	// Members that hold lists in objects of plain values: additive on the wire, but the objects no
	// longer compare with == in Go.
	incomparable := []string{"ChatSummary.workingDirectories", "PartialChatSummary.workingDirectories", "CreateChatParams.workingDirectories"}
	var wire, artefacts int
	for _, g := range truth.Changes {
		subject := g.subject()
		for from, to := range stand {
			if subject == from || strings.HasPrefix(subject, from+".") {
				subject = to + strings.TrimPrefix(subject, from)
			}
		}
		if g.Layer == "schema-artifact" {
			artefacts++
			under := slices.ContainsFunc(findings, func(f verdict.Finding) bool {
				return f.Subject == subject || strings.HasPrefix(f.Subject, subject+".")
			})
			require.False(t, under, "%s %s is reported though only its representation changed", g.ID, g.Pointer)
			continue
		}
		wire++
		wanted, goAPI := g.wantedVerdict(t)
		if slices.Contains(incomparable, subject) {
			goAPI = verdict.GoBreak
		}
		found := 0
		for _, f := range findings {
			if f.Subject != subject || !slices.Contains(rules[g.Kind], f.Change.Rule) {
				continue
			}
			found++
			require.Equal(t, wanted, f.Side(protocol.FromBoth), "%s %s: %s, classified as %s", g.ID, f, f.Why(protocol.FromBoth), g.Breaking)
			require.Equal(t, goAPI, f.Go, "%s %s: %s", g.ID, f, f.Todo)
		}
		require.NotZero(t, found, "%s %s %s is not found as %s", g.ID, g.Kind, g.Pointer, subject)
	}
	require.Equal(t, 30, artefacts)
	require.Equal(t, 55, wire)
	var renamed []string
	for _, f := range findings {
		if f.Change.Rule == change.RenameCandidate {
			renamed = append(renamed, f.Change.String())
		}
	}
	require.Contains(t, renamed, "rename-candidate: types: ChatForkSource → ForkChatSource")
}

func compareReleases(t testing.TB, from, to string) *report.Diff {
	t.Helper()
	folder := func(release string) string { return filepath.Join(kit.Corpus(t), "ahp", release, "schema") }
	return compareFolders(t, folder(from), folder(to))
}

func compareFolders(t testing.TB, from, to string) *report.Diff {
	t.Helper()
	var diags diag.List
	d, err := generator.Compare(from, to, generator.DiffOptions{Profile: "ahp"}, &diags)
	require.NoErrorf(t, err, "%v", diags.Sorted())
	return d
}

// TestARepairedGeneratorIsNoChange compares two points of the history between which the generator of
// the published schemas was repaired: hundreds of places in the files differ. The list holds the
// changes that remain; each was looked up by hand in both schemas and is one of the protocol's. Of lifecycles, each point
// lacks those with actions that came later in the version that it bears.
func TestARepairedGeneratorIsNoChange(t *testing.T) {
	history := func(folder string) *protocol.Protocol {
		return kit.Analyse(t, generator.Config{Schemas: filepath.Join(kit.Corpus(t), "ahp", "history", folder), Profile: "ahp"})
	}
	var lines strings.Builder
	for _, c := range change.Compare(history("176-0.5.1-a845ffaff"), history("192-0.5.2-d4ba5f052")) {
		lines.WriteString(c.String() + "\n")
	}
	want, err := os.ReadFile("testdata/repaired-generator.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), lines.String())
}

// TestGoVerdictsAreNotTooMild generates each two consecutive releases of every protocol, compares them both ways with
// apidiff, and wants every incompatible change to follow from a finding that is called a source break.
func TestGoVerdictsAreNotTooMild(t *testing.T) {
	root := kit.Corpus(t)
	for _, row := range []struct {
		profile  string
		releases []string
	}{
		{"ahp", ahpFolders()},
		{"ahp", []string{"ahp@0.7.0", "ahp@1.0.0", "ahp@0.4.0"}},
		{"acp", []string{"acp/v1", "acp/v1-unstable", "acp/v2", "acp/v1"}},
		{"mcp", []string{"mcp/2024-11-05", "mcp/2025-03-26", "mcp/2025-06-18", "mcp/2025-11-25", "mcp/2026-07-28"}},
	} {
		for i, now := range row.releases[1:] {
			for _, way := range [][2]string{{row.releases[i], now}, {now, row.releases[i]}} {
				t.Run(way[0]+" to "+way[1], func(t *testing.T) { requireConfirmed(t, row.profile, within(root, way[0]), within(root, way[1])) })
			}
		}
	}
}

// ahpFolders are the folders of the releases of AHP as published.
func ahpFolders() []string {
	var out []string
	for _, release := range kit.Releases {
		out = append(out, "ahp/"+release+"/schema")
	}
	return out
}

// within is a folder of the corpus, or schemas that are embedded.
func within(root, name string) string {
	if strings.Contains(name, "@") {
		return name
	}
	return filepath.Join(root, filepath.FromSlash(name))
}

// BenchmarkDiff reads, analyses and compares two full releases, Go declarations included.
func BenchmarkDiff(b *testing.B) {
	compareReleases(b, "0.6.0", "0.7.0")
	b.ReportAllocs()
	for b.Loop() {
		compareReleases(b, "0.6.0", "0.7.0")
	}
}

// TestEmbeddedVersionsCompared: what a newcomer sees who compares the embedded versions.
func TestEmbeddedVersionsCompared(t *testing.T) {
	for _, versions := range [][2]string{{"0.4.0", "0.7.0"}, {"0.7.0", "1.0.0"}, {"0.4.0", "1.0.0"}} {
		file := "testdata/diff-" + versions[0] + "-" + versions[1] + ".txt"
		t.Run(file, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, 1, cli.Run([]string{"diff", versions[0], versions[1]}, &stdout, &stderr), stderr.String())
			if *kit.Update {
				require.NoError(t, os.WriteFile(file, stdout.Bytes(), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			c := kit.Causes.For(t)
			c.Same(file, string(want), stdout.String())
			c.End()
		})
	}
}
