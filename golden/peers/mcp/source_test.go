// What the published schemas lost of their source, schema.ts.

package mcp

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the lists in testdata/source")

// dates are all versions.
var dates = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// shape is a type as JSON Schema writes it, with no more than the two sides have.
type shape struct {
	Ref                 string            `json:"$ref"`
	Type                words             `json:"type"`
	Const               json.RawMessage   `json:"const"`
	Enum                []json.RawMessage `json:"enum"`
	AnyOf, OneOf, AllOf []*shape
	Properties          map[string]*shape `json:"properties"`
	Required            []string          `json:"required"`
	Additional          *additional       `json:"additionalProperties"`
	Items               *shape            `json:"items"`
	Minimum, Maximum    *float64
	Format              string
}

// words is a text or a list of some.
type words []string

func (w *words) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(w))
	}
	*w = words{""}
	return json.Unmarshal(text, &(*w)[0])
}

// additional is what other members of an object may be: false, true or a type.
type additional struct {
	*shape
	none bool
}

func (a *additional) UnmarshalJSON(text []byte) error {
	a.none = string(text) == "false"
	if text[0] != '{' {
		a.shape = &shape{}
		return nil
	}
	return json.Unmarshal(text, &a.shape)
}

// reader is a folder with the script that reads schema.ts, and why it cannot be had here.
type reader struct{ folder, missing string }

var installReader = sync.OnceValues(func() (reader, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return reader{missing: err.Error()}, nil
		}
	}
	if out, err := exec.Command("npm", "view", "typescript", "version").CombinedOutput(); err != nil {
		return reader{missing: fmt.Sprintf("the registry of npm cannot be reached: %v\n%s", err, out)}, nil
	}
	folder, err := os.MkdirTemp("", "source")
	if err != nil {
		return reader{}, err
	}
	scratch = append(scratch, folder)
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "source"))); err != nil {
		return reader{}, err
	}
	out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--prefix", folder).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return reader{folder: folder}, err
})

// scratch are folders that are removed after all tests.
var scratch []string

