// The reducers against the reference, on fixtures and on random sequences of actions.

package ahp_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

var (
	firstSeed = flag.Uint64("seed", 1, "seed of the first random sequence of actions, and of the first simulation")
	sequences = flag.Int("sequences", 100, "how many random sequences of actions to run")
)

// clock stands still until it is told to go on. It is in no convenient zone and carries more than milliseconds,
// both of which must not show in a state.
type clock struct{ at time.Time }

func newClock() *clock {
	return &clock{time.UnixMilli(9999).Add(999_999).In(time.FixedZone("", 19800))}
}

func (c *clock) now() time.Time { return c.at }

func (c *clock) tick() { c.at = c.at.Add(time.Second) }

func (c *clock) text() string {
	ms := c.at.UnixMilli()
	return fmt.Sprintf("1970-01-01T%02d:%02d:%02d.%03dZ", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// pair is one state held twice, for the reducers and for the reference, with what is needed to go on.
type pair struct {
	channel channel
	reducer *ahp.Reducer
	clock   *clock
	state   wire.Appender
	encoded []byte
	plain   jsonObject
}

func newPair(tb testing.TB, c channel, state wire.Appender) *pair {
	tb.Helper()
	p := &pair{channel: c, clock: newClock(), state: state, encoded: encode(tb, state)}
	p.reducer = &ahp.Reducer{Now: p.clock.now}
	p.plain = plain(tb, p.encoded)
	return p
}

// step applies one action to both and says what is wrong afterwards.
func (p *pair) step(tb testing.TB, a ahp.StateAction) (problems []string) {
	tb.Helper()
	next, panicked := p.reduce(a)
	if panicked != "" {
		return []string{panicked}
	}
	encoded := encode(tb, next)
	want := refer(p.plain, plain(tb, encode(tb, a)), p.clock.text())
	problems = differences(want, plain(tb, encoded))
	if !bytes.Equal(p.encoded, encode(tb, p.state)) {
		problems = append(problems, "the old state has changed")
	}
	// The other way around, a new pointer to an equal state is fine: most rules do not compare before they set.
	if identical(want, p.plain) && next != p.state {
		problems = append(problems, "nothing to do, yet a new pointer")
	}
	p.state, p.encoded, p.plain = next, encoded, want
	p.clock.tick()
	return problems
}

func (p *pair) reduce(a ahp.StateAction) (next wire.Appender, panicked string) {
	defer func() {
		if v := recover(); v != nil {
			panicked = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return p.channel.reduce(p.reducer, p.state, a), ""
}

func TestReducersAgreeWithReferenceOnCases(t *testing.T) {
	for _, f := range cases(t) {
		t.Run(f.name, func(t *testing.T) {
			c := channelOf(t, f.channel)
			p := newPair(t, c, newState(t, c, f.initial))
			for i, action := range f.actions {
				a := newAction(t, action)
				if problems := p.step(t, a); problems != nil {
					t.Fatalf("action %d: %s\n%s", i, encode(t, a), strings.Join(problems, "\n"))
				}
			}
		})
	}
}

// TestReducersAgreeWithReference runs one sequence for each seed; to see one again, give its seed and
// -sequences 1.
func TestReducersAgreeWithReference(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+uint64(*sequences); seed++ {
		if failure := agree(t, rand.NewPCG(seed, 0), stepsPerSequence); failure != "" {
			t.Fatalf("-seed %d -sequences 1: %s", seed, failure)
		}
	}
}

// agree makes a state and a sequence of actions out of a source, and tells where the two part.
func agree(tb testing.TB, source rand.Source, steps int) (failure string) {
	tb.Helper()
	r := newRandom(tb, source)
	c := r.channel()
	p := newPair(tb, c, r.state(c))
	for i := range steps {
		a := r.action(c, p.plain)
		before := p.encoded
		if problems := p.step(tb, a); problems != nil {
			return fmt.Sprintf("%s, step %d\naction: %s\n%s\nstate before: %s", c.name, i, encode(tb, a), strings.Join(problems, "\n"), before)
		}
	}
	return ""
}

// choices makes one random choice out of each byte; when they are used up, it goes on by itself.
type choices struct {
	bytes []byte
	then  *rand.PCG
}

func (c *choices) Uint64() uint64 {
	n := c.then.Uint64()
	if len(c.bytes) > 0 {
		n = uint64(c.bytes[0])<<56 | n>>8
		c.bytes = c.bytes[1:]
	}
	return n
}

// FuzzReducers: the first eight bytes are a seed, the others decide what is made until they are used up.
func FuzzReducers(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(binary.BigEndian.AppendUint64(nil, seed))
		f.Add(append(binary.BigEndian.AppendUint64(nil, seed), bytes.Repeat([]byte{byte(seed) * 32, 0, 200}, 40)...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seed := make([]byte, 8)
		rest := data[copy(seed, data):]
		source := &choices{bytes: rest, then: rand.NewPCG(binary.BigEndian.Uint64(seed), 0)}
		if failure := agree(t, source, 10); failure != "" {
			t.Fatal(failure)
		}
	})
}
