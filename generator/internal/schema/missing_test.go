// Tests of the list of references to definitions that no file has.

package schema_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// missing lists what a folder lacks as file:line:col name, with where nameless references stand.
func missing(t *testing.T, f files, edits ...schema.Edit) []string {
	t.Helper()
	var diags diag.List
	set := f.load(t, &diags)
	for _, e := range edits {
		require.Equal(t, 1, set.Apply(e))
	}
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(schema.Options{}, diags.Places())...)
	out := []string{}
	for _, m := range set.Missing() {
		line := fmt.Sprintf("%s:%d:%d %s", m.File, m.Pos.Line, m.Pos.Col, m.Name)
		if m.Schema != nil {
			line += fmt.Sprintf("in %s%s %s", m.Definition, m.At, m.Schema.Compact())
		}
		out = append(out, line)
	}
	return out
}

func TestMissingListsEveryPlaceOnce(t *testing.T) {
	require.Equal(t, []string{
		"a.schema.json:1:23 Gone", "a.schema.json:1:75 Gone", "b.schema.json:1:23 Gone", "b.schema.json:1:61 Lost",
	}, missing(t, files{
		"a.schema.json": `{"$defs":{"A":{"$ref":"#/$defs/Gone"},"B":{"type":"array","items":{"$ref":"#/$defs/Gone"}}}}`,
		"b.schema.json": `{"$defs":{"A":{"$ref":"#/$defs/Gone"},"C":{"anyOf":[{"$ref":"a.schema.json#/$defs/Lost"}]}}}`,
	}))
}

func TestMissingSaysWhereANamelessReferenceStands(t *testing.T) {
	require.Equal(t, []string{
		`a.schema.json:1:33 in A/oneOf/0 {"$ref":"#/$defs/"}`,
		`a.schema.json:1:99 in B/properties/a~1b~0 {"description":"d","$ref":"#/$defs/"}`,
	}, missing(t, files{
		"a.schema.json": `{"$defs":{"A":{"oneOf":[{"$ref":"#/$defs/"}]},"B":{"properties":{"a/b~":{"description":"d","$ref":"#/$defs/"}}}}}`,
	}))
}

func TestMissingLeavesOutWhatADefinitionWouldNotMend(t *testing.T) {
	require.Empty(t, missing(t, files{
		"a.schema.json": `{"$defs":{"A":{"$ref":"#/$defs/Other"},"B":{"$ref":"c.schema.json#/$defs/C"},"D":{"$ref":"https://example.org/x#/$defs/X"}}}`,
		"b.schema.json": `{"$defs":{"Other":{"type":"string"}}}`,
	}), "another file has the definition, a file is missing, and it is not fetched")
}

func TestMissingCountsWhatOverlaysAddAndLack(t *testing.T) {
	edit := schema.Edit{Pos: overlayPos, Op: schema.Define, Definition: "Gone", Value: parse(t, `{"$ref":"#/$defs/Lost"}`)}
	got := missing(t, files{"a.schema.json": `{"$defs":{"A":{"$ref":"#/$defs/Gone"}}}`}, edit)
	require.Len(t, got, 1)
	require.Regexp(t, `^[^:]+:1:9 Lost$`, got[0])
	require.NotContains(t, got[0], "a.schema.json", "the overlay wrote it")
}
