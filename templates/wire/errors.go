// Errors: what is wrong with an input or a value, and the path to it.

package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeError says what is wrong with an input, and where. Its text is the path, such as
// action: chat/delta: content, and the reason behind it.
type DecodeError struct {
	path   string
	reason string

	list      string // see Item
	listStart int
	index     int
	isItem    bool

	dropped json.RawMessage // see Dropped
	syntax  bool            // the input is no JSON, so that nothing can go on behind it

	input    []byte // until the path is known
	offset   int
	ofObject bool // offset is the end of the object that is wrong
	variants []variantName
}

// variantName records which variant the object at an offset was decoded as.
type variantName struct {
	start int
	name  string
}

// Error implements error.
func (e *DecodeError) Error() string { return joinPath(e.path, e.reason) }

// Path leads to what is wrong: names of members, indexes in brackets, and the tags of variants.
func (e *DecodeError) Path() string { return e.path }

// Item says in which item of a list that is a member of the decoded object the error is: the name of the
// member, where its list begins in the input, and the index. It is not ok where the error is elsewhere.
func (e *DecodeError) Item() (list string, offset, index int, ok bool) {
	return e.list, e.listStart, e.index, e.isItem
}

// fail records the first error and takes the input away.
func (d *Decoder) fail(at int, reason string) {
	if d.err != nil {
		return
	}
	d.err = &DecodeError{input: d.data, offset: at, reason: reason}
	d.data, d.pos = nil, 0
}

// FailAt fails because of what stands at an offset.
func (d *Decoder) FailAt(offset int, reason string) { d.fail(offset, reason) }

// Failf fails with a message of the caller's, about the next value or the one just consumed.
func (d *Decoder) Failf(format string, args ...any) {
	if d.err == nil {
		d.fail(d.pos, fmt.Sprintf(format, args...))
	}
}

// syntax fails because the input is not JSON. The result is negative, for functions that return
// an offset.
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

// Mismatch fails because the next value is of another kind than the wanted one.
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
	d.fail(d.pos, "want "+want+", got "+got)
}

// Missing fails because the object that just ended lacks a member that it must have.
func (d *Decoder) Missing(member string) {
	if d.err != nil {
		return
	}
	at := d.pos
	ofObject := d.at(at-1) == '}'
	if ofObject {
		at--
	}
	d.fail(at, Name(member)+": missing")
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
	for i, name := range strings.Split(names, names[:1])[1:] {
		if seen&(1<<i) == 0 {
			d.Missing(name)
			return
		}
	}
}

// UnknownTag fails because the next value has a tag that its closed union does not know.
func (d *Decoder) UnknownTag(union, tag string) {
	d.fail(d.pos, "unknown "+union+" "+Excerpt(tag))
}

// OtherTag fails because the next value has a tag that is known, but of no variant of this union.
func (d *Decoder) OtherTag(union, tag string) {
	d.fail(d.pos, Excerpt(tag)+" is not a "+union)
}

// NotPart is OtherTag for an object that has been read already, which fails as the variant of another union
// that it is.
func (d *Decoder) NotPart(start int, union, tag string) {
	d.fail(start, Excerpt(tag)+" is not a "+union)
	d.Within(start, tag)
}

// Within notes, after a failure, that the object at start was decoded as the named variant.
func (d *Decoder) Within(start int, name string) {
	if d.err != nil {
		d.err.variants = append(d.err.variants, variantName{start, name})
	}
}

// locate finds the path to the error, which decoding does not keep track of, by looking at the
// input once more.
func (e *DecodeError) locate() {
	if e.input == nil {
		return
	}
	var path []string
	open := openAt(e.input, e.offset)
	for i, c := range open {
		path = append(path, e.variant(c.start))
		switch {
		case c.array:
			path = append(path, "["+strconv.Itoa(c.index)+"]")
		case c.named && (i < len(open)-1 || !e.ofObject):
			path = append(path, Name(c.key))
		}
	}
	if len(open) > 1 && !open[0].array && open[0].named && open[1].array {
		e.list, e.listStart, e.index, e.isItem = open[0].key, open[1].start, open[1].index, true
	}
	e.path = shownPath(append(path, e.variant(e.offset)))
	e.input, e.variants = nil, nil
}

// variant returns the name noted for the object at start. A union within a union notes one twice,
// the inner one first.
func (e *DecodeError) variant(start int) string {
	for _, v := range e.variants {
		if v.start == start && v.name != "" {
			return Name(v.name)
		}
	}
	return ""
}

// container is an object or array, and how far into it something is.
type container struct {
	start int
	array bool
	index int    // of the element
	named bool   // whether the key is known
	key   string // of the member
}

// openAt returns the objects and arrays that are open at an offset. What comes before the offset
// has been checked.
func openAt(data []byte, offset int) []container {
	var open []container
	for i := 0; i < offset && i < len(data); i++ {
		var top *container
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch c := data[i]; {
		case c == '{' || c == '[':
			open = append(open, container{start: i, array: c == '['})
		case (c == '}' || c == ']') && top != nil:
			open = open[:len(open)-1]
		case c == ',' && top != nil:
			top.index++
			top.named = false
		case c == '"':
			d := Decoder{data: data, pos: i}
			end := d.skipString(i)
			if end < 0 || end > offset {
				return open
			}
			if top != nil && !top.array && !top.named {
				d.pos = i
				top.key, top.named = d.Str(), true
			}
			i = end - 1
		}
	}
	return open
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

// What a peer sends may be large and may hold what does something to a terminal. So no error has more
// of it than this, in bytes, and nothing of it that cannot be printed.
const (
	maxExcerpt   = 100
	maxMessage   = 1000 // of text that is meant to be read
	maxPathNames = 12   // at each end of a path
)

// Excerpt quotes text.
func Excerpt(text string) string {
	head, tail := cut(text, maxExcerpt)
	return strconv.Quote(head) + tail
}

// Readable returns text that is meant to be read: as it is if it can be printed.
func Readable(text string) string {
	head, tail := cut(text, maxMessage)
	if strings.ContainsFunc(head, unprintable) {
		head = strconv.Quote(head)
	}
	return head + tail
}

// Name returns a key as it is shown in a path: as it is if it is plain.
func Name(name string) string {
	plain := name != "" && len(name) <= maxExcerpt && !strings.ContainsFunc(name, func(r rune) bool { return r == '"' || unprintable(r) })
	if plain {
		return name
	}
	return Excerpt(name)
}

func unprintable(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }

// cut returns the start of a text that is too long, and what says so.
func cut(text string, most int) (head, tail string) {
	if len(text) <= most {
		return text, ""
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], fmt.Sprintf("… (%d bytes)", len(text))
}

// shownPath joins the names of a path, of which each may be "". Of a long one both ends are shown.
func shownPath(names []string) string {
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if left := len(names) - 2*maxPathNames; left > 0 {
		gap := fmt.Sprintf("… (%d more) …", left)
		names = append(append(slices.Clone(names[:maxPathNames]), gap), names[len(names)-maxPathNames:]...)
	}
	path := ""
	for _, name := range names {
		path = joinPath(path, name)
	}
	return path
}
