// Tests of chains and circles of definitions, of any length.

package analyze_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/diag"
	stated "github.com/ahpgen/ahpgen/generator/internal/facts"
	"github.com/ahpgen/ahpgen/generator/internal/profile"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/internal/understand"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Heaps may grow before they are collected, which takes a third of the time otherwise: little in them lives long.
func init() { debug.SetGCPercent(400) }

// analyseDefs analyses definitions of which each stands on a line of its own, from line 2 on.
func analyseDefs(t *testing.T, defs []string) (*protocol.Protocol, []diag.Diagnostic) {
	t.Helper()
	var diags diag.List
	text := "{\"$defs\": {\n" + strings.Join(defs, ",\n") + "}}"
	set, loaded, err := schema.Load(fstest.MapFS{"s.schema.json": {Data: []byte(text)}}, ".", nil)
	diags.Add(loaded...)
	require.NoError(t, err)
	require.Zero(t, diags.Len(), "%v", diags.Sorted())
	understood := understand.Run(set, profile.Empty(), stated.Text{}, diags.Items()...)
	diags.Add(understood.Found...)
	p := understood.Protocol
	require.Equal(t, diags.HasErrors(), p == nil)
	return p, diags.Sorted()
}

// chain writes definitions of which each holds the next, the last of them the end.
func chain(length int, each, end string) []string {
	var defs []string
	for i := range length {
		defs = append(defs, fmt.Sprintf(`"D%d": `+each, i, fmt.Sprintf(`{"$ref": "#/$defs/D%d"}`, i+1)))
	}
	return append(defs, fmt.Sprintf(`"D%d": %s`, length, end))
}

func TestCirclesOfAnyLengthAreFound(t *testing.T) {
	for _, c := range []struct{ name, each, want string }{
		{"names", `%s`, "definition D%d only refers to itself"},
		{"unions", `{"oneOf": [%s, {"type": "string"}]}`, "union D%d is an alternative of itself"},
		{"nullable names", `{"oneOf": [%s, {"type": "null"}]}`, "union D%d is an alternative of itself"},
		{"lists", `{"type": "array", "items": %s}`, "D%d only contains itself"},
		{"maps", `{"type": "object", "additionalProperties": %s}`, "D%d only contains itself"},
		{"required members", `{"type": "object", "properties": {"next": %s}, "required": ["next"]}`, "D%d requires a value of its own type: no value can be finite"},
	} {
		for _, length := range []int{1, 2, 3, 127, 128, 129, 1000} {
			defs := chain(length, c.each, `{"type": "string"}`)
			defs[length] = fmt.Sprintf(`"D%d": `+c.each, length, `{"$ref": "#/$defs/D0"}`)
			outside := fmt.Sprintf(`"Outside": `+c.each, `{"$ref": "#/$defs/D0"}`)
			_, said := analyseDefs(t, append(defs, outside))
			require.Len(t, said, length+1, "%s %d: what leads into a circle is no part of it", c.name, length)
			for i, d := range said {
				require.Equal(t, fmt.Sprintf(c.want, i), d.Message, c.name)
				require.Equal(t, i+2, d.Pos.Line, c.name)
			}
		}
	}
}

func TestLongChainsAreNoCircles(t *testing.T) {
	for _, c := range []struct{ name, each, end string }{
		{"names", `%s`, `{"type": "string"}`},
		{"nullable names", `{"oneOf": [%s, {"type": "null"}]}`, `{"type": "string"}`},
		{"required members", `{"type": "object", "properties": {"next": %s}, "required": ["next"]}`, `{"type": "string"}`},
		{"bases", `{"allOf": [%s], "properties": {"more": {"type": "string"}}}`, `{"type": "object", "properties": {"last": {"type": "string"}}}`},
	} {
		p, said := analyseDefs(t, chain(1000, c.each, c.end))
		require.Empty(t, said, c.name)
		require.Len(t, p.Types, 1001, c.name)
	}
}

