// Package jsonedit changes single values of a JSON text, such as a configuration file. Everything around them stays as it
// is written.
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
	"github.com/ahpgen/ahpgen/generator/internal/schema"
)

// edit puts a text in the place of another.
type edit struct {
	from, to int
	text     string
}

// Text is a JSON text whose values can be changed one by one.
type Text struct {
	text  []byte
	Root  *schema.Node
	edits []edit
}

// Parse reads a text, which has to be an object with members.
func Parse(text []byte) (*Text, error) {
	var none diag.List
	root := schema.ParseJSON("", text, &none)
	if root == nil || root.Kind != schema.Object || len(root.Members) == 0 {
		return nil, errors.New("write configuration: it is no JSON object with members") // it was read before
	}
	return &Text{text: text, Root: root}, nil
}

// Set gives a member of an object a value. One that is not there goes before the first member.
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

// Spaced sets off the values of a list as people do.
func Spaced(list []byte) string {
	var items []json.RawMessage
	if json.Unmarshal(list, &items) != nil {
		return string(list)
	}
	var out []string
	for _, item := range items {
		out = append(out, string(item))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// extent is where a value stands.
func (j *Text) extent(node *schema.Node) (from, to int, err error) {
	from = offsetOf(j.text, node.Pos)
	var old json.RawMessage
	err = json.NewDecoder(bytes.NewReader(j.text[from:])).Decode(&old)
	return from, from + len(old), err
}

// Add puts a member before the first one of an object, on a line of its own if that one has one.
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

// gap is what sets a value off from the one before it: a line end and the indent if it starts a line,
// else a blank.
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

// SetList changes a list of texts: those that stay are as they were written.
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

// Remove takes members of an object away, with what sets them off from the next or, at the end, from the one
// before.
func (j *Text) Remove(object *schema.Node, keys []string) error {
	last := -1 // the last one that stays
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

// Apply makes the edits.
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

// offsetOf is the place of a position in a text.
func offsetOf(text []byte, pos diag.Pos) int {
	offset := 0
	for range pos.Line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return offset + pos.Col - 1
}
