// The check: draft, generate, decode and encode.

package roundtrip

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/golden/kit"
)

var (
	seed    = flag.Uint64("seed", 1, "number that decides on the schemas and values")
	schemas = flag.Int("schemas", 60, "how many schemas")
	others  = flag.String("others", "", "files with published schemas to try instead of the corpus, separated by commas")
)

func TestMain(m *testing.M) { kit.Main(m) }

const dialect = "https://json-schema.org/draft/2020-12/schema"

// TestValuesComeBack drafts a package for random schemas, as a user begins with published ones, and sends values through it.
func TestValuesComeBack(t *testing.T) {
	kit.Long(t)
	module := kit.NewModule(t)
	all := object{}
	var names []string
	for i := range *schemas {
		name := fmt.Sprintf("X%d", i)
		defs := newCase(*seed<<20+uint64(i), name)
		if says := draft(t, t.TempDir(), defined(t, defs)); says != "" {
			t.Errorf("%s cannot be drafted:\n%s\n%s", name, says, kit.ToJSON(t, defs))
			continue
		}
		names = append(names, name)
		maps.Copy(all, defs)
	}
	dir := filepath.Join(module, "p")
	require.Empty(t, draft(t, dir, defined(t, all)))
	values := map[string][]any{}
	for _, name := range names {
		defs := related(all, name)
		w := &writer{Rand: rand.New(rand.NewPCG(*seed, 2)), defs: defs}
		values[name] = w.valid(t, defined(t, strict(defs)), "$defs", name)
	}
	failures, sent := send(t, dir, values)
	for name, says := range failures {
		t.Errorf("%s: %s\n%s", name, says, kit.ToJSON(t, related(all, name)))
	}
	t.Logf("%d values of %d schemas", sent, len(names))
	require.Greater(t, sent, len(names)*10, "for hardly any schema is there a value")
}

// TestPublishedValuesComeBack does the same for the structs of published schemas.
func TestPublishedValuesComeBack(t *testing.T) {
	kit.Wide(t)
	corpus := kit.Corpus(t)
	files := []string{"a2a/a2a.json", "dap/debugAdapterProtocol.json", "acp/v1/schema.json", "mcp/2025-11-25/schema.json", "mcp/2026-07-28/schema.json"}
	if *others != "" {
		files, corpus = strings.Split(*others, ","), ""
	}
	for i, file := range files {
		data, err := os.ReadFile(filepath.Join(corpus, file))
		require.NoError(t, err)
		t.Run(file, func(t *testing.T) {
			module := kit.NewModule(t)
			dir := filepath.Join(module, fmt.Sprintf("p%d", i))
			require.Empty(t, draft(t, dir, data))
			var root map[string]any
			require.NoError(t, json.Unmarshal(data, &root))
			key := "$defs"
			if root[key] == nil {
				key = "definitions"
			}
			values, known, bases := map[string][]any{}, kit.Structs(t, dir), map[string]bool{}
			basesIn(root, bases)
			for name := range root[key].(object) {
				if goName := known[name]; goName != "" && !bases[name] {
					w := &writer{rand.New(rand.NewPCG(*seed, 3)), parse(t, data).(object)[key].(object), true}
					values[goName] = w.valid(t, data, key, name)
				}
			}
			failures, sent := send(t, dir, values)
			for name, says := range failures {
				t.Errorf("%s: %s", name, says)
			}
			t.Logf("%d values of %d schemas", sent, len(values))
			require.Greater(t, sent, len(values), "for hardly any schema is there a value")
		})
	}
}

// defined returns a schema with definitions.
func defined(t *testing.T, defs any) []byte {
	t.Helper()
	return kit.ToJSON(t, object{"$schema": dialect, "title": "P", "$defs": defs})
}

