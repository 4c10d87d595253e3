// Loading: starting from a log.

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// loading is the state while a log is read.
type loading[S comparable, A any] struct {
	server          *Server[S, A]
	now             time.Time
	last            int64 // last sequence number in a record
	loaded, applied int64 // bytes of actions
	empty           bool
	version         string   // version that wrote the current records
	versioned       bool     // stated in the log
	gone            []string // channels that are dropped
	all             bool     // written by another version, so all states are to be stored again
}

// load starts from the contents of a log.
func (s *Server[S, A]) load() error {
	l := &loading[S, A]{server: s, now: s.options.Limits.Now(), empty: true}
	if s.options.Log == nil {
		return s.begin(l)
	}
	if err := s.options.Log.Load(l.record); err != nil {
		return err
	}
	// What makes the next checkpoint due are actions to apply when the log is loaded again, or to leave out of
	// it. Counted from nothing at each start, they would never be enough for a server that is started often.
	s.unsaved = max(l.applied, l.loaded-s.bytes)
	return s.begin(l)
}

func (l *loading[S, A]) record(r Record) error {
	s := l.server
	if r.Kind == Version {
		l.version, l.versioned = string(r.Data), true
		return nil
	}
	l.empty = false
	l.all = l.all || l.version != s.protocol.Version
	s.sequence = max(s.sequence, r.Sequence)
	switch r.Kind {
	case ChannelState:
		return l.channel(r)
	case Trim:
		s.forgotten, l.last = r.Sequence, r.Sequence
	case Start:
		s.gaps = append(s.gaps, gap{l.last, r.Sequence})
		l.last = r.Sequence
	case Action:
		l.last = r.Sequence
		return l.action(r)
	case ClientKnown:
		k := &known{left: l.now}
		k.version, k.owner = readKnown(r.Data)
		s.known[r.Key] = k
	default:
		return fmt.Errorf("record of kind %d", r.Kind)
	}
	return nil
}

func (l *loading[S, A]) channel(r Record) error {
	s := l.server
	c := &channel[S]{name: r.Key, opened: r.Opened, sequence: r.Sequence, saved: r.Sequence}
	if c.entry.opened = r.Time; r.Time.IsZero() {
		c.entry.opened = l.now
	}
	lifted, err := l.lifted(nil, r)
	if err != nil {
		return l.liftError(r, err)
	}
	if len(lifted) == 0 {
		l.gone = append(l.gone, r.Key)
		return nil
	}
	if r.Data = lifted[0]; len(r.Data) > 0 {
		state, there, err := l.state(r)
		if err != nil {
			return err
		}
		if !there {
			l.gone = append(l.gone, r.Key)
			return nil
		}
		c.state, c.hasState = state, true
		s.savedBytes += int64(len(r.Data))
	}
	s.channels[r.Key] = c
	return nil
}

func (l *loading[S, A]) action(r Record) error {
	s := l.server
	c := s.channels[r.Key]
	due := c != nil && r.Sequence > c.sequence
	l.loaded += int64(len(r.Data))
	if due {
		l.applied += int64(len(r.Data))
	}
	if l.all { // not replayed again, so only its effect counts
		return l.effects(c, r, due)
	}
	e, err := s.protocol.ReadEnvelope(r.Data)
	if err != nil && s.protocol.Refused(r.Data) {
		s.window, s.bytes, s.forgotten = nil, 0, r.Sequence // an action that could not be decoded had no effect
		return nil
	}
	if err != nil {
		l.all = true // if its effect is available, the rest is not needed
		return l.effect(c, r, due)
	}
	s.remember(e, json.RawMessage(r.Data))
	if due {
		return l.apply(c, e, r)
	}
	return nil
}

func (l *loading[S, A]) apply(c *channel[S], e Envelope[A], r Record) (err error) {
	if e.Refusal == nil && c.hasState {
		c.state, err = l.server.protocol.apply(c.state, e.Action, r.Time)
	}
	c.sequence = r.Sequence
	return err
}

// errUnapplied is returned for an action that a reducer, which may be the program's own, panics at.
var errUnapplied = errors.New("it could not be applied")

// apply applies an action. After an error the state is as it was.
func (p *Protocol[S, A]) apply(state S, action A, now time.Time) (after S, err error) {
	defer func() {
		if value := recover(); value != nil {
			after, err = state, fmt.Errorf("%w: %v", errUnapplied, value)
		}
	}()
	return p.Apply(state, action, now), nil
}
