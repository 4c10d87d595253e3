// The store: the states that a client has subscribed to, with its own actions applied before the
// host has answered them. The states and actions are type parameters here; in an emitted package,
// store_gen.go says what they are.

package runtime

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// What a store refuses.
var (
	// ErrNotSubscribed: the store has no state of the channel.
	ErrNotSubscribed = errors.New("not subscribed to the channel")
	// ErrNoState: a snapshot holds no state that actions apply to.
	ErrNoState = errors.New("the snapshot holds no state of a channel")
	// ErrForeignAction: the action belongs to another kind of channel, or to none, since it is nil or a
	// nil pointer.
	ErrForeignAction = errors.New("the action belongs to another kind of channel")
	// ErrSnapshotTooOld: envelopes that came after the snapshot were more than the store keeps. Ask the
	// host for the subscription again; its next snapshot will have what they said.
	ErrSnapshotTooOld = errors.New("the snapshot is older than envelopes that were too many to keep: subscribe again")
)

// StoreView is the state of a channel at one moment.
type StoreView[S any] struct {
	// Confirmed is what the host has said.
	Confirmed S
	// Optimistic is Confirmed with the client's pending actions applied on top: what to show. While
	// nothing is pending it is Confirmed, the same pointer.
	Optimistic S
	// Pending is the number of the client's actions that the host has not answered.
	Pending int
}

// StoreViewAs returns a view with states of the type T, and whether they are of that type.
func StoreViewAs[T, S any](view StoreView[S]) (StoreView[T], bool) {
	confirmed, ok := any(view.Confirmed).(T)
	optimistic, also := any(view.Optimistic).(T)
	if !ok || !also {
		return StoreView[T]{}, false
	}
	return StoreView[T]{confirmed, optimistic, view.Pending}, true
}

// StoreOutcome says what became of an envelope.
type StoreOutcome string

// The outcomes of an envelope.
const (
	// StoreApplied: somebody else's action, applied to the confirmed state.
	StoreApplied StoreOutcome = "applied"
	// StoreConfirmed: the client's own action, accepted by the host.
	StoreConfirmed StoreOutcome = "confirmed"
	// StoreRejected: the client's own action, refused by the host and not pending any more. Tell the
	// user the reason that the envelope gives.
	StoreRejected StoreOutcome = "rejected"
	// StoreRefused: somebody else's action, refused by the host. It has no effect.
	StoreRefused StoreOutcome = "refused"
	// StoreStale: the confirmed state has the action already.
	StoreStale StoreOutcome = "stale"
	// StoreHeld: kept until the snapshot of its channel arrives.
	StoreHeld StoreOutcome = "held"
	// StoreOverflowed: not kept, and nothing that was kept for its channel is any more, since these were
	// 10,000 envelopes or 16 MiB. A snapshot that does not have them is refused as [ErrSnapshotTooOld].
	StoreOverflowed StoreOutcome = "overflowed"
	// StoreUnknownChannel: ignored, since there is no such subscription.
	StoreUnknownChannel StoreOutcome = "unknown channel"
)

// replicas holds a client's copies of the states of channels.
//
// One lock serves everybody who changes something. Readers take no lock: they load a pointer to the
// channels, which are copied when one comes or goes, and from the channel a pointer to its view.
type replicas[S comparable, A any] struct {
	client string // this client's id
	apply  func(S, A) S

	channels atomic.Pointer[map[string]*replica[S, A]]

	mu       sync.Mutex
	sequence int64                      // of this client's latest action
	seen     int64                      // highest sequence of the envelopes received
	awaited  map[string]*heldActions[A] // what came for channels whose snapshot has not
}

// What a store keeps for a channel whose snapshot it awaits. The bytes are those of actions as JSON.
const (
	maxHeld      = 10_000
	maxHeldBytes = 16 << 20
)

// heldActions is what came for a channel ahead of its snapshot.
type heldActions[A any] struct {
	list       []receivedAction[A]
	bytes      int
	overflowed bool  // some were too many to keep
	dropped    int64 // highest sequence of these
}

// hold keeps an envelope, or drops all of them where they are too many. From then on only a snapshot
// that has them is any good, and what comes after them is kept for it.
func (h *heldActions[A]) hold(in receivedAction[A]) StoreOutcome {
	size := jsonSize(in.action)
	if len(h.list) < maxHeld && h.bytes+size <= maxHeldBytes {
		h.list, h.bytes = append(h.list, in), h.bytes+size
		return StoreHeld
	}
	for _, gone := range append(h.list, in) {
		if !h.overflowed || gone.sequence > h.dropped {
			h.overflowed, h.dropped = true, gone.sequence
		}
	}
	h.list, h.bytes = nil, 0
	return StoreOverflowed
}

// jsonSize is how long an action is as JSON. One that cannot be encoded did not come from a host.
func jsonSize(action any) int {
	a, ok := action.(JSONAppender)
	if !ok || isNil(action) {
		return 0
	}
	text, _ := a.AppendJSON(nil)
	return len(text)
}

