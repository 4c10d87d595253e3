// Sharing: alternatives in the same object.

package codec

import (
	"bytes"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Listed reports whether a key is one of the names that stand behind their separator.
func Listed(key []byte, names string) bool { return wire.IsListed(string(key), names) }

// AppendBeside appends the members of an alternative to the object that it is in, each with a comma before it. The
// alternative is an object; nil is an error.
//
//go:noinline
func AppendBeside[V wire.Encodable](dst []byte, e *wire.Encoder, v V) []byte {
	if wire.IsNil(v) {
		return e.MissingValue(dst, "")
	}
	start := len(dst)
	return beside(v.EncodeJSON(dst, e), start)
}

// beside takes away the braces of the object that begins at start.
func beside(dst []byte, start int) []byte {
	if len(dst) <= start+1 || dst[start] != '{' || dst[len(dst)-1] != '}' {
		return dst // it failed, or is nothing that could stand there
	}
	dst = dst[:len(dst)-1]
	if len(bytes.TrimLeft(dst[start+1:], " \t\r\n")) == 0 {
		return dst[:start]
	}
	dst[start] = ','
	return dst
}
