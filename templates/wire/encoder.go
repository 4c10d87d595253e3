// Encoder: error state and scalars for appending JSON. The bytes themselves are passed from call to call, where the
// compiler keeps them in registers.

package wire

import (
	"encoding/json"
	"math/bits"
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

// FailBecause is Fail with a wrapped error.
func (e *Encoder) FailBecause(dst []byte, cause error) []byte {
	if e.reason == "" {
		e.cause = cause
	}
	return e.Fail(dst, cause.Error())
}

// MissingValue is what generic code calls, so that there is less of it for each type.
//
//go:noinline
func (e *Encoder) MissingValue(dst []byte, key string) []byte {
	return e.Fail(append(dst, key...), missingValue)
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
	return e.Finish(dst, v.EncodeJSON(dst, NoEscape(&e)))
}

// Finish returns what was appended to dst, or dst itself with the first error, an [*EncodeError] with its path.
func (e *Encoder) Finish(dst, out []byte) ([]byte, error) {
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

// AppendString appends s as a JSON string. What is not valid UTF-8 becomes U+FFFD. Unlike json.Marshal it
// escapes nothing for the sake of HTML.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	end, high := plainEnd(s)
	if end < len(s) || high != 0 && !utf8.ValidString(s) {
		return appendEscaped(dst, s)
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

// AppendNumber appends a number as it is written.
func (e *Encoder) AppendNumber(dst []byte, n json.Number) []byte {
	if end, ok := numberEnd(string(n), 0); !ok || end != len(n) {
		return e.Fail(dst, "invalid JSON number "+Excerpt(string(n)))
	}
	return append(dst, n...)
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

// appendEscaped returns the rest of AppendString for text that cannot be copied as it is.
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
