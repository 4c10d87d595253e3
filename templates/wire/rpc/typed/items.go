// Items: results with invalid list items.

package typed

import (
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// maxBadItems is the maximum number of omitted items in a result.
const maxBadItems = 100

// finishResult finishes decoding a result. It returns an [*rpc.ItemsError] if items were omitted, or the first other
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

func badItems(dropped []*wire.DecodeError) *rpc.ItemsError {
	out := &rpc.ItemsError{Items: make([]rpc.BadItem, len(dropped))}
	for i, e := range dropped {
		list, _, index, _ := e.Item()
		out.Items[i] = rpc.BadItem{Path: fmt.Sprintf("%s[%d]", wire.Name(list), index), Raw: e.Dropped(), Err: e}
	}
	return out
}
