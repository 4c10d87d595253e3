// Decide: which variant an object is, as a protocol states it.

package wire

import "slices"

// Decisions are the signs of variants, in the order in which they are looked for.
type Decisions [][]Sign

// Sign is something that an object has: a member, or a member of a member, which may have to be one of some texts.
type Sign struct {
	Path []string
	Is   []string // nil for anything
}

// Decide returns the first decision all of whose signs the object has that comes next, -1 for none. It consumes
// nothing.
func (d *Decoder) Decide(list Decisions) int {
	start := d.Here()
	const few = 16
	var some [few]uint64 // signs that are there, as bits
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

// holds reports whether the value of the first member on the path of a sign has the rest. What is no JSON is found later.
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
