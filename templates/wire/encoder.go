// Encoder: error state and scalars for appending JSON. The bytes themselves are passed from call to call, where the
// compiler keeps them in registers.

package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// Encoder records the first error. Appending continues after it, so callers need not check; the length of the output
// at that point leads to the path.
type Encoder struct {
	reason string
	cause  error // nil if the reason suffices
	end    int   // length of the output at the error
	own    bool  // this side sends it, and hands nothing on
}

// missingValue reports a nil union member, or a nil pointer where a value is required.
const missingValue = "missing: the value is nil"

// Fail records that the next value cannot be encoded.
func (e *Encoder) Fail(dst []byte, reason string) []byte {
	if e.reason == "" {
		e.reason, e.end = reason, len(dst)
	}
	return dst
}

// failBecause is Fail with a wrapped error.
func (e *Encoder) failBecause(dst []byte, cause error) []byte {
	if e.reason == "" {
		e.cause = cause
	}
	return e.Fail(dst, cause.Error())
}

// Append appends the encoding of v. A nil pointer is an error.
func Append(dst []byte, v Encodable) ([]byte, error) {
	if IsNil(v) {
		return dst, &EncodeError{reason: missingValue}
	}
	if dst == nil {
		return appendFresh(v, false)
	}
	return appendTo(dst, v, false)
}

func appendTo(dst []byte, v Encodable, own bool) ([]byte, error) {
	e := Encoder{own: own}
	out := v.EncodeJSON(dst, NoEscape(&e))
	if e.reason != "" {
		return dst, e.located(out[len(dst):], len(dst))
	}
	return out, nil
}

// appendFresh encodes into a new buffer of the right size, since growing from nothing copies repeatedly.
func appendFresh(v Encodable, own bool) ([]byte, error) {
	buf := borrow()
	out, err := appendTo((*buf)[:0], v, own)
	var fresh []byte
	if err == nil {
		fresh = append(fresh, out...)
	}
	giveBack(buf, out)
	return fresh, err
}

// Marshal is the body of MarshalJSON: it encodes a copy that the caller has, which may stay where it is.
//
//go:noinline
func Marshal(v Encodable) ([]byte, error) { return Append(nil, noEscape(v)) }

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte { return appendString(dst, s) }

// AppendAs appends anything else, with what appends an item.
func AppendAs[V any](dst []byte, v V, encode func(V, []byte, *Encoder) []byte) ([]byte, error) {
	var e Encoder
	start := len(dst)
	out := encode(v, dst, NoEscape(&e))
	if e.reason != "" {
		return dst, e.located(out[start:], start)
	}
	return out, nil
}

// EncodeError reports a value that cannot be encoded. Its text is the path, such as actions: [2]: part, and the
// reason.
type EncodeError struct {
	path   string
	reason string
	cause  error
}

// Error implements error.
func (e *EncodeError) Error() string { return joinPath(e.path, e.reason) }

// Path returns the path of the value: member names, and indexes in brackets.
func (e *EncodeError) Path() string { return e.path }

// Unwrap returns the error of a user-defined value.
func (e *EncodeError) Unwrap() error { return e.cause }

// located returns the error with the path derived from the output.
func (e *Encoder) located(text []byte, start int) error {
	l := locator{data: text}
	return &EncodeError{l.path(e.end-start, false, nil), e.reason, e.cause}
}

// appendString appends s as a JSON string. What is not valid UTF-8 becomes U+FFFD. Unlike json.Marshal it
// escapes nothing for the sake of HTML.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	end, high := plainEnd(s)
	if end < len(s) || high != 0 && !utf8.ValidString(s) {
		return appendEscaped(dst, s)
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

func appendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

func appendBool(dst []byte, b bool) []byte { return strconv.AppendBool(dst, b) }

// appendFloat appends the shortest text that stands for f, in the format of encoding/json. JSON has no
// infinity and nothing that is no number.
func appendFloat(dst []byte, e *Encoder, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return e.Fail(dst, fmt.Sprintf("JSON has no %v", f))
	case f != 0 && abs < 1e15 && f == math.Trunc(f):
		return strconv.AppendInt(dst, int64(f), 10)
	case f == 0 || abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 to e-9
		dst = dst[:n-1]
	}
	return dst
}

// appendNumber appends a number as it is written.
func appendNumber(dst []byte, e *Encoder, n json.Number) []byte {
	if end, ok := numberEnd(string(n), 0); !ok || end != len(n) {
		return e.Fail(dst, "invalid JSON number "+Excerpt(string(n)))
	}
	return append(dst, n...)
}

// appendRaw appends raw as it is, once it is known to be JSON.
func appendRaw(dst []byte, e *Encoder, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return e.Fail(dst, "raw JSON is empty")
	}
	d := NewDecoder(raw)
	d.Skip()
	if err := d.Finish(); err != nil {
		return e.failBecause(dst, Within("raw JSON", err))
	}
	return append(dst, raw...)
}

// Within puts a segment, such as the name of a member, in front of the path that an error tells.
func Within(segment string, err error) error { return &segmentError{Name(segment), err} }

type segmentError struct {
	segment string
	err     error
}

func (e *segmentError) Error() string {
	path, err := []string{e.segment}, e.err
	for inner, ok := err.(*segmentError); ok; inner, ok = err.(*segmentError) {
		path, err = append(path, inner.segment), inner.err
	}
	return joinPath(shownPath(path), err.Error())
}

func (e *segmentError) Unwrap() error { return e.err }

// appendEscaped returns the rest of appendString for text that cannot be copied as it is.
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

// Repaired is JSON as it may be sent: itself, or, if it is not valid UTF-8, a copy with U+FFFD for every byte that is not
// part of that. Raw values are kept as they came, and a reader that insists on UTF-8 hangs up on what another one let pass.
func Repaired(text []byte) []byte {
	if ValidUTF8(text) {
		return text
	}
	return appendRepaired(nil, text)
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
