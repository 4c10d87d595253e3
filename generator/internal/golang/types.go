// Types: Go types of protocol expressions.

package golang

import (
	"slices"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// typ returns the Go type of an expression.
func (b *builder) typ(e protocol.Expr) Type {
	switch e := e.(type) {
	case protocol.Scalar:
		switch e {
		case protocol.String:
			return String
		case protocol.Bool:
			return Bool
		case protocol.Integer:
			return Int64
		case protocol.Int8, protocol.Int16, protocol.Int32, protocol.Uint8, protocol.Uint16, protocol.Uint32, protocol.Uint64:
			return Basic(e.String())
		case protocol.Float:
			return Float64
		case protocol.Number:
			return Number
		}
		return Raw
	case protocol.List:
		return Slice{b.item(e.Elem)}
	case protocol.Map:
		return Map{b.item(e.Elem)}
	case protocol.Ref:
		if t := b.TypeOf(e.Type); t != nil {
			return t
		}
	}
	return Raw
}

// item returns the Go type of a list or map element.
func (b *builder) item(e protocol.Expr) Type {
	t := b.typ(e)
	if m, ok := t.(Map); ok && m.Elem == Raw {
		return RawObject
	}
	return t
}

// HasNil reports whether the Go type has a nil that can mean absent.
func HasNil(t Type) bool {
	switch t := Underlying(t).(type) {
	case Slice, Map, UnionType:
		return true
	case Basic:
		return t == Raw || t == RawObject
	}
	return false
}

// HasNull reports whether null is a value of the type, as opposed to absence.
func HasNull(t Type) bool {
	switch t := Underlying(t).(type) {
	case Basic:
		return t == Raw
	case UnionType:
		return slices.ContainsFunc(t.Tokens, func(tok *Token) bool { return tok.Kind == 'n' })
	}
	return false
}
