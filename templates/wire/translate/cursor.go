// Cursor: a way through JSON that is known to be valid. It looks for quotes and brackets only, which takes a fraction of the
// time of checking everything.

package translate

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// cursor reads a JSON text sequentially, as a [wire.Decoder] does. What it makes of an invalid text is of no use, but it ends.
type cursor struct {
	data  []byte
	pos   int  // where a value may start, at its first byte
	value int  // start of the value of the last key
	bad   bool // the text is invalid, and nothing is left of it
}

func newCursor(data []byte) cursor {
	c := cursor{data: data, value: -1}
	c.pos = c.space(0)
	return c
}

// check returns an error for an invalid text.
func check(data []byte) error {
	d := wire.NewDecoder(data)
	d.Skip()
	return d.Finish()
}

// fail ends reading.
func (c *cursor) fail() { c.bad, c.pos = true, len(c.data) }

func (c *cursor) at(i int) byte {
	if i < len(c.data) {
		return c.data[i]
	}
	return 0
}

// space returns where the next byte is that is no white space.
func (c *cursor) space(i int) int {
	for i < len(c.data) && c.data[i] <= ' ' {
		i++
	}
	return i
}

// Kind returns the class of the next value, see [wire.Decoder.Kind].
func (c *cursor) Kind() byte {
	switch b := c.at(c.pos); b {
	case '{', '[', '"', 't', 'n':
		return b
	case 'f':
		return 't'
	case 0:
		return 0
	}
	return '0'
}

// Object enters an object and returns its first key, or nil if it has none.
func (c *cursor) Object() []byte {
	i := c.space(c.pos + 1)
	if c.at(i) == '}' {
		c.pos = i + 1
		return nil
	}
	return c.key(i)
}

// NextKey returns the key of the next member, or nil at the end of the object.
func (c *cursor) NextKey() []byte {
	if c.pos == c.value {
		c.Skip()
	}
	i := c.space(c.pos)
	switch c.at(i) {
	case ',':
		return c.key(c.space(i + 1))
	case '}':
		c.pos = i + 1
	default:
		c.fail()
	}
	return nil
}

// key reads a key and everything up to its value.
func (c *cursor) key(i int) []byte {
	end := c.stringEnd(i)
	if c.at(i) != '"' || end > len(c.data) {
		c.fail()
		return nil
	}
	key := c.data[i+1 : end-1 : end-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key = append([]byte{}, textOf(c.data[i:end])...)
	}
	if i = c.space(end); c.at(i) != ':' {
		c.fail()
		return nil
	}
	c.pos = c.space(i + 1)
	c.value = c.pos
	return key
}

// Array enters an array and reports whether it has an item.
func (c *cursor) Array() bool {
	c.pos = c.space(c.pos + 1)
	if c.at(c.pos) == ']' {
		c.pos++
		return false
	}
	return !c.bad
}

// NextItem reports whether another item follows.
func (c *cursor) NextItem() bool {
	i := c.space(c.pos)
	switch c.at(i) {
	case ',':
		c.pos = c.space(i + 1)
		return true
	case ']':
		c.pos = i + 1
	default:
		c.fail()
	}
	return false
}

// Skip consumes the next value.
func (c *cursor) Skip() {
	i := c.pos
	switch c.at(i) {
	case '"':
		i = c.stringEnd(i)
	case '{', '[':
		i = c.containerEnd(i)
	default:
		for i < len(c.data) && c.data[i] > ' ' && c.data[i] != ',' && c.data[i] != ']' && c.data[i] != '}' {
			i++
		}
	}
	if i == c.pos || i > len(c.data) {
		c.fail()
		return
	}
	c.pos = i
}

// stringEnd returns where a string ends that starts at i, or something behind the text.
func (c *cursor) stringEnd(i int) int {
	if end := shortEnd(c.data, i+1); end > 0 {
		return end
	}
	for i++; i < len(c.data); {
		n := bytes.IndexByte(c.data[i:], '"')
		if n < 0 {
			break
		}
		start := i
		i += n
		escapes := 0
		for i-escapes > start && c.data[i-escapes-1] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
	return len(c.data) + 1
}

// containerEnd returns where an object or array ends that starts at i, or something behind the text.
func (c *cursor) containerEnd(i int) int {
	for depth := 0; i < len(c.data); {
		switch c.data[i] {
		case '"':
			i = c.stringEnd(i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(c.data) + 1
}

// shortEnd returns where a short string without escapes ends, whose text starts at i, or 0. It looks at eight bytes at a
// time.
func shortEnd(data []byte, i int) int {
	const low, high, long = 0x0101010101010101, 0x8080808080808080, 32
	for end := min(len(data)-8, i+long); i <= end; i += 8 {
		text := binary.LittleEndian.Uint64(data[i:])
		quote, slash := text^low*'"', text^low*'\\'
		if found := ((quote-low)&^quote | (slash-low)&^slash) & high; found != 0 {
			i += bits.TrailingZeros64(found) / 8
			if data[i] == '"' {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// Slice returns the bytes of the next value.
func (c *cursor) Slice() []byte {
	start := c.pos
	c.Skip()
	if c.bad {
		return nil
	}
	return c.data[start:c.pos:c.pos]
}
