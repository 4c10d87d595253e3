package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

var overlayPos = diag.Pos{File: "profile.json", Line: 9, Col: 3}

// apply makes one edit of definition T and returns T afterwards, "" if it is gone.
func apply(t *testing.T, before string, e schema.Edit) (after string, places int) {
	t.Helper()
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": ` + before + `}}`}.load(t, &diags)
	e.Pos = overlayPos
	if e.Definition == "" {
		e.Definition = "T"
	}
	places = set.Apply(e)
	diags.Add(set.Merge(false)...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	if def := set.Lookup("T"); def != nil {
		after = def.Node.Compact()
	}
	return after, places
}

// TestPatchIsRFC7396 has the examples of the RFC's appendix, wrapped if they are no objects.
func TestPatchIsRFC7396(t *testing.T) {
	for _, c := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"a":"foo"}`, `["x"]`, `["x"]`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":1,"b":2,"c":3}`, `{"c":4,"a":5}`, `{"a":5,"b":2,"c":4}`},
	} {
		t.Run(c.target+" "+c.patch, func(t *testing.T) {
			got, places := apply(t, c.target, schema.Edit{Op: schema.Patch, Value: parse(t, c.patch)})
			require.Equal(t, c.want, got)
			require.Equal(t, 1, places)
		})
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name, before, at string
		op               schema.Op
		value, was, want string // want "" if nothing is found to do
	}{
		{"patch a place", `{"properties":{"a":{"type":"string"}}}`, "/properties/a", schema.Patch, `{"type":"integer"}`, "", `{"properties":{"a":{"type":"integer"}}}`},
		{"patch through a list", `{"anyOf":[{},{"type":"string"}]}`, "/anyOf/1", schema.Patch, `{"type":"null"}`, "", `{"anyOf":[{},{"type":"null"}]}`},
		{"patch adds the last member of the way", `{"properties":{}}`, "/properties/a", schema.Patch, `{"type":"string"}`, "", `{"properties":{"a":{"type":"string"}}}`},
		{"patch adds no more than that", `{}`, "/properties/a", schema.Patch, `{}`, "", ""},
		{"patch of what is right already", `{"a":{"b":1}}`, "/a", schema.Patch, `{"b":1}`, "", ""},
		{"patch removes what is not there", `{"a":1}`, "", schema.Patch, `{"b":null}`, "", ""},
		{"patch follows escapes", `{"properties":{"a/b":{"x":1}}}`, "/properties/a~1b", schema.Patch, `{"x":2}`, "", `{"properties":{"a/b":{"x":2}}}`},
		{"patch out of a list", `{"anyOf":[{}]}`, "/anyOf/1", schema.Patch, `{}`, "", ""},
		{"patch below a string", `{"a":"b"}`, "/a/b", schema.Patch, `{}`, "", ""},
		{"was that stands there", `{"items":{"type":"string","format":"x"}}`, "/items", schema.Patch, `{"type":"number"}`, `{"format":"x","type":"string"}`, `{"items":{"type":"number"}}`},
		{"was that no longer stands there", `{"items":{"type":"number"}}`, "/items", schema.Patch, `{"type":"integer"}`, `{"type":"string"}`, ""},
		{"was of a place that is not there", `{}`, "/a", schema.Patch, `{}`, `{"type":"string"}`, ""},
		{"was replaces and keeps the description", `{"items":{"type":"string","description":"D"}}`, "/items", schema.Patch, `{"type":"number"}`, `{"type":"string","description":"D"}`, `{"items":{"type":"number","description":"D"}}`},
		{"was replaces the description where the repair has one", `{"a":{"description":"D"}}`, "/a", schema.Patch, `{"description":"E"}`, `{"description":"D"}`, `{"a":{"description":"E"}}`},
		{"was of a scalar", `{"a":"x"}`, "/a", schema.Patch, `"y"`, `"x"`, `{"a":"y"}`},
		{"was of the definition merges", `{"type":"string","title":"T"}`, "", schema.Patch, `{"type":"number"}`, `{"type":"string","title":"T"}`, `{"type":"number","title":"T"}`},
		{"append", `{"required":["a"]}`, "/required", schema.Append, `"b"`, "", `{"required":["a","b"]}`},
		{"append what is there", `{"required":["a"]}`, "/required", schema.Append, `"a"`, "", ""},
		{"append to no list", `{"required":{}}`, "/required", schema.Append, `"a"`, "", ""},
		{"append where nothing is", `{}`, "/required", schema.Append, `"a"`, "", ""},
		{"append with another was", `{"required":["a"]}`, "/required", schema.Append, `"b"`, `["x"]`, ""},
		{"remove", `{"enum":["a","b","a"]}`, "/enum", schema.Remove, `"a"`, "", `{"enum":["b"]}`},
		{"remove an object", `{"anyOf":[{"a":1,"b":2},{}]}`, "/anyOf", schema.Remove, `{"b":2,"a":1}`, "", `{"anyOf":[{}]}`},
		{"remove what is not there", `{"enum":["a"]}`, "/enum", schema.Remove, `"b"`, "", ""},
		{"remove from no list", `{"enum":"a"}`, "/enum", schema.Remove, `"a"`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := schema.Edit{Op: c.op, At: c.at, Value: parse(t, c.value)}
			if c.was != "" {
				e.Was = parse(t, c.was)
			}
			got, places := apply(t, c.before, e)
			if c.want == "" {
				require.Equal(t, c.before, got)
				require.Zero(t, places)
				return
			}
			require.Equal(t, c.want, got)
			require.Equal(t, 1, places)
		})
	}
}

