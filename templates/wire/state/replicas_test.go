// Tests of the store on a state that is a text, to which every action appends itself.

package state

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

type text struct{ of string }

// desk is a client's replicas, with what a test wants to know about them.
type desk struct {
	*Replicas[*text, string]
	t          *testing.T
	reductions int
}

// newDesk subscribes to "a" at sequence 10, with an empty text.
func newDesk(t *testing.T) *desk {
	d := &desk{t: t}
	d.Replicas = NewReplicas("me", func(s *text, action string) *text {
		d.reductions++
		switch action {
		case "panic":
			panic("a defect in a reducer")
		case "nothing":
			return s
		}
		return &text{s.of + action}
	})
	d.Subscribe("a", &text{}, 10)
	return d
}

// foreign returns an envelope with an action of the host itself.
func foreign(channel string, sequence int64, action string) Received[string] {
	return Received[string]{Channel: channel, Sequence: sequence, Action: action}
}

// echo returns an envelope with an action of this client.
func echo(channel string, sequence int64, action string, clientSequence int64) Received[string] {
	in := foreign(channel, sequence, action)
	in.Dispatched, in.Client, in.ClientSequence = true, "me", clientSequence
	return in
}

func rejection(in Received[string]) Received[string] {
	in.Rejected = true
	return in
}

func (d *desk) send(channel, action string) int64 {
	d.t.Helper()
	sequence, err := d.Dispatch(channel, action)
	require.NoError(d.t, err)
	return sequence
}

// want compares the view of a channel, and sees to what always holds.
func (d *desk) want(channel, confirmed, optimistic string, pending int) {
	d.t.Helper()
	v, ok := d.View(channel)
	require.True(d.t, ok, "no channel %s", channel)
	require.Equal(d.t, confirmed, v.Confirmed.of, "confirmed")
	require.Equal(d.t, optimistic, v.Optimistic.of, "optimistic")
	require.Equal(d.t, pending, v.Pending, "pending")
	if pending == 0 {
		require.Same(d.t, v.Confirmed, v.Optimistic)
	}
}

func TestStoreAppliesActionsOfOthers(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, Applied, d.Receive(foreign("a", 11, "x")))
	d.want("a", "x", "x", 0)
	other := echo("a", 12, "y", 1)
	other.Client = "somebody else"
	require.Equal(t, Applied, d.Receive(other))
	d.want("a", "xy", "xy", 0)
}

func TestStoreAppliesOwnActionsAtOnce(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, int64(1), d.send("a", "x"))
	require.Equal(t, int64(2), d.send("a", "y"))
	d.want("a", "", "xy", 2)
}

func TestStoreConfirmsOwnActionsInOrder(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	d.send("a", "y")
	require.Equal(t, Confirmed, d.Receive(echo("a", 11, "x", 1)))
	d.want("a", "x", "xy", 1)
	require.Equal(t, Confirmed, d.Receive(echo("a", 12, "y", 2)))
	d.want("a", "xy", "xy", 0)
}

func TestStoreKeepsPendingActionsOnTopOfForeignOnes(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	require.Equal(t, Applied, d.Receive(foreign("a", 11, "f")))
	d.want("a", "f", "fx", 1)
}

func TestStoreDropsRejectedActions(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	d.send("a", "y")
	require.Equal(t, Rejected, d.Receive(rejection(echo("a", 11, "x", 1))))
	d.want("a", "", "y", 1)
	require.Equal(t, Stale, d.Receive(rejection(echo("a", 11, "x", 1))), "the user hears of it once")
}

func TestStoreIgnoresRejectedActionsOfOthers(t *testing.T) {
	d := newDesk(t)
	other := rejection(echo("a", 11, "y", 1))
	other.Client = "somebody else"
	d.send("a", "x")
	require.Equal(t, Refused, d.Receive(other))
	d.want("a", "", "x", 1)
}

// What the host says counts, not what the client sent.
func TestStoreConfirmsWhatTheHostMadeOfAnAction(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	require.Equal(t, Confirmed, d.Receive(echo("a", 11, "X", 1)))
	d.want("a", "X", "X", 0)
}

