// Times: numbers that are durations or times.

package types

import (
	"github.com/ahpgen/ahpgen/generator/internal/schema"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// timeReading returns the stated unit of a number. Malformed statements are reported elsewhere.
func timeReading(said []*schema.Schema) protocol.Reading {
	for _, s := range said {
		if reading := protocol.TimeReading(s.Extension("x-time").Str()); reading != protocol.Plain {
			return reading
		}
	}
	return protocol.Plain
}