// draft drafts and writes a package for a schema, and returns what is said against it.
func draft(t *testing.T, dir string, schema []byte) string {
	t.Helper()
	from := filepath.Join(t.TempDir(), "p.json")
	require.NoError(t, os.WriteFile(from, schema, 0o644))
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "go.mod")); err != nil {
		kit.WriteFile(t, filepath.Join(filepath.Dir(dir), "go.mod"), "module golden\n\ngo 1.24\n")
	}
	var diags diag.List
	_, err := generator.InitFrom(dir, from, "p", generator.Config{Parts: []string{}, Package: "p"}, &diags)
	if err != nil {
		return fmt.Sprintf("init: %v %v", err, diags.Sorted())
	}
	config, err := generator.ReadConfig(filepath.Join(dir, generator.ConfigName), &diags)
	require.NoError(t, err)
	g, err := generator.New(config, &diags)
	require.NoError(t, err)
	plan, err := g.Plan()
	if err != nil || diags.HasErrors() {
		return fmt.Sprintf("%v %v", err, diags.Sorted())
	}
	require.NoError(t, plan.Apply())
	return ""
}

// basesIn notes what stands under allOf. In Go it may have a tag that says which variant it is, and that is stated beside it.
func basesIn(v any, bases map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			basesIn(item, bases)
		}
	case object:
		for _, part := range asList(v["allOf"]) {
			if part, ok := part.(object); ok {
				ref, _ := part["$ref"].(string)
				bases[path.Base(ref)] = true
			}
		}
		for _, item := range v {
			basesIn(item, bases)
		}
	}
}

// related returns the definitions of a case.
func related(all object, name string) object {
	out := object{}
	for other, s := range all {
		if other == name || strings.HasPrefix(other, name+"T") {
			out[other] = s
		}
	}
	return out
}

func parse(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

// send has a package decode and encode values, by Go types, and returns what does not come back as it was, one for each type.
func send(t *testing.T, dir string, values map[string][]any) (failures map[string]string, sent int) {
	t.Helper()
	kit.WriteFile(t, filepath.Join(dir, "values.json"), string(kit.ToJSON(t, values)))
	kit.WriteFile(t, filepath.Join(dir, "back_test.go"), program(slices.Sorted(maps.Keys(values))))
	out := kit.TestEmitted(t, filepath.Dir(dir), "-v", "./"+filepath.Base(dir))
	failures = map[string]string{}
	wanted := 0
	for name := range values {
		wanted += len(values[name])
	}
	for line := range strings.Lines(out) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) != 3 || values[part[0]] == nil {
			continue // of go test
		}
		sent++
		if name, value, again := part[0], part[1], part[2]; failures[name] == "" && (!json.Valid([]byte(again)) || !same(parse(t, []byte(value)), parse(t, []byte(again)))) {
			failures[name] = value + ": " + again
		}
	}
	require.Equal(t, wanted, sent)
	return failures, sent
}

// program returns a test that writes a line for each value: a definition, the value, and what is encoded or else went wrong.
func program(names []string) string {
	var tries strings.Builder
	for _, name := range names {
		fmt.Fprintf(&tries, "\ttry[%s](%q, values[%q])\n", name, name, name)
	}
	return `package p

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

type value[T any] interface {
	*T
	AppendJSON([]byte) ([]byte, error)
	UnmarshalJSON([]byte) error
}

func try[T any, P value[T]](name string, list []json.RawMessage) {
	for _, text := range list {
		fmt.Printf("%s\t%s\t%s\n", name, text, back[T, P](text))
	}
}

func back[T any, P value[T]](text json.RawMessage) (says string) {
	defer func() {
		if p := recover(); p != nil {
			says = fmt.Sprint("panic: ", p)
		}
	}()
	var v T
	if err := P(&v).UnmarshalJSON(text); err != nil {
		return "refused: " + err.Error()
	}
	again, err := P(&v).AppendJSON(nil)
	if err != nil {
		return "cannot be encoded: " + err.Error()
	}
	return string(again)
}

func TestValuesComeBack(t *testing.T) {
	data, err := os.ReadFile("values.json")
	if err != nil {
		t.Fatal(err)
	}
	var values map[string][]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
` + tries.String() + `}
`
}
