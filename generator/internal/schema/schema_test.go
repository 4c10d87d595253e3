package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// one parses the text as definition T and returns its schema.
func one(t *testing.T, text string, opts schema.Options, diags *diag.List) *schema.Schema {
	t.Helper()
	return parsed(t, set(t, text, diags), opts, diags)
}

// ignoring returns one without a keyword that is passed over.
func ignoring(t *testing.T, text, keyword string, diags *diag.List) *schema.Schema {
	t.Helper()
	all := set(t, text, diags)
	all.Foreign(nil, []string{keyword})
	return parsed(t, all, schema.Options{}, diags)
}

func set(t *testing.T, text string, diags *diag.List) *schema.Set {
	t.Helper()
	return files{"a.schema.json": "{\"$defs\": {\"Other\": {\"type\": \"string\"}, \"T\":\n" + text + "}}"}.load(t, diags)
}

func parsed(t *testing.T, set *schema.Set, opts schema.Options, diags *diag.List) *schema.Schema {
	t.Helper()
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(opts, diags.Places())...)
	require.NotNil(t, set.Lookup("T"))
	return set.Lookup("T").Schema
}

func clean(t *testing.T, text string) *schema.Schema {
	t.Helper()
	var diags diag.List
	s := one(t, text, schema.Options{}, &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	return s
}

func propertyNames(s *schema.Schema) []string {
	var out []string
	for _, p := range s.Properties {
		out = append(out, p.Name)
	}
	return out
}

// TestKeywordsArePropertiesWhereTheyStandAsNames walks by position: what is a name is no keyword.
func TestKeywordsArePropertiesWhereTheyStandAsNames(t *testing.T) {
	words := []string{
		"properties", "required", "items", "type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf", "additionalProperties",
		"title", "description", "not", "$defs", "definitions", "$id", "minimum", "discriminator", "unknown", "x-vendor",
	}
	var members []string
	for _, w := range words {
		members = append(members, fmt.Sprintf("%q: {\"type\": \"string\"}", w))
	}
	s := clean(t, `{"type": "object", "properties": {`+strings.Join(members, ", ")+`}, "required": ["required", "type"]}`)
	require.Equal(t, words, propertyNames(s), "in the order of the file")
	for _, p := range s.Properties {
		require.Equal(t, []string{"string"}, p.Schema.Types, p.Name)
		require.Nil(t, p.Schema.Ref, p.Name)
	}
	require.Len(t, s.Required, 2)
	require.Equal(t, "required", s.Required[0].Text)
	require.Equal(t, "type", s.Required[1].Text)
	require.Nil(t, s.Ref)
	require.Nil(t, s.Items)
	require.Nil(t, s.Enum)
}

func TestValuesAreNotWalked(t *testing.T) {
	s := clean(t, `{"const": {"$ref": "#/nowhere", "type": "nonsense"}, "enum": [{"$ref": "x"}], "default": {"not": 1}, "examples": [{"if": 2}]}`)
	require.NotNil(t, s.Const)
	require.Nil(t, s.Ref)
}

func TestKeywordsFindTheirPlace(t *testing.T) {
	s := clean(t, `{"type": ["object", "array", "null"], "properties": {"a": {"$ref": "#/$defs/Other"}}, "required": ["a", "b"],
		"additionalProperties": {"type": "integer"}, "items": {"type": "boolean"}, "enum": [{}, [], null],
		"anyOf": [{"type": "number"}, true], "allOf": [{"properties": {}}, {}, true],
		"title": "Title", "description": "Text", "deprecated": true, "format": "uri", "discriminator": {"propertyName": "kind"}}`)
	require.Equal(t, []string{"object", "array", "null"}, s.Types)
	require.True(t, s.Object)
	require.Equal(t, "Other", s.Property("a").Schema.Ref.Target.Name)
	require.Nil(t, s.Property("b"))
	require.Len(t, s.Required, 2)
	require.Equal(t, []string{"integer"}, s.Additional.Types)
	require.Equal(t, []string{"boolean"}, s.Items.Types)
	require.Len(t, s.Enum, 3)
	require.Equal(t, schema.Null, clean(t, `{"const": null}`).Const.Kind)
	require.Len(t, s.AnyOf, 2)
	require.True(t, s.AnyOf[1].Any)
	require.Len(t, s.AllOf, 1) // the others say nothing
	require.True(t, s.AllOf[0].Object)
	require.Equal(t, []string{"Title", "Text", "uri", "kind"}, []string{s.Title, s.Description, s.Format, s.Discriminator})
	require.True(t, s.Deprecated)
	require.Equal(t, diag.Pos{File: "in/a.schema.json", Line: 2, Col: 1}, s.Pos)
	s = clean(t, `{"const": 7, "oneOf": [{"type": "string"}]}`)
	require.Equal(t, "7", s.Const.Text)
	require.Equal(t, []string{"string"}, s.OneOf[0].Types)
	require.Nil(t, s.AnyOf)
}

// TestKeywordsWithoutEffectAreErrors: validators ignore them, so their author was mistaken.
func TestKeywordsWithoutEffectAreErrors(t *testing.T) {
	const twoChoices = "anyOf beside oneOf is not supported"
	for _, c := range []struct {
		text, code string
		want       []string
	}{
		{`{"type": "string", "properties": {}}`, "without-effect", []string{`2:20: keyword "properties" says nothing about a value of type string`}},
		{`{"type": "array", "required": []}`, "without-effect", []string{`2:19: keyword "required" says nothing about a value of type array`}},
		{`{"items": {}, "type": ["object", "null"]}`, "without-effect", []string{`2:2: keyword "items" says nothing about a value of type object or null`}},
		{`{"type": "array", "additionalProperties": false}`, "without-effect", []string{`2:19: keyword "additionalProperties" says nothing about a value of type array`}},
		{
			`{"type": "integer", "items": {}, "properties": {}}`, "without-effect",
			[]string{`2:21: keyword "items" says nothing about a value of type integer`, `2:34: keyword "properties" says nothing about a value of type integer`},
		},
		{`{"properties": {"a": {"type": "null", "items": {}}}}`, "without-effect", []string{`2:39: keyword "items" says nothing about a value of type null`}},
		{`{"oneOf": [{"type": "string"}], "additionalProperties": false}`, "beside-alternatives", []string{`2:33: keyword "additionalProperties" beside alternatives is not supported`}},
		{`{"additionalProperties": {}, "anyOf": [{}]}`, "beside-alternatives", []string{`2:2: keyword "additionalProperties" beside alternatives is not supported`}},
		{`{"oneOf": [{}], "anyOf": [{}]}`, "two-choices", []string{"2:17: " + twoChoices}},
		{`{"anyOf": [{}], "oneOf": [{}]}`, "two-choices", []string{"2:2: " + twoChoices}},
		{`{"type": "object", "required": ["a"]}`, "required-alone", []string{"2:20: required members need properties"}},
		{`{"required": ["a"]}`, "required-alone", []string{"2:2: required members need properties"}},
		{`{"type": "string", "enum": ["a", 1, "b", null]}`, "wrong-constant", []string{"2:34: 1 is no value of type string", "2:42: null is no value of type string"}},
		{`{"type": ["integer", "null"], "const": true}`, "wrong-constant", []string{"2:40: true is no value of type integer or null"}},
		{`{"const": [1], "type": "object"}`, "wrong-constant", []string{"2:11: [1] is no value of type object"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			var diags diag.List
			one(t, c.text, schema.Options{}, &diags)
			var want []string
			for _, w := range c.want {
				want = append(want, "in/a.schema.json:"+w)
			}
			require.Equal(t, want, printed(&diags))
			for _, d := range diags.Sorted() {
				require.Equal(t, c.code, d.Code)
				require.NotEmpty(t, d.Hint)
			}
		})
	}
}

func TestKeywordsWithEffectAreNone(t *testing.T) {
	for _, text := range []string{
		`{"items": {}, "properties": {"a": {}}}`,
		`{"type": ["array", "object"], "items": {}, "properties": {}}`,
		`{"type": "object", "required": []}`,
		`{"$ref": "#/$defs/Other", "required": ["a"]}`,
		`{"allOf": [{"$ref": "#/$defs/Other"}], "required": ["a"]}`,
		`{"oneOf": [{"type": "string"}], "required": ["a"]}`,
		`{"properties": {}, "required": ["a"]}`,
		`{"properties": {}, "oneOf": [{}], "additionalProperties": false}`,
		`{"type": "number", "enum": [1, 1.5]}`,
		`{"type": ["string", "null"], "enum": ["a", null], "const": null}`,
		`{"type": ["object", "array", "boolean"], "enum": [{}, [], false]}`,
		`{"enum": [1, "a", null]}`,
	} {
		clean(t, text)
	}
}

func TestReferencesKeepTheirSiblings(t *testing.T) {
	s := clean(t, `{"$ref": "#/$defs/Other", "description": "Text", "deprecated": true}`)
	require.Equal(t, "Other", s.Ref.Target.Name)
	require.Equal(t, "Text", s.Description)
	require.True(t, s.Deprecated)
	require.False(t, s.Any)
}

func TestWhatSaysNothingAllowsAnything(t *testing.T) {
	for text, want := range map[string]string{
		`true`: "any", `{}`: "any", `false`: "never", `{"description": "x", "title": "y", "default": 1, "deprecated": true}`: "any",
		`{"$comment": "x", "readOnly": true}`: "any", `{"type": "string"}`: "", `{"minimum": 1}`: "", `{"const": null}`: "", `{"required": []}`: "",
	} {
		s := clean(t, text)
		require.Equal(t, want == "any", s.Any, text)
		require.Equal(t, want == "never", s.Never, text)
	}
}

func TestAnnotationsAreAcceptedWithoutAWord(t *testing.T) {
	for _, keyword := range []string{"$comment", "$schema", "$id", "examples", "default", "readOnly", "writeOnly", "contentEncoding", "contentMediaType"} {
		s := clean(t, fmt.Sprintf(`{%q: "x"}`, keyword))
		require.True(t, s.Any, keyword)
		require.Empty(t, s.Limits, keyword)
	}
}

func TestLimitsAreKept(t *testing.T) {
	for _, keyword := range []string{
		"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
	} {
		s := clean(t, fmt.Sprintf(`{%q: 3}`, keyword))
		require.NotNil(t, s.Limit(keyword), keyword)
		require.Equal(t, "3", s.Limit(keyword).Text)
		require.Nil(t, s.Limit("other"))
	}
}

func TestUnsupportedKeywordsAreErrors(t *testing.T) {
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		var diags diag.List
		one(t, fmt.Sprintf(`{"items": {"type": "string", %q: {}}}`, keyword), schema.Options{Profile: true}, &diags)
		require.Equal(t, []string{fmt.Sprintf("in/a.schema.json:2:30: keyword %q is not supported", keyword)}, printed(&diags))
		require.Contains(t, hints(&diags), "overlay")
	}
}

