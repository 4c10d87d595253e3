// Decoding: a cursor over one complete JSON text, and the helpers that generated decoders share.

package runtime

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// maxDepth is how deeply objects and arrays may be nested.
const maxDepth = 1000

// decoder reads one complete JSON text from front to back.
//
// Errors are sticky, and no caller has to ask for them: the first one takes the input away, so
// that every later call finds nothing, returns a zero value and ends the loop it drives.
//
// Wherever a value may start, pos is at its first significant byte: whatever leads up to a value
// (a colon, a comma, a bracket) also steps over the white space behind it.
type decoder struct {
	data  []byte
	pos   int
	depth int
	err   *decodeError

	// The latest mark, with the depth it was made at.
	markPos, markDepth int
}

func newDecoder(data []byte) decoder {
	return decoder{data: data, pos: skipSpace(data, 0)}
}

// finish ends decoding: it refuses anything but white space after the value, and returns the
// first error with the path to where it happened.
func (d *decoder) finish() error {
	if d.err == nil && d.pos < len(d.data) {
		if i := skipSpace(d.data, d.pos); i < len(d.data) {
			d.syntax(i, "after the value")
		}
	}
	if d.err == nil {
		return nil
	}
	d.err.locate()
	return d.err
}

func (d *decoder) failed() bool { return d.err != nil }

// Objects and arrays.

// object enters an object and returns its first key, or nil if it has none. The key is valid
// until the next call. The empty key is empty, but not nil.
func (d *decoder) object() []byte {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '{' {
		d.mismatch("object")
		return nil
	}
	if d.depth++; d.depth > maxDepth {
		d.tooDeep(i)
		return nil
	}
	if i++; i < len(d.data) && d.data[i] == '"' {
		return d.key(i)
	}
	i = skipSpace(d.data, i)
	switch d.at(i) {
	case '"':
		return d.key(i)
	case '}':
		d.pos = i + 1
		d.depth--
	default:
		d.syntax(i, "instead of a key or }")
	}
	return nil
}

// nextKey returns the key of the next member, once the value of the one before it has been
// consumed, or nil at the end of the object.
func (d *decoder) nextKey() []byte {
	i := d.pos
	if i+1 < len(d.data) && d.data[i] == ',' && d.data[i+1] == '"' {
		return d.key(i + 1)
	}
	i = skipSpace(d.data, i)
	switch d.at(i) {
	case ',':
		if i = skipSpace(d.data, i+1); d.at(i) == '"' {
			return d.key(i)
		}
		d.syntax(i, "instead of a key")
	case '}':
		d.pos = i + 1
		d.depth--
	default:
		d.syntax(i, "instead of a comma or }")
	}
	return nil
}

// key reads the key whose opening quote is at i and everything up to its value.
func (d *decoder) key(i int) []byte {
	data := d.data
	i++
	end := asciiEnd(data, i)
	if end+2 < len(data) && data[end] == '"' && data[end+1] == ':' && data[end+2] > ' ' {
		d.pos = end + 2
		return data[i:end]
	}
	return d.unusualKey(i, end)
}

// unusualKey is key for keys with escapes, beyond ASCII, or with white space around the colon.
func (d *decoder) unusualKey(start, end int) []byte {
	key := d.textFrom(start, end)
	if key == nil {
		return nil
	}
	i := skipSpace(d.data, d.pos)
	if d.at(i) != ':' {
		d.syntax(i, "instead of a colon")
		return nil
	}
	d.pos = skipSpace(d.data, i+1)
	return key
}

// array enters an array and reports whether it has an element.
func (d *decoder) array() bool {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '[' {
		d.mismatch("array")
		return false
	}
	if d.depth++; d.depth > maxDepth {
		d.tooDeep(i)
		return false
	}
	i = skipSpace(d.data, i+1)
	d.pos = i
	if d.at(i) == ']' {
		d.pos++
		d.depth--
		return false
	}
	return true
}

// nextItem reports whether another element follows the one just consumed.
func (d *decoder) nextItem() bool {
	i := d.pos
	if i+1 < len(d.data) && d.data[i] == ',' && d.data[i+1] > ' ' {
		d.pos = i + 1
		return true
	}
	i = skipSpace(d.data, i)
	switch d.at(i) {
	case ',':
		d.pos = skipSpace(d.data, i+1)
		return true
	case ']':
		d.pos = i + 1
		d.depth--
	default:
		d.syntax(i, "instead of a comma or ]")
	}
	return false
}

