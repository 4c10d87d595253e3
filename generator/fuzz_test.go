package generator_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/emit"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/golden/exported"
)

// fuzzSeeds are accepted schemas, one for each kind of declaration, and texts that try to be code.
var fuzzSeeds = map[string]string{
	"nothing": `{}`,
	"object": `{"$defs": {"Thing": {"type": "object", "description": "A thing.", "required": ["id"],
		"properties": {"id": {"type": "string"}, "size": {"type": "integer"}, "ok": {"type": "boolean"}, "other": {"$ref": "#/$defs/Thing"}}}}}`,
	"presence": `{"$defs": {"Maybe": {"type": "object", "required": ["b"], "properties": {
		"a": {"type": ["string", "null"]}, "b": {"type": ["number", "null"]}, "c": {"anyOf": [{"$ref": "#/$defs/Other"}, {"type": "null"}]}, "d": {}}},
		"Other": {"type": "object", "properties": {"x": {"type": "string"}}}}}`,
	"lists and maps": `{"definitions": {"Bag": {"type": "object", "properties": {
		"list": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
		"map": {"type": "object", "additionalProperties": {"type": "integer"}}}, "additionalProperties": {"type": "boolean"}}}}`,
	"enum": `{"$defs": {"Color": {"type": "string", "enum": ["red", "dark blue", "", "+", "2x", "type"]}, "Level": {"type": "integer", "enum": [-1, 0, 7]}}}`,
	"tagged union": `{"$defs": {
		"A": {"type": "object", "required": ["type"], "properties": {"type": {"const": "a"}, "x": {"type": "string"}}},
		"B": {"type": "object", "required": ["type"], "properties": {"type": {"const": "b"}}},
		"AB": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}], "discriminator": {"propertyName": "type"}}}}`,
	"union of unions": `{"$defs": {
		"A": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "a"}}},
		"B": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "b"}}},
		"C": {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "c"}}},
		"AB": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
		"All": {"anyOf": [{"$ref": "#/$defs/AB"}, {"$ref": "#/$defs/C"}]}}}`,
	"union by token": `{"$defs": {
		"Content": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"$ref": "#/$defs/O"}]},
		"O": {"type": "object", "properties": {"content": {"$ref": "#/$defs/Content"}}}}}`,
	"union by member": `{"$defs": {
		"A": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}},
		"B": {"type": "object", "required": ["b"], "properties": {"b": {"type": "string"}}},
		"U": {"oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}}}`,
	"composition": `{"$defs": {
		"Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
		"Whole": {"allOf": [{"$ref": "#/$defs/Base"}, {"type": "object", "properties": {"name": {"type": "string"}}}]},
		"Name": {"$ref": "#/$defs/Text"}, "Text": {"type": "string"}}}`,
	"odd names": `{"$defs": {"func": {"type": "object", "properties": {
		"type": {"type": "string"}, "": {"type": "string"}, "$-1": {"type": "string"}, "größe": {"type": "string"}, "日本": {"type": "string"},
		"a\"b": {"type": "string"}, "back` + "`" + `quote": {"type": "string"}, "zero\u200bwidth": {"type": "string"}, "\u3164": {"type": "string"}, "%s": {"type": "string"}}},
		"string": {"type": "string", "enum": ["a\u0000b", "\u202e", "\\"]}}}`,
	"odd descriptions": `{"description": "*/ package x", "$defs": {"T": {"description": "*/\nfunc init() {}\r\n//go:generate rm\n\u2028\u202e ` + "```" + `\n//go:build x",
		"type": "object", "properties": {"a": {"description": "// +build x\n//line a.go:1\n{@link T | text}", "type": "string"}}}}}`,
	"inline types": `{"$defs": {"T": {"type": "object", "properties": {
		"state": {"type": "object", "properties": {"mode": {"enum": ["on", "off"]}}},
		"items": {"type": "array", "items": {"type": "object", "properties": {"$ref": {"type": "string"}}}}}}}}`,
	"optional self": `{"$defs":{"A":{"type":"object","properties":{"c":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}}}`,
	"required self that may be null": `{"$defs":{"A":{"type":"object","required":["c"],
		"properties":{"c":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}}}`,
	"members named by symbols": `{"$defs":{"A":{"type":"object","required":["+","-"],"properties":{"+":{"type":"string"},
		"-":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}}}`,
	"variants named by symbols": `{"$defs":{"A":{"type":"object","required":["+"],"properties":{"+":{"const":"+"}}},
		"B":{"type":"object","required":["+","-"],"properties":{"+":{"const":"-"},"-":{"type":"integer"}}},
		"U":{"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}}}`,
	"vocabulary": `{"x-protocol": {"name": "p", "title": "P", "version": "1.0", "supported": ["1.0"]}, "x-initialisms": ["PTY"], "x-channels": [{"name": "log"}], "$defs": {
		"Chat": {"type": "object", "properties": {"ptys": {"type": "integer", "x-go-name": "Terminals"}}, "x-channel": {"name": "chat", "uri": "chat:/", "prefix": "c/"}},
		"Say": {"type": "object", "required": ["t"], "properties": {"t": {"const": "c/say"}}, "x-since": "1.0", "x-client-dispatchable": true},
		"Hear": {"type": "object", "required": ["t"], "properties": {"t": {"const": "c/hear"}}, "x-since": "1.0"},
		"Action": {"oneOf": [{"$ref": "#/$defs/Say"}, {"$ref": "#/$defs/Hear"}, {"x-unknown": true}], "x-actions": {"client": "ClientAction"}, "x-tag": "ActionType"}, "ActionType": {"enum": ["c/say", "c/hear"]},
		"Flags": {"type": "integer", "x-bitset": {"read": 1, "write": 2}}, "Base": {"type": "object", "properties": {"f": {"$ref": "#/$defs/Flags"}}, "x-abstract": true},
		"Params": {"allOf": [{"$ref": "#/$defs/Base"}], "properties": {"n": {"type": "string"}}, "x-method": "do", "x-side": "host", "x-result": "Chat"},
		"ChatPatch": {"type": "object", "properties": {"ptys": {"type": "integer"}}, "x-partial-of": "Chat", "x-go-name": "ChatChange"},
		"Codes": {"enum": [-1, -2], "x-error-codes": true, "x-enum-names": ["NotFound", "Denied"], "x-error-data": {"-2": "Chat"}}}}`,
	"conversation": `{"x-protocol":{"name":"desk","title":"Desk Protocol","version":"1.1.0","supported":["1.1.0","1.0.0"]},"x-handshake":{"method":"open","offer":"versions","answer":"version","error":-32005,"supported":"supported"},"x-extensions":{"prefix":"_","meta":"_meta"},"x-channels":[{"name":"tools","uri":"tools://<id>","passThrough":"channel"}],"$defs":{"OpenParams":{"x-method":"open","x-side":"host","x-result":"OpenResult","x-since":"1.0.0","type":"object","properties":{"versions":{"type":"array","items":{"type":"string"}},"_meta":{"type":"object"}},"required":["versions"]},
		"OpenResult":{"type":"object","properties":{"version":{"type":"string"}},"required":["version"]},
		"DispatchParams":{"x-method":"desk/dispatch","x-side":"host","x-notification":true,"x-since":"1.0.0","type":"object","properties":{"action":{"$ref":"#/$defs/DeskAction","x-dispatched":true}},"required":["action"]},
		"HappenedParams":{"x-method":"happened","x-side":"client","x-notification":true,"x-since":"1.0.0","type":"object","properties":{"action":{"$ref":"#/$defs/DeskAction"}},"required":["action"]},
		"DeskState":{"x-channel":{"name":"top","uri":"desk:/","prefix":"desk/"},"type":"object","properties":{}},
		"DeskAction":{"x-actions":{"client":"ClientAction"},"discriminator":{"propertyName":"type"},"oneOf":[{"$ref":"#/$defs/RangAction"},{"$ref":"#/$defs/OpenedAction"},{"type":"object","properties":{"type":{"type":"string","not":{"enum":["desk/rang","desk/opened"]}}},"required":["type"],"x-unknown":true}]},
		"RangAction":{"x-since":"1.0.0","x-client-dispatchable":true,"type":"object","properties":{"type":{"const":"desk/rang"}},"required":["type"]},
		"OpenedAction":{"x-since":"1.1.0","type":"object","properties":{"type":{"const":"desk/opened"}},"required":["type"]},
		"Codes":{"type":"integer","enum":[-32005,-32006],"x-enum-names":["NoVersion",
		"Closed"],"x-error-codes":true,"x-error-data":{"-32005":"NoVersionData"}},
		"NoVersionData":{"type":"object","properties":{"supported":{"type":"array","items":{"type":"string"}}},"required":["supported"]}}}`,
	"list of itself through an object":  `{"$defs":{"L":{"type":"array","items":{"$ref":"#/$defs/O"}},"O":{"type":"object","properties":{"l":{"$ref":"#/$defs/L"}}}}}`,
	"union of itself through an object": `{"$defs":{"U":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/U"}}]}}}`,
}

