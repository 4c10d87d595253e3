// Failed turns: since 0.9.0 what went wrong is the last part of a turn, and before that a member of it.

package translations

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerChatError takes the error out of its part.
func lowerChatError(o *translate.Object, _ *translate.Context) error {
	if part := o.Object("part"); part != nil {
		o.Set("error", part.Get("error"))
		o.Take("part")
	}
	return nil
}

// liftChatError makes a part of the error.
func liftChatError(o *translate.Object, _ *translate.Context) error {
	if failure := o.Take("error"); failure != nil {
		o.SetObject("part", translationErrorPart(failure))
	}
	return nil
}

func translationErrorPart(failure json.RawMessage) *translate.Object {
	part := &translate.Object{}
	part.SetText("kind", "error")
	part.Set("error", failure)
	return part
}

// lowerTurnError notes what the last part with an error says, if the turn has failed. The table leaves such parts out.
func lowerTurnError(o *translate.Object, _ *translate.Context) error {
	if o.Text("state") != "error" {
		return nil
	}
	parts := o.Items("responseParts")
	for i := len(parts) - 1; i >= 0; i-- {
		if part, err := translate.Parse(parts[i]); err == nil && part.Text("kind") == "error" {
			o.Set("error", part.Get("error"))
			break
		}
	}
	return nil
}

// liftTurnError makes the error of a failed turn its last part.
func liftTurnError(o *translate.Object, _ *translate.Context) error {
	failure := o.Take("error")
	if failure != nil && o.Text("state") == "error" {
		o.SetItems("responseParts", append(o.Items("responseParts"), translationErrorPart(failure).JSON()))
	}
	return nil
}
