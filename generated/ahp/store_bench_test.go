// Benchmarks of the store: what somebody else's action costs depends on the pending ones, not on the state's size.

package ahp_test

import (
	"fmt"
	"testing"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// BenchmarkStoreForeign is one streamed piece of text from the host, with actions of the client pending.
func BenchmarkStoreForeign(b *testing.B) {
	sizes := []struct {
		name        string
		turns, text int
	}{{"small", 1, 0}, {"1MB", 100, 1 << 20}}
	for _, pending := range []int{0, 3} {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("pending=%d/state=%s", pending, size.name), func(b *testing.B) {
				b.ReportAllocs()
				var r ahp.Reducer
				delta := &ahp.ChatDeltaAction{TurnID: "t", PartID: "p", Content: deltaText}
				start := r.Chat(streamingChat(size.turns, 4, size.text), delta)
				var s *ahp.Store
				e := &ahp.ActionEnvelope{Channel: chatURI, Action: delta}
				n := 10_000
				for b.Loop() {
					if n == 10_000 { // or the text would be all there is to see
						n, e.ServerSeq, s = 0, 0, pendingStore(b, &r, start, pending)
					}
					n++
					e.ServerSeq++
					if s.Receive(e) != state.Applied {
						b.Fatal("not applied")
					}
				}
			})
		}
	}
}

// pendingStore has a chat with some queued messages that the host has not answered.
func pendingStore(tb testing.TB, r *ahp.Reducer, state *ahp.ChatState, pending int) *ahp.Store {
	tb.Helper()
	s := ahp.NewStore("me", r)
	if err := s.Subscribe(&ahp.Snapshot{Resource: chatURI, State: state}); err != nil {
		tb.Fatal(err)
	}
	for i := range pending {
		queue := &ahp.ChatPendingMessageSetAction{Kind: ahp.PendingMessageKindQueued, ID: fmt.Sprint(i), Message: ahp.Message{Text: "next", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}}
		if _, err := s.Dispatch(chatURI, queue); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// BenchmarkStoreView is what a reader pays.
func BenchmarkStoreView(b *testing.B) {
	b.ReportAllocs()
	s := pendingStore(b, nil, streamingChat(1, 4, 0), 3)
	for b.Loop() {
		if _, ok := s.Chat(chatURI); !ok {
			b.Fatal("not there")
		}
	}
}
