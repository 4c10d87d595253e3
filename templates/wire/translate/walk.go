// Walking: one pass over a JSON text, which copies what does not differ.

package translate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// convert converts a value. It returns data itself if nothing differs, and nil if the value was left out.
func (d *Direction) convert(n Number, data []byte, c *Context) (json.RawMessage, error) {
	if n == 0 {
		return data, nil
	}
	if !c.valid {
		if err := check(data); err != nil {
			return nil, err
		}
	}
	w := walker{d: d, c: c, in: newCursor(data), src: data}
	kept := w.value(n)
	switch {
	case w.err != nil:
		return nil, w.err
	case !kept:
		return nil, nil
	case w.out == nil:
		return data, nil
	}
	return append(w.out, data[w.copied:]...), nil
}

// walker is the state of one pass. What is written lags behind what is read, so that a text without differences is never
// copied.
type walker struct {
	d       *Direction
	c       *Context
	in      cursor
	src     []byte
	out     []byte
	copied  int // how much of src is in out or was replaced
	err     error
	spare   []*record // of objects that are done
	scratch []byte    // where objects are written that functions have changed
	first   bool      // functions are called before the members of their objects are converted
	within  bool      // an object is being read whose functions are called afterwards
}

// replace replaces a part of the text.
func (w *walker) replace(from, to int, by []byte) {
	w.begin(len(by) - (to - from))
	w.out = append(w.out, w.src[w.copied:from]...)
	w.out = append(w.out, by...)
	w.copied = to
}

// begin makes room for the output, if there is none yet.
func (w *walker) begin(more int) {
	if w.out == nil {
		w.out = make([]byte, 0, len(w.src)+max(more, 0)+64)
	}
}

// value converts the next value and reports whether it is kept. If it is not, the caller removes it.
func (w *walker) value(n Number) bool {
	if n == 0 || w.err != nil {
		w.in.Skip()
		return true
	}
	t := &w.d.Types[n]
	kind := w.in.Kind()
	if kind == '{' && t.Channel != "" {
		outer := w.c.Channel
		w.c.Channel = w.channel(t.Channel)
		defer func() { w.c.Channel = outer }()
	}
	if kind == '{' && len(t.Funcs) > 0 {
		return w.changed(t)
	}
	return w.unchanged(t, kind)
}

// unchanged converts a value that no function changes, or one that they have changed.
func (w *walker) unchanged(t *Type, kind byte) bool {
	switch {
	case t.Kind == Mixed:
		return w.mixed(t, kind)
	case kind == '"' && t.Kind == Text:
		w.text(t)
	case kind == '[' && t.Kind == List:
		w.list(t)
	case kind == '{' && t.Kind == Struct:
		return w.object(t, nil)
	case kind == '{' && t.Kind == Map:
		w.entries(t)
	case kind == '{' && t.Kind == Tagged:
		return w.tagged(t)
	case kind == '{' && t.Kind == Shaped:
		return w.shaped(t)
	default:
		w.in.Skip()
	}
	return true
}

// channel returns the channel that the next object names.
func (w *walker) channel(member string) string {
	look := w.in
	for key := look.Object(); key != nil; key = look.NextKey() {
		if string(key) == member {
			return textOf(look.Slice())
		}
	}
	return ""
}

// text converts one of several strings.
func (w *walker) text(t *Type) {
	start := w.in.pos
	text := textOf(w.in.Slice())
	for _, v := range t.Values {
		if text == v.From {
			w.replace(start, w.in.pos, wire.AppendString(nil, v.To))
			return
		}
	}
}

// row is the separation of the members of an object, or of the items of an array, in the output.
type row struct {
	start int  // of the first one, behind the bracket
	end   int  // of the last one that was read
	any   bool // one has been kept
}

// keep is called before a member or an item that starts at an offset is written, and restores the separation from the last
// one that was kept.
func (r *row) keep(w *walker, start int) {
	if !r.any && r.end > r.start {
		w.replace(r.start, start, nil) // the removed ones before the first
	}
	r.any = true
}

// remove removes the member or item that was just read, with the comma before it.
func (r *row) remove(w *walker, to int) {
	if r.any {
		w.replace(r.end, to, nil)
	}
}

// finish removes everything if nothing was kept.
func (r *row) finish(w *walker) {
	if !r.any && r.end > r.start {
		w.replace(r.start, r.end, nil)
	}
}

// mark is a place in the output, to return to.
type mark struct{ out, copied int }

func (w *walker) mark() mark { return mark{len(w.out), w.copied} }

// undo forgets what was written since a mark.
func (w *walker) undo(m mark) { w.out, w.copied = w.out[:m.out], m.copied }

// object converts the members of an object and reports whether it is kept. It notes them in rec, if there is one.
func (w *walker) object(t *Type, rec *record) bool {
	before := w.mark()
	seen := 0 // a bit for each of the first members to add
	r := row{start: w.in.pos + 1}
	r.end = r.start
	kept := true
	for key := w.in.Object(); key != nil; key = w.in.NextKey() {
		m := t.member(key)
		seen |= t.adds(m, key)
		value := w.in.pos
		if m != nil && m.Drop {
			w.in.Skip()
			r.remove(w, w.in.pos)
			r.end = w.in.pos
			rec.note(w, key, value, nil)
			continue
		}
		start, at := w.keyAt(r.end), w.mark()
		had := r.any
		r.keep(w, start)
		there, as := true, []byte(nil)
		if m == nil {
			w.in.Skip()
		} else {
			if m.To != "" {
				w.replace(start, value, append(wire.AppendString(nil, m.To), ':'))
			}
			inside := w.mark()
			if there = w.value(m.Type); there && rec != nil {
				as = w.part(inside, value)
			}
		}
		if there && as == nil {
			as = w.src[value:w.in.pos:w.in.pos]
		}
		rec.note(w, key, value, as)
		if !there {
			w.undo(at)
			r.any = had
			r.remove(w, w.in.pos)
			kept = kept && !m.Needed
		}
		r.end = w.in.pos
	}
	if w.in.bad {
		return true
	}
	if !kept {
		w.undo(before)
		return false
	}
	r.finish(w)
	w.add(t, seen, r.any)
	return true
}

