// Changing: objects that functions change. Their members are converted while the object is read, so that it is read once;
// what functions then change is converted anew.

package translate

import (
	"encoding/json"
	"errors"
	"slices"
)

// record notes the members of an object, as they came and as they were converted.
type record struct {
	object Object
	known  names
	twice  bool // a member came twice
}

// note notes a member that was just read, with what became of it: nil if it is left out.
func (r *record) note(w *walker, key []byte, value int, as []byte) {
	if r == nil || w.in.bad {
		return
	}
	r.twice = r.known.add(r.object.members, key) >= 0 || r.twice
	m := member{name: key, value: w.src[value:w.in.pos:w.in.pos], done: true, as: as}
	r.object.members = append(r.object.members, m)
}

// part returns the output for the value that was just read, which starts at an offset, or nil if it does not differ. It is
// written in full, so that it is one piece.
func (w *walker) part(before mark, value int) []byte {
	if w.mark() == before || w.in.bad {
		return nil
	}
	w.replace(w.in.pos, w.in.pos, nil)
	return w.out[before.out+value-before.copied : len(w.out) : len(w.out)]
}

// recorder returns an empty record.
func (w *walker) recorder() *record {
	if n := len(w.spare); n > 0 {
		r := w.spare[n-1]
		w.spare = w.spare[:n-1]
		*r = record{object: Object{members: r.object.members[:0]}}
		return r
	}
	return &record{object: Object{members: make([]member, 0, 16)}}
}

// changed converts an object by its functions, and its members.
func (w *walker) changed(t *Type) bool {
	if t.Kind != Struct || w.first {
		return w.slowly(t)
	}
	start, from, before, said := w.in.pos, w.in, w.mark(), *w.c
	rec, within := w.recorder(), w.within
	defer func() { w.spare = append(w.spare, rec) }()
	w.within = true
	kept := w.object(t, rec)
	w.within = within
	if w.in.bad {
		return true
	}
	if !kept || w.err != nil || w.c.several != said.several || len(w.c.before) > len(said.before) || rec.twice {
		// The functions may change what brought this about, so all begins anew with the outermost object, and they are called first.
		if within {
			w.fail(errAgain)
			return true
		}
		w.undo(before)
		w.in, w.err, *w.c, w.first = from, nil, said, true
		defer func() { w.first = false }()
		return w.slowly(t)
	}
	o := &rec.object
	o.source = w.src[start:w.in.pos:w.in.pos]
	if kept, ok := w.call(t, o); !kept || !ok {
		w.undo(before)
		return kept
	}
	if o.source != nil {
		return true
	}
	if !w.members(t, o) {
		w.undo(before)
		return false
	}
	if len(w.out) > before.out { // which the object has parts of
		w.scratch = o.append(w.scratch[:0])
		w.undo(before)
		w.replace(start, w.in.pos, w.scratch)
		return true
	}
	w.begin(o.size() - (w.in.pos - start))
	w.out = o.append(append(w.out, w.src[w.copied:start]...))
	w.copied = w.in.pos
	return true
}

// errAgain ends reading an object whose functions have to be called first. It is never returned.
var errAgain = errors.New("functions come first")

// call calls the functions of a type. It reports whether the object is kept, and whether all went well.
func (w *walker) call(t *Type, o *Object) (kept, ok bool) {
	for _, f := range t.Funcs {
		err := f(o, w.c)
		if w.c.dropped {
			w.c.dropped = false
			return false, true
		}
		if err != nil {
			w.fail(err)
			return true, false
		}
	}
	return true, true
}

func (w *walker) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// slowly converts an object by its functions, then its members, or its variant.
func (w *walker) slowly(t *Type) bool {
	start := w.in.pos
	o := parse(w.in.Slice())
	if w.in.bad {
		return true
	}
	if kept, ok := w.call(t, o); !kept || !ok {
		return kept
	}
	text, kept := w.below(t, o)
	if kept && !sameText(text, w.src[start:w.in.pos]) {
		w.replace(start, w.in.pos, text)
	}
	return kept
}

// sameText reports whether a text is another one that was not changed.
func sameText(a, b []byte) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// below converts the members of an object that functions have changed, or its variant.
func (w *walker) below(t *Type, o *Object) (text json.RawMessage, kept bool) {
	if t.Kind == Struct {
		if !w.members(t, o) {
			return nil, false
		}
		return o.JSON(), true
	}
	text = o.JSON()
	if len(t.Variants) == 0 {
		return text, true
	}
	inner := walker{d: w.d, c: w.c, in: newCursor(text), src: text, first: w.first}
	if !inner.unchanged(t, '{') {
		return nil, false
	}
	return inner.result(w)
}

// members converts the members of an object, each by itself, unless that was done. Those that do not differ are not read.
func (w *walker) members(t *Type, o *Object) (kept bool) {
	for i := 0; i < len(o.members); i++ {
		at := &o.members[i]
		m := t.member(at.name)
		if m == nil {
			continue
		}
		as, there := at.as, at.as != nil
		if !at.done {
			as, there = w.inner(m, at.value)
		}
		switch {
		case !there && m.Needed:
			return false
		case !there:
			o.source = nil
			o.members = slices.Delete(o.members, i, i+1)
			i--
			continue
		case !sameText(as, at.value):
			at.value, o.source = as, nil
		}
		if m.To != "" {
			at.name, o.source = []byte(m.To), nil
		}
	}
	for _, a := range t.Add {
		if !o.Has(a.Name) {
			o.Set(a.Name, json.RawMessage(a.JSON))
		}
	}
	return true
}

// inner converts the value of a member.
func (w *walker) inner(m *Member, value json.RawMessage) (json.RawMessage, bool) {
	if m.Drop || m.Type == 0 {
		return value, !m.Drop
	}
	inner := walker{d: w.d, c: w.c, in: newCursor(value), src: value, first: w.first}
	if !inner.value(m.Type) {
		return nil, false
	}
	return inner.result(w)
}

// result returns what an inner walker has written.
func (w *walker) result(outer *walker) (json.RawMessage, bool) {
	if w.err != nil {
		outer.fail(w.err)
		return w.src, true
	}
	if w.out == nil {
		return w.src, true
	}
	return append(w.out, w.src[w.copied:]...), true
}
