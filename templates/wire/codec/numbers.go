// Numbers: integers of fixed sizes.

package codec

import (
	"github.com/ahpgen/ahpgen/templates/wire"
)

// Signed is Int64 for integers of a smaller size.
func Signed[I ~int8 | ~int16 | ~int32](d *wire.Decoder) I {
	at := d.Offset()
	n := d.Int64()
	if int64(I(n)) != n {
		d.FailAt(at, outOfRange)
		return 0
	}
	return I(n)
}

// Unsigned is Signed for integers that are not negative.
func Unsigned[U ~uint8 | ~uint16 | ~uint32 | ~uint64](d *wire.Decoder) U {
	at := d.Offset()
	n := d.Uint64()
	if uint64(U(n)) != n {
		d.FailAt(at, outOfRange)
		return 0
	}
	return U(n)
}
