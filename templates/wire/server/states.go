// States: with a shared log, those in memory are the ones that somebody needs.

package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// fetch waits until the state of a channel is in memory. It asks the log for a channel that is not known.
func (s *Server[S, A]) fetch(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[name] == nil {
		s.mu.Unlock()
		_, err := s.catchUp(ctx, channelKey+name)
		s.mu.Lock()
		if err != nil {
			return err
		}
	}
	c := s.channels[name]
	if c == nil {
		return nil
	}
	if c.copied.used = time.Now(); !c.copied.stub {
		return nil
	}
	if s.replica.ctx.Err() != nil { // nothing is loaded any more
		return cmp.Or(s.closed, ErrClosed)
	}
	s.beginLoad(c)
	if err := s.waitFor(ctx, func() bool { return s.channels[name] != c || !c.copied.loading }); err != nil {
		return err
	}
	return c.copied.err
}

// lockWith locks the server when the states of some channels are in memory. After an error, which is one for clients, the server is
// not locked.
func (s *Server[S, A]) lockWith(ctx context.Context, names ...string) error {
	if s.replica == nil {
		s.mu.Lock()
		return nil
	}
	if err := s.lockStates(ctx, names...); err != nil {
		return s.unavailable(err)
	}
	return nil
}

// lockStates is lockWith with a shared log. A state may be evicted, or the log be replaced, before the server is locked: then it is
// loaded again.
func (s *Server[S, A]) lockStates(ctx context.Context, names ...string) error {
	for {
		for i := 0; i < len(names); {
			if err := s.fetch(ctx, names[i]); err == nil {
				i++
			} else if !errors.Is(err, errMoved) {
				return err
			}
		}
		s.mu.Lock()
		if !slices.ContainsFunc(names, func(name string) bool { return s.channels[name] != nil && s.channels[name].copied.stub }) {
			return nil
		}
		s.mu.Unlock()
	}
}

// unavailable reports an error of the log, and returns one for clients, which does not reveal it.
func (s *Server[S, A]) unavailable(err error) error {
	var answer *rpc.Error
	if errors.As(err, &answer) || errors.Is(err, context.Canceled) {
		return err
	}
	s.options.OnError(err)
	return errUnavailable
}

var errUnavailable = &rpc.Error{Code: int64(rpc.InternalError), Message: "the log does not answer"}

// ask notes that a state that is not in memory was asked for, and loads it. The caller must hold the lock.
func (s *Server[S, A]) ask(c *channel[S]) {
	r := s.replica
	if r.asked == nil {
		r.asked = map[string]bool{}
	}
	r.asked[c.name] = true
	s.beginLoad(c)
}

