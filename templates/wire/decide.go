// Decide: choosing a variant by stated signs.

package wire

import "slices"

// Decisions lists the signs of variants in order of precedence.
type Decisions [][]Sign

// Sign is a member, or path of members, that an object must have, optionally with one of several texts.
type Sign struct {
	Path []string
	Is   []string // nil for any value
}

// Decide returns the index of the first decision whose signs are all present, or -1. It consumes nothing.
func (d *Decoder) Decide(list Decisions) int {
	start := d.Here()
	const few = 16
	var some [few]uint64 // bit set of the signs present
	held := some[:min(len(list), few)]
	if len(list) > few {
		held = make([]uint64, len(list))
	}
	for key := d.Object(); key != nil; key = d.NextKey() {
		at := d.Here()
		for i, signs := range list {
			for j := range signs {
				if c := &signs[j]; c.Path[0] == string(key) && d.holds(c) {
					held[i] |= 1 << j
				}
				d.Back(at)
			}
		}
		d.Skip()
	}
	if d.Failed() {
		return -1
	}
	d.Back(start)
	for i, signs := range list {
		if held[i] == 1<<len(signs)-1 {
			return i
		}
	}
	return -1
}

// holds reports whether the value of a sign's first member has the rest of the path. Malformed JSON is detected
// later.
func (d *Decoder) holds(c *Sign) bool {
	for _, name := range c.Path[1:] {
		if d.Kind() != '{' || !d.seek(d.Object(), name) {
			return false
		}
	}
	if c.Is == nil {
		return !d.Failed()
	}
	if d.Kind() != '"' {
		return false
	}
	return slices.Contains(c.Is, string(d.Text())) && !d.Failed()
}
