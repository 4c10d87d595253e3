// The store: subscribed states with the client's own actions applied optimistically. States and actions are type
// parameters; store_gen.go of an emitted package instantiates them.

package state

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
)

// Errors of a store.
var (
	// ErrNotSubscribed is returned if the store has no state of the channel.
	ErrNotSubscribed = errors.New("not subscribed to the channel")
	// ErrNoState is returned for a snapshot without a state that actions apply to.
	ErrNoState = errors.New("the snapshot has no state")
	// ErrForeignAction is returned for an action of another kind of channel, or a nil one.
	ErrForeignAction = errors.New("the action belongs to another kind of channel")
	// ErrSnapshotTooOld is returned for a snapshot that is older than envelopes the store had to drop. Subscribe
	// again to get a newer one.
	ErrSnapshotTooOld = errors.New("the snapshot is older than envelopes that were dropped from a full buffer: subscribe again")
)

// Outcome is the effect of an envelope.
type Outcome string

// The outcomes of an envelope.
const (
	// Applied means that another party's action was applied to the confirmed state.
	Applied Outcome = "applied"
	// Confirmed means that the host accepted the client's own action.
	Confirmed Outcome = "confirmed"
	// Rejected means that the host rejected the client's own action, which is no longer pending. The envelope has the
	// reason for the user.
	Rejected Outcome = "rejected"
	// Refused means that the host rejected another client's action. It has no effect.
	Refused Outcome = "refused"
	// Stale means that the confirmed state already includes the action.
	Stale Outcome = "stale"
	// Held means that the envelope waits for the snapshot of its channel.
	Held Outcome = "held"
	// Overflowed means that more than 10,000 envelopes or 16 MiB were held for the channel and all were dropped.
	// Older snapshots are refused with [ErrSnapshotTooOld].
	Overflowed Outcome = "overflowed"
	// UnknownChannel means that there is no such subscription.
	UnknownChannel Outcome = "unknown channel"
)

// Replicas holds a client's copies of the states of channels.
//
// One lock serves everybody who changes something. Readers do not take it: they load a pointer to the
// channels, which are copied when one comes or goes, and from the channel a pointer to what is shown of it.
type Replicas[S comparable, A any] struct {
	client string // id of this client
	apply  func(S, A) S

	channels atomic.Pointer[map[string]*replica[S, A]]

	mu       sync.Mutex
	sequence int64                      // number of this client's last action
	seen     int64                      // highest sequence number received
	awaited  map[string]*heldActions[A] // envelopes for channels without a snapshot yet
}

// Limits on envelopes held for a channel. The bytes are those of actions as JSON.
const (
	maxHeld      = 10_000
	maxHeldBytes = 16 << 20
)

// heldActions are the envelopes received before their channel's snapshot.
type heldActions[A any] struct {
	list       []Received[A]
	bytes      int
	overflowed bool    // envelopes were dropped
	dropped    int64   // highest sequence number dropped
	answered   []int64 // numbers of this client's actions that were answered by what was dropped
}

// hold keeps an envelope, or drops all if there are too many. Afterwards only a snapshot that includes them is
// accepted.
func (h *heldActions[A]) hold(in Received[A], own func(Received[A]) bool) Outcome {
	size := jsonSize(in.Action)
	if len(h.list) < maxHeld && h.bytes+size <= maxHeldBytes {
		h.list, h.bytes = append(h.list, in), h.bytes+size
		return Held
	}
	for _, gone := range append(h.list, in) {
		if !h.overflowed || gone.Sequence > h.dropped {
			h.overflowed, h.dropped = true, gone.Sequence
		}
		if own(gone) {
			h.answered = append(h.answered, gone.ClientSequence)
		}
	}
	h.list, h.bytes = nil, 0
	return Overflowed
}

// jsonSize returns the size of an action as JSON. An action that cannot be encoded did not come from a host.
func jsonSize(action any) int {
	a, ok := action.(wire.Appender)
	if !ok || wire.IsNil(action) {
		return 0
	}
	text, _ := a.AppendJSON(nil)
	return len(text)
}

