// Annotations: since 0.9.0 they say in which session and chat they arose, and before that only in which turn.

package translations

import (
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerAnnotationOrigin puts the turn into the place of where an annotation arose.
func lowerAnnotationOrigin(o *translate.Object, _ *translate.Context) error {
	origin := o.Object("origin")
	if origin == nil {
		return nil
	}
	o.SetText("turnId", origin.Text("turnId"))
	o.Take("origin")
	return nil
}

// liftAnnotationOrigin puts where an annotation arose into the place of the turn: what is known of it as long as the turn is the
// same, or else the session whose annotations these are.
func liftAnnotationOrigin(o *translate.Object, c *translate.Context) error {
	if !o.Has("turnId") {
		return nil
	}
	turn := o.Text("turnId")
	o.Take("turnId")
	id := o.Text("id")
	if o.Has("annotationId") {
		id = o.Text("annotationId")
	}
	if known := translationFind(translationKnown(c).Items("annotations"), "id", id); known != nil {
		if origin := known.Object("origin"); origin != nil && origin.Text("turnId") == turn {
			o.SetObject("origin", origin)
			return nil
		}
	}
	origin := &translate.Object{}
	origin.SetText("session", strings.TrimSuffix(c.Channel, "/annotations"))
	if turn != "" {
		origin.SetText("turnId", turn)
	}
	o.SetObject("origin", origin)
	return nil
}