// beginLoad loads a state, unless that is under way. The caller must hold the lock.
func (s *Server[S, A]) beginLoad(c *channel[S]) {
	r := s.replica
	if c.copied.loading || !c.copied.stub || r.ctx.Err() != nil {
		return
	}
	c.copied.loading, c.copied.err, c.copied.pending = true, nil, nil
	s.background(func() {
		r.loads <- struct{}{}
		defer func() { <-r.loads }()
		err := errIncomplete
		for try := 0; errors.Is(err, errIncomplete); try++ {
			if err = s.loadState(c); errors.Is(err, errIncomplete) && s.pause(r.ctx, try) != nil {
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		defer s.out.room.Broadcast()
		c.copied.loading, c.copied.pending = false, nil
		if err != nil && s.channels[c.name] == c {
			c.copied.err = fmt.Errorf("load the state of %s: %w", c.name, err)
			s.report(c.copied.err)
		}
	})
}

// errIncomplete means that records were trimmed or appended while a state was being loaded.
var errIncomplete = errors.New("the log does not have all records of the channel")

// loadState loads a state from the checkpoint and the records after it.
func (s *Server[S, A]) loadState(c *channel[S]) error {
	r := s.replica
	key := channelKey + c.name
	s.mu.Lock()
	there := s.channels[c.name] == c
	s.mu.Unlock()
	if !there { // its records may be trimmed
		return nil
	}
	var checkpoint shared.Record
	var tail []shared.Record
	err := s.patiently(r.ctx, func() (err error) {
		if checkpoint, _, err = r.log.Load(r.ctx, key); err == nil {
			tail, err = s.readTail(c, checkpoint.Number)
		}
		return err
	})
	var moved *shared.MovedError
	switch {
	case errors.As(err, &moved):
		return errIncomplete
	case err != nil:
		return err
	}
	at := &channel[S]{name: c.name}
	if checkpoint.Number > 0 {
		at.entry.opened, at.copied.opened = checkpoint.Time, checkpoint.Serial
		at.copied.saved, at.copied.size = checkpoint.Number, len(checkpoint.Data)
		s.mu.Lock()
		sequence := r.sequenceOf(checkpoint.Number)
		s.mu.Unlock()
		if err := s.readState(at, &checkpoint, sequence); err != nil {
			return err
		}
	}
	if err := s.reach(r.ctx, checkpoint.Number); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The follower may not have come as far as what was found at the start, or was read.
	if err := s.waitFor(r.ctx, func() bool { return r.followed >= c.copied.number }); err != nil || s.channels[c.name] != c {
		return err
	}
	return s.replay(c, at, append(tail, c.copied.pending...))
}

// readTail reads the records of a channel after its checkpoint. If some of them are trimmed, those that are left are enough if
// they begin with one that opens the channel anew.
func (s *Server[S, A]) readTail(c *channel[S], after int64) (tail []shared.Record, err error) {
	r := s.replica
	read := func(after int64, f func(shared.Record) error) (moved bool, err error) {
		err = r.log.Read(r.ctx, channelKey+c.name, after, f)
		var gone *shared.MovedError
		return errors.As(err, &gone), err
	}
	all := func(rec shared.Record) error { tail = append(tail, rec); return nil }
	moved, err := read(after, all)
	if !moved {
		return tail, err
	}
	s.mu.Lock()
	first := c.copied.number - 1 // after which nothing is trimmed, unless there is more now
	s.mu.Unlock()
	for after+1 < first {
		middle := after + (first-after)/2
		if moved, err := read(middle, func(shared.Record) error { return errEnough }); moved {
			after = middle
		} else if first = middle; err != nil && !errors.Is(err, errEnough) {
			return nil, err
		}
	}
	tail = nil
	if _, err = read(first, all); err == nil && (len(tail) == 0 || Kind(tail[0].Kind) != ChannelState) {
		err = &shared.MovedError{Trimmed: true} // there is a later checkpoint
	}
	return tail, err
}

// errEnough ends a read.
var errEnough = errors.New("enough")

// replay applies records to the state of a checkpoint, and makes it that of the channel. The caller must hold the lock.
func (s *Server[S, A]) replay(c, at *channel[S], tail []shared.Record) error {
	last := at.copied.saved
	c.state, c.hasState, c.copied.stub = at.state, at.hasState, false // a translation asks for it
	err := func() error {
		for i := range tail {
			rec := &tail[i]
			if rec.Number <= last || rec.Number > c.copied.number {
				continue
			}
			last = rec.Number
			at.copied.unsaved += len(rec.Data)
			if err := s.replayOne(c, at, rec); err != nil {
				return err
			}
		}
		if last != c.copied.number {
			return errIncomplete
		}
		return nil
	}()
	if err != nil {
		s.forgetState(c)
		return err
	}
	r := s.replica
	c.opened, c.sequence = r.sequenceOf(at.copied.opened), r.sequenceOf(last)
	c.entry.opened = at.entry.opened
	c.copied.opened, c.copied.size, c.copied.unsaved, c.copied.used = at.copied.opened, at.copied.size, at.copied.unsaved, time.Now()
	c.copied.saved = max(c.copied.saved, at.copied.saved)
	s.enterList(c)
	return nil
}

// replayOne applies a record to a state that is being loaded.
func (s *Server[S, A]) replayOne(c, at *channel[S], rec *shared.Record) error {
	switch Kind(rec.Kind) {
	case ChannelState:
		at.entry.opened, at.copied.opened = rec.Time, rec.Number
		at.state, at.hasState = c.state, false
		if err := s.readState(at, rec, s.replica.sequenceOf(rec.Number)); err != nil {
			return err
		}
		c.state, c.hasState = at.state, at.hasState
		return nil
	case ChannelGone:
		c.hasState = false
		return nil
	}
	old := Record{Kind: Action, Key: c.name, Sequence: s.replica.sequenceOf(rec.Number), Time: rec.Time, Data: rec.Data}
	l := &loading[S, A]{server: s, version: versionOf(rec)}
	if l.version != s.protocol.Version {
		return l.effects(c, old, true)
	}
	if s.protocol.Refused(rec.Data) {
		return nil
	}
	e, err := s.protocol.ReadEnvelope(rec.Data)
	if err == nil {
		err = l.apply(c, e, old)
	}
	return err
}

// forgetState lets go of a state. The caller must hold the lock.
func (s *Server[S, A]) forgetState(c *channel[S]) {
	var none S
	c.state, c.hasState, c.copied.stub = none, false, true
}

// tidy lets go of states that are not needed, until the server ends.
func (s *Server[S, A]) tidy() {
	r := s.replica
	every := time.NewTicker(max(s.options.Limits.Idle/2, time.Millisecond))
	defer every.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-every.C:
		}
		s.mu.Lock()
		idle := time.Now().Add(-s.options.Limits.Idle)
		for _, c := range s.channels {
			switch {
			case c.copied.stub || c.copied.loading || len(c.subscribers) > 0 || r.queues[c.name] != nil || c.copied.used.After(idle):
			case c.copied.own && c.copied.unsaved > 0 && c.copied.saved < c.copied.number && c.hasState: // and forgotten then
				s.saveLater(c)
			default:
				s.forgetState(c)
			}
		}
		s.mu.Unlock()
	}
}
