// Readings: the values that fields represent, and those of types that are declared elsewhere.

package codec

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Or returns *p, or a default if p is nil.
func Or[V any](p *V, otherwise V) V {
	if p == nil {
		return otherwise
	}
	return *p
}

// OrStruct is Or for a struct with a default in JSON.
func OrStruct[T any, P decodes[T]](p *T, otherwise string) T {
	if p == nil {
		d := wire.NewDecoder([]byte(otherwise))
		return Struct[T, P](&d)
	}
	return *p
}

// OrDecoded is Or with a default in JSON.
func OrDecoded[V any](p *V, otherwise string, read func(*wire.Decoder) V) V {
	if p == nil {
		d := wire.NewDecoder([]byte(otherwise))
		return read(&d)
	}
	return *p
}

// OrRead returns a value if present, or else a default in JSON.
func OrRead[V any](there bool, v V, otherwise string, read func(*wire.Decoder) V) V {
	if there {
		return v
	}
	d := wire.NewDecoder([]byte(otherwise))
	return read(&d)
}

// OrZero returns the value of a member, or the zero value if it is null or absent.
func OrZero[V any](n wire.Nullable[V]) V {
	v, _ := n.Get()
	return v
}

// Present returns a pointer to the value of a member, or nil if it is null or absent.
func Present[V any](n wire.Nullable[V]) *V {
	if v, ok := n.Get(); ok {
		present := v
		return &present
	}
	return nil
}

// Base64 decodes standard base64 with padding.
func Base64(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }

// Time parses an RFC 3339 time. The empty text is the zero time.
func Time(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}

// number is the constraint for numeric fields.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float64
}

// Span converts a number of units to a duration, saturating at the maximum. Nil is 0.
func Span[N number](n *N, unit time.Duration) time.Duration {
	if n == nil {
		return 0
	}
	switch rough := float64(*n) * float64(unit); {
	case rough >= math.MaxInt64:
		return math.MaxInt64
	case rough <= math.MinInt64:
		return math.MinInt64
	}
	whole := int64(*n) // floats may have a fraction
	return time.Duration(whole*int64(unit)) + time.Duration((float64(*n)-float64(whole))*float64(unit))
}

// Moment returns the time that many units after the Unix epoch, in UTC. Nil is the zero time. The range is that of
// durations, 1677 to 2262.
func Moment[N number](n *N, unit time.Duration) time.Time {
	if n == nil {
		return time.Time{}
	}
	return time.Unix(0, 0).Add(Span(n, unit)).UTC()
}

// ConvertText reads a string and converts it. What decode refuses fails with the path to it.
func ConvertText[V any](d *wire.Decoder, decode func(string) (V, error)) V {
	start := d.Offset()
	text := d.Str()
	if d.Failed() {
		return none[V]()
	}
	return converted(d, start, text, decode)
}

// ConvertRaw reads any JSON and converts a copy of its text.
func ConvertRaw[V any, B ~[]byte](d *wire.Decoder, decode func(B) (V, error)) V {
	start := d.Offset()
	raw := d.Raw()
	if d.Failed() {
		return none[V]()
	}
	return converted(d, start, B(raw), decode)
}

func converted[V, T any](d *wire.Decoder, start int, text T, decode func(T) (V, error)) V {
	v, err := decode(text)
	if err != nil {
		d.FailBecause(start, err)
		return none[V]()
	}
	return v
}

// TextItem appends the text of a value as a string.
func TextItem[V any](v V, dst []byte, _ *wire.Encoder, encode func(V) string) []byte {
	return wire.AppendString(dst, encode(v))
}

// TryTextItem is TextItem for values that may have no text.
func TryTextItem[V any](v V, dst []byte, e *wire.Encoder, encode func(V) (string, error)) []byte {
	text, err := encode(v)
	if err != nil {
		return e.FailBecause(dst, err)
	}
	return wire.AppendString(dst, text)
}

// JSONItem appends the JSON of a value.
func JSONItem[V any, B ~[]byte](v V, dst []byte, e *wire.Encoder, encode func(V) B) []byte {
	return appendRaw(dst, e, json.RawMessage(encode(v)))
}

// TryJSONItem is JSONItem for values that may have no JSON.
func TryJSONItem[V any, B ~[]byte](v V, dst []byte, e *wire.Encoder, encode func(V) (B, error)) []byte {
	raw, err := encode(v)
	if err != nil {
		return e.FailBecause(dst, err)
	}
	return appendRaw(dst, e, json.RawMessage(raw))
}
