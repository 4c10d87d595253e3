// Tests of what emitted packages do, for schemas small enough to read.

package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ahpgen/ahpgen/generator"
	"github.com/ahpgen/ahpgen/golden/kit"
)

func TestMain(m *testing.M) { kit.Main(m) }

// TestRun generates each case of run/, puts its Go tests beside the package and runs them, with the
// race detector if the tests are thorough. Every case is a package of one module, so that they are built together.
func TestRun(t *testing.T) {
	kit.Long(t)
	cases, err := filepath.Glob("*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	module := kit.NewModule(t)
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		require.NotEmpty(t, archive.Comment, "%s: say at the top what the case shows", file)
		out := filepath.Join(module, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		kit.GenerateCase(t, archive, out)
		kit.RequireUsed(t, out)
		tests := 0
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, "_test.go") {
				kit.WriteFile(t, filepath.Join(out, f.Name), string(f.Data))
				tests++
			}
		}
		require.NotZero(t, tests, "%s: there is no test in it", file)
	}
	kit.TestInFull(t, module, "./...")
}

// TestShapesBeyondTheWidthOfAWord tells variants apart of which there are more than bits in a word, by
// members that settle it and by members that others may have as well.
func TestShapesBeyondTheWidthOfAWord(t *testing.T) {
	kit.Long(t)
	const variants = 200
	var defs, refs []string
	for i := range variants {
		// Each may have the marker of the one after it, so that the first seen does not settle it.
		defs = append(defs, fmt.Sprintf(`"V%d": {"type": "object", "properties": {"m%d": {"type": "integer"}, "m%d": {"type": "integer"}}, "required": ["m%d"]}`, i, i, i+1, i))
		refs = append(refs, fmt.Sprintf(`{"$ref": "#/$defs/V%d"}`, i))
	}
	const program = `package p

import (
	"fmt"
	"testing"
)

func TestEveryVariantIsFound(t *testing.T) {
	for i := range 200 {
		for _, text := range []string{fmt.Sprintf("{\"m%d\":1}", i), fmt.Sprintf("{\"m%d\":1,\"m%d\":2}", i, i+1)} {
			v, err := DecodeAny([]byte(text))
			if err != nil || fmt.Sprintf("%T", v) != fmt.Sprintf("*p.V%d", i) {
				t.Fatalf("%s: %T %v", text, v, err)
			}
			if again, err := v.AppendJSON(nil); err != nil || string(again) != text {
				t.Fatal(string(again), err)
			}
		}
	}
	if v, err := DecodeAny([]byte("{\"m900\":1}")); err == nil {
		t.Fatal(v)
	}
}
`
	module := kit.NewModule(t)
	kit.GenerateCase(t, &txtar.Archive{Files: []txtar.File{{
		Name: "schema/any.schema.json",
		Data: []byte(`{"$defs": {"Any": {"oneOf": [` + strings.Join(refs, ", ") + `]}, ` + strings.Join(defs, ", ") + `}}`),
	}}}, filepath.Join(module, "p"))
	kit.WriteFile(t, filepath.Join(module, "p", "any_test.go"), program)
	kit.TestEmitted(t, module, "./...")
}

// TestANewMethodIsOneMoreOfEach adds a method to a schema: the package generated anew has a typed method,
// a field for its handler and a row in the table, and what was there is as it was.
func TestANewMethodIsOneMoreOfEach(t *testing.T) {
	kit.Long(t)
	const params = `"CountParams": {"x-method": "count", "x-side": "host", "x-result": "Sum", "type": "object", "properties": {"to": {"type": "integer"}}, "required": ["to"]},
		"Sum": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}`
	const added = `, "HaltParams": {"x-method": "count/halt", "x-side": "both", "x-notification": true, "type": "object", "properties": {"why": {"type": "string"}}, "required": ["why"]}`
	const program = `package p

import (
	"context"
	"testing"

	"golden/p/wire/rpc"
)

func TestCount(t *testing.T) {
	h := &HostHandlers{Count: func(_ context.Context, p *CountParams) (*Sum, error) { return &Sum{Sum: p.To * (p.To + 1) / 2}, nil }}
	if got, err := NewHostConn(rpc.Local(h)).Count(context.Background(), &CountParams{To: 4}); err != nil || got.Sum != 10 {
		t.Fatal(got, err)
	}
}
`
	const more = `package p

import (
	"context"
	"testing"

	"golden/p/wire/rpc"
)

func TestHalt(t *testing.T) {
	halted := ""
	halt := func(_ context.Context, p *HaltParams) { halted += p.Why }
	if err := NewHostConn(rpc.Local(&HostHandlers{CountHalt: halt})).CountHalt(context.Background(), &HaltParams{Why: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := NewClientConn(rpc.Local(&ClientHandlers{CountHalt: halt})).CountHalt(context.Background(), &HaltParams{Why: "b"}); err != nil {
		t.Fatal(err)
	}
	if row, ok := LookupMethod("count/halt"); !ok || !row.Notification || halted != "ab" {
		t.Fatal(row, halted)
	}
}
`
	module := kit.NewModule(t)
	schema, out := filepath.Join(module, "schema"), filepath.Join(module, "p")
	for _, defs := range []string{params, params + added} {
		kit.WriteFile(t, filepath.Join(schema, "count.schema.json"), `{"$defs": {`+defs+`}}`)
		kit.Generate(t, generator.Config{Schemas: schema, Out: out, Package: "p"})
		kit.WriteFile(t, filepath.Join(out, "count_test.go"), program)
		if defs != params {
			kit.WriteFile(t, filepath.Join(out, "halt_test.go"), more)
		}
		kit.TestEmitted(t, module, "./...")
	}
}
