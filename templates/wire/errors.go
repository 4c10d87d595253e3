// Errors: what is wrong with an input or a value, and the path to it.

package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeError reports invalid input and where it is. Its text is the path, such as action: chat/delta: content, and
// the reason.
type DecodeError struct {
	path   string
	reason string

	list      string // see Item
	listStart int
	index     int
	isItem    bool

	dropped json.RawMessage // see Dropped
	more    int             // see Unreported
	syntax  bool            // the input is not JSON, so decoding cannot continue after it

	// Until the error is located, which makes its text.
	input    []byte
	offset   int
	ofObject bool // offset is the end of an invalid object
	variants []variantName
	kind     reasonKind
	a, b     string
	args     []any
	cause    error // see Unwrap
}

// reasonKind is the kind of a reason. Its text is built on demand: most errors within items that are dropped
// never need it.
type reasonKind uint8

const (
	plainReason   reasonKind = iota
	formatted                // a format with args
	mismatch                 // want a, got b
	missingMember            // a is missing
	unknownTag               // b is unknown in the union a
	otherTag                 // b is of no variant of the union a
)

// explain makes the reason.
func (e *DecodeError) explain() {
	switch e.kind {
	case formatted:
		e.reason = fmt.Sprintf(e.reason, e.args...)
	case mismatch:
		e.reason = "want " + e.a + ", got " + e.b
	case missingMember:
		e.reason = Name(e.a) + ": missing"
	case unknownTag:
		e.reason = "unknown " + e.a + " " + Excerpt(e.b)
	case otherTag:
		e.reason = Excerpt(e.b) + " is not a " + e.a
	}
	e.kind, e.a, e.b, e.args = plainReason, "", "", nil
}

// Error implements error.
func (e *DecodeError) Error() string { return joinPath(e.path, e.reason) }

// Path returns the path of the error: member names, indexes in brackets, and variant tags.
func (e *DecodeError) Path() string { return e.path }

// Unwrap returns the error of a function that converts values, or nil.
func (e *DecodeError) Unwrap() error { return e.cause }

// Item returns the list item with the error, for lists that are members of the decoded object: the member's name, the
// offset of its list, and the index. It returns false for errors elsewhere.
func (e *DecodeError) Item() (list string, offset, index int, ok bool) {
	return e.list, e.listStart, e.index, e.isItem
}

// fail records the first error and discards the remaining input.
func (d *Decoder) fail(at int, reason string) { d.failAs(plainReason, at, reason, "", "") }

// failAs is fail with a reason composed of parts.
//
//go:noinline
func (d *Decoder) failAs(kind reasonKind, at int, reason, a, b string) {
	if d.err != nil {
		return
	}
	e := d.again.spare()
	e.kind, e.reason, e.a, e.b = kind, reason, a, b
	e.input, e.offset = d.data, at
	d.err, d.data, d.pos = e, nil, 0
}

// FailAt fails with an error at an offset.
func (d *Decoder) FailAt(offset int, reason string) { d.fail(offset, reason) }

// FailBecause fails with an error of a function that converts the value at an offset.
func (d *Decoder) FailBecause(offset int, cause error) {
	if d.err == nil {
		d.fail(offset, Readable(cause.Error()))
		d.err.cause = cause
	}
}

// Failf fails with a formatted message about the next or last value.
func (d *Decoder) Failf(format string, args ...any) {
	if d.err == nil {
		d.failAs(formatted, d.pos, format, "", "")
		d.err.args = args
	}
}

// syntax fails with a JSON syntax error. The result is negative, for functions that return an offset.
func (d *Decoder) syntax(at int, where string) int {
	if d.err == nil {
		what := "unexpected end"
		if at < len(d.data) {
			r, _ := utf8.DecodeRune(d.data[at:])
			what = fmt.Sprintf("unexpected %q", r)
			if r == utf8.RuneError {
				what = fmt.Sprintf("unexpected byte 0x%02x", d.data[at])
			}
		}
		d.fail(at, fmt.Sprintf("invalid JSON at offset %d: %s %s", at, what, where))
		d.err.syntax = true
	}
	return -1
}

func (d *Decoder) tooDeep(at int) int {
	if d.err == nil {
		d.fail(at, fmt.Sprintf("nested more than %d levels deep", MaxDepth))
		d.err.syntax = true
	}
	return -1
}

// Mismatch fails because the next value has the wrong type.
func (d *Decoder) Mismatch(want string) {
	got := ""
	switch d.Kind() {
	case '{':
		got = "object"
	case '[':
		got = "array"
	case '"':
		got = "string"
	case 't':
		got = "boolean"
	case '0':
		got = "number"
	case 'n':
		got = "null"
	default:
		d.syntax(d.pos, "instead of a value")
		return
	}
	d.failAs(mismatch, d.pos, "", want, got)
}

