// Elicitation: since 2025-11-25 a form may have choices of several kinds, and the user may be asked at a page.

package translations

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerElicitation keeps forms. The user cannot be sent to a page.
func lowerElicitation(o *translate.Object, c *translate.Context) error {
	if mode := o.Text("mode"); mode != "" && mode != "form" {
		return c.Impossible("the user is asked by a " + mode)
	}
	return nil
}

// lowerField makes a choice among titled values one with a list of values and a list of titles.
func lowerField(o *translate.Object, c *translate.Context) error {
	switch o.Text("type") {
	case "array":
		return c.Impossible("a form has a choice of several values")
	case "boolean":
		return nil
	}
	o.Take("default")
	choices := o.Items("oneOf")
	if choices == nil {
		return nil
	}
	var values, titles []json.RawMessage
	for _, item := range choices {
		choice, err := translate.Parse(item)
		if err != nil {
			return err
		}
		values, titles = append(values, choice.Get("const")), append(titles, choice.Get("title"))
	}
	o.Take("oneOf")
	o.SetItems("enum", values)
	o.SetItems("enumNames", titles)
	return nil
}

// lowerElicited keeps answers with one value for each field.
func lowerElicited(o *translate.Object, c *translate.Context) error {
	content := o.Object("content")
	if content == nil {
		return nil
	}
	for _, name := range content.Names() {
		if content.Items(name) != nil {
			return c.Impossible("a field of the answer has several values")
		}
	}
	return nil
}
