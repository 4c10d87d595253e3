// Changesets: since 0.9.0 their content can change without a word about what went wrong.

package translations

import (
	"bytes"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerContentChanged repeats what went wrong, because an older peer forgets it otherwise.
func lowerContentChanged(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	if failure := known.Get("error"); failure != nil {
		o.Set("error", failure)
	}
	return nil
}

// liftContentChanged says with the status what went wrong, or no longer does, if that changes. What goes wrong while the status is
// another one is lost.
func liftContentChanged(o *translate.Object, c *translate.Context) error {
	failure := o.Take("error")
	known, err := c.Known()
	if err != nil || bytes.Equal(failure, known.Get("error")) || failure != nil && known.Text("status") != "error" {
		return err
	}
	status := translationAction("changeset/statusChanged")
	status.Set("status", known.Get("status"))
	if failure != nil {
		status.Set("error", failure)
	}
	c.Instead(o, status)
	return nil
}
