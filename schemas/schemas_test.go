// Tests of the embedded schemas, of the vocabulary they use and of the README that explains it.

package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
)

const metaSchema = "https://json-schema.org/draft/2020-12/schema"

// parse reads JSON for the validator.
func parse(t testing.TB, data []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v), "%s", data)
	return v
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return data
}

// compile returns a validator for a schema of this folder.
func compile(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	for _, file := range []string{name, "vocabulary.schema.json"} { // which others refer to
		require.NoError(t, c.AddResource("mem:///"+file, bytes.NewReader(read(t, file))))
	}
	s, err := c.Compile("mem:///" + name)
	require.NoError(t, err)
	return s
}

// files returns the schema files of every embedded protocol by path.
func files(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range Protocols() {
		folder, _, err := Protocol(name)
		require.NoError(t, err)
		names, err := fs.Glob(folder, "*.schema.json")
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, file := range names {
			data, err := fs.ReadFile(folder, file)
			require.NoError(t, err)
			out[path.Join(strings.ReplaceAll(name, "@", "/"), file)] = data
		}
	}
	require.GreaterOrEqual(t, len(out), 5)
	return out
}

// corpus returns the folder of published schemas, and skips the test where there is none.
func corpus(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AHPGEN_CORPUS")
	if dir == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("..", dir) // relative to the root of the module
	}
	require.DirExists(t, dir, "AHPGEN_CORPUS names no folder")
	return dir
}

// published returns the official AHP schemas of the corpus by path.
func published(t testing.TB) map[string][]byte {
	t.Helper()
	return matching(t, "ahp", "*", "schema", "*.schema.json")
}

// matching returns the files of the corpus that match a pattern, by path.
func matching(t testing.TB, pattern ...string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(append([]string{corpus(t)}, pattern...)...))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	out := map[string][]byte{}
	for _, name := range names {
		out[name] = read(t, name)
	}
	return out
}

func TestEmbeddedSchemas(t *testing.T) {
	vocabulary := compile(t, "vocabulary.schema.json")
	meta, err := jsonschema.Compile(metaSchema)
	require.NoError(t, err)
	for name, data := range files(t) {
		v := parse(t, data)
		require.Equal(t, metaSchema, v.(map[string]any)["$schema"], name)
		require.NoError(t, meta.Validate(v), name)
		require.NoError(t, vocabulary.Validate(v), name)
	}
}

// TestEmbeddedSchemasCompile compiles every definition together with whatever it refers to.
func TestEmbeddedSchemasCompile(t *testing.T) {
	all := files(t)
	c := jsonschema.NewCompiler()
	for name, data := range all {
		require.NoError(t, c.AddResource("mem:///"+name, bytes.NewReader(data)))
	}
	for name, data := range all {
		for def := range parse(t, data).(map[string]any)["$defs"].(map[string]any) {
			_, err := c.Compile("mem:///" + name + "#/$defs/" + def)
			require.NoError(t, err, "%s %s", name, def)
		}
	}
}

func TestFormatSchemas(t *testing.T) {
	meta, err := jsonschema.Compile(metaSchema)
	require.NoError(t, err)
	for _, name := range []string{"vocabulary.schema.json", "profile.schema.json", "config.schema.json"} {
		require.NoError(t, meta.Validate(parse(t, read(t, name))), name)
		compile(t, name)
	}
	require.Equal(t, read(t, "profile.schema.json"), ProfileSchema)
	require.Equal(t, read(t, "config.schema.json"), ConfigSchema)

	profile := compile(t, "profile.schema.json")
	for _, name := range Profiles() {
		data, _, err := Profile(name)
		require.NoError(t, err)
		require.NoError(t, profile.Validate(parse(t, data)), name)
	}
	config := compile(t, "config.schema.json")
	require.NoError(t, config.Validate(parse(t, read(t, "../generated/ahp/ahpgen.json"))))
	require.Error(t, config.Validate(parse(t, []byte(`{"schema": "misspelt"}`))))
}

// TestVocabularyAcceptsPublishedSchemas makes sure that only vendor keywords are constrained.
func TestVocabularyAcceptsPublishedSchemas(t *testing.T) {
	vocabulary := compile(t, "vocabulary.schema.json")
	for name, data := range published(t) {
		require.NoError(t, vocabulary.Validate(parse(t, data)), name)
	}
}

