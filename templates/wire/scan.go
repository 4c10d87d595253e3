// The text scanner, eight bytes at a time.

package wire

import "math/bits"

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

func spaceEnd(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}
