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

var (
	seed    = flag.Uint64("seed", 1, "number that decides on the schemas and values")
	schemas = flag.Int("schemas", 60, "how many schemas")
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
		if says := generate(t, t.TempDir(), defs); says != "" {
			t.Errorf("%s cannot be drafted:\n%s\n%s", name, says, text(t, defs))
			continue
		}
		names = append(names, name)
		maps.Copy(all, defs)
	}
	dir := filepath.Join(module, "p")
	require.Empty(t, generate(t, dir, all))

	values := object{}
	sent, kept := 0, 0
	for _, name := range names {
		list := valuesOf(t, all, name)
		sent += len(list)
		if len(list) > 0 {
			kept++
		}
		values[name] = list
	}
	require.Greater(t, kept, len(names)*2/3, "for hardly any schema is there a value")
	kit.WriteFile(t, filepath.Join(dir, "values.json"), string(text(t, values)))
	kit.WriteFile(t, filepath.Join(dir, "back_test.go"), program(names))
	out := kit.TestEmitted(t, module, "-v", "./p")
	back, failed := 0, map[string]bool{}
	for line := range strings.Lines(out) {
		part := strings.Split(strings.TrimSpace(line), "\t")
		if len(part) != 3 || !slices.Contains(names, part[0]) {
			continue // of go test
		}
		back++
		if name, value, again := part[0], part[1], part[2]; !failed[name] && (!json.Valid([]byte(again)) || !same(parse(t, []byte(value)), parse(t, []byte(again)))) {
			failed[name] = true
			t.Errorf("%s: %s: %s\n%s", name, value, again, text(t, related(all, name)))
		}
	}
	t.Logf("%d values of %d schemas", back, len(names))
	require.Equal(t, sent, back)
}

// generate drafts and writes a package for definitions, and returns what is said against it.
func generate(t *testing.T, dir string, defs object) string {
	t.Helper()
	from := filepath.Join(t.TempDir(), "p.json")
	require.NoError(t, os.WriteFile(from, text(t, object{"$schema": dialect, "title": "P", "$defs": defs}), 0o644))
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "go.mod")); err != nil {
		kit.WriteFile(t, filepath.Join(filepath.Dir(dir), "go.mod"), "module golden\n\ngo 1.24\n")
	}
	var diags diag.List
	_, err := generator.InitFrom(dir, from, "p", generator.Config{Parts: []string{}}, &diags)
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

// valuesOf returns values of a definition that a validator accepts, and that mean one alternative.
func valuesOf(t *testing.T, defs object, name string) (out []any) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	require.NoError(t, c.AddResource("p.json", bytes.NewReader(text(t, object{"$schema": dialect, "$defs": strict(related(defs, name))}))))
	s, err := c.Compile("p.json#/$defs/" + name)
	require.NoError(t, err)
	w := &writer{rand.New(rand.NewPCG(*seed, 2)), defs}
	seen := map[string]bool{}
	for range 200 {
		data := text(t, w.value(defs[name], 12))
		if v := parse(t, data); !seen[string(data)] && s.Validate(v) == nil {
			out, seen[string(data)] = append(out, v), true
		}
	}
	return out[:min(len(out), 25)]
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

func text(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

func parse(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

// program returns a test that writes a line for each value: a definition, the value, and what is encoded or else went wrong.
func program(names []string) string {
	var tries strings.Builder
	for _, name := range slices.Sorted(slices.Values(names)) {
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
