//go:build ahpgen_reducers

// Reading and changing single members of variants that this version does not know. They are kept as
// the bytes they came in, and whatever a reducer does not change stays byte for byte.

package ahp

import (
	"bytes"
	"encoding/json"
)

// rawMember returns the value of a member, nil where there is none or raw is no object.
func rawMember(raw json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	return members[name]
}

// rawHasID reports whether the object's member id is this string.
func rawHasID(raw json.RawMessage, id string) bool {
	var got *string
	err := json.Unmarshal(rawMember(raw, "id"), &got)
	return err == nil && got != nil && *got == id
}

// withRawMember returns a copy of the object with the member set, at the end if it is new. The object has
// other members: reducers find it by one. What is no object comes back as it is.
func withRawMember(raw json.RawMessage, name string, value json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return raw
	}
	var out json.RawMessage
	copied := 0 // how much of raw is in out
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return raw
		}
		var old json.RawMessage
		if err := dec.Decode(&old); err != nil {
			return raw
		}
		if key == name {
			end := int(dec.InputOffset())
			out = append(out, raw[copied:end-len(old)]...)
			out = append(out, value...)
			copied = end
		}
	}
	if _, err := dec.Token(); err != nil {
		return raw
	}
	if copied == 0 { // not there yet
		copied = int(dec.InputOffset()) - len("}")
		out = append(out, raw[:copied]...)
		out = append(out, `,"`+name+`":`...)
		out = append(out, value...)
	}
	return append(out, raw[copied:]...)
}