// adds returns a bit for a member that need not be added, since it is there.
func (t *Type) adds(m *Member, key []byte) int {
	for i := range t.Add {
		if m != nil && m.To == t.Add[i].Name || (m == nil || m.To == "") && t.Add[i].Name == string(key) {
			return 1 << i
		}
	}
	return 0
}

// add adds the members that an object lacks, before its end.
func (w *walker) add(t *Type, seen int, comma bool) {
	for i, a := range t.Add {
		if seen&(1<<i) != 0 {
			continue
		}
		var text []byte
		if comma {
			text = append(text, ',')
		}
		text = append(append(wire.AppendString(text, a.Name), ':'), a.JSON...)
		end := w.in.pos - 1
		w.replace(end, end, text)
		comma = true
	}
}

// keyAt returns where the next key starts.
func (w *walker) keyAt(end int) int { return end + bytes.IndexByte(w.src[end:], '"') }

// member returns the row of a member, or nil.
func (t *Type) member(key []byte) *Member {
	for i := range t.Members {
		if m := &t.Members[i]; m.Name == string(key) {
			return m
		}
	}
	return nil
}

// list converts the items of an array, and leaves out those that the other version does not have.
func (w *walker) list(t *Type) {
	r := row{start: w.in.pos + 1}
	r.end = r.start
	for ok := w.in.Array(); ok; ok = w.in.NextItem() {
		w.entry(&r, w.in.pos, t.Item)
	}
	if !w.in.bad {
		r.finish(w)
	}
}

// entries converts the values of a map.
func (w *walker) entries(t *Type) {
	r := row{start: w.in.pos + 1}
	r.end = r.start
	for key := w.in.Object(); key != nil; key = w.in.NextKey() {
		w.entry(&r, w.keyAt(r.end), t.Item)
	}
	if !w.in.bad {
		r.finish(w)
	}
}

// entry converts an item or the value of an entry that starts at an offset.
func (w *walker) entry(r *row, start int, n Number) {
	at, had := w.mark(), r.any
	r.keep(w, start)
	if !w.value(n) {
		w.undo(at)
		r.any = had
		r.remove(w, w.in.pos)
	}
	r.end = w.in.pos
}

// tagged converts a variant that has a tag, or lacks it.
func (w *walker) tagged(t *Type) bool {
	look := w.in
	if v := t.find(&look); v != nil {
		return w.variant(v)
	}
	w.in.Skip()
	return true
}

// anyTag is AnyTag as tags are compared.
var anyTag = []byte(AnyTag)

// find returns the variant of the next object, or nil if the object is the same in both versions.
func (t *Type) find(in *cursor) *Variant {
	var tag []byte
	for key := in.Object(); key != nil; key = in.NextKey() {
		if string(key) == t.Tag {
			tag = in.Slice()
			break
		}
	}
	if bytes.IndexByte(tag, '\\') >= 0 {
		tag = plain(tag)
	}
	if string(tag) == "null" {
		tag = nil
	}
	byTag := func(v Variant, tag []byte) int { return cmp.Compare(v.Tag, string(tag)) }
	i, ok := slices.BinarySearchFunc(t.Variants, tag, byTag)
	if !ok && tag != nil {
		i, ok = slices.BinarySearchFunc(t.Variants, anyTag, byTag)
	}
	if !ok {
		return nil
	}
	return &t.Variants[i]
}

// plain returns a string without escapes that need not be there.
func plain(tag []byte) []byte {
	var text string
	if json.Unmarshal(tag, &text) != nil {
		return tag
	}
	return wire.AppendString(nil, text)
}

// shaped converts a variant that is told by its members.
func (w *walker) shaped(t *Type) bool {
	has := make([]int, len(t.Variants))
	look := w.in
	for key := look.Object(); key != nil; key = look.NextKey() {
		for i := range t.Variants {
			v := &t.Variants[i]
			if v.Sole != "" && v.Sole == string(key) {
				return w.variant(v)
			}
			if slices.Contains(v.Has, string(key)) {
				has[i]++
			}
		}
	}
	for i := range t.Variants {
		if v := &t.Variants[i]; has[i] >= len(v.Has) {
			return w.variant(v)
		}
	}
	w.in.Skip()
	return true
}

// mixed converts a variant that is told by its JSON type.
func (w *walker) mixed(t *Type, kind byte) bool {
	for i := range t.Variants {
		if v := &t.Variants[i]; v.Tag[0] == kind {
			return w.variant(v)
		}
	}
	w.in.Skip()
	return true
}

func (w *walker) variant(v *Variant) bool {
	if v.Drop {
		w.in.Skip()
		return false
	}
	return w.value(v.Type)
}
