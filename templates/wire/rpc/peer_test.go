// What a connection promises, over every transport.

package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// handler handles messages as they are on the wire.
type handler func(ctx context.Context, m *rpc.Message) (json.RawMessage, error)

func (handler) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, nil) }

func (h handler) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return h(ctx, m)
}

var null = json.RawMessage("null")

// over runs a test over every transport.
func over(t *testing.T, test func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport))) {
	for name, connect := range map[string]func(*testing.T) (a, b rpc.Transport){
		"memory": func(*testing.T) (rpc.Transport, rpc.Transport) {
			a, b := net.Pipe()
			return rpc.Stream(a), rpc.Stream(b)
		},
		"pipes": func(*testing.T) (rpc.Transport, rpc.Transport) {
			fromA, toB := io.Pipe()
			fromB, toA := io.Pipe()
			return rpc.Pipes(fromB, toB), rpc.Pipes(fromA, toA)
		},
		"tcp": func(t *testing.T) (rpc.Transport, rpc.Transport) {
			a, b := sockets(t)
			return rpc.Stream(a), rpc.Stream(b)
		},
		"websocket": webSockets,
	} {
		t.Run(name, func(t *testing.T) { test(t, connect) })
	}
}

// sockets returns the two ends of a TCP connection.
func sockets(t *testing.T) (a, b net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	a, err = net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	b, err = listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = a.Close(), b.Close() })
	return a, b
}

func webSockets(t *testing.T) (a, b rpc.Transport) {
	t.Helper()
	accepted, over := make(chan rpc.Transport, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		socket, err := ws.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		accepted <- socket
		<-over
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	a, err := ws.Dial(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	require.NoError(t, err)
	return a, <-accepted
}

// ends are both ends of a connection; a serves nothing by default.
type ends struct {
	a, b             *rpc.Peer
	aServed, bServed chan error // what Serve of each returned
}

func start(t *testing.T, connect func(*testing.T) (a, b rpc.Transport), o *rpc.Options, a handler, b func(*rpc.Peer) handler) ends {
	t.Helper()
	x, y := connect(t)
	e := ends{rpc.NewPeer(x, o), rpc.NewPeer(y, o), make(chan error, 1), make(chan error, 1)}
	ctx := context.WithoutCancel(t.Context())
	go func() {
		if a == nil {
			e.aServed <- e.a.Serve(ctx, nil)
		} else {
			e.aServed <- e.a.Serve(ctx, a)
		}
	}()
	go func() { e.bServed <- e.b.Serve(ctx, b(e.b)) }()
	t.Cleanup(func() { _, _ = e.a.Close(), e.b.Close() })
	return e
}

// fixed returns a handler that does not need its connection.
func fixed(h handler) func(*rpc.Peer) handler { return func(*rpc.Peer) handler { return h } }

// soon receives, or fails where that takes suspiciously long.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute): // the detector of races makes large messages slow
		t.Fatal("nothing came in a minute")
	}
	return v
}

func number(n int) json.RawMessage { return json.RawMessage(fmt.Sprintf("[%d]", n)) }

func TestBothDirectionsAtOnce(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		e := start(t, connect, nil, func(_ context.Context, m *rpc.Message) (json.RawMessage, error) { return m.Params, nil },
			func(b *rpc.Peer) handler {
				return func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
					return b.Call(ctx, "echo", m.Params) // the answer needs the other side's help
				}
			})
		failed := make(chan error, 50)
		for i := range cap(failed) {
			go func() {
				got, err := e.a.Call(t.Context(), "ask", number(i))
				if err == nil && string(got) != string(number(i)) {
					err = fmt.Errorf("%d: %s", i, got)
				}
				failed <- err
			}()
		}
		for range cap(failed) {
			require.NoError(t, soon(t, failed))
		}
	})
}

func TestMessagesAreTakenInTheOrderInWhichTheyCame(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		const count = 500
		var order []string
		var inside atomic.Int32
		e := start(t, connect, &rpc.Options{Backlog: 3, CallTimeout: -1}, nil, fixed(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			if inside.Add(1) != 1 {
				t.Error("two at a time")
			}
			defer inside.Add(-1)
			if len(order)%7 == 0 {
				time.Sleep(100 * time.Microsecond) // a chance to be overtaken
			}
			order = append(order, m.Method)
			return null, nil
		}))
		var calls sync.WaitGroup
		want := []string{}
		for i := range count {
			name := fmt.Sprint(i)
			want = append(want, name)
			if i%3 > 0 {
				require.NoError(t, e.a.Notify(t.Context(), name, nil))
				continue
			}
			sent := make(chan struct{})
			calls.Go(func() {
				ctx := sentContext{t.Context(), sync.OnceFunc(func() { close(sent) })}
				if _, err := e.a.Call(ctx, name, nil); err != nil {
					t.Error(err)
				}
			})
			soon(t, sent) // a call that is under way, not one that is about to be
		}
		calls.Wait()
		_, err := e.a.Call(t.Context(), "last", nil)
		require.NoError(t, err)
		require.Equal(t, append(want, "last"), order)
	})
}

