// The text scanner, eight bytes at a time.

package wire

import (
	"math/bits"
	"unicode/utf8"
)

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// textStops returns a word whose lowest bit set is the high bit of the first byte of w that is a
// quote, a backslash or a control character; 0 if there is none.
func textStops(w uint64) uint64 {
	// Flipping bit 1 puts the quote right behind the control characters, so that one comparison
	// finds both. Subtracting borrows from the next byte only above a byte that is found.
	quote := w ^ 0x02*everyByte
	backslash := w ^ '\\'*everyByte
	return ((quote-0x21*everyByte)&^quote | (backslash-everyByte)&^backslash) & highBits
}

// asciiEnd returns the offset of the first byte from i on that is not plain ASCII text of a
// string. It may stop early near the end of the input, so what it stops at has to be looked at.
// That makes it small enough to be inlined, which matters because most strings are short.
func asciiEnd(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if stops := asciiStops(wordAt(data, i)); stops != 0 {
			return i + bits.TrailingZeros64(stops)>>3
		}
	}
	return i
}

// asciiStops is textStops that also looks for bytes beyond ASCII, and is simpler for it.
func asciiStops(w uint64) uint64 {
	quote := w ^ 0x02*everyByte
	backslash := w ^ '\\'*everyByte
	return ((quote - 0x21*everyByte) | (backslash - everyByte) | w) & highBits
}

// copyText copies text of a string from src[i:] to dst[at:], up to the first byte that is not plain ASCII, or to where
// either has less than a word left. It returns how much that is. It may write one word more, if there is room for it.
// As a call of its own it has all it needs in registers.
//
//go:noinline
func copyText(dst []byte, at int, src []byte, i int) int {
	n := 0
	for last := min(len(dst)-at, len(src)-i) - 8; n <= last; n += 8 {
		w := wordAt(src, i+n)
		putWord(dst, at+n, w)
		if stops := asciiStops(w); stops != 0 {
			return n + bits.TrailingZeros64(stops)>>3
		}
	}
	return n
}

// copyEscaped copies text of a string from src[i:] to dst[at:], with what escapes of one character stand for and characters of
// at most two bytes, up to anything else or to where either has less than a word left. It returns where it is then in both.
// Runs between escapes are short. So whole words are copied while looking for their end, and what comes next overwrites what was
// too much.
//
//go:noinline
func copyEscaped(dst []byte, at int, src []byte, i int) (int, int) {
	for at <= len(dst)-8 && i <= len(src)-8 {
		w := wordAt(src, i)
		putWord(dst, at, w)
		stops := asciiStops(w)
		if stops == 0 {
			at += 8
			i += 8
			continue
		}
		bit := bits.TrailingZeros64(stops) &^ 7
		at += bit >> 3
		i += bit >> 3
		if i+1 >= len(src) {
			break
		}
		first, second := src[i], src[i+1]
		switch {
		case first == '\\' && shortEscapes[second] != 0:
			dst[at] = shortEscapes[second]
			at++
		case 0xC2 <= first && first <= 0xDF && second&0xC0 == 0x80 && at+1 < len(dst): // a character of two bytes
			dst[at], dst[at+1] = first, second
			at += 2
		default:
			return at, i
		}
		i += 2
	}
	return at, i
}

// textEnd returns the offset of the first byte from i on that is not plain text of a string: a
// quote, a backslash, a control character or the end. Unless high is 0, some byte is not ASCII.
func textEnd(data []byte, i int) (end int, high uint64) {
	for ; i+8 <= len(data); i += 8 {
		w := wordAt(data, i)
		if stops := textStops(w); stops != 0 {
			return i + bits.TrailingZeros64(stops)>>3, (high | w&(stops-1)&^stops) & highBits
		}
		high |= w
	}
	w := tailAt(data, i)
	stops := textStops(w)
	return i + bits.TrailingZeros64(stops)>>3, (high | w&(stops-1)&^stops) & highBits
}

// ValidUTF8 is utf8.Valid for text that is mostly ASCII: that one goes by bytes from the first character on that is not.
func ValidUTF8(text []byte) bool {
	for i := 0; ; {
		start := byteEnd(text, i, highBits)
		if start == len(text) {
			return true
		}
		i = byteEnd(text, start, 0)
		if !utf8.Valid(text[start:i]) {
			return false
		}
	}
}

// byteEnd returns the offset of the first byte from i on whose high bit is set, or, if flip is 0, is not.
func byteEnd(text []byte, i int, flip uint64) int {
	for ; i+8 <= len(text); i += 8 {
		if found := (^wordAt(text, i) ^ flip) & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)>>3
		}
	}
	for i < len(text) && (^uint64(text[i])^flip)&(utf8.RuneSelf) == 0 {
		i++
	}
	return i
}

// tailAt returns the last bytes of data, from i on, which are fewer than eight. Zeros are behind them: control
// characters, so that texts end there.
func tailAt(data []byte, i int) uint64 {
	last := len(data) - 8
	if last >= 0 {
		return wordAt(data, last) >> (8 * (i - last))
	}
	var w uint64
	for n, c := range data[i:] {
		w |= uint64(c) << (8 * n)
	}
	return w
}

// escapeEnd returns where the escape at i ends, or, if it is invalid, the complement of the
// offset at which it is.
func escapeEnd(data []byte, i int) int {
	i++
	switch {
	case i >= len(data):
		return ^i
	case shortEscapes[data[i]] != 0:
		return i + 1
	case data[i] != 'u':
		return ^i
	}
	for end := i + 4; i < end; {
		if i++; i >= len(data) || !isHex(data[i]) {
			return ^i
		}
	}
	return i + 1
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// numberEnd returns where the number at i ends, or, if it is invalid, the offset at which it is.
func numberEnd[T []byte | string](s T, i int) (end int, ok bool) {
	if i < len(s) && s[i] == '-' {
		i++
	}
	if i >= len(s) || s[i]-'0' > 9 {
		return i, false
	}
	if s[i] == '0' {
		i++
	} else {
		i = digitsEnd(s, i)
	}
	if i < len(s) && s[i] == '.' {
		i++
		if i >= len(s) || s[i]-'0' > 9 {
			return i, false
		}
		i = digitsEnd(s, i)
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if i >= len(s) || s[i]-'0' > 9 {
			return i, false
		}
		i = digitsEnd(s, i)
	}
	return i, true
}

func digitsEnd[T []byte | string](s T, i int) int {
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}

// skipSpace returns the offset of the first byte from i on that is not white space. It is small
// enough to be inlined, and most JSON on the wire has no white space at all.
func skipSpace(data []byte, i int) int {
	if i < len(data) && data[i] <= ' ' {
		return spaceEnd(data, i)
	}
	return i
}

// spaceEnd is skipSpace from a byte on that may be white space. Most is a line break and indentation by the same character,
// which goes by words.
func spaceEnd(data []byte, i int) int {
	if data[i] == '\n' && i+9 <= len(data) {
		i++
		if c := data[i]; c == '\t' || c == ' ' {
			other := wordAt(data, i) ^ uint64(c)*everyByte
			for other == 0 && i+16 <= len(data) {
				i += 8
				other = wordAt(data, i) ^ uint64(c)*everyByte
			}
			i += bits.TrailingZeros64(other) >> 3
		}
	}
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}
