package schema_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// files is a folder of schema files, by name.
type files map[string]string

func (f files) load(t testing.TB, diags *diag.List, first ...string) *schema.Set {
	t.Helper()
	folder := fstest.MapFS{}
	for name, text := range f {
		folder[name] = &fstest.MapFile{Data: []byte(text)}
	}
	set, loaded, err := schema.Load(folder, "in", first)
	diags.Add(loaded...)
	require.NoError(t, err)
	return set
}

// read loads, merges and parses.
func (f files) read(t testing.TB, shared bool, diags *diag.List) *schema.Set {
	t.Helper()
	set := f.load(t, diags)
	diags.Add(set.Merge(shared)...)
	diags.Add(set.Parse(schema.Options{Profile: true}, diags.Places())...)
	return set
}

func names(set *schema.Set) []string {
	var out []string
	for _, def := range set.Definitions() {
		out = append(out, def.Name)
	}
	return out
}

func documents(set *schema.Set) []string {
	var out []string
	for _, doc := range set.Docs {
		out = append(out, doc.Name)
	}
	return out
}

func TestIsSchemaFile(t *testing.T) {
	for name, want := range map[string]bool{
		"a.schema.json": true, "schema.json": true, "v1/schema.json": true, "v1/a.schema.json": true,
		"a.json": false, "myschema.json": false, "a.schema.json.bak": false, "schema": false, "": false,
	} {
		require.Equal(t, want, schema.IsSchemaFile(name), name)
	}
}

func TestLoadReadsNamedFilesFirstAndTheRestByName(t *testing.T) {
	folder := files{
		"b.schema.json": `{}`, "a.schema.json": `{}`, "schema.json": `{}`, "z.schema.json": `{}`, "plain.json": `{}`,
		"notes.txt": "no schema", "sub/c.schema.json": `{}`,
	}
	var diags diag.List
	require.Equal(t, []string{"a.schema.json", "b.schema.json", "schema.json", "z.schema.json"}, documents(folder.load(t, &diags)))
	require.Equal(t, []string{"z.schema.json", "plain.json", "a.schema.json", "b.schema.json", "schema.json"},
		documents(folder.load(t, &diags, "z.schema.json", "plain.json")))
	require.Zero(t, diags.Len())
}

func TestLoadCountsBytes(t *testing.T) {
	var diags diag.List
	require.Equal(t, 5, files{"a.schema.json": `{}`, "b.schema.json": `{ }`, "c.txt": "x"}.load(t, &diags).Bytes())
}

func TestLoadReports(t *testing.T) {
	for _, c := range []struct {
		name  string
		files files
		first []string
		want  []string
	}{
		{"an empty folder", files{}, nil, []string{"in: no schema files in this folder"}},
		{"a folder of other files", files{"a.json": `{}`}, nil, []string{"in: no schema files in this folder"}},
		{"a file that the profile wants", files{"a.schema.json": `{}`}, []string{"x.schema.json"}, []string{"in/x.schema.json: schema file not found"}},
		{"a list", files{"a.schema.json": "\n []"}, nil, []string{"in/a.schema.json:2:2: a schema file holds an object, not an array"}},
		{"a boolean", files{"a.schema.json": "true"}, nil, []string{"in/a.schema.json:1:1: a schema file holds an object, not a boolean"}},
		{"definitions that are a list", files{"a.schema.json": `{"$defs": []}`}, nil, []string{"in/a.schema.json:1:11: $defs must be an object of schemas, not an array"}},
		{"every file", files{"a.schema.json": "[]", "b.schema.json": "1"}, nil, []string{
			"in/a.schema.json:1:1: a schema file holds an object, not an array", "in/b.schema.json:1:1: a schema file holds an object, not a number",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			c.files.load(t, &diags, c.first...)
			require.Equal(t, c.want, printed(&diags))
		})
	}
}

