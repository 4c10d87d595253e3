// Tests of what inspect returns for a protocol. The goldens of the command test how it is printed.

package inspect_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/inspect"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

const notes = `{"x-protocol": {"name": "notes", "title": "Notes", "version": "1.0.0"}, "$defs": {
	"Note": {"description": "A note.", "type": "object", "properties": {"id": {"type": "string"}, "color": {"$ref": "#/$defs/Color"}}, "required": ["id"]},
	"Color": {"type": "string", "enum": ["red", "green"]},
	"ReadNoteParams": {"x-method": "readNote", "x-side": "host", "x-result": "Note", "x-since": "1.0.0", "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
}}`

func read(t *testing.T) (*protocol.Protocol, *golang.Package) {
	t.Helper()
	var diags diag.List
	set, loaded, err := schema.Load(fstest.MapFS{"notes.schema.json": {Data: []byte(notes)}}, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	pkg, found := golang.Build(p, golang.Options{Package: "notes", Wire: "notes/wire", WireDir: "wire"})
	diags.Add(found...)
	require.NotNil(t, pkg, "%v", diags.Sorted())
	return p, pkg
}

func TestDescribe(t *testing.T) {
	p, _ := read(t)
	r := inspect.Describe(p)
	require.Equal(t, []inspect.ReportMethod{{Method: "readNote", From: "client", Kind: "request", Params: "ReadNoteParams", Result: "Note", Since: "1.0.0"}}, r.Methods)
	require.Equal(t, []string{"red", "green"}, r.Enums[0].Values)
	require.Equal(t, "string", r.Enums[0].Kind)
	var note inspect.ReportType
	for _, row := range r.Types {
		if row.Name == "Note" {
			note = row
		}
	}
	require.Equal(t, 2, note.Members)
	require.Equal(t, 1, note.Required)
	require.Equal(t, []inspect.ReportAction{}, r.Actions, "JSON has a list that is empty, not null")
}

func TestFind(t *testing.T) {
	p, pkg := read(t)
	for name, want := range map[string]string{
		"readNote": "method", // on the wire
		"ReadNote": "method", // in Go
		"note":     "object", // in another case, as nothing is called so
		"Color":    "enum",
	} {
		found, like := inspect.Find(name, p, pkg)
		require.Len(t, found, 1, name)
		require.Equal(t, want, found[0].Kind, name)
		require.Empty(t, like)
	}
	found, like := inspect.Find("ote", p, pkg)
	require.Empty(t, found)
	require.Contains(t, like, "Note")
}

func TestUses(t *testing.T) {
	p, pkg := read(t)
	found, _ := inspect.Find("Color", p, pkg)
	require.Nil(t, found[0].Uses, "nobody asked")
	inspect.WithUses(found, p)
	require.Len(t, *found[0].Uses, 1)
	require.Equal(t, "Note.color", (*found[0].Uses)[0].By)
}
