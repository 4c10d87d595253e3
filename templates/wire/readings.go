// Readings: what fields stand for.

package wire

import (
	"encoding/base64"
	"math"
	"time"
)

// Or returns what a pointer points at, or a default for nil.
func Or[V any](p *V, otherwise V) V {
	if p == nil {
		return otherwise
	}
	return *p
}

// OrStruct is Or with a default that is JSON, for a struct.
func OrStruct[T any, P decodes[T]](p *T, otherwise string) T {
	if p == nil {
		d := NewDecoder([]byte(otherwise))
		return Struct[T, P](&d)
	}
	return *p
}

// OrDecoded is Or with a default that is JSON.
func OrDecoded[V any](p *V, otherwise string, read func(*Decoder) V) V {
	if p == nil {
		d := NewDecoder([]byte(otherwise))
		return read(&d)
	}
	return *p
}

// OrRead returns a value if it is there, and else a default that is JSON.
func OrRead[V any](there bool, v V, otherwise string, read func(*Decoder) V) V {
	if there {
		return v
	}
	d := NewDecoder([]byte(otherwise))
	return read(&d)
}

// OrZero returns the value of a member, or the zero value where it is null or left out.
func OrZero[V any](n Nullable[V]) V { return n.value }

// Present points at the value of a member, nil where it is null or left out.
func Present[V any](n Nullable[V]) *V {
	if n.state != nullableValue {
		return nil
	}
	return &n.value
}

// Base64 returns the bytes that a text stands for, in the usual alphabet and with padding.
func Base64(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }

// Time returns the time that a text stands for, as RFC 3339 writes it, and the zero time for none.
func Time(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}

// number is any that a field can hold.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float64
}

// Span returns how long so many units take, 0 for nil, and the longest duration of all for what is longer.
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
	whole := int64(*n) // floats may have more to them
	return time.Duration(whole*int64(unit)) + time.Duration((float64(*n)-float64(whole))*float64(unit))
}

// Moment returns the time so many units after the start of 1970, in UTC, and the zero time for nil. It reaches as far as
// durations do, which is from 1677 to 2262.
func Moment[N number](n *N, unit time.Duration) time.Time {
	if n == nil {
		return time.Time{}
	}
	return time.Unix(0, 0).Add(Span(n, unit)).UTC()
}
