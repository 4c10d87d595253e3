package verdict_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generator/change"
	"github.com/ahpgen/ahpgen/generator/change/verdict"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// TestObstacles: what stands in the way is what cannot be read, and what is relied on and cannot be written.
func TestObstacles(t *testing.T) {
	field := func(required bool) *protocol.Field {
		return &protocol.Field{Name: "f", Type: protocol.String, Required: required}
	}
	object := func(fields ...*protocol.Field) *protocol.Struct {
		return &protocol.Struct{Header: protocol.Header{Name: "Note"}, Fields: fields}
	}
	variant := func(name string) *protocol.Struct {
		return &protocol.Struct{Header: protocol.Header{Name: name}}
	}
	union := func(open bool, names ...string) *protocol.Union {
		u := &protocol.Union{Header: protocol.Header{Name: "Shape"}, Kind: protocol.Tagged, Open: open, Dispatch: &protocol.Dispatch{Member: "kind", Kind: protocol.String}}
		for _, n := range names {
			s := variant(n)
			u.Variants = append(u.Variants, &protocol.Variant{Type: protocol.Ref{Type: s}})
			u.Dispatch.Cases = append(u.Dispatch.Cases, &protocol.Case{Values: []protocol.Value{{Kind: protocol.String, Str: n}}, Struct: s})
		}
		return u
	}
	for _, c := range []struct {
		name     string
		old, new protocol.Type
		want     []change.Rule
	}{
		{"the same", object(field(true)), object(field(true)), nil},
		{"an old peer lacks what is required", object(), object(field(true)), []change.Rule{change.FieldAdded}},
		{"an old peer lacks what may be missing", object(), object(field(false)), nil},
		{"an old peer relies on what is gone", object(field(true)), object(), []change.Rule{change.FieldRemoved}},
		{"what an old peer relies on may be missing", object(field(true)), object(field(false)), []change.Rule{change.FieldBecameOptional}},
		{"an old peer may leave out what is required", object(field(false)), object(field(true)), []change.Rule{change.FieldBecameRequired}},
		{"a variant came that an old peer refuses", union(false, "a"), union(false, "a", "b"), []change.Rule{change.VariantAdded}},
		{"a variant came that an old peer keeps", union(true, "a"), union(true, "a", "b"), nil},
		{"a variant that went is refused", union(false, "a", "b"), union(false, "a"), []change.Rule{change.VariantRemoved}},
		{"a variant that went is kept as unknown", union(true, "a", "b"), union(true, "a"), nil},
	} {
		old, new := &protocol.Protocol{Types: []protocol.Type{c.old}}, &protocol.Protocol{Types: []protocol.Type{c.new}}
		var got []change.Rule
		for _, f := range verdict.Judge(old, new, change.Compare(old, new)) {
			if !f.Hinders() {
				continue
			}
			got = append(got, f.Change.Rule)
		}
		require.Equal(t, c.want, got, c.name)
	}
}
