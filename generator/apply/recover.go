// Recovery: what becomes of a change that was cut short.

package apply

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ahpgen/ahpgen/generator/diag"
	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// Outcome is what became of an earlier change.
type Outcome string

// The outcomes.
const (
	Nothing  Outcome = ""
	Finished Outcome = "finished" // all files are new
	Undone   Outcome = "undone"   // all files are old, but for what somebody saved since
	Swept    Outcome = "swept"    // nothing had changed yet
)

// Waits reports whether an earlier change has come to no end, or another process is at work on one.
func Waits(place Place) bool {
	_, err := os.Lstat(place.journalPath())
	return err == nil
}

// Recover brings an earlier change to its end: it is finished, or undone if somebody has saved one
// of its files since. A journal that speaks of anything that is none of ahpgen's business does nothing
// at all; the error names it. The lines are for the user: what could not be in its place.
func Recover(place Place) (outcome Outcome, lines []string, err error) {
	c, at, err := readJournal(place)
	if err == nil && c != nil && at != begun {
		err = c.genuine()
	}
	if err != nil {
		return Nothing, nil, &diag.HintError{
			Err:  fmt.Errorf("%s cannot be believed: %w; nothing was done", filepath.ToSlash(place.journalPath()), err),
			Hint: "remove it; where ahpgen was cut short before, restore the files of the package from version control as well",
		}
	}
	switch {
	case at == "":
		return Nothing, nil, nil
	case c == nil:
		return Swept, nil, closeCutShort(place)
	case at == begun:
		return Swept, nil, c.sweep()
	case at == done:
		return Finished, nil, c.finish()
	}
	outcome, err = c.resume()
	return outcome, c.said, err
}

// closeCutShort removes a journal that was never written to its end.
func closeCutShort(place Place) error {
	path := place.journalPath()
	if err := removeIfThere(path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// resume finishes a change that was decided, or undoes it.
func (c *change) resume() (Outcome, error) {
	var rest []entry
	for _, e := range c.entries {
		taken, err := e.taken()
		if err != nil {
			return Nothing, err
		}
		if !taken {
			rest = append(rest, e)
		}
	}
	why := c.forward(rest)
	if why == nil {
		return Finished, c.finish()
	}
	err := c.undo(why)
	if errors.Is(why, ErrChanged) && !Waits(c.place) {
		c.said = append([]string{why.Error()}, c.said...)
		return Undone, nil // somebody saved a file since, which is no mistake
	}
	return Undone, err
}

// taken reports whether a file got its new content. What somebody made of that since is not asked.
func (e entry) taken() (bool, error) {
	now, err := look(e.path)
	if err != nil || now.digest == e.New {
		return true, err
	}
	if e.Old == "" {
		staged, err := look(e.temp)
		return now.there && !staged.there, err
	}
	path, former, err := e.former()
	if path == e.spare && !now.there {
		return false, err // cut short between two moves
	}
	return former.digest == e.Old, err
}

// forward takes what has not been taken yet, and settles everything.
func (c *change) forward(rest []entry) error {
	if err := c.unchanged(); err != nil {
		return err
	}
	for _, e := range rest {
		if spare, err := look(e.spare); err != nil {
			return err
		} else if spare.there {
			// Cut short between two moves: the place is free, or somebody filled it.
			if err := move(e.temp, e.path); err != nil {
				return errors.Join(e.changed(), err)
			}
			continue
		}
		if err := c.take(e); err != nil {
			return err
		}
	}
	return c.settle()
}

// genuine refuses a journal whose files are not what it takes them for. Nothing has been touched then.
func (c *change) genuine() error {
	for _, e := range c.entries {
		f := File{In: e.In, Name: e.Name, Kind: e.Kind}
		for _, path := range []string{e.path, e.temp, e.spare} {
			at, err := look(path)
			switch {
			case err != nil:
				return err
			case at.irregular:
				return fmt.Errorf("%s is %s", filepath.ToSlash(path), disk.Kind(at.mode))
			case at.there && at.digest == e.Old:
				f.Old = at.text
			case at.there && at.digest == e.New:
				f.New = at.text
			}
		}
		if err := c.place.Check(f); err != nil {
			return fmt.Errorf("it names %q: %w", e.Name, err)
		}
	}
	return nil
}
