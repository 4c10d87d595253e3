// Checkpoints: states in a shared log, so that records before them need not be read, and may be trimmed.

package server

import (
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// checkpointSoon writes a checkpoint if there are enough records since the last one, and they end with one of this server. The
// caller must hold the lock.
func (s *Server[S, A]) checkpointSoon(c *channel[S]) {
	if c.copied.own && c.copied.unsaved > max(64<<10, c.copied.size) {
		s.saveLater(c)
	}
}

// saveLater writes a checkpoint in the background, one after the other. The caller must hold the lock.
func (s *Server[S, A]) saveLater(c *channel[S]) {
	r := s.replica
	r.dirty[c.name] = true
	if r.saving || r.ctx.Err() != nil {
		return
	}
	r.saving = true
	s.background(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for len(r.dirty) > 0 && r.ctx.Err() == nil {
			for name := range r.dirty {
				delete(r.dirty, name)
				s.mu.Unlock()
				err := s.save(name)
				s.mu.Lock()
				if err != nil {
					s.report(err)
				}
				break
			}
		}
		r.saving = false
	})
}

// save writes a checkpoint of a channel whose state is in memory.
func (s *Server[S, A]) save(name string) error {
	r := s.replica
	s.mu.Lock()
	c := s.channels[name]
	if c == nil || c.copied.stub || c.copied.saved >= c.copied.number {
		s.mu.Unlock()
		return nil
	}
	now, epoch := *c, r.epoch
	s.mu.Unlock()
	rec := shared.Record{
		Number: now.copied.number, Key: channelKey + name, Kind: byte(ChannelState),
		Writer: r.writer, Serial: now.copied.opened, Time: now.entry.opened,
	}
	var err error
	if now.hasState {
		rec.Data, err = s.json(&now, 0)
	}
	if err == nil {
		err = r.log.Save(r.ctx, epoch, rec)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[name] != c {
		return nil
	}
	c.copied.unsaved -= now.copied.unsaved
	if ignoreAnew(err) != nil { // it is tried again after as many bytes
		return fmt.Errorf("save the state of %s: %w", name, err)
	} else if err != nil {
		return nil
	}
	c.copied.saved, c.copied.size = max(c.copied.saved, rec.Number), len(rec.Data)
	return nil
}

// trimSoon trims the log when a record of this server, whatever it is about, ends a stretch of it. The caller must hold the lock.
func (s *Server[S, A]) trimSoon(last int64) {
	r := s.replica
	stretch := int64(s.options.Limits.Window) * 2
	if last%stretch != 0 || last <= stretch || r.trimming || r.ctx.Err() != nil {
		return
	}
	r.trimming = true
	upTo := shared.Position{Epoch: r.epoch, Number: last - stretch}
	s.background(func() {
		err := s.trim(upTo)
		s.mu.Lock()
		defer s.mu.Unlock()
		r.trimming = false
		if err != nil && r.ctx.Err() == nil {
			s.report(fmt.Errorf("trim the log: %w", err))
		}
	})
}

// trim removes records up to a position, after it has made sure that there are checkpoints of all channels that include them.
func (s *Server[S, A]) trim(upTo shared.Position) error {
	var names []string
	s.mu.Lock()
	for name, c := range s.channels {
		opened := c.copied.whole && c.copied.number > upTo.Number // by a record that stays
		if !opened && c.copied.saved < min(upTo.Number, c.copied.number) {
			names = append(names, name)
		}
	}
	s.mu.Unlock()
	for _, name := range names {
		saved, err := s.covered(name, upTo)
		if err != nil {
			return err
		}
		upTo.Number = min(upTo.Number, saved)
	}
	if upTo.Number <= 0 {
		return nil
	}
	return ignoreAnew(s.replica.log.Trim(s.replica.ctx, upTo))
}

// ignoreAnew returns nil if the log has another epoch: it is about to be read anew.
func ignoreAnew(err error) error {
	var moved *shared.MovedError
	if errors.As(err, &moved) {
		return nil
	}
	return err
}

// covered returns up to which number the records of a channel may be trimmed, after it has written a checkpoint if it had to.
func (s *Server[S, A]) covered(name string, upTo shared.Position) (int64, error) {
	r, number := s.replica, upTo.Number
	checkpoint, _, err := r.log.Load(r.ctx, channelKey+name)
	if err != nil || checkpoint.Number >= number {
		return number, err
	}
	s.mu.Lock()
	c := s.channels[name]
	if c != nil {
		c.copied.saved = max(c.copied.saved, checkpoint.Number)
	}
	there, opening := c == nil || c.copied.saved >= c.copied.number, int64(0)
	if !there && c.copied.whole {
		opening = c.copied.number
	}
	s.mu.Unlock()
	switch {
	case there:
		return number, nil
	case opening > number:
		return number, nil
	case opening > 0:
		return number, s.saveOpening(name, shared.Position{Epoch: upTo.Epoch, Number: opening})
	}
	if err := s.fetch(r.ctx, name); err != nil {
		return 0, err
	}
	if err := s.save(name); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[name]; c != nil && c.copied.saved < min(number, c.copied.number) {
		return c.copied.saved, nil
	}
	return number, nil
}

// saveOpening makes the record that opens a channel its checkpoint. As long as it is the last one of the channel it is not trimmed, but
// others may append meanwhile. It is not decoded, since there may be many channels that nobody uses.
func (s *Server[S, A]) saveOpening(name string, at shared.Position) error {
	r, number := s.replica, at.Number
	var opening shared.Record
	err := r.log.Read(r.ctx, channelKey+name, number-1, func(rec shared.Record) error { opening = rec; return errEnough })
	var moved *shared.MovedError
	switch {
	case errors.As(err, &moved), opening.Number != number && (err == nil || errors.Is(err, errEnough)):
		return nil // another server has trimmed it, after it has written a checkpoint
	case !errors.Is(err, errEnough):
		return err
	}
	opening.Serial = number
	if err := r.log.Save(r.ctx, at.Epoch, opening); ignoreAnew(err) != nil {
		return fmt.Errorf("save the state of %s: %w", name, err)
	} else if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[name]; c != nil && c.copied.saved < number {
		c.copied.saved, c.copied.size = number, len(opening.Data)
	}
	return nil
}
