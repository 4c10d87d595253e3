// JSON: writing an example as a message.

package example

import (
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/jsontext"
)

// Mark is called with each piece of text as it is written.
type Mark func(kind Piece, text string, of *Value)

// Piece is the kind of a piece of text.
type Piece int

// The pieces that a text consists of.
const (
	Layout Piece = iota // punctuation and line breaks
	Name                // of a member
	Literal
)

// maxLine is the maximum width of an object or list on one line.
const maxLine = 72

// JSON returns the text of an example, broken into lines where it would be too wide.
func (v *Value) JSON() string {
	var b strings.Builder
	v.Write(func(_ Piece, text string, _ *Value) { b.WriteString(text) })
	return b.String()
}

// Write calls mark with the pieces of the text in order.
func (v *Value) Write(mark Mark) { v.write(mark, 0) }

func (v *Value) write(mark Mark, depth int) {
	switch v.Kind {
	case Scalar:
		mark(Literal, v.Text, v)
		return
	case List:
		v.group(mark, depth, "[", "]", len(v.Items), func(i, depth int) { v.Items[i].write(mark, depth) })
		return
	}
	members := v.all()
	v.group(mark, depth, "{", "}", len(members), func(i, depth int) {
		mark(Name, jsontext.Line(members[i].Name), v)
		mark(Layout, ": ", v)
		members[i].Value.write(mark, depth)
	})
}

// group writes the contents of brackets, on one line if they are short.
func (v *Value) group(mark Mark, depth int, open, end string, n int, item func(i, depth int)) {
	mark(Layout, open, v)
	short := v.width(maxLine-2*depth) >= 0
	for i := range n {
		if i > 0 && short {
			mark(Layout, ", ", v)
		} else if i > 0 {
			mark(Layout, ",", v)
		}
		if !short {
			mark(Layout, "\n"+strings.Repeat("  ", depth+1), v)
		}
		item(i, depth+1)
	}
	if n > 0 && !short {
		mark(Layout, "\n"+strings.Repeat("  ", depth), v)
	}
	mark(Layout, end, v)
}

// width returns the space left on a line after the value. It is negative if the value does not fit.
func (v *Value) width(room int) int {
	switch {
	case room < 0:
		return room
	case v.Kind == Scalar:
		return room - len(v.Text)
	}
	room -= 2
	for _, item := range v.Items {
		room = item.width(room) - 2
	}
	for _, m := range v.all() {
		room = m.Value.width(room-len(m.Name)-4) - 2
	}
	return room
}

// Text returns a string value.
func Text(text string) *Value { return &Value{Text: jsontext.Line(text)} }
