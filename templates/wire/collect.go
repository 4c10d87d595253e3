// Collecting: lists, maps and optional values of types that a package declares. Structs decode into a place; other
// values are returned by a function.

package wire

import "encoding/json"

// decodes is a pointer to a struct that decodes itself.
type decodes[T any] interface {
	*T
	Decodable
}

// Decode decodes a complete JSON text as a struct.
func Decode[T any, P decodes[T]](data []byte) (*T, error) {
	v := new(T)
	if err := Into(data, P(v)); err != nil {
		return nil, err
	}
	return v, nil
}

// Into decodes a whole JSON text into a struct that is new. It is a call wherever structs are decoded, so
// that what is generic about that stays small.
//
//go:noinline
func Into(data []byte, v Decodable) error {
	d := NewDecoder(data)
	v.DecodeJSON(NoEscape(&d))
	return d.Finish()
}

// DecodeInto decodes a whole JSON text into a struct that is new, and returns it.
func DecodeInto(data []byte, v interface {
	Decodable
	Appender
}) (Appender, error) {
	if err := Into(data, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Appending adapts a decoder to return an Appender, which is nil after a failure.
func Appending[V Appender](decode func([]byte) (V, error)) func([]byte) (Appender, error) {
	return func(data []byte) (Appender, error) {
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
		if d := NewDecoder(data); d.Null() && d.Finish() == nil {
			return none[V](), nil
		}
		return decode(data)
	}
}

// ReadNullOr is NullOr for a function that reads a value.
func ReadNullOr[V any](read func(*Decoder) V) func(*Decoder) V {
	return func(d *Decoder) V {
		if d.Null() {
			return none[V]()
		}
		return read(d)
	}
}

// Unmarshal implements UnmarshalJSON. As encoding/json requires, null leaves v unchanged, and so do absent members.
func Unmarshal(data []byte, v Decodable) error {
	d := NewDecoder(data)
	if !d.Null() {
		v.DecodeJSON(NoEscape(&d))
	}
	return d.Finish()
}

// Structs.

// Fill decodes the variant of a union that a tag has chosen, unless that is one that only keeps its text,
// which is nil here, and reports whether nothing has failed.
//
//go:noinline
func (d *Decoder) Fill(variant Decodable) bool {
	if variant != nil {
		variant.DecodeJSON(d)
	}
	return !d.Failed()
}

// FillTagged is Fill for an object that starts there and has that tag, which a failure is noted with.
//
//go:noinline
func (d *Decoder) FillTagged(variant Decodable, start Place, tag []byte) bool {
	if variant != nil {
		variant.DecodeJSON(d)
	}
	if d.Failed() {
		d.err.variants = append(d.err.variants, variantName{start: start.pos, tag: tag})
		return false
	}
	return true
}

// Struct decodes a struct where its value is wanted.
func Struct[T any, P decodes[T]](d *Decoder) T {
	var v T
	P(NoEscape(&v)).DecodeJSON(d)
	return v
}

// New decodes a struct that Go holds by pointer.
func New[T any, P decodes[T]](d *Decoder) *T {
	v := new(T)
	P(v).DecodeJSON(d)
	return v
}

// Structs decodes an array of structs. The slice is not nil unless decoding fails.
func Structs[T any, P decodes[T]](d *Decoder) []T {
	list := []T{}
	start := d.pos
	for more := d.Array(); more; more = d.NextItem() {
		if len(list) == cap(list) && len(list) >= manyItems {
			list = append(list, make([]T, d.expected(len(list), start))...)[:len(list)]
		}
		at := d.Here()
		var zero T
		list = append(list, zero)
		P(&list[len(list)-1]).DecodeJSON(d)
		if d.err != nil && d.dropItem(at) {
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

// expected returns for how many more items there may be text, if n have been read since start: at least one, and no more than
// three times as many, so that no text takes much more memory than its items do.
func (d *Decoder) expected(n, start int) int {
	each := max(1, (d.pos-start)/n)
	return max(1, min((len(d.data)-d.pos)/each+1, 3*n))
}

// StructMap decodes an object whose members are structs. The map is not nil unless decoding fails.
func StructMap[T any, P decodes[T]](d *Decoder) map[string]T {
	m := map[string]T{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := d.copy(key)
		m[name] = Struct[T, P](d)
	}
	if d.Failed() {
		return nil
	}
	return m
}

// Other values.

// fewItems is how many items are gathered before a list of small ones is made: most have no more, and then
// it is made once and no larger than they are.
const fewItems = 8

// List decodes an array. The slice is not nil unless decoding fails.
func List[V any](d *Decoder, read func(*Decoder) V) []V {
	var few [fewItems]V
	n, more := 0, d.Array()
	for ; more && n < fewItems; more = d.NextItem() {
		at := d.Here()
		few[n] = read(d)
		if d.err == nil || !d.dropItem(at) {
			n++
		}
	}
	list := append(make([]V, 0, n), few[:n]...)
	for ; more; more = d.NextItem() {
		at := d.Here()
		v := read(d)
		if d.err == nil || !d.dropItem(at) {
			list = append(list, v)
		}
	}
	if d.Failed() {
		return nil
	}
	return list
}

// Map decodes an object with arbitrary keys. The map is not nil unless decoding fails.
func Map[V any](d *Decoder, read func(*Decoder) V) map[string]V {
	m := map[string]V{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := d.copy(key)
		m[name] = read(d)
	}
	if d.Failed() {
		return nil
	}
	return m
}

// Strs is List for strings.
func Strs(d *Decoder) []string { return List(d, (*Decoder).Str) }

// Optional values: null means absent and overrides an earlier value. A value that fails to decode is absent.

// Opt reads an optional value that Go holds by pointer.
//
//go:noinline
func Opt[V any](d *Decoder, read func(*Decoder) V) *V {
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
func OptNil[V any](d *Decoder, read func(*Decoder) V) V {
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
func OptStruct[T any, P decodes[T]](d *Decoder) *T {
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
func OptStructs[T any, P decodes[T]](d *Decoder) []T {
	if d.Null() {
		return nil
	}
	return Structs[T, P](d)
}

// OptStructMap reads an optional map of structs.
//
//go:noinline
func OptStructMap[T any, P decodes[T]](d *Decoder) map[string]T {
	if d.Null() {
		return nil
	}
	return StructMap[T, P](d)
}

// OptList reads an optional list.
//
//go:noinline
func OptList[V any](d *Decoder, read func(*Decoder) V) []V {
	if d.Null() {
		return nil
	}
	return List(d, read)
}

// OptMap reads an optional map.
//
//go:noinline
func OptMap[V any](d *Decoder, read func(*Decoder) V) map[string]V {
	if d.Null() {
		return nil
	}
	return Map(d, read)
}

// The most frequent optional values have functions of their own.

// OptStr reads an optional string.
//
//go:noinline
func OptStr(d *Decoder) *string {
	if d.Null() {
		return nil
	}
	v := d.Str()
	if d.Failed() {
		return nil
	}
	return d.pointer(v)
}

// OptBool reads an optional boolean.
//
//go:noinline
func OptBool(d *Decoder) *bool {
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
func OptInt64(d *Decoder) *int64 {
	if d.Null() {
		return nil
	}
	v := d.Int64()
	if d.Failed() {
		return nil
	}
	return d.integer(v)
}

// OptFloat64 reads an optional number.
//
//go:noinline
func OptFloat64(d *Decoder) *float64 {
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
func OptStrs(d *Decoder) []string {
	if d.Null() {
		return nil
	}
	return Strs(d)
}

// OptRawMap reads an optional map of values that are kept as they are.
//
//go:noinline
func OptRawMap(d *Decoder) map[string]json.RawMessage {
	if d.Null() {
		return nil
	}
	return RawMap(d)
}

// Text reads a value of a string type.
func Text[S ~string](d *Decoder) S { return S(d.Str()) }

// OptText reads an optional value of a string type.
//
//go:noinline
func OptText[S ~string](d *Decoder) *S {
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
func Maybe[V any](d *Decoder, read func(*Decoder) V) Nullable[V] {
	if d.Null() {
		return Null[V]()
	}
	v := read(d)
	if d.Failed() {
		return Nullable[V]{}
	}
	return Of(v)
}

// MaybeStruct is Maybe for a struct.
func MaybeStruct[T any, P decodes[T]](d *Decoder) Nullable[*T] {
	if d.Null() {
		return Null[*T]()
	}
	v := new(T)
	P(v).DecodeJSON(d)
	if d.Failed() {
		return Nullable[*T]{}
	}
	return Of(v)
}

// AddExtra decodes an undeclared member.
func AddExtra[V any](d *Decoder, extra *map[string]V, key []byte, read func(*Decoder) V) {
	if d.isForeign(key) {
		return
	}
	if *extra == nil {
		*extra = map[string]V{}
	}
	name := d.copy(key)
	(*extra)[name] = read(d)
}

// Member decodes a member of a raw object. It returns the zero value if the member is missing or of another type.
func Member[V any](raw json.RawMessage, name string, read func(*Decoder) V) V {
	var v, none V
	d := NewDecoder(raw)
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
