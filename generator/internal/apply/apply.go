// Package apply writes files of a repository, each by a temporary file beside it and a rename, so that a file is whole
// whenever the program is killed. Nothing that a killed run leaves is ever read: its temporary files are removed, and the
// next run makes the same files again.
package apply

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
	"github.com/ahpgen/ahpgen/generator/internal/each"
)

// File is one file as it was read and as it shall be.
type File struct {
	Path  string
	Owned bool   // a person may have edited it: what is replaced is compared with Old, and a read-only file is refused
	Old   []byte // nil if there is none
	New   []byte // nil to remove it
}

// Change is a list of files to write.
type Change struct {
	Hand []File // files of the user that methods are inserted into; they are written first, all of them or none
	Rest []File // written afterwards, in this order

	// Check reports whether other files that Hand was planned with have changed. It is called before and after Hand is
	// written.
	Check func() error
}

// ErrChanged is returned for a file that was written by another program after it was read.
var ErrChanged = errors.New("has changed meanwhile")

// staged is a file whose new content waits in a temporary file beside it.
type staged struct {
	File
	temp string
}

// Write writes the files of a change. New content is staged for all of them before the first is replaced, so that a full
// disk or a folder without write permission leaves everything as it was. If a file of Hand was saved by another program
// meanwhile, nothing is written.
func Write(c Change) (err error) {
	if err := inspect(slices.Concat(c.Hand, c.Rest)); err != nil {
		return err
	}
	var made []string
	defer func() { removeEmpty(made) }()
	for _, f := range slices.Concat(c.Hand, c.Rest) {
		if err := makeAll(filepath.Dir(f.Path), &made); err != nil {
			return err
		}
	}
	run := random()
	var hand, rest []staged
	defer func() {
		for _, f := range slices.Concat(hand, rest) {
			f.discard()
		}
	}()
	if hand, err = stage(c.Hand, run, 0); err != nil {
		return err
	}
	if rest, err = stage(c.Rest, run, len(hand)); err != nil {
		return err
	}
	if len(hand) > 0 {
		if err := writeHand(hand, c.Check, run); err != nil {
			return again(err, "nothing was written")
		}
	}
	for _, f := range rest {
		if err := f.replace(); err != nil {
			return again(err, "not everything was written")
		}
	}
	return nil
}

// discard removes a temporary file that an error left, unless it holds anything but new content.
func (s staged) discard() {
	if text, _, err := disk.ReadPlain(s.temp); err == nil && s.New != nil && bytes.Equal(text, s.New) {
		_ = os.Remove(s.temp)
	}
}

// again adds to an error that another program caused what became of the change, and what to do.
func again(err error, outcome string) error {
	if errors.Is(err, ErrChanged) || errors.Is(err, ErrBusy) {
		return fmt.Errorf("%w; %s, run ahpgen again", err, outcome)
	}
	return err
}

// inspect compares files with the disk before anything is written, and returns everything that is wrong.
func inspect(files []File) error {
	return errors.Join(each.Map(files, File.inspect)...)
}

// inspect refuses a file that is not as it was read, or that may not be replaced.
func (f File) inspect() error {
	text, info, err := disk.ReadPlain(f.Path)
	shown := filepath.ToSlash(f.Path)
	switch {
	case errors.Is(err, disk.ErrIrregular):
		return fmt.Errorf("%s is %s, not a file: ahpgen does not replace it", shown, disk.Kind(info.Mode()))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case !equal(text, f.Old, err):
		return f.changed()
	case err == nil && f.Owned && info.Mode().Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only: make it writable if ahpgen may change it", shown)
	}
	return nil
}

// equal reports whether what was read of a file is what it was; the error of reading it may say that there is none.
func equal(text, old []byte, err error) bool {
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && old == nil
	}
	return old != nil && bytes.Equal(text, old)
}

func (f File) changed() error { return fmt.Errorf("%s %w", filepath.ToSlash(f.Path), ErrChanged) }

// writeHand writes the files of the user. If one of them, or a file that they were planned with, was saved meanwhile, those
// that are written already are put back.
func writeHand(files []staged, check func() error, run string) error {
	if err := check(); err != nil {
		return err
	}
	for i, f := range files {
		if err := f.replace(); err != nil {
			return errors.Join(err, putBack(files[:i], run))
		}
	}
	if err := check(); err != nil {
		return errors.Join(err, putBack(files, run))
	}
	return nil
}

// putBack restores files that were written. One that was saved since stays as it is.
func putBack(files []staged, run string) error {
	var all []error
	for i, f := range slices.Backward(files) {
		back, err := stage([]File{{Path: f.Path, Owned: true, Old: f.New, New: f.Old}}, run+"-back", i)
		if err == nil {
			err = back[0].replace()
		}
		if !errors.Is(err, ErrChanged) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// Names of temporary files. The go command does not look at names that begin with a dot.
const (
	prefix     = ".ahpgen-"
	tempPrefix = prefix + "new-"
)

// tempShape matches names of temporary files, and nothing else.
var tempShape = regexp.MustCompile(`^\.ahpgen-new-[0-9a-f]{16}(-back)?-[0-9]+$`)

func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// stage writes new content beside its place. On an error it removes what it wrote.
func stage(files []File, run string, from int) ([]staged, error) {
	var out []staged
	for i, f := range files {
		s := staged{f, filepath.Join(filepath.Dir(f.Path), fmt.Sprintf("%s%s-%d", tempPrefix, run, from+i))}
		out = append(out, s)
		if f.New == nil {
			continue
		}
		if err := s.write(); err != nil {
			for _, s := range out {
				_ = os.Remove(s.temp)
			}
			return nil, fmt.Errorf("%s: %w", filepath.ToSlash(f.Path), err)
		}
	}
	return out, nil
}

// write writes the temporary file, with the permissions of the file that it will replace.
func (s staged) write() error {
	t, err := os.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = t.Write(s.New)
	if info, statErr := os.Lstat(s.Path); err == nil && statErr == nil {
		err = t.Chmod(info.Mode().Perm())
	}
	if err == nil && s.Owned {
		err = t.Sync() // the others can be made again
	}
	return errors.Join(err, t.Close())
}

// makeAll makes a folder and those above it, and adds those that were missing to made, the uppermost first.
func makeAll(dir string, made *[]string) error {
	var missing []string
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, at)
	}
	slices.Reverse(missing)
	*made = append(*made, missing...)
	return os.MkdirAll(dir, 0o777)
}

// removeEmpty removes folders in which nothing is.
func removeEmpty(made []string) {
	for _, dir := range slices.Backward(made) {
		_ = os.Remove(dir) // one with files in it cannot be removed
	}
}

// Sweep removes the temporary files that killed runs left in folders, and returns how many there were. The folders have to
// be locked.
func Sweep(folders []string) (int, error) {
	n := 0
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // whatever is wrong with it is found when it is read
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !tempShape.MatchString(entry.Name()) {
				continue
			}
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return n, err
			}
			n++
		}
	}
	return n, nil
}
