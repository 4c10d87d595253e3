// Proposals: what a server with a shared log wants to happen. It is appended on condition that nothing else came in between,
// and takes effect when it is read.

package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// proposal is an action, or the beginning or end of a channel.
type proposal[S comparable, A any] struct {
	kind     Kind // Action, ChannelState or ChannelGone
	channel  string
	size     int
	action   A                 // of the server itself
	by       *handler[S, A]    // who dispatched the action, or nil
	sent     dispatched[A]     // by a client
	count    *kept[S, A]       // the list whose number of channels is to be stated, or nil
	state    S                 // of a channel that is opened
	hasState bool              // likewise
	empty    bool              // the channel is only closed if it has no subscribers
	fence    *shared.Condition // under which alone the action is stored, or nil
	result   chan<- error      // or nil
	queued   bool              // guarded by the server's lock, as is the next
	resolved bool
}

// resolve ends a proposal. The caller must hold the lock.
func (p *proposal[S, A]) resolve(err error) {
	if p.resolved {
		return
	}
	p.resolved = true
	if p.queued && p.by != nil {
		p.by.client.proposed--
		p.by.client.proposedBytes -= p.size
	}
	switch {
	case p.result != nil:
		p.result <- err
	case p.by != nil && err != nil:
		// A rejection could not be stored either. The client considers the action lost when it comes back.
		go func() { _ = p.by.client.peer.CloseFor("an action could not be stored") }()
	}
}

// entered is a record that is being appended.
type entered[S comparable, A any] struct {
	proposal *proposal[S, A]
	envelope Envelope[A]
	after    S // the state with the action
	last     bool
	applied  bool
}

// done notes that the record was read. The caller must hold the lock.
func (e *entered[S, A]) done() {
	if e.applied = true; e.last {
		e.proposal.resolve(nil)
	}
}

// queue holds the proposals for a channel. One goroutine takes them, a batch at a time.
type queue[S comparable, A any] struct {
	channel   string
	list      []*proposal[S, A]
	bytes     int
	conflicts int // in a row
	most      int // proposals in the next batch, if the log found one too large
}

// Limits of queues and batches. The first two also bound what is queued for one client.
const (
	maxProposals     = 1000
	maxProposedBytes = 4 << 20
	maxBatch         = 200
	maxBatchBytes    = 512 << 10
)

// propose waits for the outcome of a proposal.
func (s *Server[S, A]) propose(p *proposal[S, A]) error {
	result := make(chan error, 1)
	p.result = result
	s.mu.Lock()
	s.proposeLocked(p)
	s.mu.Unlock()
	return <-result
}

// proposeLocked queues a proposal, and waits for room. The caller must hold the lock.
func (s *Server[S, A]) proposeLocked(p *proposal[S, A]) {
	r := s.replica
	for s.closed == nil && (p.by == nil || !p.by.client.gone) {
		if p.by != nil && (p.by.client.proposed >= maxProposals || p.by.client.proposedBytes >= maxProposedBytes) {
			s.out.room.Wait() // however many channels it names
			continue
		}
		q := r.queues[p.channel]
		if q == nil {
			q = &queue[S, A]{channel: p.channel}
			r.queues[p.channel] = q
			s.background(func() { s.work(q) })
		}
		if len(q.list) < maxProposals && q.bytes < maxProposedBytes {
			q.list = append(q.list, p)
			q.bytes += p.size
			if p.queued = true; p.by != nil {
				p.by.client.proposed++
				p.by.client.proposedBytes += p.size
			}
			return
		}
		s.out.room.Wait()
	}
	p.resolve(s.closed)
}