// TestVocabularyIsComplete compares the keywords that the generator reads with those described here.
func TestVocabularyIsComplete(t *testing.T) {
	readme := string(read(t, "README.md"))
	root := parse(t, read(t, "vocabulary.schema.json")).(map[string]any)
	described := map[string]any{}
	for _, group := range []string{"atRoot", "onDefinitions", "onMembers", "onNamed", "anywhere"} {
		for name, form := range root["$defs"].(map[string]any)[group].(map[string]any)["properties"].(map[string]any) {
			require.NotContains(t, described, name, "it is described twice")
			described[name] = form
		}
	}
	known := map[string]bool{}
	for file, source := range sources(t, "../generator") {
		for _, m := range regexp.MustCompile(`"(x-[a-z-]+)"`).FindAllSubmatch(source, -1) {
			known[string(m[1])] = true
			require.Contains(t, described, string(m[1]), "%s reads a keyword that is not described", file)
		}
	}
	for keyword, form := range described {
		require.True(t, known[keyword], "nobody reads %s", keyword)
		require.NotEmpty(t, form.(map[string]any)["description"], keyword)
		require.Contains(t, readme, "**`"+keyword+"`**", "README.md does not explain it")
		require.Contains(t, readme, `"`+keyword+`": `, "README.md has no example of it")
	}
	for keyword, form := range root["$defs"].(map[string]any)["onMembers"].(map[string]any)["properties"].(map[string]any) {
		require.Regexp(t, `^On a member that [^:]+: `, form.(map[string]any)["description"], "%s: whoever puts it elsewhere is told where it belongs", keyword)
	}
}

// sources returns the Go files below a folder that are no tests, by path.
func sources(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			out[name] = read(t, name)
		}
		return err
	}))
	require.NotEmpty(t, out)
	return out
}

