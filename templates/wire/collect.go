// Collecting: lists, maps and optional values of types that a package declares. Structs decode into a place; other
// values are returned by a function.

package wire

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

// Expected returns for how many more items there may be text, if n have been read since start: at least one, and no more than
// three times as many, so that no text takes much more memory than its items do.
func (d *Decoder) Expected(n, start int) int {
	each := max(1, (d.pos-start)/n)
	return max(1, min((len(d.data)-d.pos)/each+1, 3*n))
}

// Other values.

// Optional values: null means absent and overrides an earlier value. A value that fails to decode is absent.

// The most frequent optional values have functions of their own.