// replica is the copy of one state. Only its view is read without the lock.
type replica[S comparable, A any] struct {
	view     atomic.Pointer[StoreView[S]]
	sequence int64 // of the latest action that the confirmed state has
	pending  []pendingAction[A]
	watchers []chan StoreView[S]
}

// pendingAction is an action of this client without an answer.
type pendingAction[A any] struct {
	sequence int64
	action   A
}

// lostAction is an action that a reconnect has left without an answer.
type lostAction[A any] struct {
	pendingAction[A]
	channel string
}

// receivedAction is what an envelope says.
type receivedAction[A any] struct {
	channel  string
	action   A
	sequence int64
	rejected bool

	dispatched     bool // by a client, not by the host itself
	client         string
	clientSequence int64
}

func newReplicas[S comparable, A any](client string, apply func(S, A) S) *replicas[S, A] {
	r := &replicas[S, A]{client: client, apply: apply, awaited: map[string]*heldActions[A]{}}
	r.channels.Store(&map[string]*replica[S, A]{})
	return r
}

func (r *replicas[S, A]) lookup(channel string) *replica[S, A] { return (*r.channels.Load())[channel] }

// view is a channel's state at this moment.
func (r *replicas[S, A]) view(channel string) (StoreView[S], bool) {
	c := r.lookup(channel)
	if c == nil {
		return StoreView[S]{}, false
	}
	return *c.view.Load(), true
}

// subscriptions lists the channels with a state, sorted.
func (r *replicas[S, A]) subscriptions() []string {
	channels := *r.channels.Load()
	out := make([]string, 0, len(channels))
	for channel := range channels {
		out = append(out, channel)
	}
	slices.Sort(out)
	return out
}

// lastSeen is the sequence up to which nothing is missing. Envelopes arrive in order, so that is the
// highest one received; a snapshot may be ahead of envelopes of other channels still on their way,
// so it counts only as far as all the snapshots are.
func (r *replicas[S, A]) lastSeen() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	first, oldest := true, int64(0)
	for _, c := range *r.channels.Load() {
		if first || c.sequence < oldest {
			first, oldest = false, c.sequence
		}
	}
	return max(r.seen, oldest)
}

// await starts to keep the envelopes of a channel.
func (r *replicas[S, A]) await(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.awaited[channel]; !ok && r.lookup(channel) == nil {
		r.awaited[channel] = &heldActions[A]{}
	}
}

// subscribe takes a snapshot. One that is not newer than what the store has says nothing new. One that
// lacks what the store could not keep is refused, and a newer one is awaited.
func (r *replicas[S, A]) subscribe(channel string, state S, sequence int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.lookup(channel); c != nil && sequence <= c.sequence {
		return nil
	}
	held := r.awaited[channel]
	if held != nil && held.overflowed && sequence < held.dropped {
		return ErrSnapshotTooOld
	}
	c := r.restart(channel, state, sequence)
	delete(r.awaited, channel)
	if held != nil {
		for _, in := range held.list {
			r.deliver(c, in)
		}
	}
	return nil
}

// restart makes a snapshot the confirmed state of a channel. What is pending stays so.
func (r *replicas[S, A]) restart(channel string, state S, sequence int64) *replica[S, A] {
	c := r.lookup(channel)
	if c == nil {
		c = &replica[S, A]{sequence: sequence}
		c.view.Store(&StoreView[S]{Confirmed: state, Optimistic: state})
		channels := maps.Clone(*r.channels.Load())
		channels[channel] = c
		r.channels.Store(&channels)
		return c
	}
	optimistic := r.replay(state, c.pending)
	c.sequence = sequence
	c.publish(state, optimistic)
	return c
}

// unsubscribe forgets a channel.
func (r *replicas[S, A]) unsubscribe(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.awaited, channel)
	r.remove(channel)
}

// remove takes a channel away and reports whether it was there.
func (r *replicas[S, A]) remove(channel string) bool {
	c := r.lookup(channel)
	if c == nil {
		return false
	}
	channels := maps.Clone(*r.channels.Load())
	delete(channels, channel)
	r.channels.Store(&channels)
	for _, w := range c.watchers {
		close(w)
	}
	c.watchers = nil
	return true
}

// dispatch applies an action of this client and returns the number it got.
func (r *replicas[S, A]) dispatch(channel string, action A) (sequence int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.lookup(channel)
	if c == nil {
		return 0, ErrNotSubscribed
	}
	view := c.view.Load()
	optimistic := r.apply(view.Optimistic, action)
	r.sequence++
	c.pending = append(c.pending, pendingAction[A]{r.sequence, action})
	c.publish(view.Confirmed, optimistic)
	return r.sequence, nil
}

