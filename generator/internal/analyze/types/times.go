// Times: numbers that say how long something takes, or when something is.

package types

import (
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// timeReading is what a number counts of which schemas say something. What they say is in the form that the vocabulary asks
// for, or reported already.
func timeReading(said []*schema.Schema) protocol.Reading {
	for _, s := range said {
		if reading := protocol.TimeReading(s.Extension("x-time").Str()); reading != protocol.Plain {
			return reading
		}
	}
	return protocol.Plain
}
