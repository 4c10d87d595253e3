// Items: results of which a part cannot be decoded.

package rpc

import (
	"encoding/json"
	"fmt"
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

// maxBadItems is how many items a result may go without.
const maxBadItems = 100

// finishResult ends the decoding of a result: with an [*ItemsError] if it is there without some items, and with what was wrong first
// if it is not there.
func finishResult(method string, d *wire.Decoder) (there bool, err error) {
	err = d.Finish()
	dropped := d.DroppedItems()
	switch {
	case len(dropped) == 0 && err == nil:
		return true, nil
	case err == nil:
		there, err = true, badItems(dropped)
	case len(dropped) > 0:
		err = dropped[0]
	}
	return there, fmt.Errorf("%s: result: %w", method, err)
}

func badItems(dropped []*wire.DecodeError) *ItemsError {
	out := &ItemsError{Items: make([]BadItem, len(dropped))}
	for i, e := range dropped {
		list, _, index, _ := e.Item()
		out.Items[i] = BadItem{Path: fmt.Sprintf("%s[%d]", wire.Name(list), index), Raw: e.Dropped(), Err: e}
	}
	return out
}
