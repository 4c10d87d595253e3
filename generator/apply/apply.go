// Package apply replaces several files, all of them or none, also when the program is killed while
// it does, and never at the cost of what somebody else saves in the same moment.
//
// A journal says what is going to change before anything does. New content is staged beside its
// place, then trades places with the old, so that what was there, whatever it is by then, is looked at
// before it is dropped. If it is not what the change was planned on, everything is put back.
package apply

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// Kind says whose a file is.
type Kind string

// The kinds of files.
const (
	Emitted  Kind = "emitted"  // the tool's: replaced and removed
	Extended Kind = "extended" // the user's: something is added to it, or it is given to them
	Aside    Kind = "aside"    // no part of the package: the lock, the configuration, schemas
)

// File is one file as it is and as it shall be.
type File struct {
	In   string // the folder, by its key in Place.Folders
	Name string
	Kind Kind
	Old  []byte // nil if there is none
	New  []byte // nil to remove it
}

// Place is where files may change, and what has to be so.
type Place struct {
	// Folders are known by keys, so that no journal can name a path.
	Folders map[string]string
	// Home is the key of the folder that keeps the journal, under the name Journal.
	Home, Journal string
	// Check refuses a file that no change is ever about. The texts are those that are known, or nil.
	Check func(File) error
	// Trust refuses to go on with a journal that names a folder, by its key.
	Trust func(key string) error
	// Sources returns the digests of files that changes rest on, by name: those of the home folder that
	// the user owns. Nil means that there are none.
	Sources func() (map[string]string, error)
	// Planned is what Sources returned when the change was planned.
	Planned map[string]string
}

func (p Place) journalPath() string { return filepath.Join(p.Folders[p.Home], p.Journal) }

// Names of the files that only exist while others are replaced. The go command does not look at
// names with a dot in front.
const (
	prefix      = ".ahpgen-"
	JournalName = prefix + "journal"
)

// ErrChanged says that a file is not what it was when the change was planned.
var ErrChanged = errors.New("has changed meanwhile")

// ErrInterrupted says that an earlier change has come to no end.
var ErrInterrupted = errors.New("another run is at work here, or was cut short: run ahpgen generate or bump to finish it")

// change is a change on its way.
type change struct {
	place   Place
	run     string // its name, of which nobody else has one
	entries []entry
	rests   map[string]string // digests of the sources that are not among the files
	said    []string          // what the user has to know afterwards
}

// entry is one file of a change. A digest is "" if there is no file.
type entry struct {
	In   string `json:"in"`
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Old  string `json:"old"`
	New  string `json:"new"`

	path  string // where it belongs
	temp  string // where the new content waits, and the old one once they traded places
	spare string // where the old content waits on systems on which two files cannot trade places

	content []byte      // new content, nil if it is on disk already
	mode    fs.FileMode // permissions that stay, 0 for a new file
}

// Write makes every file as it shall be. On an error everything is as it was before, or the error
// says what is not.
func Write(place Place, files []File) error {
	c := &change{place: place, run: newRun()}
	if err := c.inspect(files); err != nil || len(c.entries) == 0 {
		return err
	}
	c.rests = c.without(place.Planned)
	made, err := c.makeFolders()
	if err == nil {
		err = c.write()
	}
	if err != nil {
		for _, dir := range slices.Backward(made) {
			_ = os.Remove(dir) // it stays if something is in it
		}
	}
	return err
}

func newRun() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// write goes through the steps of a change. Up to the decision nothing that counts has been touched;
// from the decision on the next run can go on where this one stopped.
func (c *change) write() error {
	if err := c.begin(); err != nil {
		return err
	}
	if err := c.prepare(); err != nil {
		return errors.Join(err, c.sweep())
	}
	if err := c.exchange(); err != nil {
		return c.undo(err)
	}
	return c.finish()
}

// prepare puts everything in place for the decision, and takes it.
func (c *change) prepare() error {
	if err := c.stage(); err != nil {
		return err
	}
	if err := c.unchanged(); err != nil {
		return err
	}
	return c.record(decided)
}

// exchange gives every file its new content, and looks at what was there instead.
func (c *change) exchange() error {
	for _, e := range c.entries {
		if err := c.take(e); err != nil {
			return err
		}
	}
	return c.settle()
}

// settle makes sure that nothing but what was planned on has been replaced. Then all is well.
func (c *change) settle() error {
	if err := c.syncFolders(); err != nil {
		return err
	}
	for _, e := range c.entries {
		if err := e.settle(); err != nil {
			return err
		}
	}
	if err := c.unchanged(); err != nil {
		return err
	}
	return c.record(done)
}

// unchanged holds the sources that the change rests on against what they were: a method, say, that
// somebody writes into another file is wanted no longer.
func (c *change) unchanged() error {
	if c.place.Sources == nil {
		return nil
	}
	if err := hook("sources", c.place.Folders[c.place.Home]); err != nil {
		return err
	}
	now, err := c.place.Sources()
	if err != nil {
		return err
	}
	now = c.without(now)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if c.rests[name] != now[name] {
			return fmt.Errorf("%s %w", filepath.ToSlash(filepath.Join(c.place.Folders[c.place.Home], name)), ErrChanged)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.rests)) {
		if now[name] == "" {
			return fmt.Errorf("%s %w", filepath.ToSlash(filepath.Join(c.place.Folders[c.place.Home], name)), ErrChanged)
		}
	}
	return nil
}

