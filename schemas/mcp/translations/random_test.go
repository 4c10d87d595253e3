// Tests of translators between versions of MCP with random messages: what is lowered and lifted has to be described by the
// schemas of the version that it goes to.

package translations

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/golden/kit"
	"github.com/ahpgen/ahpgen/schemas"
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

func TestMain(m *testing.M) { kit.Main(m) }

var functions = map[string]translate.Func{
	"lowerElicitation": lowerElicitation, "lowerField": lowerField, "lowerElicited": lowerElicited, "lowerSampled": lowerSampled,
	"lowerSamplingBlock": lowerSamplingBlock, "lowerTask": lowerTask, "lowerCancelled": lowerCancelled, "liftCapabilities": liftCapabilities,
}

// TestRandomMessages converts random parameters and results of every method in both directions. Each is described by the
// schemas of the other version, unless it is one of those that the list calls impossible. What is lowered and lifted again is
// the same when it is lowered once more.
func TestRandomMessages(t *testing.T) {
	newer, older, v := derived(t, "2025-11-25", "2025-06-18")
	rounds := 30
	if *kit.Thorough {
		rounds = 3000
	}
	count := map[string]int{}
	for way, d := range []*translate.Direction{&v.Lower, &v.Lift} {
		sides := [2]*protocol.Protocol{newer, older}
		from, into := sides[way], sides[1-way]
		other := described(t, into.Version)
		for _, m := range from.Methods {
			target := into.Method(m.Name)
			if target == nil {
				continue
			}
			for round := range rounds {
				r := maker{rand.New(rand.NewPCG(uint64(way), uint64(round)))}
				for _, p := range []struct{ is, becomes protocol.Type }{{m.Params, target.Params}, {m.Result, target.Result}} {
					if missing(p.is) || missing(p.becomes) {
						continue
					}
					text, err := json.Marshal(r.of(protocol.Ref{Type: p.is}, 0))
					require.NoError(t, err)
					out, err := converted(d, m, p.is == m.Params, text)
					switch {
					case errors.Is(err, translate.ErrImpossible):
						require.Equal(t, &v.Lower, d, "%s: %v", text, err)
						count["impossible"]++
						continue
					case err != nil:
						t.Fatalf("%s: %v", text, err)
					case out == nil:
						require.Equal(t, "notifications/cancelled", m.Name)
						count["not sent"]++
						continue
					}
					count["converted"]++
					check(t, other, p.becomes, text, out)
					if d == &v.Lower {
						again(t, v, m, p.is == m.Params, out)
					}
				}
			}
		}
	}
	t.Log(count)
	require.Greater(t, count["converted"], 20*rounds)
	require.Greater(t, count["impossible"], rounds/2)
}

// again lifts what has been lowered and lowers it once more, which changes nothing.
func again(t *testing.T, v *translate.Version, m *protocol.Method, params bool, lowered json.RawMessage) {
	t.Helper()
	lifted, err := converted(&v.Lift, m, params, lowered)
	require.NoError(t, err, "%s", lowered)
	back, err := converted(&v.Lower, m, params, lifted)
	require.NoError(t, err, "%s", lifted)
	require.JSONEq(t, string(lowered), string(back))
}

func converted(d *translate.Direction, m *protocol.Method, params bool, text json.RawMessage) (json.RawMessage, error) {
	if !params {
		return d.Result(m.Name, text, &translate.Context{})
	}
	out, err := d.Params(m.Name, text, &translate.Context{})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return out[0], nil
}

func missing(t protocol.Type) bool {
	s, ok := t.(*protocol.Struct)
	return t == nil || ok && s == nil
}

// derived returns two versions and the translator between them.
func derived(t *testing.T, newer, older string) (_, _ *protocol.Protocol, _ *translate.Version) {
	t.Helper()
	var diags diag.List
	g, err := generator.New(generator.Config{Schemas: "mcp@" + newer, Speaks: []string{older}}, &diags)
	require.NoError(t, err)
	pairs, err := g.Translations()
	require.NoError(t, err, "%v", diags.Sorted())
	v, err := pairs[0].Version.Translator(functions)
	require.NoError(t, err)
	return pairs[0].Newer, pairs[0].Older, v
}

