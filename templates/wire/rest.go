// Rest: what an object has beyond the fields of its struct, so that it comes back when the struct is encoded. One that
// passes messages on loses nothing, whatever newer peers add.

package wire

import "encoding/json"

// Rest holds members that no field holds: those that are not declared, those that were null where that means that they
// are not there, and those that were malformed and may be. It is read, and never written but by a decoder.
type Rest struct{ kept *kept }

// kept is the text of members, with commas between them.
type kept struct{ text []byte }

// Members returns the members by name, nil if there are none. Of several of one name it has the last.
func (r Rest) Members() map[string]json.RawMessage {
	if r.kept == nil {
		return nil
	}
	d := NewDecoder(r.object())
	return RawMap(&d)
}

// object is the members as an object.
func (r Rest) object() []byte {
	return append(append([]byte{'{'}, r.kept.text...), '}')
}

// add notes a member.
func (r *Rest) add(key, value []byte) {
	if r.kept == nil {
		r.kept = &kept{}
	} else {
		r.kept.text = append(r.kept.text, ',')
	}
	r.kept.text = append(append(appendString(r.kept.text, string(key)), ':'), value...)
}

// Keep passes over a member that is not declared, and notes it. In an object that is read as several things, the one that
// holds the others does that.
func (d *Decoder) Keep(r *Rest, key []byte) {
	start := d.pos
	d.Skip()
	if !d.Failed() && !d.isShared(d.depth) {
		r.add(key, d.data[start:d.pos])
	}
}

// IsNull reports whether the next value is null, and consumes nothing.
func (d *Decoder) IsNull() bool { return d.pos < len(d.data) && d.data[d.pos] == 'n' }

// KeepNull notes a member that is null, if it is one of those for which that means that they are not there. The names
// stand behind the character that separates them. The value is still to be read.
func (d *Decoder) KeepNull(r *Rest, key []byte, names string) {
	if listed(string(key), names) {
		r.add(key, []byte("null"))
	}
}

// AppendRest appends the members that a struct keeps to an object that begins at start, but for declared ones that it has
// by now. The names of these stand behind the character that separates them.
func AppendRest(dst []byte, start int, r Rest, declared string) []byte {
	if r.kept == nil {
		return dst
	}
	return r.append(dst, start, declared)
}

func (r Rest) append(dst []byte, start int, declared string) []byte {
	var written map[string]json.RawMessage
	d := NewDecoder(r.object())
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := string(key)
		value := d.Slice()
		if listed(name, declared) {
			if written == nil {
				written = membersOf(dst[start:])
			}
			if _, ok := written[name]; ok {
				continue
			}
		}
		if len(dst) != start+1 || dst[start] != '{' { // the first of all, behind the brace
			dst = append(dst, ',')
		}
		dst = append(append(appendString(dst, name), ':'), value...)
	}
	return dst
}

// membersOf are the members of an object that is not closed yet. It begins with a brace, or with the comma that becomes it.
func membersOf(open []byte) map[string]json.RawMessage {
	if len(open) == 0 {
		return map[string]json.RawMessage{}
	}
	whole := append(append([]byte{'{'}, open[1:]...), '}')
	d := NewDecoder(whole)
	out := map[string]json.RawMessage{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := string(key)
		out[name] = d.Slice()
	}
	return out
}