// refusedSeeds lead in circles. They stopped the generator or the program once.
var refusedSeeds = map[string]refusal{
	"two aliases": {`{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}`, []string{
		"in/fuzz.schema.json:1:12: definition A only refers to itself", "in/fuzz.schema.json:1:40: definition B only refers to itself",
	}},
	"an alias of itself": {`{"$defs":{"B":{"$ref":"#/$defs/B"}}}`, []string{"in/fuzz.schema.json:1:11: definition B only refers to itself"}},
	"a union beside its variant": {`{"$defs":{"A":{"type":"object"},"B":{"oneOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/B"}]}}}`, []string{
		"in/fuzz.schema.json:1:33: union B is an alternative of itself",
	}},
	"two unions": {`{"$defs":{"B":{"anyOf":[{"$ref":"#/$defs/C"},{"type":"string"}]},"C":{"anyOf":[{"$ref":"#/$defs/B"},{"type":"number"}]}}}`, []string{
		"in/fuzz.schema.json:1:11: union B is an alternative of itself", "in/fuzz.schema.json:1:66: union C is an alternative of itself",
	}},
	"a list":   {`{"$defs":{"B":{"type":"array","items":{"$ref":"#/$defs/B"}}}}`, []string{"in/fuzz.schema.json:1:11: B only contains itself"}},
	"a map":    {`{"$defs":{"B":{"type":"object","additionalProperties":{"$ref":"#/$defs/B"}}}}`, []string{"in/fuzz.schema.json:1:11: B only contains itself"}},
	"a choice": {`{"$defs":{"B":{"oneOf":[{"$ref":"#/$defs/B"}]}}}`, []string{"in/fuzz.schema.json:1:11: union B is an alternative of itself"}},
	"a list of maps of another name": {`{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"array","items":{"additionalProperties":{"$ref":"#/$defs/A"}}}}}`, []string{
		"in/fuzz.schema.json:1:36: B only contains itself",
	}},
	"a required member": {`{"$defs":{"A":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/A"}}}}}`, []string{
		"in/fuzz.schema.json:1:63: A requires a value of its own type: no value can be finite",
	}},
	"200 aliases": aliases(200),
	"a base of itself": {`{"$defs":{"A":{"type":"object","allOf":[{"$ref":"#/$defs/A"}]}}}`, []string{
		"in/fuzz.schema.json:1:41: the schema is its own base",
	}},
}

