// Translations: clients that speak an older version get what is sent lowered, and what they send is lifted.

package server

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// States returns the state of a channel before a message, in the version of the protocol, or nil.
type States = func(channel string) json.RawMessage

// Translation converts between the protocol's version and an older one. A *translate.Version of the emitted package is one.
type Translation interface {
	// Older returns the older version.
	Older() string
	// Lowered returns the envelopes that a client gets instead of one. There may be several, whose numbers end with that of
	// the one, or none.
	Lowered(envelope json.RawMessage, states States) ([]json.RawMessage, error)
	// LoweredParams returns the parameters of a notification, or nil if the client does not get it.
	LoweredParams(method string, params json.RawMessage) (json.RawMessage, error)
	// Lifted returns the parameters of a client's message. There may be several in place of one, or none.
	Lifted(method string, params json.RawMessage, states States) ([]json.RawMessage, error)
	// LiftedSnapshot and LiftedEnvelope convert what a log has.
	LiftedSnapshot(snapshot json.RawMessage) (json.RawMessage, error)
	LiftedEnvelope(envelope json.RawMessage, states States) ([]json.RawMessage, error)
	// Translator converts all other messages of a connection, but leaves received ones of some methods as they are.
	Translator(states States, own ...string) rpc.Translator
}

// Translations returns a list as one of translations.
func Translations[T Translation](list []T) (out []Translation) {
	for _, t := range list {
		out = append(out, t)
	}
	return out
}

// translation returns the translation of a version, or nil.
func (p *Protocol[S, A]) translation(version string) Translation {
	for _, t := range p.Older {
		if t.Older() == version {
			return t
		}
	}
	return nil
}

// speaks reports whether a version that was agreed once would be agreed again.
func (p *Protocol[S, A]) speaks(version string) bool {
	agreed, err := p.Negotiate([]string{version})
	return err == nil && agreed == version
}

// speak makes a connection use the version that was agreed. The caller must hold the lock.
func (s *Server[S, A]) speak(c *Client, version string) {
	c.older = s.protocol.translation(version)
	if c.older == nil {
		return
	}
	c.peer.Translate(c.older.Translator(s.stateOf, s.protocol.Dispatch))
	if s.spoken == nil {
		s.spoken = map[Translation]int{}
	}
	s.spoken[c.older]++
}

// hush ends the use of a client's version. The caller must hold the lock.
func (s *Server[S, A]) hush(c *Client) {
	if !c.open || c.older == nil {
		return
	}
	if s.spoken[c.older]--; s.spoken[c.older] == 0 {
		delete(s.spoken, c.older)
	}
}

// stateOf returns the state of a channel as JSON, or nil.
func (s *Server[S, A]) stateOf(name string) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stateOfLocked(name)
}

func (s *Server[S, A]) stateOfLocked(name string) json.RawMessage {
	c := s.channels[name]
	if c != nil && c.copied.stub {
		s.ask(c)
	}
	if c == nil || !c.hasState {
		return nil
	}
	data, err := s.json(c, s.sequence)
	if err != nil {
		return nil
	}
	d := wire.NewDecoder(data)
	for key := d.Object(); key != nil; key = d.NextKey() {
		if string(key) == s.protocol.Members.State {
			return d.Slice()
		}
	}
	return nil
}

// lowered is what clients of an older version get.
type lowered struct {
	to   Translation
	same bool // as those of the version of the protocol
	data [][]byte
	err  error
}

// lower lowers an envelope for the versions in use, before its action is applied. It returns how many numbers the
// envelope takes. A rejection reaches its sender in any case. The caller must hold the lock.
func (s *Server[S, A]) lower(envelope json.RawMessage, rejection bool) (out []lowered, numbers int64) {
	numbers = 1
	for t := range s.spoken {
		l := lowered{to: t}
		var texts []json.RawMessage
		if texts, l.err = t.Lowered(envelope, s.stateOfLocked); rejection && len(texts) != 1 {
			texts, l.err = []json.RawMessage{envelope}, nil
		}
		if l.same = len(texts) == 1 && &texts[0][0] == &envelope[0]; l.same {
			texts = nil
		}
		for _, text := range texts {
			l.data = append(l.data, append(append(append(make([]byte, 0, len(s.start)+len(text)+1), s.start...), text...), '}'))
		}
		numbers = max(numbers, int64(len(texts)))
		out = append(out, l)
	}
	return out, numbers
}

