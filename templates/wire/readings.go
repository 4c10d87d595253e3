// Readings: what fields stand for.

package wire

import (
	"encoding/base64"
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

// Base64 returns the bytes that a text stands for, in the usual alphabet and with padding.
func Base64(text string) ([]byte, error) { return base64.StdEncoding.DecodeString(text) }

// Time returns the time that a text stands for, as RFC 3339 writes it, and the zero time for none.
func Time(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339Nano, text)
}
