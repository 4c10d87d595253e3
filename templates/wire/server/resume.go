// Reconnecting: what a client has missed.

package server

import (
	"cmp"
	"context"
	"slices"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// resume reconnects a client: with a replay if the missed actions are available, or else with snapshots.
func (h *handler[S, A]) resume(ctx context.Context, m *rpc.Message, reply func(wire.Appender, error)) {
	s, c := h.server, h.client
	in, err := s.protocol.ReadResume(m.Params)
	if err != nil {
		err = invalid(err)
	}
	if err == nil && c.open {
		err = errInitialized
	}
	var missing []string
	var beside map[string]bool
	var claim Claim
	if err == nil {
		claim, err = h.claim(ctx, in.Client, true)
	}
	if err == nil {
		c.id = in.Client
		in.Subscriptions, missing = h.admit(ctx, in.Subscriptions)
		err = h.join(ctx, &claim, "")
	}
	if err == nil {
		beside = h.beside(ctx, in)
		err = h.lockFor(ctx, claim, in.Subscriptions)
	}
	if err != nil {
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if err == nil && c.gone {
		err = rpc.ErrClosed
	}
	if over := s.over(); err == nil && over != nil {
		err = over
	}
	if err != nil {
		if !c.open {
			c.id = ""
		}
		reply(nil, err)
		return
	}
	s.welcome(c, in.Client, s.known[in.Client].version)
	in.Subscriptions, missing = s.there(in.Subscriptions, missing)
	reply(s.caughtUp(c, in, missing, beside), nil)
}

// there splits channels into existing and missing ones. The caller must hold the lock.
func (s *Server[S, A]) there(names, missing []string) (there, gone []string) {
	for _, name := range names {
		if s.channels[name] == nil {
			missing = append(missing, name)
		} else {
			there = append(there, name)
		}
	}
	return there, missing
}

// caughtUp subscribes a reconnecting client and returns the answer. The caller must hold the lock.
func (s *Server[S, A]) caughtUp(c *Client, in Resuming, missing []string, beside map[string]bool) wire.Appender {
	had := s.known[in.Client].channels
	snapshots := []Snapshot[S]{}
	replay := s.remembers(in.Seen)
	for _, name := range in.Subscriptions {
		on := s.channels[name]
		s.join(on, c)
		replay = replay && (had == nil || had[name]) // or it has no state to apply missed actions to
		if on.hasState {
			snapshots = append(snapshots, Snapshot[S]{name, on.state, s.sequence})
			// Or the client has a state of an earlier channel of that name: also one that ended and began anew with
			// no action in between.
			replay = replay && on.opened < in.Seen
		}
	}
	if !replay {
		s.restored(rpc.EventSnapshots, c, len(snapshots))
		return s.protocol.Restarted(snapshots)
	}
	missed := []Envelope[A]{}
	for _, e := range s.since(in.Seen) {
		wanted := c.channels[e.Channel] || beside[e.Channel] && e.of(in.Client)
		if !wanted || !s.reaches(c, e.Envelope) {
			continue
		}
		if c.older != nil && !c.replays(s.protocol.Envelope(e.Envelope)) {
			s.restored(rpc.EventSnapshots, c, len(snapshots))
			return s.protocol.Restarted(snapshots)
		}
		missed = append(missed, e.Envelope)
	}
	s.restored(rpc.EventReplayed, c, len(missed))
	return s.protocol.Replayed(missed, missing)
}

// since returns the actions after a number, as far as they are in the window. The caller must hold the lock.
func (s *Server[S, A]) since(seen int64) []remembered[A] {
	first, _ := slices.BinarySearchFunc(s.window, seen+1, func(e remembered[A], n int64) int { return cmp.Compare(e.Sequence, n) })
	return s.window[first:]
}

// of reports whether a client has dispatched the action.
func (e *remembered[A]) of(client string) bool { return e.Origin != nil && e.Origin.Client == client }

// beside returns channels outside a client's subscriptions on which it has unanswered actions, and to which it is
// still admitted.
func (h *handler[S, A]) beside(ctx context.Context, in Resuming) map[string]bool {
	s := h.server
	out := map[string]bool{}
	subscribed := make(map[string]bool, len(in.Subscriptions)) // of which a client may name many, while everybody waits
	for _, name := range in.Subscriptions {
		subscribed[name] = true
	}
	s.mu.Lock()
	for _, e := range s.since(in.Seen) {
		if e.of(in.Client) && !subscribed[e.Channel] {
			out[e.Channel] = true
		}
	}
	s.mu.Unlock()
	if admit := s.options.Admit; admit != nil {
		for name := range out {
			if admit(ctx, h.client, name) != nil {
				delete(out, name)
			}
		}
	}
	return out
}
