// Encoding: append functions for JSON values, and the helpers that generated encoders share.

package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// appendString appends s as a JSON string. What is not valid UTF-8 becomes U+FFFD. Unlike
// json.Marshal it escapes nothing for the sake of HTML.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	end, high := plainEnd(s)
	if end < len(s) || high != 0 && !utf8.ValidString(s) {
		return appendEscaped(dst, s)
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

// appendEscaped is the rest of appendString for text that cannot be copied as it is.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	for {
		end, high := plainEnd(s)
		if high == 0 || utf8.ValidString(s[:end]) {
			dst = append(dst, s[:end]...)
		} else {
			dst = appendInvalid(dst, s[:end])
		}
		if end == len(s) {
			return append(dst, '"')
		}
		switch c := s[end]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		s = s[end+1:]
	}
}

// appendInvalid appends text with an escape for every byte that is not part of valid UTF-8.
func appendInvalid(dst []byte, s string) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, `\ufffd`...)
		} else {
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
	return dst
}

// appendRepaired appends text with U+FFFD for every byte that is not part of valid UTF-8.
func appendRepaired(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}

// plainEnd returns the index of the first byte of s that a JSON string has to escape. Unless high
// is 0, some byte is not ASCII.
func plainEnd(s string) (end int, high uint64) {
	if len(s) < 8 {
		for i := 0; i < len(s); i++ {
			c := s[i]
			if c < ' ' || c == '"' || c == '\\' {
				return i, high & highBits
			}
			high |= uint64(c)
		}
		return len(s), high & highBits
	}
	for i := 0; ; i += 8 {
		// The last word overlaps the one before it, in which there is nothing to find.
		i = min(i, len(s)-8)
		w := word(s[i:])
		if stops := textStops(w); stops != 0 {
			return i + bits.TrailingZeros64(stops)>>3, (high | w&(stops-1)&^stops) & highBits
		}
		high |= w
		if i == len(s)-8 {
			return len(s), high & highBits
		}
	}
}

// word returns the first eight bytes of s, the first one lowest. It compiles to one load.
func word(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// appendFloat appends the shortest text that stands for f, in the format of encoding/json.
func appendFloat(dst []byte, f float64) ([]byte, error) {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return dst, fmt.Errorf("JSON has no %v", f)
	case f != 0 && abs < 1e15 && f == math.Trunc(f):
		return strconv.AppendInt(dst, int64(f), 10), nil
	case f == 0 || abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 to e-9
		dst = dst[:n-1]
	}
	return dst, nil
}

// appendNumber appends a number as it is written.
func appendNumber(dst []byte, n json.Number) ([]byte, error) {
	if end, ok := numberEnd(string(n), 0); !ok || end != len(n) {
		return dst, errors.New("invalid JSON number " + excerpt(string(n)))
	}
	return append(dst, n...), nil
}

// appendRaw appends raw as it is, once it is known to be JSON.
func appendRaw(dst []byte, raw json.RawMessage) ([]byte, error) {
	if len(raw) == 0 {
		return dst, errors.New("raw JSON is empty")
	}
	d := newDecoder(raw)
	d.skip()
	if err := d.finish(); err != nil {
		return dst, atMember("raw JSON", err)
	}
	return append(dst, raw...), nil
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, s)
	}
	return append(dst, ']')
}

func appendStructs[T any, P interface {
	*T
	AppendJSON([]byte) ([]byte, error)
}](dst []byte, list []T) ([]byte, error) {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = P(&list[i]).AppendJSON(dst); err != nil {
			return dst, atIndex(i, err)
		}
	}
	return append(dst, ']'), nil
}

func appendList[T any](dst []byte, list []T, elem func([]byte, T) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = elem(dst, v); err != nil {
			return dst, atIndex(i, err)
		}
	}
	return append(dst, ']'), nil
}

// fewKeys is up to how many keys a map is encoded without allocating.
const fewKeys = 16

func appendStructMap[T any, P interface {
	*T
	AppendJSON([]byte) ([]byte, error)
}](dst []byte, m map[string]T) ([]byte, error) {
	var few [fewKeys]string
	dst = append(dst, '{')
	for i, key := range sortedKeys(few[:0], m) {
		dst = appendKey(dst, i, key)
		v := m[key]
		var err error
		if dst, err = P(noEscape(&v)).AppendJSON(dst); err != nil {
			return dst, atMember(key, err)
		}
	}
	return append(dst, '}'), nil
}

func appendMap[T any](dst []byte, m map[string]T, elem func([]byte, T) ([]byte, error)) ([]byte, error) {
	var few [fewKeys]string
	dst = append(dst, '{')
	for i, key := range sortedKeys(few[:0], m) {
		dst = appendKey(dst, i, key)
		var err error
		if dst, err = elem(dst, m[key]); err != nil {
			return dst, atMember(key, err)
		}
	}
	return append(dst, '}'), nil
}

func appendRawMap(dst []byte, m map[string]json.RawMessage) ([]byte, error) {
	return appendMap(dst, m, appendRaw)
}

// sortedKeys appends the keys of m, sorted so that equal maps are encoded alike.
func sortedKeys[T any](keys []string, m map[string]T) []string {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func appendKey(dst []byte, i int, key string) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = appendString(dst, key)
	return append(dst, ':')
}

// encodeError adds to an error where in a value it happened.
type encodeError struct {
	segment string
	err     error
}

func (e *encodeError) Error() string {
	path, err := []string{e.segment}, e.err
	for inner, ok := err.(*encodeError); ok; inner, ok = err.(*encodeError) {
		path, err = append(path, inner.segment), inner.err
	}
	return joinPath(shownPath(path), err.Error())
}

func (e *encodeError) Unwrap() error { return e.err }

func atMember(name string, err error) error { return &encodeError{quoteName(name), err} }

func atIndex(i int, err error) error { return &encodeError{"[" + strconv.Itoa(i) + "]", err} }
