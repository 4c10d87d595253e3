// Items: results of which a part cannot be decoded.

package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ItemsError says that a result is there but for items of its lists that could not be decoded. It comes
// with the result, which holds all the other items in their order.
type ItemsError struct {
	Items []BadItem // by the order in which they were found
}

// BadItem is an item that a result came without.
type BadItem struct {
	Path string          // of the item in the result as it came, such as sessions[3]
	Raw  json.RawMessage // as it came
	Err  error           // what is wrong, with the path in the result
}

// Error implements error.
func (e *ItemsError) Error() string {
	text := "without an item that cannot be decoded"
	if len(e.Items) != 1 {
		text = "without " + strconv.Itoa(len(e.Items)) + " items that cannot be decoded"
	}
	if len(e.Items) > 0 {
		text += ": " + e.Items[0].Err.Error()
	}
	return text
}

// Unwrap returns what is wrong with each item.
func (e *ItemsError) Unwrap() []error {
	out := make([]error, len(e.Items))
	for i, item := range e.Items {
		out[i] = item.Err
	}
	return out
}

// A result is decoded once more for each item that it goes without, so there are not to be many.
const (
	maxBadItems = 100
	maxAgain    = 256 << 20 // bytes decoded again
)

// salvage decodes a result without those items of its lists that cannot be decoded. It is the caller's
// error where something else is wrong, or too much is.
func salvage[R any](raw json.RawMessage, err error, decode func([]byte) (R, error)) (R, error) {
	var none R
	first, data := err, []byte(raw)
	bad := &ItemsError{}
	gone := map[string][]int{} // indexes in the result as it came, rising
	for again := 0; len(bad.Items) < maxBadItems && again <= maxAgain; again += len(data) {
		var at *wire.DecodeError
		if !errors.As(err, &at) {
			return none, first
		}
		list, offset, index, ok := at.Item()
		if !ok {
			return none, first
		}
		item, rest, ok := without(data, offset, index)
		if !ok {
			return none, first
		}
		for _, i := range gone[list] {
			if i <= index {
				index++
			}
		}
		gone[list] = rising(append(gone[list], index))
		bad.Items = append(bad.Items, BadItem{Path: fmt.Sprintf("%s[%d]", wire.Name(list), index), Raw: item, Err: err})
		data = rest
		var v R
		if v, err = decode(data); err == nil {
			return v, bad
		}
	}
	return none, first
}

// rising sorts indexes. Sorting in generic code would be compiled with every package that uses it.
//
//go:noinline
func rising(list []int) []int {
	slices.Sort(list)
	return list
}

// without cuts an item out of the list at an offset.
func without(data []byte, offset, index int) (item json.RawMessage, rest []byte, ok bool) {
	d := wire.NewDecoder(data[offset:])
	last := 0 // end of the item before
	i := 0
	for more := d.Array(); more; more = d.NextItem() {
		start := d.Offset()
		d.Skip()
		if d.Failed() {
			return nil, nil, false
		}
		end := d.Offset()
		if i == index {
			item = slices.Clone(data[offset+start : offset+end])
			from, to := offset+last, offset+end // with the comma in front
			if i == 0 {
				from = offset + start
				if d.NextItem() {
					to = offset + d.Offset() // with the comma behind
				}
			}
			return item, append(slices.Clone(data[:from]), data[to:]...), true
		}
		last = end
		i++
	}
	return nil, nil, false
}
