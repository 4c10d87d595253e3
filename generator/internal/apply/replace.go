// Replace: a file takes its new content, and what another program saved in that moment stays.

package apply

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// errUnsupported is returned where the system or the file system cannot exchange two files.
var errUnsupported = errors.New("not supported here")

// ErrBusy is returned for a file that another program has open for writing.
var ErrBusy = errors.New("is open for writing in another program: close it there")

// patience is how long another program may take to finish a save. It changes in tests only.
var patience = 2 * time.Second

// replace gives a file its new content, or removes it. It fails with ErrChanged, and changes nothing, if the file is not as
// it was read.
//
// A file that a person may save at any time is exchanged with the temporary file in one step, and then compared again: what
// was saved between the comparison and the exchange goes back to its place. Where the system has no such step, a save in
// the microseconds between the comparison and the rename is lost.
func (s staged) replace() error {
	if err := hook("compare", s.Path); err != nil {
		return err
	}
	text, _, err := disk.ReadPlain(s.Path)
	if !equal(text, s.Old, err) {
		return s.changed()
	}
	if err := hook("replace", s.Path); err != nil {
		return err
	}
	switch {
	case s.Old == nil:
		err = move(s.temp, s.Path)
	case !s.Owned && s.New == nil:
		err = os.Remove(s.Path)
	case !s.Owned:
		err = os.Rename(s.temp, s.Path)
	case s.New == nil:
		if err = os.Rename(s.Path, s.temp); err == nil {
			return s.settle(s.giveBack)
		}
	default:
		err = exchange(s.temp, s.Path)
		if errors.Is(err, errUnsupported) {
			err = os.Rename(s.temp, s.Path)
		} else if err == nil {
			return s.settle(s.exchangeBack)
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return s.changed()
	}
	return err
}

// settle looks at what a file was when its new content took its place, which is in the temporary file now, and calls back
// if it was not what was read.
func (s staged) settle(back func() error) error {
	if err := hook("settle", s.Path); err != nil {
		return err
	}
	text, err := still(s.temp)
	switch {
	case err == nil && bytes.Equal(text, s.Old):
		return os.Remove(s.temp)
	case err == nil:
		err = s.changed()
	default:
		err = fmt.Errorf("%s %w", filepath.ToSlash(s.Path), err)
	}
	return errors.Join(err, back())
}

// still reads a file once no other program has it open for writing, as far as the system tells.
func still(path string) ([]byte, error) {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		release, err := holdStill(path)
		if errors.Is(err, ErrBusy) && time.Now().Before(end) {
			continue
		}
		if err != nil {
			return nil, err
		}
		text, _, err := disk.ReadPlain(path)
		release()
		return text, err
	}
}

// exchangeBack exchanges the two files again. If the file was saved a second time since, the last save stays in its place.
func (s staged) exchangeBack() error {
	if err := hook("back", s.Path); err != nil {
		return err
	}
	err := exchange(s.temp, s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return s.giveBack() // it was removed since
	}
	if err != nil {
		return err
	}
	text, err := still(s.temp)
	if err == nil && bytes.Equal(text, s.New) {
		return os.Remove(s.temp)
	}
	if err := exchange(s.temp, s.Path); err != nil {
		return err
	}
	return s.keep()
}

// giveBack moves a file back to its place, or beside it if there is another one by now.
func (s staged) giveBack() error {
	err := move(s.temp, s.Path)
	if errors.Is(err, fs.ErrExist) {
		return s.keep()
	}
	return err
}

// keep gives a text that was saved, and then replaced by a later save, a name that a person sees.
func (s staged) keep() error {
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s.ahpgen-kept-%d", s.Path, i)
		err := move(s.temp, name)
		switch {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return err
		default:
			return fmt.Errorf("%s was saved twice while ahpgen ran: the last text is there, the other one is in %s",
				filepath.ToSlash(s.Path), filepath.ToSlash(name))
		}
	}
}

// move renames a file. It fails with fs.ErrExist if there is one with the new name.
func move(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist):
		return err
	}
	// A file system without links.
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// hook is called before each step. Tests make steps fail there, or do what another program may do in that moment.
var hook = func(step, path string) error { return nil }
