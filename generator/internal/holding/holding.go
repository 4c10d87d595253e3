// Package holding tells whether a value of JSON is one of a type, as far as that can be seen without decoding.
package holding

import (
	"math"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Member reports whether a member can have a value.
func Member(f *protocol.Field, n *schema.Node) bool {
	return member(f, n, schema.MaxDepth)
}

// member is Member down to a depth.
func member(f *protocol.Field, n *schema.Node, depth int) bool {
	if values := f.Allowed(); len(values) > 0 {
		return slices.ContainsFunc(values, func(v protocol.Value) bool { return v.JSON() == n.Compact() })
	}
	return f.Nullable && n.Kind == schema.Null || holds(f.Type, n, depth)
}

// Value reports whether a type has a value.
func Value(e protocol.Expr, n *schema.Node) bool { return holds(e, n, schema.MaxDepth) }

// holds is Value down to a depth.
func holds(e protocol.Expr, n *schema.Node, depth int) bool {
	every := func(nodes []*schema.Node, e protocol.Expr) bool {
		return !slices.ContainsFunc(nodes, func(n *schema.Node) bool { return !holds(e, n, depth-1) })
	}
	if depth == 0 {
		return true
	}
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return scalarFits(e, n)
	case protocol.List:
		return n.Kind == schema.Array && every(n.Items, e.Elem)
	case protocol.Map:
		return n.Kind == schema.Object && every(valuesOf(n), e.Elem)
	case protocol.Ref:
		switch t := e.Type.(type) {
		case *protocol.Struct:
			return n.Kind == schema.Object && !slices.ContainsFunc(t.Fields, func(f *protocol.Field) bool {
				v := n.Get(f.Name)
				return v == nil && f.Required || v != nil && !member(f, v, depth-1)
			})
		case *protocol.Enum:
			return scalarFits(t.Kind, n) && (t.Open || slices.ContainsFunc(t.Members, func(m *protocol.EnumMember) bool { return m.Value.String() == n.Text }))
		}
	}
	return true
}

func scalarFits(kind protocol.Scalar, n *schema.Node) bool {
	bits, _ := kind.Bits()
	switch {
	case kind == protocol.String:
		return n.Kind == schema.String
	case kind == protocol.Bool:
		return n.Kind == schema.Bool
	case bits > 0:
		f, err := strconv.ParseFloat(n.Text, 64)
		return n.Kind == schema.Number && err == nil && f == math.Trunc(f)
	case kind == protocol.Float, kind == protocol.Number:
		return n.Kind == schema.Number
	}
	return true
}

func valuesOf(n *schema.Node) []*schema.Node {
	return each.Map(n.Members, func(m schema.Member) *schema.Node { return m.Value })
}
