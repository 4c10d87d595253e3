// Tests that the comparison sees every change to the protocol and none to how it is written.

package change_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/schemas"
)

// documents are schema files as decoded JSON, by name.
type documents map[string]map[string]any

func embedded(t *testing.T) documents {
	t.Helper()
	folder, _, err := schemas.Protocol("ahp@0.7.0")
	require.NoError(t, err)
	names, err := fs.Glob(folder, "*.json")
	require.NoError(t, err)
	docs := documents{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		var doc map[string]any
		require.NoError(t, json.Unmarshal(data, &doc))
		docs[name] = doc
	}
	return docs
}

func analyse(docs documents) (*protocol.Protocol, *diag.List) {
	folder := fstest.MapFS{}
	for name, doc := range docs {
		data, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		folder[name] = &fstest.MapFile{Data: data}
	}
	var diags diag.List
	set, loaded, err := schema.Load(folder, "schemas", nil)
	diags.Add(loaded...)
	if err != nil {
		panic(err)
	}
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	return understood.Protocol, &diags
}

func definitions(doc map[string]any) map[string]any { return doc["$defs"].(map[string]any) }

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func sorted(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// mutation changes one thing and says what.
type mutation struct {
	what string
	do   func(documents)
}

// mutations lists every change of each kind that the embedded schemas offer.
func mutations(docs documents) map[string][]mutation {
	out := map[string][]mutation{}
	add := func(kind, what string, do func(documents)) { out[kind] = append(out[kind], mutation{what, do}) }
	for _, file := range sorted(toAny(docs)) {
		for _, name := range sorted(definitions(docs[file])) {
			def := object(definitions(docs[file])[name])
			if def["x-abstract"] == true {
				continue
			}
			at := func(d documents) map[string]any { return object(definitions(d[file])[name]) }
			for _, field := range sorted(object(def["properties"])) {
				what := name + "." + field
				property := object(object(def["properties"])[field])
				if property["const"] != nil {
					add("retag", what, func(d documents) { object(object(at(d)["properties"])[field])["const"] = "mutated" })
					continue
				}
				if isTag(def, field) {
					continue
				}
				if !inherited(docs, file, def, field) { // one that a base has too only says it in other words
					add("remove field", what, func(d documents) {
						delete(object(at(d)["properties"]), field)
						dropRequired(at(d), field)
					})
					add("change presence", what, func(d documents) { toggleRequired(at(d), field) })
				}
				add("rename field", what, func(d documents) {
					properties := object(at(d)["properties"])
					properties[field+"Renamed"] = properties[field]
					delete(properties, field)
					renameRequired(at(d), field)
				})
				add("retype field", what, func(d documents) {
					object(at(d)["properties"])[field] = map[string]any{"type": "array", "items": map[string]any{"type": "array", "items": map[string]any{"type": "boolean"}}}
				})
			}
			if def["x-method"] != nil {
				add("rename method", name, func(d documents) { at(d)["x-method"] = "mutated" })
				add("remove method", name, func(d documents) {
					for _, k := range []string{"x-method", "x-side", "x-result", "x-notification", "x-since"} {
						delete(at(d), k)
					}
				})
				add("turn method", name, func(d documents) {
					at(d)["x-side"] = map[any]string{"host": "client", "client": "both", "both": "host"}[at(d)["x-side"]]
				})
			}
			if def["x-client-dispatchable"] == true && def["oneOf"] == nil { // a union only repeats its variants' facts
				add("take dispatch away", name, func(d documents) { delete(at(d), "x-client-dispatchable") })
			}
			if def["x-actions"] != nil {
				for i := range len(def["oneOf"].([]any)) - 1 {
					add("remove action", fmt.Sprintf("%s/%d", name, i), func(d documents) {
						at(d)["oneOf"] = slices.Delete(at(d)["oneOf"].([]any), i, i+1)
					})
				}
			}
			if list, ok := def["enum"].([]any); ok && def["type"] != "string" {
				add("remove error", name, func(d documents) {
					at(d)["enum"] = list[1:]
					at(d)["x-enum-names"] = at(d)["x-enum-names"].([]any)[1:]
					delete(at(d), "x-enum-descriptions")
				})
			}
		}
	}
	return out
}

func toAny(docs documents) map[string]any {
	out := map[string]any{}
	for k, v := range docs {
		out[k] = v
	}
	return out
}

// inherited reports whether a base of the definition declares the field.
func inherited(docs documents, file string, def map[string]any, field string) bool {
	bases, _ := def["allOf"].([]any)
	return slices.ContainsFunc(bases, func(base any) bool {
		where, name, _ := strings.Cut(object(base)["$ref"].(string), "#/$defs/")
		if where == "" {
			where = file
		}
		b := object(definitions(docs[where])[name])
		return object(b["properties"])[field] != nil || inherited(docs, where, b, field)
	})
}

// isTag reports whether a property is a discriminator with several values, which cannot go without
// its union falling apart.
func isTag(def map[string]any, field string) bool {
	p := object(object(def["properties"])[field])
	_, enum := p["enum"]
	return enum
}

func required(def map[string]any) []any {
	list, _ := def["required"].([]any)
	return slices.Clone(list)
}

func setRequired(def map[string]any, list []any) {
	if len(list) == 0 {
		delete(def, "required")
		return
	}
	def["required"] = list
}

func dropRequired(def map[string]any, field string) {
	setRequired(def, slices.DeleteFunc(required(def), func(v any) bool { return v == field }))
}

func renameRequired(def map[string]any, field string) {
	list := required(def)
	for i := range list {
		if list[i] == field {
			list[i] = field + "Renamed"
		}
	}
	setRequired(def, list)
}

func toggleRequired(def map[string]any, field string) {
	list := required(def)
	if slices.Contains(list, any(field)) {
		dropRequired(def, field)
		return
	}
	setRequired(def, append(list, field))
}

var all = flag.Bool("all", false, "make every mutation, which takes a minute, and not some of each kind")

// Heaps may grow before they are collected, which takes a third of the time otherwise: little in them lives long.
func init() { debug.SetGCPercent(800) }

// TestEveryMutationIsSeen changes one thing at a time in the embedded schemas. The result differs,
// or no longer describes a protocol.
func TestEveryMutationIsSeen(t *testing.T) {
	docs := embedded(t)
	base, diags := analyse(docs)
	require.NotNil(t, base, "%v", diags.Sorted())
	text, err := json.Marshal(docs)
	require.NoError(t, err)
	most := 5 // of each kind, spread over the whole; .ci/run tries all
	switch {
	case *all:
		most = math.MaxInt
	case testing.Short():
		most = 3
	}
	for kind, list := range mutations(docs) {
		t.Run(kind, func(t *testing.T) {
			require.NotEmpty(t, list)
			step := max(1, len(list)/most)
			for i := 0; i < len(list); i += step {
				var mutated documents
				require.NoError(t, json.Unmarshal(text, &mutated))
				list[i].do(mutated)
				p, _ := analyse(mutated)
				if p == nil {
					continue // refused: it cannot pass for the same protocol
				}
				there := change.Compare(base, p)
				require.NotEmpty(t, there, "%s of %s is not seen", kind, list[i].what)
				requireMirrored(t, there, change.Compare(p, base))
				require.NotEmpty(t, verdict.Judge(base, p, there))
			}
		})
	}
}

// requireMirrored wants every change to have its mirror image in the comparison the other way round.
func requireMirrored(t *testing.T, there, back []change.Change) {
	t.Helper()
	type key struct {
		rule              change.Rule
		subject, from, to string
	}
	seen := map[key]bool{}
	for _, c := range back {
		seen[key{c.Rule, c.Subject, c.From, c.To}] = true
	}
	for _, c := range there {
		if mirror := verdict.Lookup(c.Rule).Mirror; mirror != "" {
			require.True(t, seen[key{mirror, c.Subject, c.To, c.From}], "%s has no mirror image", c)
		}
	}
}

func TestEqualProtocolsHaveNoDifferences(t *testing.T) {
	a, _ := analyse(embedded(t))
	b, _ := analyse(embedded(t))
	require.Empty(t, change.Compare(a, b))
}

// one analyses a single file of definitions.
func one(t *testing.T, defs string) *protocol.Protocol {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(`{"$defs":{`+defs+`}}`), &doc))
	p, diags := analyse(documents{"a.schema.json": doc})
	require.NotNil(t, p, "%v", diags.Sorted())
	return p
}

