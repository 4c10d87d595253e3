// Package lines prints the messages of a conversation, a line for each.
package lines

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/judge"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Filter chooses messages. The zero value chooses all.
type Filter struct {
	Only     []string // patterns of methods, types of actions and tags
	Channels []string // patterns of channels
	Findings bool     // only messages with something wrong
}

// Has reports whether a message is chosen.
func (f *Filter) Has(m *judge.Message) bool {
	matches := func(patterns []string, names ...string) bool {
		for _, p := range patterns {
			for _, name := range names {
				if ok, _ := path.Match(p, name); ok || p == name { // slashes separate words of methods, and * is for one of them
					return true
				}
			}
		}
		return len(patterns) == 0
	}
	return matches(f.Only, m.Method, m.Detail) && matches(f.Channels, m.Channel) && (!f.Findings || len(m.Findings) > 0)
}

// Printer prints messages.
type Printer struct {
	To      io.Writer
	JSON    bool
	Content bool // JSON has the messages themselves
	Colour  bool
	Filter  Filter
	Zero    time.Time // times count from here; the zero value prints the time of day
	Many    bool      // there are several connections

	Messages, Findings int // how many there were, notes not counted

	last   *judge.Message // of which more may follow
	more   int
	size   int
	latest time.Time
}

// Print prints a message, if the filter has it. Messages that repeat the one before in all but their content are counted, and
// printed as one line.
func (p *Printer) Print(m *judge.Message) {
	p.Count(m)
	if !p.Filter.Has(m) {
		return
	}
	if p.JSON {
		p.json(m)
		return
	}
	if p.repeats(m) {
		p.more, p.size, p.latest = p.more+1, p.size+m.Size, m.Time
		return
	}
	p.Flush()
	p.line(m)
	p.last = m
}

// Count counts a message and its findings.
func (p *Printer) Count(m *judge.Message) {
	if m.Size > 0 { // else it is about messages, or about one that was there before
		p.Messages++
	}
	for _, f := range m.Findings {
		if !f.Note {
			p.Findings++
		}
	}
}

// repeats reports whether a message continues a stream.
func (p *Printer) repeats(m *judge.Message) bool {
	l := p.last
	return l != nil && len(m.Findings) == 0 && m.Kind == rpc.Notification && l.Kind == m.Kind && l.From == m.From && l.Conn == m.Conn &&
		l.Method == m.Method && l.Detail == m.Detail && l.Channel == m.Channel
}

// Flush prints what was counted.
func (p *Printer) Flush() {
	if p.more > 0 {
		fmt.Fprintf(p.To, "%s %s   … %d more, %s in %s\n", p.time(p.latest), p.paint(dim, p.arrow(p.last)), p.more, bytes(p.size), duration(p.latest.Sub(p.last.Time)))
	}
	p.last, p.more, p.size = nil, 0, 0
}

// line prints a message and its findings.
func (p *Printer) line(m *judge.Message) {
	name := cmp.Or(m.Method, "?")
	switch {
	case m.Kind == rpc.Batch:
		name = "batch"
	case m.Kind == "" && m.Size == 0:
		name = "missing messages"
	case m.Kind == "" && slices.ContainsFunc(m.Findings, func(f judge.Finding) bool { return f.Rule == judge.NotJudged }):
		name = "large message"
	case m.Kind == "":
		name = "no message"
	}
	text := inside.VisibleName(name)
	switch m.Kind {
	case rpc.Failure:
		text = p.paint(red, text+" failed")
	case rpc.Result:
		text = p.paint(dim, text)
	default:
		text = p.paint(bold, text)
	}
	if m.ID != "" {
		text += " #" + inside.VisibleName(short(m.ID))
	}
	for _, part := range []string{m.Detail, m.Channel} {
		if part != "" {
			text += "  " + inside.VisibleName(short(part))
		}
	}
	var facts []string
	if m.Size > 0 {
		facts = append(facts, bytes(m.Size))
	}
	if m.Answers > 0 {
		facts = append(facts, duration(m.Latency))
	}
	if len(facts) > 0 {
		text += "  " + p.paint(dim, strings.Join(facts, ", "))
	}
	at := p.time(m.Time)
	if p.Many {
		at += " " + strconv.Itoa(m.Conn)
	}
	fmt.Fprintf(p.To, "%s %s %s\n", at, p.paint(dim, p.arrow(m)), text)
	for _, f := range m.Findings {
		p.finding(f)
	}
}

func (p *Printer) finding(f judge.Finding) {
	mark, colour := "!", red
	if f.Note {
		mark, colour = "-", dim
	}
	text := p.paint(colour, "    "+mark+" "+f.Rule) + ": "
	if f.Path != "" {
		text += inside.VisibleName(f.Path) + ": "
	}
	text += inside.VisibleLine(f.Text)
	if f.Schema != "" {
		text += p.paint(dim, "  ("+inside.VisibleName(f.Schema)+", "+f.At+")")
	}
	fmt.Fprintf(p.To, "%s\n", text)
}

// short is the beginning of a name of others.
func short(text string) string {
	const most = 80
	return inside.VisibleCut(text, most)
}

func (p *Printer) arrow(m *judge.Message) string {
	switch {
	case m.Kind == "" && m.Size == 0: // of both sides
		return "…"
	case m.From == protocol.FromClient:
		return "→"
	}
	return "←"
}

func (p *Printer) time(t time.Time) string {
	if p.Zero.IsZero() {
		return t.Format("15:04:05.000")
	}
	return fmt.Sprintf("%8.3f", t.Sub(p.Zero).Seconds())
}

func bytes(n int) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return strconv.Itoa(n) + " B"
	case n < kilo*kilo:
		return fmt.Sprintf("%.1f kB", float64(n)/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(kilo*kilo))
}

func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// The colours.
const (
	bold = "1"
	dim  = "2"
	red  = "31"
)

func (p *Printer) paint(colour, text string) string {
	if !p.Colour || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// row is a message as JSON.
type row struct {
	N        int             `json:"n"`
	Conn     int             `json:"conn"`
	At       time.Time       `json:"at"`
	From     string          `json:"from"`
	Kind     rpc.Kind        `json:"kind,omitempty"`
	Method   string          `json:"method,omitempty"`
	ID       json.RawMessage `json:"id,omitempty"`
	Detail   string          `json:"detail,omitempty"`
	Channel  string          `json:"channel,omitempty"`
	Bytes    int             `json:"bytes,omitempty"`
	Answers  int             `json:"answers,omitempty"`
	Seconds  float64         `json:"seconds,omitempty"`
	Findings []judge.Finding `json:"findings,omitempty"`
	Message  json.RawMessage `json:"message,omitempty"` // the whole of it, if it is JSON
}

func (p *Printer) json(m *judge.Message) {
	r := row{
		N: m.N, Conn: m.Conn, At: m.Time, From: string(m.From), Kind: m.Kind, Method: m.Method, Detail: m.Detail, Channel: m.Channel,
		Bytes: m.Size, Answers: m.Answers, Seconds: m.Latency.Seconds(), Findings: m.Findings,
	}
	if json.Valid([]byte(m.ID)) {
		r.ID = json.RawMessage(m.ID)
	}
	if p.Content && json.Valid(m.Body) {
		r.Message = m.Body
	}
	e := json.NewEncoder(p.To)
	e.SetEscapeHTML(false)
	_ = e.Encode(r) // an error to write is that of the command's output
}

// Summary says how many messages and findings there were.
func (p *Printer) Summary() string {
	return plural(p.Messages, "message") + ", " + plural(p.Findings, "finding")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}
