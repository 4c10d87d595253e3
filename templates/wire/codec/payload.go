// Payloads: parameters and results of methods that are no objects, such as lists and texts.

package codec

import "github.com/ahpgen/ahpgen/templates/wire"

// Encoded returns what encodes a value with a function.
func Encoded[V any](v V, encode func(V, []byte, *wire.Encoder) []byte) wire.Appender {
	return encoded[V]{v, encode}
}

// encoded is a value with the function that encodes it.
type encoded[V any] struct {
	v      V
	encode func(V, []byte, *wire.Encoder) []byte
}

// AppendJSON implements [wire.Appender].
func (e encoded[V]) AppendJSON(dst []byte) ([]byte, error) { return AppendAs(dst, e.v, e.encode) }

// DecodeAs returns a function that decodes JSON into a value.
func DecodeAs[V any](read func(*wire.Decoder) V) func([]byte) (V, error) {
	return func(data []byte) (V, error) {
		d := wire.NewDecoder(data)
		v := read(wire.NoEscape(&d))
		if err := d.Finish(); err != nil {
			var none V
			return none, err
		}
		return v, nil
	}
}

// Reencoding is DecodeAs for a value that can be encoded again.
func Reencoding[V any](read func(*wire.Decoder) V, encode func(V, []byte, *wire.Encoder) []byte) func([]byte) (wire.Appender, error) {
	decode := DecodeAs(read)
	return func(data []byte) (wire.Appender, error) {
		v, err := decode(data)
		if err != nil {
			return nil, err
		}
		return Encoded(v, encode), nil
	}
}

// ReadPointer returns a function that reads a value, or null as nil.
func ReadPointer[V any](read func(*wire.Decoder) V) func(*wire.Decoder) *V {
	return func(d *wire.Decoder) *V { return Opt(d, read) }
}

// PointerItem returns a function that appends a value, or null for nil.
func PointerItem[V any](encode func(V, []byte, *wire.Encoder) []byte) func(*V, []byte, *wire.Encoder) []byte {
	return func(v *V, dst []byte, e *wire.Encoder) []byte {
		if v == nil {
			return append(dst, "null"...)
		}
		return encode(*v, dst, e)
	}
}