// work takes proposals until there are none.
func (s *Server[S, A]) work(q *queue[S, A]) {
	for {
		s.mu.Lock()
		q.list = slices.DeleteFunc(q.list, func(p *proposal[S, A]) bool {
			if p.resolved {
				q.bytes -= p.size
			}
			return p.resolved
		})
		s.out.room.Broadcast()
		if len(q.list) == 0 {
			delete(s.replica.queues, q.channel)
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		if err := s.round(q); err != nil {
			s.mu.Lock()
			if s.closed != nil && !errors.Is(err, ErrClosed) {
				err = s.closed
			}
			for _, p := range q.list {
				p.resolve(err)
			}
			s.mu.Unlock()
		}
	}
}

// attempt is a batch, with what it is for.
type attempt[S comparable, A any] struct {
	shared.Batch
	entries []*entered[S, A]
	bytes   int
	taken   int               // proposals
	answers []answered[S, A]  // proposals without a record, which depend on the same conditions
	again   bool              // the batch is past remedy: something has to be loaded first
	safe    bool              // it may be appended again if it is not known whether it was stored
	fence   *shared.Condition // of its only proposal, or nil
}

type answered[S comparable, A any] struct {
	proposal *proposal[S, A]
	err      error
}

// round makes an attempt at a batch. It returns an error if none of the proposals can be stored.
func (s *Server[S, A]) round(q *queue[S, A]) error {
	r := s.replica
	if err := s.waitTurn(q); err != nil {
		return err
	}
	there, last, err := s.truth(q.channel)
	if errors.Is(err, errMoved) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", q.channel, err)
	}
	s.mu.Lock()
	c := s.channels[q.channel]
	if (c != nil) != there || c != nil && c.copied.stub {
		s.mu.Unlock()
		return nil
	}
	if c != nil {
		last = c.copied.number
	}
	a := s.attempt(q, c, last)
	asked := r.asked
	r.asked = nil
	s.mu.Unlock()
	if a.again {
		for name := range asked {
			if err := s.fetch(r.ctx, name); err != nil {
				return err
			}
		}
		return nil
	}
	if len(a.Records) == 0 {
		if len(a.answers) == 0 {
			return nil
		}
		now, err := s.catchUp(r.ctx, channelKey+q.channel) // a refusal depends on the state as much as an action does
		if err != nil || now != last {
			return ignoreMoved(err)
		}
	} else if stored, err := s.storeBatch(q, a); err != nil || !stored {
		return ignoreMoved(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, answer := range a.answers {
		answer.proposal.resolve(answer.err)
	}
	return nil
}

// ignoreMoved returns nil if the log was replaced: what was under way has its outcome, and the rest is tried again.
func ignoreMoved(err error) error {
	if errors.Is(err, errMoved) {
		return nil
	}
	return err
}

// truth waits until a channel is known as the log has it, with its state in memory. It returns whether there is one, and
// otherwise the number of the last record.
func (s *Server[S, A]) truth(name string) (there bool, last int64, err error) {
	s.mu.Lock()
	there = s.channels[name] != nil
	s.mu.Unlock()
	if !there {
		if last, err = s.catchUp(s.replica.ctx, channelKey+name); err != nil {
			return false, 0, err
		}
	}
	if err := s.fetch(s.replica.ctx, name); err != nil {
		return false, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.channels[name] != nil, last, nil
}

// storeBatch appends a batch and reports whether it was stored, in which case it was also applied. It was not if there was a conflict.
// After an error, the proposals of the batch have failed.
func (s *Server[S, A]) storeBatch(q *queue[S, A], a *attempt[S, A]) (stored bool, err error) {
	r := s.replica
	doubt := false
	for try := 0; ; try++ {
		first, err := s.append(r.ctx, a.Batch)
		var conflict *shared.ConflictError
		switch {
		case err == nil:
			if err := s.reach(r.ctx, first+int64(len(a.Records))-1); err != nil {
				s.abandon(a, fmt.Errorf("%w: %w", err, shared.ErrUnknown))
				return false, nil
			}
			q.conflicts, q.most = 0, 0
			return true, nil
		case errors.As(err, &conflict):
			if err := s.conflicted(a, conflict, doubt); err != nil {
				if doubt {
					err = fmt.Errorf("%w: %w", err, shared.ErrUnknown)
				}
				s.abandon(a, err)
				return false, nil
			}
			if s.withdraw(a) {
				q.conflicts, q.most = 0, 0
				return true, nil
			}
			if a.fence != nil {
				if err := s.unfenced(a.fence); err != nil {
					s.settleProposal(a.entries[0].proposal, err)
					return false, nil
				}
			}
			q.conflicts++
			return false, s.giveWay(q)
		case errors.Is(err, shared.ErrUnknown) && a.safe:
			doubt = true
			if err := s.pause(r.ctx, try); err != nil {
				s.abandon(a, fmt.Errorf("%w: %w", err, shared.ErrUnknown))
				return false, nil
			}
		case doubt: // this time it was not stored, but it may have been before
			s.abandon(a, fmt.Errorf("%w: %w", err, shared.ErrUnknown))
			return false, nil
		case errors.Is(err, shared.ErrTooLarge) && a.taken > 1:
			s.withdraw(a)
			q.most = max(1, a.taken/2)
			return false, nil
		default:
			s.abandon(a, err)
			return false, nil
		}
	}
}

// append appends a batch, and reports it to the observer.
func (s *Server[S, A]) append(ctx context.Context, b shared.Batch) (first int64, err error) {
	start := time.Now()
	first, err = s.replica.log.Append(ctx, b)
	size := 0
	for i := range b.Records {
		size += len(b.Records[i].Data)
	}
	s.logged(start, len(b.Records), size, err)
	return first, err
}

// conflicted waits until what a batch conflicts with was applied, so that the next attempt is judged on it. If the batch may have
// been stored before, it was applied then as well.
func (s *Server[S, A]) conflicted(a *attempt[S, A], conflict *shared.ConflictError, doubt bool) error {
	ctx := s.replica.ctx
	if !doubt && conflict.Last >= 0 {
		return s.reach(ctx, conflict.Last)
	}
	for _, on := range a.If {
		if _, err := s.catchUp(ctx, on.Key); err != nil {
			return err
		}
	}
	return nil
}

// unfenced returns why a fence does not let anything be appended any more, or nil.
func (s *Server[S, A]) unfenced(fence *shared.Condition) error {
	last, err := s.catchUp(s.replica.ctx, fence.Key)
	if err == nil && last != fence.Last {
		err = ErrFenced
	}
	return err
}

// withdraw forgets the records of an attempt that was not stored. It reports whether it was stored after all.
func (s *Server[S, A]) withdraw(a *attempt[S, A]) (stored bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range a.entries {
		stored = stored || e.applied
		delete(s.replica.mine, a.Records[i].Serial)
	}
	return stored
}

// settleProposal ends a proposal.
func (s *Server[S, A]) settleProposal(p *proposal[S, A], err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.resolve(err)
}

// abandon ends the proposals of an attempt with an error.
func (s *Server[S, A]) abandon(a *attempt[S, A], err error) {
	s.withdraw(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report(fmt.Errorf("append to the log: %w", err))
	for _, e := range a.entries {
		e.proposal.resolve(err)
	}
}

// pause waits for a random time, which grows with the number of tries.
func (s *Server[S, A]) pause(ctx context.Context, try int) error {
	most := time.Millisecond << min(max(try, 0), 9)
	select {
	case <-time.After(rand.N(most)): //nolint:gosec // jitter keeps servers from trying at the same time
		return nil
	case <-ctx.Done():
		return rpc.ContextError(ctx)
	}
}