// replica is the copy of one state. Only what is shown of it is read without the lock.
type replica[S comparable, A any] struct {
	shown    atomic.Pointer[shown[S, A]]
	sequence int64        // number of the last action in the confirmed state
	pending  []Pending[A] // shared with what is shown: elements are appended and cut off, never changed
	watchers watchers[S]
}

// Pending is an unanswered action of this client.
type Pending[A any] struct {
	Sequence int64
	Action   A
}

// Lost is an action without an answer after a reconnect.
type Lost[A any] struct {
	Pending[A]
	Channel string
}

// Received is a decoded envelope.
type Received[A any] struct {
	Channel  string
	Action   A
	Sequence int64
	Rejected bool

	Dispatched     bool // dispatched by a client
	Client         string
	ClientSequence int64
}

// NewReplicas returns empty replicas for a client id. Apply is the reducer.
func NewReplicas[S comparable, A any](client string, apply func(S, A) S) *Replicas[S, A] {
	r := &Replicas[S, A]{client: client, apply: apply, awaited: map[string]*heldActions[A]{}}
	r.channels.Store(&map[string]*replica[S, A]{})
	return r
}

func (r *Replicas[S, A]) lookup(channel string) *replica[S, A] { return (*r.channels.Load())[channel] }

// Confirmed returns the state of a channel that the host has confirmed. Unlike View, it never applies pending actions.
func (r *Replicas[S, A]) Confirmed(channel string) (state S, ok bool) {
	if c := r.lookup(channel); c != nil {
		return c.shown.Load().confirmed, true
	}
	return state, false
}

// Current is Confirmed, but reports false while a snapshot of the channel is awaited.
func (r *Replicas[S, A]) Current(channel string) (state S, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, awaited := r.awaited[channel]; awaited {
		return state, false
	}
	return r.Confirmed(channel)
}

// Subscriptions returns the channels with a state, sorted.
func (r *Replicas[S, A]) Subscriptions() []string {
	channels := *r.channels.Load()
	out := make([]string, 0, len(channels))
	for channel := range channels {
		out = append(out, channel)
	}
	codec.SortNames(out)
	return out
}

