package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

func TestCopiesThatMeanTheSameAreOneDefinition(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"descriptions", `{"type": "string", "description": "A"}`, `{"title": "A", "type": "string", "$comment": "b", "examples": ["x"]}`, true},
		{"the order of sets", `{"required": ["a", "b"], "properties": {"a": {}, "b": {}}}`, `{"properties": {"b": {}, "a": {"description": "A"}}, "required": ["b", "a"]}`, true},
		{"one type and a list of one", `{"type": "string"}`, `{"type": ["string"]}`, true},
		{"the keyword of definitions", `{"$ref": "#/$defs/B"}`, `{"$ref": "b.schema.json#/definitions/B"}`, true},
		{"another reference", `{"$ref": "#/$defs/B"}`, `{"$ref": "#/$defs/C"}`, false},
		{"the order of alternatives", `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, `{"anyOf": [{"type": "null"}, {"type": "string"}]}`, false},
		{"a value more", `{"enum": ["a"]}`, `{"enum": ["a", "b"]}`, false},
		{"a value twice", `{"enum": ["a", "b", "a"]}`, `{"enum": ["b", "a"]}`, true},
		{"a value of another kind", `{"enum": ["1"]}`, `{"enum": [1]}`, false},
		{"another limit", `{"minimum": 1}`, `{"minimum": 2}`, false},
		{"a member called description", `{"properties": {"description": {"type": "string"}}}`, `{"properties": {"description": {"type": "number"}}}`, false},
		{"a constant with a title", `{"const": {"title": "a"}}`, `{"const": {"title": "b"}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{
				"a.schema.json": `{"$defs": {"B": {}, "C": {}, "A": ` + c.a + `}}`, "b.schema.json": `{"definitions": {"B": {}, "C": {}, "A": ` + c.b + `}}`,
			}.load(t, &diags)
			diags.Add(set.Merge(false)...)
			require.Equal(t, c.same, diags.Len() == 0, printed(&diags))
		})
	}
}

func TestReferencesFindTheirTargets(t *testing.T) {
	for _, c := range []struct{ name, ref, target string }{
		{"a group of definitions", "#/definitions/v2/Leaf", "v2.Leaf"},
		{"a group within a group", "#/definitions/v2/deep/Leaf", "v2.deep.Leaf"},
		{"definitions of a definition", "#/definitions/Own/definitions/Inner", "Own.Inner"},
		{"an anchor", "#here", "Anchored"},
		{"an identifier that is an anchor", "#there", "Old"},
		{"an identifier", "urn:example:leaf", "Identified"},
		{"its own file by its identifier", "https://example.com/a.json#/definitions/Anchored", "Anchored"},
		{"its own file relative to its identifier", "a.json#/definitions/Anchored", "Anchored"},
		{"a file in a folder", "sub/b.json#/definitions/Far", "Far"},
		{"a file beside that one", "sub/b.json#/definitions/Beside", "Beside"},
		{"a member of a definition", "#/definitions/Own/properties/x", "Own.x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{
				"a.schema.json": `{"$id": "https://example.com/a.json", "definitions": {"T": {"$ref": "` + c.ref + `"},
					"v2": {"Leaf": {"type": "string"}, "deep": {"Leaf": {"type": "number"}}},
					"Own": {"type": "object", "properties": {"x": {"type": "string", "description": "X"}}, "definitions": {"Inner": {"type": "string"}}},
					"Anchored": {"$anchor": "here"}, "Old": {"$id": "#there"}, "Identified": {"$id": "urn:example:leaf"},
					"U": {"$ref": "sub/b.json#/definitions/Far"}}}`,
				"sub/b.json": `{"definitions": {"Far": {"$ref": "c.json#/definitions/Farther"}, "Beside": {"type": "string"}}}`,
				"sub/c.json": `{"definitions": {"Farther": {"type": "string"}}}`,
				"sub/d.json": `{"definitions": {"Unread": {"type": "string"}}}`,
			}.load(t, &diags)
			s := parsed(t, set, schema.Options{}, &diags)
			require.Empty(t, printed(&diags))
			require.Equal(t, c.target, s.Ref.Target.Name)
			require.NotNil(t, s.Ref.Target.Schema)
			require.Nil(t, set.Lookup("v2"), "a group is no type")
			require.NotNil(t, set.Lookup("Farther"), "through two files")
			require.Nil(t, set.Lookup("Unread"), "nothing refers to its file")
		})
	}
}

func TestMisspeltKeywordsAreNoGroups(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"definitions": {"T": {"propertys": {"a": {"type": "string"}}}}}`}.load(t, &diags)
	parsed(t, set, schema.Options{}, &diags)
	require.Equal(t, []string{`in/a.schema.json:1:24: unknown keyword "propertys"`}, printed(&diags))
}

func TestDialects(t *testing.T) {
	for _, name := range []string{
		"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-04/schema",
	} {
		var diags diag.List
		set := files{"any.json": `{"$schema": "` + name + `", "id": "urn:x", "definitions": {"T": {"id": "urn:y", "type": "number", "minimum": 0, "exclusiveMinimum": true}}}`}.load(t, &diags)
		require.Empty(t, printed(&diags), name)
		require.Equal(t, "urn:x", set.Docs[0].ID)
		meta, err := schema.MetaValidator(name)
		require.NoError(t, err)
		old := len(meta.Check(set.Docs[0].Root, "meta-schema", nil)) == 0
		require.Equal(t, name == "http://json-schema.org/draft-04/schema", old, "%s: its own meta-schema", name)
	}
}

func TestReferencesToFilesWithControlCharactersAreNotRead(t *testing.T) {
	var diags diag.List
	set := files{
		"a.schema.json": `{"definitions": {"T": {"$ref": "sub/b%07.json#/definitions/B"}}}`, "sub/b\x07.json": `{"definitions": {"B": {"type": "string"}}}`,
	}.load(t, &diags)
	require.Len(t, set.Docs, 1)
	parsed(t, set, schema.Options{}, &diags)
	require.Len(t, printed(&diags), 1)
	require.NotContains(t, printed(&diags)[0], "\x07")
}
