// Package judge compares the messages of a conversation with the protocol that it is in. It knows no protocol by itself:
// what is allowed is what the schemas and the profile state. It keeps what it needs to judge what comes later, within limits.
package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/inside"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/gate"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Message is a message with what is known of it.
type Message struct {
	N       int           // its number in the conversation, from 1 on
	Conn    int           // its connection, from 1 on
	Time    time.Time     // when its last byte was read
	From    protocol.Side // the sender
	Size    int           // bytes, without framing
	Body    []byte        // without framing; nil for one that was too large
	Kind    rpc.Kind      // "" for what is no message
	Method  string        // of answers that of the request
	ID      string        // JSON
	Channel string        // the channel that it is about, or ""
	Detail  string        // the type of its action, or the tag of a parameter
	Answers int           // the number of the request, of an answer
	Latency time.Duration // since the request
	// Findings are what is wrong with it.
	Findings []Finding
	// Changes are the parts of the state of its channel that it changes, if these are followed.
	Changes []inside.StatePart
	// Touched are the channels whose states it sets or changes, if these are followed. Some may be there twice.
	Touched []string
}

// Finding is something that is wrong with a message.
type Finding struct {
	Rule   string `json:"rule"`             // one of [Rules]
	Path   string `json:"path,omitempty"`   // the place in the message
	Text   string `json:"text"`             // what is wrong
	Schema string `json:"schema,omitempty"` // the type, and the member of it, or a method
	At     string `json:"at,omitempty"`     // file:line:column in the schemas
	Note   bool   `json:"note,omitempty"`   // informational, not a violation
}

// Judge judges a conversation of one client and one host, which may take several connections.
type Judge struct {
	// Follow says that messages have their Changes.
	Follow bool
	// Redacted says that values were replaced by [record.Redacted], which fits everywhere.
	Redacted bool

	versions []Version
	patterns map[string]*regexp.Regexp
	conns    map[int]*conn
	copies   map[string]*copies // by client id
	ended    []int              // connections that are over, oldest first
	n        int
}

// New returns a judge for the versions of a protocol. It starts with the first.
func New(versions []Version) *Judge {
	return &Judge{versions: versions, patterns: map[string]*regexp.Regexp{}, conns: map[int]*conn{}, copies: map[string]*copies{}}
}

// conn is one connection.
type conn struct {
	*Judge
	id       int
	p        *protocol.Protocol
	table    spec.Table
	calls    map[string][]*protocol.Method // by name
	agreed   string                        // version, "" before
	opened   bool                          // the handshake has begun
	told     bool                          // both sides have said what they can
	sides    map[protocol.Side]*side
	guards   map[protocol.Side]*gate.Guard // by sender: what its peer has advertised
	own      map[protocol.Side]*gate.Guard // by sender: what it has advertised itself
	copies   *copies
	client   string // the id by which the client has introduced itself
	seen     int64  // the highest number of an envelope
	envelope *spec.Envelope
	closed   protocol.Side // which side has ended first
	shared   bool          // several clients may be behind it
	missed   bool          // there were messages that were not judged, so that what belongs together is not known
}

// side is what one side has sent on a connection.
type side struct {
	pending    map[string]*request
	answered   map[string]int       // requests of this side by id, to the number of the answer
	oldest     []string             // ids of answered requests, oldest first
	tokens     map[string]*progress // with which requests of this side ask for progress, as JSON
	manyTokens bool                 // more than are kept, or longer ones
	sequence   int64                // the last number, and the highest one
	highest    int64
	numbered   bool // these are set
	actions    int64
	sizes      map[int]int // bytes of the current messages that were passed on, by their streams
	ended      bool        // it will send no more
}

// progress is how far a request has got, if there was a notification.
type progress struct {
	value    float64
	reported bool
}

// request is a request without an answer.
type request struct {
	n         int
	at        time.Time
	method    *protocol.Method // nil for an unknown one
	name      string
	params    map[string]any
	cancelled bool
	givenUp   bool // the client has closed the HTTP exchange
}

const (
	maxPending  = 100_000
	maxAnswered = 10_000
	maxTokens   = 10_000
	maxToken    = 1024 // bytes
	maxEnded    = 64   // connections that are over, and whose states are kept
	maxClients  = 1000 // clients whose states are kept for when they come back
)

