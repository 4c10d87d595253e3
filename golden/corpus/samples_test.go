// Tests on the corpus of protocols that are not AHP: every version is generated with the profile of its protocol, and what
// its schemas allow comes back as it was.

package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
)

// TestSamplesOfOtherProtocols generates every version of a protocol in the corpus, twice, and has samples of all
// definitions and the instances that come with it go through the packages: as they are, and with members that no schema
// declares, large numbers and nulls in every object.
func TestSamplesOfOtherProtocols(t *testing.T) {
	const protocol = "acp"
	folders, err := filepath.Glob(filepath.Join(kit.Corpus(t), protocol, "*", "schema.json"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	module := kit.Place(t)
	kit.WriteFile(t, filepath.Join(module, "go.mod"), "module corpus\n\ngo 1.24\n")
	var table strings.Builder
	for _, file := range folders {
		folder := filepath.Dir(file)
		name := strings.ReplaceAll(filepath.Base(folder), "-", "_")
		config := generator.Config{Schemas: folder, Profile: protocol, Out: filepath.Join(module, name), Package: name, Runtime: filepath.Join(module, "wire")}
		plan := kit.Generate(t, config)
		require.Zero(t, changed(kit.Generate(t, config)), "%s: a second run differs", name)
		kit.WriteFile(t, filepath.Join(module, name+"_decoders_test.go"), decoderTable(t, plan, name, "decoders_"+name))
		kit.WriteFile(t, filepath.Join(module, name+"_samples.json"), string(samplesOf(t, config)))
		fmt.Fprintf(&table, "\t%q: decoders_%s,\n", name, name)
	}
	kit.WriteFile(t, filepath.Join(module, "packages_test.go"), "package corpus\n\nimport \"corpus/wire\"\n\nvar packages = map[string]decoderTable{\n"+
		table.String()+"}\n\nfunc hearOf(hear func(error)) {\n\twire.OnForgiven(func(err *wire.DecodeError) { hear(err) })\n}\n")
	tests, err := os.ReadFile(filepath.Join("testdata", "corpus", "samples_test.go"))
	require.NoError(t, err)
	kit.WriteFile(t, filepath.Join(module, "samples_test.go"), string(tests))
	t.Setenv("INSTANCES", filepath.Join(kit.Corpus(t), protocol))
	t.Log(kit.TestEmitted(t, module, "-v", "."))
}

// changed counts the files that a plan would write.
func changed(plan *generator.Plan) int {
	n := 0
	for _, f := range plan.Files {
		if string(f.Old) != string(f.New) {
			n++
		}
	}
	return n
}

// samplesOf writes the samples of all definitions that are types of the package, as they are and with additions.
func samplesOf(t *testing.T, config generator.Config) []byte {
	t.Helper()
	var diags diag.List
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	meaning, err := g.Analyze()
	require.NoError(t, err, "%s", diags.Sorted())
	set := parsedWith(t, config.Schemas, config.Profile)
	all := map[string][]any{}
	for _, complete := range []func(map[string]any){
		nil,
		func(object map[string]any) {
			object["_meta"] = map[string]any{"large": json.Number("9007199254740993"), "none": nil, "deep": map[string]any{"list": []any{nil}}}
			object["x-undeclared"] = map[string]any{"large": json.Number("9007199254740993"), "none": nil}
		},
		func(object map[string]any) { object["_meta"], object["x-undeclared"] = nil, nil },
	} {
		g := &sampler{object: complete}
		for _, def := range set.Definitions() {
			of := meaning.Lookup(def.Name)
			if of == nil {
				continue // it is left out
			}
			for _, v := range g.definition(def) {
				addTag(v, of)
				all[def.Name] = append(all[def.Name], v)
			}
		}
	}
	return kit.ToJSON(t, all)
}

// parsedWith parses the schemas of a folder with a profile's statements about how they are written.
func parsedWith(t *testing.T, folder, profile string) *inside.Set {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "schemas", profile, "profile.json"))
	require.NoError(t, err)
	var stated struct {
		Keywords map[string]inside.Meaning
		Unions   struct{ Unknown []inside.Mark }
	}
	require.NoError(t, json.Unmarshal(text, &stated))
	var diags diag.List
	set, found, err := inside.Load(os.DirFS(folder), folder, nil)
	diags.Add(found...)
	require.NoError(t, err)
	set.Foreign(stated.Keywords, nil)
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(inside.Options{Profile: true, Unknown: stated.Unions.Unknown}, nil)...)
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	return set
}

// addTag adds the constants that a definition has from the only alternative that takes it in.
func addTag(v any, t protocol.Type) {
	object, _ := v.(map[string]any)
	s, ok := t.(*protocol.Struct)
	if !ok || object == nil {
		return
	}
	for _, f := range s.Fields {
		if _, there := object[f.Name]; f.Const == nil || there {
			continue
		}
		switch f.Const.Kind {
		case protocol.Integer:
			object[f.Name] = f.Const.Int
		case protocol.Bool:
			object[f.Name] = f.Const.Bool
		default:
			object[f.Name] = f.Const.Str
		}
	}
}