func TestMain(m *testing.M) {
	if os.Getenv(theirs) != "" {
		serveTheirs()
		return
	}
	if version := os.Getenv(served); version != "" {
		_ = serveVersion(version)
		return
	}
	code := m.Run()
	for _, folder := range scratch {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// source returns the types of a date as schema.ts has them.
func source(t *testing.T, date string) map[string]*shape {
	r, err := installReader()
	require.NoError(t, err)
	if r.missing != "" {
		t.Skip(r.missing)
	}
	out, err := exec.Command("node", filepath.Join(r.folder, "read.mjs"), filepath.Join(published(t, date), "schema.ts")).Output()
	require.NoError(t, err)
	var types map[string]*shape
	require.NoError(t, json.Unmarshal(out, &types))
	return types
}

// published is the folder of a date in the corpus.
func published(t *testing.T, date string) string {
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	return filepath.Join(corpus, "mcp", date)
}

// converted returns the types of a date as schema.json has them.
func converted(t *testing.T, date string) map[string]*shape {
	return definitionsIn(t, filepath.Join(published(t, date), "schema.json"))
}

func definitionsIn(t *testing.T, path string) map[string]*shape {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct {
		Defs        map[string]*shape `json:"$defs"`
		Definitions map[string]*shape `json:"definitions"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	if file.Defs != nil {
		return file.Defs
	}
	return file.Definitions
}

// TestSchemasAndTheirSource lists where schema.json says something else than schema.ts. What it lists is repaired in the profile,
// but for error codes, which JSON-RPC says are integers, and for alternatives that are spelt out.
func TestSchemasAndTheirSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("Definition or member: what schema.ts says; what schema.json says. Alternatives that both have are …\n")
	for _, date := range dates {
		c := comparison{ts: source(t, date), json: converted(t, date)}
		require.Equal(t, slices.Sorted(maps.Keys(c.ts)), slices.Sorted(maps.Keys(c.json)), date)
		for _, name := range slices.Sorted(maps.Keys(c.ts)) {
			c.compare(name, c.ts[name], c.json[name])
		}
		fmt.Fprintf(&b, "\n%s: %d definitions\n", date, len(c.ts))
		for _, line := range c.found {
			b.WriteString("  " + line + "\n")
		}
	}
	wantFile(t, filepath.Join("testdata", "source", "differences.txt"), b.String())
}

// wantFile compares with a file, or writes it.
func wantFile(t *testing.T, file, got string) {
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// embedded are the dates that ahpgen brings schemas of its own for.
var embedded = []string{"2025-11-25", "2026-07-28"}

// TestOurSchemasAndTheSource: what the embedded schemas and schema.ts both define says the same, but for what is listed.
func TestOurSchemasAndTheSource(t *testing.T) {
	var b strings.Builder
	b.WriteString("Definition or member: what schema.ts says; what the embedded schemas say.\n")
	for _, date := range embedded {
		ours := map[string]*shape{}
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "schemas", "mcp", date, "*.schema.json"))
		require.NoError(t, err)
		for _, file := range files {
			maps.Copy(ours, definitionsIn(t, file))
		}
		c := comparison{ts: source(t, date), json: ours, open: true}
		n := 0
		for _, name := range slices.Sorted(maps.Keys(c.ts)) {
			if ours[name] != nil {
				c.compare(name, c.ts[name], ours[name])
				n++
			}
		}
		fmt.Fprintf(&b, "\n%s: %d definitions\n", date, n)
		for _, line := range c.found {
			b.WriteString("  " + line + "\n")
		}
	}
	wantFile(t, filepath.Join("testdata", "source", "ours.txt"), b.String())
}

// comparison collects differences.
type comparison struct {
	ts, json map[string]*shape
	found    []string
	open     bool // enums may have any other text beside their values
}

func (c *comparison) differ(at, ts, json string) {
	if ts != json {
		c.found = append(c.found, fmt.Sprintf("%s: %s; %s", at, without(ts, json), without(json, ts)))
	}
}

// without leaves out the alternatives that the other side has too.
func without(text, other string) string {
	others := strings.Split(other, " | ")
	all := strings.Split(text, " | ")
	own := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(others, s) })
	if len(own) < len(all) {
		own = append(own, "…")
	}
	return strings.Join(own, " | ")
}

func (c *comparison) compare(at string, ts, other *shape) {
	if c.open && (ts.Ref == "") != (other.Ref == "") { // a name on one side
		ts, other = named(c.ts, ts), named(c.json, other)
	}
	ts, other = joined(c.ts, ts), joined(c.json, other)
	switch {
	case ts.isObject() && other.isObject():
		c.objects(at, ts, other)
	case ts.Items != nil && other.Items != nil:
		c.compare(at+"[]", ts.Items, other.Items)
	default:
		a, b := ts.text(), other.text()
		if c.open && a != b {
			b = strings.TrimSuffix(b, " | string")
			a = strings.TrimSuffix(a, " | string")
		}
		c.differ(at, a, b)
	}
}

func (c *comparison) objects(at string, ts, other *shape) {
	all := maps.Clone(ts.Properties)
	maps.Copy(all, other.Properties)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		here := at + "." + name
		a, b := ts.Properties[name], other.Properties[name]
		if a == nil || b == nil {
			c.differ(here, a.text(), b.text())
			continue
		}
		c.differ(here, presence(ts, name), presence(other, name))
		c.compare(here, a, b)
	}
	c.compare(at+".*", ts.others(), other.others())
}

func presence(s *shape, name string) string {
	if slices.Contains(s.Required, name) {
		return "required"
	}
	return "optional"
}

func (s *shape) isObject() bool {
	return len(s.Type) == 1 && s.Type[0] == "object" && s.AnyOf == nil
}

// others returns what members may be that are not declared; any JSON if nothing is said, since no interface is closed.
func (s *shape) others() *shape {
	switch {
	case s.Additional == nil:
		return &shape{}
	case s.Additional.none:
		return &shape{Const: json.RawMessage("nothing")}
	}
	return s.Additional.shape
}

// joined returns a shape in which the parts of an allOf are one.
func joined(types map[string]*shape, s *shape) *shape {
	if s.AllOf == nil {
		return s
	}
	out := &shape{Type: words{"object"}, Properties: map[string]*shape{}}
	own := *s
	own.AllOf = nil
	for _, part := range append(slices.Clone(s.AllOf), &own) {
		for part != &own && part.Ref != "" {
			part = types[refersTo(part.Ref)]
		}
		part = joined(types, part)
		maps.Copy(out.Properties, part.Properties)
		out.Required = append(out.Required, part.Required...)
		out.Additional = cmp.Or(part.Additional, out.Additional)
	}
	return out
}

// named returns what a shape refers to.
func named(types map[string]*shape, s *shape) *shape {
	for s.Ref != "" {
		s = types[refersTo(s.Ref)]
	}
	return s
}

func refersTo(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// text is the type as TypeScript would write it, with its alternatives in order.
func (s *shape) text() string {
	switch {
	case s == nil:
		return "nothing"
	case s.Ref != "":
		return refersTo(s.Ref)
	case s.Const != nil:
		return string(s.Const)
	case s.AnyOf != nil || s.OneOf != nil || s.Enum != nil || len(s.Type) > 1:
		parts := s.alternatives()
		slices.Sort(parts)
		return strings.Join(slices.Compact(parts), " | ")
	case s.Items != nil:
		return "(" + s.Items.text() + ")[]"
	case len(s.Type) == 0:
		return "unknown"
	case s.Type[0] != "object":
		return s.Type[0]
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		members = append(members, name+": "+s.Properties[name].text())
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func (s *shape) alternatives() (out []string) {
	for _, part := range slices.Concat(s.AnyOf, s.OneOf) {
		if part.AnyOf != nil || len(part.Type) > 1 {
			out = append(out, part.alternatives()...)
			continue
		}
		out = append(out, part.text())
	}
	for _, value := range s.Enum {
		out = append(out, string(value))
	}
	if s.Enum == nil && len(s.Type) > 1 {
		out = append(out, s.Type...)
	}
	return out
}