// described returns the definitions of a version as validators.
func described(t *testing.T, version string) map[string]*jsonschema.Schema {
	t.Helper()
	folder, _, err := schemas.Protocol("mcp@" + version)
	require.NoError(t, err)
	dir := t.TempDir()
	files, err := fs.Glob(folder, "*.schema.json")
	require.NoError(t, err)
	texts := map[string][]byte{}
	for _, name := range files {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		kit.WriteFile(t, filepath.Join(dir, name), string(data))
		texts[filepath.Join(dir, name)] = data
	}
	out := map[string]*jsonschema.Schema{}
	for file, data := range texts {
		var content struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		require.NoError(t, json.Unmarshal(data, &content))
		for name := range content.Defs {
			if out[name], err = jsonschema.Compile("file://" + filepath.ToSlash(file) + "#/$defs/" + name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

func check(t *testing.T, other map[string]*jsonschema.Schema, as protocol.Type, was, is json.RawMessage) {
	t.Helper()
	s := other[as.Head().Name]
	require.NotNil(t, s, as.Head().Name)
	var value any
	require.NoError(t, json.Unmarshal(is, &value), "%s", is)
	require.NoError(t, s.Validate(value), "%s\nbecame\n%s", was, is)
}

// maker makes random values.
type maker struct{ *rand.Rand }

// deepest is the depth from which on members that may be missing are.
const deepest = 8

func (r maker) of(e protocol.Expr, depth int) any {
	switch e := e.(type) {
	case protocol.List:
		out := make([]any, r.length(depth))
		for i := range out {
			out[i] = r.of(e.Elem, depth+1)
		}
		return out
	case protocol.Map:
		out := map[string]any{}
		for range r.length(depth) {
			out[r.word()] = r.of(e.Elem, depth+1)
		}
		return out
	case protocol.Scalar:
		return r.scalar(e, depth)
	case protocol.Ref:
		return r.declared(e.Type, depth)
	}
	panic(fmt.Sprintf("%T", e))
}

func (r maker) length(depth int) int {
	if depth > deepest {
		return 0
	}
	return r.IntN(3)
}

func (r maker) word() string {
	return []string{"a", "é\n\"", "form", "tools", "type", "content", "x-y", "2025-11-25T10:00:00Z"}[r.IntN(8)]
}

func (r maker) scalar(s protocol.Scalar, depth int) any {
	switch s {
	case protocol.String:
		return r.word()
	case protocol.Bool:
		return r.IntN(2) == 0
	case protocol.Null:
		return nil
	case protocol.Integer:
		return r.IntN(1000)
	case protocol.Any:
		if depth > deepest {
			return 1
		}
		return []any{1, "x", true, []any{1}, map[string]any{r.word(): r.of(protocol.Any, depth+1)}}[r.IntN(5)]
	}
	return float64(r.IntN(8)) / 8
}

func (r maker) declared(of protocol.Type, depth int) any {
	switch of := of.(type) {
	case *protocol.Alias:
		return r.of(of.Target, depth)
	case *protocol.Enum:
		return of.Members[r.IntN(len(of.Members))].Value.Plain()
	case *protocol.Union:
		if leaves := of.Leaves(); of.Kind != protocol.Token {
			return r.object(leaves[r.IntN(len(leaves))], depth)
		}
		return r.of(of.Variants[r.IntN(len(of.Variants))].Type, depth)
	case *protocol.Struct:
		return r.object(of, depth)
	}
	panic(fmt.Sprintf("%T", of))
}

func (r maker) object(s *protocol.Struct, depth int) map[string]any {
	out := map[string]any{}
	for _, f := range s.Fields {
		switch {
		case !f.Required && (depth > deepest || r.IntN(2) == 0):
		case f.Const != nil:
			out[f.Name] = f.Const.Plain()
		case len(f.Values) > 0:
			out[f.Name] = f.Values[r.IntN(len(f.Values))].Plain()
		case strings.HasSuffix(f.Name, "Schema") && f.Type == protocol.Expr(protocol.Any):
			out[f.Name] = map[string]any{"type": "object"}
		default:
			out[f.Name] = r.of(f.Type, depth+1)
		}
	}
	return out
}

// TestExamplesOfMethods lowers an example of the parameters of each method.
func TestExamplesOfMethods(t *testing.T) {
	newer, older, v := derived(t, "2025-11-25", "2025-06-18")
	other := described(t, older.Version)
	for _, m := range newer.Methods {
		if target := older.Method(m.Name); target != nil && !missing(m.Params) && !missing(target.Params) {
			text := json.RawMessage(inside.Example(newer, m.Params))
			out, err := converted(&v.Lower, m, true, text)
			require.NoError(t, err, "%s", text)
			check(t, other, target.Params, text, out)
		}
	}
}