// sendOlder sends to a client of an older version.
func (d *delivery) sendOlder(c *Client, method string) {
	if d.method != "" && !d.reaches(c) {
		return
	}
	l := d.lowered(c.older)
	if l.err != nil {
		// It starts again with the states as they are then, which can be said. Until then it gets nothing, since whoever has seen
		// a later number has seen this one.
		c.peer.End(&rpc.Error{Code: int64(rpc.InternalError), Message: "what happened cannot be said in version " + c.older.Older(), Data: endedUnsaid})
		return
	}
	if l.same || len(l.data) == 0 && d.from == c { // it waits for an answer, and an action that it does not know is one
		_ = c.peer.SendNotification(method, d.data, d.made)
	}
	for _, data := range l.data {
		_ = c.peer.SendNotification(method, data, d.made)
	}
}

// endedUnsaid is the data of the error that ends such a connection.
var endedUnsaid = json.RawMessage(`{"ended":"unsaid"}`)

// lowered returns what clients of an older version get. Notifications are lowered when the first of them gets one.
func (d *delivery) lowered(to Translation) *lowered {
	for i := range d.older {
		if d.older[i].to == to {
			return &d.older[i]
		}
	}
	l := lowered{to: to, err: errors.New("the version was not in use")}
	if d.method != "" {
		l.data, l.err = nil, nil
		var params json.RawMessage
		if params, l.err = to.LoweredParams(d.method, d.params); l.err == nil && (params != nil || d.params == nil) {
			var data []byte
			data, l.err = (&rpc.Message{Kind: rpc.Notification, Method: d.method, Params: params}).AppendJSON(nil)
			l.data = [][]byte{data}
		}
	}
	d.older = append(d.older, l)
	return &d.older[len(d.older)-1]
}

var errUnsayable = errors.New("nothing of the action is left in the version of the host")

// unsayable is why an action of an older version is refused.
func unsayable(err error) string {
	if err == nil {
		err = errUnsayable
	}
	return err.Error()
}

// lift returns the dispatched actions that a client's message stands for, lifted with the states as they are now. The caller
// must hold the lock.
func (s *Server[S, A]) lift(c *Client, params json.RawMessage) ([]Dispatched[A], error) {
	texts, err := c.older.Lifted(s.protocol.Dispatch, params, s.stateOfLocked)
	if err != nil {
		return nil, err
	}
	var out []Dispatched[A]
	for _, text := range texts {
		d, err := s.protocol.ReadDispatch(text)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// replays reports whether missed actions can be lowered without the states that they were applied to.
func (c *Client) replays(envelope wire.Appender) bool {
	data, err := envelope.AppendJSON(nil)
	if err != nil {
		return false
	}
	out, err := c.older.Lowered(data, nil)
	return err == nil && len(out) <= 1
}

// lifted is the log data of an older version in the version of the protocol.
func (l *loading[S, A]) lifted(c *channel[S], r Record) ([]json.RawMessage, error) {
	t := l.server.protocol.translation(l.version)
	if t == nil || len(r.Data) == 0 || r.Kind == Action && l.server.protocol.Refused(r.Data) {
		return []json.RawMessage{r.Data}, nil
	}
	if r.Kind == Action {
		return t.LiftedEnvelope(r.Data, func(name string) json.RawMessage {
			if c == nil || name != c.name {
				return nil
			}
			return l.server.stateOfLocked(name)
		})
	}
	data, err := t.LiftedSnapshot(r.Data)
	if err != nil || data == nil {
		return nil, err
	}
	return []json.RawMessage{data}, nil
}

// liftError is why a record of an older version cannot be lifted.
func (l *loading[S, A]) liftError(r Record, err error) error {
	old := Older{Version: l.version, Channel: r.Key, Sequence: r.Sequence, Err: fmt.Errorf("translation: %w", err)}
	if r.Kind == Action {
		old.Action = r.Data
	} else {
		old.State = r.Data
	}
	return &OlderError{old, l.server.protocol.Version}
}
