// Package wire reads and writes JSON for the types that a package was generated with: a decoder and an
// encoder without reflection, and the parts that the codecs of all types share. It knows nothing of the
// protocol.
//
// Most of it is for generated code. What people use are [Nullable], with [Of] and [Null], and
// [Appender], which all types that are objects implement.
package wire

// Appender is what appends itself as JSON: every struct and every union of a generated package.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Decodable is what decodes itself: a pointer to a struct of a generated package. Members that the input
// does not have stay as they are.
type Decodable interface{ DecodeJSON(d *Decoder) }

// Encodable is what encodes itself: a pointer to a struct, or a variant of a union. What goes wrong is
// left with the encoder.
type Encodable interface {
	EncodeJSON(dst []byte, e *Encoder) []byte
}

// Value is what every union of a generated package has in it.
type Value interface {
	Appender
	Encodable
}
