// Values of JSON, and the members that can have them.

package holding_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/internal/holding"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

func TestMember(t *testing.T) {
	text := protocol.Value{Kind: protocol.String, Str: "a"}
	inner := &protocol.Struct{Fields: []*protocol.Field{
		{Name: "kind", Type: protocol.String, Const: &text, Required: true}, {Name: "n", Type: protocol.Integer, Nullable: true},
	}}
	for _, c := range []struct {
		name  string
		field protocol.Field
		value string
		want  bool
	}{
		{"a text", protocol.Field{Type: protocol.String}, `"a"`, true},
		{"a number for a text", protocol.Field{Type: protocol.String}, `1`, false},
		{"an integer", protocol.Field{Type: protocol.Integer}, `-7`, true},
		{"an integer with a point", protocol.Field{Type: protocol.Integer}, `7.0`, true},
		{"a fraction for an integer", protocol.Field{Type: protocol.Integer}, `1.5`, false},
		{"a fraction", protocol.Field{Type: protocol.Float}, `1.5`, true},
		{"null", protocol.Field{Type: protocol.String}, `null`, false},
		{"null where it may be", protocol.Field{Type: protocol.String, Nullable: true}, `null`, true},
		{"a constant", protocol.Field{Type: protocol.String, Const: &text}, `"a"`, true},
		{"another text for a constant", protocol.Field{Type: protocol.String, Const: &text}, `"b"`, false},
		{"a value that is named", protocol.Field{Type: protocol.String, Values: []protocol.Value{text}}, `"a"`, true},
		{"one that is not", protocol.Field{Type: protocol.String, Values: []protocol.Value{text}}, `"b"`, false},
		{"a list", protocol.Field{Type: protocol.List{Elem: protocol.Integer}}, `[1,2]`, true},
		{"a list with another value in it", protocol.Field{Type: protocol.List{Elem: protocol.Integer}}, `[1,"2"]`, false},
		{"an object", protocol.Field{Type: protocol.Ref{Type: inner}}, `{"kind":"a","n":null}`, true},
		{"an object without a member", protocol.Field{Type: protocol.Ref{Type: inner}}, `{"n":1}`, false},
		{"an object with another constant", protocol.Field{Type: protocol.Ref{Type: inner}}, `{"kind":"b"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, found := schema.ParseJSON("", []byte(c.value))
			require.Empty(t, found)
			require.Equal(t, c.want, holding.Member(&c.field, n))
		})
	}
}