func TestKeywordsThatOnlyValidateAreNotedOnce(t *testing.T) {
	for _, keyword := range []string{
		"not", "if", "then", "else", "propertyNames", "contains", "minContains", "maxContains", "unevaluatedItems",
		"unevaluatedProperties", "dependencies", "dependentRequired", "dependentSchemas", "contentSchema",
	} {
		var diags diag.List
		s := one(t, fmt.Sprintf(`{"items": {"type": "string", %q: {"nonsense": 1}}, %[1]q: {}}`, keyword), schema.Options{}, &diags)
		require.Equal(t, []string{fmt.Sprintf("in/a.schema.json:2:30: warning: keyword %q restricts values without giving them another type; Go takes all of them", keyword)}, printed(&diags))
		require.NotNil(t, s.Limit(keyword), "kept")
		require.Equal(t, []string{"string"}, s.Items.Types)
	}
}

func TestChoicesThatOnlyRequireAreLimits(t *testing.T) {
	var diags diag.List
	s := one(t, `{"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"], "not": {}}]}`, schema.Options{}, &diags)
	require.Nil(t, s.Choices())
	require.NotNil(t, s.Limit("anyOf"))
	require.False(t, diags.HasErrors())
}

func TestPatternsOfNamesAreMaps(t *testing.T) {
	for _, c := range []struct {
		text  string
		types []string // of undeclared members; none for any value
	}{
		{`{"patternProperties": {"^a": {"type": "string"}}, "additionalProperties": false}`, []string{"string"}},
		{`{"patternProperties": {"^a": {"type": "string"}, "^b": {"type": ["string"], "description": "B"}}, "additionalProperties": {"type": "string"}}`, []string{"string"}},
		{`{"patternProperties": {".*": {"type": "string"}}}`, []string{"string"}},
		{`{"patternProperties": {".{1,}": {"type": "string"}}}`, []string{"string"}},
		{`{"patternProperties": {"^[^\\x00]+$": {"type": "string"}}}`, []string{"string"}},
		{`{"patternProperties": {"^.{1,64}$": {"type": "string"}}}`, nil},
		{`{"patternProperties": {"^(?!x-)": {"type": "string"}}}`, nil},
		{`{"patternProperties": {"^a": {"type": "string"}}}`, nil},
		{`{"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "number"}}}`, nil},
		{`{"additionalProperties": {"type": "number"}, "patternProperties": {"^a": {"type": "string"}}}`, nil},
	} {
		var diags diag.List
		s := one(t, c.text, schema.Options{}, &diags)
		require.NotNil(t, s.Additional, c.text)
		require.Equal(t, c.types, s.Additional.Types, c.text)
		require.Equal(t, c.types == nil, s.Additional.Any, c.text)
		require.False(t, diags.HasErrors(), c.text)
	}
}