func TestStoreForgetsWhatCouldNotBeSent(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	second := d.send("a", "y")
	d.send("a", "z")
	d.Withdraw("a", second)
	d.Withdraw("a", 99)
	d.Withdraw("b", second)
	view, _ := d.View("a")
	require.Equal(t, "xz", view.Optimistic.of)
	require.Equal(t, 2, view.Pending)
}

func TestStoreKnowsNoStateThatIsOutdated(t *testing.T) {
	d := newDesk(t)
	_, ok := d.Current("a")
	require.True(t, ok)
	_, ok = d.Current("b")
	require.False(t, ok)
	d.Renew("a")
	_, ok = d.Current("a")
	require.False(t, ok)
	require.NoError(t, d.Subscribe("a", &text{"new"}, 11))
	now, ok := d.Current("a")
	require.True(t, ok)
	require.Equal(t, "new", now.of)
}

func TestStoreTakesAnswersOutOfOrder(t *testing.T) {
	d := newDesk(t)
	for _, action := range []string{"x", "y", "z"} {
		d.send("a", action)
	}
	require.Equal(t, Confirmed, d.Receive(echo("a", 11, "y", 2)))
	d.want("a", "y", "yxz", 2)
	require.Equal(t, Confirmed, d.Receive(echo("a", 12, "x", 1)))
	d.want("a", "yx", "yxz", 1)
}

func TestStoreAppliesEchoesOfActionsItForgot(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, Confirmed, d.Receive(echo("a", 11, "x", 7)))
	d.want("a", "x", "x", 0)
	require.Equal(t, Rejected, d.Receive(rejection(echo("a", 12, "x", 8))))
	d.want("a", "x", "x", 0)
}

func TestStoreAppliesNothingTwice(t *testing.T) {
	d := newDesk(t)
	for _, sequence := range []int64{9, 10} {
		require.Equal(t, Stale, d.Receive(foreign("a", sequence, "x")), "the snapshot has it")
	}
	require.Equal(t, Applied, d.Receive(foreign("a", 11, "x")))
	require.Equal(t, Stale, d.Receive(foreign("a", 11, "x")))
	d.want("a", "x", "x", 0)
}

func TestStoreAllowsGaps(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, Applied, d.Receive(foreign("a", 20, "x")), "the numbers between went to other channels")
	require.Equal(t, Stale, d.Receive(foreign("a", 15, "y")))
	d.want("a", "x", "x", 0)
}

func TestStoreIgnoresUnknownChannels(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, UnknownChannel, d.Receive(foreign("b", 11, "x")))
	_, ok := d.View("b")
	require.False(t, ok)
	_, err := d.Dispatch("b", "x")
	require.ErrorIs(t, err, ErrNotSubscribed)
	require.Equal(t, int64(1), d.send("a", "y"), "a refused action takes no number")
}

func TestStoreKeepsChannelsApart(t *testing.T) {
	d := newDesk(t)
	d.Subscribe("b", &text{"B"}, 5)
	require.Equal(t, int64(1), d.send("a", "x"))
	require.Equal(t, int64(2), d.send("b", "y"), "one number for each action, whatever the channel")
	d.Receive(foreign("b", 6, "f"))
	d.want("a", "", "x", 1)
	d.want("b", "Bf", "Bfy", 1)
	require.Equal(t, []string{"a", "b"}, d.Subscriptions())
	d.Unsubscribe("a")
	require.Equal(t, []string{"b"}, d.Subscriptions())
	require.Equal(t, UnknownChannel, d.Receive(echo("a", 11, "x", 1)))
}

func TestStoreTakesNewerSnapshots(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	d.send("a", "y")
	d.Subscribe("a", &text{"old"}, 9)
	d.Subscribe("a", &text{"old"}, 10)
	d.want("a", "", "xy", 2)
	d.Subscribe("a", &text{"x"}, 15)
	d.want("a", "x", "xxy", 2)
	require.Equal(t, Confirmed, d.Receive(echo("a", 12, "x", 1)), "the snapshot has it, so it is not pending")
	d.want("a", "x", "xy", 1)
	require.Equal(t, Rejected, d.Receive(rejection(echo("a", 13, "y", 2))))
	d.want("a", "x", "x", 0)
}

