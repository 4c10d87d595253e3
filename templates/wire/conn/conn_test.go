// What a kept connection decides by itself. How it keeps one is tested where there is a protocol, in generated/ahp.

package conn

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

func TestWaitsGrowAndDiffer(t *testing.T) {
	c := &Conn{options: Options{MinWait: 100 * time.Millisecond, MaxWait: time.Second}}
	for attempt, most := range map[int]time.Duration{
		1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 3: 400 * time.Millisecond, 4: 800 * time.Millisecond, 5: time.Second, 1_000_000: time.Second,
	} {
		seen := map[time.Duration]bool{}
		for range 100 {
			wait := c.wait(attempt)
			require.LessOrEqual(t, wait, most)
			require.GreaterOrEqual(t, wait, most/2-1)
			seen[wait] = true
		}
		require.Greater(t, len(seen), 10, "clients would come back all at once")
	}
}

func TestAnIdentityUsesNoNumberTwice(t *testing.T) {
	a, n := Identity("", 0)
	b, _ := Identity("", 0)
	require.NotEqual(t, a, b)
	require.Zero(t, n, "nobody has used any")

	id, n := Identity("stored", 41)
	require.Equal(t, "stored", id)
	require.Equal(t, int64(41), n)

	_, first := Identity("stored", 0)
	time.Sleep(time.Millisecond)
	_, second := Identity("stored", 0)
	require.Greater(t, second, first, "a later process")
	require.Less(t, second, int64(1)<<53, "as JSON has it exactly")
}

func TestHostsAreKeptByName(t *testing.T) {
	var h Hosts[int]
	_, ok := h.Of("a")
	require.False(t, ok)
	h.Set("b", 2)
	h.Set("a", 1)
	h.Set("a", 3)
	n, ok := h.Of("a")
	require.True(t, ok)
	require.Equal(t, 3, n)
	require.Equal(t, []string{"a", "b"}, h.Names())
	h.Remove("a")
	require.Equal(t, []string{"b"}, h.Names())
	require.NotEqual(t, Place{"a", "x"}, Place{"b", "x"})
}

func TestBadItemsNameWhatTheyWereAbout(t *testing.T) {
	other := errors.New("other")
	_, err := Salvage(other, "channel")
	require.Equal(t, other, err)
	channels, err := Salvage(&rpc.ItemsError{Items: []rpc.BadItem{
		{Raw: []byte(`{"channel":"a","x":1}`)}, {Raw: []byte(`{"resource":"b"}`)}, {Raw: []byte(`5`)},
	}}, "channel", "resource")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, channels)
}

// handles is a handler in one function.
type handles func(ctx context.Context, m *rpc.Message) (json.RawMessage, error)

func (handles) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (h handles) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return h(ctx, m)
}

// hosted dials a host with a handler, which gets its peer.
func hosted(h func(p *rpc.Peer) handles) func(context.Context) (rpc.Transport, error) {
	return func(context.Context) (rpc.Transport, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		ours, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return nil, err
		}
		theirs, err := l.Accept()
		if err != nil {
			return nil, err
		}
		p := rpc.NewPeer(rpc.Stream(theirs), nil)
		go func() { _ = p.Serve(context.Background(), h(p)) }()
		return rpc.Stream(ours), nil
	}
}

func nothingTaken() (Taken, error) { return Taken{}, nil }

// simplest is a protocol without states.
func simplest() Protocol {
	return Protocol{
		Open: func(ctx context.Context, to rpc.Conn, _ []string, _ bool) (string, Take, error) {
			_, err := to.Call(ctx, "open", nil)
			return "1", nothingTaken, err
		},
		Resume:    func(context.Context, rpc.Conn, []string) (Take, error) { return nothingTaken, nil },
		Subscribe: func(ctx context.Context, _ rpc.Conn, _ string) error { return ctx.Err() },
		Envelope:  "action", Handler: handles(nil), Has: func(string) bool { return true }, Renew: func(string) {}, Drop: func(string) {},
	}
}

var null handles = func(context.Context, *rpc.Message) (json.RawMessage, error) { return json.RawMessage("null"), nil }

