// Benchmarks of reducers: what a streamed delta costs, and what it does not depend on.

package ahp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

const (
	deltas    = 50_000
	deltaText = "twenty bytes of text"
)

// streamingChat is a chat in the middle of a turn: turns that ended, parts of the present one, and text
// in the part that grows.
func streamingChat(turns, parts, text int) *ahp.ChatState {
	s := &ahp.ChatState{Resource: "ahp-chat:/1", Title: "Stream", Status: ahp.SessionStatusInProgress, ActiveTurn: &ahp.ActiveTurn{ID: "t"}}
	for i := range turns {
		s.Turns = append(s.Turns, ahp.Turn{ID: fmt.Sprint("t", i)})
	}
	for i := range parts {
		s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts, &ahp.ReasoningResponsePart{ID: fmt.Sprint("r", i)})
	}
	s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts, &ahp.MarkdownResponsePart{ID: "p", Content: strings.Repeat("x", text)})
	return s
}

// BenchmarkStreamDeltas appends 50,000 deltas of 20 bytes to one part; every state on the way is one
// that somebody could hold.
func BenchmarkStreamDeltas(b *testing.B) {
	b.ReportAllocs()
	delta := &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: deltaText}
	for b.Loop() {
		s := streamingChat(0, 0, 0)
		var r ahp.Reducer
		for range deltas {
			s = r.Chat(s, delta)
		}
		if part := s.ActiveTurn.ResponseParts[0].(*ahp.MarkdownResponsePart); len(part.Content) != deltas*len(deltaText) {
			b.Fatal(len(part.Content))
		}
	}
}

// BenchmarkDelta is one delta onto chats of different sizes.
func BenchmarkDelta(b *testing.B) {
	for _, c := range []struct{ turns, parts, text int }{
		{0, 0, 0}, {1000, 0, 0}, {0, 10, 0}, {0, 100, 0}, {0, 0, 1 << 20}, {1000, 10, 1 << 20},
	} {
		b.Run(fmt.Sprintf("turns=%d/parts=%d/text=%d", c.turns, c.parts, c.text), func(b *testing.B) {
			b.ReportAllocs()
			delta := &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: deltaText}
			var r ahp.Reducer
			start := r.Chat(streamingChat(c.turns, c.parts, c.text), delta)
			s, n := start, 0
			for b.Loop() {
				if s, n = r.Chat(s, delta), n+1; n == 10_000 {
					s, n = start, 0 // or the text would be all there is to see
				}
			}
		})
	}
}
