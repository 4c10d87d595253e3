// Environments: before version 2 the variables that a program is started with are a map.

package translations

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerEnvironment makes a map of a list of variables. Of several of one name the last counts.
func lowerEnvironment(o *translate.Object, _ *translate.Context) error {
	if !o.Has("env") {
		return nil
	}
	variables := &translate.Object{}
	for _, item := range o.Items("env") {
		if v, err := translate.Parse(item); err == nil {
			variables.SetText(v.Text("name"), v.Text("value"))
		}
	}
	o.SetObject("env", variables)
	return nil
}

// liftEnvironment makes a list of a map of variables.
func liftEnvironment(o *translate.Object, _ *translate.Context) error {
	if !o.Has("env") {
		return nil
	}
	list := []json.RawMessage{}
	if variables := o.Object("env"); variables != nil {
		for _, name := range variables.Names() {
			v := &translate.Object{}
			v.SetText("name", name)
			v.SetText("value", variables.Text(name))
			list = append(list, v.JSON())
		}
	}
	o.SetItems("env", list)
	return nil
}