func TestEditOfADefinitionThatIsNotThere(t *testing.T) {
	for _, op := range []schema.Op{schema.Patch, schema.Append, schema.Remove, schema.Drop} {
		got, places := apply(t, `{"a":1}`, schema.Edit{Op: op, Definition: "X", Value: parse(t, `{"b":1}`)})
		require.Equal(t, `{"a":1}`, got)
		require.Zero(t, places)
	}
}

func TestDropLeavesADefinitionOut(t *testing.T) {
	got, places := apply(t, `{}`, schema.Edit{Op: schema.Drop})
	require.Empty(t, got)
	require.Equal(t, 1, places)
}

func TestEditsReachEveryCopy(t *testing.T) {
	var diags diag.List
	set := files{
		"a.schema.json": `{"$defs": {"T": {"type": "string"}}}`, "b.schema.json": `{"definitions": {"T": {"type": "number"}}}`, "c.schema.json": `{"$defs": {"U": {}}}`,
	}.load(t, &diags)
	require.Equal(t, 2, set.Apply(schema.Edit{Op: schema.Patch, Definition: "T", Value: parse(t, `{"type":"integer"}`)}))
	diags.Add(set.Merge(false)...)
	require.Zero(t, diags.Len(), "the copies agree now: %v", diags.Sorted())
	require.Equal(t, 2, set.Apply(schema.Edit{Op: schema.Drop, Definition: "T"}))
	diags.Add(set.Merge(false)...)
	require.Equal(t, []string{"U"}, names(set))
}

func TestWasRepairsOnlyTheCopyThatIsWrong(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": {"type": "string"}}}`, "b.schema.json": `{"$defs": {"T": {"type": "number"}}}`}.load(t, &diags)
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Patch, Definition: "T", At: "/type", Value: parse(t, `"string"`), Was: parse(t, `"number"`)}))
	diags.Add(set.Merge(false)...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
}

