// Appending: members of objects, with the key in front, comma and colon and all. What begins with Append is always
// there; what begins with Put is optional, and nothing is appended if it is absent.
//
// None of these functions is inlined: encoders call them for every member of every type, and a call costs less time than
// the copies cost to compile.

package codec

import (
	"encoding/json"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// AppendClose ends an object of which no member was sure to be there. Each begins with a comma, the
// first of which becomes the brace.
//
//go:noinline
func AppendClose(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// AppendStr appends a string.
//
//go:noinline
func AppendStr(dst []byte, key, v string) []byte { return wire.AppendString(append(dst, key...), v) }

// PutStr appends an optional string.
//
//go:noinline
func PutStr(dst []byte, key string, v *string) []byte {
	if v == nil {
		return dst
	}
	return wire.AppendString(append(dst, key...), *v)
}

// AppendBool appends a boolean.
//
//go:noinline
func AppendBool(dst []byte, key string, v bool) []byte {
	return appendBool(append(dst, key...), v)
}

// PutBool appends an optional boolean.
//
//go:noinline
func PutBool(dst []byte, key string, v *bool) []byte {
	if v == nil {
		return dst
	}
	return appendBool(append(dst, key...), *v)
}

// AppendInt appends an integer.
//
//go:noinline
func AppendInt(dst []byte, key string, v int64) []byte {
	return appendInt(append(dst, key...), v)
}

// PutInt appends an optional integer.
//
//go:noinline
func PutInt(dst []byte, key string, v *int64) []byte {
	if v == nil {
		return dst
	}
	return appendInt(append(dst, key...), *v)
}

// AppendUint appends an integer that is not negative.
//
//go:noinline
func AppendUint(dst []byte, key string, v uint64) []byte {
	return appendUint(append(dst, key...), v)
}

// AppendFloat appends the shortest text that stands for a number, in the format of encoding/json. JSON
// has no infinity and nothing that is no number.
//
//go:noinline
func AppendFloat(dst []byte, e *wire.Encoder, key string, v float64) []byte {
	return appendFloat(append(dst, key...), e, v)
}

// PutFloat appends an optional number.
//
//go:noinline
func PutFloat(dst []byte, e *wire.Encoder, key string, v *float64) []byte {
	if v == nil {
		return dst
	}
	return appendFloat(append(dst, key...), e, *v)
}

// AppendNumber appends a number as it is written.
//
//go:noinline
func AppendNumber(dst []byte, e *wire.Encoder, key string, v json.Number) []byte {
	return e.AppendNumber(append(dst, key...), v)
}

// AppendRaw appends what is JSON already.
//
//go:noinline
func AppendRaw(dst []byte, e *wire.Encoder, key string, v json.RawMessage) []byte {
	return appendRaw(append(dst, key...), e, v)
}

// PutRaw appends an optional value that is JSON already.
//
//go:noinline
func PutRaw(dst []byte, e *wire.Encoder, key string, v json.RawMessage) []byte {
	if v == nil {
		return dst
	}
	return appendRaw(append(dst, key...), e, v)
}

// AppendValue appends what encodes itself; nil is an error. It has the union's own type as a parameter
// because a conversion to another interface would have to be looked up each time.
//
//go:noinline
func AppendValue[V wire.Encodable](dst []byte, e *wire.Encoder, key string, v V) []byte {
	if wire.IsNil(v) {
		return e.MissingValue(dst, key)
	}
	return v.EncodeJSON(append(dst, key...), e)
}

// PutValue appends an optional variant of a union. A nil pointer in it is an error.
//
//go:noinline
func PutValue[V wire.Encodable](dst []byte, e *wire.Encoder, key string, v V) []byte {
	if any(v) == nil {
		return dst
	}
	return AppendValue(dst, e, key, v)
}

// PutStruct appends an optional struct.
//
//go:noinline
func PutStruct(dst []byte, e *wire.Encoder, key string, v wire.Encodable) []byte {
	if wire.IsNil(v) {
		return dst
	}
	return v.EncodeJSON(append(dst, key...), e)
}

// ValueOrNull appends what encodes itself, or null where it is nil.
//
//go:noinline
func ValueOrNull[V wire.Encodable](dst []byte, e *wire.Encoder, key string, v V) []byte {
	if wire.IsNil(v) {
		return append(append(dst, key...), "null"...)
	}
	return AppendValue(dst, e, key, v)
}

// AppendTag appends a discriminator that its struct owns several tags of, which stand behind the
// character that separates them.
//
//go:noinline
func AppendTag(dst []byte, e *wire.Encoder, key, tag, tags string) []byte {
	dst = append(dst, key...)
	if !wire.IsListed(tag, tags) {
		return e.Fail(dst, wire.Excerpt(tag)+" is not a tag of this variant")
	}
	return wire.AppendString(dst, tag)
}

// Put appends an optional value that Go holds by pointer.
//
//go:noinline
func Put[V any](dst []byte, e *wire.Encoder, key string, v *V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	if v == nil {
		return dst
	}
	return encode(*v, append(dst, key...), e)
}

// OrNull appends what a pointer points at, or null.
//
//go:noinline
func OrNull[V any](dst []byte, e *wire.Encoder, key string, v *V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	dst = append(dst, key...)
	if v == nil {
		return append(dst, "null"...)
	}
	return encode(*v, dst, e)
}

// PutMaybe appends a member for which absent and null differ.
//
//go:noinline
func PutMaybe[V any](dst []byte, e *wire.Encoder, key string, n wire.Nullable[V], encode func(V, []byte, *wire.Encoder) []byte) []byte {
	switch v, ok := n.Get(); {
	case ok:
		return encode(v, append(dst, key...), e)
	case n.IsNull():
		return append(append(dst, key...), "null"...)
	}
	return dst
}

// structOf is a pointer to a struct that encodes itself.
type structOf[T any] interface {
	*T
	wire.Encodable
}

// AppendStructs appends a list of structs.
//
//go:noinline
func AppendStructs[T any, P structOf[T]](dst []byte, e *wire.Encoder, key string, list []T) []byte {
	dst = append(dst, key...)
	next := byte('[')
	for i := range list {
		dst = P(&list[i]).EncodeJSON(append(dst, next), e)
		next = ','
	}
	return appendEnd(dst, len(list))
}

// appendEnd ends a list of so many items, which begins before the first.
//
//go:noinline
func appendEnd(dst []byte, items int) []byte {
	if items == 0 {
		dst = append(dst, '[')
	}
	return append(dst, ']')
}

// PutStructs appends an optional list of structs.
//
//go:noinline
func PutStructs[T any, P structOf[T]](dst []byte, e *wire.Encoder, key string, list []T) []byte {
	if list == nil {
		return dst
	}
	return AppendStructs[T, P](dst, e, key, list)
}

// AppendList appends a list.
//
//go:noinline
func AppendList[V any](dst []byte, e *wire.Encoder, key string, list []V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	dst = append(dst, key...)
	next := byte('[')
	for _, v := range list {
		dst = encode(v, append(dst, next), e)
		next = ','
	}
	return appendEnd(dst, len(list))
}

// PutList appends an optional list.
//
//go:noinline
func PutList[V any](dst []byte, e *wire.Encoder, key string, list []V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	if list == nil {
		return dst
	}
	return AppendList(dst, e, key, list, encode)
}

// ListOrNull appends a list, or null where it is nil.
//
//go:noinline
func ListOrNull[V any](dst []byte, e *wire.Encoder, key string, list []V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	if list == nil {
		return append(append(dst, key...), "null"...)
	}
	return AppendList(dst, e, key, list, encode)
}

// AppendStrs appends a list of strings.
//
//go:noinline
func AppendStrs(dst []byte, key string, list []string) []byte {
	dst = append(append(dst, key...), '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = wire.AppendString(dst, s)
	}
	return append(dst, ']')
}

// PutStrs appends an optional list of strings.
//
//go:noinline
func PutStrs(dst []byte, key string, list []string) []byte {
	if list == nil {
		return dst
	}
	return AppendStrs(dst, key, list)
}

// AppendStructMap appends a map of structs.
//
//go:noinline
func AppendStructMap[T any, P structOf[T]](dst []byte, e *wire.Encoder, key string, m map[string]T) []byte {
	var few [fewKeys]string
	dst = append(append(dst, key...), '{')
	for i, name := range sortedKeys(few[:0], m) {
		v := m[name]
		dst = P(wire.NoEscape(&v)).EncodeJSON(appendKey(dst, i, name), e)
	}
	return append(dst, '}')
}

// PutStructMap appends an optional map of structs.
//
//go:noinline
func PutStructMap[T any, P structOf[T]](dst []byte, e *wire.Encoder, key string, m map[string]T) []byte {
	if m == nil {
		return dst
	}
	return AppendStructMap[T, P](dst, e, key, m)
}

// AppendMap appends a map.
//
//go:noinline
func AppendMap[V any](dst []byte, e *wire.Encoder, key string, m map[string]V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	var few [fewKeys]string
	dst = append(append(dst, key...), '{')
	for i, name := range sortedKeys(few[:0], m) {
		dst = encode(m[name], appendKey(dst, i, name), e)
	}
	return append(dst, '}')
}

// PutMap appends an optional map.
//
//go:noinline
func PutMap[V any](dst []byte, e *wire.Encoder, key string, m map[string]V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	if m == nil {
		return dst
	}
	return AppendMap(dst, e, key, m, encode)
}

// MapOrNull appends a map, or null where it is nil.
//
//go:noinline
func MapOrNull[V any](dst []byte, e *wire.Encoder, key string, m map[string]V, encode func(V, []byte, *wire.Encoder) []byte) []byte {
	if m == nil {
		return append(append(dst, key...), "null"...)
	}
	return AppendMap(dst, e, key, m, encode)
}

// AppendRawMap appends a map of values that are JSON already.
//
//go:noinline
func AppendRawMap(dst []byte, e *wire.Encoder, key string, m map[string]json.RawMessage) []byte {
	return AppendMap(dst, e, key, m, RawItem)
}

// PutRawMap appends an optional map of values that are JSON already.
//
//go:noinline
func PutRawMap(dst []byte, e *wire.Encoder, key string, m map[string]json.RawMessage) []byte {
	if m == nil {
		return dst
	}
	return AppendRawMap(dst, e, key, m)
}

// AppendExtra appends members that the schema does not declare by name, each with a comma before it,
// sorted by name. None of them may have the name of a declared one; those stand behind the character
// that separates them.
//
//go:noinline
func AppendExtra[V any](dst []byte, e *wire.Encoder, extra map[string]V, encode func(V, []byte, *wire.Encoder) []byte, declared string) []byte {
	var few [fewKeys]string
	for _, name := range sortedKeys(few[:0], extra) {
		dst = append(wire.AppendString(append(dst, ','), name), ':')
		if wire.IsListed(name, declared) {
			e.Fail(dst, "the member is declared and cannot be an extra one")
		}
		dst = encode(extra[name], dst, e)
	}
	return dst
}

func sortedKeys[V any](keys []string, m map[string]V) []string {
	for key := range m {
		keys = append(keys, key)
	}
	SortNames(keys)
	return keys
}

func appendKey(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(wire.AppendString(dst, key), ':')
}

// StrItem appends a value of a string type.
func StrItem[S ~string](v S, dst []byte, _ *wire.Encoder) []byte {
	return wire.AppendString(dst, string(v))
}

// BoolItem appends a boolean.
func BoolItem(v bool, dst []byte, _ *wire.Encoder) []byte { return appendBool(dst, v) }

// IntItem appends a value of an integer type.
func IntItem[I ~int8 | ~int16 | ~int32 | ~int64](v I, dst []byte, _ *wire.Encoder) []byte {
	return appendInt(dst, int64(v))
}

// UintItem appends a value of an integer type that has no negative ones.
func UintItem[I ~uint8 | ~uint16 | ~uint32 | ~uint64](v I, dst []byte, _ *wire.Encoder) []byte {
	return appendUint(dst, uint64(v))
}

// FloatItem appends a number.
func FloatItem(v float64, dst []byte, e *wire.Encoder) []byte { return appendFloat(dst, e, v) }

// NumberItem appends a number as it is written.
func NumberItem(v json.Number, dst []byte, e *wire.Encoder) []byte { return e.AppendNumber(dst, v) }

// RawItem appends what is JSON already.
func RawItem(v json.RawMessage, dst []byte, e *wire.Encoder) []byte { return appendRaw(dst, e, v) }

// ValueItem appends what encodes itself; nil is an error.
func ValueItem[V wire.Encodable](v V, dst []byte, e *wire.Encoder) []byte {
	return AppendValue(dst, e, "", v)
}

// SortNames sorts names for generic code, which is compiled with the package that uses it and would take all
// of sorting along.
//
//go:noinline
func SortNames(names []string) { slices.Sort(names) }
