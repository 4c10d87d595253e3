package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// recorder keeps a line for each event.
type recorder struct {
	mu    sync.Mutex
	lines []string
	about func(*Event) string
}

func (r *recorder) Observe(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, r.about(&e))
}

func (r *recorder) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines
}

// shown is an event without what differs from run to run.
func shown(e *Event) string {
	out := e.Type.String()
	for _, word := range []string{string(e.Kind), e.Label(), string(e.ID)} {
		if word != "" {
			out += " " + word
		}
	}
	if e.Size > 0 {
		out += fmt.Sprintf(" %dB", e.Size)
	}
	if e.Latency > 0 {
		out += " late"
	}
	if e.Code != 0 {
		out += fmt.Sprintf(" code %d", e.Code)
	}
	if e.Err != nil && e.Type != EventReceived {
		out += ": " + e.Err.Error()
	}
	return out
}

func TestAnObserverSeesEachMessage(t *testing.T) {
	for _, c := range []struct {
		name, in, out string
		batches       bool
		want          []string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"open","params":{"text":"a"}}`, `{"jsonrpc":"2.0","id":1,"result":{"text":"x"}}`, false,
			[]string{"received request open 1 62B", "sent result open 1 46B late"}},
		{"failure", `{"jsonrpc":"2.0","id":"é","method":"open","params":{}}`, `-32602`, false,
			[]string{`received request open "é" 55B`, `sent failure open "é" 77B late code -32602`}},
		{"made-up method", `{"jsonrpc":"2.0","id":1,"method":"x-17"}`, `-32601`, false,
			[]string{"received request other 1 40B", "sent failure other 1 87B late code -32601"}},
		{"malformed", `{"jsonrpc":"2.0","id":1,"method":1}`, `-32600`, false,
			[]string{"malformed 1 35B: method: want string, got number (-32600)", "sent failure 1 92B late code -32600"}},
		{"answer to nothing, before a request", `{"jsonrpc":"2.0","id":7,"result":1}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"open","params":{"text":"a"}}`, `"result"`, false,
			[]string{"received result 7 35B", "received request open 1 62B", "sent result open 1 46B late"}},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"open","params":{"text":"a"}},{"jsonrpc":"2.0","method":"note","params":{"text":"b"}},1]`, `"result"`, true,
			[]string{"received request open 1 62B", "received notification note 55B", "malformed 1B: want object, got number (-32600)", "sent result open 1 46B late", "sent failure null 87B late code -32600"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{about: shown}
			ours, theirs := net.Pipe()
			served := make(chan error, 1)
			peer := NewPeer(Stream(theirs), &Options{Observe: r})
			h := &handlers{open: func(_ context.Context, p *noteParams) (*noteParams, error) { return &noteParams{"x"}, nil }, note: func(context.Context, *noteParams) {}}
			var handler Handler = h
			if c.batches {
				handler = batched{h}
			}
			go func() { served <- peer.Serve(context.Background(), handler) }()
			go func() { _, _ = ours.Write([]byte(c.in + "\n")) }()
			got, err := bufio.NewReader(ours).ReadString('\n')
			check(t, err, error(nil))
			if !strings.Contains(got, c.out) {
				t.Errorf("%s, want %s", got, c.out)
			}
			_ = ours.Close()
			<-served
			lines := r.all()
			check(t, lines[0], "opened")
			check(t, strings.HasPrefix(lines[len(lines)-1], "ended"), true)
			check(t, lines[1:len(lines)-1], c.want)
		})
	}
}

// observed connects two peers.
func observed(t *testing.T, o *Options, h Handler) (ours, theirs *Peer) {
	t.Helper()
	a, b := net.Pipe()
	ours, theirs = NewPeer(Stream(a), o), NewPeer(Stream(b), nil)
	var both sync.WaitGroup
	both.Go(func() { _ = ours.Serve(context.Background(), nil) })
	both.Go(func() { _ = theirs.Serve(context.Background(), h) })
	t.Cleanup(func() {
		_ = ours.Close()
		both.Wait()
	})
	return ours, theirs
}

func TestAnObserverSeesCallsAndTheirAnswers(t *testing.T) {
	r := &recorder{about: shown}
	h := &handlers{open: func(context.Context, *noteParams) (*noteParams, error) { return &noteParams{"x"}, nil }, note: func(context.Context, *noteParams) {}}
	peer, _ := observed(t, &Options{Observe: r}, h)
	ctx := context.Background()
	_, err := peer.Call(ctx, "open", raw(`{"text":"a"}`))
	check(t, err, error(nil))
	_, err = peer.Call(ctx, "x", nil)
	check(t, err != nil, true)
	check(t, peer.Notify(ctx, "note", raw(`{"text":"a"}`)), error(nil))
	check(t, peer.SendNotification("note", []byte(`{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}`), Now()-int64(time.Second)), error(nil))
	check(t, peer.Close(), error(nil))
	got := slices.DeleteFunc(slices.Clone(r.all()), func(line string) bool {
		return !strings.HasPrefix(line, "sent") && !strings.HasPrefix(line, "received")
	})
	slices.Sort(got) // the answer may be read before the request is known to be written
	check(t, got, []string{
		"received failure x 2 84B late code -32601", "received result open 1 46B late",
		"sent notification note 55B", "sent notification note 55B late", "sent request open 1 62B", "sent request x 2 37B",
	})
	peer.mu.Lock()
	defer peer.mu.Unlock()
	check(t, len(peer.observing.calls), 0, "answered calls are forgotten")
}

