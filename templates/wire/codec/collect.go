// Collecting: lists, maps and optional values of the types of a package. Structs decode into a place; other values are
// returned by a function.

package codec

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Appending adapts a decoder to return an Appender, which is nil after a failure.
func Appending[V wire.Appender](decode func([]byte) (V, error)) func([]byte) (wire.Appender, error) {
	return func(data []byte) (wire.Appender, error) {
		v, err := decode(data)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
}

// NullOr adapts a decoder to accept null for the zero value.
func NullOr[V any](decode func([]byte) (V, error)) func([]byte) (V, error) {
	return func(data []byte) (V, error) {
		if d := wire.NewDecoder(data); d.Null() && d.Finish() == nil {
			return none[V](), nil
		}
		return decode(data)
	}
}

// ReadNullOr is NullOr for a function that reads a value.
func ReadNullOr[V any](read func(*wire.Decoder) V) func(*wire.Decoder) V {
	return func(d *wire.Decoder) V {
		if d.Null() {
			return none[V]()
		}
		return read(d)
	}
}

// Struct decodes a struct where its value is wanted.
func Struct[T any, P decodes[T]](d *wire.Decoder) T {
	var v T
	P(wire.NoEscape(&v)).DecodeJSON(d)
	return v
}

// New decodes a struct that Go holds by pointer.
func New[T any, P decodes[T]](d *wire.Decoder) *T {
	v := new(T)
	P(v).DecodeJSON(d)
	return v
}

// Structs decodes an array of structs. The slice is not nil unless decoding fails.
func Structs[T any, P decodes[T]](d *wire.Decoder) []T {
	list := []T{}
	start := d.Offset()
	for more := d.Array(); more; more = d.NextItem() {
		if len(list) == cap(list) && len(list) >= manyItems {
			list = append(list, make([]T, d.Expected(len(list), start))...)[:len(list)]
		}
		at := d.Here()
		var zero T
		list = append(list, zero)
		P(&list[len(list)-1]).DecodeJSON(d)
		if d.Failed() && d.DropItem(at) {
			list = list[:len(list)-1]
		}
	}
	if d.Failed() {
		return nil
	}
	return list
}

// manyItems is how many items a list has to have before more room is made for it than append would make.
const manyItems = 16

// StructMap decodes an object whose members are structs. The map is not nil unless decoding fails.
func StructMap[T any, P decodes[T]](d *wire.Decoder) map[string]T {
	m := map[string]T{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := d.Copy(key)
		m[name] = Struct[T, P](d)
	}
	if d.Failed() {
		return nil
	}
	return m
}

// fewItems is how many items are gathered before a list of small ones is made: most have no more, and then
// it is made once and no larger than they are.
const fewItems = 8

// List decodes an array. The slice is not nil unless decoding fails.
func List[V any](d *wire.Decoder, read func(*wire.Decoder) V) []V {
	var few [fewItems]V
	n, more := 0, d.Array()
	for ; more && n < fewItems; more = d.NextItem() {
		at := d.Here()
		few[n] = read(d)
		if !d.Failed() || !d.DropItem(at) {
			n++
		}
	}
	list := append(make([]V, 0, n), few[:n]...)
	for ; more; more = d.NextItem() {
		at := d.Here()
		v := read(d)
		if !d.Failed() || !d.DropItem(at) {
			list = append(list, v)
		}
	}
	if d.Failed() {
		return nil
	}
	return list
}

// Map decodes an object with arbitrary keys. The map is not nil unless decoding fails.
func Map[V any](d *wire.Decoder, read func(*wire.Decoder) V) map[string]V {
	m := map[string]V{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := d.Copy(key)
		m[name] = read(d)
	}
	if d.Failed() {
		return nil
	}
	return m
}

// Strs is List for strings.
func Strs(d *wire.Decoder) []string { return List(d, (*wire.Decoder).Str) }

// Opt reads an optional value that Go holds by pointer.
//
//go:noinline
func Opt[V any](d *wire.Decoder, read func(*wire.Decoder) V) *V {
	if d.Null() {
		return nil
	}
	v := read(d)
	if d.Failed() {
		return nil
	}
	return &v
}

// OptNil reads an optional value that has a nil of its own: a struct, which Go holds by pointer, or a union.
//
//go:noinline
func OptNil[V any](d *wire.Decoder, read func(*wire.Decoder) V) V {
	if d.Null() {
		return none[V]()
	}
	v := read(d)
	if d.Failed() {
		return none[V]()
	}
	return v
}

func none[V any]() (v V) { return v }

// OptStruct reads an optional struct.
//
//go:noinline
func OptStruct[T any, P decodes[T]](d *wire.Decoder) *T {
	if d.Null() {
		return nil
	}
	v := new(T)
	P(v).DecodeJSON(d)
	if d.Failed() {
		return nil
	}
	return v
}

// OptStructs reads an optional list of structs.
//
//go:noinline
func OptStructs[T any, P decodes[T]](d *wire.Decoder) []T {
	if d.Null() {
		return nil
	}
	return Structs[T, P](d)
}

// OptStructMap reads an optional map of structs.
//
//go:noinline
func OptStructMap[T any, P decodes[T]](d *wire.Decoder) map[string]T {
	if d.Null() {
		return nil
	}
	return StructMap[T, P](d)
}

// OptList reads an optional list.
//
//go:noinline
func OptList[V any](d *wire.Decoder, read func(*wire.Decoder) V) []V {
	if d.Null() {
		return nil
	}
	return List(d, read)
}

// OptMap reads an optional map.
//
//go:noinline
func OptMap[V any](d *wire.Decoder, read func(*wire.Decoder) V) map[string]V {
	if d.Null() {
		return nil
	}
	return Map(d, read)
}

// OptStr reads an optional string.
//
//go:noinline
func OptStr(d *wire.Decoder) *string {
	if d.Null() {
		return nil
	}
	v := d.Str()
	if d.Failed() {
		return nil
	}
	return d.StringPointer(v)
}

// OptBool reads an optional boolean.
//
//go:noinline
func OptBool(d *wire.Decoder) *bool {
	if d.Null() {
		return nil
	}
	v := d.Bool()
	if d.Failed() {
		return nil
	}
	return &v
}

// OptInt64 reads an optional integer.
//
//go:noinline
func OptInt64(d *wire.Decoder) *int64 {
	if d.Null() {
		return nil
	}
	v := d.Int64()
	if d.Failed() {
		return nil
	}
	return d.IntegerPointer(v)
}

// OptFloat64 reads an optional number.
//
//go:noinline
func OptFloat64(d *wire.Decoder) *float64 {
	if d.Null() {
		return nil
	}
	v := d.Float64()
	if d.Failed() {
		return nil
	}
	return &v
}

// OptStrs reads an optional list of strings.
//
//go:noinline
func OptStrs(d *wire.Decoder) []string {
	if d.Null() {
		return nil
	}
	return Strs(d)
}

// OptRawMap reads an optional map of values that are kept as they are.
//
//go:noinline
func OptRawMap(d *wire.Decoder) map[string]json.RawMessage {
	if d.Null() {
		return nil
	}
	return d.RawMap()
}

// Text reads a value of a string type.
func Text[S ~string](d *wire.Decoder) S { return S(d.Str()) }

// OptText reads an optional value of a string type.
//
//go:noinline
func OptText[S ~string](d *wire.Decoder) *S {
	if d.Null() {
		return nil
	}
	v := S(d.Str())
	if d.Failed() {
		return nil
	}
	return &v
}

// Maybe reads a value for which absent and null differ.
func Maybe[V any](d *wire.Decoder, read func(*wire.Decoder) V) wire.Nullable[V] {
	if d.Null() {
		return wire.Null[V]()
	}
	v := read(d)
	if d.Failed() {
		return wire.Nullable[V]{}
	}
	return wire.Of(v)
}

// MaybeStruct is Maybe for a struct.
func MaybeStruct[T any, P decodes[T]](d *wire.Decoder) wire.Nullable[*T] {
	if d.Null() {
		return wire.Null[*T]()
	}
	v := new(T)
	P(v).DecodeJSON(d)
	if d.Failed() {
		return wire.Nullable[*T]{}
	}
	return wire.Of(v)
}

// AddExtra decodes an undeclared member.
func AddExtra[V any](d *wire.Decoder, extra *map[string]V, key []byte, read func(*wire.Decoder) V) {
	if d.IsForeign(key) {
		return
	}
	if *extra == nil {
		*extra = map[string]V{}
	}
	name := d.Copy(key)
	(*extra)[name] = read(d)
}

// Member decodes a member of a raw object. It returns the zero value if the member is missing or of another type.
func Member[V any](raw json.RawMessage, name string, read func(*wire.Decoder) V) V {
	var v, none V
	d := wire.NewDecoder(raw)
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == name {
			v = read(&d)
		}
	}
	if d.Failed() {
		return none
	}
	return v
}

// RawMap reads a map of values that are kept as they are.
func RawMap(d *wire.Decoder) map[string]json.RawMessage { return d.RawMap() }