func TestDefineAddsADefinition(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": {"$ref": "#/$defs/New"}}}`}.load(t, &diags)
	e := schema.Edit{Pos: overlayPos, Op: schema.Define, Definition: "New", Value: parse(t, `{"type":"object","properties":{"t":{"$ref":"#/$defs/T"}}}`)}
	require.Equal(t, 1, set.Apply(e))
	require.Zero(t, set.Apply(e), "it is there now")
	e.Definition = "T"
	require.Zero(t, set.Apply(e), "the schemas have it")
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(schema.Options{}, diags.Places())...)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.Equal(t, []string{"T", "New"}, names(set))
	require.Same(t, set.Lookup("New"), set.Lookup("T").Schema.Ref.Target)
	require.Same(t, set.Lookup("T"), set.Lookup("New").Schema.Property("t").Schema.Ref.Target)
	require.Equal(t, overlayPos, set.Lookup("New").Pos)
}

func TestSuppliedEnumsAddUp(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": {"enum": ["x"]}, "U": {"$ref": "#/$defs/New"}}}`}.load(t, &diags)
	supply := func(definition, enum string) int {
		return set.Apply(schema.Edit{Op: schema.Define, Definition: definition, Supplied: true, Value: parse(t, enum)})
	}
	first := parse(t, `{"enum":["a","b"],"x-enum-names":["A","B"]}`)
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Define, Definition: "New", Supplied: true, Value: first}))
	require.Equal(t, 1, supply("New", `{"enum":["b","c"],"x-enum-names":["B","C"]}`))
	require.Zero(t, supply("New", `{"enum":["c"],"x-enum-names":["C"]}`), "all of it is there")
	require.Zero(t, supply("T", `{"enum":["y"],"x-enum-names":["Y"]}`), "the schemas have it")
	diags.Add(set.Merge(false)...)
	require.Equal(t, `{"enum":["a","b","c"],"x-enum-names":["A","B","C"]}`, set.Lookup("New").Node.Compact())
	require.Equal(t, `{"enum":["a","b"],"x-enum-names":["A","B"]}`, first.Compact(), "the profile stays as it is")
}

func TestEditsReachWhatAnOverlayAdded(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": {}}}`}.load(t, &diags)
	require.False(t, set.Has("New"))
	require.Zero(t, set.Apply(schema.Edit{Op: schema.Patch, Definition: "New", Value: parse(t, `{}`)}))
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Define, Definition: "New", Value: parse(t, `{"type":"object","required":[]}`)}))
	require.True(t, set.Has("New"), "it counts before Merge, so that a version can be recognised by it")
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Patch, Definition: "New", At: "/properties", Value: parse(t, `{"a":{}}`)}))
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Append, Definition: "New", At: "/required", Value: parse(t, `"a"`)}))
	require.Zero(t, set.Apply(schema.Edit{Op: schema.Append, Definition: "New", At: "/required", Value: parse(t, `"a"`)}))
	diags.Add(set.Merge(false)...)
	require.Equal(t, `{"type":"object","required":["a"],"properties":{"a":{}}}`, set.Lookup("New").Node.Compact())
	require.Equal(t, 1, set.Apply(schema.Edit{Op: schema.Drop, Definition: "New"}))
	require.False(t, set.Has("New"))
	diags.Add(set.Merge(false)...)
	require.Equal(t, []string{"T"}, names(set))
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
}

func TestEditsLeaveTheFileAndTheProfileAsTheyAre(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"T": {"required": ["a"], "properties": {"a": {"x": 1}}}}}`}.load(t, &diags)
	root := set.Docs[0].Root.Clone()
	value := parse(t, `{"y":{"z":null}}`)
	set.Apply(schema.Edit{Op: schema.Patch, Definition: "T", At: "/properties/a", Value: value})
	set.Apply(schema.Edit{Op: schema.Append, Definition: "T", At: "/required", Value: parse(t, `"b"`)})
	set.Apply(schema.Edit{Op: schema.Drop, Definition: "T"})
	require.Equal(t, root, set.Docs[0].Root)
	require.Equal(t, `{"y":{"z":null}}`, value.Compact())
}