func TestVocabularyRefuses(t *testing.T) {
	vocabulary := compile(t, "vocabulary.schema.json")
	require.NoError(t, vocabulary.Validate(parse(t, wrap(t, `"A": {"properties": {"x-side": {"type": "string"}, "x-tag": true}}`))), "members may be named like keywords")
	require.NoError(t, vocabulary.Validate(parse(t, wrap(t, replication(`"b"`)))))
	for _, c := range []struct{ name, example string }{
		{"protocol without version", `"x-protocol": {"name": "a", "title": "A"}`},
		{"protocol with a bad version", `"x-protocol": {"name": "a", "title": "A", "version": "v1"}`},
		{"protocol with more", `"x-protocol": {"name": "a", "title": "A", "version": "1.0.0", "licence": "MIT"}`},
		{"protocol supports a bad version", `"x-protocol": {"name": "a", "title": "A", "version": "1.0.0", "supported": ["^1"]}`},
		{"initialism in lower case", `"x-initialisms": ["Pty"]`},
		{"replication without a snapshot", `"x-replication": {"envelope": {}, "dispatch": {}, "reconnect": {}}`},
		{"role that is no name", replication(`1`)},
		{"role that is empty", replication(`""`)},
		{"role of a stranger", replication(`"b", "author": "c"`)},
		{"replication inside a definition", `"A": {` + replication(`"b"`) + `}`},
		{"channel without a name", `"x-channels": [{"uri": "a:/"}]`},
		{"protocol inside a definition", `"A": {"x-protocol": {"name": "a", "title": "A", "version": "1.0.0"}}`},
		{"Go name in lower case", `"A": {"x-go-name": "memo"}`},
		{"Go name with a dash", `"A": {"properties": {"a": {"x-go-name": "E-Tag"}}}`},
		{"tag that is no name", `"A": {"oneOf": [], "x-tag": true}`},
		{"tag on an object", `"A": {"type": "object", "x-tag": "Kind"}`},
		{"unknown that is no flag", `"A": {"oneOf": [{"x-unknown": "yes"}]}`},
		{"unknown outside of a union", `"A": {"type": "object", "x-unknown": true}`},
		{"empty enum name", `"A": {"enum": ["a"], "x-enum-names": [""]}`},
		{"enum name twice", `"A": {"enum": ["a", "b"], "x-enum-names": ["A", "A"]}`},
		{"enum names without enum", `"A": {"type": "string", "x-enum-names": ["A"]}`},
		{"enum names by value", `"A": {"enum": ["a"], "x-enum-names": {"a": "A"}}`},
		{"enum descriptions without enum", `"A": {"type": "string", "x-enum-descriptions": ["a"]}`},
		{"negative flag", `"A": {"type": "integer", "x-bitset": {"A": -1}}`},
		{"half a flag", `"A": {"type": "integer", "x-bitset": {"A": 0.5}}`},
		{"flags as a list", `"A": {"type": "integer", "x-bitset": ["A"]}`},
		{"flags of a string", `"A": {"type": "string", "x-bitset": {"A": 1}}`},
		{"abstract that is no flag", `"A": {"x-abstract": 1}`},
		{"instead of nothing", `"A": {"deprecated": true, "x-instead": ""}`},
		{"partial of nothing", `"A": {"x-partial-of": ""}`},
		{"channel of a state without a name", `"A": {"x-channel": {"prefix": "a/"}}`},
		{"actions that are a flag", `"A": {"oneOf": [], "x-actions": true}`},
		{"actions with more", `"A": {"oneOf": [], "x-actions": {"host": "HostAction"}}`},
		{"dispatchable without since", `"A": {"x-client-dispatchable": true}`},
		{"since a bad version", `"A": {"x-since": "next"}`},
		{"effects that are no list", `"A": {"x-effects": {"clear": "a"}}`},
		{"effect without a verb", `"A": {"x-effects": [{"from": "a"}]}`},
		{"effect with two verbs", `"A": {"x-effects": [{"set": "a", "clear": "a"}]}`},
		{"effect with more", `"A": {"x-effects": [{"clear": "a", "unless": "b"}]}`},
		{"effect on nothing", `"A": {"x-effects": [{"clear": ""}]}`},
		{"flag without bits set", `"A": {"x-effects": [{"flag": "a", "bits": 0}]}`},
		{"key of nothing", `"A": {"x-effects": [{"remove": "a", "key": [], "from": "b"}]}`},
		{"condition of two forms", `"A": {"x-effects": [{"clear": "a", "when": {"present": "b", "is": 1}}]}`},
		{"effect deep inside", `"A": {"x-effects": [{"patch": "a", "effects": [{"remove": "b", "from": "c", "then": [{}]}]}]}`},
		{"lifecycle without an initial status", `"A": {"x-lifecycle": {"transitions": [{"action": "a", "to": "b"}]}}`},
		{"lifecycle without a transition", `"A": {"x-lifecycle": {"initial": "a", "transitions": []}}`},
		{"transition to nowhere", `"A": {"x-lifecycle": {"initial": "a", "transitions": [{"action": "a"}]}}`},
		{"transition to two places", `"A": {"x-lifecycle": {"initial": "a", "transitions": [{"action": "a", "to": "b", "as": "c"}]}}`},
		{"transition with more", `"A": {"x-lifecycle": {"initial": "a", "transitions": [{"action": "a", "to": "b", "unless": "c"}]}}`},
		{"beginning from a status", `"A": {"x-lifecycle": {"initial": "a", "begins": [{"action": "a", "to": "b", "from": "c"}], "transitions": [{"action": "a", "to": "b"}]}}`},
		{"end with a status after it", `"A": {"x-lifecycle": {"initial": "a", "transitions": [{"action": "a", "to": "b"}], "ends": [{"action": "a", "to": "b"}]}}`},
		{"status twice", `"A": {"x-lifecycle": {"initial": ["a", "a"], "transitions": [{"action": "a", "to": "b"}]}}`},
		{"method without a side", `"A": {"x-method": "a"}`},
		{"side without a method", `"A": {"x-side": "host"}`},
		{"side without a name", `"A": {"x-method": "a", "x-side": ""}`},
		{"result without a method", `"A": {"x-result": null}`},
		{"notification with a result", `"A": {"x-method": "a", "x-side": "host", "x-notification": true, "x-result": "B"}`},
		{"notification with a null result", `"A": {"x-method": "a", "x-side": "host", "x-notification": true, "x-result": null}`},
		{"error codes that are strings", `"A": {"enum": ["a"], "x-enum-names": ["A"], "x-error-codes": true}`},
		{"error codes without names", `"A": {"enum": [1], "x-error-codes": true}`},
		{"error data without codes", `"A": {"enum": [1], "x-enum-names": ["A"], "x-error-data": {"1": "B"}}`},
		{"error data by name", `"A": {"enum": [1], "x-enum-names": ["A"], "x-error-codes": true, "x-error-data": {"A": "B"}}`},
		{"deep inside", `"A": {"allOf": [{"properties": {"a": {"items": {"additionalProperties": {"anyOf": [{"x-since": 1}]}}}}}]}`},
	} {
		require.Error(t, vocabulary.Validate(parse(t, wrap(t, c.example))), c.name)
	}
}

