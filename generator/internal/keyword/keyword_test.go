// Tests of what schemas state about themselves.

package keyword_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/keyword"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/version"
)

func load(t *testing.T, text string) *schema.Set {
	t.Helper()
	var diags diag.List
	set, loaded, err := schema.Load(fstest.MapFS{"notes.schema.json": {Data: []byte(text)}}, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	diags.Add(set.Merge(false)...)
	diags.Add(set.Parse(schema.Options{}, diags.Places())...)
	return set
}

func none(*schema.Definition) bool { return false }

func TestProtocol(t *testing.T) {
	set := load(t, `{"x-protocol": {"name": "notes", "title": "Notes", "version": "1.1.0", "supported": ["1.1.0", "1.0.0"], "sides": ["reader", "writer"]}, "$defs": {}}`)
	f, found := keyword.Protocol(set, "")
	require.Empty(t, found)
	require.Equal(t, "notes", f.Name)
	require.Equal(t, "Notes", f.Title)
	require.Equal(t, []string{"1.1.0", "1.0.0"}, f.Versions.Supported)
	require.Equal(t, "1.1.0", f.Versions.At.String())
	require.Equal(t, []string{"reader", "writer"}, []string(f.Sides))
}

// TestOrdersThatDiffer: a profile and the schemas cannot both be right.
func TestOrdersThatDiffer(t *testing.T) {
	set := load(t, `{"x-protocol": {"name": "notes", "version": "2025-11-25", "order": "dates"}, "$defs": {}}`)
	_, found := keyword.Protocol(set, version.Numbers)
	require.Len(t, found, 1)
	require.Equal(t, diag.Error, found[0].Severity)
	require.Contains(t, found[0].Message, "dates here")
}

func TestRead(t *testing.T) {
	set := load(t, `{"x-initialisms": ["PTY"], "x-channels": [{"name": "logs", "uri": "logs:/<id>"}], "x-objects": {"undeclared": "keep", "null": "absent"}, "$defs": {
		"Ask": {"x-method": "ask", "x-side": "host", "x-go-name": "Question", "type": "object"},
		"Gone": {"x-method": "gone", "x-side": "host", "type": "object"},
		"Shape": {"discriminator": {"propertyName": "kind"}, "x-tag": "Kind", "oneOf": [{"type": "object", "x-unknown": true}]}
	}}`)
	f, found := keyword.Read(set, nil, func(def *schema.Definition) bool { return def.Name == "Gone" }, nil)
	require.Empty(t, found)
	require.Equal(t, []string{"PTY"}, f.Initialisms)
	require.Equal(t, "logs", f.Channels[0].Name)
	require.True(t, f.Keep && f.NullAbsent && !f.Untagged && !f.OpenUnions)
	require.Len(t, f.Methods, 1, "one is left out")
	require.Equal(t, "ask", f.Methods[0].Name)
	require.Equal(t, "Question", f.Names[0].Name)
	require.Equal(t, "Shape", f.Unions[0].Union)
	require.True(t, *f.Unions[0].Open, "an alternative is for unknown variants")
	f, _ = keyword.Read(set, nil, none, nil)
	require.Nil(t, f.Replication)
}
