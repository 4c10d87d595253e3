// Objects: what functions change.

package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Object is a JSON object whose members a function changes. It keeps their order and their bytes. Of a member that comes
// twice, only the last one counts.
type Object struct {
	members []member
	source  []byte // what it was parsed from, as long as nothing has changed
}

type member struct {
	name  []byte
	value json.RawMessage

	// What is known of the conversion, unless it was changed since: it was done, to what, or to nil if it is left out.
	done bool
	as   json.RawMessage
}

// Parse returns the object in a text.
func Parse(data []byte) (*Object, error) {
	d := wire.NewDecoder(data)
	if d.Kind() != '{' {
		d.Mismatch("object")
	}
	d.Skip()
	if err := d.Finish(); err != nil {
		return nil, err
	}
	return parse(data), nil
}

// parse is Parse for an object that is known to be valid.
func parse(data []byte) *Object {
	c := newCursor(data)
	o := &Object{members: make([]member, 0, 16)}
	var known names
	for key := c.Object(); key != nil; key = c.NextKey() {
		value := c.Slice()
		if i := known.add(o.members, key); i >= 0 {
			o.members[i].value = value
			continue
		}
		o.members = append(o.members, member{name: key, value: value})
	}
	o.source = data
	return o
}

func (o *Object) at(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return string(m.name) == name })
}

// names finds members that come twice. Few are compared with each other, many are put into a map.
type names map[string]int

// add returns the place of the member with a name, or -1 for one that comes next.
func (n *names) add(members []member, name []byte) int {
	if len(members) < 32 {
		return slices.IndexFunc(members, func(m member) bool { return bytes.Equal(m.name, name) })
	}
	if *n == nil {
		*n = names{}
		for i, m := range members {
			(*n)[string(m.name)] = i
		}
	}
	if i, twice := (*n)[string(name)]; twice {
		return i
	}
	(*n)[string(name)] = len(members)
	return -1
}

// Has reports whether there is a member.
func (o *Object) Has(name string) bool { return o.at(name) >= 0 }

// Names returns the names of the members, in order.
func (o *Object) Names() []string {
	out := make([]string, len(o.members))
	for i, m := range o.members {
		out[i] = string(m.name)
	}
	return out
}

// Get returns a member, or nil.
func (o *Object) Get(name string) json.RawMessage {
	if i := o.at(name); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// Text returns a member that is a string, or "".
func (o *Object) Text(name string) string {
	return textOf(o.Get(name))
}

func textOf(data json.RawMessage) string {
	d := wire.NewDecoder(data)
	if d.Kind() != '"' {
		return ""
	}
	return d.Str()
}

// Int returns a member that is an integer, or 0.
func (o *Object) Int(name string) int64 {
	var n int64
	if json.Unmarshal(o.Get(name), &n) != nil {
		return 0
	}
	return n
}

// True reports whether a member is true.
func (o *Object) True(name string) bool { return string(o.Get(name)) == "true" }

// Object returns a member that is an object, or nil. It is a copy: changes count once it is set again.
func (o *Object) Object(name string) *Object {
	out, err := Parse(o.Get(name))
	if err != nil {
		return nil
	}
	return out
}

// Items returns the items of a member that is an array, or nil.
func (o *Object) Items(name string) []json.RawMessage {
	return itemsOf(o.Get(name))
}

// Items returns the items of an array. It returns nil for another value.
func Items(array json.RawMessage) []json.RawMessage {
	if check(array) != nil {
		return nil
	}
	return itemsOf(array)
}

// itemsOf is Items for a value that is known to be valid.
func itemsOf(array json.RawMessage) []json.RawMessage {
	c := newCursor(array)
	if c.Kind() != '[' {
		return nil
	}
	out := []json.RawMessage{}
	for ok := c.Array(); ok; ok = c.NextItem() {
		out = append(out, c.Slice())
	}
	return out
}

// Set sets a member. A new one becomes the last. A nil value, such as that of a member that is not there, removes it.
func (o *Object) Set(name string, value json.RawMessage) {
	if value == nil {
		o.Take(name)
		return
	}
	i := o.at(name)
	if i >= 0 && bytes.Equal(o.members[i].value, value) {
		return
	}
	o.source = nil
	if i >= 0 {
		o.members[i] = member{name: o.members[i].name, value: value}
		return
	}
	o.members = append(o.members, member{name: []byte(name), value: value})
}

// SetText sets a member to a string.
func (o *Object) SetText(name, text string) { o.Set(name, wire.AppendString(nil, text)) }

// SetObject sets a member to an object.
func (o *Object) SetObject(name string, value *Object) { o.Set(name, value.JSON()) }

// SetItems sets a member to an array.
func (o *Object) SetItems(name string, items []json.RawMessage) {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	o.Set(name, append(out, ']'))
}

// Take removes a member and returns it, or nil.
func (o *Object) Take(name string) json.RawMessage {
	i := o.at(name)
	if i < 0 {
		return nil
	}
	o.source = nil
	out := o.members[i].value
	o.members = slices.Delete(o.members, i, i+1)
	return out
}

// Rename changes the name of a member and keeps its place. It does nothing if there is no such member, and replaces one of
// the new name.
func (o *Object) Rename(name, to string) {
	if i := o.at(name); i >= 0 {
		o.source = nil
		o.Take(to)
		i = o.at(name)
		o.members[i] = member{name: []byte(to), value: o.members[i].value}
	}
}

// Copy returns a copy with the same members.
func (o *Object) Copy() *Object { return &Object{slices.Clone(o.members), o.source} }

// JSON returns the object as JSON.
func (o *Object) JSON() json.RawMessage {
	if o.source != nil {
		return o.source
	}
	return o.append(make([]byte, 0, o.size()))
}

// size returns about how long the object is as JSON.
func (o *Object) size() int {
	size := 2
	for _, m := range o.members {
		size += len(m.name) + len(m.value) + 4
	}
	return size
}

// append appends the object as JSON.
func (o *Object) append(out []byte) []byte {
	out = append(out, '{')
	for i, m := range o.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(wire.AppendString(out, string(m.name)), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

// Errors of functions.
var (
	// ErrNeedsState is returned if a function needs the state of a channel that is not known, as when actions are replayed.
	ErrNeedsState = errors.New("the state of the channel is needed")
	// ErrImpossible is wrapped by the errors of [Context.Impossible].
	ErrImpossible = errors.New("cannot be said in the other version")
)
