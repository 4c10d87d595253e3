// Tests of the sampler itself.

package corpus

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
)

// TestEveryAlternativeHasASample also has one for each way in which members may be left out or null.
func TestEveryAlternativeHasASample(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         []string
	}{
		{"a string", `{"type": "string"}`, []string{`"text"`}},
		{"formats", `{"type": "object", "properties": {"at": {"type": "string", "format": "date"}, "n": {"type": "integer", "format": "uint8"}}, "required": ["at", "n"]}`,
			[]string{`{"at":"2026-03-01","n":1}`, `{"at":"2026-03-01","n":255}`}},
		{"values, null last", `{"enum": [null, "a", 1]}`, []string{`"a"`, `1`, `null`}},
		{"members that may be left out", `{"type": "object", "properties": {"a": {"type": ["null", "boolean"]}, "b": {"const": 1}}, "required": ["b"]}`,
			[]string{`{"a":true,"b":1}`, `{"a":false,"b":1}`, `{"a":null,"b":1}`, `{"b":1}`}},
		{"lists and maps", `{"type": "object", "properties": {"l": {"type": "array", "items": {"type": "boolean"}}, "m": {"type": "object", "additionalProperties": {"const": "x"}}}, "required": ["l", "m"]}`,
			[]string{`{"l":[true,false],"m":{"key":"x"}}`, `{"l":[],"m":{"key":"x"}}`, `{"l":[true,false],"m":{}}`}},
		{"alternatives", `{"oneOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}, {"$ref": "#/$defs/Other"}, {"x-unknown": true, "properties": {"k": {"type": "string"}}}]}`,
			[]string{`{"k":"a"}`, `{"o":"text"}`, `{"k":"_sample"}`}},
		{"alternatives beside members and in bases", `{"allOf": [{"$ref": "#/$defs/Other"}], "properties": {"id": {"const": 1}}, "required": ["id"],
			"oneOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]}, {"type": "object", "properties": {"b": {"const": 2}}, "required": ["b"]}]}`,
			[]string{`{"a":1,"id":1,"o":"text"}`, `{"b":2,"id":1,"o":"text"}`}},
		{"itself, where that may be left out", `{"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}, "id": {"const": 1}}, "required": ["id"]}`,
			[]string{`{"id":1}`, `{"id":1}`}},
		{"itself in a list", `{"type": "object", "properties": {"inner": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "required": ["inner"]}`, []string{`{"inner":[]}`}},
		{"nothing that ends", `{"type": "object", "properties": {"next": {"$ref": "#/$defs/T"}}, "required": ["next"]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, samples(t, c.schema, &sampler{}))
		})
	}
}

// TestObjectsAreCompletedOnce adds a member to whatever has members in the schema, and not to maps or twice to one object.
func TestObjectsAreCompletedOnce(t *testing.T) {
	add := func(object map[string]any) {
		n, _ := object["+"].(int)
		object["+"] = n + 1
	}
	require.Equal(t, []string{`{"+":1,"a":{"+":1,"o":"text"},"k":"x","m":{"key":"value","large":9007199254740993}}`, `{"+":1,"a":{"+":1,"o":"text"},"k":"x","m":{}}`},
		samples(t, `{"type": "object", "properties": {"a": {"$ref": "#/$defs/Other"}, "m": {"type": "object"}}, "required": ["a", "m"],
			"oneOf": [{"type": "object", "properties": {"k": {"const": "x"}}, "required": ["k"]}]}`, &sampler{object: add}))
}

// samples are those of definition T, as JSON.
func samples(t *testing.T, text string, s *sampler) []string {
	t.Helper()
	var diags diag.List
	file := `{"$defs": {"Other": {"type": "object", "properties": {"o": {"type": "string"}}, "required": ["o"]}, "T": ` + text + `}}`
	set, found, err := inside.Load(fstest.MapFS{"s.schema.json": {Data: []byte(file)}}, ".", nil)
	diags.Add(found...)
	require.NoError(t, err)
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(inside.Options{}, nil)...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	var out []string
	for _, v := range s.definition(set.Lookup("T")) {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		out = append(out, string(text))
	}
	return out
}