func TestRepresentationDoesNotCount(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{
			"base and copy",
			`"A":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"required":["b"]}`,
			`"A":{"allOf":[{"$ref":"#/$defs/Base"}],"properties":{"c":{"type":"string"}}},
			 "Base":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"x-abstract":true}`,
		},
		{
			"constant and enum with one value",
			`"A":{"type":"object","properties":{"b":{"const":"x"}},"required":["b"]}`,
			`"A":{"type":"object","properties":{"b":{"type":"string","enum":["x"]}},"required":["b"]}`,
		},
		{
			"alias and its target",
			`"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/URI"}}},"URI":{"type":"string"}`,
			`"A":{"type":"object","properties":{"b":{"type":"string"}}},"URI":{"type":"string"}`,
		},
		{
			"order and wording",
			`"A":{"description":"One.","type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer"}},"required":["b","c"]}`,
			`"A":{"description":"Two.","type":"object","required":["c","b"],"properties":{"c":{"type":"integer"},"b":{"type":"string"}}}`,
		},
		{
			"order of variants",
			`"U":{"oneOf":[{"$ref":"#/$defs/X"},{"$ref":"#/$defs/Y"}]},"X":{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]},
			 "Y":{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}`,
			`"U":{"oneOf":[{"$ref":"#/$defs/Y"},{"$ref":"#/$defs/X"}]},"X":{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]},
			 "Y":{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Empty(t, change.Compare(one(t, c.old), one(t, c.new)))
			require.Empty(t, change.Compare(one(t, c.new), one(t, c.old)))
		})
	}
}

// TestATypeThatGetsADefinitionIsRenamed has what is the same on the wire, and not in Go.
func TestATypeThatGetsADefinitionIsRenamed(t *testing.T) {
	inline := one(t, `"A":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}}}}}`)
	defined := one(t, `"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/B"}}},"B":{"type":"object","properties":{"c":{"type":"string"}}}`)
	require.Equal(t, []string{"type-renamed: types: A.b → B"}, texts(change.Compare(inline, defined)))
	require.Equal(t, []string{"type-renamed: types: B → A.b"}, texts(change.Compare(defined, inline)))
}

func texts(changes []change.Change) (out []string) {
	for _, c := range changes {
		out = append(out, c.String())
	}
	return out
}

// TestAnAliasThatGoesIsTold says so of a name that programs may use, though nothing of it is on the wire.
func TestAnAliasThatGoesIsTold(t *testing.T) {
	with := one(t, `"A":{"type":"object","properties":{"b":{"$ref":"#/$defs/URI"}}},"URI":{"type":"string"}`)
	without := one(t, `"A":{"type":"object","properties":{"b":{"type":"string"}}}`)
	gone, came := change.Compare(with, without), change.Compare(without, with)
	require.Len(t, gone, 1)
	require.Equal(t, "type-removed: URI: alias", gone[0].String())
	require.Len(t, came, 1)
	require.Equal(t, "type-added: URI: alias", came[0].String())
}

func TestChangesReadAsSentences(t *testing.T) {
	old := one(t, `"A":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"integer"},"d":{"enum":["x","y"]}},"required":["b"]}`)
	new := one(t, `"A":{"type":"object","properties":{"c":{"type":"number"},"d":{"enum":["x","z"]},"e":{"type":"array","items":{"type":"string"}}},"required":["c"]}`)
	var lines []string
	for _, c := range change.Compare(old, new) {
		lines = append(lines, c.String())
	}
	require.Equal(t, strings.Split(`field-removed: A.b: required string