// sentContext tells when a call starts to wait for its answer.
type sentContext struct {
	context.Context
	waits func()
}

func (c sentContext) Done() <-chan struct{} {
	c.waits()
	return c.Context.Done()
}

func TestAnAnswerComesAfterWhatWasSentBeforeIt(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		var seen atomic.Int64
		e := start(t, connect, nil, func(context.Context, *rpc.Message) (json.RawMessage, error) {
			time.Sleep(20 * time.Microsecond)
			seen.Add(1)
			return nil, nil
		}, func(b *rpc.Peer) handler {
			return func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
				for range 10 {
					if err := b.Notify(ctx, "update", nil); err != nil {
						return nil, err
					}
				}
				return null, nil
			}
		})
		for i := range int64(40) {
			_, err := e.a.Call(t.Context(), "prompt", nil)
			require.NoError(t, err)
			require.Equal(t, 10*(i+1), seen.Load())
		}
	})
}

func TestWhatCameBeforeTheEndIsHandledBeforeIt(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		const count = 2000
		var seen atomic.Int64
		e := start(t, connect, &rpc.Options{Backlog: 10}, nil, fixed(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			if seen.Add(1); ctx.Err() != nil {
				t.Error(m.Method, context.Cause(ctx))
			}
			if seen.Load()%100 == 0 {
				time.Sleep(time.Millisecond)
			}
			return null, nil
		}))
		for range count {
			require.NoError(t, e.a.Notify(t.Context(), "dispatch", nil))
		}
		require.NoError(t, e.a.Close())
		require.NoError(t, soon(t, e.bServed), "an ordinary end is no error")
		require.NoError(t, soon(t, e.aServed))
		require.EqualValues(t, count, seen.Load())
	})
}

func TestAHandlerLetsOthersGoOn(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		release, order := make(chan struct{}), make(chan string, 200)
		e := start(t, connect, nil, nil, fixed(func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			order <- m.Method
			if m.Method == "slow" {
				rpc.Async(ctx)
				rpc.Async(ctx) // once is enough
				<-release
			}
			return null, nil
		}))
		slow := make(chan error, 1)
		go func() {
			_, err := e.a.Call(t.Context(), "slow", nil)
			slow <- err
		}()
		require.Equal(t, "slow", soon(t, order))
		for i := range 100 {
			require.NoError(t, e.a.Notify(t.Context(), fmt.Sprint(i), nil))
		}
		for i := range 100 {
			require.Equal(t, fmt.Sprint(i), soon(t, order), "the order stays")
		}
		_, err := e.a.Call(t.Context(), "quick", nil)
		require.NoError(t, err)
		close(release)
		require.NoError(t, soon(t, slow))
	})
}

func TestAContextThatOutlivesItsHandlerHoldsUpNobody(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		late, later := make(chan context.Context, 1), make(chan error, 1)
		var inside atomic.Int32
		e := start(t, connect, nil, func(context.Context, *rpc.Message) (json.RawMessage, error) { return null, nil },
			func(b *rpc.Peer) handler {
				return func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
					if m.Method == "first" {
						late <- ctx
						return null, nil
					}
					if inside.Add(1) != 1 {
						t.Error("two at a time")
					}
					defer inside.Add(-1)
					rpc.Async(<-late) // another handler's, which has returned
					go func() {
						_, err := b.Call(context.WithoutCancel(ctx), "other", nil)
						later <- err
					}()
					time.Sleep(5 * time.Millisecond)
					return null, nil
				}
			})
		for _, name := range []string{"first", "second"} {
			_, err := e.a.Call(t.Context(), name, nil)
			require.NoError(t, err)
		}
		require.NoError(t, soon(t, later))
	})
}

func TestACallEndsWithItsContextAndTheConnectionLivesOn(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started, release := make(chan struct{}, 1), make(chan struct{})
		e := start(t, connect, nil, nil, fixed(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			if m.Method == "slow" {
				started <- struct{}{}
				<-release
			}
			return null, nil
		}))
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := e.a.Call(ctx, "slow", nil)
			got <- err
		}()
		soon(t, started)
		cancel()
		require.ErrorIs(t, soon(t, got), context.Canceled)
		close(release) // the answer comes late
		_, err := e.a.Call(t.Context(), "quick", nil)
		require.NoError(t, err)
	})
}

