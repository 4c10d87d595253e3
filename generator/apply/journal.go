// The journal: what a change is about and how far it is, in a file beside what changes. It may also
// have been put there by somebody else, so that nothing in it is believed unseen.

package apply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/ahpgen/ahpgen/generator/internal/disk"
)

// stage of a change.
type state string

const (
	begun   state = "begun"   // new content is being staged: nothing else has happened
	decided state = "decided" // files trade places: it is finished, or undone
	done    state = "done"    // what remains is to drop what was there before
)

// journalVersion is the form of journals. Others are not read.
const journalVersion = 2

type journal struct {
	Version int     `json:"ahpgen"`
	Run     string  `json:"run"`
	State   state   `json:"state"`
	Files   []entry `json:"files"`

	// Rests holds the digests of what the change rests on without being about it.
	Rests map[string]string `json:"rests,omitempty"`
}

// journalStart is how every journal begins.
var journalStart = []byte(fmt.Sprintf(`{"ahpgen":%d,"run":"`, journalVersion))

func (c *change) journalText(s state) ([]byte, error) {
	text, err := json.Marshal(journal{journalVersion, c.run, s, c.entries, c.rests})
	return append(text, '\n'), err
}

// begin writes the journal. There can only be one.
func (c *change) begin() error {
	path := c.place.journalPath()
	text, err := c.journalText(begun)
	if err != nil {
		return err
	}
	if err := hook("begin", path); err != nil {
		return err
	}
	err = writeSynced(path, text, 0)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", filepath.ToSlash(path), ErrInterrupted)
	}
	if err != nil {
		return errors.Join(err, removeIfThere(path))
	}
	return syncFolder(filepath.Dir(path))
}

// record moves the journal on to another state. It is the old one or the new one at any time.
func (c *change) record(s state) error {
	path := c.place.journalPath()
	if err := hook(string(s), path); err != nil {
		return err
	}
	if err := c.stillOurs(); err != nil {
		return err
	}
	text, err := c.journalText(s)
	if err != nil {
		return err
	}
	if err := removeIfThere(c.nextJournal()); err != nil { // of a run that was cut short here
		return err
	}
	if err := writeSynced(c.nextJournal(), text, 0); err != nil {
		return err
	}
	if err := os.Rename(c.nextJournal(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

func (c *change) nextJournal() string {
	return filepath.Join(c.place.Folders[c.place.Home], prefix+c.run+"-journal")
}

// stillOurs makes sure that no other run has taken the change over, as one may that shares the folder
// and not the lock: in another container, say.
func (c *change) stillOurs() error {
	path := c.place.journalPath()
	text, _, err := disk.ReadPlain(path)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(text, append(bytes.Clone(journalStart), c.run...)) {
		return fmt.Errorf("%s: %w", filepath.ToSlash(path), ErrInterrupted)
	}
	return nil
}

// close removes the journal: the change has come to its end.
func (c *change) close() error {
	if err := errors.Join(c.stillOurs(), removeIfThere(c.nextJournal())); err != nil {
		return err
	}
	path := c.place.journalPath()
	if err := removeIfThere(path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

var (
	runShape    = regexp.MustCompile(`^[0-9a-f]{16}$`)
	digestShape = regexp.MustCompile(`^(sha256:[0-9a-f]{64})?$`)
)

// maxJournal is the size in bytes above which a file is no journal.
const maxJournal = 16 << 20

// readJournal reads what an earlier run left. The change is nil if there is nothing to do: no
// journal, or one that was cut short itself.
func readJournal(place Place) (*change, state, error) {
	path := place.journalPath()
	text, info, err := disk.ReadPlain(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder):
		return nil, "", nil // what else is wrong with the folder is found when it is read
	case errors.Is(err, disk.ErrIrregular):
		return nil, "", fmt.Errorf("it is %s", disk.Kind(info.Mode()))
	case err != nil:
		return nil, "", err
	case cutShort(text):
		return nil, begun, nil
	case len(text) > maxJournal:
		return nil, "", fmt.Errorf("it has %d bytes", len(text))
	}
	var j journal
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&j); err != nil {
		return nil, "", fmt.Errorf("it cannot be read: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, "", errors.New("something follows it")
	}
	if j.Version != journalVersion || !runShape.MatchString(j.Run) {
		return nil, "", errors.New("no release of this form of ahpgen wrote it")
	}
	if j.State != begun && j.State != decided && j.State != done {
		return nil, "", fmt.Errorf("there is no state %q", j.State)
	}
	c := &change{place: place, run: j.Run, entries: j.Files, rests: j.Rests}
	return c, j.State, c.valid()
}

// cutShort reports whether a text is the beginning of a journal: nothing had begun when it was written.
func cutShort(text []byte) bool {
	if len(text) < len(journalStart) {
		return bytes.HasPrefix(journalStart, text)
	}
	if !bytes.HasPrefix(text, journalStart) {
		return false
	}
	var any json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&any), io.ErrUnexpectedEOF)
}

// valid refuses a journal that speaks of anything but files that ahpgen changes, each once.
func (c *change) valid() error {
	seen := map[string]bool{}
	for i := range c.entries {
		e := &c.entries[i]
		if err := e.valid(); err != nil {
			return fmt.Errorf("it names %q: %w", e.Name, err)
		}
		if _, ok := c.place.Folders[e.In]; !ok {
			return fmt.Errorf("it names a folder %q", e.In)
		}
		if err := c.place.Trust(e.In); err != nil {
			return fmt.Errorf("it names %q: %w", e.Name, err)
		}
		if err := c.place.Check(File{In: e.In, Name: e.Name, Kind: e.Kind}); err != nil {
			return fmt.Errorf("it names %q: %w", e.Name, err)
		}
		c.locate(e, i)
		if seen[e.path] {
			return fmt.Errorf("it names %q twice", e.Name)
		}
		seen[e.path] = true
	}
	return nil
}

// notInNames are characters that separate folders somewhere, or that nobody sees.
func notInNames(r rune) bool { return strings.ContainsRune(`/\:`, r) || !unicode.IsPrint(r) }

// valid refuses what is no name of a file in a folder, and what is no change.
func (e *entry) valid() error {
	switch {
	case e.Name == "" || e.Name != filepath.Base(e.Name) || !filepath.IsLocal(e.Name) || strings.ContainsFunc(e.Name, notInNames):
		return errors.New("this is no name of a file in a folder")
	case strings.HasPrefix(e.Name, "."):
		return errors.New("ahpgen writes no hidden files")
	case e.Kind != Emitted && e.Kind != Extended && e.Kind != Aside:
		return fmt.Errorf("there is no kind %q", e.Kind)
	case !digestShape.MatchString(e.Old) || !digestShape.MatchString(e.New) || e.Old == e.New:
		return errors.New("its digests say nothing")
	}
	return nil
}
