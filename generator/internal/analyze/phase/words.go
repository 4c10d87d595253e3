// Words: types and values as messages call them.

package phase

import (
	"strconv"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// StructOf returns the struct that an expression stands for, or nil.
func StructOf(e protocol.Expr) *protocol.Struct { return protocol.As[*protocol.Struct](e) }

// ObjectOf returns what a method takes or returns, if that is an object.
func ObjectOf(t protocol.Type) *protocol.Struct {
	return StructOf(protocol.Ref{Type: t})
}

// MemberHint says which members an object has.
func MemberHint(s *protocol.Struct) string {
	var names []string
	for _, f := range s.Fields {
		if f.Const == nil {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(names, ", ")
}

// SameType reports whether two expressions allow the same values.
func SameType(a, b protocol.Expr) bool {
	a, b = protocol.Underlying(a), protocol.Underlying(b)
	switch a := a.(type) {
	case protocol.List:
		b, ok := b.(protocol.List)
		return ok && SameType(a.Elem, b.Elem)
	case protocol.Map:
		b, ok := b.(protocol.Map)
		return ok && SameType(a.Elem, b.Elem)
	}
	return a == b
}

// Describe returns a type as messages call it.
func Describe(e protocol.Expr) string {
	switch e := protocol.Underlying(e).(type) {
	case protocol.Scalar:
		return e.String()
	case protocol.Ref:
		return e.Type.Head().Name
	case protocol.List:
		return "a list of " + Describe(e.Elem)
	case protocol.Map:
		return "a map of " + Describe(e.Elem)
	}
	return "something else"
}

// ScalarValue returns a constant as a value, nil if it can be none.
func ScalarValue(n *schema.Node) *protocol.Value {
	switch n.Kind {
	case schema.String:
		return &protocol.Value{Kind: protocol.String, Str: n.Text}
	case schema.Bool:
		return &protocol.Value{Kind: protocol.Bool, Bool: n.Bool}
	case schema.Number:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return &protocol.Value{Kind: protocol.Integer, Int: i}
		}
	}
	return nil
}

// FieldNames returns the names of the members of an object.
func FieldNames(s *protocol.Struct) []string {
	return each.Map(s.Fields, func(f *protocol.Field) string { return f.Name })
}

// WantNumber reports what is said to stand for a time, and is no number, unless that may be because a schema could not be
// read. A base that several objects take in says it once.
func (w *Work) WantNumber(s *schema.Schema, e protocol.Expr, what string) {
	if n := s.Extension("x-time"); n != nil && !w.Shaky && !IsNumber(e) && !w.At(n.Pos) {
		w.Errorf(n.Pos, "bad-time", "take it away, or put it on a number", "x-time is for numbers, and %s is none", what)
	}
}

// IsNumber reports whether a type is that of numbers, which alone stand for times.
func IsNumber(e protocol.Expr) bool {
	scalar, ok := protocol.Underlying(e).(protocol.Scalar)
	bits, _ := scalar.Bits()
	return ok && (bits > 0 || scalar == protocol.Float)
}
