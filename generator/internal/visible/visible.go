// Package visible shows text that may hold anything: names, descriptions and paths come from other
// people, and a terminal, a log or a reviewer must see what they really are.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden reports whether a character cannot be seen where it stands, or changes how others look:
// control characters, marks for the direction of text, separators other than the space, characters of
// no width, selectors of variants, tags, and what is assigned to nothing.
func Hidden(r rune) bool {
	return r != ' ' && r != '~' && (r < ' ' || r > '~') && (!unicode.IsPrint(r) || unicode.In(r, ignorable...) || r == brailleBlank)
}

// brailleBlank counts as a symbol, and looks like a space.
const brailleBlank = '\u2800'

// ignorable are the characters that are shown as nothing although they count as letters or marks.
var ignorable = []*unicode.RangeTable{unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Join_Control, unicode.Bidi_Control}

// HasControl reports whether a text holds a control character, or what ends a line elsewhere.
func HasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// Line is a text on one line: hidden characters, line breaks among them, are written as Go writes
// them, such as \n or \u202e. Applied twice it changes nothing more.
func Line(text string) string { return escape(text, appendGo, "") }

// Lines is a text of several lines, each of which is treated as Line does.
func Lines(text string) string { return escape(text, appendGo, "\n") }

// maxName is how much of a name or a value a message shows.
const maxName = 240

// Name is a name or a value in a message: on one line, and not longer than a person reads.
func Name(text string) string { return Line(Cut(text, maxName)) }

// Cut shortens a text of more bytes than that, keeps its beginning, and says how long it was.
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

// escape writes hidden characters with a function, except those to keep.
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

// appendGo writes a character as Go does in a literal.
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