// refusal is a schema and its diagnostics.
type refusal struct {
	text string
	want []string
}

// aliases returns a circle of n definitions that only name the next, one on each line.
func aliases(n int) refusal {
	var out refusal
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`"A%d":{"$ref":"#/$defs/A%d"}`, i, (i+1)%n))
		out.want = append(out.want, fmt.Sprintf("in/fuzz.schema.json:%d:1: definition A%d only refers to itself", i+2, i))
	}
	out.text = "{\"$defs\":{\n" + strings.Join(lines, ",\n") + "}}"
	return out
}

// generateBytes takes one schema file through every stage. Either there are files, or diags says why not.
func generateBytes(t *testing.T, data []byte) ([]emit.Output, *diag.List) {
	t.Helper()
	diags := &diag.List{}
	set, loaded, err := schema.Load(fstest.MapFS{"fuzz.schema.json": {Data: data}}, "in", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	if diags.HasErrors() {
		return nil, diags
	}
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.Equal(t, p == nil, diags.HasErrors(), "analyze gives a result or says why not: %v", diags.Sorted())
	if p == nil {
		return nil, diags
	}
	pkg, found := golang.Build(p, golang.Options{Package: "fuzz", Wire: floor, WireDir: "wire"})
	diags.Add(found...)
	require.Equal(t, pkg == nil, diags.HasErrors(), "golang gives a result or says why not: %v", diags.Sorted())
	if pkg == nil {
		return nil, diags
	}
	files, err := emit.Files(pkg)
	require.NoError(t, err)
	return append(files, handWritten(pkg)...), diags
}

// handWritten returns what the user adds to a package: the reducers that cannot be generated.
func handWritten(pkg *golang.Package) []emit.Output {
	if pkg.Reducers == nil {
		return nil
	}
	text := "// Code generated by a test. DO NOT EDIT.\n\npackage fuzz\n"
	for _, c := range pkg.Reducers.Channels {
		for _, a := range pkg.Reducers.Hand(c) {
			text += fmt.Sprintf("\nfunc (r *%s) %s(s *%s, a *%s) *%s { return s }\n", pkg.Own("Reducer"), a.Method, c.State.Name, a.Action.Name, c.State.Name)
		}
	}
	return []emit.Output{{Name: "reducers.go", Content: []byte(text)}}
}

// floor is what emitted packages rest on, where it stands: its text is emitted as it is.
const floor = "github.com/ahpgen/ahpgen/templates/wire"

// imports are the floor and the standard library for the type checker, each package read once.
var imports = sync.OnceValues(func() (types.Importer, error) {
	files, err := exported.Files(".", floor+"/...")
	return exported.Importer(files), err
})

// checkGo parses and type-checks emitted files together.
func checkGo(t *testing.T, files []emit.Output) {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(fset, f.Name, f.Content, parser.ParseComments|parser.SkipObjectResolution)
		require.NoErrorf(t, err, "%s", f.Content)
		require.True(t, ast.IsGenerated(file), "%s does not say that it is generated", f.Name)
		if strings.HasPrefix(f.Name, "wire/") {
			continue // imported
		}
		parsed = append(parsed, file)
	}
	there, err := imports()
	require.NoError(t, err)
	_, err = (&types.Config{Importer: there}).Check("fuzz", fset, parsed, nil)
	require.NoError(t, err)
}

