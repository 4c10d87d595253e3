// Readings: the values that fields represent.

package codec

import (
	"encoding/base64"
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