func TestLoadKnowsTheDialects(t *testing.T) {
	for _, dialect := range []string{
		"https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#",
		"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
	} {
		var diags diag.List
		set := files{"a.schema.json": fmt.Sprintf(`{"$schema": %q}`, dialect)}.load(t, &diags)
		diags.Add(set.Parse(schema.Options{}, nil)...)
		require.Zero(t, diags.Len(), dialect)
		require.Equal(t, dialect, set.Docs[0].Dialect())
	}
	for _, dialect := range []string{`"http://json-schema.org/draft-03/schema#"`, "7"} {
		var diags diag.List
		set := files{"a.schema.json": `{"$schema": ` + dialect + `}`}.load(t, &diags)
		diags.Add(set.Parse(schema.Options{}, nil)...)
		require.Equal(t, []string{"in/a.schema.json:1:13: unsupported JSON Schema dialect " + dialect}, printed(&diags))
	}
	var diags diag.List
	require.Empty(t, files{"a.schema.json": `{}`}.load(t, &diags).Docs[0].Dialect())
}

// brokenFS fails to open one file, or to list the folder.
type brokenFS struct {
	fstest.MapFS
	file string
}

func (b brokenFS) Open(name string) (fs.File, error) {
	if name == b.file {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.Open(name)
}

func TestLoadReportsUnreadableFiles(t *testing.T) {
	var diags diag.List
	folder := fstest.MapFS{"a.schema.json": {Data: []byte(`{}`)}, "b.schema.json": {Data: []byte(`{}`)}}
	set, loaded, err := schema.Load(brokenFS{folder, "a.schema.json"}, "in", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	require.Equal(t, []string{"b.schema.json"}, documents(set))
	require.Equal(t, []string{"in/a.schema.json: cannot read the file: permission denied"}, printed(&diags))
}

type noFolder struct{ fs.FS }

func (noFolder) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func TestLoadFailsWithoutAFolder(t *testing.T) {
	var diags diag.List
	_, loaded, err := schema.Load(noFolder{}, "in", nil)
	diags.Add(loaded...)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Zero(t, diags.Len())
}

func TestDefinitionsKeepTheirOrderAndPosition(t *testing.T) {
	var diags diag.List
	set := files{
		"a.schema.json": "{\"$defs\": {\n \"Z\": {\"type\": \"string\"},\n \"A\": {\"type\": \"string\"}}, \"definitions\": {\"M\": {}}}",
		"b.schema.json": `{"$defs": {"B": {}, "A": {"type": "string"}}}`,
	}.read(t, false, &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.Equal(t, []string{"Z", "A", "M", "B"}, names(set))
	require.Equal(t, diag.Pos{File: "in/a.schema.json", Line: 2, Col: 2}, set.Lookup("Z").Pos)
	require.Equal(t, "a.schema.json", set.Lookup("A").Doc.Name)
	require.Nil(t, set.Lookup("X"))
	require.True(t, set.Has("M"))
	require.False(t, set.Has("X"))
}

func TestRootsThatAreSchemasOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{"only definitions", "a.schema.json", `{"title": "T", "description": "x", "$defs": {"A": {}}}`, []string{"A"}},
		{"named by its title", "a.schema.json", `{"title": "Top", "type": "object"}`, []string{"Top"}},
		{"a title that is no name", "config.schema.json", `{"title": "The top.", "type": "object"}`, []string{"config"}},
		{"a file that is called by a number", "3.1.schema.json", `{"title": "The top.", "type": "object"}`, []string{"The-top"}},
		{"a title that is no string", "config.schema.json", `{"title": 1, "type": "object"}`, []string{"config"}},
		{"named by its file", "schema.json", `{"properties": {}}`, []string{"schema"}},
		{"after its definitions", "a.schema.json", `{"oneOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {}}}`, []string{"A", "a"}},
		{"a reference", "a.schema.json", `{"$ref": "#/$defs/A", "$defs": {"A": {}}}`, []string{"A", "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{c.file: c.text}.load(t, &diags)
			diags.Add(set.Merge(false)...)
			require.Equal(t, c.want, names(set))
			require.Zero(t, diags.Len(), "%v", diags.Sorted())
			for _, def := range set.Definitions() {
				require.Nil(t, def.Node.Get("$defs"), "definitions are not part of the root's own schema")
			}
		})
	}
}

func TestMergeTakesCopiesThatAgreeForOne(t *testing.T) {
	var diags diag.List
	set := files{
		"a.schema.json": `{"$defs": {"A": {"type": "object", "properties": {"x": {"type": "string"}}}}}`,
		"b.schema.json": `{"definitions": {"A": {"properties": {"x": {"type": "string"}}, "type": "object"}}}`,
	}.read(t, false, &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.Equal(t, []string{"A"}, names(set))
}

func TestMergeSaysWhereCopiesDiffer(t *testing.T) {
	for _, c := range []struct{ name, a, b, want, hint string }{
		{
			"one value", `{"properties": {"x": {"type": "string"}}}`, `{"properties": {"x": {"type": "number"}}}`,
			`in/b.schema.json:1:47: definition A differs from the one in a.schema.json: here it is "number"`,
			`it is "string" at in/a.schema.json:1:47;`,
		},
		{
			"an item", `{"required": ["x", "y"]}`, `{"required": ["x", "z"]}`,
			`in/b.schema.json:1:36: definition A differs from the one in a.schema.json: here it is "z"`, `it is "y" at in/a.schema.json:1:36;`,
		},
		{
			"a keyword more", `{"type": "string"}`, `{"type": "string", "format": "x"}`,
			`in/b.schema.json:1:17: definition A differs from the one in a.schema.json: here it is {"type":"string","format":"x"}`,
			`it is {"type":"string"} at in/a.schema.json:1:17;`,
		},
		{
			"a list's length", `{"enum": [1, 2]}`, `{"enum": [1]}`,
			`in/b.schema.json:1:26: definition A differs from the one in a.schema.json: here it is [1]`, `it is [1,2] at in/a.schema.json:1:26;`,
		},
		{
			"something long", `{}`, `{"pattern": "` + strings.Repeat("x", 100) + `"}`,
			`in/b.schema.json:1:17: definition A differs from the one in a.schema.json: here it is {"pattern":"` + strings.Repeat("x", 48) + `…`,
			`it is {} at in/a.schema.json:1:17;`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{
				"a.schema.json": `{"$defs": {"A": ` + c.a + `}}`, "b.schema.json": `{"$defs": {"A": ` + c.b + `}}`,
			}.load(t, &diags)
			diags.Add(set.Merge(false)...)
			require.Equal(t, []string{c.want}, printed(&diags))
			require.Contains(t, hints(&diags), c.hint)
			require.Equal(t, []string{"A"}, names(set))
		})
	}
}

func TestADefinitionStandsUnderOneKeyword(t *testing.T) {
	var diags diag.List
	files{"a.schema.json": "{\"$defs\": {\"A\": {}},\n \"definitions\": {\"B\": {}, \"A\": {}}}"}.load(t, &diags)
	require.Equal(t, []string{"in/a.schema.json:2:27: definition A stands in $defs and in definitions"}, printed(&diags))
	require.Contains(t, hints(&diags), "in/a.schema.json:1:12")
}

func TestKeywordsAtTheRootOfAFile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"annotations", `{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "x", "$comment": "x", "title": "x", "description": "x", "$defs": {}}`, nil},
		{"vocabulary of the root", `{"x-protocol": {}, "x-initialisms": [], "x-channels": [], "x-replication": {}}`, nil},
		{"vocabulary of definitions", "{\"$defs\": {},\n \"x-method\": \"a\"}", []string{`in/a.schema.json:2:2: unknown keyword "x-method" at the root of the file`}},
		{"a misspelled keyword", `{"$def": {}}`, []string{`in/a.schema.json:1:2: unknown keyword "$def" at the root of the file`}},
		{"an ignored keyword", `{"x-other": 1}`, nil},
		{"of a root that is a schema", `{"type": "string", "x-else": 1, "x-protocol": {}}`, []string{`in/a.schema.json:1:20: unknown keyword "x-else"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{"a.schema.json": c.text}.load(t, &diags)
			set.Foreign(nil, []string{"x-other"})
			diags.Add(set.Merge(false)...)
			diags.Add(set.Parse(schema.Options{}, diags.Places())...)
			require.Equal(t, c.want, printed(&diags))
		})
	}
}

func TestRootKeywordIsThatOfTheFirstFileThatHasIt(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{}`, "b.schema.json": `{"x-channels": [1]}`, "c.schema.json": `{"x-channels": [2]}`}.load(t, &diags)
	require.Equal(t, "[1]", set.RootKeyword("x-channels").Compact())
	require.Nil(t, set.RootKeyword("x-protocol"))
}

