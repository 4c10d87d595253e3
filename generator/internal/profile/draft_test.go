// Tests of drafts: what they know, what they leave to be filled in, and that gaps are refused.

package profile_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// drafted returns the draft for a file with the definitions, for a version if one is stated.
func drafted(t *testing.T, members, version, defs string) string {
	t.Helper()
	var diags diag.List
	set, loaded, err := schema.Load(fstest.MapFS{"a.schema.json": {Data: []byte(`{"$defs": {` + "\n" + defs + "\n}}")}}, "dir", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	p := at(t, read(t, members), version)
	for _, e := range p.Edits() {
		set.Apply(e.Edit)
	}
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(schema.Options{}, diags.Places())...)
	text, err := profile.Draft(set, p.Facts(), "")
	require.NoError(t, err)
	return string(text)
}

func TestDraftHasAnEntryForEachDefinition(t *testing.T) {
	for _, c := range []struct{ name, version, defs, want string }{
		{"nothing is missing", "", `"A": {"type": "string"}`, `[]`},
		{"a definition, in two places", "", `"A": {"$ref": "#/$defs/Gone"}, "B": {"$ref": "#/$defs/Gone"}`, `[
			{"definition": "Gone", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:15, a.schema.json:2:46.", "define": {}}]`},
		{"in the version at hand", "0.2.0", `"A": {"$ref": "#/$defs/Gone"}`, `[
			{"definition": "Gone", "versions": "0.2.0", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:15.", "define": {}}]`},
		{"values of an enum", "", `"A": {"$ref": "#/$defs/Kind.B"}, "B": {"anyOf": [{"$ref": "#/$defs/Kind.A"}, {"$ref": "#/$defs/Kind.B"}]}`, `[
			{"definition": "Kind", "why": "The schemas refer to values of it and nowhere give them: a.schema.json:2:15, a.schema.json:2:59, a.schema.json:2:87.",
			 "enumeration": {"B": null, "A": null}}]`},
		{"an enum and a value of it", "", `"A": {"$ref": "#/$defs/Kind"}, "B": {"$ref": "#/$defs/Kind.A"}, "C": {"$ref": "#/$defs/Kind"}`, `[
			{"definition": "Kind", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:15, a.schema.json:2:46, a.schema.json:2:79.",
			 "enumeration": {"A": null}}]`},
		{"names with dots", "", `"com.A": {"$ref": "#/$defs/com.B"}, "C": {"$ref": "#/$defs/C.D"}, "E": {"$ref": "#/$defs/x.y.z"}`, `[
			{"definition": "com.B", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:19.", "define": {}},
			{"definition": "C.D", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:51.", "define": {}},
			{"definition": "x.y.z", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:81.", "define": {}}]`},
		{"an alternative without a name", "", `"A": {"oneOf": [{"$ref": "#/$defs/"}, {"type": "string"}]}`, `[
			{"definition": "A", "at": "/oneOf", "why": "The reference names nothing: a.schema.json:2:26.", "remove": {"$ref": "#/$defs/"}}]`},
		{"members without a name are for a person", "", `"A": {"properties": {"oneOf": {"items": {"$ref": "#/$defs/"}}}}, "B": {"$ref": "#/$defs/"}`, `[]`},
		{"names are text", "", `"A": {"$ref": "#/$defs/<a>&\"b"}, "B": {"$ref": "#/$defs/K.\"q\\"}`, `[
			{"definition": "<a>&\"b", "why": "The schemas refer to it and nowhere define it: a.schema.json:2:15.", "define": {}},
			{"definition": "K", "why": "The schemas refer to values of it and nowhere give them: a.schema.json:2:49.", "enumeration": {"\"q\\": null}}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drafted(t, `"package": "x"`, c.version, c.defs)
			require.JSONEq(t, `{"name": "x", "title": "X", "overlay": `+c.want+`}`, got)
		})
	}
}

func TestDraftAddsToAnEnumThatTheProfileHasInPart(t *testing.T) {
	const part = `"overlay": [{"definition": "Kind", "why": "w", "enumeration": {"A": "a"}}]`
	require.JSONEq(t, `{"name": "x", "title": "X", "overlay": [
		{"definition": "Kind", "why": "The schemas refer to values of it and nowhere give them: a.schema.json:2:48.", "enumeration": {"B": null}}
	]}`, drafted(t, part, "", `"A": {"$ref": "#/$defs/Kind.A"}, "B": {"$ref": "#/$defs/Kind.B"}`))
}

func TestDraftedEntriesMendEverything(t *testing.T) {
	const defs = `"A": {"$ref": "#/$defs/Gone"}, "B": {"$ref": "#/$defs/Kind.A"}, "C": {"oneOf": [{"$ref": "#/$defs/"}, {"$ref": "#/$defs/Kind.B"}]}`
	const filled = `"overlay": [
		{"definition": "Gone", "why": "w", "define": true},
		{"definition": "Kind", "why": "w", "enumeration": {"A": "a", "B": "b"}},
		{"definition": "C", "at": "/oneOf", "why": "w", "remove": {"$ref": "#/$defs/"}}]`
	require.JSONEq(t, `{"name": "x", "title": "X", "overlay": []}`, drafted(t, filled, "", defs))
}

func TestGapsAreRefused(t *testing.T) {
	var diags diag.List
	made, parsed := profile.Parse("p.json", []byte(`{"name": "", "title": "", "overlay": [
		{"definition": "A", "why": "w", "define": {}},
		{"definition": "B", "why": "w", "define": {"type": "string"}},
		{"definition": "C", "why": "w", "define": true},
		{"definition": "D", "why": "w", "enumeration": {"E": null, "F": "f"}}]}`))
	require.Nil(t, made)
	diags.Add(parsed...)
	var got []string
	for _, d := range diags.Sorted() {
		got = append(got, d.Pos.String()+": "+d.Message)
	}
	require.Equal(t, []string{
		"p.json:1:10: name: \"\" is not a name of lower-case letters, digits and dashes",
		"p.json:1:23: title is empty",
		"p.json:2:45: overlay/0/define: not filled in",
		"p.json:5:56: E is null, not a string or an integer",
	}, got)
}