func TestStoreHoldsEnvelopesThatOvertakeTheirSnapshot(t *testing.T) {
	d := newDesk(t)
	d.Await("b")
	require.Equal(t, Held, d.Receive(foreign("b", 11, "x")))
	require.Equal(t, Held, d.Receive(foreign("b", 12, "y")))
	require.Equal(t, Rejected, d.Receive(rejection(echo("b", 13, "z", 1))), "from an earlier subscription")
	d.Await("b") // once more changes nothing
	d.Subscribe("b", &text{"x"}, 11)
	d.want("b", "xy", "xy", 0)

	d.Await("a")
	require.Equal(t, Applied, d.Receive(foreign("a", 14, "w")), "there is nothing to wait for")

	d.Await("c")
	d.Unsubscribe("c")
	require.Equal(t, UnknownChannel, d.Receive(foreign("c", 15, "x")))
}

func TestStoreReplaysWhatWasMissed(t *testing.T) {
	d := newDesk(t)
	d.Subscribe("b", &text{}, 10)
	d.Subscribe("gone", &text{}, 10)
	d.Await("never")
	d.Receive(foreign("a", 11, "1"))
	d.send("a", "x")
	d.send("b", "y")
	d.send("gone", "z")
	outcomes, gone, lost := d.Replayed([]Received[string]{
		foreign("a", 11, "1"), // once more
		foreign("a", 12, "2"),
		echo("a", 13, "x", 1),
		rejection(echo("b", 14, "w", 99)),
	}, []string{"gone", "elsewhere"})
	require.Equal(t, []Outcome{Stale, Applied, Confirmed, Rejected}, outcomes)
	require.Equal(t, []string{"gone"}, gone)
	require.Equal(t, []Lost[string]{{Pending[string]{2, "y"}, "b"}, {Pending[string]{3, "z"}, "gone"}}, lost)
	d.want("a", "12x", "12x", 0)
	d.want("b", "", "", 0)
	require.Equal(t, []string{"a", "b"}, d.Subscriptions())
	require.Equal(t, int64(14), d.LastSeen())
	require.Equal(t, UnknownChannel, d.Receive(foreign("never", 15, "x")), "its request was lost")
	require.Equal(t, int64(4), d.send("a", "n"), "numbers are not used again")
}

// A user's action does not vanish for a moment because its echo is further down in what was missed.
func TestStoreShowsPendingActionsUntilTheirEchoIsReplayed(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	views, _ := d.Watch("a")
	before := <-views
	seen := []View[*text]{}
	d.apply = func(s *text, action string) *text {
		v, _ := d.View("a")
		seen = append(seen, v)
		return &text{s.of + action}
	}
	d.Replayed([]Received[string]{foreign("a", 11, "1"), echo("a", 12, "x", 1)}, nil)
	require.Equal(t, []View[*text]{before, before, {&text{"1"}, &text{"1x"}, 1}}, seen)
	d.want("a", "1x", "1x", 0)
}

func TestStoreStartsOverFromSnapshots(t *testing.T) {
	d := newDesk(t)
	d.Subscribe("b", &text{}, 10)
	d.Receive(foreign("a", 50, "1"))
	d.send("b", "y")
	d.send("a", "x")
	gone, lost := d.Restarted(map[string]Snapshot[*text]{"a": {&text{"A"}, 3}, "c": {&text{"C"}, 3}})
	require.Equal(t, []string{"b"}, gone)
	require.Equal(t, []Lost[string]{{Pending[string]{1, "y"}, "b"}, {Pending[string]{2, "x"}, "a"}}, lost)
	d.want("a", "A", "A", 0)
	d.want("c", "C", "C", 0)
	require.Equal(t, []string{"a", "c"}, d.Subscriptions())
	require.Equal(t, int64(3), d.LastSeen(), "the host may have started anew as well")
	require.Equal(t, Applied, d.Receive(foreign("a", 4, "2")))
}