func TestMergeTwiceGivesTheSame(t *testing.T) {
	var diags diag.List
	set := files{"a.schema.json": `{"$defs": {"A": {}, "B": {}}}`}.load(t, &diags)
	diags.Add(set.Merge(false)...)
	diags.Add(set.Merge(false)...)
	require.Equal(t, []string{"A", "B"}, names(set))
}

func TestReferencesFindTheirTarget(t *testing.T) {
	other := `{"$id": "https://example.org/b#", "title": "Root", "type": "object", "$defs": {"B": {"type": "string"}, "x/y~z": {}, "é": {}}, "definitions": {"Old": {}}}`
	for _, c := range []struct{ name, ref, want string }{
		{"in the same file", "#/$defs/A", "A"},
		{"itself", "#/$defs/User", "User"},
		{"under the old keyword", "#/definitions/Old", "Old"},
		{"in a relative file", "b.schema.json#/$defs/B", "B"},
		{"in a relative file with a dot", "./b.schema.json#/$defs/B", "B"},
		{"a detour that stays inside", "x/../b.schema.json#/$defs/B", "B"},
		{"by the file's $id", "https://example.org/b#/$defs/B", "B"},
		{"escaped slash and tilde", "b.schema.json#/$defs/x~1y~0z", "x/y~z"},
		{"escaped percent", "b.schema.json#/%24defs/%C3%A9", "é"},
		{"the root of another file", "b.schema.json", "Root"},
		{"the root of another file with an empty fragment", "b.schema.json#", "Root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{
				"a.schema.json": fmt.Sprintf(`{"$defs": {"A": {}, "User": {"$ref": %q}}, "definitions": {"Old": {}}}`, c.ref), "b.schema.json": other,
			}.read(t, false, &diags)
			require.Zero(t, diags.Len(), "%v", diags.Sorted())
			ref := set.Lookup("User").Schema.Ref
			require.Equal(t, c.ref, ref.Text)
			require.NotNil(t, ref.Target)
			require.Equal(t, c.want, ref.Target.Name)
			require.Same(t, set.Lookup(c.want), ref.Target)
		})
	}
}