func (j *Judge) conn(id int) *conn {
	c := j.conns[id]
	if c == nil {
		c = &conn{Judge: j, id: id, sides: map[protocol.Side]*side{}, copies: newCopies()}
		for _, s := range []protocol.Side{protocol.FromClient, protocol.FromHost} {
			c.sides[s] = &side{pending: map[string]*request{}, answered: map[string]int{}, tokens: map[string]*progress{}, sizes: map[int]int{}}
		}
		c.speak(j.versions[0].Protocol)
		j.conns[id] = c
	}
	return c
}

// speak makes a version the one that the connection is judged by.
func (c *conn) speak(p *protocol.Protocol) {
	c.p, c.table, c.calls = p, tableOf(p), map[string][]*protocol.Method{}
	c.envelope = c.table.Envelope
	for _, m := range p.Methods {
		c.calls[m.Name] = append(c.calls[m.Name], m)
	}
	c.guards, c.own = guardsOf(p, false), guardsOf(p, true)
}

// tableOf returns what is needed to decode messages of a protocol.
func tableOf(p *protocol.Protocol) (t spec.Table) {
	if p.Batches != nil {
		t.Batches = &spec.Batching{}
	}
	if e := p.Envelope; e != nil {
		forms := spec.Forms{Request: e.Request, Result: e.Result, Failure: e.Error, Notification: e.Notification, TextIDs: e.TextIDs, Codes: map[int64]string{}}
		for _, code := range e.Codes {
			forms.Codes[code.Code] = code.Name
		}
		t.Envelope = spec.MustEnvelope(forms) // checked when the profile was read
	}
	return t
}

// Table returns what is needed to decode messages of the protocol.
func (j *Judge) Table() *spec.Table {
	t := tableOf(j.versions[0].Protocol)
	return &t
}

// Protocol returns the version to begin with.
func (j *Judge) Protocol() *protocol.Protocol { return j.versions[0].Protocol }

// Violations returns what a type does not allow in a value, which is decoded JSON with integers as int64.
func (j *Judge) Violations(t protocol.Type, v any) (out []Finding) {
	k := checker{patterns: j.patterns}
	k.report = func(path, text string, at place) {
		out = append(out, Finding{Path: path, Text: text, Schema: at.name, At: at.pos})
	}
	k.declared(t, v, "")
	return out
}

// Skipped counts a message that was too large to judge or is not whole, and returns it.
func (j *Judge) Skipped(id int, at time.Time, from protocol.Side, size int) *Message {
	j.n++
	text := "%d bytes are too many to judge"
	if size <= record.Limit {
		text = "%d bytes are not all of the message, or cannot be read"
	}
	return &Message{N: j.n, Conn: id, Time: at, From: from, Size: size, Findings: []Finding{{Rule: NotJudged, Text: fmt.Sprintf(text, size), Note: true}}}
}

// Message judges a message, which is without its framing.
func (j *Judge) Message(id int, at time.Time, from protocol.Side, body []byte) *Message {
	j.n++
	m := &Message{N: j.n, Conn: id, Time: at, From: from, Size: len(body), Body: body}
	c := j.conn(id)
	body = bytes.TrimSpace(body)
	decoded, err := rpc.Decode(body, &c.table)
	switch {
	case err != nil:
		c.malformed(m, body, &decoded, err)
	case decoded.Kind == rpc.Batch:
		c.batch(m, decoded.Params)
	default:
		c.one(m, &decoded, body, "")
	}
	return m
}

// malformed explains what is no message.
func (c *conn) malformed(m *Message, body []byte, decoded *rpc.Message, err error) {
	var v json.RawMessage
	f := Finding{Rule: BadMessage, Text: err.Error()}
	if e, ok := err.(*rpc.Error); ok { //nolint:errorlint // it is never wrapped
		f.Text = e.Message
	}
	if err := json.Unmarshal(body, &v); err != nil {
		f.Rule, f.Text = NotJSON, err.Error()
	}
	if c.Redacted && f.Rule == BadMessage && string(body) == `"`+record.Redacted+`"` {
		f = Finding{Rule: NotJudged, Text: "it was not recorded, for values in it could not be found", Note: true}
	}
	m.find(f)
	m.ID = string(decoded.ID)
}