func TestASubscribeThatFailsLeavesTheSubscriptionThatThereIs(t *testing.T) {
	p := simplest()
	var failed error
	p.Subscribe = func(context.Context, rpc.Conn, string) error { return failed }
	c, err := Connect(t.Context(), hosted(func(*rpc.Peer) handles { return null }), p, Options{})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.Subscribe(t.Context(), "a"))
	failed = errors.New("not now")
	require.ErrorIs(t, c.Subscribe(t.Context(), "a"), failed)
	require.ErrorIs(t, c.Subscribe(t.Context(), "b"), failed)
	require.Equal(t, []string{"a"}, c.Subscriptions())
}

func TestAWaitIsSkippedFromTheCallbackThatTellsOfIt(t *testing.T) {
	hosts := make(chan *rpc.Peer, 2)
	statuses := make(chan Status, 10)
	told := make(chan *Conn, 1)
	dial := hosted(func(p *rpc.Peer) handles {
		hosts <- p
		return null
	})
	c, err := Connect(t.Context(), dial, simplest(), Options{MinWait: time.Minute, MaxWait: time.Minute, Status: func(s Status) {
		if s.State == Waiting && s.Attempt == 1 {
			(<-told).Retry()
		}
		statuses <- s
	}})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	c.Retry() // while nothing is waited for
	told <- c
	require.NoError(t, (<-hosts).Close())
	require.Eventually(t, func() bool { return (<-statuses).State == Waiting }, time.Minute, time.Millisecond)
	for _, want := range []State{Connecting, Ready} {
		select {
		case s := <-statuses:
			require.Equal(t, want, s.State)
		case <-time.After(10 * time.Second):
			t.Fatal("the wait was not skipped")
		}
	}
	require.NoError(t, (<-hosts).Close())
	require.Equal(t, Waiting, (<-statuses).State)
	select {
	case s := <-statuses:
		t.Fatal("a wait was skipped without being asked: ", s)
	case <-time.After(50 * time.Millisecond):
	}
}

func TestManyActionsThatCannotBeDecodedAskForFewStates(t *testing.T) {
	hosts := make(chan *rpc.Peer, 1)
	p := simplest()
	p.Channel = "channel"
	asked, answer := make(chan bool, 1000), make(chan bool)
	p.Subscribe = func(context.Context, rpc.Conn, string) error {
		asked <- true
		<-answer
		return nil
	}
	bad := errors.New("not decoded")
	p.Handler = handles(func(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, bad })
	told := make(chan error, 1000)
	c, err := Connect(t.Context(), hosted(func(p *rpc.Peer) handles {
		hosts <- p
		return null
	}), p, Options{OnError: func(err error) { told <- err }})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	host := <-hosts
	const many = 100
	for range many {
		require.NoError(t, host.Notify(t.Context(), "action", json.RawMessage(`{"channel":"a"}`)))
	}
	for range many {
		require.ErrorIs(t, <-told, bad)
	}
	<-asked
	require.Never(t, func() bool { return len(asked) > 0 }, 50*time.Millisecond, time.Millisecond, "one at a time")
	answer <- true
	<-asked // since there were more actions after the first
	answer <- true
	require.Never(t, func() bool { return len(asked) > 0 }, 50*time.Millisecond, time.Millisecond)
	require.NoError(t, host.Notify(t.Context(), "action", json.RawMessage(`{"channel":"a"}`)))
	<-asked
	close(answer)
}

func TestAChannelThatIsLeftIsNotFetchedAgain(t *testing.T) {
	p := simplest()
	p.Channel = "channel"
	asked := make(chan string, 10)
	p.Subscribe = func(_ context.Context, _ rpc.Conn, channel string) error {
		asked <- channel
		return nil
	}
	c, err := Connect(t.Context(), hosted(func(*rpc.Peer) handles { return null }), p, Options{})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.Subscribe(t.Context(), "a"))
	require.Equal(t, "a", <-asked)
	peer, err := c.Wait(t.Context())
	require.NoError(t, err)
	c.become(Status{State: Waiting}, nil)
	c.mend(&rpc.Message{Method: "action", Params: json.RawMessage(`{"channel":"a"}`)}, errors.New("not decoded"))
	c.forget("a") // as Unsubscribe does
	c.become(Status{State: Ready}, peer)
	require.Never(t, func() bool { return len(asked) > 0 }, 50*time.Millisecond, time.Millisecond)
	require.Empty(t, c.Subscriptions())
}

