// Free-form objects: values that are kept as they are, in one copy of all of them where that is small.

package wire

import (
	"encoding/json"
)

// maxShared is how large an object may be for its members to share one copy of its text. So one member
// that is kept for long keeps no more than that alive.
const maxShared = 4096

// rawMember is a member of a free-form object: where its key, its value and its end are, from where the object starts.
type rawMember struct{ key, value, end int }

// RawMap decodes an object with any keys, and keeps their values as they are. The map is not nil unless
// decoding fails.
func (d *Decoder) RawMap() map[string]json.RawMessage {
	var few [8]rawMember // most have no more
	members := few[:0]
	var unusual [][]byte // keys with escapes, or with white space behind them; these members have the complement of the index
	start := d.pos
	for key := d.Object(); key != nil; key = d.NextKey() {
		value := d.value - start
		at := value - len(`":`) - len(key)
		if len(key) == 0 || at < 0 || &key[0] != &d.data[start+at] {
			at = ^len(unusual)
			unusual = append(unusual, key)
		}
		d.Skip()
		members = append(members, rawMember{at, value, d.pos - start})
	}
	if d.Failed() {
		return nil
	}
	m := make(map[string]json.RawMessage, len(members))
	text := d.data[start:d.pos]
	shared := len(text) <= maxShared && len(members) > 0
	if shared {
		text = d.copyBytes(text)
	}
	for _, r := range members {
		value := text[r.value:r.end:r.end]
		if !shared {
			value = d.copyBytes(value)
		}
		switch {
		case r.key < 0:
			m[d.Copy(unusual[^r.key])] = value
		case shared:
			m[stringOf(text[r.key:r.value-len(`":`)])] = value
		default:
			m[d.Copy(text[r.key:r.value-len(`":`)])] = value
		}
	}
	return m
}
