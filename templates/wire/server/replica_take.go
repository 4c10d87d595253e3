// Replicas: applying the records of a shared log.

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// take applies records of the log.
func (s *Server[S, A]) take(list []shared.Record) error {
	for i := range list {
		if err := s.takeOne(&list[i]); err != nil {
			return fmt.Errorf("record %d of the log: %w", list[i].Number, err)
		}
	}
	return nil
}

func (s *Server[S, A]) takeOne(rec *shared.Record) error {
	r := s.replica
	read := s.decoded(rec)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.wait()
	defer s.out.room.Broadcast()
	if rec.Number > (maxNumber-r.epoch)/stride {
		return errNoNumbers
	}
	r.followed, s.sequence = rec.Number, r.sequenceOf(rec.Number)
	var own *entered[S, A]
	if rec.Writer == r.writer {
		own = r.mine[rec.Serial]
		delete(r.mine, rec.Serial)
	}
	r.ownChange = rec.Writer == r.writer
	err := s.takeKind(rec, read, own)
	if own != nil {
		own.done()
	}
	if r.ownChange && err == nil {
		s.trimSoon(rec.Number)
	}
	return err
}

// reading is a decoded record.
type reading[A any] struct {
	envelope Envelope[A]
	err      error
}

// decoded decodes an envelope, unless it is from this server, which has it, or of another version, which may need states.
func (s *Server[S, A]) decoded(rec *shared.Record) (out reading[A]) {
	if Kind(rec.Kind) == Action && rec.Writer != s.replica.writer && versionOf(rec) == s.protocol.Version {
		out.envelope, out.err = s.protocol.ReadEnvelope(rec.Data)
	}
	return out
}

func (s *Server[S, A]) takeKind(rec *shared.Record, read reading[A], own *entered[S, A]) error {
	r := s.replica
	switch {
	case strings.HasPrefix(rec.Key, channelKey):
		return s.takeChannel(rec, rec.Key[len(channelKey):], read, own)
	case strings.HasPrefix(rec.Key, clientKey):
		s.takeClient(rec, rec.Key[len(clientKey):])
	case rec.Key == rejectedKey:
		return s.takeAction(nil, rec, read, own)
	case rec.Key == turnKey && rec.Number > r.until:
		s.takeTurn(string(rec.Data), rec.Writer)
	case rec.Key == versionKey && rec.Number > r.until && !s.reads(string(rec.Data)):
		return fmt.Errorf("it begins version %s, which version %s cannot read", rec.Data, s.protocol.Version)
	}
	return nil
}

func (s *Server[S, A]) takeChannel(rec *shared.Record, name string, read reading[A], own *entered[S, A]) error {
	s.endTurn(name, rec.Writer)
	c := s.channels[name]
	kind := Kind(rec.Kind)
	if rec.Number <= s.replica.until || c != nil && rec.Number <= c.copied.number { // the channel was found after it
		if kind != Action {
			return nil
		}
		return s.takeAction(nil, rec, read, own)
	}
	switch kind {
	case ChannelState:
		return s.takeOpening(rec, name, own)
	case ChannelGone:
		if c != nil {
			s.remove(c)
		}
		return nil
	case Action:
		if c == nil {
			return s.takeAction(nil, rec, read, own)
		}
		c.copied.number, c.copied.own, c.copied.whole = rec.Number, rec.Writer == s.replica.writer, false
		c.copied.unsaved += len(rec.Data)
		c.sequence = s.sequence
		if !c.copied.stub {
			c.copied.used = time.Now()
			return s.takeAction(c, rec, read, own)
		}
		if c.copied.loading {
			c.copied.pending = append(c.copied.pending, *rec)
		} else if c.copied.list > 0 { // its entry may change
			s.beginLoad(c)
		}
		return s.takeAction(nil, rec, read, own)
	}
	return fmt.Errorf("a record of kind %d", rec.Kind)
}

// takeOpening adds a channel.
func (s *Server[S, A]) takeOpening(rec *shared.Record, name string, own *entered[S, A]) error {
	c := &channel[S]{name: name, opened: s.sequence, sequence: s.sequence}
	c.entry.opened = rec.Time
	c.copied = copied{number: rec.Number, opened: rec.Number, whole: true, unsaved: len(rec.Data), used: time.Now(), own: own != nil}
	if own != nil {
		c.state, c.hasState = own.proposal.state, own.proposal.hasState
	} else if err := s.readState(c, rec, s.sequence); err != nil {
		return err
	}
	s.channels[name] = c
	s.observe(rpc.Event{Type: rpc.EventChannelOpened, Channel: name, Count: len(s.channels)})
	s.listAdded(c)
	s.rememberList(c)
	return nil
}

// readState decodes the state in a record.
func (s *Server[S, A]) readState(c *channel[S], rec *shared.Record, sequence int64) error {
	if len(rec.Data) == 0 {
		return nil
	}
	old := Record{Kind: ChannelState, Key: c.name, Sequence: sequence, Data: rec.Data}
	l := &loading[S, A]{server: s, version: versionOf(rec)}
	lifted, err := l.lifted(nil, old)
	if err != nil {
		return l.liftError(old, err)
	}
	if len(lifted) == 0 {
		return l.liftError(old, errUnsayable)
	}
	old.Data = lifted[0]
	there := false
	if c.state, there, err = l.state(old); err == nil && !there {
		err = l.liftError(old, errUnsayable) // other servers have it
	}
	c.hasState = err == nil
	return err
}

