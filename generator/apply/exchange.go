// Exchange: files trade places one by one, and go back if one of them turns out to be another than
// was planned on.

package apply

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// errUnsupported says that the system or the file system cannot do a thing.
var errUnsupported = errors.New("not supported here")

// ErrBusy says that another program may still write what was read as finished.
var ErrBusy = errors.New("is open for writing in another program: close it there")

// patience is how long a program may take to end a save. It changes in tests only.
var patience = 2 * time.Second

// take gives one file its new content. What was there waits at e.temp or e.spare.
func (c *change) take(e entry) error {
	if err := hook("compare", e.path); err != nil {
		return err
	}
	now, err := look(e.path)
	if err != nil {
		return err
	}
	if now.digest != e.Old {
		return e.changed()
	}
	if e.New != "" {
		if staged, err := look(e.temp); err != nil || staged.digest != e.New {
			return errors.Join(err, fmt.Errorf("%s %w", filepath.ToSlash(e.temp), ErrChanged))
		}
	}
	if err := hook("take", e.path); err != nil {
		return err
	}
	return e.trade()
}

// trade does it. A file that has come or gone meanwhile is none of ours.
func (e entry) trade() error {
	var err error
	switch {
	case e.New == "":
		err = move(e.path, e.temp)
	case e.Old == "":
		err = move(e.temp, e.path)
	default:
		err = swap(e.temp, e.path)
		if errors.Is(err, errUnsupported) {
			// Nothing is ever replaced: the file is missing for a moment instead.
			if err = move(e.path, e.spare); err == nil {
				err = move(e.temp, e.path)
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return e.changed()
	}
	return err
}

// former is where the content waits that was there before, "" if there was none or it is in its place.
func (e entry) former() (string, sight, error) {
	for _, path := range []string{e.spare, e.temp} {
		at, err := look(path)
		if err != nil {
			return "", at, err
		}
		if at.there && (path == e.spare || at.digest != e.New) {
			return path, at, nil
		}
	}
	return "", sight{}, nil
}

// settle looks at what a file was when it was taken. Nobody can open it any more, for it has no name
// that others know; those who have it open may still be about to write.
func (e entry) settle() error {
	if e.Old == "" {
		return nil
	}
	if err := hook("settle", e.path); err != nil {
		return err
	}
	path, at, err := e.former()
	if err != nil {
		return err
	}
	if path == "" || at.digest != e.Old {
		return e.changed()
	}
	now, err := still(path)
	switch {
	case errors.Is(err, ErrBusy):
		return fmt.Errorf("%s %w", filepath.ToSlash(e.path), err)
	case err != nil:
		return err
	case now != e.Old:
		return e.changed()
	}
	return nil
}

// still is the digest of a file that nobody has open for writing, as far as the system tells.
func still(path string) (string, error) {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		release, err := holdStill(path)
		if errors.Is(err, ErrBusy) && time.Now().Before(end) {
			continue
		}
		if err != nil {
			return "", err
		}
		now, err := look(path)
		release()
		return now.digest, err
	}
}

// undo puts everything back, says why, and what could not go back to its place.
func (c *change) undo(why error) error {
	var failed []error
	for i := len(c.entries) - 1; i >= 0; i-- {
		if err := c.putBack(c.entries[i]); err != nil {
			failed = append(failed, err)
		}
	}
	if err := c.syncFolders(); err != nil {
		failed = append(failed, err)
	}
	if len(failed) > 0 {
		// The journal stays: the next run tries again.
		failed = append([]error{why}, failed...)
		return c.tell(fmt.Errorf("%w\nnot everything could be put back: run ahpgen generate to try again", errors.Join(failed...)))
	}
	if err := c.close(); err != nil {
		return c.tell(errors.Join(why, err))
	}
	if errors.Is(why, ErrChanged) || errors.Is(why, ErrBusy) {
		why = fmt.Errorf("%w; nothing was written, run ahpgen again", why)
	}
	return c.tell(why)
}

// putBack gives one file the content that it had, unless somebody gave it another one since.
func (c *change) putBack(e entry) error {
	if err := hook("undo", e.path); err != nil {
		return err
	}
	path, _, err := e.former()
	if err != nil {
		return err
	}
	switch {
	case path == "" && e.Old == "":
		err = c.withdraw(e)
	case path == "":
		// It has not been taken.
	case path == e.spare || e.New == "":
		if err = c.withdraw(e); err == nil {
			err = c.moveBack(e, path)
		}
	default:
		err = c.swapBack(e)
	}
	if err != nil {
		return err
	}
	return c.dropStaged(e)
}

// withdraw takes new content out of its place, if that is what is there.
func (c *change) withdraw(e entry) error {
	now, err := look(e.path)
	if err != nil || e.New == "" || now.digest != e.New {
		return err
	}
	if err := c.dropStaged(e); err != nil { // a second name for the same, or nothing
		return err
	}
	if err := move(e.path, e.temp); err != nil {
		return err
	}
	taken, err := still(e.temp)
	if err != nil && !errors.Is(err, ErrBusy) {
		return err
	}
	if taken == e.New {
		return nil
	}
	// Somebody saved it in this moment.
	return c.moveBack(e, e.temp)
}

// moveBack moves content back to its place, or beside it if somebody put something else there.
func (c *change) moveBack(e entry, from string) error {
	err := move(from, e.path)
	if errors.Is(err, fs.ErrExist) {
		return c.keep(e, from)
	}
	return err
}

// swapBack trades places again.
func (c *change) swapBack(e entry) error {
	err := swap(e.temp, e.path)
	if errors.Is(err, fs.ErrNotExist) {
		return c.moveBack(e, e.temp) // somebody removed the new one
	}
	if err != nil {
		return err
	}
	taken, err := still(e.temp)
	if taken == e.New {
		return nil
	}
	if err != nil && !errors.Is(err, ErrBusy) {
		return err
	}
	// Somebody saved it after it had changed: theirs stays, and what was there before it as well.
	if err := swap(e.temp, e.path); errors.Is(err, fs.ErrNotExist) {
		return c.moveBack(e, e.temp)
	} else if err != nil {
		return err
	}
	now, err := look(e.temp)
	if err != nil {
		return err
	}
	if e.Kind == Emitted && now.digest == e.Old {
		return removeIfThere(e.temp) // the user's edit of what ahpgen emits anew at any time
	}
	return c.keep(e, e.temp)
}

// dropStaged removes new content that is not needed, and nothing else.
func (c *change) dropStaged(e entry) error {
	at, err := look(e.temp)
	if err != nil || !at.there || e.New == "" || at.digest != e.New {
		return err
	}
	return removeIfThere(e.temp)
}

// keep gives content that cannot be in its place a name beside it that a person sees.
func (c *change) keep(e entry, from string) error {
	for i := 1; ; i++ {
		name := e.path + ".ahpgen-kept"
		if i > 1 {
			name += fmt.Sprintf("-%d", i)
		}
		err := move(from, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			c.said = append(c.said, fmt.Sprintf("%s was saved twice while ahpgen ran: the last text is there, the other one is in %s",
				filepath.ToSlash(e.path), filepath.ToSlash(name)))
		}
		return err
	}
}

// finish drops what was there before. What is not what it should be stays, with a name.
func (c *change) finish() error {
	var failed []error
	for _, e := range c.entries {
		if err := c.drop(e); err != nil {
			failed = append(failed, err)
		}
	}
	if err := c.syncFolders(); err != nil {
		failed = append(failed, err)
	}
	if len(failed) > 0 {
		return c.tell(fmt.Errorf("everything is written, but not all is tidied up: %w", errors.Join(failed...)))
	}
	return c.tell(c.close())
}

func (c *change) drop(e entry) error {
	if err := hook("drop", e.path); err != nil {
		return err
	}
	for _, path := range []string{e.temp, e.spare} {
		at, err := look(path)
		switch {
		case err != nil:
			return err
		case !at.there:
		case at.digest == e.Old || at.digest == e.New:
			err = os.Remove(path)
		default:
			err = c.keep(e, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sweep removes all that was staged before a decision. The names are of this run alone.
func (c *change) sweep() error {
	for _, e := range c.entries {
		if info, err := os.Lstat(e.temp); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := removeIfThere(e.temp); err != nil {
			return err
		}
	}
	return c.close()
}
