// The log: what a server must not forget when its process ends.

package server

import (
	"encoding/json"
	"fmt"
	"time"
)

// Log keeps records. Package bolt, emitted beside this one if it is asked for, keeps them on disk.
type Log interface {
	// Load calls f with what was kept: channels, then actions by their number, then clients.
	Load(f func(Record) error) error
	// Append keeps records, all of them or none, in their order. If it returns without an error, they
	// outlive the process and the machine. One goroutine calls it.
	Append(records []Record) error
}

// Kind says what a record is about.
type Kind byte

// The kinds of record.
const (
	// ChannelState: the state of the channel named Key as of Sequence, in the place of an earlier one. Data is
	// empty for a channel without a state.
	ChannelState Kind = iota + 1
	// ChannelGone: the channel named Key has ended.
	ChannelGone
	// Action: the envelope with the number Sequence, on the channel named Key.
	Action
	// Trim: actions with numbers up to Sequence are not needed any more. The number itself is: Load has it as
	// a record of this kind before the actions.
	Trim
	// ClientKnown: there is a client with the id Key. Data is what has to be known of it.
	ClientKnown
	// ClientGone: the client with the id Key need not be known any more.
	ClientGone
)

// Record is one thing to remember.
type Record struct {
	Kind     Kind
	Key      string
	Sequence int64
	Opened   int64     // of a channel: the number after which it was opened
	Time     time.Time // of an action: when it was applied
	Data     []byte    // snapshot or envelope as JSON, or what is known of a client
}

// load starts from what a log has kept.
func (s *Server[S, A]) load() error {
	now := s.options.Limits.Now()
	var loaded, applied int64 // bytes of actions
	err := s.options.Log.Load(func(r Record) error {
		s.sequence = max(s.sequence, r.Sequence)
		switch r.Kind {
		case ChannelState:
			c := &channel[S]{name: r.Key, opened: r.Opened, sequence: r.Sequence, saved: r.Sequence}
			if len(r.Data) > 0 {
				snapshot, err := s.protocol.ReadSnapshot(r.Data)
				if err != nil {
					return fmt.Errorf("state of %s: %w", r.Key, err)
				}
				c.state, c.hasState = snapshot.State, true
				s.savedBytes += int64(len(r.Data))
			}
			s.channels[r.Key] = c
		case Trim:
			s.forgotten = r.Sequence
		case Action:
			loaded += int64(len(r.Data))
			if c := s.channels[r.Key]; c != nil && r.Sequence > c.sequence {
				applied += int64(len(r.Data))
			}
			return s.loadAction(r)
		case ClientKnown:
			k := &known{left: now}
			k.version, k.owner = readKnown(r.Data)
			s.known[r.Key] = k
		default:
			return fmt.Errorf("record of kind %d", r.Kind)
		}
		return nil
	})
	// What makes the next checkpoint due are actions to apply when the log is loaded again, or to leave out of
	// it. Counted from nothing at each start, they would never be enough for a server that is started often.
	s.unsaved = max(applied, loaded-s.bytes)
	return err
}

func (s *Server[S, A]) loadAction(r Record) error {
	e, err := s.protocol.ReadEnvelope(r.Data)
	if err != nil && s.protocol.Refused(r.Data) {
		s.window, s.bytes, s.forgotten = nil, 0, r.Sequence // what could not be decoded had no effect
		return nil
	}
	if err != nil {
		return fmt.Errorf("action %d on %s: %w", r.Sequence, r.Key, err)
	}
	s.remember(e, json.RawMessage(r.Data))
	c := s.channels[r.Key]
	if c == nil || r.Sequence <= c.sequence {
		return nil
	}
	if e.Refusal == nil && c.hasState {
		c.state = s.protocol.Apply(c.state, e.Action, r.Time)
	}
	c.sequence = r.Sequence
	return nil
}

// checkpoint makes the records of old actions unnecessary, once these are many. What is written for that is
// no more than what was written for the actions. The caller holds the lock.
func (s *Server[S, A]) checkpoint() {
	if s.options.Log == nil || s.unsaved < max(4<<20, s.savedBytes) {
		return
	}
	s.unsaved, s.savedBytes = 0, 0
	for _, c := range s.channels {
		if !c.hasState {
			continue
		}
		data, err := s.json(c, s.sequence)
		if err != nil {
			s.report(fmt.Errorf("save the state of %s: %w", c.name, err))
			return // the actions are kept until it can be
		}
		s.savedBytes += int64(len(data))
		if c.saved < c.sequence {
			c.saved = c.sequence
			s.record(Record{Kind: ChannelState, Key: c.name, Sequence: s.sequence, Opened: c.opened, Data: data})
		}
	}
	s.record(Record{Kind: Trim, Sequence: min(s.sequence, s.forgotten)})
}