// LastSeen returns the sequence up to which nothing is missing. Envelopes arrive in order, so that is the highest one
// received; a snapshot may be ahead of envelopes of other channels still on their way, so it counts only as far as
// all the snapshots are.
func (r *Replicas[S, A]) LastSeen() int64 {
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

// Await starts holding the envelopes of a channel.
func (r *Replicas[S, A]) Await(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.awaited[channel]; !ok && r.lookup(channel) == nil {
		r.awaited[channel] = &heldActions[A]{}
	}
}

// Renew marks the state of a channel as outdated: it is shown until the next snapshot, for which envelopes are held
// from now on.
func (r *Replicas[S, A]) Renew(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.awaited[channel]; !ok {
		r.awaited[channel] = &heldActions[A]{}
	}
}

// Subscribe applies a snapshot. One that is not newer than the store is ignored. One that lacks dropped envelopes is
// refused.
func (r *Replicas[S, A]) Subscribe(channel string, state S, sequence int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.awaited[channel]
	if c := r.lookup(channel); c != nil && held == nil && sequence <= c.sequence {
		return nil
	}
	if held != nil && held.overflowed && sequence < held.dropped {
		return ErrSnapshotTooOld
	}
	if c := r.lookup(channel); c != nil && held != nil && len(held.answered) > 0 {
		c.pending = slices.DeleteFunc(slices.Clone(c.pending), func(p Pending[A]) bool { return slices.Contains(held.answered, p.Sequence) })
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

// restart makes a snapshot the confirmed state of a channel. Pending actions remain.
func (r *Replicas[S, A]) restart(channel string, state S, sequence int64) *replica[S, A] {
	c := r.lookup(channel)
	if c == nil {
		c = &replica[S, A]{sequence: sequence}
		c.shown.Store(newShown[S, A](state, state, nil))
		channels := maps.Clone(*r.channels.Load())
		channels[channel] = c
		r.channels.Store(&channels)
		return c
	}
	c.sequence = sequence
	r.rebase(c, state)
	return c
}

// Unsubscribe removes a channel.
func (r *Replicas[S, A]) Unsubscribe(channel string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.awaited, channel)
	r.remove(channel)
}

// remove removes a channel and reports whether it was present.
func (r *Replicas[S, A]) remove(channel string) bool {
	c := r.lookup(channel)
	if c == nil {
		return false
	}
	channels := maps.Clone(*r.channels.Load())
	delete(channels, channel)
	r.channels.Store(&channels)
	c.watchers.close()
	return true
}

// Dispatch applies an action of this client and returns the number it got. One that could not be sent is an error. If the
// optimistic state must be recomputed anyway, that is deferred until it is read.
func (r *Replicas[S, A]) Dispatch(channel string, action A) (sequence int64, err error) {
	if a, ok := any(action).(wire.Appender); ok {
		if err := wire.Validate(a); err != nil { // the host would never see what is shown here
			return 0, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.lookup(channel)
	if c == nil {
		return 0, ErrNotSubscribed
	}
	was := c.shown.Load()
	optimistic, current := was.current()
	if current {
		optimistic = r.apply(optimistic, action)
	}
	r.sequence++
	c.pending = append(c.pending, Pending[A]{r.sequence, action})
	if current {
		r.publish(c, newShown(was.confirmed, optimistic, c.pending))
	} else {
		r.rebase(c, was.confirmed)
	}
	return r.sequence, nil
}

// Withdraw forgets a dispatched action that was not sent.
func (r *Replicas[S, A]) Withdraw(channel string, sequence int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.lookup(channel)
	if c == nil {
		return
	}
	if place := slices.IndexFunc(c.pending, func(p Pending[A]) bool { return p.Sequence == sequence }); place >= 0 {
		c.pending = slices.Delete(slices.Clone(c.pending), place, place+1)
		r.rebase(c, c.shown.Load().confirmed)
	}
}

// NextSequence reserves the number of an action on a channel without a state. Its outcome is not tracked.
func (r *Replicas[S, A]) NextSequence() (sequence int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sequence++
	return r.sequence
}

// StartAt makes the next action's number greater than n, so that a process that reuses an id does not reuse numbers.
func (r *Replicas[S, A]) StartAt(sequence int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sequence = max(r.sequence, sequence)
}

// Client returns this client's id.
func (r *Replicas[S, A]) Client() string { return r.client }

// Sequence returns the number of this client's last action.
func (r *Replicas[S, A]) Sequence() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sequence
}

// Receive applies an envelope.
func (r *Replicas[S, A]) Receive(in Received[A]) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.route(in)
}

// route delivers an envelope to its channel.
func (r *Replicas[S, A]) route(in Received[A]) (outcome Outcome) {
	held := r.awaited[in.Channel]
	c := r.lookup(in.Channel)
	switch {
	case c != nil && held == nil:
		outcome = r.deliver(c, in)
	case c == nil && held != nil && in.Rejected && r.own(in):
		outcome = Rejected // reported even without a snapshot
	case held != nil:
		outcome = held.hold(in, r.own)
	default:
		outcome = UnknownChannel
	}
	r.seen = max(r.seen, in.Sequence)
	return outcome
}

func (r *Replicas[S, A]) own(in Received[A]) bool {
	return in.Dispatched && in.Client == r.client
}

// deliver applies an envelope to its channel. The sequence belongs to the host, not to the channel,
// so there are gaps in what one channel sees of it.
//
// An echo takes the action it answers out of the pending ones wherever it stands among them: those
// before it may be answered later, and if they are lost, the next reconnect drops them. It does so
// too when a snapshot has the action already.
//
// The echo of the first pending action, as it was dispatched, moves that action from the pending ones to the confirmed
// state, which leaves the optimistic state as it is. So a burst of actions costs no more than single ones.
func (r *Replicas[S, A]) deliver(c *replica[S, A], in Received[A]) (outcome Outcome) {
	was := c.shown.Load()
	own, stale := r.own(in), in.Sequence <= c.sequence
	place := -1
	if own {
		place = slices.IndexFunc(c.pending, in.answers)
	}
	answered := place >= 0
	confirmed := was.confirmed
	if !stale && !in.Rejected {
		confirmed = r.apply(confirmed, in.Action)
	}
	c.sequence = max(c.sequence, in.Sequence)
	optimistic, current := was.current()
	expected := current && place == 0 && !stale && !in.Rejected && sameAction(c.pending[0].Action, in.Action)
	switch {
	case place == 0:
		c.pending = c.pending[1:]
	case answered:
		c.pending = slices.Delete(slices.Clone(c.pending), place, place+1)
	}
	switch {
	case expected && len(c.pending) > 0:
		r.publish(c, newShown(confirmed, optimistic, c.pending))
	case answered || confirmed != was.confirmed:
		r.rebase(c, confirmed)
	}
	switch {
	case stale && !answered:
		return Stale
	case own && in.Rejected:
		return Rejected
	case own:
		return Confirmed
	case in.Rejected:
		return Refused
	default:
		return Applied
	}
}

// answers reports whether an echo belongs to a pending action.
func (in Received[A]) answers(p Pending[A]) bool { return p.Sequence == in.ClientSequence }

// Replayed reconnects with the missed envelopes. It returns their outcomes, the channels that no longer exist, and
// the actions that will not be answered.
func (r *Replicas[S, A]) Replayed(missed []Received[A], missing []string) (outcomes []Outcome, gone []string, lost []Lost[A]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, in := range missed { // answered actions are removed from the pending ones first
		outcomes = append(outcomes, r.route(in))
	}
	lost = r.forget()
	for _, channel := range missing {
		delete(r.awaited, channel)
		if r.remove(channel) {
			gone = append(gone, channel)
		}
	}
	for _, c := range *r.channels.Load() {
		r.rebase(c, c.shown.Load().confirmed)
	}
	return outcomes, gone, lost
}

// Restarted reconnects with snapshots. Channels without one no longer exist.
func (r *Replicas[S, A]) Restarted(states map[string]Snapshot[S]) (gone []string, lost []Lost[A]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	lost = r.forget()
	for _, channel := range r.Subscriptions() {
		delete(r.awaited, channel) // a snapshot replaces what came before
		if _, ok := states[channel]; !ok {
			r.remove(channel)
			gone = append(gone, channel)
		}
	}
	for channel, s := range states {
		r.restart(channel, s.State, s.Sequence)
	}
	r.seen = 0 // a restarted host may number anew
	return gone, lost
}

// Snapshot is a decoded snapshot.
type Snapshot[S any] struct {
	State    S
	Sequence int64
}

// forget drops everything that waits for an answer on a lost connection. It returns the actions in dispatch order.
// The caller publishes the views, so that readers see no intermediate state.
func (r *Replicas[S, A]) forget() (lost []Lost[A]) {
	for channel := range r.awaited {
		if r.lookup(channel) == nil { // a channel with a renewed state continues to wait
			delete(r.awaited, channel)
		}
	}
	for channel, c := range *r.channels.Load() {
		for _, p := range c.pending {
			if held := r.awaited[channel]; held != nil && (slices.Contains(held.answered, p.Sequence) || slices.ContainsFunc(held.list, func(in Received[A]) bool { return r.own(in) && in.answers(p) })) {
				continue // answered, and waiting for the snapshot
			}
			lost = append(lost, Lost[A]{p, channel})
		}
		c.pending = nil
	}
	// Unlike slices.SortFunc, this is not compiled once more for each type of actions.
	sort.Slice(lost, func(i, j int) bool { return lost[i].Sequence < lost[j].Sequence })
	return lost
}
