// Scalars: the built-in kinds of value.

package protocol

// Scalar is a built-in kind of value.
type Scalar int

// The scalar kinds.
const (
	String Scalar = iota
	Bool
	Integer
	Float
	Number // a number kept as its text, inside unions of primitives
	Any    // any JSON value
	Null   // only inside unions of primitives
	Int8   // an integer of that size, as its format says; Integer has 64 bits
	Int16
	Int32
	Uint8
	Uint16
	Uint32
	Uint64
)

var scalarNames = [...]string{"string", "boolean", "integer", "number", "number", "any", "null", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"}

// Integers are the kinds of integer by the format that schemas have for them.
var Integers = map[string]Scalar{
	"int8": Int8, "int16": Int16, "int32": Int32, "int64": Integer, "uint8": Uint8, "uint16": Uint16, "uint32": Uint32, "uint64": Uint64,
}

// Bits is how many bits an integer has, and whether it may be negative. It is 0 for what is no integer.
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

// String returns the word of JSON Schema for the kind, or the format.
func (s Scalar) String() string { return scalarNames[s] }
