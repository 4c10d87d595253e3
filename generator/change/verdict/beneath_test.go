// Tests of what travels in raw JSON.

package verdict_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// beneath has a definition that a client is told of, and a member that goes to a host.
const beneath = `{"$defs": {
	"Ask": {"x-method": "ask", "x-side": "host", "x-result": null, "type": "object", "properties": {"raw": %s}},
	"Tell": {"x-method": "tell", "x-side": "client", "x-result": null, "type": "object", "properties": {"told": {"$ref": "#/$defs/Told"}}},
	"Told": {"type": "object", "properties": {"z": {"type": "string"}%s}}
}}`

// TestRawJSONCarriesWhatItRefersTo adds a member to a definition. A host is concerned if it reads the definition as a part of raw
// JSON, whatever keyword refers to it.
func TestRawJSONCarriesWhatItRefersTo(t *testing.T) {
	const told = `{"$ref": "#/$defs/Told"}`
	for _, c := range []struct {
		raw  string
		host verdict.Verdict
	}{
		{`{"type": ["object", "string"], "properties": {"a": TOLD}}`, verdict.Tolerated},
		{`{"not": TOLD}`, verdict.Tolerated},
		{`{"if": TOLD, "then": {"required": ["z"]}}`, verdict.Tolerated},
		{`{"if": {"required": ["z"]}, "then": TOLD}`, verdict.Tolerated},
		{`{"if": {"required": ["z"]}, "else": TOLD}`, verdict.Tolerated},
		{`{"contains": TOLD}`, verdict.Tolerated},
		{`{"type": "array", "prefixItems": [{"type": "string"}, TOLD]}`, verdict.Tolerated},
		{`{"type": "array", "prefixItems": [TOLD], "items": {"type": "string"}}`, verdict.Tolerated},
		{`{"type": "object", "patternProperties": {"^x": {"type": "string"}, "^y": TOLD}}`, verdict.Tolerated},
		{`{"dependentSchemas": {"a": TOLD}}`, verdict.Tolerated},
		{`{"not": {"properties": {"p": {"items": TOLD}}}}`, verdict.Tolerated},
		{`{"not": {"const": TOLD}}`, verdict.Fine}, // a value, whatever it looks like
		{`{"type": "string"}`, verdict.Fine},
	} {
		side := func(more string) *protocol.Protocol {
			raw := strings.ReplaceAll(c.raw, "TOLD", told)
			text := fmt.Sprintf(beneath, raw, more)
			return load(t, fstest.MapFS{"p/p.schema.json": {Data: []byte(text)}}, "p", []byte(`{"name": "raw", "title": "Raw", "unions": {"undecided": "raw"}}`))
		}
		old, new := side(""), side(`, "y": {"type": "string"}`)
		findings := verdict.Judge(old, new, change.Compare(old, new))
		require.Len(t, findings, 1, c.raw)
		require.Equal(t, change.FieldAdded, findings[0].Change.Rule, c.raw)
		require.Equal(t, verdict.Tolerated, findings[0].Client, c.raw)
		require.Equal(t, c.host, findings[0].Host, c.raw)
	}
}