field-became-required: A.c
type-widened: A.c: integer → number
enum-value-added: A.d: "z"
enum-value-removed: A.d: "y"
field-added: A.e: optional list of string`, "\n"), lines)
}

// TestWidth: a type that takes more, less, the same or something else, seen both ways.
func TestWidth(t *testing.T) {
	mirror := map[change.Rule]change.Rule{
		change.TypeWidened: change.TypeNarrowed, change.TypeChanged: change.TypeChanged, change.TypeRestated: change.TypeRestated,
		change.ConstantChanged: change.ConstantChanged,
	}
	for _, c := range []struct {
		name, old, new string
		rule           change.Rule
	}{
		{"any instead of a string", `{"type":"string"}`, `{}`, change.TypeWidened},
		{"fractions instead of integers", `{"type":"integer"}`, `{"type":"number"}`, change.TypeWidened},
		{"a string instead of some strings", `{"enum":["x","y"]}`, `{"type":"string"}`, change.TypeWidened},
		{"a string or an integer instead of a string", `{"type":"string"}`, `{"oneOf":[{"type":"string"},{"type":"integer"}]}`, change.TypeWidened},
		{"a map instead of an object", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, change.TypeWidened},
		{"a map of integers instead of an object of strings", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`, change.TypeChanged},
		{"a list instead of one", `{"type":"string"}`, `{"type":"array","items":{"type":"string"}}`, change.TypeChanged},
		{"a boolean instead of a string", `{"type":"string"}`, `{"type":"boolean"}`, change.TypeChanged},
		{"one of two instead of an object", `{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]}`, `{"oneOf":[{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}]}`, change.TypeWidened},
		{"one of two without the tag", `{"type":"object","properties":{"n":{"type":"string"}}}`, `{"oneOf":[{"type":"object","properties":{"k":{"const":"x"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"y"}},"required":["k"]}]}`, change.TypeChanged},
		{"a string instead of a constant", `{"const":"x"}`, `{"type":"string"}`, change.TypeWidened},
		{"an integer instead of a constant string", `{"const":"x"}`, `{"type":"integer"}`, change.TypeChanged},
		{"another constant", `{"const":"x"}`, `{"const":"y"}`, change.ConstantChanged},
		{"any string, listed or not", `{"type":"string"}`, `{"anyOf":[{"enum":["x","y"]},{"type":"string"}]}`, change.TypeRestated},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := one(t, `"A":{"type":"object","properties":{"b":`+c.old+`},"required":["b"]}`)
			new := one(t, `"A":{"type":"object","properties":{"b":`+c.new+`},"required":["b"]}`)
			there, back := change.Compare(old, new), change.Compare(new, old)
			require.Len(t, there, 1, "%v", there)
			require.Len(t, back, 1, "%v", back)
			require.Equal(t, c.rule, there[0].Rule)
			require.Equal(t, mirror[c.rule], back[0].Rule)
		})
	}
}

