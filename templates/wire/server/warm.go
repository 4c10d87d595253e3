// Lists with a shared log: the entries of all channels are kept, but not the states that they are made from.

package server

import "context"

// warmLists loads each channel once, for its entry.
func (s *Server[S, A]) warmLists() {
	r := s.replica
	s.mu.Lock()
	generation := r.generation
	var names []string
	for name, c := range s.channels {
		if c.copied.stub {
			names = append(names, name)
		}
	}
	s.mu.Unlock()
	for _, name := range names {
		s.mu.Lock()
		c := s.channels[name]
		stub, anew := c != nil && c.copied.stub, generation != r.generation
		s.mu.Unlock()
		if anew {
			return // and another call is under way
		}
		if !stub {
			continue
		}
		if err := s.fetch(r.ctx, name); err != nil && r.ctx.Err() != nil {
			return
		}
		s.mu.Lock()
		if c := s.channels[name]; c != nil && len(c.subscribers) == 0 && r.queues[name] == nil && !c.copied.loading && len(names) > keepWarm {
			s.forgetState(c)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation != r.generation {
		return
	}
	r.warm = true
	for _, l := range s.lists {
		s.proposeCount(l)
	}
	s.out.room.Broadcast()
}

// keepWarm is the number of states up to which they stay in memory after that, until they are idle.
const keepWarm = 100

// warmedUp waits until the lists are complete.
func (s *Server[S, A]) warmedUp(ctx context.Context) error {
	if s.replica == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		err := s.waitFor(ctx, func() bool { return s.replica.warm || s.lists == nil })
		if err != errMoved { //nolint:errorlint // it is what waitFor returns
			return err
		}
	}
}

// countShared states the number of channels in a list if the change was one of this server. The caller must hold the lock.
func (s *Server[S, A]) countShared(l *kept[S, A]) {
	if s.replica.warm && s.replica.ownChange {
		s.proposeCount(l)
	}
}

// rememberList notes which list a channel is in. The caller must hold the lock.
func (s *Server[S, A]) rememberList(c *channel[S]) {
	for i, l := range s.lists {
		if c.copied.list == 0 && c.hasState && l.Is(c.state) {
			c.copied.list = i + 1
		}
	}
}

// enterList updates the list entry of a channel whose state was loaded. The caller must hold the lock.
func (s *Server[S, A]) enterList(c *channel[S]) {
	if c.copied.list > 0 {
		s.listChanged(c)
		return
	}
	s.rememberList(c)
	if l := s.listOf(c); l != nil {
		l.channels++
		_, _ = s.enter(l, c)
	}
}
