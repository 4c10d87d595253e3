// A simulation of one host and several clients with stores. Actions, answers and snapshots cross each other in every
// order that connections allow, connections break, and in the end everybody has to know the same.

package ahp_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

var seeds = flag.Int("seeds", 50, "how many simulations to run, the first one with -seed")

// simulation is one run. All its choices come from one source: the same seed makes the same run.
type simulation struct {
	*random
	host    *simHost
	clients []*simClient
	kinds   map[string]channel // of URIs that there are or were
	count   map[string]int     // how often things have happened
	failure string             // what went wrong first
	step    int
}

func newSimulation(tb testing.TB, source rand.Source) *simulation {
	tb.Helper()
	s := &simulation{random: newRandom(tb, source), kinds: map[string]channel{}, count: map[string]int{}}
	now := newClock().now // it stands still: stamps are equal whoever makes them
	s.host = &simHost{
		sim: s, reducer: &ahp.Reducer{Now: now}, channels: map[string]*hostChannel{},
		sequence: int64(s.IntN(3)), logSize: oneOf(s.random, 3, 10, 40, 1000), tellAll: s.chance(50),
	}
	for i := range 2 + s.IntN(4) {
		kind := channelOf(tb, oneOf(s.random, "session", "chat", "chat", "terminal", "annotations", "changeset"))
		uri := fmt.Sprintf("%s:/%d", kind.name, i)
		s.kinds[uri] = kind
		s.host.open(uri, kind)
	}
	for i := range 2 + s.IntN(7) {
		id := fmt.Sprint("client", i)
		c := &simClient{
			sim: s, id: id, store: ahp.NewStore(id, &ahp.Reducer{Now: now}), ready: true,
			record: map[string]*record{}, waiting: map[string][]int64{}, asked: map[string]int{}, watched: map[string]<-chan ahpViews{},
		}
		c.conn = &connection{client: c, subscribed: map[string]bool{}}
		s.host.connections = append(s.host.connections, c.conn)
		s.clients = append(s.clients, c)
	}
	return s
}

// fail notes what went wrong first.
func (s *simulation) fail(format string, args ...any) {
	if s.failure == "" {
		s.failure = fmt.Sprintf("step %d: ", s.step) + fmt.Sprintf(format, args...)
	}
}

// reference is the host's state at a sequence number, with nothing shared with any store.
func (s *simulation) reference(c *hostChannel, sequence int64) ahp.SnapshotState {
	state, err := c.kind.decode(c.at(sequence))
	if err != nil {
		s.fail("%v", err)
	}
	return state.(ahp.SnapshotState)
}

// run takes steps, then lets everything settle.
func (s *simulation) run(steps int) (failure string) {
	for ; s.step < steps && s.failure == ""; s.step++ {
		s.next()
	}
	for range 3 { // whoever has no answer comes back for it, perhaps to be told about a channel that is gone
		s.drain()
		for _, c := range s.clients {
			if s.failure == "" && c.unsettled() {
				if c.conn != nil {
					c.disconnect()
				}
				c.reconnect()
			}
		}
	}
	for _, c := range s.clients {
		if s.failure == "" {
			c.settled()
		}
	}
	return s.failure
}

// next lets something happen.
func (s *simulation) next() {
	c := oneOf(s.random, s.clients...)
	switch {
	case s.chance(8):
		s.host.act()
	case len(s.host.deferred) > 0 && s.chance(10):
		s.host.decideLate()
	case len(s.host.channels) > 2 && s.chance(1) && s.chance(30):
		delete(s.host.channels, oneOf(s.random, s.host.uris()...))
		s.count["closed"]++
	case s.chance(25):
		c.act()
	case len(c.late) > 0 && s.chance(30):
		c.handleLate()
	case c.conn != nil && len(c.conn.up) > 0 && s.chance(50):
		s.host.handle(c.conn)
	case c.conn != nil && len(c.conn.down) > 0:
		c.handle()
	}
}

// drain delivers everything that is on its way.
func (s *simulation) drain() {
	for busy := true; busy && s.failure == ""; {
		busy = false
		for len(s.host.deferred) > 0 {
			s.host.decideLate()
			busy = true
		}
		for _, c := range s.clients {
			for ; c.conn != nil && len(c.conn.up) > 0; busy = true {
				s.host.handle(c.conn)
			}
			for ; c.conn != nil && len(c.conn.down) > 0; busy = true {
				c.handle()
			}
			for ; len(c.late) > 0; busy = true {
				c.handleLate()
			}
		}
	}
}

// unsettled reports whether a client waits for what only a new connection brings.
func (c *simClient) unsettled() bool {
	return c.conn == nil || slices.ContainsFunc(c.has(), func(uri string) bool {
		return c.sim.host.channels[uri] == nil || len(c.record[uri].pending) > 0
	})
}

// TestSimulation runs one simulation for each seed; to see one again, give its seed and -seeds 1.
func TestSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: this test tries often")
	}
	total := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+uint64(*seeds); seed++ {
		s := newSimulation(t, rand.NewPCG(seed, 3))
		if failure := s.run(250 + s.IntN(500)); failure != "" {
			t.Fatalf("-run TestSimulation -seed %d -seeds 1: %s", seed, failure)
		}
		for what, n := range s.count {
			total[what] += n
		}
	}
	t.Log(total)
	if *seeds < 50 {
		return
	}
	// Without this, agreement could come from runs in which nothing ever crosses anything.
	for _, what := range []string{
		"dispatched", "rejected", "dropped", "disconnects", "replays", "restarts", "closed",
		string(state.Applied), string(state.Confirmed), string(state.Refused), string(state.Stale), string(state.Held), string(state.UnknownChannel),
	} {
		if total[what] < *seeds/10 {
			t.Errorf("only %d %s in %d simulations", total[what], what, *seeds)
		}
	}
}

// The same seed has to make the same run, or a failure could not be seen again.
func TestSimulationIsReproducible(t *testing.T) {
	trace := func() string {
		s := newSimulation(t, rand.NewPCG(7, 3))
		failure := s.run(400)
		var b strings.Builder
		fmt.Fprintln(&b, failure, s.host.sequence, s.count)
		for _, c := range s.clients {
			for _, uri := range c.has() {
				view, _ := c.store.View(uri)
				fmt.Fprintf(&b, "%s %s %s\n", c.id, uri, encode(t, view.Optimistic))
			}
		}
		return b.String()
	}
	if first, second := trace(), trace(); first != second {
		t.Errorf("two runs of one seed differ:\n%s\n%s", first, second)
	}
}
