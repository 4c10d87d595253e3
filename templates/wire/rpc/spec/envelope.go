// Envelopes: messages that are not JSON-RPC 2.0, described by one form for each kind.

package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Forms describes the messages of a protocol: one JSON text for each kind, in which texts such as "$method" stand for what
// differs from message to message, and everything else is constant. A placeholder that ends with a question mark may be
// left out. A constant that begins with a dollar sign is written with two. This is JSON-RPC without a version:
//
//	Request:      `{"id": "$id", "method": "$method", "params": "$params?"}`
//	Result:       `{"id": "$id", "result": "$result"}`
//	Failure:      `{"id": "$id", "error": {"code": "$code", "message": "$message", "data": "$data?"}}`
//	Notification: `{"method": "$method", "params": "$params?"}`
//
// With $sequence, each side numbers its messages from one on, and the id of a request is its number.
type Forms struct {
	Request      string
	Result       string
	Failure      string
	Notification string // "" if there are none
	// TextIDs says that the ids of requests are texts instead of numbers.
	TextIDs bool
	// Codes are the texts of error codes, if $code is a text.
	Codes map[int64]string
}

// Hole is what a placeholder stands for.
type Hole string

// The placeholders. The id is that of a request or of the one that is answered; an answer may repeat the method.
const (
	HoleID       Hole = "id"
	HoleMethod   Hole = "method"
	HoleParams   Hole = "params"
	HoleResult   Hole = "result"
	HoleCode     Hole = "code"
	HoleMessage  Hole = "message"
	HoleData     Hole = "data"
	HoleSequence Hole = "sequence"
)

// holes are the placeholders of each kind of message; those that must be there have an exclamation mark.
var holes = map[string]string{
	"request": "id! method! params", "result": "id! method result sequence",
	"failure": "id! method code message data sequence", "notification": "method! params sequence",
}

// MaxSlots bounds the different members of all forms.
const MaxSlots = 16

// Envelope is Forms ready for use. See [NewEnvelope].
type Envelope struct {
	Forms    []*Form // requests before notifications
	Slots    []Slot  // the members that any form has
	Array    bool    // messages are arrays
	Sequence bool    // messages are numbered
	TextIDs  bool
	Codes    map[int64]string
}

// Form is the form of one kind of message.
type Form struct {
	Kind string // request, result, failure or notification
	Root *Part
}

// Part is a value within a form: a constant, a placeholder, or an object or array of parts.
type Part struct {
	Key      string // of the member; "" for an item
	Text     []byte // the key as JSON with a colon
	Slot     int    // index of the value among those read; -1 for the whole message
	Const    []byte // JSON of a constant, or nil
	Hole     Hole   // or ""
	Optional bool   // the placeholder may be left out
	Array    bool   // the parts are items
	Parts    []*Part
}

// Slot is a member that is read, with the members inside of it.
type Slot struct {
	Name   string
	Index  int
	Inside []Slot
}

// MustEnvelope is NewEnvelope for forms that are known to be right. It panics if they are not.
func MustEnvelope(f Forms) *Envelope {
	e, err := NewEnvelope(f)
	if err != nil {
		panic(err)
	}
	return e
}

// FormError is an error in the form of a kind of message.
type FormError struct {
	Kind string // request, result, failure or notification
	Err  error
}

// Error implements error.
func (e *FormError) Error() string { return e.Kind + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e *FormError) Unwrap() error { return e.Err }

// NewEnvelope checks forms: each kind has the placeholders that it needs, and no message can be taken for one of another
// kind. An error is a [*FormError].
func NewEnvelope(f Forms) (*Envelope, error) {
	e := &Envelope{TextIDs: f.TextIDs, Codes: f.Codes}
	slots := 0
	for i, of := range []struct{ kind, text string }{{"request", f.Request}, {"result", f.Result}, {"failure", f.Failure}, {"notification", f.Notification}} {
		if of.text == "" && of.kind == "notification" {
			continue
		}
		root, err := parse(of.text)
		if err == nil {
			err = checkHoles(root, strings.Fields(holes[of.kind]))
		}
		if err == nil && i > 0 && root.Array != e.Array {
			err = errors.New("some messages are objects, and others are arrays")
		}
		if err == nil {
			if number(root, &e.Slots, &slots); slots > MaxSlots {
				err = fmt.Errorf("the messages have more than %d members", MaxSlots)
			}
		}
		if err != nil {
			return nil, &FormError{of.kind, err}
		}
		e.Array = root.Array
		e.Sequence = e.Sequence || root.has(HoleSequence)
		form := &Form{of.kind, root}
		for _, other := range e.Forms {
			if !apart(other.Root, root) {
				return nil, &FormError{of.kind, fmt.Errorf("such a message can be taken for a %s: let one have a constant that the other has not", other.Kind)}
			}
		}
		e.Forms = append(e.Forms, form)
	}
	if e.Sequence && e.TextIDs {
		return nil, &FormError{"request", errors.New("the ids of numbered messages are numbers")}
	}
	return e, nil
}

// Form returns the form of a kind, or nil.
func (e *Envelope) Form(kind string) *Form {
	i := slices.IndexFunc(e.Forms, func(f *Form) bool { return f.Kind == kind })
	if i < 0 {
		return nil
	}
	return e.Forms[i]
}

// Path returns the members that lead to a placeholder, and whether the form has it.
func (f *Form) Path(hole Hole) ([]string, bool) { return f.Root.path(hole) }

