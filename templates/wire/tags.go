// Tags: reading members of an object before decoding it.

package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// StringTag returns the value of a member of the object that comes next, a string, and consumes
// nothing. The tag stays valid for as long as the input does. Nothing is looked at twice if the
// member comes first, so that a second and different value for it is then left to Expect.
func (d *Decoder) StringTag(member string) (tag []byte, ok bool) {
	if first := d.firstTag(member); first != nil {
		return first, true
	}
	return tagOf(d, member, (*Decoder).Text, differentText)
}

// firstTag is StringTag for an object that begins with the member, plainly written, as most do. It is nil for others.
func (d *Decoder) firstTag(member string) []byte {
	data, i := d.data, d.pos+len(`{"`)
	end := i + len(member)
	if end+3 >= len(data) || pairAt(data, d.pos) != '{'|'"'<<8 || string(data[i:end]) != member ||
		pairAt(data, end) != '"'|':'<<8 || data[end+2] != '"' {
		return d.indentedTag(member)
	}
	i = end + len(`":"`)
	if end = asciiEnd(data, i); end < len(data) && data[end] == '"' {
		return data[i:end:end]
	}
	return nil
}

// indentedTag is firstTag for text with line breaks and indentation, and a space behind the colon.
func (d *Decoder) indentedTag(member string) []byte {
	data := d.data
	i := skipSpace(data, d.pos+1) + len(`"`)
	end := i + len(member)
	if end+4 >= len(data) || data[d.pos] != '{' || data[i-1] != '"' || string(data[i:end]) != member || string(data[end:end+4]) != `": "` {
		return nil
	}
	i = end + len(`": "`)
	if end = asciiEnd(data, i); end < len(data) && data[end] == '"' {
		return data[i:end:end]
	}
	return nil
}

// StringTagOr is StringTag for objects that older peers write without the member: its value is untagged
// then.
func (d *Decoder) StringTagOr(member, untagged string) (tag []byte, ok bool) {
	start, depth := d.pos, d.depth
	if !d.seek(d.Object(), member) {
		return []byte(untagged), d.reset(start, depth)
	}
	d.reset(start, depth)
	return d.StringTag(member)
}

// StringTagOrNone is StringTag for objects of which one kind has no such member. Where it is missing or null, the tag is
// empty.
func (d *Decoder) StringTagOrNone(member string) (tag []byte, ok bool) {
	return d.tagUnless(member, (*Decoder).IsNull)
}

// StringTagIfAny is StringTagOrNone for objects of which the member may be malformed: it counts as missing then.
func (d *Decoder) StringTagIfAny(member string) (tag []byte, ok bool) {
	return d.tagUnless(member, func(d *Decoder) bool {
		if d.IsNull() {
			return true
		}
		at := d.Here()
		d.Text()
		return d.Failed() && d.takeBack(at) != nil
	})
}

// tagUnless is StringTag, or an empty tag if the member is missing or its value counts for nothing.
func (d *Decoder) tagUnless(member string, nothing func(*Decoder) bool) (tag []byte, ok bool) {
	start, depth := d.pos, d.depth
	there := d.seek(d.Object(), member)
	if there && !nothing(d) {
		d.reset(start, depth)
		return d.StringTag(member)
	}
	for there && d.seek(d.NextKey(), member) {
		if at := d.pos; !nothing(d) {
			d.fail(at, "conflicting values, of which one is none")
		}
	}
	return []byte{}, d.reset(start, depth)
}

// BoolTag is StringTag for a boolean.
func (d *Decoder) BoolTag(member string) (value, ok bool) {
	return tagOf(d, member, (*Decoder).Bool, different[bool])
}

// IntTag is StringTag for an integer.
func (d *Decoder) IntTag(member string) (tag int64, ok bool) {
	return tagOf(d, member, (*Decoder).Int64, different[int64])
}

// tagOf is StringTag for whatever read reads. Where two values for the tag differ, different says how.
func tagOf[T any](d *Decoder, member string, read func(*Decoder) T, different func(tag, again T) string) (tag T, ok bool) {
	start, depth := d.pos, d.depth
	first := d.Object()
	if string(first) == member && first != nil {
		tag = read(d)
	} else if d.seekTag(start, first, member) {
		tag = read(d)
		for d.seek(d.NextKey(), member) {
			at := d.pos
			if how := different(tag, read(d)); how != "" {
				d.fail(at, how)
			}
		}
	}
	return tag, d.reset(start, depth)
}

func different[T comparable](tag, again T) string {
	if tag == again {
		return ""
	}
	return fmt.Sprintf("conflicting values %v and %v", tag, again)
}

func differentText(tag, again []byte) string {
	if again == nil || string(tag) == string(again) {
		return ""
	}
	return "conflicting values " + Excerpt(string(tag)) + " and " + Excerpt(string(again))
}

// seek consumes members, the first of which has the given key, up to the value of the wanted one.
func (d *Decoder) seek(key []byte, member string) bool {
	for ; key != nil; key = d.NextKey() {
		if string(key) == member {
			return true
		}
		d.Skip()
	}
	return false
}

// seekTag is seek for a member that the object at start must have.
func (d *Decoder) seekTag(start int, key []byte, member string) bool {
	if d.seek(key, member) {
		return true
	}
	d.fail(start, Name(member)+": missing")
	return false
}

