package golang_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/golang"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
)

// build decides on a package for definitions, with the names of an earlier run.
func build(t *testing.T, definitions string, names golang.Names) *golang.Package {
	t.Helper()
	folder := fstest.MapFS{"s.schema.json": {Data: []byte(`{"$defs": {` + definitions + `}}`)}}
	var diags diag.List
	set, loaded, err := schema.Load(folder, "schema", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	understood := understand.Run(set, profile.Empty(), facts.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.NotNil(t, p, "%v", diags.Sorted())
	pkg, found := golang.Build(p, golang.Options{Package: "p", Names: names})
	require.NotNil(t, pkg, "%v", found)
	return pkg
}

// object returns the definition of an object with members.
func object(name string, members ...string) string {
	return `"` + name + `": {"type": "object", "properties": {` + strings.Join(members, ", ") + `}}`
}

const (
	uri   = `{"type": "object", "properties": {"uri": {"type": "string"}}}`
	other = `{"type": "object", "properties": {"uri": {"type": "string"}, "more": {"type": "string"}}}`
)

// fields lists the types of all fields that hold an object or an enum.
func fields(pkg *golang.Package) map[string]string {
	out := map[string]string{}
	for _, s := range pkg.Structs {
		for _, f := range s.Fields {
			switch t := f.Type.(type) {
			case golang.StructType:
				out[s.Name+"."+f.Wire] = t.Name
			case golang.EnumType:
				out[s.Name+"."+f.Wire] = t.Name
			}
		}
	}
	return out
}

func TestEqualInlineTypesAreDeclaredOnce(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		want         map[string]string
	}{
		{"under one name", object("A", `"at": `+uri) + "," + object("B", `"at": `+uri), map[string]string{"A.at": "AAt", "B.at": "AAt"}},
		{"under two names", object("A", `"before": `+uri, `"after": `+uri), map[string]string{"A.before": "ABeforeOrAfter", "A.after": "ABeforeOrAfter"}},
		{"under names that end alike", object("A", `"inputSchema": `+uri, `"outputSchema": `+uri), map[string]string{"A.inputSchema": "ASchema", "A.outputSchema": "ASchema"}},
		{"under names that begin alike", object("A", `"serverTools": `+uri, `"serverRoots": `+uri), map[string]string{"A.serverTools": "AServer", "A.serverRoots": "AServer"}},
		{"under many names, each by its own", object("A", `"x": `+uri, `"y": `+uri, `"z": `+uri), map[string]string{"A.x": "AX", "A.y": "AY", "A.z": "AZ"}},
		{"but not under the name of another use", object("A", `"x": `+uri) + "," + object("B", `"y": `+uri, `"z": `+uri), map[string]string{"A.x": "AX", "B.y": "BYOrZ", "B.z": "BYOrZ"}},
		{"nor as items of other lists", object("A", `"x": {"items": `+uri+`}`) + "," + object("B", `"y": `+uri), map[string]string{"B.y": "BY"}},
		{"where the name is taken", object("A", `"inputSchema": `+uri, `"outputSchema": `+uri) + "," + object("ASchema"), map[string]string{"A.inputSchema": "AInputSchema", "A.outputSchema": "AInputSchema"}},
		{"where another use has the name", object("A", `"openAt": `+uri, `"closeAt": `+uri, `"at": `+other) + "," + object("B", `"at": `+other),
			map[string]string{"A.openAt": "AOpenAt", "A.closeAt": "AOpenAt", "A.at": "AAt", "B.at": "AAt"}},
		{"as enums", object("A", `"side": {"enum": ["l", "r"]}`) + "," + object("B", `"side": {"enum": ["l", "r"]}`), map[string]string{"A.side": "ASide", "B.side": "ASide"}},
		{"but not where they differ", object("A", `"at": `+uri) + "," + object("B", `"at": `+other), map[string]string{"A.at": "AAt", "B.at": "BAt"}},
		{"nor where a definition has a name", object("At", `"uri": {"type": "string"}`) + "," + object("B", `"at": `+uri), map[string]string{"B.at": "BAt"}},
		{"in each other", object("A", `"x": {"type": "object", "properties": {"at": `+uri+`}}`) + "," + object("B", `"x": {"type": "object", "properties": {"at": `+uri+`}}`),
			map[string]string{"A.x": "AX", "B.x": "AX", "AX.at": "AXAt"}},
		{"that declare nothing", object("A", `"x": {"type": "object", "properties": {}}`), map[string]string{"A.x": "Empty"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, fields(build(t, c.schema, nil))) })
	}
}

func TestSharedNamesLast(t *testing.T) {
	both := object("A", `"before": `+uri, `"after": `+uri)
	first := build(t, both, nil)
	for _, c := range []struct {
		name, schema string
		had          golang.Names
		want         map[string]string
	}{
		{"of an earlier run that declared each", both, golang.Names{"A.before": {Go: "ABefore"}, "A.after": {Go: "AAfter"}}, map[string]string{"A.before": "ABefore", "A.after": "AAfter"}},
		{"when another type joins", both + "," + object("B", `"after": `+uri), first.Names, map[string]string{"A.before": "ABeforeOrAfter", "A.after": "ABeforeOrAfter", "B.after": "ABeforeOrAfter"}},
		{"that an earlier run gave to other uses", both + "," + object("B", `"x": `+uri), golang.Names{"A.before": {Go: "AAt"}, "A.after": {Go: "AAt"}, "B.x": {Go: "AAt"}}, map[string]string{"A.before": "AAt", "A.after": "AAt", "B.x": "AAt"}},
		{"when one is left", object("A", `"after": `+uri), first.Names, map[string]string{"A.after": "ABeforeOrAfter"}},
		{"with the first when they grow apart", object("A", `"before": `+uri, `"after": `+other), first.Names, map[string]string{"A.before": "ABeforeOrAfter", "A.after": "AAfter"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, fields(build(t, c.schema, c.had))) })
	}
}

// TestTitlesOfNumbersAreNamesOnlyAtFirst: a title that comes later is no reason to call a value anything else.
func TestTitlesOfNumbersAreNamesOnlyAtFirst(t *testing.T) {
	const plain = `"Code": {"oneOf": [{"const": -1, "type": "integer"}]}`
	const titled = `"Code": {"oneOf": [{"const": -1, "type": "integer", "title": "Not found"}]}`
	name := func(pkg *golang.Package) string { return pkg.Enums[0].Members[0].Name }
	require.Equal(t, "CodeNotFound", name(build(t, titled, nil)))
	first := build(t, plain, nil)
	require.Equal(t, "CodeMinus1", name(first))
	require.Equal(t, "CodeMinus1", name(build(t, titled, first.Names)))
}