func TestAnObserverThatPanicsEndsNoConnection(t *testing.T) {
	var mu sync.Mutex
	var bad []error
	o := &Options{Observe: &recorder{about: func(*Event) string { panic("observe this") }}, OnBad: func(err error) {
		mu.Lock()
		defer mu.Unlock()
		bad = append(bad, err)
	}}
	peer, _ := observed(t, o, &handlers{open: func(context.Context, *noteParams) (*noteParams, error) { return &noteParams{"x"}, nil }})
	for range 3 {
		_, err := peer.Call(context.Background(), "open", raw(`{"text":"a"}`))
		check(t, err, error(nil))
	}
	mu.Lock()
	defer mu.Unlock()
	var panicked *ObserverError
	check(t, errors.As(bad[0], &panicked), true)
	check(t, text(panicked), "the observer panicked: observe this")
}

func TestAnObserverSeesWhatIsRefusedAndCut(t *testing.T) {
	r := &recorder{about: shown}
	ours, theirs := net.Pipe()
	peer := NewPeer(Stream(theirs), &Options{Observe: r, MaxUnsent: 100, GreetingTimeout: time.Hour})
	served := make(chan error, 1)
	go func() { served <- peer.Serve(context.Background(), nil) }()
	for len(r.all()) == 0 {
		time.Sleep(time.Millisecond)
	}
	for range 3 { // not read
		_ = peer.Send([]byte(strings.Repeat(" ", 90)))
	}
	<-served
	_ = ours.Close()
	check(t, r.all(), []string{"opened", "cut: the peer is too far behind: 90 bytes are queued", "ended: the peer is too far behind: 90 bytes are queued"})
}

func TestWithoutAnObserverNothingIsMeasured(t *testing.T) {
	a, _ := net.Pipe()
	peer := NewPeer(Stream(a), nil)
	check(t, peer.observing == nil, true)
	check(t, peer.Number(), uint64(0))
	check(t, EventFailed.String(), "failed")
	check(t, EventType(200).String(), "200")
}

// Two times of a clock that can be set may lie hours apart, or in the wrong order. The reading of a clock that cannot be set has
// nothing to do with the date.
func TestTimesAreNotThoseOfTheWallClock(t *testing.T) {
	first := Now()
	check(t, first > 0 && time.Duration(first) < 365*24*time.Hour, true)
	time.Sleep(time.Millisecond)
	check(t, Now()-first >= int64(time.Millisecond), true)

	peer := NewPeer(nil, &Options{Silence: time.Minute})
	peer.heard()
	check(t, time.Duration(Now()-peer.lastHeard.Load()) < time.Minute, true)
}

// tally is an observer that counts.
type tally struct {
	recorder
	sent []Sent
}

func (c *tally) CountSent(m Sent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, m)
}

func TestACounterIsToldOfSentMessagesOnly(t *testing.T) {
	c := &tally{recorder: recorder{about: shown}}
	noted := make(chan struct{}, 2)
	ours, _ := observed(t, &Options{Observe: c}, &handlers{
		open: func(context.Context, *noteParams) (*noteParams, error) { return &noteParams{"x"}, nil },
		note: func(context.Context, *noteParams) { noted <- struct{}{} },
	})
	data, made := []byte(`{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}`), Now()-int64(time.Hour)
	for range 2 { // as to two peers
		check(t, ours.SendNotification("note", data, made), error(nil))
		<-noted
	}
	_, err := ours.Call(context.Background(), "open", []byte(`{"text":"b"}`))
	check(t, err, error(nil))
	check(t, ours.Flush(context.Background()), error(nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	check(t, len(c.sent), 3)
	for i, want := range []Sent{{Kind: Notification, Method: "note", Known: true, Size: len(data)}, {Kind: Notification, Method: "note", Known: true, Size: len(data)}, {Kind: Request, Method: "open", Known: true, Size: 62}} {
		got := c.sent[i]
		check(t, got.Latency > time.Hour, i < 2)
		got.Latency, got.Queued, got.QueuedBytes = 0, 0, 0 // which depend on when it was written
		check(t, got, want)
	}
	check(t, slices.ContainsFunc(c.lines, func(line string) bool { return strings.HasPrefix(line, "sent") }), false)
	check(t, slices.ContainsFunc(c.lines, func(line string) bool { return strings.HasPrefix(line, "received result open 1") }), true)
}