func TestTuplesAreLists(t *testing.T) {
	for _, c := range []struct {
		text  string
		types []string // of all items; none for any value
	}{
		{`{"items": [{"type": "number"}, {"type": "number"}], "maxItems": 2}`, []string{"number"}},
		{`{"items": [{"type": "number"}, {"type": "number"}], "additionalItems": false}`, []string{"number"}},
		{`{"items": [{"type": "number"}, {"type": "number"}]}`, nil},
		{`{"items": [{"type": "number"}, {"type": "string"}], "maxItems": 2}`, nil},
		{`{"items": [{"type": "number"}], "additionalItems": {"type": "string"}}`, nil},
		{`{"prefixItems": [{"type": "number"}], "items": {"type": "number"}}`, []string{"number"}},
		{`{"items": {"type": "string"}, "prefixItems": [{"type": "number"}]}`, nil},
		{`{"prefixItems": [{"type": "number"}], "items": false}`, []string{"number"}},
	} {
		var diags diag.List
		s := one(t, c.text, schema.Options{}, &diags)
		require.NotNil(t, s.Items, c.text)
		require.Equal(t, c.types, s.Items.Types, c.text)
		require.Equal(t, c.types == nil, s.Items.Any, c.text)
		require.False(t, diags.HasErrors(), c.text)
	}
}

