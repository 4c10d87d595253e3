// Empty: what stands for objects of which the protocol says nothing.

package wire

// Empty is an object without declared members. Those that it has in the input are passed over.
type Empty struct{}

// AppendJSON appends an empty object.
func (v *Empty) AppendJSON(dst []byte) ([]byte, error) { return Append(dst, v) }

// MarshalJSON is AppendJSON for encoding/json.
func (Empty) MarshalJSON() ([]byte, error) { return []byte("{}"), nil }

// UnmarshalJSON checks that the value is an object.
func (v *Empty) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// DecodeJSON passes over an object.
func (*Empty) DecodeJSON(d *Decoder) { d.SkipMembers() }

// EncodeJSON appends an empty object.
func (*Empty) EncodeJSON(dst []byte, _ *Encoder) []byte { return append(dst, "{}"...) }

// SkipMembers passes over an object, whatever its members are.
func (d *Decoder) SkipMembers() {
	for k := d.Object(); k != nil; k = d.NextKey() {
		// which passes over the value
	}
}
