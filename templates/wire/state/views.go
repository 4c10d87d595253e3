// Views: immutable views of channels, and watching them.

package state

import (
	"bytes"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// View is the state of a channel at one moment.
type View[S any] struct {
	// Confirmed is the state confirmed by the host.
	Confirmed S
	// Optimistic is Confirmed with the client's pending actions applied: the state to display. It is the same pointer
	// as Confirmed if nothing is pending.
	Optimistic S
	// Pending is the number of unanswered actions of this client.
	Pending int
}

// ViewAs converts a view to states of type T and reports whether that is their type.
func ViewAs[T, S any](view View[S]) (View[T], bool) {
	confirmed, ok := any(view.Confirmed).(T)
	optimistic, also := any(view.Optimistic).(T)
	if !ok || !also {
		return View[T]{}, false
	}
	return View[T]{confirmed, optimistic, view.Pending}, true
}

// shown is what readers see of a channel. It does not change, except that its optimistic state is computed when it is first
// asked for.
type shown[S comparable, A any] struct {
	confirmed S
	pending   []Pending[A]
	nth       int64 // of what was shown of the channel

	computed   atomic.Bool // optimistic is there
	once       sync.Once
	optimistic S
}

// newShown returns what is shown where the optimistic state is known.
func newShown[S comparable, A any](confirmed, optimistic S, pending []Pending[A]) *shown[S, A] {
	s := &shown[S, A]{confirmed: confirmed, pending: pending, optimistic: optimistic}
	s.computed.Store(true)
	return s
}

// current returns the optimistic state, and whether it is known.
func (s *shown[S, A]) current() (optimistic S, ok bool) {
	if s.computed.Load() {
		return s.optimistic, true
	}
	return optimistic, false
}

// view returns the view, and applies the pending actions on the first call.
func (s *shown[S, A]) view(apply func(S, A) S) View[S] {
	if !s.computed.Load() {
		s.once.Do(func() {
			s.optimistic = s.confirmed
			for _, p := range s.pending {
				s.optimistic = attempt(apply, s.optimistic, p.Action)
			}
			s.computed.Store(true)
		})
	}
	return View[S]{s.confirmed, s.optimistic, len(s.pending)}
}

// attempt applies a pending action. One whose reducer panics has no effect until the host has answered it, so that
// readers of a state do not panic.
func attempt[S comparable, A any](apply func(S, A) S, state S, action A) (out S) {
	defer func() {
		if recover() != nil {
			out = state
		}
	}()
	return apply(state, action)
}

// sameAction reports whether an echo has the action that was dispatched: the same one as JSON.
func sameAction(dispatched, echoed any) bool {
	a, ok := dispatched.(wire.Appender)
	b, also := echoed.(wire.Appender)
	if !ok || !also || wire.IsNil(a) || wire.IsNil(b) {
		return reflect.DeepEqual(dispatched, echoed)
	}
	one, err := a.AppendJSON(nil)
	if err != nil {
		return false
	}
	other, err := b.AppendJSON(make([]byte, 0, len(one)))
	return err == nil && bytes.Equal(one, other)
}

// rebase makes a state the confirmed one. The optimistic state is computed when it is asked for.
func (r *Replicas[S, A]) rebase(c *replica[S, A], confirmed S) {
	if len(c.pending) == 0 {
		c.pending = nil // with what stood before it
		r.publish(c, newShown[S, A](confirmed, confirmed, nil))
		return
	}
	r.publish(c, &shown[S, A]{confirmed: confirmed, pending: c.pending})
}

// With so few pending actions, what changes is handed to watchers at once.
const fewPending = 8

// publish makes something what readers see, and hands it to those who watch: at once where that is cheap. Otherwise the
// pending actions are applied beside what goes on, for the latest change at a time. The caller holds the lock.
func (r *Replicas[S, A]) publish(c *replica[S, A], next *shown[S, A]) {
	w := &c.watchers
	next.nth = c.shown.Load().nth + 1
	if cheap := next.computed.Load() || len(next.pending) <= fewPending; cheap && len(w.list) > 0 {
		view := next.view(r.apply)
		c.shown.Store(next)
		w.deliver(next.nth, view)
		return
	}
	c.shown.Store(next)
	if len(w.list) > 0 && !w.busy {
		w.busy = true
		go r.catchUp(c)
	}
}

// catchUp hands the latest view to those who watch until they have it. It rests as long as it works, so that a burst of
// changes is not held up by it.
func (r *Replicas[S, A]) catchUp(c *replica[S, A]) {
	for {
		start := time.Now()
		latest := c.shown.Load()
		view := latest.view(r.apply)
		if r.caughtUp(c, latest, view) {
			return
		}
		time.Sleep(time.Since(start))
	}
}

// caughtUp sends a view to the watchers, and reports whether it is the latest or no watchers are left.
func (r *Replicas[S, A]) caughtUp(c *replica[S, A], of *shown[S, A], view View[S]) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := c.shown.Load()
	late := now != of && !now.computed.Load()
	if !late {
		of, view = now, now.view(r.apply)
	}
	c.watchers.deliver(of.nth, view)
	c.watchers.busy = late && len(c.watchers.list) > 0
	return !c.watchers.busy
}

// watchers are those who watch a channel. The lock of the replicas guards them.
type watchers[S comparable] struct {
	list []chan View[S]
	last View[S] // that they were handed
	nth  int64   // of what was shown, that is
	busy bool    // a goroutine sends views
}

// deliver hands a view to those who watch, in the place of one that they have not received. They have none before it after it.
func (w *watchers[S]) deliver(nth int64, view View[S]) {
	if nth < w.nth || view == w.last {
		return
	}
	w.last, w.nth = view, nth
	for _, to := range w.list {
		select {
		case <-to: // an outdated view that was not received
		default:
		}
		to <- view // does not block: there is no other sender
	}
}

func (w *watchers[S]) close() {
	for _, to := range w.list {
		close(to)
	}
	w.list = nil
}

// Watch returns a channel that has the latest view not yet received.
func (r *Replicas[S, A]) Watch(channel string) (views <-chan View[S], stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(chan View[S], 1)
	c := r.lookup(channel)
	if c == nil {
		close(w)
		return w, func() {}
	}
	now := c.shown.Load()
	view := now.view(r.apply)
	c.watchers.deliver(now.nth, view) // to those who wait for it
	w <- view
	c.watchers.list = append(c.watchers.list, w)
	return w, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(c.watchers.list, w); i >= 0 {
			c.watchers.list = slices.Delete(c.watchers.list, i, i+1)
			close(w)
		}
	}
}

// View returns a channel's current state.
func (r *Replicas[S, A]) View(channel string) (View[S], bool) {
	c := r.lookup(channel)
	if c == nil {
		return View[S]{}, false
	}
	return c.shown.Load().view(r.apply), true
}