func TestEveryTypeIsNone(t *testing.T) {
	require.True(t, clean(t, `{"type": ["array", "boolean", "integer", "null", "number", "object", "string"]}`).Any)
	require.False(t, clean(t, `{"type": ["array", "boolean", "integer", "null", "object", "string"]}`).Any, "not every number")
}

func TestKeywordsWithBadValuesAreErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`7`, "2:1: a schema is an object or a boolean, not a number"},
		{`null`, "2:1: a schema is an object or a boolean, not null"},
		{`{"items": "x"}`, "2:11: a schema is an object or a boolean, not a string"},
		{`{"properties": {"a": []}}`, "2:22: a schema is an object or a boolean, not an array"},
		{`{"anyOf": [1]}`, "2:12: a schema is an object or a boolean, not a number"},
		{`{"additionalProperties": null}`, "2:26: a schema is an object or a boolean, not null"},
		{`{"$ref": 1}`, "2:10: $ref must be a string, not a number"},
		{`{"type": "text"}`, `2:10: "text" is not a type`},
		{`{"type": ["string", 3]}`, "2:21: 3 is not a type"},
		{`{"type": ["string", "null", "string"]}`, `2:29: type "string" is listed twice`},
		{`{"enum": "x"}`, "2:10: enum must be an array, not a string"},
		{`{"enum": []}`, "2:10: enum lists no value"},
		{`{"properties": []}`, "2:16: properties must be an object, not an array"},
		{`{"required": "a"}`, "2:14: required must be an array, not a string"},
		{`{"properties": {}, "required": [true]}`, "2:33: required lists member names, not a boolean"},
		{`{"prefixItems": {}}`, "2:17: prefixItems must be an array, not an object"},
		{`{"patternProperties": []}`, "2:23: patternProperties must be an object, not an array"},
		{`{"oneOf": {}}`, "2:11: oneOf must be an array, not an object"},
		{`{"allOf": []}`, "2:11: allOf lists no schema"},
		{`{"type": "string", "anyOf": []}`, "2:29: anyOf lists no schema"},
		{`{"title": {}}`, "2:11: title must be a string, not an object"},
		{`{"description": null}`, "2:17: description must be a string, not null"},
		{`{"format": 1}`, "2:12: format must be a string, not a number"},
		{`{"discriminator": "type"}`, "2:19: discriminator needs the name of a property"},
		{`{"discriminator": {"propertyName": 1}}`, "2:19: discriminator needs the name of a property"},
	} {
		t.Run(c.text, func(t *testing.T) {
			var diags diag.List
			require.NotNil(t, one(t, c.text, schema.Options{}, &diags))
			require.Equal(t, []string{"in/a.schema.json:" + c.want}, printed(&diags))
		})
	}
}