// replication states every role; dispatch's channel is the one given.
func replication(channel string) string {
	return `"x-replication": {
		"envelope": {"type": "A", "channel": "b", "action": "a", "sequence": "s", "client": "c.id", "clientSequence": "c.seq", "rejection": "r"},
		"snapshot": {"type": "A", "channel": "b", "state": "a", "sequence": "s"},
		"dispatch": {"type": "A", "action": "a", "clientSequence": "s", "channel": ` + channel + `},
		"reconnect": {"type": "A", "replay": {"type": "A", "envelopes": "a", "missing": "m"}, "restart": {"type": "A", "snapshots": "s"}}
	}`
}

// wrap makes a whole file of an example: it is one already, or members of its root or of $defs.
func wrap(t testing.TB, example string) []byte {
	t.Helper()
	switch {
	case strings.HasPrefix(example, "{"):
		return []byte(example)
	case strings.HasPrefix(example, `"x-`):
		return []byte("{" + example + "}")
	}
	return []byte(`{"$defs": {` + example + "}}")
}

var fence = regexp.MustCompile("(?s)\n```json\n(.*?)\n```\n")

func TestReadmeExamples(t *testing.T) {
	vocabulary := compile(t, "vocabulary.schema.json")
	profile := compile(t, "profile.schema.json")
	meta, err := jsonschema.Compile(metaSchema)
	require.NoError(t, err)
	examples := fence.FindAllStringSubmatch(string(read(t, "README.md")), -1)
	require.Greater(t, len(examples), 10)
	replication, session := "", ""
	for _, m := range examples {
		require.Less(t, strings.Count(m[1], "\n"), 6, "an example has six lines at most:\n%s", m[1])
		if first, _, _ := strings.Cut(m[1], `": `); slices.Contains([]string{`"actions`, `"http`, `"ignoreKeywords`, `"keywords`, `"lifecycles`, `"messages`, `"overlay`, `"renamed`, `"stated`, `"translations`, `"unions`}, first) { // cut out of a profile
			require.NoError(t, profile.Validate(parse(t, []byte(`{"name": "notes", "title": "Note Protocol", `+m[1]+"}"))), m[1])
			continue
		}
		if strings.HasPrefix(m[1], `"x-replication": `) {
			replication = strings.TrimSuffix(m[1], "\n}")
		}
		switch {
		case strings.HasPrefix(m[1], `"session": `): // cut out of it
			session = strings.TrimSuffix(m[1], "\n}")
			m[1] = replication + "," + m[1] + "}"
		case strings.HasPrefix(m[1], `"lists": `): // cut out of that
			m[1] = replication + "," + session + "," + m[1] + "}}"
		}
		v := parse(t, wrap(t, m[1]))
		require.NoError(t, vocabulary.Validate(v), m[1])
		require.NoError(t, meta.Validate(v), m[1])
	}
}

// TestDescriptions checks that definitions are described, each in its own words.
func TestDescriptions(t *testing.T) {
	all := files(t)
	seen := map[string]map[string]any{} // by folder and description
	for _, file := range slices.Sorted(maps.Keys(all)) {
		defs := parse(t, all[file]).(map[string]any)["$defs"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(defs)) {
			def := defs[name].(map[string]any)
			own, _ := def["description"].(string)
			require.NotEmpty(t, own, "%s: %s has no description", file, name)
			key := path.Dir(file) + own
			if other, ok := seen[key]; ok { // a union and the enum of its tags are about the same thing
				require.Equal(t, name, other["x-tag"], "%s: %s is described like another definition", file, name)
			}
			seen[key] = def
			for _, d := range texts(def, nil) {
				first, _, _ := strings.Cut(strings.TrimLeft(d, "`*_\"[("), " ")
				first = strings.Trim(first, "`*_\"'’[]().,:;")
				first = strings.TrimSuffix(strings.TrimSuffix(first, "'s"), "’s")
				require.NotEqual(t, "This", first, "%s: %s: %s", file, name, d)
				require.NotEqual(t, name, first, "%s: %s: %s", file, name, d)
			}
		}
	}
}

