// States never change once they are made: not through later actions, not through branches that grow from one
// state, and not while somebody reads them.

package ahp_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire"
)

// moment is a state with its encoding at the time it was made.
type moment struct {
	state   wire.Appender
	encoded []byte
}

type history []moment

func (h *history) add(tb testing.TB, s wire.Appender) wire.Appender {
	tb.Helper()
	*h = append(*h, moment{s, encode(tb, s)})
	return s
}

func (h *history) requireUnchanged(tb testing.TB) {
	tb.Helper()
	for i, m := range *h {
		if now := encode(tb, m.state); !bytes.Equal(m.encoded, now) {
			tb.Fatalf("state %d has changed: %s", i, strings.Join(differences(plain(tb, m.encoded), plain(tb, now)), "\n"))
		}
	}
}

func TestStatesAreImmutable(t *testing.T) {
	reducer := &ahp.Reducer{Now: newClock().now} // one for all, so that whatever it keeps meets every state
	t.Run("cases", func(t *testing.T) {
		var h history
		for _, f := range cases(t) {
			c := channelOf(t, f.channel)
			s := h.add(t, newState(t, c, f.initial))
			for _, action := range f.actions {
				s = h.add(t, c.reduce(reducer, s, newAction(t, action)))
			}
		}
		h.requireUnchanged(t)
	})
	t.Run("random sequences", func(t *testing.T) {
		for seed := range uint64(200) {
			r := newRandom(t, rand.NewPCG(seed, 1))
			c := r.channel()
			var h history
			s := h.add(t, r.state(c))
			for range stepsPerSequence {
				if r.chance(20) { // go back, and let another branch grow from there
					s = oneOf(r, h...).state
				}
				s = h.add(t, c.reduce(reducer, s, r.action(c, plain(t, encode(t, s)))))
			}
			h.requireUnchanged(t)
		}
	})
	t.Run("streamed text", func(t *testing.T) {
		var h history
		s := chatWithText(t)
		for i := range 300 {
			if i%50 == 49 {
				s = h[i-10].state.(*ahp.ChatState)
			}
			s = reducer.Chat(s, &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: string(rune('a' + i%26))})
			h.add(t, s)
		}
		h.requireUnchanged(t)
	})
}

// chatWithText has one open turn, t, with one piece of text, p.
func chatWithText(tb testing.TB) *ahp.ChatState {
	tb.Helper()
	s, err := ahp.Decode[ahp.ChatState]([]byte(`{"resource":"x:/a","title":"","status":8,"modifiedAt":"","turns":[],
		"activeTurn":{"id":"t","startedAt":"","message":{"text":"","origin":{"kind":"user"}},
			"responseParts":[{"kind":"markdown","id":"p","content":"-"}]}}`))
	require.NoError(tb, err)
	return s
}

func streamedText(s *ahp.ChatState) string {
	return s.ActiveTurn.ResponseParts[0].(*ahp.MarkdownResponsePart).Content
}

// TestOldStatesAreReadConcurrently is for the race detector: two branches grow from one state, piece of text by
// piece, while others read what has been made so far.
func TestOldStatesAreReadConcurrently(t *testing.T) {
	const pieces = 400
	type reading struct {
		state *ahp.ChatState
		text  string
	}
	states := make(chan reading, 16)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			var kept []reading
			for r := range states {
				kept = append(kept, r)
				for _, old := range []reading{r, kept[len(kept)/2], kept[0]} {
					if got := streamedText(old.state); got != old.text {
						t.Errorf("text of an old state: want %q, got %q", old.text, got)
					}
					if _, err := old.state.AppendJSON(nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	reducer := &ahp.Reducer{}
	root := chatWithText(t)
	left, right := root, root
	for i := range pieces {
		left = reducer.Chat(left, &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: "l"})
		states <- reading{left, "-" + strings.Repeat("l", i+1)}
		right = reducer.Chat(right, &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: "rr"})
		states <- reading{right, "-" + strings.Repeat("rr", i+1)}
	}
	close(states)
	readers.Wait()
	require.Equal(t, "-", streamedText(root))
}

// TestStatesAreReadWhileOthersAreMade is for the race detector, too: all actions of all channels make states, from the latest
// one or from an older one, while others go on reading those that there are.
func TestStatesAreReadWhileOthersAreMade(t *testing.T) {
	made := make(chan moment, 64)
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			var kept []moment
			for m := range made {
				kept = append(kept, m)
				for _, old := range []moment{m, kept[len(kept)/2]} {
					if now, err := old.state.AppendJSON(nil); err != nil || !bytes.Equal(now, old.encoded) {
						t.Errorf("a state has changed: %v\n%s\n%s", err, old.encoded, now)
					}
				}
			}
		})
	}
	reducer := &ahp.Reducer{Now: newClock().now}
	for seed := range uint64(10 * len(channels)) {
		r := newRandom(t, rand.NewPCG(seed, 3))
		c := channels[seed%uint64(len(channels))]
		var h history
		s := h.add(t, r.state(c))
		for range stepsPerSequence {
			if r.chance(20) {
				s = oneOf(r, h...).state
			}
			s = h.add(t, c.reduce(reducer, s, r.action(c, plain(t, encode(t, s)))))
			made <- h[len(h)-1]
		}
	}
	close(made)
	readers.Wait()
}

func TestUnknownActionsChangeNothing(t *testing.T) {
	for _, c := range channels {
		t.Run(c.name, func(t *testing.T) {
			r := newRandom(t, rand.NewPCG(1, 2))
			for range 20 {
				s := r.state(c)
				before := encode(t, s)
				for _, kind := range []string{c.name + "/fromTheFuture", "future", ""} {
					a := &ahp.UnknownStateAction{Type: ahp.ActionType(kind), Raw: []byte(`{"type":"` + kind + `","turnId":"a"}`)}
					require.Same(t, s, c.reduce(&ahp.Reducer{}, s, a))
				}
				require.Equal(t, string(before), string(encode(t, s)))
			}
		})
	}
}
