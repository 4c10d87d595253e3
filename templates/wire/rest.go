// Rest: undeclared members, which are kept so that re-encoding a struct loses nothing that newer peers add.

package wire

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Rest holds members that no field holds: those that are not declared, those that were null where that means that they
// are not there, and those that were malformed and may be. It is read, and never written but by a decoder.
type Rest struct{ kept *kept }

// kept is members, and items of lists that are members.
type kept struct {
	pieces [][]byte // of the text of the members, of which each has a comma before it
	shared bool     // the last piece is part of something else
	lists  []keptItems
}

// keptItems are the items that a list was decoded without.
type keptItems struct {
	name    string // of the member that is the list
	first   any    // where the list's first item is, nil for an empty one
	dropped DroppedItems
}

// DroppedItems are the items that a list was decoded without, in order.
type DroppedItems []droppedItem

// droppedItem is an item that was malformed, and how many others come before it.
type droppedItem struct {
	before int
	text   []byte
}

// Members returns the members by name, nil if there are none. Of several of one name it has the last.
func (r Rest) Members() map[string]json.RawMessage {
	if r.kept == nil || len(r.kept.pieces) == 0 {
		return nil
	}
	d := NewDecoder(r.object())
	return d.RawMap()
}

// Has reports whether there is a member of a name.
func (r Rest) Has(name string) bool {
	if r.kept == nil {
		return false
	}
	_, ok := r.Members()[name]
	return ok
}

// object returns the members as an object.
func (r Rest) object() []byte {
	text := bytes.Join(r.kept.pieces, nil)
	text[0] = '{'
	return append(text, '}')
}

// add notes a member.
func (r *Rest) add(key, value []byte) {
	text := r.piece(key)
	*text = append(*text, value...)
}

// addKept is add for a value that has been copied already.
func (r *Rest) addKept(key, value []byte) {
	r.piece(key)
	r.kept.pieces, r.kept.shared = append(r.kept.pieces, value), true
}

// piece begins a member, and returns the text to append its value to.
func (r *Rest) piece(key []byte) *[]byte {
	if r.kept == nil {
		r.kept = &kept{}
	}
	k := r.kept
	if len(k.pieces) == 0 || k.shared {
		k.pieces, k.shared = append(k.pieces, nil), false
	}
	text := &k.pieces[len(k.pieces)-1]
	*text = append(AppendString(append(*text, ','), string(key)), ':')
	return text
}

// KeepItems notes the items that a list was decoded without. What was noted of an earlier one of the name is forgotten.
func (r *Rest) KeepItems(name string, first any, dropped DroppedItems) {
	if r.kept != nil {
		r.kept.lists = slices.DeleteFunc(r.kept.lists, func(l keptItems) bool { return l.name == name })
	}
	if len(dropped) == 0 {
		return
	}
	if r.kept == nil {
		r.kept = &kept{}
	}
	r.kept.lists = append(r.kept.lists, keptItems{name, first, dropped})
}

// items returns the items that a list was decoded without, if it is still that list.
func (r Rest) items(name string, first any) DroppedItems {
	if r.kept == nil {
		return nil
	}
	for _, l := range r.kept.lists {
		if l.name == name && l.first == first {
			return l.dropped
		}
	}
	return nil
}

// Keep passes over a member that is not declared, and notes it. In an object that is read as several things, the one that
// holds the others does that.
func (d *Decoder) Keep(r *Rest, key []byte) {
	start := d.pos
	d.Skip()
	if !d.Failed() && !d.isShared(d.depth) {
		r.add(key, d.data[start:d.pos])
	}
}

// IsNull reports whether the next value is null, and consumes nothing.
func (d *Decoder) IsNull() bool { return d.pos < len(d.data) && d.data[d.pos] == 'n' }

// KeepNull notes a member that is null, if it is one of those for which that means that they are not there. The names
// stand behind the character that separates them. The value is still to be read.
func (d *Decoder) KeepNull(r *Rest, key []byte, names string) {
	if IsListed(string(key), names) {
		r.add(key, []byte("null"))
	}
}

// Append appends the members to an object that begins at start, each once, but for declared ones that it has by now. The
// names of these stand behind the character that separates them.
func (r Rest) Append(dst []byte, start int, declared string) []byte {
	if r.kept == nil || len(r.kept.pieces) == 0 {
		return dst
	}
	return r.append(dst, start, declared)
}

// fewKeys is how many members are looked through without a map.
const fewKeys = 16

// namedValue is a member of an object.
type namedValue struct {
	name  string
	value []byte
}

func (r Rest) append(dst []byte, start int, declared string) []byte {
	var few [fewKeys]namedValue
	members := few[:0]
	d := NewDecoder(r.object())
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := d.Copy(key)
		members = append(members, namedValue{name, d.Slice()})
	}
	var written map[string]json.RawMessage
	for _, m := range lastOfEach(members) {
		if IsListed(m.name, declared) {
			if written == nil {
				written = membersOf(dst[start:])
			}
			if _, ok := written[m.name]; ok {
				continue
			}
		}
		if len(dst) != start+1 || dst[start] != '{' { // the first of all, behind the brace
			dst = append(dst, ',')
		}
		dst = append(append(AppendString(dst, m.name), ':'), m.value...)
	}
	return dst
}

// lastOfEach returns the last member of each name, in place.
func lastOfEach(members []namedValue) []namedValue {
	again := func(i int) bool {
		return slices.ContainsFunc(members[i+1:], func(m namedValue) bool { return m.name == members[i].name })
	}
	if len(members) > fewKeys {
		last := make(map[string]int, len(members))
		for i, m := range members {
			last[m.name] = i
		}
		again = func(i int) bool { return last[members[i].name] != i }
	}
	n := 0
	for i, m := range members {
		if !again(i) {
			members[n] = m
			n++
		}
	}
	return members[:n]
}

// membersOf returns the members of an object that is not closed yet. It begins with a brace, or with the comma that
// becomes it.
func membersOf(open []byte) map[string]json.RawMessage {
	if len(open) == 0 {
		return map[string]json.RawMessage{}
	}
	whole := append(append([]byte{'{'}, open[1:]...), '}')
	d := NewDecoder(whole)
	out := map[string]json.RawMessage{}
	for key := d.Object(); key != nil; key = d.NextKey() {
		name := string(key)
		out[name] = d.Slice()
	}
	return out
}
