// Tags: discriminators that are fields.

package codec

import (
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// SameTag returns a discriminator that is a field, with its bit added to seen. It fails if the object
// has stated it before, and differently.
func SameTag[T comparable](d *wire.Decoder, member string, before, tag T, seen, bit uint64) (T, uint64) {
	if seen&bit != 0 && before != tag && !d.Failed() {
		d.FailAt(d.Offset(), conflict(member, fmt.Sprint(before), fmt.Sprint(tag)))
	}
	return tag, seen | bit
}

// conflict says that an object states its tag twice.
func conflict(member, tag, again string) string {
	return wire.Name(member) + ": conflicting values " + wire.Excerpt(tag) + " and " + wire.Excerpt(again)
}