// Missing fails because the last object lacks a required member.
func (d *Decoder) Missing(member string) {
	if d.err != nil {
		return
	}
	at := d.pos
	ofObject := d.at(at-1) == '}'
	if ofObject {
		at--
	}
	d.failAs(missingMember, at, "", member, "")
	d.err.ofObject = ofObject
}

// Need fails unless seen is all: some member that the object must have was not there. The names are
// those of the bits in turn, behind the character that separates them: ",turnId,content".
func (d *Decoder) Need(seen, all uint64, names string) {
	if seen != all {
		d.missingOf(seen, names)
	}
}

func (d *Decoder) missingOf(seen uint64, names string) {
	for bit := uint64(1); names != ""; bit <<= 1 {
		name := names[1:]
		if end := strings.IndexByte(name, names[0]); end >= 0 {
			name = name[:end]
		}
		if seen&bit == 0 {
			d.Missing(name)
			return
		}
		names = names[1+len(name):]
	}
}

// UnknownTag fails because of a tag that the closed union does not have.
func (d *Decoder) UnknownTag(union, tag string) {
	d.failAs(unknownTag, d.pos, "", union, tag)
}

// OtherTag fails because of a known tag that belongs to no variant of this union.
func (d *Decoder) OtherTag(union, tag string) {
	d.failAs(otherTag, d.pos, "", union, tag)
}

// NotPart is OtherTag for an object that was already decoded as a variant of another union.
func (d *Decoder) NotPart(start Place, union, tag string) {
	d.failAs(otherTag, start.pos, "", union, tag)
	d.Within(start, tag)
}

// Within notes, after a failure, that the object at start was decoded as the named variant.
func (d *Decoder) Within(start Place, name string) {
	if d.err != nil {
		d.err.variants = append(d.err.variants, variantName{start: start.pos, name: name})
	}
}

// locate makes the text of the error, with the path to it.
func (e *DecodeError) locate(l *locator) {
	e.explain()
	if e.input == nil {
		return
	}
	l.data = e.input
	e.path = l.path(e.offset, e.ofObject, e.variants)
	if open := l.open; len(open) > 1 && e.input[open[0].start] == '{' && open[0].at != 0 && e.input[open[1].start] == '[' {
		d := Decoder{data: e.input, pos: open[0].at}
		e.list, e.listStart, e.index, e.isItem = string(d.Text()), open[1].start, open[1].at, true
	}
	e.input, e.variants = nil, nil
}

// joinPath puts a segment in front of a path or of a message.
func joinPath(segment, rest string) string {
	switch {
	case segment == "" || rest == "":
		return segment + rest
	case rest[0] == '[':
		return segment + rest
	}
	return segment + ": " + rest
}

// Errors contain untrusted text, so it is escaped and truncated to these lengths in bytes.
const (
	maxExcerpt   = 100
	maxMessage   = 1000 // of readable text
	maxPathNames = 12   // at each end of a path
)

// Excerpt returns quoted text, truncated.
func Excerpt(text string) string {
	head, tail := cut(text, maxExcerpt)
	return strconv.Quote(head) + tail
}

// Readable returns text with unprintable characters escaped.
func Readable(text string) string {
	head, tail := cut(text, maxMessage)
	if strings.ContainsFunc(head, unprintable) {
		head = strconv.Quote(head)
	}
	return head + tail
}

// Name returns a key for a path, quoted if needed.
func Name(name string) string {
	plain := name != "" && len(name) <= maxExcerpt && !strings.ContainsFunc(name, func(r rune) bool { return r == '"' || unprintable(r) })
	if plain {
		return name
	}
	return Excerpt(name)
}

func unprintable(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }

// shownName is Name for text that may be long, of which no more is copied than is shown.
func shownName(text []byte) string {
	if len(text) <= maxExcerpt {
		return Name(string(text))
	}
	head, tail := cut(text, maxExcerpt)
	return strconv.Quote(head) + tail
}

// cut truncates text and marks the truncation.
func cut[T []byte | string](text T, most int) (head, tail string) {
	if len(text) <= most {
		return string(text), ""
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return string(text[:end]), fmt.Sprintf("… (%d bytes)", len(text))
}

// shownPath joins the names of a path. Of a long one both ends are shown.
func shownPath(names []string) string {
	if left := len(names) - 2*maxPathNames; left > 0 {
		return gappedPath(names[:maxPathNames], left, names[len(names)-maxPathNames:])
	}
	path := ""
	for _, name := range names {
		path = joinPath(path, name)
	}
	return path
}

// gappedPath joins the names at both ends of a path, between which there are others.
func gappedPath(head []string, left int, tail []string) string {
	return joinPath(joinPath(shownPath(head), fmt.Sprintf("… (%d more) …", left)), shownPath(tail))
}