// TestSeedsAreAccepted keeps the seeds of FuzzGenerate worth something: each reaches the last stage.
func TestSeedsAreAccepted(t *testing.T) {
	for name, text := range fuzzSeeds {
		t.Run(name, func(t *testing.T) {
			files, diags := generateBytes(t, []byte(text))
			require.NotEmpty(t, files, "%v", diags.Sorted())
			checkGo(t, files)
		})
	}
}

func TestCirclesAreRefusedWhereTheyStand(t *testing.T) {
	for name, c := range refusedSeeds {
		t.Run(name, func(t *testing.T) {
			files, diags := generateBytes(t, []byte(c.text))
			require.Empty(t, files)
			var got []string
			for _, d := range diags.Sorted() {
				require.NotEmpty(t, d.Hint)
				d.Hint = ""
				got = append(got, d.String())
			}
			require.Equal(t, c.want, got)
		})
	}
}

// FuzzGenerate feeds any bytes to the whole generator. It never panics, what it emits is Go, and a
// second run says the same.
func FuzzGenerate(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(fuzzSeeds)) {
		f.Add([]byte(fuzzSeeds[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(refusedSeeds)) {
		f.Add([]byte(refusedSeeds[name].text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		files, diags := generateBytes(t, data)
		again, diagsAgain := generateBytes(t, data)
		require.Equal(t, diags.Sorted(), diagsAgain.Sorted())
		require.Equal(t, files, again)
		if len(files) > 0 {
			checkGo(t, files)
		}
	})
}