func TestErrorsArriveWithCodeMessageAndData(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		own := &rpc.Error{Code: 7, Message: "own words", Data: json.RawMessage(`{"n": 9007199254740993}`)}
		e := start(t, connect, nil, nil, fixed(func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			if m.Method == "half" {
				return json.RawMessage(`{`), nil
			}
			return nil, own
		}))
		_, err := e.a.Call(t.Context(), "x", nil)
		var got *rpc.Error
		require.ErrorAs(t, err, &got)
		require.Equal(t, own, got)
		_, err = e.a.Call(t.Context(), "half", nil)
		require.ErrorIs(t, err, rpc.InternalError, "an answer that cannot be sent")
	})
}

func TestAPeerThatIsGoneEndsCallsAndHandlers(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started, cancelled := make(chan struct{}, 1), make(chan error, 1)
		e := start(t, connect, nil, nil, fixed(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			started <- struct{}{}
			<-ctx.Done()
			cancelled <- context.Cause(ctx)
			return null, nil
		}))
		got := make(chan error, 1)
		go func() {
			_, err := e.a.Call(t.Context(), "wait", nil)
			got <- err
		}()
		soon(t, started)
		require.NoError(t, e.a.Close())
		require.NoError(t, e.a.Close(), "twice does no harm")
		require.ErrorIs(t, soon(t, cancelled), rpc.ErrClosed)
		require.NoError(t, soon(t, e.bServed))
		require.NoError(t, soon(t, e.aServed))
		err := soon(t, got)
		if err != nil { // where the transport goes on in one direction, the answer came
			require.ErrorIs(t, err, rpc.ErrClosed)
		}
		soon(t, e.a.Done())
		_, err = e.a.Call(t.Context(), "more", nil)
		require.ErrorIs(t, err, rpc.ErrClosed)
		require.ErrorIs(t, e.b.Notify(t.Context(), "more", nil), rpc.ErrClosed)
	})
}

func TestAHandlerThatDoesNotReturnHoldsUpTheEndForATimeOnly(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started := make(chan struct{}, 1)
		e := start(t, connect, &rpc.Options{DrainTimeout: 20 * time.Millisecond}, nil, fixed(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			started <- struct{}{}
			<-ctx.Done()
			return null, nil
		}))
		require.NoError(t, e.a.Notify(t.Context(), "wait", nil))
		soon(t, started)
		require.NoError(t, e.a.Close())
		require.NoError(t, soon(t, e.bServed))
	})
}

func TestEndingTheContextOfServeClosesTheConnection(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		x, y := connect(t)
		a, b := rpc.NewPeer(x, nil), rpc.NewPeer(y, nil)
		ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
		served := make(chan error, 2)
		go func() { served <- a.Serve(ctx, nil) }()
		go func() { served <- b.Serve(context.WithoutCancel(t.Context()), nil) }()
		_, err := a.Call(t.Context(), "x", nil)
		require.ErrorIs(t, err, rpc.MethodNotFound)
		cancel()
		require.NoError(t, soon(t, served))
		require.NoError(t, soon(t, served))
	})
}

func TestShutdownAnswersWhatRuns(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started, release := make(chan struct{}, 1), make(chan struct{})
		e := start(t, connect, nil, nil, fixed(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			started <- struct{}{}
			<-release
			return null, nil
		}))
		first, second, down := make(chan error, 1), make(chan error, 1), make(chan error, 1)
		call := func(to chan error) {
			_, err := e.a.Call(context.WithoutCancel(t.Context()), "wait", nil)
			to <- err
		}
		go call(first)
		soon(t, started)
		go func() { down <- e.b.Shutdown(context.WithoutCancel(t.Context())) }()
		require.Eventually(t, func() bool {
			go call(second)
			select {
			case err := <-second:
				return strings.Contains(err.Error(), "shutting down")
			case <-started: // it was still in time
				return false
			}
		}, time.Minute, time.Millisecond)
		close(release)
		require.NoError(t, soon(t, first))
		require.NoError(t, soon(t, down))
	})
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started := make(chan struct{}, 1)
		e := start(t, connect, nil, nil, fixed(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			started <- struct{}{}
			<-ctx.Done()
			return null, nil
		}))
		go func() { _, _ = e.a.Call(context.WithoutCancel(t.Context()), "wait", nil) }()
		soon(t, started)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, e.b.Shutdown(ctx), context.DeadlineExceeded)
		require.NoError(t, soon(t, e.bServed))
	})
}

