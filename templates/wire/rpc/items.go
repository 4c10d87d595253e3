// Items: results with invalid list items.

package rpc

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// ItemsError reports list items of a result that could not be decoded. The result, returned beside it, has the other
// items in order.
type ItemsError struct {
	Items []BadItem // in the order found
}

// BadItem is an omitted list item.
type BadItem struct {
	Path string          // path in the original result, such as sessions[3]
	Raw  json.RawMessage // original JSON
	Err  error           // cause, with the path in the result
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

// Unwrap returns the errors of all items.
func (e *ItemsError) Unwrap() []error {
	out := make([]error, len(e.Items))
	for i, item := range e.Items {
		out[i] = item.Err
	}
	return out
}

// maxBadItems is the maximum number of omitted items in a result.
const maxBadItems = 100

// finishResult finishes decoding a result. It returns an [*ItemsError] if items were omitted, or the first other
// error.
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
