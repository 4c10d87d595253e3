// Random values of published protocols, which another validator has to accept.

package corpus

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// randomOf are the protocols, with a profile if they need one. What raw names, as definition and path, is raw JSON in Go, so
// that its random values are any JSON, whatever the schema says.
var randomOf = []struct {
	schema, profile string
	raw             map[string][]string
}{
	{"dap/debugAdapterProtocol.json", `{"name": "dap", "title": "DAP", "ignoreKeywords": ["_enum", "enumDescriptions"], "unions": {"undecided": "raw"}}`, map[string][]string{
		"RunInTerminalRequestArguments": {"properties/env/additionalProperties"}, // may be null
		"RestartArguments":              {"properties/arguments"},                // an undecided union
	}},
	{"a2a/a2a.json", `{"name": "a2a", "title": "A2A", "unions": {"undecided": "raw"}}`, map[string][]string{
		"DeleteTaskPushNotificationConfigSuccessResponse": {"properties/result"}, // null
		"GetTaskPushNotificationConfigRequest":            {"properties/params"}, // an undecided union
	}},
	{"mcp/2024-11-05/schema.json", "mcp", map[string][]string{"Tool": {"properties/inputSchema"}}}, // raw in the profile
	{"mcp/2025-03-26/schema.json", "mcp", map[string][]string{"Tool": {"properties/inputSchema"}}},
	{"mcp/2025-06-18/schema.json", "mcp", map[string][]string{"Tool": {"properties/inputSchema", "properties/outputSchema"}}},
	{"mcp/2025-11-25/schema.json", "mcp", map[string][]string{"Tool": {"properties/inputSchema", "properties/outputSchema"}}},
	{"mcp/2026-07-28/schema.json", "mcp", map[string][]string{"Tool": {"properties/inputSchema", "properties/outputSchema"}}},
}

// randomProgram writes random values, a line for each: the definition, a tab, and the value. They have come back the same.
const randomProgram = `package p_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"reflect"
	"testing"

	p %[1]q
	"%[1]s/prandom"
)

type value interface{ AppendJSON([]byte) ([]byte, error) }

func write[T any, P interface {
	*T
	value
	UnmarshalJSON([]byte) error
}](t *testing.T, w *bufio.Writer, definition string) {
	h := fnv.New64a()
	h.Write([]byte(definition))
	r := rand.New(rand.NewSource(int64(h.Sum64())))
	for range %[2]d {
		v := prandom.Of[T](r)
		if can, ok := any(P(&v)).(interface{ Validate() error }); ok {
			if err := can.Validate(); err != nil {
				t.Fatalf("%%s: %%s", definition, err)
			}
		}
		text, err := P(&v).AppendJSON(nil)
		if err != nil {
			t.Fatalf("%%s: %%s", definition, err)
		}
		back := P(new(T))
		if err := back.UnmarshalJSON(text); err != nil {
			t.Fatalf("%%s: %%s: %%s", definition, text, err)
		}
		if again, err := back.AppendJSON(nil); err != nil || !same(again, text) {
			t.Fatalf("%%s: %%s came back as %%s, %%v", definition, text, again, err)
		}
		fmt.Fprintf(w, "%%s\t%%s\n", definition, text)
	}
}

// same ignores the order of members: what is valid for two alternatives may come back as the other one.
func same(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func TestWrite(t *testing.T) {
	f, err := os.Create("values.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	%[3]s
	if w.Flush() != nil || f.Close() != nil {
		t.Fatal("not written")
	}
}
`

