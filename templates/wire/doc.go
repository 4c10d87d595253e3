// Package wire encodes and decodes JSON for generated types: a decoder and an encoder without reflection, and the
// shared parts of all codecs. It is independent of the protocol.
//
// Most of it is called by generated code only. Users need [Nullable] with [Of] and [Null], and [Appender], which all
// generated object types implement.
package wire

// Appender is implemented by every generated struct and union. It appends itself as JSON.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Decodable is a pointer to a generated struct. Members missing from the input are left unchanged.
type Decodable interface{ DecodeJSON(d *Decoder) }

// Encodable is a pointer to a generated struct, or a union variant. Errors are recorded in the encoder.
type Encodable interface {
	EncodeJSON(dst []byte, e *Encoder) []byte
}

// Value is embedded in all generated unions.
type Value interface {
	Appender
	Encodable
}
