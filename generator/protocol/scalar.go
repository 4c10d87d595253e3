// Scalars: the built-in kinds of value.

package protocol

// Scalar is a built-in type.
type Scalar int

// The scalar types.
const (
	String Scalar = iota
	Bool
	Integer
	Float
	Number // a number kept as text, in unions of primitives
	Any    // any JSON value
	Null   // only in unions of primitives
	Int8   // sized integers by format; Integer has 64 bits
	Int16
	Int32
	Uint8
	Uint16
	Uint32
	Uint64
)

var scalarNames = [...]string{"string", "boolean", "integer", "number", "number", "any", "null", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}

// Integers maps formats to integer types.
var Integers = map[string]Scalar{
	"int8": Int8, "int16": Int16, "int32": Int32, "int64": Integer, "uint8": Uint8, "uint16": Uint16, "uint32": Uint32, "uint64": Uint64,
}

// Bits returns the size of an integer type and whether it is signed. It returns 0 for other types.
func (s Scalar) Bits() (n int, signed bool) {
	switch s {
	case Integer:
		return 64, true
	case Int8, Int16, Int32:
		return 8 << (s - Int8), true
	case Uint8, Uint16, Uint32, Uint64:
		return 8 << (s - Uint8), false
	}
	return 0, false
}

// String returns the JSON Schema type or format.
func (s Scalar) String() string { return scalarNames[s] }

// Covers reports whether a reader of the kind takes every value of another one.
func (s Scalar) Covers(from Scalar) bool {
	number := func(s Scalar) bool { return s == Float || s == Number }
	bits, signed := s.Bits()
	fromBits, fromSigned := from.Bits()
	switch {
	case s == from, number(s) && (number(from) || fromBits > 0):
		return true
	case bits == 0 || fromBits == 0:
		return false
	case signed == fromSigned:
		return bits >= fromBits
	}
	return signed && bits > fromBits
}
