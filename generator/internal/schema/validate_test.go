package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

const pointSchema = `{"type": "object", "required": ["x"], "additionalProperties": false,
	"properties": {"x": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}, "a/b": {"type": "boolean"}}}`

func TestValidatorSaysWhere(t *testing.T) {
	v, err := schema.NewValidator("point.json", []byte(pointSchema))
	require.NoError(t, err)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"right", `{"x": 1, "tags": ["a"]}`, nil},
		{"large numbers are exact", `{"x": 123456789012345678901234567890}`, nil},
		{"wrong kind", "{\n  \"x\": \"1\"}", []string{"f:2:8: x is a string, not an integer"}},
		{"deep", "{\"x\": 1,\n\"tags\": [\"a\",\n 7]}", []string{"f:3:2: item 2 of tags is a number, not a string"}},
		{"missing", ` {}`, []string{"f:1:2: the file lacks \"x\""}},
		{"not known", `{"x": 1, "y": 2}`, []string{`f:1:10: unknown member "y"`}},
		{"not known, with an escape in its name", `{"x": 1, "y\n": 2}`, []string{`f:1:10: unknown member "y\n"`}},
		{"not known, with quotes and backslashes in its name", `{"x": 1, "'\"\\\"'\u202e": 2}`, []string{`f:1:10: unknown member "'\"\\\"'\u202e"`}},
		{"not known, on another line", "{\n  \"x\": 1,\n  \"ü\": 2}", []string{`f:3:3: unknown member "ü"`}},
		{"not known and wrong", `{"X": 1, "x": true}`, []string{`f:1:2: unknown member "X"`, "f:1:15: x is true or false, not an integer"}},
		{"escaped", `{"x": 1, "a/b": 2}`, []string{"f:1:17: a/b is a number, not true or false"}},
		{"everything at once", `{"x": 1.5, "tags": {}}`, []string{"f:1:7: x: 1.5 is not an integer", "f:1:20: tags is an object, not a list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			diags.Add(v.Check(parse(t, c.text), "bad-point", diags.Places())...)
			require.Equal(t, c.want, printed(&diags))
			for _, d := range diags.Sorted() {
				require.Equal(t, "bad-point", d.Code)
			}
		})
	}
}

func TestValidatorRefusesBadSchemas(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      `{`,
		"no schema":    `{"type": "text"}`,
		"remote":       `{"$ref": "https://example.org/schema.json"}`,
		"a local file": `{"$ref": "file:///etc/hostname"}`,
		"dangling":     `{"$ref": "#/$defs/A"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.NewValidator("x.json", []byte(text))
			require.ErrorContains(t, err, "x.json")
		})
	}
}

func TestMetaValidatorKnowsBothDialects(t *testing.T) {
	for _, dialect := range []string{
		"", "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema",
	} {
		v, err := schema.MetaValidator(dialect)
		require.NoError(t, err)
		var right, wrong diag.List
		right.Add(v.Check(parse(t, `{"type": "object", "properties": {"type": {"type": "string"}}}`), "meta-schema", right.Places())...)
		require.Zero(t, right.Len(), "%s: %v", dialect, right.Sorted())
		wrong.Add(v.Check(parse(t, "{\"properties\": {\"a\": {\"required\":\n true}}}"), "meta-schema", wrong.Places())...)
		require.Contains(t, printed(&wrong), "f:2:2: required is true or false, not a list", dialect)
	}
}

func TestMetaValidatorTakesExpressionsOfECMAScript(t *testing.T) {
	for text, want := range map[string][]string{
		`{"pattern": "^(?!x-)[a-z]\\cJ{2000}$"}`:         nil,
		`{"patternProperties": {"^(?!x-)": true}}`:       nil,
		`{"pattern": "("}`:                               {`f:1:13: pattern: "(" is no regex`},
		`{"properties": {"a": {"pattern": "[z-a]"}}}`:    {`f:1:34: pattern: "[z-a]" is no regex`},
		`{"patternProperties": {"*": {"type": "null"}}}`: {`f:1:29: *: {"type":"null"} is no regex`},
	} {
		v, err := schema.MetaValidator("http://json-schema.org/draft-07/schema")
		require.NoError(t, err)
		var diags diag.List
		diags.Add(v.Check(parse(t, text), "meta-schema", diags.Places())...)
		require.Equal(t, want, printed(&diags), text)
	}
}

func TestMetaValidatorTellsTheDialectsApart(t *testing.T) {
	const tuple = `{"items": [{"type": "string"}]}` // a tuple until 2019-09, wrong since
	for dialect, want := range map[string]bool{"": true, "http://json-schema.org/draft-07/schema#": false} {
		v, err := schema.MetaValidator(dialect)
		require.NoError(t, err)
		var diags diag.List
		diags.Add(v.Check(parse(t, tuple), "meta-schema", diags.Places())...)
		require.Equal(t, want, diags.HasErrors(), "%q: %v", dialect, diags.Sorted())
	}
}

// TestWhatIsValidSaysNothingOfOtherValues checks values that are written much alike one after the other, by schemas that allow one
// of them each.
func TestWhatIsValidSaysNothingOfOtherValues(t *testing.T) {
	values := []string{
		`["a", "b"]`, `["ab"]`, `["a", ["b"]]`, `[["a"], "b"]`, `{"a": "b"}`, `["{", "a", "b"]`, `[1, 2]`, `[12]`, `["1", "2"]`,
		`[true, false]`, `[false, true]`, `[null, null]`, `[]`, `{}`, `[[]]`, `{"a": null}`, `{"a": {}}`, `{"a": {"b": 1}}`, `{"a": {}, "b": 1}`, `""`, `null`,
	}
	for _, allowed := range values {
		v, err := schema.NewValidator("one.json", []byte(`{"const": `+allowed+`}`))
		require.NoError(t, err)
		for range 2 {
			for _, value := range append([]string{allowed}, values...) {
				var diags diag.List
				diags.Add(v.Check(parse(t, value), "other", diags.Places())...)
				require.Equal(t, value != allowed, diags.HasErrors(), "%s by %s", value, allowed)
			}
		}
	}
}
