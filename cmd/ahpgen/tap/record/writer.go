// Writer: recordings on disks that may be full.

package record

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// Writer writes a recording. Each entry is written at once, so that a kill loses no more than the last one. After an error, the
// file ends with an entry that counts the messages which are missing from there on; with the next entry that can be written, the
// recording goes on.
type Writer struct {
	to      io.Writer
	file    file   // to, or nil if it is no file
	err     error  // why nothing can be written, if what went wrong cannot be taken back
	size    int64  // of whole lines
	recent  []mark // the last entries, as many as the line of a gap needs room
	gap     *Entry
	gapAt   int64 // where its line is, or -1
	missing int   // messages
}

var errNoRoom = errors.New("there is no room to say that messages are missing")

// mark is where an entry is, how many messages are of it, and how many of these are missing.
type mark struct {
	at             int64
	messages, lost int
}

// file is what a file can do, so that a line that was written in part can be removed.
type file interface {
	io.WriterAt
	io.Seeker
	Truncate(size int64) error
}

// NewWriter begins a recording.
func NewWriter(to io.Writer, h Head) (*Writer, error) {
	h.Recording = 1
	w := &Writer{to: to, gapAt: -1}
	w.file, _ = to.(file)
	text, err := encode(h)
	if err == nil {
		err = w.append(text)
	}
	return w, err
}

// Missing returns how many messages could not be written.
func (w *Writer) Missing() int { return w.missing }

// Write writes an entry, or counts it and returns why it could not be written.
func (w *Writer) Write(e *Entry) error {
	if w.err != nil {
		w.missing += messagesIn(e)
		return w.err
	}
	text, err := encode(lineOf(e))
	if err != nil {
		return err
	}
	if w.gap != nil && !w.writeGap() {
		w.lose(e)
		return errNoRoom
	}
	at := w.size
	if err = w.append(text); err != nil {
		w.lose(e)
		return err
	}
	if w.gap != nil {
		w.recent, w.gap, w.gapAt = []mark{{w.gapAt, w.gap.Lost, w.gap.Lost}}, nil, -1
	}
	w.recent = append(w.recent, mark{at, messagesIn(e), e.Lost})
	for len(w.recent) > 1 && w.size-w.recent[1].at >= gapLength {
		w.recent = w.recent[1:]
	}
	return nil
}

// lose counts an entry that could not be written.
func (w *Writer) lose(e *Entry) {
	w.missing += messagesIn(e)
	if w.err != nil {
		return
	}
	if w.gap == nil {
		w.gap = &Entry{Time: e.Time, Conn: e.Conn, From: e.From}
	}
	w.gap.Lost += max(messagesIn(e), boolean(w.gap.Lost == 0)) // at least a part of one
	w.writeGap()
}

func messagesIn(e *Entry) int {
	return boolean(!e.More && !e.End && e.Over == "" && e.Lost == 0) + e.Lost
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// writeGap writes how many messages are missing: where it is already, at the end, or in the place of the last entries, which are
// missing then as well. A full disk takes that.
func (w *Writer) writeGap() bool {
	l := lineOf(w.gap)
	text, err := encode(l)
	switch {
	case err != nil:
		return false
	case w.gapAt >= 0:
		return w.overwrite(text, w.gapAt) == nil
	}
	at := w.size
	if w.append(padded(text)) == nil {
		w.gapAt = at
		return true
	}
	if len(w.recent) == 0 || w.size-w.recent[0].at < gapLength {
		return false // it is written when there is room
	}
	for _, m := range w.recent {
		w.gap.Lost += m.messages
		w.missing += m.messages - m.lost
	}
	at = w.recent[0].at
	w.recent = nil
	if text, err = encode(lineOf(w.gap)); err != nil || w.overwrite(text, at) != nil {
		return false
	}
	w.gapAt, w.size = at, at+int64(len(padded(text)))
	return w.cut() == nil
}

func (w *Writer) overwrite(text []byte, at int64) error {
	_, err := w.file.WriteAt(padded(text), at)
	return err
}

// gapLength is the length of the line of a gap, with room for a larger number.
const gapLength = 100

func padded(text []byte) []byte {
	return append(bytes.Repeat([]byte(" "), max(gapLength-len(text), 0)), text...)
}

// append writes a line, or nothing.
func (w *Writer) append(text []byte) error {
	_, err := w.to.Write(text)
	if err == nil {
		w.size += int64(len(text))
		return nil
	}
	if w.file == nil || w.cut() != nil {
		w.err = err // a part of the line is there
	}
	return err
}

// cut removes what is behind the whole lines.
func (w *Writer) cut() error {
	_, err := w.file.Seek(w.size, io.SeekStart)
	return errors.Join(err, w.file.Truncate(w.size))
}

func lineOf(e *Entry) line {
	l := line{At: e.Time, From: e.From, More: e.More, Cut: e.Cut, Stream: e.Stream, End: e.End, Over: e.Over, Status: e.Status, Shared: e.Shared, Lost: e.Lost}
	if e.Conn > 1 {
		l.Conn = e.Conn
	}
	if len(e.Data) > 0 {
		text := string(e.Data)
		if l.Text = &text; !utf8.Valid(e.Data) {
			text = base64.StdEncoding.EncodeToString(e.Data)
			l.Text, l.Base64 = nil, &text
		}
	}
	return l
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}
