// Help for several translations: looking things up in states, and the bits of a status.

package translations

import (
	"encoding/json"
	"strconv"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// Bits of a status. The second is only set together with the first.
const (
	translationIdle        = 1
	translationAtWork      = 8
	translationInputNeeded = 24
	translationActivity    = 31
	translationRead        = 32
	translationArchived    = 64
)

// translationKnown returns the state of the context's channel, or an empty object if it is not known.
func translationKnown(c *translate.Context) *translate.Object {
	known, err := c.Known()
	if err != nil {
		return &translate.Object{}
	}
	return known
}

// translationFind returns the item of a list whose member has a value, or nil.
func translationFind(list []json.RawMessage, member, value string) *translate.Object {
	for _, item := range list {
		if o, err := translate.Parse(item); err == nil && o.Text(member) == value {
			return o
		}
	}
	return nil
}

// translationText returns a string that is an item of a list.
func translationText(item json.RawMessage) string {
	var out string
	if json.Unmarshal(item, &out) != nil {
		return ""
	}
	return out
}

func translationInt(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// translationAction returns an action without members.
func translationAction(kind string) *translate.Object {
	o := &translate.Object{}
	o.SetText("type", kind)
	return o
}
