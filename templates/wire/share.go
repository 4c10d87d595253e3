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
	names string // members that are declared elsewhere
}

// Share marks members of the next object as declared elsewhere, and retains undeclared members. Names begins with the
// character that separates the names. It returns the previous state, for Unshare.
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

// isShared reports whether the object whose members are at a depth is shared.
func (d *Decoder) isShared(depth int) bool { return d.shared.depth == depth }

// IsForeign reports whether a member of the current object is declared elsewhere.
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

// RawShared is Raw for an object, without the members that are declared elsewhere.
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
