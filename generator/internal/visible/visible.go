// Package visible escapes text from untrusted sources, so that terminals, logs and reviewers see what it really
// contains.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character is invisible or affects the display of others: control characters, bidirectional
// marks, separators other than space, zero-width characters, variation selectors, tags and unassigned code points.
func Hidden(r rune) bool {
	return r != ' ' && r != '~' && (r < ' ' || r > '~') && (!unicode.IsPrint(r) || unicode.In(r, ignorable...) || r == brailleBlank)
}

// brailleBlank counts as a symbol, but looks like a space.
const brailleBlank = '\u2800'

// ignorable are letters and marks that are displayed as nothing.
var ignorable = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Join_Control, unicode.Bidi_Control}

// HasControl reports whether text contains a control character or a line separator.
func HasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// Line returns text on one line, with hidden characters and line breaks escaped as in Go, such as \n or \u202e. It is
// idempotent.
func Line(text string) string { return escape(text, appendGo, "") }

// Lines applies Line to each line of a text.
func Lines(text string) string { return escape(text, appendGo, "\n") }

// maxName is the maximum length of a name or value in a message.
const maxName = 240

// Name returns a name or value for a message, escaped and truncated.
func Name(text string) string { return Line(Cut(text, maxName)) }

// Cut truncates text beyond the given number of bytes, and states its original length.
func Cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	end := size
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", text[:end], len(text))
}

// escape replaces hidden characters, except those to keep.
func escape(text string, write func([]byte, rune) []byte, keep string) string {
	clean := func(r rune) bool {
		return !Hidden(r) && r != utf8.RuneError || strings.ContainsRune(keep, r) && keep != ""
	}
	first := strings.IndexFunc(text, func(r rune) bool { return !clean(r) })
	if first < 0 {
		return text
	}
	out := append(make([]byte, 0, len(text)+16), text[:first]...)
	for i := first; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[i])
		case r == utf8.RuneError, clean(r):
			out = append(out, text[i:i+size]...)
		default:
			out = write(out, r)
		}
		i += size
	}
	return string(out)
}

// appendGo appends a character as in a Go literal.
func appendGo(out []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(out, `\n`...)
	case r == '\r':
		return append(out, `\r`...)
	case r == '\t':
		return append(out, `\t`...)
	case r < utf8.RuneSelf:
		return fmt.Appendf(out, `\x%02x`, r)
	case r <= 0xffff:
		return fmt.Appendf(out, `\u%04x`, r)
	}
	return fmt.Appendf(out, `\U%08x`, r)
}
