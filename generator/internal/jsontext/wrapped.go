// Wrapped: JSON as a person writes it, with short values on one line.

package jsontext

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Wrapped returns a value as a file has it, where each object and list that fits into the given number of columns is on one
// line. The top is not.
func Wrapped(value any, columns int) ([]byte, error) {
	var b bytes.Buffer
	if err := encoder(&b).Encode(value); err != nil {
		return nil, err
	}
	w := wrapper{columns: columns}
	w.value(b.Bytes(), "", "", true)
	w.out.WriteByte('\n')
	return w.out.Bytes(), nil
}

type wrapper struct {
	out     bytes.Buffer
	columns int
}

// value writes a valid JSON value behind some text on its line.
func (w *wrapper) value(data json.RawMessage, before, indent string, top bool) {
	line := oneLine(data)
	if first := data[0]; first != '{' && first != '[' || !top && len(before)+len(line)+1 <= w.columns {
		w.out.WriteString(line)
		return
	}
	open, closing := line[:1], line[len(line)-1:]
	inner := indent + "  "
	w.out.WriteString(open)
	for i, part := range parts(data) {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.WriteString("\n" + inner + part.key)
		w.value(part.value, inner+part.key, inner, false)
	}
	w.out.WriteString("\n" + indent + closing)
}

// part is a member of an object, with its key as it is written, or an item of a list.
type part struct {
	key   string
	value json.RawMessage
}

func parts(data json.RawMessage) (out []part) {
	d := json.NewDecoder(bytes.NewReader(data))
	_, _ = d.Token() // the data is valid
	for d.More() {
		var p part
		if data[0] == '{' {
			key, _ := d.Token()
			text, _ := key.(string)
			p.key = Line(text) + ": "
		}
		_ = d.Decode(&p.value)
		out = append(out, p)
	}
	return out
}

// oneLine returns a value with a space behind each colon and comma.
func oneLine(data json.RawMessage) string {
	if first := data[0]; first != '{' && first != '[' {
		return strings.TrimSpace(string(data))
	}
	var b strings.Builder
	for i, p := range parts(data) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.key + oneLine(p.value))
	}
	if data[0] == '{' {
		return "{" + b.String() + "}"
	}
	return "[" + b.String() + "]"
}
