// Forgiving: lists without the items that are malformed, which the object keeps.

package codec

import (
	"github.com/ahpgen/ahpgen/templates/wire"
)

// FittingList is List without the items that are malformed, which r keeps under the name of the member unless it is nil.
// Each is looked at once, however deep it lies.
func FittingList[V any](d *wire.Decoder, read func(*wire.Decoder) V, r *wire.Rest, name string) []V {
	list := []V{}
	var dropped wire.DroppedItems
	for more := d.Array(); more; more = d.NextItem() {
		at := d.Here()
		v := read(d)
		if !d.Failed() {
			list = append(list, v)
		} else if !d.KeepDropped(at, r, len(list), &dropped) {
			return nil
		}
	}
	return fitting(d, list, r, name, dropped)
}

// FittingStructs is Structs without the items that are malformed.
func FittingStructs[T any, P decodes[T]](d *wire.Decoder, r *wire.Rest, name string) []T {
	list := []T{}
	var dropped wire.DroppedItems
	for more := d.Array(); more; more = d.NextItem() {
		at := d.Here()
		var zero T
		list = append(list, zero)
		P(&list[len(list)-1]).DecodeJSON(d)
		if !d.Failed() {
			continue
		}
		list = list[:len(list)-1]
		if !d.KeepDropped(at, r, len(list), &dropped) {
			return nil
		}
	}
	return fitting(d, list, r, name, dropped)
}

// fitting ends a list of items that fit.
func fitting[V any](d *wire.Decoder, list []V, r *wire.Rest, name string, dropped wire.DroppedItems) []V {
	if d.Failed() {
		return nil
	}
	if r != nil {
		r.KeepItems(name, firstOf(list), dropped)
	}
	return list
}

// firstOf returns the place of the first item of a list, nil for an empty one.
func firstOf[V any](list []V) any {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// OptFittingList is FittingList for an optional list.
//
//go:noinline
func OptFittingList[V any](d *wire.Decoder, read func(*wire.Decoder) V, r *wire.Rest, name string) []V {
	if d.Null() {
		return nil
	}
	return FittingList(d, read, r, name)
}

// OptFittingStructs is FittingStructs for an optional list.
//
//go:noinline
func OptFittingStructs[T any, P decodes[T]](d *wire.Decoder, r *wire.Rest, name string) []T {
	if d.Null() {
		return nil
	}
	return FittingStructs[T, P](d, r, name)
}

// AppendFittingList appends a list with the items that were malformed, each at its place. Where the list has been replaced
// since it was decoded, it is appended as it is.
//
//go:noinline
func AppendFittingList[V any](dst []byte, e *wire.Encoder, key string, list []V, encode func(V, []byte, *wire.Encoder) []byte, kept wire.KeptItems) []byte {
	dropped := kept.Of(firstOf(list))
	if len(dropped) == 0 {
		return AppendList(dst, e, key, list, encode)
	}
	dst = append(append(dst, key...), '[')
	for i := range list {
		dst, dropped = dropped.Append(dst, i)
		dst = append(encode(list[i], dst, e), ',')
	}
	dst, _ = dropped.Append(dst, -1)
	dst[len(dst)-1] = ']' // there was an item at least
	return dst
}

// PutFittingList appends an optional list as AppendFittingList does.
//
//go:noinline
func PutFittingList[V any](dst []byte, e *wire.Encoder, key string, list []V, encode func(V, []byte, *wire.Encoder) []byte, kept wire.KeptItems) []byte {
	if list == nil {
		return dst
	}
	return AppendFittingList(dst, e, key, list, encode, kept)
}