func TestReferencesThatLeadNowhere(t *testing.T) {
	for _, c := range []struct{ name, ref, code, message, hint string }{
		{"remote", "https://example.org/x.json#/$defs/A", "remote-reference", `remote reference "https://example.org/x.json#/$defs/A"`, "never fetches"},
		{"a file URL", "file:///etc/passwd", "remote-reference", `remote reference`, "never fetches"},
		{"a name for a resource", "urn:example:thing", "remote-reference", `remote reference "urn:example:thing"`, "never fetches"},
		{"a URL without slashes", "https:x.json#/$defs/A", "remote-reference", `remote reference`, "never fetches"},
		{"a drive letter", "c:x.json", "dangling-reference", "no file c:x.json", "the folder has"},
		{"out of the folder", "../b.schema.json#/$defs/A", "outside-reference", "leads out of the schema folder", "stay inside the folder"},
		{"out of the folder by a detour", "x/../../b.schema.json", "outside-reference", "leads out", ""},
		{"out of the folder in disguise", "%2e%2e/b.schema.json", "outside-reference", "leads out", ""},
		{"an absolute path", "/etc/passwd", "outside-reference", "leads out", ""},
		{"a Windows path", `..\b.schema.json`, "outside-reference", "leads out", ""},
		{"the folder above", "..", "outside-reference", "leads out", ""},
		{"a file that is not there", "c.schema.json#/$defs/A", "dangling-reference", "no file c.schema.json", "the folder has a.schema.json, b.schema.json"},
		{"a name that is not there", "#/$defs/Unrelated", "dangling-reference", `a.schema.json defines no "Unrelated"`, "define it in $defs"},
		{"a name that is nearly right", "#/$defs/Thinng", "dangling-reference", `a.schema.json defines no "Thinng"`, `did you mean "Thing"?`},
		{"a name in another case", "#/$defs/thing", "dangling-reference", `defines no "thing"`, `did you mean "Thing"?`},
		{"under the other keyword", "#/definitions/Thing", "dangling-reference", "a.schema.json has Thing under $defs", `write "#/$defs/Thing"`},
		{"a name that another file has", "#/$defs/Other", "dangling-reference", `a.schema.json defines no "Other"`, `b.schema.json has it: write "b.schema.json#/$defs/Other", or set sharedDefinitions`},
		{"an empty name", "#/$defs/", "dangling-reference", `defines no ""`, "the name is empty"},
		{"inside a definition", "#/$defs/Thing/properties/a", "unsupported-reference", "points inside a definition", "move the target into $defs"},
		{"an ordinary member", "#/properties/a", "unsupported-reference", "points inside a definition", ""},
		{"only $defs", "#/$defs", "unsupported-reference", "points inside a definition", ""},
		{"an anchor", "#thing", "dangling-reference", "has this anchor", "or use a JSON pointer"},
		{"a pointer without its slash", "#$defs/Thing", "dangling-reference", "has this anchor", `write "#/$defs/Thing"`},
		{"a broken escape", "#/$defs/%zz", "unsupported-reference", "is not a JSON pointer", ""},
		{"the root of a container", "#", "dangling-reference", "the root of a.schema.json is no schema of its own", "refer to one of its $defs"},
		{"nothing", "", "dangling-reference", "is no schema of its own", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags diag.List
			set := files{
				"a.schema.json": fmt.Sprintf("{\"$defs\": {\"Thing\": {},\n\"User\": {\"$ref\": %q}}}", c.ref), "b.schema.json": `{"$defs": {"Other": {}}}`,
			}.read(t, false, &diags)
			require.Equal(t, 1, diags.Len(), "%v", diags.Sorted())
			d := diags.Sorted()[0]
			require.Equal(t, c.code, d.Code)
			require.Equal(t, diag.Pos{File: "in/a.schema.json", Line: 2, Col: 18}, d.Pos)
			require.Contains(t, d.Message, c.message)
			require.Contains(t, d.Hint, c.hint)
			require.Nil(t, set.Lookup("User").Schema.Ref.Target)
		})
	}
}