func TestStoreLastSeen(t *testing.T) {
	d := newDesk(t)
	require.Equal(t, int64(10), d.LastSeen())
	d.Subscribe("b", &text{}, 30)
	require.Equal(t, int64(10), d.LastSeen(), "envelopes of a up to 30 may still be on their way")
	d.Receive(foreign("b", 31, "x"))
	require.Equal(t, int64(31), d.LastSeen(), "envelopes come in order")
	d.Receive(foreign("elsewhere", 32, "x"))
	d.Receive(foreign("a", 20, "late"))
	require.Equal(t, int64(32), d.LastSeen())
	require.Zero(t, NewReplicas("me", func(s *text, _ string) *text { return s }).LastSeen())
}

// An envelope costs one reduction, whatever is pending. Only a read afterwards pays for the pending actions, and not
// where the envelope is the echo of the first of them.
func TestStoreReducesNoMoreThanNeeded(t *testing.T) {
	cost := func(d *desk, f func()) int {
		before := d.reductions
		f()
		return d.reductions - before
	}
	d := newDesk(t)
	look := func() { d.View("a") }
	for k := range 4 {
		require.Equal(t, 1, cost(d, func() { d.Receive(foreign("a", int64(11+k), "f")) }))
		require.Equal(t, k, cost(d, look))
		require.Zero(t, cost(d, look), "once for all who look")
		require.Equal(t, 1, cost(d, func() { d.send("a", "x") }))
	}
	require.Equal(t, 1, cost(d, func() { d.Receive(foreign("a", 20, "nothing")) }))
	require.Zero(t, cost(d, func() { d.Receive(foreign("a", 20, "stale")) }))
	require.Equal(t, 1, cost(d, func() { d.Receive(echo("a", 21, "x", 1)) }))
	require.Zero(t, cost(d, look), "it was as expected")
	require.Zero(t, cost(d, func() { d.Receive(rejection(echo("a", 22, "x", 3))) }))
	require.Equal(t, 2, cost(d, look), "two are left")
	require.Equal(t, 1, cost(d, func() { d.Receive(echo("a", 23, "changed", 2)) }))
	require.Zero(t, cost(d, func() { d.send("a", "y") }), "the optimistic state has to be made anew anyway")
	require.Equal(t, 2, cost(d, look))
	d.want("a", "ffffxchanged", "ffffxchangedxy", 2)
}

// TestStoreBurstsCostWhatTheyAre counts reductions for actions dispatched at once: two for each, as if it had been alone.
func TestStoreBurstsCostWhatTheyAre(t *testing.T) {
	const burst = 1000
	for _, watched := range []bool{false, true} {
		d := newDesk(t)
		if watched {
			d.Watch("a")
		}
		for range burst {
			d.send("a", "x")
		}
		for i := range int64(burst) {
			require.Equal(t, Confirmed, d.Receive(echo("a", 11+i, "x", 1+i)))
		}
		require.Equal(t, 2*burst, d.reductions)
		d.want("a", strings.Repeat("x", burst), strings.Repeat("x", burst), 0)
	}
}

// TestStoreWatchersCatchUp has others act in the middle of a burst: watchers see the final state, and what is computed
// for them holds nothing up.
func TestStoreWatchersCatchUp(t *testing.T) {
	const burst = 300
	apply := func(s *text, action string) *text { return &text{s.of + action} }
	r := NewReplicas("me", apply)
	require.NoError(t, r.Subscribe("a", &text{}, 0))
	views, stop := r.Watch("a")
	defer stop()
	for range burst {
		_, err := r.Dispatch("a", "x")
		require.NoError(t, err)
	}
	for i := range int64(burst) {
		r.Receive(foreign("a", 2*i+1, "f"))
		if i%50 == 0 {
			r.View("a") // which has the latest state computed behind the back of who catches up
		}
		if i < burst-20 {
			r.Receive(echo("a", 2*i+2, "x", 1+i))
		}
	}
	last := 0
	for {
		v := <-views
		require.GreaterOrEqual(t, len(v.Confirmed.of), last, "never back")
		last = len(v.Confirmed.of)
		require.Len(t, v.Optimistic.of, last+v.Pending)
		if last == burst+burst-20 {
			require.Equal(t, 20, v.Pending)
			return
		}
	}
}