// receive takes an envelope.
func (r *replicas[S, A]) receive(in receivedAction[A]) StoreOutcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.route(in)
}

// route brings an envelope to its channel.
func (r *replicas[S, A]) route(in receivedAction[A]) (outcome StoreOutcome) {
	held := r.awaited[in.channel]
	c := r.lookup(in.channel)
	switch {
	case c != nil:
		outcome = r.deliver(c, in)
	case held != nil && in.rejected && r.own(in):
		outcome = StoreRejected // no snapshot has to come first to tell the user
	case held != nil:
		outcome = held.hold(in)
	default:
		outcome = StoreUnknownChannel
	}
	r.seen = max(r.seen, in.sequence)
	return outcome
}

func (r *replicas[S, A]) own(in receivedAction[A]) bool {
	return in.dispatched && in.client == r.client
}

// deliver applies an envelope to its channel. The sequence belongs to the host, not to the channel,
// so there are gaps in what one channel sees of it.
//
// An echo takes the action it answers out of the pending ones wherever it stands among them: those
// before it may be answered later, and where they are lost the next reconnect drops them. It does so
// too when a snapshot has the action already.
func (r *replicas[S, A]) deliver(c *replica[S, A], in receivedAction[A]) (outcome StoreOutcome) {
	view := c.view.Load()
	own, stale, pending := r.own(in), in.sequence <= c.sequence, c.pending
	answered := own && slices.ContainsFunc(pending, in.answers)
	if answered {
		pending = slices.DeleteFunc(slices.Clone(pending), in.answers)
	}
	confirmed := view.Confirmed
	if !stale && !in.rejected {
		confirmed = r.apply(confirmed, in.action)
	}
	optimistic := view.Optimistic
	if answered || confirmed != view.Confirmed {
		optimistic = r.replay(confirmed, pending)
	}
	c.sequence, c.pending = max(c.sequence, in.sequence), pending
	c.publish(confirmed, optimistic)
	switch {
	case stale && !answered:
		return StoreStale
	case own && in.rejected:
		return StoreRejected
	case own:
		return StoreConfirmed
	case in.rejected:
		return StoreRefused
	default:
		return StoreApplied
	}
}

// answers reports whether an own action is the one that an echo is of.
func (in receivedAction[A]) answers(p pendingAction[A]) bool { return p.sequence == in.clientSequence }

// replay applies pending actions on top of a state.
func (r *replicas[S, A]) replay(state S, pending []pendingAction[A]) S {
	for _, p := range pending {
		state = r.apply(state, p.action)
	}
	return state
}

// replayed takes up a connection again with the envelopes that were missed. It returns their
// outcomes, the channels that ended and the actions that got no answer, which never will.
func (r *replicas[S, A]) replayed(missed []receivedAction[A], missing []string) (outcomes []StoreOutcome, gone []string, lost []lostAction[A]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range missed { // those that answer something take it out of the pending ones first
		outcomes = append(outcomes, r.route(in))
	}
	lost = r.forget()
	for _, channel := range missing {
		if r.remove(channel) {
			gone = append(gone, channel)
		}
	}
	for _, c := range *r.channels.Load() {
		confirmed := c.view.Load().Confirmed
		c.publish(confirmed, confirmed)
	}
	return outcomes, gone, lost
}

// restarted takes up a connection again with new states. Channels without one have ended.
func (r *replicas[S, A]) restarted(states map[string]snapshotState[S]) (gone []string, lost []lostAction[A]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost = r.forget()
	for _, channel := range r.subscriptions() {
		if _, ok := states[channel]; !ok {
			r.remove(channel)
			gone = append(gone, channel)
		}
	}
	for channel, s := range states {
		r.restart(channel, s.state, s.sequence)
	}
	r.seen = 0 // a host that started anew counts anew
	return gone, lost
}

// snapshotState is what a snapshot says of a channel.
type snapshotState[S any] struct {
	state    S
	sequence int64
}

// forget gives up on everything that waits for an answer on the connection that was lost. It returns
// the actions in the order in which they were dispatched. Publishing the views is left to the caller,
// or readers would see a state that neither was nor will be.
func (r *replicas[S, A]) forget() (lost []lostAction[A]) {
	clear(r.awaited)
	for channel, c := range *r.channels.Load() {
		for _, p := range c.pending {
			lost = append(lost, lostAction[A]{p, channel})
		}
		c.pending = nil
	}
	slices.SortFunc(lost, func(a, b lostAction[A]) int { return cmp.Compare(a.sequence, b.sequence) })
	return lost
}

// publish makes states the ones that readers see, and hands them to who watches.
func (c *replica[S, A]) publish(confirmed, optimistic S) {
	next := StoreView[S]{confirmed, optimistic, len(c.pending)}
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

// watch returns a channel with the latest view that was not received yet.
func (r *replicas[S, A]) watch(channel string) (views <-chan StoreView[S], stop func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(chan StoreView[S], 1)
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