func TestSharedDefinitionsAreFoundAcrossFiles(t *testing.T) {
	folder := files{"a.schema.json": `{"$defs": {"User": {"$ref": "#/$defs/Other"}}}`, "b.schema.json": `{"$defs": {"Other": {}}}`}
	var diags diag.List
	set := folder.read(t, true, &diags)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	require.Same(t, set.Lookup("Other"), set.Lookup("User").Schema.Ref.Target)
}

func TestReferencesInEqualCopiesAreChecked(t *testing.T) {
	const user = `"User": {"type": "object", "properties": {"a": {"items": {"oneOf": [{"$ref": "#/$defs/Thing"}]}}}}`
	var diags diag.List
	files{"a.schema.json": `{"$defs": {` + user + `, "Thing": {}}}`, "b.schema.json": `{"$defs": {` + user + `}}`}.read(t, false, &diags)
	require.Equal(t, []string{`in/b.schema.json:1:89: reference "#/$defs/Thing": b.schema.json defines no "Thing"`}, printed(&diags))
}

// FuzzLoad reads any bytes as a schema file, together with one that refers to it and repeats it.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"$defs": {"A": {"$ref": "#/$defs/A"}}}`, `{"definitions": {"": {"$ref": ""}, "b": true, "c": 1}}`,
		`{"$id": "https://e/x", "title": "T", "type": ["string", "null"], "$defs": {"T": {"$ref": "https://e/x"}}}`,
		`{"$defs": {"A": {"type": "object", "properties": {"type": {"enum": [1, "a", null]}, "$ref": {"const": {}}}, "required": ["type"]}}}`,
		`{"$defs": {"A": {"oneOf": [{"$ref": "#/$defs/B"}, {"allOf": [{}]}], "anyOf": 1, "x-y": 2, "not": {}}}}`,
		`{"$defs": {"A": {"$ref": "%"}, "B": {"$ref": "../x"}, "C": {"$ref": "#/$defs/%00"}, "D": {"items": {"$ref": "b.schema.json"}}}}`,
		`{"$schema": "x", "$defs": {"A": {"additionalProperties": {"discriminator": {"propertyName": "a"}}, "$defs": {}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := files{"a.schema.json": string(data), "b.schema.json": `{"$defs": {"A": {"$ref": "a.schema.json#/$defs/A"}}}`}
		var diags, again diag.List
		first := folder.read(t, false, &diags)
		second := folder.read(t, false, &again)
		require.Equal(t, diags.Sorted(), again.Sorted())
		require.Equal(t, names(first), names(second))
		for i, def := range first.Definitions() {
			other := second.Definitions()[i]
			require.NotNil(t, def.Schema, "%s is not parsed", def.Name)
			require.Equal(t, def.Pos, other.Pos)
			require.True(t, def.Node.Equal(other.Node))
			requireSameSchema(t, def.Schema, other.Schema)
		}
	})
}

// requireSameSchema compares without following references, which may lead in circles.
func requireSameSchema(t *testing.T, a, b *schema.Schema) {
	t.Helper()
	require.Equal(t, a == nil, b == nil)
	if a == nil {
		return
	}
	require.Equal(t, a.Pos, b.Pos)
	require.Equal(t, []any{a.Any, a.Never, a.Types, a.Title, a.Format, a.Discriminator, len(a.Limits), len(a.Vendor), len(a.Enum), len(a.Required)},
		[]any{b.Any, b.Never, b.Types, b.Title, b.Format, b.Discriminator, len(b.Limits), len(b.Vendor), len(b.Enum), len(b.Required)})
	require.Equal(t, a.Ref == nil, b.Ref == nil)
	if a.Ref != nil {
		require.Equal(t, a.Ref.Text, b.Ref.Text)
		require.Equal(t, a.Ref.Target == nil, b.Ref.Target == nil)
		if a.Ref.Target != nil {
			require.Equal(t, a.Ref.Target.Pos, b.Ref.Target.Pos)
		}
	}
	require.Len(t, b.Properties, len(a.Properties))
	for i, p := range a.Properties {
		require.Equal(t, p.Name, b.Properties[i].Name)
		requireSameSchema(t, p.Schema, b.Properties[i].Schema)
	}
	requireSameSchema(t, a.Additional, b.Additional)
	requireSameSchema(t, a.Items, b.Items)
	for _, pair := range [][2][]*schema.Schema{{a.OneOf, b.OneOf}, {a.AnyOf, b.AnyOf}, {a.AllOf, b.AllOf}} {
		require.Len(t, pair[1], len(pair[0]))
		for i := range pair[0] {
			requireSameSchema(t, pair[0][i], pair[1][i])
		}
	}
}
