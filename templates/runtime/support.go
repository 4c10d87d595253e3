// Support: the small pieces that generated codecs share beside the scanner and the writer.

package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// JSONAppender is anything that appends itself as JSON: every type of the package.
type JSONAppender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// errNoVariant says that a member of a union type was left nil, or a pointer where there must be
// something to point at.
var errNoVariant = errors.New("missing: the value is nil")

// errDeclared says that an undeclared member has the name of a declared one.
var errDeclared = errors.New("the member is declared and cannot be an extra one")

// isNil reports whether there is nothing in an interface, or a pointer to nothing.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

// pointer returns a pointer to a copy of v.
func pointer[T any](v T) *T { return &v }

// optional reads a value where null stands for one that is not there.
func optional[T any](d *decoder, read func(*decoder) T) *T {
	if d.null() {
		return nil
	}
	v := read(noEscape(d))
	return &v
}

// The most frequent kinds of optional values have functions of their own, which the compiler can
// put in place.

func optionalString(d *decoder) *string {
	if d.null() {
		return nil
	}
	return pointer(d.string())
}

func optionalBool(d *decoder) *bool {
	if d.null() {
		return nil
	}
	return pointer(d.bool())
}

func optionalInt64(d *decoder) *int64 {
	if d.null() {
		return nil
	}
	return pointer(d.int64())
}

func optionalFloat64(d *decoder) *float64 {
	if d.null() {
		return nil
	}
	return pointer(d.float64())
}

func optionalStrings(d *decoder) []string {
	if d.null() {
		return nil
	}
	return decodeStrings(d)
}

func optionalRawMap(d *decoder) map[string]json.RawMessage {
	if d.null() {
		return nil
	}
	return decodeRawMap(d)
}

// structValue reads a struct where its value is wanted and not a place to decode into.
func structValue[T any, P interface {
	*T
	decodeJSON(*decoder)
}](d *decoder) T {
	var v T
	P(&v).decodeJSON(d)
	return v
}

// sameTag fails when an object states its tag again, and differently.
func sameTag[T comparable](d *decoder, member string, tag, again T) {
	if again != tag {
		d.fail(d.pos, conflict(member, fmt.Sprint(tag), fmt.Sprint(again)))
	}
}

// conflict says that an object states its tag twice.
func conflict(member, tag, again string) string {
	return quoteName(member) + ": conflicting values " + excerpt(tag) + " and " + excerpt(again)
}

// notOwnTag fails because a variant that owns several tags was given another.
func (d *decoder) notOwnTag(member, tag string) {
	d.fail(d.pos, quoteName(member)+": "+excerpt(tag)+" is not a tag of this variant")
}

// rawVariant keeps the object of an unknown variant. Nothing decodes it, so a tag that it states
// twice has to be looked for.
func (d *decoder) rawVariant(member string, tag []byte) json.RawMessage {
	raw := d.raw()
	again := newDecoder(raw)
	for k := again.object(); k != nil; k = again.nextKey() {
		if string(k) != member {
			again.skip()
			continue
		}
		if got := again.string(); !again.failed() && got != string(tag) {
			d.fail(d.pos, conflict(member, string(tag), got))
			return nil
		}
	}
	if again.failed() && !d.failed() {
		d.fail(d.pos, quoteName(member)+": conflicting values") // the second one is not even a string
	}
	return raw
}

// rawIntVariant is rawVariant for tags that are integers.
func (d *decoder) rawIntVariant(member string, tag int64) json.RawMessage {
	raw := d.raw()
	again := newDecoder(raw)
	for k := again.object(); k != nil; k = again.nextKey() {
		if string(k) != member {
			again.skip()
			continue
		}
		if got := again.int64(); !again.failed() && got != tag {
			d.fail(d.pos, conflict(member, fmt.Sprint(tag), fmt.Sprint(got)))
			return nil
		}
	}
	if again.failed() && !d.failed() {
		d.fail(d.pos, quoteName(member)+": conflicting values")
	}
	return raw
}

// wrongTag says that a variant that owns several tags holds another.
func wrongTag(tag string) error {
	return errors.New(excerpt(tag) + " is not a tag of this variant")
}

// closeObject ends an object whose members were all appended with a comma before them: the first
// comma, if there is one, becomes the opening brace.
func closeObject(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, '{', '}')
	}
	dst[start] = '{'
	return append(dst, '}')
}

// appendExtra appends undeclared members, each with a comma before it, sorted by name. None of them
// may have the name of a declared one.
func appendExtra[T any](dst []byte, extra map[string]T, elem func([]byte, T) ([]byte, error), declared ...string) ([]byte, error) {
	keys := make([]string, 0, len(extra))
	for k := range extra {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var err error
	for _, k := range keys {
		if slices.Contains(declared, k) {
			return dst, atMember(k, errDeclared)
		}
		dst = append(dst, ',')
		dst = appendString(dst, k)
		dst = append(dst, ':')
		if dst, err = elem(dst, extra[k]); err != nil {
			return dst, atMember(k, err)
		}
	}
	return dst, nil
}

// appendUnion appends a variant inside a list or map.
func appendUnion[T JSONAppender](dst []byte, v T) ([]byte, error) {
	if any(v) == nil {
		return dst, errNoVariant
	}
	return v.AppendJSON(dst)
}

// asAppender turns the results of a Decode function into an interface that is nil on failure.
func asAppender[T JSONAppender](v T, err error) (JSONAppender, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}
