// Attempts: batches of proposals, each judged on the state after those before it.

package server

import (
	"errors"
	"fmt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// publishShared is Publish with a shared log.
func (s *Server[S, A]) publishShared(name string, action A) error {
	return s.propose(&proposal[S, A]{kind: Action, channel: name, action: action})
}

// PublishFenced is [Server.Publish] under a condition, such as the fence of a lease: the action is stored only while the condition
// holds, which the log decides. Otherwise it returns [ErrFenced]. The server needs a shared log.
func (s *Server[S, A]) PublishFenced(name string, action A, fence shared.Condition) error {
	if s.replica == nil {
		return fmt.Errorf("publish under a condition without a shared log: %w", errors.ErrUnsupported)
	}
	return s.propose(&proposal[S, A]{kind: Action, channel: name, action: action, fence: &fence})
}

// openShared is open with a shared log.
func (s *Server[S, A]) openShared(c *channel[S]) error {
	if err := s.protocol.fits(c); err != nil {
		return err
	}
	return s.propose(&proposal[S, A]{kind: ChannelState, channel: c.name, state: c.state, hasState: c.hasState})
}

// closeChannelShared is closeIf with a shared log.
func (s *Server[S, A]) closeChannelShared(name string, empty bool) error {
	return s.propose(&proposal[S, A]{kind: ChannelGone, channel: name, empty: empty})
}

// attempt judges as many proposals as fit into a batch. The channel is nil if there is none; last is the number of its last
// record. The caller must hold the lock.
func (s *Server[S, A]) attempt(q *queue[S, A], c *channel[S], last int64) *attempt[S, A] {
	most := maxBatch
	if limit := s.replica.log.Limits().Batch; limit > 0 {
		most = min(most, max(1, limit/2)) // one proposal may be several records
	}
	if q.most > 0 {
		most = min(most, q.most)
	}
	s.replica.asked = nil
	a := &attempt[S, A]{}
	a.If = []shared.Condition{{Key: channelKey + q.channel, Last: last}}
	if c != nil {
		before := c.state
		defer func() { c.state = before }()
	}
	for i, p := range q.list {
		if len(a.Records) >= most || i > 0 && (a.bytes+p.size > maxBatchBytes || p.fence != nil) {
			break
		}
		if p.kind != Action {
			if i == 0 {
				s.judgeChannel(a, p, c)
			}
			break
		}
		a.taken++
		if p.by != nil {
			s.judgeClient(a, p, c)
		} else {
			s.judgeOwn(a, p, c)
		}
		if a.again = len(s.replica.asked) > 0; a.again || p.fence != nil {
			a.fence = p.fence
			break // alone, so that it is known what a conflict is about
		}
	}
	if a.again {
		return a
	}
	if a.fence != nil && len(a.Records) > 0 {
		a.If = append(a.If, *a.fence)
	}
	for i, e := range a.entries {
		s.replica.mine[a.Records[i].Serial] = e
		a.safe = a.safe || a.Records[i].Key != rejectedKey
	}
	return a
}

// judgeChannel adds the record that opens or closes a channel.
func (s *Server[S, A]) judgeChannel(a *attempt[S, A], p *proposal[S, A], c *channel[S]) {
	var why error
	switch {
	case p.kind == ChannelState && c != nil:
		why = ErrChannelExists
	case p.kind == ChannelGone && c == nil:
		why = ErrNoChannel
	case p.kind == ChannelGone && p.empty && len(c.subscribers) > 0:
		why = ErrSubscribed
	}
	if a.taken = 1; why != nil {
		a.answers = append(a.answers, answered[S, A]{p, why})
		return
	}
	var data []byte
	if p.hasState {
		var err error
		if data, err = s.json(&channel[S]{name: p.channel, state: p.state}, 0); err != nil {
			p.resolve(fmt.Errorf("%s: %w", p.channel, err))
			return
		}
	}
	s.enterRecord(a, &entered[S, A]{proposal: p, last: true}, shared.Record{Key: channelKey + p.channel, Time: s.millis(), Data: data})
}

// judgeOwn adds an action of the server.
func (s *Server[S, A]) judgeOwn(a *attempt[S, A], p *proposal[S, A], c *channel[S]) {
	action := p.action
	err := s.publishable(c, action)
	if p.count != nil {
		differs := false
		if err = nil; c != nil && c.hasState {
			action, differs = p.count.Count(p.count.channels, c.state)
		}
		if !differs {
			p.resolve(nil)
			return
		}
	}
	if err != nil {
		a.answers = append(a.answers, answered[S, A]{p, err})
		return
	}
	if err := s.enterEnvelope(a, p, c, Envelope[A]{Channel: p.channel, Action: action}, true); err != nil {
		p.resolve(err)
	}
}

// judgeClient adds the actions that a client's message stands for, or a rejection. What a client has sent is not stored if it has
// left, or joined elsewhere: it considers the action lost then.
func (s *Server[S, A]) judgeClient(a *attempt[S, A], p *proposal[S, A], c *channel[S]) {
	from, first := p.by.client, len(a.entries)
	if from.gone {
		p.resolve(nil)
		return
	}
	p.by.decideAll(c, p.sent, func(d Dispatched[A], last bool, refusal string, err error) bool {
		on, e, ok := p.by.decided(c, d, last, refusal, err)
		if !ok {
			return false
		}
		err = s.enterEnvelope(a, p, on, e, last || e.Refusal != nil)
		if errors.Is(err, errUnapplied) {
			e = p.by.unapplied(e, d, err)
			err = s.enterEnvelope(a, p, on, e, true)
		}
		if err != nil {
			s.report(err)
			return false
		}
		return e.Refusal == nil
	})
	if len(a.entries) == first {
		p.resolve(nil) // it is ignored, or the connection ends
		return
	}
	a.entries[len(a.entries)-1].last = true
	key := clientKey + from.id
	for _, on := range a.If {
		if on.Key == key {
			return
		}
	}
	a.If = append(a.If, shared.Condition{Key: key, Last: from.joined})
}

// enterEnvelope adds an envelope, and applies its action to the channel until the batch is complete.
func (s *Server[S, A]) enterEnvelope(a *attempt[S, A], p *proposal[S, A], on *channel[S], e Envelope[A], last bool) error {
	data, err := s.encode(&e, nil, p.by == nil)
	if err != nil {
		return err
	}
	entry := &entered[S, A]{proposal: p, envelope: e, last: last}
	record := shared.Record{Key: rejectedKey, Time: s.millis(), Data: data}
	if on != nil {
		record.Key = channelKey + on.name
		if e.Refusal == nil {
			if on.state, err = s.protocol.apply(on.state, e.Action, record.Time); err != nil {
				return err
			}
		}
		entry.after = on.state
	}
	s.enterRecord(a, entry, record)
	return nil
}

// enterRecord adds a record.
func (s *Server[S, A]) enterRecord(a *attempt[S, A], e *entered[S, A], record shared.Record) {
	r := s.replica
	r.serial++
	record.Kind, record.Writer, record.Serial = byte(e.proposal.kind), r.writer, r.serial
	a.Records = append(a.Records, record)
	a.entries = append(a.entries, e)
	a.bytes += len(record.Data)
}

// proposeCount proposes to state the number of channels in a list, if it differs. The caller must hold the lock.
func (s *Server[S, A]) proposeCount(l *kept[S, A]) {
	if l.Count == nil || s.channels[l.At] == nil || s.closed != nil {
		return
	}
	p := &proposal[S, A]{kind: Action, channel: l.At, count: l}
	s.background(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.proposeLocked(p)
	})
}

// unapplied reports an action that could not be applied, and returns its rejection. The caller must hold the lock.
func (h *handler[S, A]) unapplied(e Envelope[A], d Dispatched[A], err error) Envelope[A] {
	h.server.report(fmt.Errorf("an action on %s: %w", e.Channel, err))
	refusal := errUnapplied.Error()
	e.Refusal, e.Origin = &refusal, &Origin{h.client.id, d.Sequence}
	return e
}