// A pending action whose reducer panics has no effect on what is shown, however often that is made anew.
func TestStoreShowsStatesBesideAReducerThatPanics(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	require.Equal(t, Applied, d.Receive(foreign("a", 11, "f")))
	_, err := d.Dispatch("a", "panic") // not applied yet
	require.NoError(t, err)
	d.send("a", "y")
	d.want("a", "f", "fxy", 3)
	require.Panics(t, func() { d.Receive(echo("a", 12, "panic", 2)) })
}

func TestStoreStaysAsItWasWhenAReducerPanics(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	d.send("a", "y")
	require.Panics(t, func() { d.Receive(foreign("a", 11, "panic")) })
	require.Panics(t, func() { d.Receive(echo("a", 11, "panic", 1)) })
	require.Panics(t, func() { _, _ = d.Dispatch("a", "panic") })
	d.want("a", "", "xy", 2)
	require.Equal(t, int64(10), d.LastSeen())
	require.Equal(t, Applied, d.Receive(foreign("a", 11, "f")), "the lock is free")
	d.want("a", "f", "fxy", 2)
	require.Equal(t, int64(3), d.send("a", "z"))
}

func TestStoreViewsStayAsTheyWere(t *testing.T) {
	d := newDesk(t)
	d.send("a", "x")
	before, _ := d.View("a")
	d.Receive(echo("a", 11, "x", 1))
	d.Receive(foreign("a", 12, "y"))
	require.Equal(t, View[*text]{&text{""}, &text{"x"}, 1}, before)
}

func TestStoreWatchersSeeTheLatest(t *testing.T) {
	d := newDesk(t)
	views, stop := d.Watch("a")
	require.Equal(t, View[*text]{&text{}, &text{}, 0}, <-views, "what is there comes first")
	d.send("a", "x")
	d.send("a", "y")
	d.Receive(foreign("a", 11, "f"))
	require.Equal(t, View[*text]{&text{"f"}, &text{"fxy"}, 2}, <-views)
	d.Receive(foreign("a", 11, "f"))
	d.Receive(foreign("a", 12, "nothing"))
	require.Empty(t, views, "nothing has changed")
	d.Receive(foreign("a", 13, "g"))
	stop()
	stop()
	require.Equal(t, "fgxy", (<-views).Optimistic.of)
	_, open := <-views
	require.False(t, open)
	d.send("a", "z") // with no subscriber left
}

func TestStoreWatchersSeeEveryKindOfChange(t *testing.T) {
	d := newDesk(t)
	views, _ := d.Watch("a")
	<-views
	for name, change := range map[string]func(){
		"snapshot":           func() { d.Subscribe("a", &text{"s"}, 100) },
		"replay":             func() { d.Replayed([]Received[string]{foreign("a", 200, "r")}, nil) },
		"restart":            func() { d.Restarted(map[string]Snapshot[*text]{"a": {&text{"t"}, 1}}) },
		"pending, no effect": func() { d.send("a", "nothing") },
	} {
		change()
		require.Len(t, views, 1, name)
		<-views
	}
	d.Unsubscribe("a")
	_, open := <-views
	require.False(t, open, "the subscription has ended")
}

func TestStoreWatchersOfNothing(t *testing.T) {
	d := newDesk(t)
	views, stop := d.Watch("b")
	_, open := <-views
	require.False(t, open)
	stop()
	first, stopFirst := d.Watch("a")
	second, stopSecond := d.Watch("a")
	d.Unsubscribe("a")
	<-first
	<-second
	stopFirst()
	stopSecond()
	_, open = <-first
	require.False(t, open)
}

