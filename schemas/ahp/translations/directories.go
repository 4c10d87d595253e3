// Working directories: since 0.8.0 one can take the place of another.

package translations

import (
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerDirectoryReplaced removes the directories from the one that is replaced on, and sets them again.
func lowerDirectoryReplaced(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	before := translationDirectories(known)
	after := translationReplaced(before, o.Text("directory"), o.Text("replacement"))
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	var actions []*translate.Object
	for _, d := range before[same:] {
		a := translationAction("session/workingDirectoryRemoved")
		a.SetText("directory", d)
		actions = append(actions, a)
	}
	for _, d := range after[same:] {
		a := translationAction("session/workingDirectorySet")
		a.SetText("directory", d)
		actions = append(actions, a)
	}
	c.Resend(actions...)
	return nil
}

// translationReplaced is what the replacement of a directory leads to.
func translationReplaced(list []string, old, by string) []string {
	at := slices.Index(list, old)
	if at < 0 {
		return list
	}
	out := slices.Clone(list)
	switch have := slices.Index(list, by); {
	case have >= 0 && have < at:
		return slices.Delete(out, at, at+1)
	case have > at:
		out = slices.Delete(out, have, have+1)
	}
	out[at] = by
	return out
}

func translationDirectories(o *translate.Object) []string {
	var out []string
	for _, item := range o.Items("workingDirectories") {
		out = append(out, translationText(item))
	}
	return out
}