// Scalars.

// kind returns the class of the next value without consuming anything: '{', '[', '"', 't' for
// true and false, '0' for a number, 'n' for null, and 0 if there is no value.
func (d *decoder) kind() byte {
	switch c := d.at(d.pos); c {
	case '{', '[', '"', 't', 'n':
		return c
	case 'f':
		return 't'
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return '0'
	}
	return 0
}

// null consumes the next value if it is null, and reports whether it was.
func (d *decoder) null() bool {
	if d.at(d.pos) != 'n' {
		return false
	}
	end := d.skipLiteral(d.pos, "null")
	if end < 0 {
		return false
	}
	d.pos = end
	return true
}

func (d *decoder) bool() bool {
	i := d.pos
	want := "true"
	switch d.at(i) {
	case 't':
	case 'f':
		want = "false"
	default:
		d.mismatch("boolean")
		return false
	}
	end := d.skipLiteral(i, want)
	if end < 0 {
		return false
	}
	d.pos = end
	return len(want) == len("true")
}

// string returns a copy of the next value, a string, decoded as encoding/json does it: what is
// not valid UTF-8, or half a surrogate pair, becomes U+FFFD.
func (d *decoder) string() string {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '"' {
		d.mismatch("string")
		return ""
	}
	i++
	end := asciiEnd(d.data, i)
	if end < len(d.data) && d.data[end] == '"' {
		d.pos = end + 1
		return string(d.data[i:end])
	}
	return d.unusualString(i, end)
}

// unusualString is string for text that is not all ASCII, or has escapes; it is plain up to end.
func (d *decoder) unusualString(start, end int) string {
	end, high := textEnd(d.data, end)
	if d.at(end) == '"' && (high == 0 || utf8.Valid(d.data[start:end])) {
		d.pos = end + 1
		return string(d.data[start:end])
	}
	return d.escapedString(start)
}

// scratch holds buffers to unescape strings in, so that each costs no more than its copy.
var scratch sync.Pool

// maxScratch bounds what the pool may hold on to.
const maxScratch = 1 << 16

func (d *decoder) escapedString(start int) string {
	buf, _ := scratch.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	text := d.unescape((*buf)[:0], start)
	s := string(text)
	if cap(text) > cap(*buf) && cap(text) <= maxScratch {
		*buf = text
	}
	scratch.Put(buf)
	return s
}

// text is string without the copy where there is nothing to decode; nil only after a failure.
func (d *decoder) text() []byte {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '"' {
		d.mismatch("string")
		return nil
	}
	return d.textFrom(i+1, asciiEnd(d.data, i+1))
}

// textFrom is text for a string that starts at start and is plain ASCII up to end.
func (d *decoder) textFrom(start, end int) []byte {
	var high uint64
	if d.at(end) != '"' {
		end, high = textEnd(d.data, end)
	}
	if d.at(end) == '"' && (high == 0 || utf8.Valid(d.data[start:end])) {
		d.pos = end + 1
		return d.data[start:end]
	}
	return d.unescape([]byte{}, start)
}

// unescape writes what the string whose text starts at start stands for into dst, which is empty,
// and consumes it. The result is nil after a failure.
func (d *decoder) unescape(dst []byte, start int) []byte {
	data, i := d.data, start
	for {
		// Runs between escapes are short. So copy while looking for their end, and take back
		// what was too much.
		for i+8 <= len(data) {
			w := binary.LittleEndian.Uint64(data[i:])
			dst = binary.LittleEndian.AppendUint64(dst, w)
			if stops := textStops(w); stops != 0 {
				n := bits.TrailingZeros64(stops) >> 3
				i += n
				dst = dst[:len(dst)-8+n]
				break
			}
			i += 8
		}
		switch c := d.at(i); {
		case c == '"':
			d.pos = i + 1
			if !utf8.Valid(dst) {
				return unescapeRepaired(dst[:0], data[start:i])
			}
			return dst
		case c == '\\':
			if c := shortEscapes[d.at(i+1)]; c != 0 {
				dst = append(dst, c)
				i += 2
			} else if end := escapeEnd(data, i); end > 0 {
				dst, i = appendUnicode(dst, data, i, end)
			} else {
				d.syntax(^end, "in an escape")
				return nil
			}
		case c < ' ':
			d.syntax(i, "in a string")
			return nil
		default: // the last few bytes of the input
			dst = append(dst, c)
			i++
		}
	}
}

