// Capabilities: since version 2 the one for signing in at a terminal is an object, and it was yes or no.

package translations

import "github.com/ahpgen/ahpgen/templates/wire/translate"

// lowerTerminal makes yes or no of an object that is there or not.
func lowerTerminal(o *translate.Object, _ *translate.Context) error {
	switch terminal := string(o.Get("terminal")); terminal {
	case "":
	case "null":
		o.Set("terminal", []byte("false"))
	default:
		o.Set("terminal", []byte("true"))
	}
	return nil
}

// liftTerminal makes an object of yes, and none of no.
func liftTerminal(o *translate.Object, _ *translate.Context) error {
	if o.True("terminal") {
		o.SetObject("terminal", &translate.Object{})
	} else {
		o.Take("terminal")
	}
	return nil
}
