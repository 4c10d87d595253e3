// Package record writes and reads recordings of conversations: lines of JSON, each complete by itself. The first one says what
// the recording is of, and each of the others is a piece of what one side has sent, byte for byte.
package record

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Framing is how messages are delimited in a stream of bytes.
type Framing string

// The framings.
const (
	Lines    Framing = "lines"    // each message is a line
	Headers  Framing = "headers"  // each message follows a header with its length
	Messages Framing = "messages" // the transport tells them apart, as WebSockets do
)

// Head is the first line of a recording.
type Head struct {
	Recording int       `json:"recording"` // 1, the version of the format
	Schemas   string    `json:"schemas"`   // embedded ones by name, or a folder or file
	Profile   string    `json:"profile,omitempty"`
	Framing   Framing   `json:"framing"`
	Started   time.Time `json:"started"`
	Command   []string  `json:"command,omitempty"`
	Redacted  []string  `json:"redacted,omitempty"` // paths of values that were replaced
}

// Entry is a line of a recording.
type Entry struct {
	Time time.Time
	Conn int           // the connection, from 1 on
	From protocol.Side // client or host
	// Data are the bytes, with their framing.
	Data []byte
	More bool // the message goes on with the next entry of the side
	// Cut says that the message is too large to be judged, or has no framing. All of its entries say so.
	Cut bool
	// Stream is the number of a message that is Cut where the entries of several may come in turns, as over HTTP; 0 elsewhere.
	Stream int
	// End says that the side has closed its direction. There is no data.
	End bool
	// Over is the id, as JSON, of a request whose HTTP exchange is over without an answer to it: the client has given up, or the
	// host has answered with a Status of 400 or more. There is no data.
	Over   string
	Status int // of HTTP, or 0 if the client has given up
	// Shared says that several clients may be behind the connection, for it stands for their address.
	Shared bool
	// Lost counts messages that were passed on and could not be recorded. There is no data.
	Lost int
}

// line is an entry as JSON.
type line struct {
	At     time.Time     `json:"at"`
	Conn   int           `json:"conn,omitempty"` // absent for the first
	From   protocol.Side `json:"from,omitempty"`
	Text   *string       `json:"text,omitempty"`
	Base64 *string       `json:"base64,omitempty"` // what is not UTF-8
	More   bool          `json:"more,omitempty"`
	Cut    bool          `json:"cut,omitempty"`
	Stream int           `json:"stream,omitempty"`
	End    bool          `json:"end,omitempty"`
	Over   string        `json:"over,omitempty"`
	Status int           `json:"status,omitempty"`
	Shared bool          `json:"shared,omitempty"`
	Lost   int           `json:"lost,omitempty"`
}

// Reader reads a recording.
type Reader struct {
	Head Head
	// Torn says that the last line is incomplete, since the recording was interrupted. It is set at the end.
	Torn bool

	in *bufio.Reader
	n  int
}

// NewReader reads the first line.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 1<<16)}
	text, err := r.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if json.Unmarshal(text, &r.Head) != nil || r.Head.Recording == 0 {
		return nil, errors.New("no recording: the first line is not that of one")
	}
	if r.Head.Recording != 1 {
		return nil, fmt.Errorf("a recording of format %d, and this ahpgen reads format 1: use a newer one", r.Head.Recording)
	}
	return r, nil
}

// next returns the next line, [io.EOF] at the end.
func (r *Reader) next() ([]byte, error) {
	r.n++
	text, err := r.in.ReadBytes('\n')
	if err == io.EOF && len(text) > 0 {
		r.Torn = true
	}
	return text, err
}

// Read returns the next entry, [io.EOF] at the end.
func (r *Reader) Read() (*Entry, error) {
	text, err := r.next()
	if err != nil {
		return nil, err
	}
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		if _, end := r.in.Peek(1); end == io.EOF {
			r.Torn = true
			return nil, io.EOF
		}
		return nil, fmt.Errorf("line %d: no entry of a recording: %w", r.n, err)
	}
	e := &Entry{Time: l.At, Conn: max(l.Conn, 1), From: l.From, More: l.More, Cut: l.Cut, Stream: l.Stream, End: l.End, Over: l.Over, Status: l.Status, Shared: l.Shared, Lost: l.Lost}
	if e.Lost == 0 && e.From != protocol.FromClient && e.From != protocol.FromHost {
		return nil, fmt.Errorf("line %d: from is %q, and is client or host", r.n, string(l.From))
	}
	switch {
	case l.Text != nil:
		e.Data = []byte(*l.Text)
	case l.Base64 != nil:
		if e.Data, err = base64.StdEncoding.DecodeString(*l.Base64); err != nil {
			return nil, fmt.Errorf("line %d: base64: %w", r.n, err)
		}
	}
	return e, nil
}