// unescapeRepaired is unescape for text that is not valid UTF-8.
func unescapeRepaired(dst, text []byte) []byte {
	d := decoder{data: append(appendRepaired(nil, text), '"')}
	return d.unescape(dst, 0)
}

// shortEscapes holds what the escapes of one character stand for.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// appendUnicode appends what the valid escape data[i:end], with four digits, stands for. It
// returns where to go on, which is beyond end if the escape is the first half of a surrogate pair.
func appendUnicode(dst, data []byte, i, end int) ([]byte, int) {
	r := hexRune(data[i+2:])
	if utf16.IsSurrogate(r) {
		first := r
		r = utf8.RuneError
		if end+1 < len(data) && data[end] == '\\' && data[end+1] == 'u' {
			if next := escapeEnd(data, end); next > 0 {
				if pair := utf16.DecodeRune(first, hexRune(data[end+2:])); pair != utf8.RuneError {
					r, end = pair, next
				}
			}
		}
	}
	return utf8.AppendRune(dst, r), end
}

// hexRune is the value of the four hexadecimal digits that b starts with.
func hexRune(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// Numbers.

const outOfRange = "number out of range"

// int64 returns the next value, a number without a fraction: 10, and also 1e1 or 10.0. It is
// never converted by way of float64.
func (d *decoder) int64() int64 {
	i := d.pos
	negative := d.at(i) == '-'
	if negative {
		i++
	}
	n, end := shortInteger(d.data, i)
	if end < 0 {
		return d.unusualInt()
	}
	d.pos = end
	if negative {
		return -int64(n)
	}
	return int64(n)
}

func (d *decoder) uint64() uint64 {
	n, end := shortInteger(d.data, d.pos)
	if end < 0 {
		return d.unusualUint()
	}
	d.pos = end
	return n
}

// shortInteger returns the integer at i and where it ends, provided that it has at most 18
// digits, which always fit, and nothing but digits. Otherwise end is negative.
func shortInteger(data []byte, i int) (n uint64, end int) {
	start := i
	for ; i < len(data); i++ {
		c := data[i] - '0'
		if c > 9 {
			if c := data[i]; c == '.' || c|0x20 == 'e' {
				return 0, -1
			}
			break
		}
		n = n*10 + uint64(c)
	}
	digits := i - start
	if digits == 0 || digits > 18 || digits > 1 && data[start] == '0' {
		return 0, -1
	}
	return n, i
}

func (d *decoder) unusualInt() int64 {
	at := d.pos
	n, negative, reason := parseInteger(d.literal("integer"))
	switch {
	case reason != "":
		d.fail(at, reason)
	case negative && n <= 1<<63:
		return -int64(n)
	case !negative && n <= math.MaxInt64:
		return int64(n)
	default:
		d.fail(at, outOfRange)
	}
	return 0
}

func (d *decoder) unusualUint() uint64 {
	at := d.pos
	n, negative, reason := parseInteger(d.literal("integer"))
	switch {
	case reason != "":
		d.fail(at, reason)
	case negative && n != 0:
		d.fail(at, outOfRange)
	default:
		return n
	}
	return 0
}

// parseInteger returns the exact value of a valid JSON number, however it is written, or why it
// is no integer that 64 bits can hold.
func parseInteger(literal []byte) (n uint64, negative bool, reason string) {
	const tooLong = 20 // digits; 1<<64-1 has 20
	var digits [tooLong]byte
	var count, zeros, exponent, point int // zeros: seen, and not yet known to be significant
	i := 0
	if len(literal) > 0 && literal[0] == '-' {
		negative = true
		i++
	}
	long, fraction := false, false
	for ; i < len(literal) && literal[i]|0x20 != 'e'; i++ {
		c := literal[i]
		if c == '.' {
			fraction = true
			continue
		}
		if fraction {
			point--
		}
		if c == '0' {
			if count > 0 {
				zeros++
			}
			continue
		}
		if count+zeros >= tooLong {
			long = true
			count, zeros = tooLong, 0
			continue
		}
		for ; zeros > 0; zeros-- {
			digits[count] = '0'
			count++
		}
		digits[count] = c
		count++
	}
	if count == 0 {
		return 0, negative, ""
	}
	if i < len(literal) {
		exponent = parseExponent(literal[i+1:])
	}
	switch exponent += point + zeros; {
	case exponent < 0:
		return 0, negative, "not an integer"
	case long || count+exponent > tooLong:
		return 0, negative, outOfRange
	}
	for ; exponent > 0; exponent-- {
		digits[count] = '0'
		count++
	}
	n, err := strconv.ParseUint(string(digits[:count]), 10, 64)
	if err != nil {
		return 0, negative, outOfRange
	}
	return n, negative, ""
}

// parseExponent returns the value of an exponent, or something large if it is out of all reason.
func parseExponent(text []byte) int {
	const large = math.MaxInt / 16
	n, sign := 0, 1
	for _, c := range text {
		switch {
		case c == '-':
			sign = -1
		case c != '+' && n < large:
			n = n*10 + int(c-'0')
		}
	}
	return sign * n
}

func (d *decoder) float64() float64 {
	at := d.pos
	if f, end := shortFloat(d.data, at); end >= 0 {
		d.pos = end
		return f
	}
	literal := d.literal("number")
	if literal == nil {
		return 0
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	if err != nil {
		d.fail(at, outOfRange)
		return 0
	}
	return f
}

// shortFloat returns the number at i and where it ends, provided that its digits make an integer of
// up to 53 bits and that it has no exponent: then that integer and the power of ten to divide by
// are both exact, and so the quotient is what strconv would return. Otherwise end is negative.
func shortFloat(data []byte, i int) (f float64, end int) {
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	start, point := i, -1
	var n uint64
	for ; i < len(data); i++ {
		c := data[i]
		if digit := c - '0'; digit <= 9 {
			n = n*10 + uint64(digit)
		} else if c == '.' && point < 0 {
			point = i
		} else if c == '.' || c|0x20 == 'e' {
			return 0, -1
		} else {
			break
		}
	}
	whole, places := i-start, 0
	if point >= 0 {
		whole, places = point-start, i-point-1
		if places == 0 {
			return 0, -1
		}
	}
	if whole == 0 || whole > 1 && data[start] == '0' || whole+places > 18 || n > 1<<53 {
		return 0, -1
	}
	f = float64(n) / powersOfTen[places]
	if negative {
		f = -f
	}
	return f, i
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
	1e15, 1e16, 1e17}

// number returns the next value, a number, as it is written.
func (d *decoder) number() json.Number { return json.Number(d.literal("number")) }

// literal consumes a number; nil only after a failure.
func (d *decoder) literal(want string) []byte {
	if d.kind() != '0' {
		d.mismatch(want)
		return nil
	}
	start := d.pos
	end := d.skipNumber(start)
	if end < 0 {
		return nil
	}
	literal := d.data[start:end]
	d.pos = end
	return literal
}

// Whole values.

// raw returns a copy of the next value's bytes, checked but otherwise as they are.
func (d *decoder) raw() json.RawMessage {
	start := d.pos
	end := d.skipValue(start)
	if end < 0 {
		return nil
	}
	d.pos = end
	return json.RawMessage(slices.Clone(d.data[start:end]))
}

// skip consumes and checks the next value.
func (d *decoder) skip() {
	if end := d.skipValue(d.pos); end >= 0 {
		d.pos = end
	}
}

// The skip functions below check what is at i and return where it ends. After a failure they
// return a negative number.

func (d *decoder) skipValue(i int) int {
	switch d.at(i) {
	case '"':
		return d.skipString(i)
	case '{':
		return d.skipObject(i)
	case '[':
		return d.skipArray(i)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return d.skipNumber(i)
	case 't':
		return d.skipLiteral(i, "true")
	case 'f':
		return d.skipLiteral(i, "false")
	case 'n':
		return d.skipLiteral(i, "null")
	}
	return d.syntax(i, "instead of a value")
}

func (d *decoder) skipObject(i int) int {
	if d.depth++; d.depth > maxDepth {
		return d.tooDeep(i)
	}
	i = skipSpace(d.data, i+1)
	if d.at(i) == '}' {
		d.depth--
		return i + 1
	}
	for {
		if d.at(i) != '"' {
			return d.syntax(i, "instead of a key")
		}
		if i = d.skipString(i); i < 0 {
			return i
		}
		if i = skipSpace(d.data, i); d.at(i) != ':' {
			return d.syntax(i, "instead of a colon")
		}
		if i = d.skipValue(skipSpace(d.data, i+1)); i < 0 {
			return i
		}
		i = skipSpace(d.data, i)
		switch d.at(i) {
		case ',':
			i = skipSpace(d.data, i+1)
		case '}':
			d.depth--
			return i + 1
		default:
			return d.syntax(i, "instead of a comma or }")
		}
	}
}

func (d *decoder) skipArray(i int) int {
	if d.depth++; d.depth > maxDepth {
		return d.tooDeep(i)
	}
	i = skipSpace(d.data, i+1)
	if d.at(i) == ']' {
		d.depth--
		return i + 1
	}
	for {
		if i = d.skipValue(i); i < 0 {
			return i
		}
		i = skipSpace(d.data, i)
		switch d.at(i) {
		case ',':
			i = skipSpace(d.data, i+1)
		case ']':
			d.depth--
			return i + 1
		default:
			return d.syntax(i, "instead of a comma or ]")
		}
	}
}

func (d *decoder) skipString(i int) int {
	i++
	for {
		i, _ = textEnd(d.data, i)
		switch d.at(i) {
		case '"':
			return i + 1
		case '\\':
			if i = escapeEnd(d.data, i); i < 0 {
				return d.syntax(^i, "in an escape")
			}
		default:
			return d.syntax(i, "in a string")
		}
	}
}

func (d *decoder) skipNumber(i int) int {
	end, ok := numberEnd(d.data, i)
	if !ok {
		return d.syntax(end, "in a number")
	}
	return end
}

func (d *decoder) skipLiteral(i int, literal string) int {
	end := i + len(literal)
	if end <= len(d.data) && string(d.data[i:end]) == literal {
		return end
	}
	for _, c := range []byte(literal) {
		if d.at(i) != c {
			break
		}
		i++
	}
	return d.syntax(i, "in "+literal)
}

// at returns the byte at i, or 0, which is never part of JSON, at the end of the input.
func (d *decoder) at(i int) byte {
	if uint(i) < uint(len(d.data)) {
		return d.data[i]
	}
	return 0
}

// Tags.

// stringTag returns the value of a member of the object that comes next, a string, and consumes
// nothing. The tag stays valid for as long as the input does. Nothing is looked at twice if the
// member comes first, so that a second and different value for it is then left to expectString.
func (d *decoder) stringTag(member string) (tag []byte, ok bool) {
	start, depth := d.pos, d.depth
	first := d.object()
	if string(first) == member && first != nil {
		tag = d.text()
	} else if d.seekTag(start, first, member) {
		tag = d.text()
		for d.seek(d.nextKey(), member) {
			at := d.pos
			if again := d.text(); again != nil && string(again) != string(tag) {
				d.fail(at, "conflicting values "+excerpt(string(tag))+" and "+excerpt(string(again)))
			}
		}
	}
	return tag, d.reset(start, depth)
}

// boolTag is stringTag for a boolean.
func (d *decoder) boolTag(member string) (value, ok bool) {
	start, depth := d.pos, d.depth
	first := d.object()
	if string(first) == member && first != nil {
		value = d.bool()
	} else if d.seekTag(start, first, member) {
		value = d.bool()
		for d.seek(d.nextKey(), member) {
			at := d.pos
			if again := d.bool(); again != value {
				d.fail(at, fmt.Sprintf("conflicting values %t and %t", value, again))
			}
		}
	}
	return value, d.reset(start, depth)
}

// intTag is stringTag for an integer.
func (d *decoder) intTag(member string) (tag int64, ok bool) {
	start, depth := d.pos, d.depth
	first := d.object()
	if string(first) == member && first != nil {
		tag = d.int64()
	} else if d.seekTag(start, first, member) {
		tag = d.int64()
		for d.seek(d.nextKey(), member) {
			at := d.pos
			if again := d.int64(); again != tag {
				d.fail(at, fmt.Sprintf("conflicting values %d and %d", tag, again))
			}
		}
	}
	return tag, d.reset(start, depth)
}

// seek consumes members, the first of which has the given key, up to the value of the wanted one.
func (d *decoder) seek(key []byte, member string) bool {
	for ; key != nil; key = d.nextKey() {
		if string(key) == member {
			return true
		}
		d.skip()
	}
	return false
}

// seekTag is seek for a member that the object at start must have.
func (d *decoder) seekTag(start int, key []byte, member string) bool {
	if d.seek(key, member) {
		return true
	}
	d.fail(start, quoteName(member)+": missing")
	return false
}

// reset goes back to an earlier position, unless d has failed.
func (d *decoder) reset(pos, depth int) bool {
	if d.err != nil {
		return false
	}
	d.pos, d.depth = pos, depth
	return true
}

// expectString consumes a value that must be the given string.
func (d *decoder) expectString(want string) {
	at := d.pos
	if got := d.text(); string(got) != want {
		d.fail(at, "conflicting value: want "+excerpt(want)+", got "+excerpt(string(got)))
	}
}

// expectBool consumes a value that must be the given boolean.
func (d *decoder) expectBool(want bool) {
	at := d.pos
	if got := d.bool(); got != want {
		d.fail(at, fmt.Sprintf("conflicting value: want %t, got %t", want, got))
	}
}

// expectInt consumes a value that must be the given integer.
func (d *decoder) expectInt(want int64) {
	at := d.pos
	if got := d.int64(); got != want {
		d.fail(at, fmt.Sprintf("conflicting value: want %d, got %d", want, got))
	}
}

// mark returns the offset of the next value, for rewind and within.
func (d *decoder) mark() int {
	d.markPos, d.markDepth = d.pos, d.depth
	return d.pos
}

// rewind goes back to a mark. The latest one costs nothing; for any other the depth has to be
// counted again.
func (d *decoder) rewind(mark int) {
	if d.err != nil {
		return
	}
	if mark != d.markPos {
		d.markPos, d.markDepth = mark, len(openAt(d.data, mark))
	}
	d.pos, d.depth = mark, d.markDepth
}

// The text scanner, eight bytes at a time.

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
		if stops := asciiStops(binary.LittleEndian.Uint64(data[i:])); stops != 0 {
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
		w := binary.LittleEndian.Uint64(data[i:])
		if stops := textStops(w); stops != 0 {
			return i + bits.TrailingZeros64(stops)>>3, (high | w&(stops-1)&^stops) & highBits
		}
		high |= w
	}
	for ; i < len(data); i++ {
		c := data[i]
		if c < ' ' || c == '"' || c == '\\' {
			break
		}
		high |= uint64(c)
	}
	return i, high & highBits
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

// Errors.

// decodeError says what is wrong with an input, and where.
type decodeError struct {
	path   string
	reason string

	input    []byte // until the path is known
	offset   int
	ofObject bool // offset is the end of the object that is wrong
	variants []variantName
}

// variantName records which variant the object at an offset was decoded as.
type variantName struct {
	start int
	name  string
}

func (e *decodeError) Error() string { return joinPath(e.path, e.reason) }

// fail records the first error and takes the input away.
func (d *decoder) fail(at int, reason string) {
	if d.err != nil {
		return
	}
	d.err = &decodeError{input: d.data, offset: at, reason: reason}
	d.data, d.pos = nil, 0
}

// failf fails with a message of the caller's, about the next value or the one just consumed.
func (d *decoder) failf(format string, args ...any) {
	if d.err == nil {
		d.fail(d.pos, fmt.Sprintf(format, args...))
	}
}

// syntax fails because the input is not JSON. The result is negative, for functions that return
// an offset.
func (d *decoder) syntax(at int, where string) int {
	if d.err == nil {
		what := "unexpected end"
		if at < len(d.data) {
			r, _ := utf8.DecodeRune(d.data[at:])
			what = fmt.Sprintf("unexpected %q", r)
			if r == utf8.RuneError {
				what = fmt.Sprintf("unexpected byte 0x%02x", d.data[at])
			}
		}
		d.fail(at, fmt.Sprintf("invalid JSON at offset %d: %s %s", at, what, where))
	}
	return -1
}

func (d *decoder) tooDeep(at int) int {
	d.fail(at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	return -1
}

// mismatch fails because the next value is of another kind than the wanted one.
func (d *decoder) mismatch(want string) {
	got := ""
	switch d.kind() {
	case '{':
		got = "object"
	case '[':
		got = "array"
	case '"':
		got = "string"
	case 't':
		got = "boolean"
	case '0':
		got = "number"
	case 'n':
		got = "null"
	default:
		d.syntax(d.pos, "instead of a value")
		return
	}
	d.fail(d.pos, "want "+want+", got "+got)
}

// missing fails because the object that just ended lacks a member that it must have.
func (d *decoder) missing(member string) {
	if d.err != nil {
		return
	}
	at := d.pos
	ofObject := d.at(at-1) == '}'
	if ofObject {
		at--
	}
	d.fail(at, quoteName(member)+": missing")
	d.err.ofObject = ofObject
}

// missingOf is missing for the first of the names whose bit is not in seen; bit i is for names[i].
func (d *decoder) missingOf(seen uint64, names ...string) {
	for i, name := range names {
		if seen&(1<<i) == 0 {
			d.missing(name)
			return
		}
	}
}

// unknownTag fails because the next value has a tag that its closed union does not know.
func (d *decoder) unknownTag(union, tag string) {
	d.fail(d.pos, "unknown "+union+" "+excerpt(tag))
}

// otherTag fails because the next value has a tag that is known, but of no variant of this union.
func (d *decoder) otherTag(union, tag string) {
	d.fail(d.pos, excerpt(tag)+" is not a "+union)
}

// within notes, after a failure, that the object at start was decoded as the named variant.
func (d *decoder) within(start int, name string) {
	if d.err != nil {
		d.err.variants = append(d.err.variants, variantName{start, name})
	}
}

// locate finds the path to the error, which decoding does not keep track of, by looking at the
// input once more.
func (e *decodeError) locate() {
	if e.input == nil {
		return
	}
	var path []string
	open := openAt(e.input, e.offset)
	for i, c := range open {
		path = append(path, e.variant(c.start))
		switch {
		case c.array:
			path = append(path, "["+strconv.Itoa(c.index)+"]")
		case c.named && (i < len(open)-1 || !e.ofObject):
			path = append(path, quoteName(c.key))
		}
	}
	e.path = shownPath(append(path, e.variant(e.offset)))
	e.input, e.variants = nil, nil
}

// variant returns the name noted for the object at start. A union within a union notes one twice,
// the inner one first.
func (e *decodeError) variant(start int) string {
	for _, v := range e.variants {
		if v.start == start && v.name != "" {
			return quoteName(v.name)
		}
	}
	return ""
}

// container is an object or array, and how far into it something is.
type container struct {
	start int
	array bool
	index int    // of the element
	named bool   // whether the key is known
	key   string // of the member
}

// openAt returns the objects and arrays that are open at an offset. What comes before the offset
// has been checked.
func openAt(data []byte, offset int) []container {
	var open []container
	for i := 0; i < offset && i < len(data); i++ {
		var top *container
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch c := data[i]; {
		case c == '{' || c == '[':
			open = append(open, container{start: i, array: c == '['})
		case (c == '}' || c == ']') && top != nil:
			open = open[:len(open)-1]
		case c == ',' && top != nil:
			top.index++
			top.named = false
		case c == '"':
			d := decoder{data: data, pos: i}
			end := d.skipString(i)
			if end < 0 || end > offset {
				return open
			}
			if top != nil && !top.array && !top.named {
				d.pos = i
				top.key, top.named = d.string(), true
			}
			i = end - 1
		}
	}
	return open
}

// joinPath puts a segment in front of a path or of a message.
func joinPath(segment, rest string) string {
	switch {
	case segment == "" || rest == "":
		return segment + rest
	case rest[0] == '[':
		return segment + rest
	}
	return segment + ": " + rest
}

// What a peer sends may be large and may hold what does something to a terminal. So no error has more
// of it than this, in bytes, and nothing of it that cannot be printed.
const (
	maxExcerpt   = 100
	maxMessage   = 1000 // of text that is meant to be read
	maxPathNames = 12   // at each end of a path
)

// excerpt quotes text.
func excerpt(text string) string {
	head, tail := cut(text, maxExcerpt)
	return strconv.Quote(head) + tail
}

// readable returns text that is meant to be read: as it is if it can be printed.
func readable(text string) string {
	head, tail := cut(text, maxMessage)
	if strings.ContainsFunc(head, unprintable) {
		head = strconv.Quote(head)
	}
	return head + tail
}

// quoteName returns a key as it is shown in a path: as it is if it is plain.
func quoteName(name string) string {
	plain := name != "" && len(name) <= maxExcerpt && !strings.ContainsFunc(name, func(r rune) bool { return r == '"' || unprintable(r) })
	if plain {
		return name
	}
	return excerpt(name)
}

func unprintable(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }

// cut returns the start of a text that is too long, and what says so.
func cut(text string, most int) (head, tail string) {
	if len(text) <= most {
		return text, ""
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], fmt.Sprintf("… (%d bytes)", len(text))
}

// shownPath joins the names of a path, of which each may be "". Of a long one both ends are shown.
func shownPath(names []string) string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if left := len(names) - 2*maxPathNames; left > 0 {
		gap := fmt.Sprintf("… (%d more) …", left)
		names = append(append(slices.Clone(names[:maxPathNames]), gap), names[len(names)-maxPathNames:]...)
	}
	path := ""
	for _, name := range names {
		path = joinPath(path, name)
	}
	return path
}

// Helpers for generated code.

// noEscape returns p in a way that escape analysis cannot follow. What generic code calls through
// a type parameter or a function value is unknown to the compiler, which therefore moves all that
// is passed to it to the heap; but no generated function keeps its decoder or its receiver.
// Without it the decoder is allocated, which costs small messages 7 to 14 % of their decoding time.
//
// While address is an integer, the stack it points into must not move. So nothing may be called in
// between, not even the pointer checks that builds with -race put in.
//
//go:nosplit
//go:nocheckptr
func noEscape[T any](p *T) *T {
	address := uintptr(unsafe.Pointer(p))
	return *(**T)(unsafe.Pointer(&address))
}

// reader is what every generated struct is: it decodes itself.
type reader interface{ decodeJSON(d *decoder) }

// decodeInto decodes a whole JSON text into a value that is new.
func decodeInto(data []byte, v reader) error {
	d := newDecoder(data)
	v.decodeJSON(noEscape(&d))
	return d.finish()
}

// unmarshalJSON is the body of UnmarshalJSON: null leaves v alone, as encoding/json asks, and so do
// members that are absent.
func unmarshalJSON(data []byte, v reader) error {
	d := newDecoder(data)
	if !d.null() {
		v.decodeJSON(noEscape(&d))
	}
	return d.finish()
}

// decodeStructs decodes an array of objects. The slice is not nil unless decoding fails.
func decodeStructs[T any, P interface {
	*T
	decodeJSON(*decoder)
}](d *decoder) []T {
	list := []T{}
	for more := d.array(); more; more = d.nextItem() {
		var zero T
		list = append(list, zero)
		P(&list[len(list)-1]).decodeJSON(noEscape(d))
	}
	if d.failed() {
		return nil
	}
	return list
}

// decodeStructMap decodes an object whose members are objects. The map is not nil unless decoding
// fails.
func decodeStructMap[T any, P interface {
	*T
	decodeJSON(*decoder)
}](d *decoder) map[string]T {
	m := map[string]T{}
	var v, zero T
	for key := d.object(); key != nil; key = d.nextKey() {
		name := string(key)
		v = zero
		P(noEscape(&v)).decodeJSON(noEscape(d))
		m[name] = v
	}
	if d.failed() {
		return nil
	}
	return m
}

// fewItems is the room that a list of small items starts with: most have no more.
const fewItems = 4

// decodeList decodes an array. The slice is not nil unless decoding fails.
func decodeList[T any](d *decoder, elem func(*decoder) T) []T {
	list := []T{}
	for more := d.array(); more; more = d.nextItem() {
		if cap(list) == 0 {
			list = make([]T, 0, fewItems)
		}
		list = append(list, elem(noEscape(d)))
	}
	if d.failed() {
		return nil
	}
	return list
}

// decodeMap decodes an object with any keys. The map is not nil unless decoding fails.
func decodeMap[T any](d *decoder, elem func(*decoder) T) map[string]T {
	m := map[string]T{}
	for key := d.object(); key != nil; key = d.nextKey() {
		name := string(key)
		m[name] = elem(noEscape(d))
	}
	if d.failed() {
		return nil
	}
	return m
}

func decodeStrings(d *decoder) []string {
	list := []string{}
	for more := d.array(); more; more = d.nextItem() {
		list = append(list, d.string())
	}
	if d.failed() {
		return nil
	}
	return list
}

func decodeRawMap(d *decoder) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for key := d.object(); key != nil; key = d.nextKey() {
		name := string(key)
		m[name] = d.raw()
	}
	if d.failed() {
		return nil
	}
	return m
}
