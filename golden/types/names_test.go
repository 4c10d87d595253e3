// Tests of definitions that are called like something that a package has of its own.

package types

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// kinds are what a definition may be, as JSON Schema.
var kinds = map[string]string{
	"struct": `{"type": "object", "properties": {"text": {"type": "string"}, "next": {"$ref": "#/$defs/%[1]s"}}, "required": ["text"]}`,
	"union":  `{"discriminator": {"propertyName": "kind"}, "oneOf": [{"$ref": "#/$defs/Dot"}, {"$ref": "#/$defs/Line"}]}`,
	"enum":   `{"enum": ["one", "two"]}`,
}

// TestDefinitionsMayHaveAnyName generates the protocol of names.txtar with a definition of each name, once for
// each kind, and compares what the packages call their own. All of it compiles, and that with
// objects works; the other kinds are tried as well if the tests are thorough.
func TestDefinitionsMayHaveAnyName(t *testing.T) {
	kit.Long(t)
	archive, err := txtar.ParseFile("testdata/names.txtar")
	require.NoError(t, err)
	var schema map[string]any
	var names []string
	files := map[string]string{}
	for _, f := range archive.Files {
		switch f.Name {
		case "schema/desk.schema.json":
			require.NoError(t, json.Unmarshal(f.Data, &schema))
		case "names":
			names = strings.Fields(string(f.Data))
		default:
			files[f.Name] = string(f.Data)
		}
	}
	module := kit.NewModule(t)
	plain := namedPackage(t, module, "plain", schema, "struct", nil)
	var got []txtar.File
	for kind := range kinds {
		all := namedPackage(t, module, kind, schema, kind, names)
		var own []string
		for _, line := range all {
			if !slices.Contains(plain, line) && strings.Contains(line, "Desk") {
				own = append(own, line)
			}
		}
		got = append(got, txtar.File{Name: "want/" + kind, Data: []byte(strings.Join(own, "\n") + "\n")})
		kit.WriteFile(t, filepath.Join(module, kind, "own_test.go"), files["own_test.go"])
	}
	slices.SortFunc(got, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	kit.CompareFiles(t, "testdata/names.txtar", archive, got)
	kit.Emitted(t, module, "vet", "./...")
	tested := "./struct"
	if *kit.Thorough {
		tested = "./..."
	}
	kit.TestEmitted(t, module, tested)
}

// namedPackage generates the protocol with definitions of a kind, and an object that uses each in every
// way, and returns what the package exports.
func namedPackage(t *testing.T, module, name string, schema map[string]any, kind string, names []string) []string {
	t.Helper()
	defs := map[string]any{}
	for name, def := range schema["$defs"].(map[string]any) {
		defs[name] = def
	}
	members := map[string]any{}
	for _, name := range names {
		require.NotContains(t, defs, name, "the protocol has a definition of that name")
		defs[name] = json.RawMessage(strings.ReplaceAll(kinds[kind], "%[1]s", name))
		ref := fmt.Sprintf(`{"$ref": "#/$defs/%s"}`, name)
		members["the"+name] = json.RawMessage(ref)
		members["listOf"+name] = json.RawMessage(`{"type": "array", "items": ` + ref + `}`)
		members["mapOf"+name] = json.RawMessage(`{"type": "object", "additionalProperties": ` + ref + `}`)
		members["maybe"+name] = json.RawMessage(`{"oneOf": [` + ref + `, {"type": "null"}]}`)
	}
	defs["Holder"] = map[string]any{"type": "object", "properties": members}
	whole := map[string]any{}
	for key, value := range schema {
		whole[key] = value
	}
	whole["$defs"] = defs
	folder := filepath.Join(module, "schema", name)
	kit.WriteFile(t, filepath.Join(folder, "desk.schema.json"), string(kit.ToJSON(t, whole)))
	out := filepath.Join(module, name)
	kit.Generate(t, generator.Config{
		Schemas: folder, Out: out, Package: "p", Runtime: filepath.Join(out, kit.SharedRuntime), Host: generator.Host{Skeleton: true},
	})
	return kit.Exported(t, out)
}