// TestNothingIsAppliedBehindWhatWasDropped: more came before the answer to the handshake than is held for it.
func TestNothingIsAppliedBehindWhatWasDropped(t *testing.T) {
	p := simplest()
	applied := 0
	p.Handler = handles(func(context.Context, *rpc.Message) (json.RawMessage, error) {
		applied++
		return nil, nil
	})
	c := &Conn{protocol: p}
	one, _ := net.Pipe()
	to := &taker{p.Handler, c, rpc.NewPeer(rpc.Stream(one), nil)}
	comes := func(n int) {
		for range n {
			_, err := to.ServeRPC(t.Context(), &rpc.Message{Kind: rpc.Notification, Method: p.Envelope})
			require.NoError(t, err)
		}
	}
	c.hold()
	comes(maxHeld + 7)
	require.ErrorIs(t, c.settle(nothingTaken), rpc.ErrClosed)
	require.Zero(t, applied)
	c.hold() // the next connection
	comes(7)
	require.NoError(t, c.settle(nothingTaken))
	require.Equal(t, 7, applied)
}

func TestAConcurrentSubscribeThatFailsLeavesTheOneThatSucceeds(t *testing.T) {
	p := simplest()
	asked := make(chan int, 10)
	var under atomic.Int32
	answer := make(chan error)
	p.Subscribe = func(ctx context.Context, _ rpc.Conn, _ string) error {
		defer under.Add(-1)
		asked <- int(under.Add(1))
		select {
		case err := <-answer:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	c, err := Connect(t.Context(), hosted(func(*rpc.Peer) handles { return null }), p, Options{})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	subscribe := func(ctx context.Context) <-chan error {
		result := make(chan error, 1)
		go func() { result <- c.Subscribe(ctx, "a") }()
		return result
	}
	ctx, cancel := context.WithCancel(t.Context())
	first := subscribe(ctx)
	require.Equal(t, 1, <-asked)
	second := subscribe(t.Context())
	time.Sleep(20 * time.Millisecond)
	cancel()
	require.ErrorIs(t, <-first, context.Canceled)
	require.Equal(t, 1, <-asked, "the other one has seen what the first has left")
	answer <- nil
	require.NoError(t, <-second)
	require.Equal(t, []string{"a"}, c.Subscriptions())
	require.Empty(t, c.trials)
	require.Empty(t, c.fetching)

	c.forget("a")
	first, second = subscribe(t.Context()), subscribe(t.Context())
	failed := errors.New("not now")
	for range 2 {
		<-asked
		answer <- failed
	}
	require.ErrorIs(t, <-first, failed)
	require.ErrorIs(t, <-second, failed)
	require.Empty(t, c.Subscriptions())
	require.Empty(t, c.trials)
}

func TestASubscribeThatEndsWhileThereIsNoConnectionIsForgotten(t *testing.T) {
	p := simplest()
	asked := make(chan bool, 1)
	p.Subscribe = func(_ context.Context, to rpc.Conn, _ string) error {
		asked <- true
		_, err := to.Call(context.Background(), "subscribe", nil)
		return err
	}
	hosts := make(chan *rpc.Peer, 2)
	c, err := Connect(t.Context(), hosted(func(p *rpc.Peer) handles {
		hosts <- p
		return func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			if m.Method == "subscribe" {
				<-ctx.Done()
			}
			return json.RawMessage("null"), nil
		}
	}), p, Options{MinWait: time.Minute, MaxWait: time.Minute})
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- c.Subscribe(ctx, "a") }()
	<-asked
	go func() { _ = (<-hosts).Close() }()
	require.Eventually(t, func() bool { return c.Status().State == Waiting }, 10*time.Second, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	require.Empty(t, c.Subscriptions())
}