func TestUnknownKeywordsAreErrorsWithASuggestion(t *testing.T) {
	for keyword, hint := range map[string]string{
		"requierd": `did you mean "required"? Otherwise remove it`, "propertys": `did you mean "properties"?`, "x-meth": `did you mean "x-method"?`,
		"wholly-different": "remove it, or list it under ignoreKeywords", "": "remove it",
	} {
		t.Run(keyword, func(t *testing.T) {
			var diags diag.List
			one(t, fmt.Sprintf(`{"type": "object", %q: 1}`, keyword), schema.Options{Profile: true}, &diags)
			require.Equal(t, []string{fmt.Sprintf("in/a.schema.json:2:20: unknown keyword %q", keyword)}, printed(&diags))
			require.True(t, strings.HasPrefix(hints(&diags), hint), hints(&diags))
		})
	}
}

func TestVendorKeywordsAreKeptWhereKnown(t *testing.T) {
	var diags diag.List
	s := ignoring(t, `{"x-method": "a/b", "x-other": {}}`, "x-other", &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.Equal(t, "a/b", s.Extension("x-method").Text)
	require.Nil(t, s.Extension("x-other"))
	require.True(t, s.Any, "vendor keywords say nothing about values")
}

func TestIgnoredKeywordsMayBeUnsupportedOnes(t *testing.T) {
	var diags diag.List
	ignoring(t, `{"type": "string", "not": {}}`, "not", &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
}
