// Writer: escaping output to terminals and logs.

package visible

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer writes text with hidden characters escaped as \u202e, which is also valid JSON. Line ends and tabs are
// preserved. Unless Commands is set, GitHub workflow commands in the text are disabled.
type Writer struct {
	To       io.Writer
	Commands bool

	pending []byte // an incomplete prefix
	inLine  bool   // the line has something other than space
}

// Write writes text. Up to three bytes may be held back until the next Write or Flush.
func (w *Writer) Write(data []byte) (int, error) {
	text := append(w.pending, data...)
	out, rest := w.convert(text, moreFollows)
	w.pending = append([]byte(nil), rest...)
	if _, err := w.To.Write(out); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Flush writes what is held back.
func (w *Writer) Flush() error {
	out, _ := w.convert(w.pending, atEnd)
	w.pending = nil
	if len(out) == 0 {
		return nil
	}
	_, err := w.To.Write(out)
	return err
}

// future states whether more text may follow.
type future int

const (
	moreFollows future = iota
	atEnd
)

// convert returns what can be written and what must wait.
func (w *Writer) convert(text []byte, then future) (out, rest []byte) {
	out = make([]byte, 0, len(text))
	for len(text) > 0 {
		if then == moreFollows && undecided(text) {
			return out, text
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case r == '\r' && len(text) > 1 && text[1] == '\n', r == '\n', r == '\t':
			out = append(out, text[:size]...)
		case !w.Commands && (!w.inLine && bytes.HasPrefix(text, []byte("::")) || bytes.HasPrefix(text, []byte("##["))):
			out = appendJSON(out, r)
		case Hidden(r):
			out = appendJSON(out, r)
		default:
			out = append(out, text[:size]...)
		}
		w.inLine = r != '\n' && (w.inLine || r != ' ' && r != '\t' && r != '\r')
		text = text[size:]
	}
	return out, nil
}

// undecided reports whether the interpretation depends on what follows.
func undecided(text []byte) bool {
	if !utf8.FullRune(text) {
		return true
	}
	for _, start := range []string{"\r\n", "::", "##["} {
		if len(text) < len(start) && bytes.HasPrefix([]byte(start), text) {
			return true
		}
	}
	return false
}

// appendJSON appends a character as in a JSON string.
func appendJSON(out []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(out, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(out, `\u%04x`, r)
}
