// Redact: values that are not to be recorded.

package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Redacted takes the place of a value.
const Redacted = "[redacted]"

// Redactor replaces values in messages before they are recorded. A path has the names of members and the indexes of items,
// separated by dots; * is any one of them, and ** any number.
type Redactor struct {
	framing Framing
	paths   [][]string
}

// NewRedactor returns a redactor, or an error for a path that names nothing.
func NewRedactor(f Framing, paths []string) (*Redactor, error) {
	r := &Redactor{framing: f}
	for _, path := range paths {
		steps := strings.Split(path, ".")
		if slices.Contains(steps, "") || steps[len(steps)-1] == "**" {
			return nil, fmt.Errorf("no path %q: write names of members, such as params.token or **.apiKey", path)
		}
		r.paths = append(r.paths, steps)
	}
	return r, nil
}

// Entry returns an entry without the values. Text that cannot be searched, because it is no JSON or was truncated, is left out.
func (r *Redactor) Entry(e *Entry) *Entry {
	if len(r.paths) == 0 || len(e.Data) == 0 {
		return e
	}
	out := *e
	body := Body(r.framing, e.Data)
	switch {
	case len(body) == 0:
		return e
	case e.Cut || e.More || !json.Valid(body):
		out.Data = r.framed([]byte(strconv.Quote(Redacted)))
		return &out
	}
	if text := r.replace(body); !bytes.Equal(text, body) {
		out.Data = r.framed(text)
	}
	return &out
}

// framed gives a message that was changed its framing.
func (r *Redactor) framed(body []byte) []byte {
	switch r.framing {
	case Headers:
		return append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	case Lines:
		return append(body, '\n')
	}
	return body
}

// replace returns valid JSON without the values. Everything else is as it was.
func (r *Redactor) replace(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var out []byte
	at := 0
	var walk func(path []string)
	walk = func(path []string) {
		if r.has(path) {
			start := int(d.InputOffset())
			for start < len(body) && strings.IndexByte(" \t\r\n:,", body[start]) >= 0 {
				start++
			}
			var value json.RawMessage
			if d.Decode(&value) == nil {
				out = append(append(out, body[at:start]...), strconv.Quote(Redacted)...)
				at = int(d.InputOffset())
			}
			return
		}
		token, _ := d.Token()
		switch token {
		case json.Delim('{'):
			for d.More() {
				name, _ := d.Token()
				walk(append(slices.Clip(path), fmt.Sprint(name)))
			}
			_, _ = d.Token()
		case json.Delim('['):
			for i := 0; d.More(); i++ {
				walk(append(slices.Clip(path), strconv.Itoa(i)))
			}
			_, _ = d.Token()
		}
	}
	walk(nil)
	return append(out, body[at:]...)
}

func (r *Redactor) has(path []string) bool {
	return slices.ContainsFunc(r.paths, func(pattern []string) bool { return Matches(pattern, path) })
}

// Matches reports whether a path fits a pattern, step by step.
func Matches(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return len(path) == 0
	case pattern[0] == "**":
		return Matches(pattern[1:], path) || len(path) > 0 && Matches(pattern, path[1:])
	case len(path) == 0:
		return false
	}
	return (pattern[0] == "*" || pattern[0] == path[0]) && Matches(pattern[1:], path[1:])
}