// TestRandomValuesSatisfyTheirSchemas makes values of each object and has an independent validator check them.
func TestRandomValuesSatisfyTheirSchemas(t *testing.T) {
	const each = 30
	corpus := kit.Corpus(t)
	module := kit.NewModule(t)
	for i, c := range randomOf {
		text, err := os.ReadFile(filepath.Join(corpus, c.schema))
		require.NoError(t, err)
		dir := filepath.Join(module, fmt.Sprintf("p%d", i))
		kit.WriteFile(t, filepath.Join(dir, "schema", "schema.json"), string(text))
		profile := c.profile
		if strings.HasPrefix(profile, "{") {
			profile = "profile.json"
			kit.WriteFile(t, filepath.Join(dir, profile), c.profile)
		}
		path := filepath.Join(dir, generator.ConfigName)
		kit.WriteFile(t, path, fmt.Sprintf(`{"schemas": "schema", "profile": %q, "out": ".", "package": "p", "runtime": "../wire", "parts": ["random"]}`, profile))
		var diags diag.List
		config, err := generator.ReadConfig(path, &diags)
		require.NoError(t, err)
		kit.Generate(t, config)
		structs, definitions := kit.Structs(t, dir), definitionsOf(t, text)
		var calls []string
		for _, name := range slices.Sorted(maps.Keys(structs)) {
			if definitions[name] == nil {
				continue // the profile adds it
			}
			calls = append(calls, fmt.Sprintf("write[p.%s](t, w, %q)", structs[name], name))
		}
		require.NotEmpty(t, calls)
		kit.WriteFile(t, filepath.Join(dir, "random_test.go"), fmt.Sprintf(randomProgram, fmt.Sprintf("golden/p%d", i), each, strings.Join(calls, "\n\t")))
	}
	kit.TestEmitted(t, module, "./...")
	for i, c := range randomOf {
		checkValues(t, filepath.Join(module, fmt.Sprintf("p%d", i)), c.schema, c.raw)
	}
}

// definitionsOf returns the definitions of a schema.
func definitionsOf(t *testing.T, text []byte) map[string]json.RawMessage {
	var schema struct {
		Defs        map[string]json.RawMessage `json:"$defs"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	require.NoError(t, json.Unmarshal(text, &schema))
	if schema.Definitions == nil {
		return schema.Defs
	}
	return schema.Definitions
}

// withoutRaw returns a schema that says nothing about what is raw JSON in Go.
func withoutRaw(t *testing.T, text []byte, raw map[string][]string) (schema []byte, definitions string) {
	var root map[string]any
	require.NoError(t, json.Unmarshal(text, &root))
	definitions = "definitions"
	if root[definitions] == nil {
		definitions = "$defs"
	}
	for name, paths := range raw {
		for _, path := range paths {
			at := root[definitions].(map[string]any)[name].(map[string]any)
			keys := strings.Split(path, "/")
			for _, key := range keys[:len(keys)-1] {
				at = at[key].(map[string]any)
			}
			last := keys[len(keys)-1]
			require.NotNil(t, at[last], path)
			at[last] = map[string]any{}
		}
	}
	return kit.ToJSON(t, root), definitions
}

// repaired returns a schema of MCP as the profile repairs it: number for integer, and null among values of several types.
func repaired(t *testing.T, text []byte) []byte {
	var root any
	require.NoError(t, json.Unmarshal(text, &root))
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, member := range v {
				walk(member)
			}
			switch types := v["type"].(type) {
			case string:
				if types == "integer" {
					v["type"] = "number"
				}
			case []any:
				if i := slices.Index(types, any("integer")); i >= 0 {
					types[i] = "number"
				}
				if len(types) == 3 {
					v["type"] = append(types, "null")
				}
			}
		}
	}
	walk(root)
	return kit.ToJSON(t, root)
}

// checkValues validates the values that the program in a folder wrote.
func checkValues(t *testing.T, dir, schema string, raw map[string][]string) {
	text, err := os.ReadFile(filepath.Join(dir, "schema", "schema.json"))
	require.NoError(t, err)
	if strings.HasPrefix(schema, "mcp/") {
		text = repaired(t, text)
	}
	text, definitions := withoutRaw(t, text, raw)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("mem:///schema.json", bytes.NewReader(text)))
	f, err := os.Open(filepath.Join(dir, "values.txt"))
	require.NoError(t, err)
	defer f.Close()
	compiled := map[string]*jsonschema.Schema{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	n := 0
	for ; lines.Scan(); n++ {
		name, value, _ := strings.Cut(lines.Text(), "\t")
		if compiled[name] == nil {
			compiled[name], err = compiler.Compile("mem:///schema.json#/" + definitions + "/" + name)
			require.NoError(t, err)
		}
		d := json.NewDecoder(strings.NewReader(value))
		d.UseNumber()
		var v any
		require.NoError(t, d.Decode(&v))
		if err := compiled[name].Validate(v); err != nil {
			t.Errorf("%s: %.2000s", schema, fmt.Sprintf("%s: %#v\n%s", name, err, value))
		}
	}
	require.NoError(t, lines.Err())
	require.NotZero(t, n)
	t.Logf("%s: %d values of %d definitions", schema, n, len(compiled))
}
