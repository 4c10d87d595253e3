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
	start, end int // of its value
}

// RawMap decodes an object with any keys, and keeps their values as they are. The map is not nil unless
// decoding fails.
func RawMap(d *Decoder) map[string]json.RawMessage {
	var few [8]rawMember // most have no more
	members := few[:0]
	start := d.pos
	for key := d.Object(); key != nil; key = d.NextKey() {
		at := d.pos
		d.Skip()
		members = append(members, rawMember{key, at, d.pos})
	}
	if d.Failed() {
		return nil
	}
	m := make(map[string]json.RawMessage, len(members))
	text, shared := d.data[start:d.pos], d.pos-start <= maxShared && len(members) > 0
	if shared {
		text = d.copyBytes(text)
	}
	for _, r := range members {
		value := text[r.start-start : r.end-start : r.end-start]
		if !shared {
			m[d.copy(r.key)] = d.copyBytes(value)
			continue
		}
		// A key without escapes is in the text too. It is behind the one before it.
		if at := cap(d.data) - cap(r.key) - start; len(r.key) > 0 && at > 0 && at < r.start-start && &d.data[start+at] == &r.key[0] {
			m[stringOf(text[at:at+len(r.key)])] = value
		} else {
			m[string(r.key)] = value
		}
	}
	return m
}
