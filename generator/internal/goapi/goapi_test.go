// Tests of what changes of a protocol mean for Go programs. A test of the goldens holds these verdicts against apidiff's.

package goapi_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/goapi"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
)

func side(t *testing.T, definitions string) goapi.Side {
	t.Helper()
	var diags diag.List
	text := fmt.Sprintf(`{"x-protocol": {"name": "notes", "version": "1.0.0"}, "$defs": {%s}}`, definitions)
	set, loaded, err := schema.Load(fstest.MapFS{"notes.schema.json": {Data: []byte(text)}}, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	pkg, found := golang.Build(p, golang.Options{Package: "notes", Wire: "notes/wire", WireDir: "wire"})
	diags.Add(found...)
	require.NotNil(t, pkg, "%v", diags.Sorted())
	return goapi.Side{Protocol: p, Package: pkg}
}

// ask returns a request whose parameters have some members.
func ask(properties, required string) string {
	return `"Ask": {"x-method": "ask", "x-side": "host", "x-result": null, "type": "object", "properties": {` + properties + `}, "required": [` + required + `]}`
}

func TestJudge(t *testing.T) {
	const id = `"id": {"type": "string"}`
	color := func(values string) string {
		return ask(`"color": {"$ref": "#/$defs/Color"}`, "") + `, "Color": {"type": "string", "enum": [` + values + `]}`
	}
	for name, c := range map[string]struct {
		old, new string
		rule     change.Rule
		effect   verdict.GoEffect
		names    string // one of those that are concerned
	}{
		"an optional member more":   {ask(id, ""), ask(id+`, "more": {"type": "string"}`, ""), change.FieldAdded, verdict.GoAdditive, "Ask"},
		"a member less":             {ask(id+`, "more": {"type": "string"}`, ""), ask(id, ""), change.FieldRemoved, verdict.GoBreak, "Ask"},
		"a member becomes optional": {ask(id, `"id"`), ask(id, ""), change.FieldBecameOptional, verdict.GoBreak, "Ask"},
		"a value more":              {color(`"red"`), color(`"red", "green"`), change.EnumValueAdded, verdict.GoAdditive, "ColorGreen"},
		"a value less":              {color(`"red", "green"`), color(`"red"`), change.EnumValueRemoved, verdict.GoBreak, "ColorGreen"},
	} {
		t.Run(name, func(t *testing.T) {
			old, new := side(t, c.old), side(t, c.new)
			findings := verdict.Judge(old.Protocol, new.Protocol, change.Compare(old.Protocol, new.Protocol))
			goapi.Judge(old, new, findings)
			found := false
			for _, f := range findings {
				if f.Rule.ID == c.rule || f.Change.Rule == c.rule {
					found = true
					require.Equal(t, c.effect, f.Go, f.Todo)
					require.Contains(t, f.GoNames, c.names)
				}
			}
			require.True(t, found, "%v", findings)
		})
	}
}