// batch judges each message of a batch.
func (c *conn) batch(m *Message, list json.RawMessage) {
	m.Kind = rpc.Batch
	var parts []json.RawMessage
	if json.Unmarshal(list, &parts) != nil {
		return
	}
	m.Detail = fmt.Sprintf("%d messages", len(parts))
	for i, part := range parts {
		inner := *m
		inner.Findings = nil
		prefix := fmt.Sprintf("[%d]", i)
		decoded, err := rpc.Decode(part, &c.table)
		if err != nil {
			c.malformed(&inner, part, &decoded, err)
			inner.Findings[0].Path = prefix
		} else {
			c.one(&inner, &decoded, part, prefix)
		}
		m.Findings = append(m.Findings, inner.Findings...)
	}
}

// one judges a message that is none of several.
func (c *conn) one(m *Message, in *rpc.Message, body []byte, prefix string) {
	m.Kind, m.ID, m.Method = in.Kind, string(in.ID), in.Method
	c.number(m, in, body)
	switch in.Kind {
	case rpc.Request, rpc.Notification:
		c.call(m, in, join(prefix, "params"))
	case rpc.Result, rpc.Failure:
		c.answer(m, in, prefix)
	}
}

// number checks the number of a message, where both sides number theirs.
func (c *conn) number(m *Message, in *rpc.Message, body []byte) {
	if c.envelope == nil || !c.envelope.Sequence {
		return
	}
	form := c.envelope.Form(string(in.Kind))
	path, ok := form.Path(spec.HoleSequence)
	if !ok {
		if path, ok = form.Path(spec.HoleID); !ok {
			return
		}
	}
	n, ok := at(inside.DecodeState(body), path...).(int64)
	s := c.sides[m.From]
	if !ok {
		return
	}
	switch {
	case !s.numbered || n == s.sequence+1 || n == s.highest+1: // after two that have changed places, it goes on
	case n > s.sequence:
		m.find(Finding{Rule: SequenceGap, Path: strings.Join(path, "."), Text: fmt.Sprintf("%d follows %d", n, s.sequence)})
	default:
		m.find(Finding{Rule: SequenceBack, Path: strings.Join(path, "."), Text: fmt.Sprintf("%d follows %d", n, s.sequence)})
	}
	s.sequence, s.highest, s.numbered = n, max(n, s.highest), true
}

func (m *Message) find(f Finding) { m.Findings = append(m.Findings, f) }

// at returns the value at a path of members, or nil.
func at(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// check compares a value with a type, and notes what violates it under a rule.
func (c *conn) check(m *Message, rule string, t protocol.Type, v any, path string) {
	k := checker{patterns: c.patterns, redacted: c.Redacted}
	k.report = func(path, text string, at place) {
		m.find(Finding{Rule: rule, Path: path, Text: text, Schema: at.name, At: at.pos})
	}
	k.declared(t, v, path)
	if more := k.count - maxViolations; more > 0 {
		m.find(Finding{Rule: rule, Path: path, Text: fmt.Sprintf("%d more", more)})
	}
}

// End returns a message for each request without an answer on the connections that have not ended by themselves.
func (j *Judge) End() []*Message {
	var out []*Message
	for _, c := range j.conns {
		out = append(out, c.unanswered()...)
	}
	return sorted(out)
}

// unanswered returns a message for each request without an answer, with the number of that request. Those of the side that has
// closed the connection first are no violation.
func (c *conn) unanswered() []*Message {
	var out []*Message
	for from, s := range c.sides {
		for key, r := range s.pending {
			if r.cancelled || c.missed {
				continue
			}
			m := &Message{N: r.n, Conn: c.id, Time: r.at, From: from, Kind: rpc.Request, Method: r.name, ID: key}
			f := Finding{Rule: Unanswered, Text: "never answered", Note: true}
			switch {
			case c.closed == from:
				f.Text += ", for the " + c.p.Sides.Name(from) + " closed the connection first"
			case r.givenUp:
				f.Text += ", for the " + c.p.Sides.Name(from) + " closed its HTTP request first"
			default:
				f.Note = false
			}
			f.of(r.method)
			m.find(f)
			out = append(out, m)
		}
		clear(s.pending)
	}
	return sorted(out)
}

// of names the method that a finding is about.
func (f *Finding) of(m *protocol.Method) {
	if m != nil {
		f.Schema, f.At = m.Name, m.Pos.String()
	}
}

// Name returns the protocol's name of a side.
func (j *Judge) Name(s protocol.Side) string { return j.versions[0].Protocol.Sides.Name(s) }

// short shows a name of others.
func short(text string) string { return wire.Excerpt(text) }