// without leaves out what the change itself is about.
func (c *change) without(sources map[string]string) map[string]string {
	out := maps.Clone(sources)
	for _, e := range c.entries {
		if e.In == c.place.Home {
			delete(out, e.Name)
		}
	}
	return out
}

// inspect holds files against the disk before anything is written, and says all that is wrong.
func (c *change) inspect(files []File) error {
	var all []error
	for _, f := range files {
		if f.New != nil && f.Old != nil && bytes.Equal(f.Old, f.New) {
			continue
		}
		e := entry{In: f.In, Name: f.Name, Kind: f.Kind, Old: digestOf(f.Old), New: digestOf(f.New), content: f.New}
		if err := errors.Join(e.valid(), c.place.Check(f)); err != nil {
			all = append(all, fmt.Errorf("%s: %w", f.Name, err))
			continue
		}
		c.locate(&e, len(c.entries))
		if err := e.inspect(); err != nil {
			all = append(all, err)
		}
		c.entries = append(c.entries, e)
	}
	return errors.Join(all...)
}

// inspect refuses a file that is not as it was, or that may not be replaced.
func (e *entry) inspect() error {
	now, err := look(e.path)
	if err != nil {
		return err
	}
	shown := filepath.ToSlash(e.path)
	switch {
	case now.irregular:
		return fmt.Errorf("%s is %s, not a file: ahpgen does not replace it", shown, disk.Kind(now.mode))
	case now.digest != e.Old:
		return e.changed()
	case now.there && e.Kind != Emitted && now.mode.Perm()&0o200 == 0:
		return fmt.Errorf("%s is read-only: make it writable if ahpgen may change it", shown)
	}
	if now.there {
		e.mode = now.mode.Perm()
	}
	return nil
}

func (e *entry) changed() error { return fmt.Errorf("%s %w", filepath.ToSlash(e.path), ErrChanged) }

// locate fills in where a file and its other content are.
func (c *change) locate(e *entry, number int) {
	dir := c.place.Folders[e.In]
	e.path = filepath.Join(dir, e.Name)
	e.temp = filepath.Join(dir, fmt.Sprintf("%s%s-%d", prefix, c.run, number))
	e.spare = e.temp + "-old"
}

// makeFolders makes the folders that are not there, and lists those it made.
func (c *change) makeFolders() ([]string, error) {
	var made []string
	for _, dir := range c.folders() {
		var missing []string
		for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
			if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
				break
			}
			missing = append(missing, at)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return made, err
		}
		slices.Reverse(missing)
		made = append(made, missing...)
	}
	return made, nil
}

// folders lists the folders that the change is about.
func (c *change) folders() []string {
	out := []string{c.place.Folders[c.place.Home]}
	for _, e := range c.entries {
		if dir := filepath.Dir(e.path); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// stage puts all new content on disk, beside its place.
func (c *change) stage() error {
	for _, e := range c.entries {
		if e.New == "" {
			continue
		}
		if err := hook("stage", e.path); err != nil {
			return err
		}
		if err := writeSynced(e.temp, e.content, e.mode); err != nil {
			return fmt.Errorf("%s: %w", filepath.ToSlash(e.path), err)
		}
	}
	return c.syncFolders()
}

// writeSynced makes a file that is not there yet and waits until it is on the disk.
func writeSynced(path string, content []byte, mode fs.FileMode) error {
	create := mode
	if mode == 0 {
		create = 0o666
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, create)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && mode != 0 {
		err = f.Chmod(mode) // the umask does not count here
	}
	if !unsynced {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

func (c *change) syncFolders() error {
	for _, dir := range c.folders() {
		if err := syncFolder(dir); err != nil {
			return err
		}
	}
	return nil
}

// sight is what is at a path.
type sight struct {
	there     bool
	irregular bool   // no regular file
	digest    string // "" if there is none
	text      []byte
	mode      fs.FileMode
}

// look reads what is at a path. It follows no link and waits for nobody.
func look(path string) (sight, error) {
	text, info, err := disk.ReadPlain(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return sight{}, nil
	case errors.Is(err, disk.ErrIrregular):
		return sight{there: true, irregular: true, digest: "irregular", mode: info.Mode()}, nil
	case err != nil:
		return sight{}, err
	}
	return sight{there: true, digest: digest(text), text: text, mode: info.Mode()}, nil
}

// Digest is how Place.Sources names a content.
func Digest(text []byte) string { return digest(text) }

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func digestOf(text []byte) string {
	if text == nil {
		return ""
	}
	return digest(text)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// tell joins what the user has to know to an error.
func (c *change) tell(err error) error {
	if len(c.said) == 0 {
		return err
	}
	said := errors.New(strings.Join(c.said, "\n"))
	if err == nil {
		return said
	}
	return fmt.Errorf("%w\n%w", err, said)
}

// hook is called before each step that touches the disk. Tests make steps fail there, or do what another
// program may do in that moment.
var hook = func(step, path string) error { return nil }