func TestListsAreNestedAsDeepAsAFileCouldWriteThem(t *testing.T) {
	const list = `{"type": "array", "items": %s}`
	_, said := analyseDefs(t, chain(schema.MaxDepth, list, `{"type": "string"}`))
	require.Empty(t, said)
	_, said = analyseDefs(t, chain(1000, list, `{"type": "string"}`))
	require.Len(t, said, 1)
	require.Equal(t, fmt.Sprintf("D%d is nested deeper than %d levels of lists and maps", 1000-schema.MaxDepth-1, schema.MaxDepth), said[0].Message)
}

func TestMoreNamesInARowThanAreFollowedAreRefused(t *testing.T) {
	_, said := analyseDefs(t, chain(10_002, `%s`, `{"type": "string"}`))
	require.NotEmpty(t, said)
	require.Contains(t, said[0].Message, "only names another, and so do 10000 more in a row")
}

func TestMoreDefinitionsThanTheLimitAreRefused(t *testing.T) {
	defs := make([]string, 200_001)
	for i := range defs {
		defs[i] = fmt.Sprintf(`"D%d": {"type": "string"}`, i)
	}
	_, said := analyseDefs(t, defs)
	require.Len(t, said, 1)
	require.Equal(t, "s.schema.json:200002:1: there are 200001 definitions, the limit is 200000", strings.Split(said[0].String(), "\n")[0])
}

// TestBasesThatDoubleAreRefused has each definition inherit the next twice, inside two members.
func TestBasesThatDoubleAreRefused(t *testing.T) {
	var defs []string
	for i := range 24 {
		next := fmt.Sprintf(`{"allOf": [{"$ref": "#/$defs/D%d"}], "properties": {"own": {"type": "string"}}}`, i+1)
		defs = append(defs, fmt.Sprintf(`"D%d": {"type": "object", "properties": {"a": %s, "b": %s}}`, i, next, next))
	}
	_, said := analyseDefs(t, append(defs, `"D24": {"type": "object", "properties": {"last": {"type": "string"}}}`))
	require.NotEmpty(t, said)
	require.Equal(t, "D0 holds more than 20000 inline types", said[0].Message)
}

// TestManyInlineObjectsThatInheritThemselves would have as many types as there are orders of them.
func TestManyInlineObjectsThatInheritThemselves(t *testing.T) {
	var members []string
	for i := range 12 {
		members = append(members, fmt.Sprintf(`"m%d": {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/Tree"}], "properties": {"own%d": {"type": "string"}}}}`, i, i))
	}
	p, said := analyseDefs(t, []string{`"Tree": {"type": "object", "properties": {` + strings.Join(members, ", ") + `}}`})
	require.Empty(t, said)
	require.Len(t, p.Types, 13)
}

// TestObjectsInListsOfTypesThatInheritThemselves has the alternative that leads back written as a type
// among others.
func TestObjectsInListsOfTypesThatInheritThemselves(t *testing.T) {
	again := `{"allOf": [{"$ref": "#/$defs/Tree"}], "properties": {"own": {"type": "string"}}}`
	for _, members := range []string{
		`"m": {"type": ["object", "string"], "additionalProperties": ` + again + `}`,
		`"m": {"type": ["array", "null", "string"], "items": ` + again + `}`,
	} {
		p, said := analyseDefs(t, []string{`"Tree": {"type": "object", "properties": {` + members + `}}`})
		require.Empty(t, said)
		require.Len(t, p.Types, 3)
	}
}

// TestNamesOfInlineTypesAreBounded has each definition inherit the next inside a member whose name is
// long.
func TestNamesOfInlineTypesAreBounded(t *testing.T) {
	member := strings.Repeat("long", 4000)
	var defs []string
	for i := range 50 {
		defs = append(defs, fmt.Sprintf(`"D%d": {"type": "object", "properties": {%q: {"allOf": [{"$ref": "#/$defs/D%d"}], "properties": {"own": {"type": "string"}}}}}`, i, member, i+1))
	}
	_, said := analyseDefs(t, append(defs, `"D50": {"type": "object", "properties": {"last": {"type": "string"}}}`))
	require.NotEmpty(t, said)
	require.Regexp(t, `^the names of inline types take more than 64 MiB by what is in D\d+$`, said[0].Message)
}
