// Numbers: exact integers and floats. Short ones bypass strconv.

package wire

import (
	"encoding/json"
	"math"
	"strconv"
)

const outOfRange = "number out of range"

// Int64 returns the next value, a number without a fraction: 10, and also 1e1 or 10.0. It is
// never converted by way of float64.
func (d *Decoder) Int64() int64 {
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

// Uint64 is Int64 for numbers that are not negative.
func (d *Decoder) Uint64() uint64 {
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

func (d *Decoder) unusualInt() int64 {
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

func (d *Decoder) unusualUint() uint64 {
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

// Float64 returns the next value, a number.
func (d *Decoder) Float64() float64 {
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

// Number returns the next value, a number, as it is written.
func (d *Decoder) Number() json.Number { return json.Number(d.literal("number")) }

// literal consumes a number; nil only after a failure.
func (d *Decoder) literal(want string) []byte {
	if d.Kind() != '0' {
		d.Mismatch(want)
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