// TestShapesFollowTheChange: what an acceptance remembers of a change is another thing once the
// change is another, and the same when only what is around it moves.
func TestShapesFollowTheChange(t *testing.T) {
	added := func(field, elsewhere string) string {
		old := one(t, `"A":{"type":"object","properties":{"b":{"type":"string"}}}`)
		new := one(t, `"A":{"type":"object","properties":{"b":{"type":"string"},"c":`+field+`}},"N":{"type":"object","properties":{"x":`+elsewhere+`}}`)
		for _, c := range change.Compare(old, new) {
			if c.Rule == change.FieldAdded {
				o, n := c.Shapes()
				require.Empty(t, o)
				return n
			}
		}
		require.Fail(t, "no field was added")
		return ""
	}
	text := `{"type":"string"}`
	require.Equal(t, added(text, text), added(text, `{"type":"integer"}`))
	require.Equal(t, added(text, text), added(`{"type":"string","description":"Words."}`, text))
	require.NotEqual(t, added(text, text), added(`{"type":"integer"}`, text))
	require.Equal(t, added(`{"$ref":"#/$defs/N"}`, text), added(`{"$ref":"#/$defs/N"}`, `{"type":"integer"}`), "what changes in N is a change of N")
	require.NotEqual(t, added(`{"type":"object","properties":{"d":{"type":"string"}}}`, text), added(`{"type":"object","properties":{"d":{"type":"integer"}}}`, text))
}

// TestUncheckedKeywordsAreCompared: what Go does not check differs between versions too, and not by its wording.
func TestUncheckedKeywordsAreCompared(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"a reason and the order", `"not":{"description":"One.","required":["x","y"]}`, `"not":{"required":["y","x"],"description":"Two."}`, ""},
		{"a keyword comes", `"title":"A"`, `"not":{"required":["x"]}`, `limit-tightened: A: none → not {"required":["x"]}`},
		{"a keyword goes", `"dependentRequired":{"a":["b"]}`, `"title":"A"`, `limit-loosened: A: dependentRequired {"a":["b"]} → none`},
		{
			"a condition in a part", `"allOf":[{"if":{"required":["a"]},"then":{"required":["b"]}}]`, `"allOf":[{"if":{"required":["a"]},"then":{"required":["c"]}}]`,
			`limit-changed: A: if {"required":["a"]}, then {"required":["b"]} → if {"required":["a"]}, then {"required":["c"]}`,
		},
		{"one of two members", `"title":"A"`, `"anyOf":[{"required":["a"]},{"required":["b"]}]`, `limit-tightened: A: none → anyOf [{"required":["a"]},{"required":["b"]}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := func(more string) *protocol.Protocol {
				return one(t, `"A":{"type":"object","properties":{"a":{"type":"string"}},`+more+`}`)
			}
			old, new := object(c.old), object(c.new)
			require.Empty(t, change.Compare(old, old))
			require.Equal(t, c.want, strings.Join(texts(change.Compare(old, new)), "\n"))
			requireMirrored(t, change.Compare(old, new), change.Compare(new, old))
		})
	}
}
