// Sending: enums and URIs, which must not be empty in what this side sends.

package codec

import (
	"github.com/ahpgen/ahpgen/templates/wire"
)

// Invalid values should be refused where they are made. Received values must be forwarded unchanged, because later
// receivers may understand them. So an encoder refuses invalid values only in messages that this side made.
const (
	missingEnum = "missing: the enum has no value"
	missingURI  = "missing: the URI is empty"
)

// AppendEnum appends a value of an enum that an empty text is none of.
//
//go:noinline
func AppendEnum(dst []byte, e *wire.Encoder, key, v string) []byte {
	dst = append(dst, key...)
	if v == "" {
		e.Refuse(dst, missingEnum)
	}
	return wire.AppendString(dst, v)
}

// PutEnum appends an optional one.
//
//go:noinline
func PutEnum(dst []byte, e *wire.Encoder, key string, v *string) []byte {
	if v == nil {
		return dst
	}
	return AppendEnum(dst, e, key, *v)
}

// EnumItem appends one in a list or map.
func EnumItem[S ~string](v S, dst []byte, e *wire.Encoder) []byte {
	return AppendEnum(dst, e, "", string(v))
}

// AppendURI appends a URI that must be there.
//
//go:noinline
func AppendURI(dst []byte, e *wire.Encoder, key, v string) []byte {
	dst = append(dst, key...)
	if v == "" {
		e.Refuse(dst, missingURI)
	}
	return wire.AppendString(dst, v)
}