// reset goes back to an earlier position, unless d has failed.
func (d *Decoder) reset(pos, depth int) bool {
	if d.err != nil {
		return false
	}
	d.pos, d.depth = pos, depth
	return true
}

// Expect consumes a value that must be the given string, and returns seen. The string needs no escapes.
func (d *Decoder) Expect(want string, seen uint64) uint64 {
	i := d.pos + 1
	end := i + len(want)
	if end < len(d.data) && d.data[i-1] == '"' && string(d.data[i:end]) == want && d.data[end] == '"' {
		d.pos = end + 1
		return seen
	}
	return d.ExpectText(want, seen)
}

// Variant is Object for an object of a variant, which begins with a constant if it is plainly written. It then returns the key
// of the next member, and the bit of the constant: that need not be looked at again. A second one is left to Expect.
func (d *Decoder) Variant(open string, bit uint64) (key []byte, seen uint64) {
	i := d.pos
	end := i + len(open)
	if end >= len(d.data) || string(d.data[i:end]) != open || d.depth >= MaxDepth {
		return d.Object(), 0
	}
	d.depth++
	d.pos = end
	return d.NextKey(), bit
}

// ExpectText is Expect for any string.
func (d *Decoder) ExpectText(want string, seen uint64) uint64 {
	at := d.pos
	if got := d.Text(); string(got) != want {
		d.fail(at, "conflicting value: want "+Excerpt(want)+", got "+Excerpt(string(got)))
	}
	return seen
}

// ExpectOnly passes over an object of which nothing matters but that a member is the given string.
func (d *Decoder) ExpectOnly(member, want string) {
	var seen uint64
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) == member {
			seen |= d.Expect(want, 1)
		}
	}
	if seen == 0 {
		d.Missing(member)
	}
}

// ExpectBool is Expect for a boolean.
func (d *Decoder) ExpectBool(want bool, seen uint64) uint64 {
	at := d.pos
	if got := d.Bool(); got != want {
		d.fail(at, fmt.Sprintf("conflicting value: want %t, got %t", want, got))
	}
	return seen
}

// ExpectInt is Expect for an integer.
func (d *Decoder) ExpectInt(want int64, seen uint64) uint64 {
	at := d.pos
	if got := d.Int64(); got != want {
		d.fail(at, fmt.Sprintf("conflicting value: want %d, got %d", want, got))
	}
	return seen
}

// OneOf fails unless a discriminator has one of the tags that its struct owns. The tags stand behind
// the character that separates them, as the names of [Decoder.Need] do.
func (d *Decoder) OneOf(member, got, tags string) {
	if !d.Failed() && !IsListed(got, tags) {
		d.fail(d.pos, Name(member)+": "+Excerpt(got)+" is not a tag of this variant")
	}
}

// IsListed reports whether a name is one of those that stand behind their separator.
func IsListed(name, names string) bool {
	for rest := names; rest != ""; {
		rest = rest[1:]
		end := strings.IndexByte(rest, names[0])
		if end < 0 {
			end = len(rest)
		}
		if rest[:end] == name {
			return true
		}
		rest = rest[end:]
	}
	return false
}

// RawVariant keeps the object of an unknown variant. Nothing decodes it, so a tag that it states
// twice has to be looked for.
func (d *Decoder) RawVariant(member string, tag []byte) json.RawMessage {
	return rawVariant(d, member, tag, '"', (*Decoder).Text, differentText)
}

// RawIntVariant is RawVariant for tags that are integers.
func (d *Decoder) RawIntVariant(member string, tag int64) json.RawMessage {
	return rawVariant(d, member, tag, '0', (*Decoder).Int64, different[int64])
}

// RawVariantBeside is RawVariant without the members that are declared elsewhere.
func (d *Decoder) RawVariantBeside(member string, tag []byte) json.RawMessage {
	at := d.Here()
	onlyTag(d, member, tag, '"', (*Decoder).Text, differentText)
	d.Back(at)
	return d.RawShared()
}

func rawVariant[T any](d *Decoder, member string, tag T, kind byte, read func(*Decoder) T, different func(tag, again T) string) json.RawMessage {
	start := d.pos
	onlyTag(d, member, tag, kind, read, different)
	if d.Failed() {
		return nil
	}
	return d.copyBytes(d.data[start:d.pos])
}

// onlyTag passes over an object whose tag has to be the same wherever it is stated.
func onlyTag[T any](d *Decoder, member string, tag T, kind byte, read func(*Decoder) T, different func(tag, again T) string) {
	start := d.pos
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) != member {
			continue
		}
		if d.Kind() != kind {
			d.fail(start, Name(member)+": conflicting values")
		} else if how := different(tag, read(d)); how != "" {
			d.fail(start, Name(member)+": "+how)
		}
	}
}

// OnlyString returns the value of a member of the object that comes next, a string. A repeated
// member has no value unless its values are equal, because other decoders may take either.
func (d *Decoder) OnlyString(member string) (value string, ok bool) {
	for k := d.Object(); k != nil; k = d.NextKey() {
		if string(k) != member {
			d.Skip()
			continue
		}
		again := d.Str()
		if ok && again != value {
			return "", false
		}
		value, ok = again, true
	}
	return value, ok && !d.Failed()
}
