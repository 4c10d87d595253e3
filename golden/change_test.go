// Tests of the comparison on real releases.

package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

func analyse(t testing.TB, config generator.Config) *protocol.Protocol {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	p, err := g.Analyze()
	require.NoErrorf(t, err, "%v", diags.Sorted())
	return p
}

// TestOwnSchemasSayWhatTheOfficialOnesSay compares the embedded schemas with the published ones of
// the same version. What differs on purpose is listed with its reason; the list may not hold more
// than that.
func TestOwnSchemasSayWhatTheOfficialOnesSay(t *testing.T) {
	for _, name := range schemas.Protocols() {
		t.Run(name, func(t *testing.T) {
			protocol, version, _ := strings.Cut(name, "@")
			folder := filepath.Join(corpus(t), protocol, version, "schema")
			official := analyse(t, generator.Config{Schemas: folder, Profile: protocol})
			own := analyse(t, generator.Config{Schemas: name})
			require.Equal(t, version, own.Version)
			require.Equal(t, official.Supported, own.Supported)
			data, err := os.ReadFile("accepted-" + protocol + "-" + version + ".json")
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

// groundTruth is one change between two releases as the corpus knows it.
type groundTruth struct {
	ID, Kind, Def, Pointer, Layer string
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

// TestChangesFrom060 holds the comparison of two releases against the ground truth: each change on
// the wire is found, and none that only concerns how the schemas are written.
func TestChangesFrom060(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpus(t), "ahp", "0.7.0", "changes-from-0.6.0.json"))
	require.NoError(t, err)
	var truth struct{ Changes []groundTruth }
	require.NoError(t, json.Unmarshal(data, &truth))
	changes := change.Compare(analyse(t, releaseConfig(t, "0.6.0", "")), analyse(t, releaseConfig(t, "0.7.0", "")))

	// Names that differ between a published schema and what is compared: mixins are flattened into
	// the types that use them, and inlined partial objects have a name.
	stand := map[string]string{
		"SessionMetadata": "SessionSummary", "ToolCallParameterFields": "ToolCallRunningState",
		"SessionChatUpdatedAction.changes": "PartialChatSummary", "SessionSummaryChangedParams.changes": "PartialSessionSummary",
	}
	rules := map[string][]change.Rule{
		"prop-added": {"field-added"}, "prop-removed": {"field-removed"}, "prop-required→optional": {"field-became-optional"},
		"def-added": {"type-added"}, "def-removed": {"type-removed"}, "oneOf-changed": {"variant-added", "variant-removed"},
		"schema-changed": {"type-changed", "type-widened"},
	}
	var wire, artefacts int
	for _, g := range truth.Changes {
		subject := g.subject()
		for from, to := range stand {
			if subject == from || strings.HasPrefix(subject, from+".") {
				subject = to + strings.TrimPrefix(subject, from)
			}
		}
		found := slices.ContainsFunc(changes, func(c change.Change) bool {
			return c.Subject == subject && slices.Contains(rules[g.Kind], c.Rule)
		})
		if g.Layer == "schema-artifact" {
			artefacts++
			under := slices.ContainsFunc(changes, func(c change.Change) bool {
				return c.Subject == subject || strings.HasPrefix(c.Subject, subject+".")
			})
			require.False(t, under, "%s %s is reported though only its representation changed", g.ID, g.Pointer)
			continue
		}
		wire++
		require.True(t, found, "%s %s %s is not found as %s", g.ID, g.Kind, g.Pointer, subject)
	}
	require.Equal(t, 30, artefacts)
	require.Equal(t, 55, wire)
}

// TestARepairedGeneratorIsNoChange compares two points of the history between which the generator of
// the published schemas was repaired: hundreds of places in the files differ. The list holds the
// changes that remain; each was looked up by hand in both schemas and is one of the protocol's.
func TestARepairedGeneratorIsNoChange(t *testing.T) {
	history := func(folder string) *protocol.Protocol {
		return analyse(t, generator.Config{Schemas: filepath.Join(corpus(t), "ahp", "history", folder), Profile: "ahp"})
	}
	var lines strings.Builder
	for _, c := range change.Compare(history("176-0.5.1-a845ffaff"), history("192-0.5.2-d4ba5f052")) {
		lines.WriteString(c.String() + "\n")
	}
	want, err := os.ReadFile("repaired-generator.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), lines.String())
}
