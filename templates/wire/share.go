// Sharing: objects decoded as several values, namely the enclosing struct and its alternatives.

package wire

import (
	"encoding/json"
	"strings"
)

// Place is a decoder position to return to.
type Place struct{ pos, depth int }

// Here returns the position of the next value.
func (d *Decoder) Here() Place { return Place{d.pos, d.depth} }

// Back returns to a position, unless decoding has failed.
func (d *Decoder) Back(p Place) {
	if d.err == nil {
		d.pos, d.depth = p.pos, p.depth
	}
}

// Shared describes an object decoded as several values.
type Shared struct {
	depth int    // inside it; 0 for none
	names string // members that somebody else declares
}

// Share says that somebody else declares members of the object that comes next, whose names stand behind the character
// that separates them, and keeps what nobody declares. It returns what was said before, for Unshare.
func (d *Decoder) Share(names string) Shared {
	before := d.shared
	d.shared = Shared{d.depth + 1, names}
	if before.depth == d.depth+1 { // alternatives within alternatives
		d.shared.names = joinNames(before.names, names)
	}
	return before
}

// Unshare takes back what Share has said.
func (d *Decoder) Unshare(before Shared) { d.shared = before }

// isShared reports whether somebody else holds the object whose members are at a depth.
func (d *Decoder) isShared(depth int) bool { return d.shared.depth == depth }

// IsForeign reports whether somebody else declares a member of the object that is being read.
func (d *Decoder) IsForeign(key []byte) bool {
	return d.isShared(d.depth) && IsListed(string(key), d.shared.names)
}

// joinNames joins lists of names, of which each stands behind its separator.
func joinNames(a, b string) string {
	switch {
	case a == "" || b == "":
		return a + b
	case a[0] == b[0]:
		return a + b
	}
	separator := "\x00"
	for _, s := range []string{",", " ", "\n"} {
		if !strings.Contains(strings.ReplaceAll(a, a[:1], "")+strings.ReplaceAll(b, b[:1], ""), s) {
			separator = s
			break
		}
	}
	return strings.ReplaceAll(a, a[:1], separator) + strings.ReplaceAll(b, b[:1], separator)
}

// RawShared is Raw for an object, without the members that somebody else declares.
func (d *Decoder) RawShared() json.RawMessage {
	if !d.isShared(d.depth + 1) {
		return d.Raw()
	}
	return withoutMembers(d.Slice(), d.shared.names)
}

// withoutMembers copies an object without some of its members.
func withoutMembers(object []byte, names string) json.RawMessage {
	out := json.RawMessage{'{'}
	d := NewDecoder(object)
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := string(key)
		value := d.Slice()
		if IsListed(name, names) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(AppendString(out, name), ':'), value...)
	}
	return append(out, '}')
}