// TestStoreIsSharedByGoroutines is for the race detector too: writers, readers and watchers at a time.
func TestStoreIsSharedByGoroutines(t *testing.T) {
	const rounds = 300
	r := NewReplicas("me", func(s *text, action string) *text { return &text{s.of + action} })
	r.Subscribe("a", &text{}, 0)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for last := 0; ; {
				v, _ := r.View("a")
				if !strings.HasPrefix(v.Optimistic.of, v.Confirmed.of) || len(v.Optimistic.of)-len(v.Confirmed.of) != v.Pending {
					t.Errorf("a view that never was: %q, %q, %d", v.Confirmed.of, v.Optimistic.of, v.Pending)
				}
				if len(v.Confirmed.of) < last {
					t.Errorf("the confirmed state went back from %d to %d", last, len(v.Confirmed.of))
				}
				last = len(v.Confirmed.of)
				r.LastSeen()
				r.Subscriptions()
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	readers.Go(func() {
		for {
			views, stop := r.Watch("a")
			for range 3 {
				select {
				case <-views:
				case <-done:
					stop()
					return
				}
			}
			stop()
		}
	})
	sent := make(chan int64, rounds)
	writers.Go(func() {
		defer close(sent)
		for range rounds {
			sequence, err := r.Dispatch("a", "x")
			if err != nil {
				t.Error(err)
			}
			sent <- sequence
		}
	})
	writers.Go(func() {
		host := int64(0)
		for sequence := range sent {
			host++
			r.Receive(echo("a", host, "x", sequence))
		}
	})
	writers.Go(func() {
		for i := range rounds {
			channel := fmt.Sprint("other", i%3)
			r.Subscribe(channel, &text{}, 0)
			r.Unsubscribe(channel)
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
	v, _ := r.View("a")
	require.Equal(t, strings.Repeat("x", rounds), v.Confirmed.of)
	require.Same(t, v.Confirmed, v.Optimistic)
}

func TestStoreViewAs(t *testing.T) {
	state := &text{"x"}
	v, ok := ViewAs[*text](View[any]{state, state, 3})
	require.True(t, ok)
	require.Equal(t, View[*text]{state, state, 3}, v)
	_, ok = ViewAs[*text](View[any]{state, 1, 3})
	require.False(t, ok)
	_, ok = ViewAs[*text](View[any]{})
	require.False(t, ok)
}

// sized is an action that is as long as it says.
type sized int

func (s sized) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, strings.Repeat("x", int(s))...), nil
}

func newCounter() *Replicas[int, sized] {
	return NewReplicas("me", func(s int, action sized) int { return s + int(action) })
}

// Nothing diverges in silence: whatever was dropped is in the snapshot that is taken, or none is.
func TestStoreKeepsNoMoreThanItsLimitsForASnapshot(t *testing.T) {
	for _, c := range []struct {
		about string
		size  sized
		fit   int64
	}{
		{"many", 1, maxHeld}, {"large", 1 << 20, maxHeldBytes >> 20},
	} {
		r := newCounter()
		in := func(sequence int64) Received[sized] {
			return Received[sized]{Channel: "a", Action: c.size, Sequence: sequence}
		}
		r.Await("a")
		for i := int64(1); i <= c.fit; i++ {
			require.Equal(t, Held, r.Receive(in(i)), c.about)
		}
		require.Equal(t, Overflowed, r.Receive(in(c.fit+1)), c.about)
		require.Empty(t, r.awaited["a"].list, c.about)
		require.Equal(t, Held, r.Receive(in(c.fit+2)), "what comes after is kept again")

		require.ErrorIs(t, r.Subscribe("a", 0, 0), ErrSnapshotTooOld, c.about)
		require.ErrorIs(t, r.Subscribe("a", 0, c.fit), ErrSnapshotTooOld, c.about)
		_, ok := r.View("a")
		require.False(t, ok, "a snapshot that lacks something is no state")
		require.Equal(t, Held, r.Receive(in(c.fit+3)), "a newer snapshot is still awaited")

		dropped := int(c.size) * int(c.fit+1)
		require.NoError(t, r.Subscribe("a", dropped, c.fit+1), c.about)
		v, _ := r.View("a")
		require.Equal(t, dropped+2*int(c.size), v.Confirmed, c.about)
		require.Equal(t, Applied, r.Receive(in(c.fit+4)), c.about)
		require.Empty(t, r.awaited)
	}
}

func TestStoreChannelsOverflowByThemselves(t *testing.T) {
	r := newCounter()
	r.Await("a")
	r.Await("b")
	require.Equal(t, Held, r.Receive(Received[sized]{Channel: "b", Action: 1, Sequence: 1}))
	require.Equal(t, Overflowed, r.Receive(Received[sized]{Channel: "a", Action: maxHeldBytes + 1, Sequence: 2}))
	require.NoError(t, r.Subscribe("b", 0, 0))
	v, _ := r.View("b")
	require.Equal(t, 1, v.Confirmed)
	r.Unsubscribe("a")
	r.Await("a")
	require.NoError(t, r.Subscribe("a", 0, 1), "who starts over awaits anew")
}

// Whatever numbers a host gives, a snapshot is refused only after an overflow.
func TestStoreTakesSnapshotsOfAnyNumber(t *testing.T) {
	for _, sequence := range []int64{-5, 0, 5} {
		r := newCounter()
		r.Await("a")
		require.Equal(t, Held, r.Receive(Received[sized]{Channel: "a", Action: 1, Sequence: sequence + 1}))
		require.NoError(t, r.Subscribe("a", 0, sequence))
		r.Await("b")
		require.Equal(t, Overflowed, r.Receive(Received[sized]{Channel: "b", Action: maxHeldBytes + 1, Sequence: sequence}))
		require.ErrorIs(t, r.Subscribe("b", 0, sequence-1), ErrSnapshotTooOld)
		require.NoError(t, r.Subscribe("b", 0, sequence))
	}
}

// TestAStateIsRenewed keeps what comes for a channel whose state is in doubt, whatever becomes of the connection.
func TestAStateIsRenewed(t *testing.T) {
	d := newDesk(t)
	d.send("a", "mine;")
	d.send("a", "late;")
	d.Renew("a")
	require.Equal(t, Held, d.Receive(foreign("a", 12, "12;")), "what came before it is what was damaged")
	require.Equal(t, Held, d.Receive(echo("a", 13, "mine;", 1)))
	d.want("a", "", "mine;late;", 2)

	outcomes, gone, lost := d.Replayed([]Received[string]{foreign("a", 14, "14;")}, nil)
	require.Equal(t, []Outcome{Held}, outcomes)
	require.Empty(t, gone)
	require.Equal(t, []Lost[string]{{Pending[string]{2, "late;"}, "a"}}, lost, "the other one is answered")
	d.want("a", "", "", 0)
	require.Equal(t, Held, d.Receive(foreign("a", 15, "15;")))

	require.NoError(t, d.Subscribe("a", &text{"as of 12;"}, 12))
	d.want("a", "as of 12;mine;14;15;", "as of 12;mine;14;15;", 0)
	require.Equal(t, Applied, d.Receive(foreign("a", 16, "16;")))
	require.NoError(t, d.Subscribe("a", &text{"older"}, 11), "it says nothing new")
	d.want("a", "as of 12;mine;14;15;16;", "as of 12;mine;14;15;16;", 0)

	d.Renew("a")
	d.Restarted(map[string]Snapshot[*text]{"a": {State: &text{"anew;"}, Sequence: 3}})
	require.Equal(t, Applied, d.Receive(foreign("a", 4, "4;")), "a new state is no doubtful one")
	d.want("a", "anew;4;", "anew;4;", 0)
}

func TestWhatWasAnsweredIsNotPendingThoughTheAnswerWasDropped(t *testing.T) {
	d := newDesk(t)
	mine := d.send("a", "x")
	d.Renew("a")
	d.Receive(echo("a", 11, "x", mine))
	for i := range int64(maxHeld) {
		d.Receive(foreign("a", 12+i, "-"))
	}
	const seen = 11 + maxHeld
	require.ErrorIs(t, d.Subscribe("a", &text{"old"}, seen-1), ErrSnapshotTooOld)
	require.NoError(t, d.Subscribe("a", &text{"x and more"}, seen))
	v, _ := d.View("a")
	require.Zero(t, v.Pending)
	require.Equal(t, "x and more", v.Optimistic.of)
}
