// Skipping: values that are checked and passed over, or kept as they are.

package wire

import (
	"encoding/json"
	"math/bits"
)

// Raw returns a copy of the next value's bytes, checked but otherwise as they are.
func (d *Decoder) Raw() json.RawMessage {
	start := d.pos
	end := d.skipValue(start)
	if end < 0 {
		return nil
	}
	d.pos = end
	return json.RawMessage(d.copyBytes(d.data[start:end]))
}

// RawObject is Raw for a value that must be an object.
func (d *Decoder) RawObject() json.RawMessage {
	if d.at(d.pos) != '{' {
		d.Mismatch("object")
		return nil
	}
	return d.Raw()
}

// Slice returns the next value's bytes without a copy.
func (d *Decoder) Slice() json.RawMessage {
	start := d.pos
	d.Skip()
	return d.Since(start)
}

// Skip consumes and checks the next value.
func (d *Decoder) Skip() {
	if end := d.skipValue(d.pos); end >= 0 {
		d.pos = end
	}
}

// What follows checks what is at i and returns where it ends. After a failure that is a negative number.

func (d *Decoder) skipValue(i int) int {
	switch d.at(i) {
	case '"':
		return d.skipString(i)
	case '{', '[':
		return d.skipContainer(i)
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

// skipContainer goes through an object or array with all that is in it. What is skipped for the third time is remembered,
// so that it is not skipped on each level anew: to find tags behind large members, for instance.
func (d *Decoder) skipContainer(i int) int {
	switch {
	case i < d.passedTwice:
		return d.skipKnown(i)
	case i < d.passed:
		end := d.skipNested(i, d.depth)
		d.passed, d.passedTwice = max(d.passed, end), end
		return end
	}
	end := d.skipNested(i, d.depth)
	d.passed = end
	return end
}

// skipNested is skipContainer below depth others. A word has a bit for each container around a value, the
// innermost last, that says whether it is an object; what is deeper than a word has bits gets a call of its own.
func (d *Decoder) skipNested(i, depth int) int {
	const outside = 1 // the first bit, which stands before those of all containers
	objects := uint64(outside)
	for {
		// A value starts at i.
		switch c := d.at(i); c {
		case '"':
			i = d.skipString(i)
		case '{', '[':
			if depth >= MaxDepth {
				return d.tooDeep(i)
			}
			if objects>>63 != 0 {
				i = d.skipNested(i, depth)
				break
			}
			if i = skipSpace(d.data, i+1); d.at(i) == c+2 { // the closing bracket is two behind
				i++
				break
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
				if i = d.skipKey(i); i < 0 {
					return i
				}
			}
			continue
		default:
			i = d.skipValue(i)
		}
		if i < 0 {
			return i
		}
		// A value ended at i.
		for {
			if objects == outside {
				return i
			}
			i = skipSpace(d.data, i)
			c := d.at(i)
			if c == ',' {
				break
			}
			if closing := ']' + byte(objects&1)*('}'-']'); c != closing {
				return d.syntax(i, "instead of a comma or "+string(closing))
			}
			depth--
			objects >>= 1
			i++
		}
		i = skipSpace(d.data, i+1)
		if objects&1 != 0 {
			if i = d.skipKey(i); i < 0 {
				return i
			}
		}
	}
}

// skipKey goes through a key and the colon, up to the value.
func (d *Decoder) skipKey(i int) int {
	if d.at(i) != '"' {
		return d.syntax(i, "instead of a key")
	}
	if i = d.skipString(i); i < 0 {
		return i
	}
	if i = skipSpace(d.data, i); d.at(i) != ':' {
		return d.syntax(i, "instead of a colon")
	}
	return skipSpace(d.data, i+1)
}

func (d *Decoder) skipString(i int) int {
	i++
	for {
		var stops uint64
		for ; i+8 <= len(d.data); i += 8 {
			if stops = textStops(wordAt(d.data, i)); stops != 0 {
				break
			}
		}
		if stops == 0 {
			stops = textStops(tailAt(d.data, i))
		}
		i += bits.TrailingZeros64(stops) >> 3
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

func (d *Decoder) skipNumber(i int) int {
	end, ok := numberEnd(d.data, i)
	if !ok {
		return d.syntax(end, "in a number")
	}
	return end
}

func (d *Decoder) skipLiteral(i int, literal string) int {
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
func (d *Decoder) at(i int) byte {
	if uint(i) < uint(len(d.data)) {
		return d.data[i]
	}
	return 0
}
