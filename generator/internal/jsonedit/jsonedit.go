// Package jsonedit edits single values in JSON text, preserving everything else.
package jsonedit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/each"
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// edit replaces a range of text.
type edit struct {
	from, to int
	text     string
}

// Text is a JSON text under edit.
type Text struct {
	text  []byte
	Root  *schema.Node
	edits []edit
}

// Parse parses the text of a non-empty JSON object.
func Parse(text []byte) (*Text, error) {
	root, _ := schema.ParseJSON("", text)
	if root == nil || root.Kind != schema.Object || len(root.Members) == 0 {
		return nil, errors.New("write configuration: it is no JSON object with members") // already parsed by the caller
	}
	return &Text{text: text, Root: root}, nil
}

// Set sets a member of an object. A new member is added before the first one.
func (j *Text) Set(object *schema.Node, key string, value any) error {
	quoted, err := json.Marshal(value)
	if err != nil {
		return err
	}
	node := object.Get(key)
	if node == nil {
		return j.Add(object, fmt.Sprintf("%q: %s", key, Spaced(quoted)))
	}
	from, to, err := j.extent(node)
	if err == nil {
		j.edits = append(j.edits, edit{from, to, string(quoted)})
	}
	return err
}

// Spaced formats a list with spaces after commas.
func Spaced(list []byte) string {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return string(list)
	}
	out := each.Map(items, func(item json.RawMessage) string { return string(item) })
	return "[" + strings.Join(out, ", ") + "]"
}

// extent returns the range of a value.
func (j *Text) extent(node *schema.Node) (from, to int, err error) {
	from = offsetOf(j.text, node.Pos)
	var old json.RawMessage
	err = json.NewDecoder(bytes.NewReader(j.text[from:])).Decode(&old)
	return from, from + len(old), err
}

// Add inserts a member before the first one, on its own line if that one is.
func (j *Text) Add(object *schema.Node, member string) error {
	if len(object.Members) == 0 {
		from, to, err := j.extent(object)
		if err == nil {
			j.edits = append(j.edits, edit{from, to, "{" + member + "}"})
		}
		return err
	}
	at := offsetOf(j.text, object.Members[0].KeyPos)
	j.edits = append(j.edits, edit{at, at, member + "," + j.gap(at)})
	return nil
}

// gap returns the separator before a value: line end and indent if it starts a line, or a space.
func (j *Text) gap(at int) string {
	line := bytes.LastIndexByte(j.text[:at], '\n') + 1
	indent := j.text[line:at]
	if line == 0 || len(bytes.TrimSpace(indent)) > 0 {
		return " "
	}
	eol := "\n"
	if bytes.HasSuffix(j.text[:line], []byte("\r\n")) {
		eol = "\r\n"
	}
	return eol + string(indent)
}

// SetList replaces a list of strings. Unchanged items keep their text.
func (j *Text) SetList(node *schema.Node, values []string) error {
	from, to, err := j.extent(node)
	if err != nil {
		return err
	}
	if len(node.Items) == 0 || len(values) == 0 {
		text, err := json.Marshal(append([]string{}, values...))
		j.edits = append(j.edits, edit{from, to, Spaced(text)})
		return err
	}
	first := offsetOf(j.text, node.Items[0].Pos)
	_, end, err := j.extent(node.Items[len(node.Items)-1])
	if err != nil {
		return err
	}
	var items []string
	for _, v := range values {
		quoted, err := json.Marshal(v)
		if err != nil {
			return err
		}
		items = append(items, string(quoted))
	}
	j.edits = append(j.edits, edit{first, end, strings.Join(items, ","+j.gap(first))})
	return nil
}

// Remove removes members of an object with their separators.
func (j *Text) Remove(object *schema.Node, keys []string) error {
	last := -1 // the last remaining member
	for i, m := range object.Members {
		if !slices.Contains(keys, m.Key) {
			last = i
		}
	}
	from, to, err := j.extent(object)
	if err != nil {
		return err
	}
	if last < 0 {
		j.edits = append(j.edits, edit{from, to, "{}"})
		return nil
	}
	for i, m := range object.Members[:last] {
		if slices.Contains(keys, m.Key) {
			j.edits = append(j.edits, edit{offsetOf(j.text, m.KeyPos), offsetOf(j.text, object.Members[i+1].KeyPos), ""})
		}
	}
	if last == len(object.Members)-1 {
		return nil
	}
	_, from, err = j.extent(object.Members[last].Value)
	if err != nil {
		return err
	}
	_, to, err = j.extent(object.Members[len(object.Members)-1].Value)
	j.edits = append(j.edits, edit{from, to, ""})
	return err
}

// Apply applies the edits.
func (j *Text) Apply() []byte {
	slices.SortStableFunc(j.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	done := 0
	for _, e := range j.edits {
		out = append(append(out, j.text[done:e.from]...), e.text...)
		done = e.to
	}
	return append(out, j.text[done:]...)
}

// offsetOf returns the offset of a position.
func offsetOf(text []byte, pos diag.Pos) int {
	offset := 0
	for range pos.Line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return offset + pos.Col - 1
}
