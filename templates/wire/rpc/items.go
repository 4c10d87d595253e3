// Items: results with invalid list items.

package rpc

import (
	"encoding/json"
	"strconv"
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
