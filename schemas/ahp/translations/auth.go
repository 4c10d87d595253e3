// Requests to sign in: since 0.8.0 they describe the resource, and before that they name it.

package translations

import (
	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerAuthResource names the resource.
func lowerAuthResource(o *translate.Object, _ *translate.Context) error {
	if resource := o.Object("resource"); resource != nil {
		o.SetText("resource", resource.Text("resource"))
	}
	return nil
}

// liftAuthResource describes the resource by its name alone.
func liftAuthResource(o *translate.Object, _ *translate.Context) error {
	resource := &translate.Object{}
	resource.Set("resource", o.Get("resource"))
	o.SetObject("resource", resource)
	return nil
}