// texts lists the descriptions in a schema, those of enum values and channels included.
func texts(v any, out []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && k == "description" {
				out = append(out, s)
				continue
			}
			if list, ok := v[k].([]any); ok && k == "x-enum-descriptions" {
				for _, item := range list {
					out = append(out, fmt.Sprint(item))
				}
				continue
			}
			out = texts(v[k], out)
		}
	case []any:
		for _, item := range v {
			out = texts(item, out)
		}
	}
	return out
}

var sentenceEnd = regexp.MustCompile(`[.!?:;]\s+|\n\s*\n|\n\s*[-*]\s`)

// sentences splits a description into sentences without regard to white space and marks.
func sentences(text string) []string {
	var out []string
	for _, s := range sentenceEnd.Split(text, -1) {
		s = strings.Join(strings.Fields(strings.NewReplacer("`", "", "*", "").Replace(s)), " ")
		out = append(out, strings.ToLower(strings.TrimRight(s, ".!?:;")))
	}
	return out
}

// TestWordingIsOurOwn compares the embedded schemas, sentence by sentence, with the published ones.
func TestWordingIsOurOwn(t *testing.T) {
	theirs := map[string]string{}
	all := published(t)
	maps.Copy(all, matching(t, "acp", "*", "*.json"))
	maps.Copy(all, matching(t, "mcp", "*", "schema.json"))
	for name, data := range all {
		for _, d := range texts(parse(t, data), nil) {
			for _, s := range sentences(d) {
				theirs[s] = name
			}
		}
	}
	require.Greater(t, len(theirs), 100)
	for name, data := range files(t) {
		for _, d := range texts(parse(t, data), nil) {
			for _, s := range append(sentences(d), strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(d), " "), "."))) {
				if len(s) >= 45 {
					require.NotContains(t, theirs, s, "%s: a sentence from the published schemas", name)
				}
			}
		}
	}
}

func TestNewestVersionComesFirst(t *testing.T) {
	names := Protocols()
	require.Greater(t, len(names), 1)
	for i, name := range names[1:] {
		protocol, version, _ := strings.Cut(name, "@")
		if before, newer, _ := strings.Cut(names[i], "@"); before == protocol {
			require.Positive(t, compareVersions(newer, version), "%s before %s", names[i], name)
		}
	}
	rising := []string{"0.4.0", "0.5.2", "0.7.0-dev", "0.7.0", "0.10.0", "1.0.0-alpha", "1.0.0-beta", "1.0.0"}
	falling := slices.Clone(rising)
	slices.Reverse(falling)
	slices.SortFunc(falling, compareVersions)
	require.Equal(t, rising, falling)
	for _, rising := range [][]string{{"2024-12-31", "2025-06-18", "2025-11-25"}, {"2", "9", "10"}} {
		require.True(t, slices.IsSortedFunc(rising, compareVersions), rising)
	}
}

func TestUnknownNames(t *testing.T) {
	_, _, err := Protocol("nothing@1.0.0")
	require.ErrorContains(t, err, `no embedded schemas "nothing@1.0.0"; there is ahp@`)
	_, _, err = Profile("nothing")
	require.ErrorContains(t, err, `no embedded profile "nothing"; there is ahp`)
	folder, display, err := Protocol("ahp")
	require.NoError(t, err)
	require.Equal(t, "embedded:"+strings.ReplaceAll(Default(), "@", "/"), display)
	_, err = fs.Stat(folder, "state.schema.json")
	require.NoError(t, err)
}

// TestTheDefaultIsWhatIsGenerated ties the version that is taken where none is named to the package of this module.
func TestTheDefaultIsWhatIsGenerated(t *testing.T) {
	require.Equal(t, "ahp@1.0.0", Default(), "it is said, and does not follow from what else there is")
	for protocol, of := range index().Protocols {
		whole, ok := Expand(protocol)
		require.True(t, ok, "%s: no embedded schemas of its default", protocol)
		require.Equal(t, protocol+"@"+of.Version, whole)
		var config struct{ Schemas string }
		require.NoError(t, json.Unmarshal(read(t, "../generated/"+protocol+"/ahpgen.json"), &config))
		require.Equal(t, "../../schemas/"+strings.ReplaceAll(whole, "@", "/"), config.Schemas)
	}
	require.Contains(t, Protocols(), Default())
}