// takeAction applies and sends an action, or sends a rejection. Without a channel, or its state, it is only kept for clients that
// reconnect, and sent to the client of this server that it came from.
func (s *Server[S, A]) takeAction(c *channel[S], rec *shared.Record, read reading[A], own *entered[S, A]) error {
	if own != nil {
		return s.takeEnvelope(c, own.envelope, rec, own)
	}
	if rec.Writer == s.replica.writer { // of an attempt that was given up
		read.envelope, read.err = s.protocol.ReadEnvelope(rec.Data)
	}
	list := []Envelope[A]{read.envelope}
	if versionOf(rec) != s.protocol.Version {
		var err error
		if list, err = s.readOlder(c, rec); err != nil {
			return err
		}
	} else if read.err != nil {
		if !s.protocol.Refused(rec.Data) {
			return read.err
		}
		list = nil // a rejection of what could not be decoded
	}
	if len(list) == 0 || len(list) > stride {
		s.window, s.bytes, s.forgotten = nil, 0, s.sequence
	}
	last := s.sequence
	for i, e := range list {
		e.Sequence = last - int64(len(list)-1-i)
		if rec.Number <= s.replica.until {
			s.remember(e, rec.Data)
		} else if err := s.takeEnvelope(c, e, rec, nil); err != nil {
			return err
		}
	}
	return nil
}

// readOlder returns the envelopes that a record of another version stands for.
func (s *Server[S, A]) readOlder(c *channel[S], rec *shared.Record) (list []Envelope[A], err error) {
	old := Record{Kind: Action, Key: strings.TrimPrefix(rec.Key, channelKey), Sequence: s.sequence, Time: rec.Time, Data: rec.Data}
	l := &loading[S, A]{server: s, version: versionOf(rec)}
	if c == nil || !c.hasState || s.protocol.Refused(rec.Data) { // there is no state to translate it with
		return nil, nil
	}
	texts, err := l.lifted(c, old)
	if err != nil {
		return nil, l.liftError(old, err)
	}
	for _, text := range texts {
		old.Data = text
		e, there, err := l.understood(c, old)
		if err != nil {
			return nil, err
		}
		if there {
			list = append(list, e)
		}
	}
	return list, nil
}

// takeEnvelope applies and sends one action, or sends a rejection.
func (s *Server[S, A]) takeEnvelope(c *channel[S], e Envelope[A], rec *shared.Record, own *entered[S, A]) error {
	if own != nil {
		e.Sequence = s.sequence
	}
	d := delivery{}
	if own != nil && own.proposal.by != nil {
		d.from = own.proposal.by.client
	}
	text := json.RawMessage(rec.Data)
	if c != nil && len(c.subscribers) > 0 || d.from != nil {
		data, err := s.encode(&e, append([]byte(nil), s.start...), false)
		if err != nil {
			return err // although it was decoded, or encoded before
		}
		d.data = append(data, '}')
		text = d.data[len(s.start) : len(d.data)-1]
		if len(s.spoken) > 0 {
			d.older = s.lowerShared(text, e.Refusal != nil)
		}
	}
	if c != nil && e.Refusal == nil && c.hasState {
		if own != nil {
			c.state = own.after
		} else {
			state, err := s.protocol.apply(c.state, e.Action, rec.Time)
			if err != nil {
				return err
			}
			c.state = state
		}
	}
	s.commit(c, e, d, text)
	s.out.bytes += int64(len(d.data))
	s.kick()
	if c != nil && e.Refusal == nil {
		s.listChanged(c)
		s.checkpointSoon(c)
	}
	if own != nil && own.proposal.by != nil && e.Refusal == nil {
		s.accepted(own.proposal.by.client, Dispatched[A]{Channel: e.Channel, Action: e.Action})
	}
	return nil
}

// lowerShared is lower for a record, whose number is given. Clients of versions in which it needs more numbers are disconnected.
func (s *Server[S, A]) lowerShared(text json.RawMessage, rejection bool) []lowered {
	older, _ := s.lower(text, rejection)
	for i := range older {
		if len(older[i].data) > stride {
			older[i].data, older[i].err = nil, errors.New("too many actions")
		}
	}
	return older
}

// takeClient notes that a client has joined a server, and disconnects its former connection here.
func (s *Server[S, A]) takeClient(rec *shared.Record, id string) {
	own := rec.Writer == s.replica.writer
	if c := s.clients[id]; c != nil && c.joined < rec.Number {
		s.part(c)
		c.peer.EndReplaced()
	}
	k := s.known[id]
	if k != nil && rec.Number <= k.number {
		return
	}
	if k == nil {
		if !own || rec.Number <= s.replica.until {
			return // the log is asked if it comes here
		}
		s.forgetSome()
		k = &known{left: s.options.Limits.Now()}
		s.known[id] = k
	}
	k.version, k.owner = readKnown(rec.Data)
	if k.number = rec.Number; !own {
		k.channels = nil
	}
}