func TestRequestsBeyondTheLimitAreRefused(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		started, release := make(chan struct{}, 1), make(chan struct{})
		e := start(t, connect, &rpc.Options{MaxRequests: 1}, nil, fixed(func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			started <- struct{}{}
			<-release
			return null, nil
		}))
		first := make(chan error, 1)
		go func() {
			_, err := e.a.Call(t.Context(), "x", nil)
			first <- err
		}()
		soon(t, started)
		_, err := e.a.Call(t.Context(), "y", nil)
		require.ErrorContains(t, err, "too many requests at a time")
		close(release)
		require.NoError(t, soon(t, first))
	})
}

func TestAMessageThatIsTooLargeEndsTheConnection(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		e := start(t, connect, &rpc.Options{MaxMessage: 10_000}, nil, fixed(func(context.Context, *rpc.Message) (json.RawMessage, error) { return null, nil }))
		_, err := e.a.Call(t.Context(), strings.Repeat("x", 9_900), nil)
		require.NoError(t, err)
		_, err = e.a.Call(t.Context(), strings.Repeat("x", 10_000), nil)
		require.ErrorIs(t, err, rpc.ErrClosed)
		require.ErrorIs(t, soon(t, e.bServed), rpc.ErrTooLarge)
	})
}

func TestAPeerThatDoesNotReadIsCutOffAndHoldsUpNobody(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		x, _ := connect(t)
		a := rpc.NewPeer(x, &rpc.Options{MaxUnsent: 1 << 20})
		large := json.RawMessage(`["` + strings.Repeat("x", 100_000) + `"]`)
		began := time.Now()
		var err error
		for i := 0; err == nil && i < 1000; i++ { // the buffers between the two fill up first
			err = a.Notify(t.Context(), "x", large)
		}
		require.ErrorIs(t, err, rpc.ErrClosed)
		require.ErrorContains(t, err, "too far behind")
		require.Less(t, time.Since(began), 5*time.Second)
		soon(t, a.Done())
	})
}

func TestAPeerThatTakesTooLongToReadCountsAsGone(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		x, _ := connect(t)
		a := rpc.NewPeer(x, &rpc.Options{WriteTimeout: 50 * time.Millisecond})
		require.NoError(t, a.Notify(t.Context(), "x", json.RawMessage(`["`+strings.Repeat("x", 20<<20)+`"]`)))
		require.ErrorContains(t, a.Flush(t.Context()), "the peer is not reading")
		require.ErrorIs(t, a.Notify(t.Context(), "x", nil), rpc.ErrClosed)
		soon(t, a.Done())
	})
}

func TestPeersLeaveNothingBehind(t *testing.T) {
	over(t, func(t *testing.T, connect func(*testing.T) (a, b rpc.Transport)) {
		visit := func(t *testing.T) {
			x, y := connect(t)
			a, b := rpc.NewPeer(x, nil), rpc.NewPeer(y, nil)
			served := make(chan error, 2)
			go func() { served <- a.Serve(context.WithoutCancel(t.Context()), nil) }()
			go func() { served <- b.Serve(context.WithoutCancel(t.Context()), nil) }()
			_, err := a.Call(t.Context(), "x", nil)
			require.ErrorIs(t, err, rpc.MethodNotFound)
			require.NoError(t, a.Close())
			require.NoError(t, soon(t, served))
			require.NoError(t, soon(t, served))
		}
		t.Run("first", visit)
		before := runtime.NumGoroutine()
		for range 20 {
			t.Run("again", visit)
		}
		for patience := 0; runtime.NumGoroutine() > before; patience++ {
			if patience == 500 {
				t.Fatalf("%d goroutines more", runtime.NumGoroutine()-before)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

func TestAConnectionThatBreaksIsAnErrorOfServe(t *testing.T) {
	a, b := sockets(t)
	peer := rpc.NewPeer(rpc.Stream(b), nil)
	require.NoError(t, a.(*net.TCPConn).SetLinger(0)) // a reset in place of an end
	served := make(chan error, 1)
	go func() { served <- peer.Serve(context.WithoutCancel(t.Context()), nil) }()
	require.NoError(t, a.Close())
	err := soon(t, served)
	require.Error(t, err)
	_, err = peer.Call(t.Context(), "x", nil)
	require.ErrorIs(t, err, rpc.ErrClosed)
	require.True(t, errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "reset"), err)
}
