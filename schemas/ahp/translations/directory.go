// Working directories of versions before 0.7.0, which have one where later ones have a list.

package translations

import (
	"encoding/json"

	"github.com/ahpgen/ahpgen/templates/wire/translate"
)

// lowerDirectories keeps the first directory.
func lowerDirectories(o *translate.Object, _ *translate.Context) error {
	if list := o.Items("workingDirectories"); len(list) > 0 {
		o.Set("workingDirectory", list[0])
	}
	o.Take("workingDirectories")
	return nil
}

// lowerDirectoriesChange keeps the first directory. That there is none any more needs a snapshot.
func lowerDirectoriesChange(o *translate.Object, c *translate.Context) error {
	if o.Has("workingDirectories") && len(o.Items("workingDirectories")) == 0 {
		return translate.ErrNeedsState
	}
	return lowerDirectories(o, c)
}

// liftDirectories makes a list of the directory.
func liftDirectories(o *translate.Object, _ *translate.Context) error {
	if one := o.Take("workingDirectory"); one != nil {
		o.SetItems("workingDirectories", []json.RawMessage{one})
	}
	return nil
}

// lowerDirectoryChanged leaves out changes of directories but the first. A first one that changes needs a snapshot: before
// 0.7.0 no action changes the directory of a session or a chat.
func lowerDirectoryChanged(o *translate.Object, c *translate.Context) error {
	known, err := c.Known()
	if err != nil {
		return err
	}
	before := translationDirectories(known)
	changed := len(before) == 0
	switch one := o.Text("directory"); o.Text("type") {
	case "session/workingDirectoryRemoved", "chat/workingDirectoryRemoved":
		changed = len(before) > 0 && before[0] == one
	case "session/workingDirectoryReplaced":
		changed = len(before) > 0 && before[0] == one && o.Text("replacement") != one
	}
	if changed {
		return translate.ErrNeedsState
	}
	c.Instead()
	return nil
}
