// Forgiving: members and items that a protocol wants to be dropped if they are malformed, rather than to refuse the whole.

package wire

import (
	"encoding/json"
	"sync/atomic"
)

// forgiven is who hears of what was dropped.
var forgiven atomic.Pointer[func(*DecodeError)]

// OnForgiven sets who hears of each member or item that a decoder drops because it is malformed, where the protocol wants
// that. The error says where it is and why, and [DecodeError.Dropped] what it is. Nil means nobody. It is called by
// whatever decodes at the time, and by several at once.
func OnForgiven(hear func(*DecodeError)) {
	if hear == nil {
		forgiven.Store(nil)
		return
	}
	forgiven.Store(&hear)
}

// Dropped is the text of the member or item that was dropped, nil for an error that was not forgiven.
func (e *DecodeError) Dropped() json.RawMessage { return e.dropped }

// Forgive takes back a failure in the member whose value is at a place, if it is one of those that may be malformed. The
// names of these stand behind the character that separates them. What it had is kept, unless there is nothing to keep it in.
func (d *Decoder) Forgive(p Place, key []byte, r *Rest, names string) {
	if d.err == nil || key == nil || !listed(string(key), names) {
		return
	}
	if text := d.takeBack(p); text != nil && r != nil {
		r.add(key, text)
	}
}

// takeBack goes on behind the value at a place, which was found malformed, and returns its text. It is nil if that is
// no JSON: then nothing is taken back, here or further out.
func (d *Decoder) takeBack(p Place) []byte {
	e := d.err
	if e.syntax {
		return nil
	}
	d.retry(p)
	d.Skip()
	if d.Failed() {
		return nil
	}
	text := d.data[p.pos:d.pos]
	if hear := forgiven.Load(); hear != nil {
		e.locate()
		e.dropped = append(json.RawMessage(nil), text...)
		(*hear)(e)
	}
	return text
}

// Otherwise goes back to the value at a place, which was found to be none of what it could be, and returns its text: it
// is something else. Nothing goes back for what is no JSON.
func (d *Decoder) Otherwise(p Place) json.RawMessage {
	if d.err != nil && !d.err.syntax {
		d.retry(p)
	}
	return d.Raw()
}

// retry goes back to a place in spite of a failure, which is forgotten.
func (d *Decoder) retry(p Place) { d.err, d.data, d.pos, d.depth = nil, d.err.input, p.pos, p.depth }

// FittingList is List without the items that are malformed. Each is looked at once, however deep it lies.
func FittingList[V any](d *Decoder, read func(*Decoder) V) []V {
	list := []V{}
	for more := d.Array(); more; more = d.NextItem() {
		at := d.Here()
		v := read(d)
		if !d.Failed() {
			list = append(list, v)
		} else if d.takeBack(at) == nil {
			return nil
		}
	}
	if d.Failed() {
		return nil
	}
	return list
}

// FittingStructs is Structs without the items that are malformed.
func FittingStructs[T any, P decodes[T]](d *Decoder) []T {
	list := []T{}
	for more := d.Array(); more; more = d.NextItem() {
		at := d.Here()
		var zero T
		list = append(list, zero)
		P(&list[len(list)-1]).DecodeJSON(d)
		if !d.Failed() {
			continue
		}
		list = list[:len(list)-1]
		if d.takeBack(at) == nil {
			return nil
		}
	}
	if d.Failed() {
		return nil
	}
	return list
}

// OptFittingList is FittingList for an optional list.
//
//go:noinline
func OptFittingList[V any](d *Decoder, read func(*Decoder) V) []V {
	if d.Null() {
		return nil
	}
	return FittingList(d, read)
}

// OptFittingStructs is FittingStructs for an optional list.
//
//go:noinline
func OptFittingStructs[T any, P decodes[T]](d *Decoder) []T {
	if d.Null() {
		return nil
	}
	return FittingStructs[T, P](d)
}
