// Views: what a reader sees of a channel, at once and as it changes.

package state

import "slices"

// View is the state of a channel at one moment.
type View[S any] struct {
	// Confirmed is what the host has said.
	Confirmed S
	// Optimistic is Confirmed with the client's pending actions applied on top: what to show. While
	// nothing is pending it is Confirmed, the same pointer.
	Optimistic S
	// Pending is the number of the client's actions that the host has not answered.
	Pending int
}

// ViewAs returns a view with states of the type T, and whether they are of that type.
func ViewAs[T, S any](view View[S]) (View[T], bool) {
	confirmed, ok := any(view.Confirmed).(T)
	optimistic, also := any(view.Optimistic).(T)
	if !ok || !also {
		return View[T]{}, false
	}
	return View[T]{confirmed, optimistic, view.Pending}, true
}

// publish makes states the ones that readers see, and hands them to who watches.
func (c *replica[S, A]) publish(confirmed, optimistic S) {
	next := View[S]{confirmed, optimistic, len(c.pending)}
	if next == *c.view.Load() {
		return
	}
	c.view.Store(&next)
	for _, w := range c.watchers {
		select {
		case <-w: // nobody has taken the view before, and it is out of date
		default:
		}
		w <- next // there is room: nobody else sends
	}
}

// Watch returns a channel with the latest view that was not received yet.
func (r *Replicas[S, A]) Watch(channel string) (views <-chan View[S], stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(chan View[S], 1)
	c := r.lookup(channel)
	if c == nil {
		close(w)
		return w, func() {}
	}
	w <- *c.view.Load()
	c.watchers = append(c.watchers, w)
	return w, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(c.watchers, w); i >= 0 {
			c.watchers = slices.Delete(c.watchers, i, i+1)
			close(w)
		}
	}
}
