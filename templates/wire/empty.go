// Empty: objects without declared members.

package wire

// Empty is an object without declared members. Undeclared ones are skipped.
type Empty struct{}

// AppendJSON appends an empty object.
func (v *Empty) AppendJSON(dst []byte) ([]byte, error) { return Append(dst, v) }

// MarshalJSON implements json.Marshaler.
func (Empty) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// UnmarshalJSON accepts any object.
func (v *Empty) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// DecodeJSON skips an object.
func (*Empty) DecodeJSON(d *Decoder) { d.SkipMembers() }

// EncodeJSON appends an empty object.
func (*Empty) EncodeJSON(dst []byte, _ *Encoder) []byte { return append(dst, "{}"...) }

// SkipMembers skips an object.
func (d *Decoder) SkipMembers() {
	for k := d.Object(); k != nil; k = d.NextKey() {
		// which skips the value
	}
}
