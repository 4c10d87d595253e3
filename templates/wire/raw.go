// Free-form objects: values that are kept as they are, in one copy of all of them where that is small.

package wire

import (
	"encoding/json"
)

// maxShared is how large an object may be for its members to share one copy of its text. So one member
// that is kept for long keeps no more than that alive.
const maxShared = 4096

// rawMember is a member of a free-form object.
type rawMember struct {
	key        []byte
	start, end int // of its value, from where the object starts
}

// RawMap decodes an object with any keys, and keeps their values as they are. The map is not nil unless
// decoding fails.
func RawMap(d *Decoder) map[string]json.RawMessage {
	var few [8]rawMember // most have no more
	members := few[:0]
	start := d.pos
	for key := d.Object(); key != nil; key = d.NextKey() {
		d.Skip()
		members = append(members, rawMember{key, d.value - start, d.pos - start})
	}
	if d.Failed() {
		return nil
	}
	m := make(map[string]json.RawMessage, len(members))
	text := d.data[start:d.pos]
	if len(text) > maxShared {
		for _, r := range members {
			m[d.copy(r.key)] = d.copyBytes(text[r.start:r.end])
		}
		return m
	}
	if len(members) > 0 {
		text = d.copyBytes(text)
	}
	for i := range members {
		r := &members[i]
		// The key is in the text too, two bytes before its value, unless there are escapes or white space.
		at, end := r.start-len(`":`)-len(r.key), r.start-len(`":`)
		if at > 0 && len(r.key) > 0 && &r.key[0] == &d.data[start+at] {
			m[stringOf(text[at:end:end])] = text[r.start:r.end:r.end]
		} else {
			m[d.copy(r.key)] = text[r.start:r.end:r.end]
		}
	}
	return m
}
