// Decoder: a cursor over a complete JSON text.

package wire

import (
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the maximum nesting depth of objects and arrays.
const MaxDepth = 1000

// Decoder reads a complete JSON text sequentially.
//
// Errors are sticky: the first one discards the remaining input, so that every later call returns a zero value and
// loops end. Callers need not check for errors.
//
// Wherever a value may start, pos is at its first significant byte: whatever precedes a value (a colon, a comma, a
// bracket) also skips the white space after it.
type Decoder struct {
	data  []byte
	pos   int
	depth int
	err   *DecodeError
	text  arena // strings are copied here
	value int   // start of the value of the last key

	mayDrop   int // how many items may still be dropped, see DropItems
	undivided int // where a list starts of which none may

	shared Shared // the enclosing object, if it is decoded as several values

	passed, passedTwice int    // up to where containers were skipped once, and again
	again               *again // what is needed where something is looked at again, nil before
}

// NewDecoder returns a decoder for a text.
func NewDecoder(data []byte) Decoder {
	return Decoder{data: data, pos: skipSpace(data, 0)}
}

// Finish ends decoding. It rejects anything but white space after the value, and returns the first error, a
// [*DecodeError] with its path.
func (d *Decoder) Finish() error {
	if d.err == nil && d.pos < len(d.data) {
		if i := skipSpace(d.data, d.pos); i < len(d.data) {
			d.syntax(i, "after the value")
		}
	}
	if d.again != nil {
		d.again.finish()
	}
	if d.err == nil {
		return nil
	}
	d.err.locate(&d.memory().locator)
	return d.err
}

// Failed reports whether there was an error.
func (d *Decoder) Failed() bool { return d.err != nil }

// Offset returns the offset of the next value.
func (d *Decoder) Offset() int { return d.pos }

// Since returns the input from an offset to the next value, without copying.
func (d *Decoder) Since(offset int) []byte {
	if d.Failed() {
		return nil
	}
	return d.data[offset:d.pos:d.pos]
}

// Objects and arrays.

// Object enters an object and returns its first key, or nil if it has none. The key is valid
// until the next call. The empty key is empty, but not nil.
func (d *Decoder) Object() []byte {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '{' {
		d.Mismatch("object")
		return nil
	}
	if d.depth++; d.depth > MaxDepth {
		d.tooDeep(i)
		return nil
	}
	if i++; i < len(d.data) && d.data[i] == '"' {
		i++
		end := asciiEnd(d.data, i)
		if endsKey(d.data, end) {
			d.pos, d.value = end+2, end+2
			return d.data[i:end:end]
		}
		return d.unusualKey(i, end)
	}
	return d.unusualObject(i)
}

// unusualObject is Object for objects that are empty, or begin with white space.
func (d *Decoder) unusualObject(i int) []byte {
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

// NextKey returns the key of the next member, or nil at the end of the object. The value of the one
// before it is passed over unless it has been consumed.
func (d *Decoder) NextKey() []byte {
	if d.pos == d.value {
		d.Skip()
	}
	i := d.pos + len(`,"`)
	if i <= len(d.data) && pairAt(d.data, d.pos) == ','|'"'<<8 {
		end := asciiEnd(d.data, i)
		if endsKey(d.data, end) {
			d.pos, d.value = end+2, end+2
			return d.data[i:end:end]
		}
		return d.unusualKey(i, end)
	}
	if d.at(d.pos) == '}' {
		d.pos++
		d.depth--
		return nil
	}
	return d.unusualNextKey()
}

// unusualNextKey is NextKey for white space around the comma or before the end.
func (d *Decoder) unusualNextKey() []byte {
	i := skipSpace(d.data, d.pos)
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

// endsKey reports whether a key ends at i, and its value follows the colon at once.
func endsKey(data []byte, i int) bool {
	return i+2 < len(data) && pairAt(data, i) == '"'|':'<<8 && data[i+2] > ' '
}

// key reads the key whose opening quote is at i and everything up to its value.
func (d *Decoder) key(i int) []byte {
	return d.unusualKey(i+1, asciiEnd(d.data, i+1))
}

// unusualKey is key for keys with escapes, beyond ASCII, or with white space around the colon. It is plain up to end.
func (d *Decoder) unusualKey(start, end int) []byte {
	if end+3 < len(d.data) && string(d.data[end:end+3]) == `": ` && d.data[end+3] > ' ' {
		d.pos, d.value = end+3, end+3
		return d.data[start:end:end]
	}
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
	d.value = d.pos
	return key
}

// Array enters an array and reports whether it has an element.
func (d *Decoder) Array() bool {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '[' {
		d.Mismatch("array")
		return false
	}
	if d.depth++; d.depth > MaxDepth {
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

// NextItem reports whether another element follows the one just consumed.
func (d *Decoder) NextItem() bool {
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

// Kind returns the class of the next value without consuming anything: '{', '[', '"', 't' for
// true and false, '0' for a number, 'n' for null, and 0 if there is no value.
func (d *Decoder) Kind() byte {
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

// Null consumes the next value if it is null, and reports whether it was.
func (d *Decoder) Null() bool {
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

// Bool returns the next value, a boolean.
func (d *Decoder) Bool() bool {
	i := d.pos
	want := "true"
	switch d.at(i) {
	case 't':
	case 'f':
		want = "false"
	default:
		d.Mismatch("boolean")
		return false
	}
	end := d.skipLiteral(i, want)
	if end < 0 {
		return false
	}
	d.pos = end
	return len(want) == len("true")
}

// Str returns a copy of the next value, a string, decoded as encoding/json does it: what is
// not valid UTF-8, or half a surrogate pair, becomes U+FFFD.
func (d *Decoder) Str() string {
	i, data := d.pos+1, d.data
	if i > len(data) || data[i-1] != '"' {
		d.Mismatch("string")
		return ""
	}
	// Most strings are short. So they are copied while looking for their end.
	chunk, used := d.text.chunk, d.text.used
	n := copyText(chunk, used, data, i)
	end := i + n
	if end < len(data) && data[end] == '"' && used+n <= len(chunk) {
		d.pos, d.text.used = end+1, used+n
		return stringOf(chunk[used : used+n : used+n])
	}
	return d.longString(i, end)
}

// longString is Str for text that is plain ASCII up to end, and for which there may be no room yet.
func (d *Decoder) longString(start, end int) string {
	end = asciiEnd(d.data, end)
	if end < len(d.data) && d.data[end] == '"' {
		d.pos = end + 1
		return d.Copy(d.data[start:end])
	}
	return d.unusualString(start, end)
}

// unusualString is Str for text that is not all ASCII, or has escapes; it is plain ASCII before that.
func (d *Decoder) unusualString(start, plain int) string {
	end, high := textEnd(d.data, plain)
	if d.at(end) == '"' && (high == 0 || ValidUTF8(d.data[plain:end])) {
		d.pos = end + 1
		return d.Copy(d.data[start:end])
	}
	return d.escapedString(start)
}

// scratch holds buffers to make texts in, so that each costs no more than its copy.
var scratch sync.Pool

// maxScratch bounds what the pool may hold on to.
const maxScratch = 1 << 16

// borrow takes a buffer from the pool.
func borrow() *[]byte {
	if buf, _ := scratch.Get().(*[]byte); buf != nil {
		return buf
	}
	return new([]byte)
}

// giveBack puts a buffer back. It has become what text is in if that is larger.
func giveBack(buf *[]byte, text []byte) {
	if cap(text) > cap(*buf) && cap(text) <= maxScratch {
		*buf = text
	}
	scratch.Put(buf)
}

// escapedString is Str for any text. It is decoded to where it stays: into the arena, if there is room for it.
func (d *Decoder) escapedString(start int) string {
	if !shares {
		return string(d.unescape(nil, start, false))
	}
	text := d.unescape(d.text.chunk[d.text.used:], start, true)
	room := d.text.chunk[d.text.used:] // of another piece, if it was begun for this text
	switch {
	case len(text) == 0:
		return ""
	case len(room) > 0 && &text[0] == &room[0]:
		d.text.used += len(text)
	case cap(text)-len(text) > len(text)/4+minRoom:
		return string(text)
	}
	return stringOf(text[:len(text):len(text)])
}

// Text is Str without the copy where there is nothing to decode; nil only after a failure.
func (d *Decoder) Text() []byte {
	i := d.pos
	if i >= len(d.data) || d.data[i] != '"' {
		d.Mismatch("string")
		return nil
	}
	return d.textFrom(i+1, asciiEnd(d.data, i+1))
}

// textFrom is text for a string that starts at start and is plain ASCII up to end.
func (d *Decoder) textFrom(start, end int) []byte {
	var high uint64
	if d.at(end) != '"' {
		end, high = textEnd(d.data, end)
	}
	if d.at(end) == '"' && (high == 0 || ValidUTF8(d.data[start:end])) {
		d.pos = end + 1
		return d.data[start:end]
	}
	return d.unescape([]byte{}, start, false)
}

// minRoom is how much room there is for what comes next when text is unescaped: a character, or a word.
const minRoom = 8

// unescape decodes the string that starts at start into dst, which may be what is left of the arena, and consumes it. The
// result is nil only after a failure.
func (d *Decoder) unescape(dst []byte, start int, arena bool) []byte {
	data, i, n := d.data, start, 0
	valid := true
	for {
		n, i = copyEscaped(dst, n, data, i)
		if len(dst)-n < minRoom {
			if dst = d.enlarge(dst[:n], i, arena); dst == nil {
				return nil
			}
		}
		switch c := d.at(i); {
		case c == '\\':
			end := escapeEnd(data, i)
			if end < 0 {
				d.syntax(^end, "in an escape")
				return nil
			}
			r := rune(shortEscapes[data[i+1]])
			if r == 0 {
				r, end = unicodeAt(data, i, end)
			}
			n += utf8.EncodeRune(dst[n:], r)
			i = end
		case c == '"':
			d.pos = i + 1
			if !valid {
				return unescapeRepaired(dst, data[start:i])
			}
			return dst[:n]
		case c < ' ':
			d.syntax(i, "in a string")
			return nil
		case c < utf8.RuneSelf: // there was no room, or these are the last few bytes of the input
			dst[n] = c
			n++
			i++
		default:
			end := byteEnd(data, i, 0)
			valid = valid && utf8.Valid(data[i:end])
			if len(dst)-n < end-i {
				if dst = d.enlarge(dst[:n], i, arena); dst == nil {
					return nil
				}
			}
			n += copy(dst[n:], data[i:end])
			i = end
		}
	}
}

// enlarge returns a buffer with what is in dst and room for the rest of the string, from i on: no text is longer than it is
// written. So another piece of the arena has room for all texts that are left, unless much is. It is nil after a failure.
func (d *Decoder) enlarge(dst []byte, i int, arena bool) []byte {
	n := len(dst) + len(d.data) - i + minRoom
	var larger []byte
	if arena && n <= maxArena {
		larger = d.begin(n)
	} else {
		end := d.skipString(i - 1)
		if end < 0 {
			return nil
		}
		if n -= len(d.data) - end; arena && n <= maxCopied {
			larger = d.renew(n)
		} else {
			larger = make([]byte, n)
		}
	}
	copy(larger, dst)
	return larger
}

// unescapeRepaired is unescape for text that is not valid UTF-8.
func unescapeRepaired(dst, text []byte) []byte {
	d := Decoder{data: append(appendRepaired(nil, text), '"')}
	return d.unescape(dst, 0, false)
}

// shortEscapes holds what the escapes of one character stand for.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeAt returns what the valid escape data[i:end], with four digits, stands for, and where to go on, which is
// beyond end if the escape is the first half of a surrogate pair.
func unicodeAt(data []byte, i, end int) (rune, int) {
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
	return r, end
}

// hexRune returns the value of the four hexadecimal digits that b starts with.
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
