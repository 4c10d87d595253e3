// Times: numbers that say how long something takes, or when something is.

package analyze

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

// isNumber reports whether a type is that of numbers, which alone stand for times.
func isNumber(e protocol.Expr) bool {
	scalar, ok := protocol.Underlying(e).(protocol.Scalar)
	bits, _ := scalar.Bits()
	return ok && (bits > 0 || scalar == protocol.Float)
}

// statedTimes reports definitions that are said to stand for a time, and are no numbers.
func (b *builder) statedTimes() {
	for _, def := range b.set.Definitions() {
		if t := b.out.Lookup(def.Name); t != nil {
			b.wantNumber(def.Schema, protocol.Ref{Type: t}, def.Name)
		}
	}
}

// wantNumber reports what is said to stand for a time, and is no number, unless that may be because a schema could not be
// read. A base that several objects take in says it once.
func (b *builder) wantNumber(s *schema.Schema, e protocol.Expr, what string) {
	if n := s.Extension("x-time"); n != nil && !b.shaky && !isNumber(e) && !b.diags.At(n.Pos) {
		b.diags.Errorf(n.Pos, "bad-time", "take it away, or put it on a number", "x-time is for numbers, and %s is none", what)
	}
}
