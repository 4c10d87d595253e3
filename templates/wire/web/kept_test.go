package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// only returns the one session of a handler.
func (h *Sessions) only() (s *session) {
	h.each(func(one *session) { s = one })
	return s
}

// balanced checks that the bytes which count as kept are those of the messages of all streams.
func (s *session) balanced(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := int64(0)
	for _, st := range s.all() {
		want += st.bytes()
	}
	check(t, s.kept, want)
}

// TestAnAnswerIsKeptUntilItsRequestTakesIt has more requests begin than streams are kept, before the answer to the first is sent.
func TestAnAnswerIsKeptUntilItsRequestTakesIt(t *testing.T) {
	s := newSession("s", rpc.Principal{}, 10_000)
	s.idleAfter(time.Hour)
	st := s.expect([]string{"1"}, false)
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%q}`, strings.Repeat("x", 500))
	check(t, s.Write(rpc.WithRequest(t.Context(), raw("1")), []byte(answer)), nil)
	for i := range maxStreams {
		s.expect([]string{fmt.Sprint(i + 2)}, false)
	}
	check(t, s.kept, int64(len(answer)))
	got, _, _ := s.only(st, false)
	check(t, string(got), answer)
	check(t, s.kept, int64(0))
	s.abandon(st)
	check(t, s.kept, int64(0), "what is dropped is subtracted once")
}

// TestWhatIsKeptIsCounted has streams that were sent make room for others.
func TestWhatIsKeptIsCounted(t *testing.T) {
	s := newSession("s", rpc.Principal{}, 1<<20)
	s.idleAfter(time.Hour)
	var streams []*stream
	for i := range 2 * maxStreams {
		id := fmt.Sprint(i + 1)
		st := s.expect([]string{id}, false)
		streams = append(streams, st)
		turn, _ := s.attach(st, -1)
		check(t, s.Write(rpc.WithRequest(t.Context(), raw(id)), []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":5}`)), nil)
		s.detach(st, turn)
	}
	check(t, len(s.streams), maxStreams)
	s.balanced(t)
	for _, st := range streams {
		s.abandon(st)
	}
	check(t, s.kept, int64(0))
}

func TestNothingIsKeptOfManyAnswers(t *testing.T) {
	big := raw(fmt.Sprintf("%q", strings.Repeat("x", 5000)))
	h := peers(serving{"initialize": initialized, "big": func(context.Context, *rpc.Message) (json.RawMessage, error) { return big, nil }}, nil)
	h.MaxKept = 100_000
	url := serve(t, h)
	id, _ := opened(t, url)
	var all sync.WaitGroup
	for g := range 3 * maxStreams {
		all.Add(1)
		go func() {
			defer all.Done()
			status, body := say(t.Context(), t, url, id, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"big"}`, g+10), "application/json")
			check(t, status, http.StatusOK)
			check(t, len(body) > 5000, true, body)
		}()
	}
	all.Wait()
	h.only().balanced(t)
	check(t, h.only().kept, int64(0))
}

// TestARequestThatWasGivenUpMayBeSentAgain has a client leave before the server has read its request.
func TestARequestThatWasGivenUpMayBeSentAgain(t *testing.T) {
	release := make(chan struct{})
	h := &Sessions{Dialect: streamable, Serve: func(ctx context.Context, tr rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(tr, &rpc.Options{Backlog: 1}).Serve(ctx, serving{"initialize": initialized, "echo": echo, "block": func(context.Context, *rpc.Message) (json.RawMessage, error) {
			<-release
			return nil, nil
		}})
	}}
	url := serve(t, h)
	id, _ := opened(t, url)
	for range 3 { // one is handled, one waits for that, and one for room
		status, _ := say(t.Context(), t, url, id, `{"jsonrpc":"2.0","method":"block"}`, "application/json")
		check(t, status, http.StatusAccepted)
	}
	request := strings.Replace(call, `"id":1`, `"id":7`, 1)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	status, _ := say(ctx, t, url, id, request, "application/json")
	check(t, status, 0)
	s := h.only()
	eventually(t, "nothing is kept of it", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.waiting) == 0 && len(s.streams) == 0
	})
	close(release)
	status, answer := say(t.Context(), t, url, id, request, "application/json")
	check(t, status, http.StatusOK)
	check(t, answer, `{"jsonrpc":"2.0","id":7,"result":[1]}`)
}