func (p *Part) path(hole Hole) ([]string, bool) {
	if p.Hole == hole {
		return nil, true
	}
	for _, part := range p.Parts {
		if rest, ok := part.path(hole); ok {
			return append([]string{part.Key}, rest...), true
		}
	}
	return nil, false
}

func (p *Part) has(hole Hole) bool {
	_, ok := p.path(hole)
	return ok
}

// parse reads a form.
func parse(text string) (*Part, error) {
	if text == "" {
		return nil, errors.New("missing")
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	root, err := parseValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	if root.Parts == nil {
		return nil, errors.New("want an object or an array with placeholders")
	}
	root.Slot = -1
	return root, nil
}

// parseValue reads a part of a form.
func parseValue(d *json.Decoder, depth int) (*Part, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' && depth > 0 || depth > 2 {
			return nil, errors.New("only objects may be inside a message, two of them within each other at most")
		}
		return parseParts(d, token == '[', depth)
	case string:
		name, isHole := strings.CutPrefix(token, "$")
		if !isHole || strings.HasPrefix(name, "$") {
			data, err := json.Marshal(strings.TrimPrefix(token, "$"))
			if !isHole {
				data, err = json.Marshal(token)
			}
			return &Part{Const: data}, err
		}
		name, optional := strings.CutSuffix(name, "?")
		return &Part{Hole: Hole(name), Optional: optional}, nil
	}
	data, err := json.Marshal(token)
	return &Part{Const: data}, err
}

// parseParts reads the members or items of a part.
func parseParts(d *json.Decoder, array bool, depth int) (*Part, error) {
	out := &Part{Array: array}
	for d.More() {
		key := ""
		if !array {
			token, err := d.Token()
			if err != nil {
				return nil, fmt.Errorf("no valid JSON: %w", err)
			}
			key, _ = token.(string)
		}
		part, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if array {
			if len(out.Parts) > 0 && out.Parts[len(out.Parts)-1].Optional && !part.Optional {
				return nil, errors.New("only the last items of an array may be left out")
			}
		} else if slices.ContainsFunc(out.Parts, func(p *Part) bool { return p.Key == key }) {
			return nil, fmt.Errorf("%q is given twice", key)
		}
		if part.Key = key; !array {
			name, err := json.Marshal(key)
			if err != nil {
				return nil, err
			}
			part.Text = append(name, ':')
		}
		out.Parts = append(out.Parts, part)
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("no valid JSON: %w", err)
	}
	return out, nil
}

// checkHoles checks the placeholders of a form.
func checkHoles(root *Part, allowed []string) error {
	seen := map[Hole]int{}
	optional := map[Hole]bool{}
	var count func(*Part)
	count = func(p *Part) {
		if p.Hole != "" || p.Const == nil && p.Parts == nil {
			seen[p.Hole]++
			optional[p.Hole] = p.Optional
		}
		for _, part := range p.Parts {
			count(part)
		}
	}
	count(root)
	known := map[Hole]bool{}
	for _, name := range allowed {
		name, needed := strings.CutSuffix(name, "!")
		hole := Hole(name)
		known[hole] = true
		if needed && (seen[hole] == 0 || optional[hole]) {
			return fmt.Errorf("there has to be a $%s", hole)
		}
	}
	for _, hole := range slices.Sorted(maps.Keys(seen)) {
		switch {
		case !known[hole]:
			return fmt.Errorf("there is no $%s here; there is %s", hole, "$"+strings.Join(strings.Fields(strings.ReplaceAll(strings.Join(allowed, " "), "!", "")), ", $"))
		case seen[hole] > 1:
			return fmt.Errorf("$%s is given twice", hole)
		}
	}
	return nil
}

// number gives the parts of a form their slots, those of other forms where the members are the same.
func number(p *Part, slots *[]Slot, count *int) {
	for i, part := range p.Parts {
		name := part.Key
		if p.Array {
			name = fmt.Sprint(i)
		}
		at := slices.IndexFunc(*slots, func(s Slot) bool { return s.Name == name })
		if at < 0 {
			at = len(*slots)
			*slots = append(*slots, Slot{Name: name, Index: *count})
			*count++
		}
		part.Slot = (*slots)[at].Index
		number(part, &(*slots)[at].Inside, count)
	}
}

// apart reports whether no message of the form later fits the form first, which is tried before.
func apart(first, later *Part) bool {
	for i, part := range first.Parts {
		other := counterpart(later, part.Key, i)
		switch {
		case other == nil:
			if part.needed() {
				return true
			}
		case part.Const != nil && other.Const != nil:
			if !bytes.Equal(part.Const, other.Const) {
				return true
			}
		case part.Parts != nil && other.Parts != nil:
			if apart(part, other) {
				return true
			}
		case part.Parts != nil && part.needed() && other.Const != nil, part.Const != nil && other.Parts != nil:
			return true
		}
	}
	return false
}

// counterpart returns the part at the same place of another form, or nil.
func counterpart(of *Part, key string, index int) *Part {
	if of.Array {
		if index < len(of.Parts) {
			return of.Parts[index]
		}
		return nil
	}
	if i := slices.IndexFunc(of.Parts, func(p *Part) bool { return p.Key == key }); i >= 0 {
		return of.Parts[i]
	}
	return nil
}

// needed reports whether a part must be there.
func (p *Part) needed() bool {
	if p.Parts != nil {
		return slices.ContainsFunc(p.Parts, (*Part).needed)
	}
	return !p.Optional
}
