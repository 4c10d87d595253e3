// Times of sessions, and values to choose from: before 0.5.0 the former are milliseconds and the latter texts.

package translations

import (
	"encoding/json"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerSessionTimes says times in milliseconds since 1970.
func lowerSessionTimes(o *translate.Object, c *translate.Context) error {
	for _, name := range []string{"createdAt", "modifiedAt"} {
		if !o.Has(name) {
			continue
		}
		at, err := time.Parse(time.RFC3339, o.Text(name))
		if err != nil {
			return c.Impossible("a time of a session is not in RFC 3339")
		}
		o.Set(name, translationInt(at.UnixMilli()))
	}
	return nil
}

// liftSessionTimes says times in RFC 3339.
func liftSessionTimes(o *translate.Object, _ *translate.Context) error {
	for _, name := range []string{"createdAt", "modifiedAt"} {
		if o.Has(name) {
			o.SetText(name, time.UnixMilli(o.Int(name)).UTC().Format("2006-01-02T15:04:05.000Z"))
		}
	}
	return nil
}

// lowerChoices leaves values out that are no texts.
func lowerChoices(o *translate.Object, _ *translate.Context) error {
	if !o.Has("enum") {
		return nil
	}
	texts := []json.RawMessage{}
	for _, value := range o.Items("enum") {
		if len(value) > 0 && value[0] == '"' {
			texts = append(texts, value)
		}
	}
	o.SetItems("enum", texts)
	return nil
}
