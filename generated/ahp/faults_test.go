// Faults: what a client is told if what it has connected to is no host, is stopped, or has another connection of its id.

package ahp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

// listener accepts connections over TCP, each of which f serves.
func listener(t *testing.T, f func(net.Conn)) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f(c)
		}
	}()
	return l.Addr().String()
}

func dialing(address string) func(context.Context) (rpc.Transport, error) {
	return func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return rpc.Stream(c), nil
	}
}

// saying answers whatever comes first, and keeps the connection.
func saying(answer string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = bufio.NewReader(c).ReadString('\n')
		_, _ = io.WriteString(c, answer)
	}
}

// TestWhatIsNoHostIsToldAtOnce does not wait for the end of the handshake, for which there are 30 seconds.
func TestWhatIsNoHostIsToldAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: http.NotFoundHandler(), ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	deep := `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}\n"
	for what, c := range map[string]struct{ address, want string }{
		"an HTTP server":  {l.Addr().String(), `received "HTTP/1.1 400 Bad Request`},
		"another service": {listener(t, saying("220 mail.example.com ESMTP\r\n")), `received "220 mail.example.com ESMTP`},
		"bytes":           {listener(t, saying("\x00\x01\x02\xff\n")), `received "\x00\x01\x02`},
		"another id":      {listener(t, saying(`{"jsonrpc":"2.0","id":99,"result":{}}`+"\n")), "answer with id 99 to no request"},
		"an error for no request": {
			listener(t, saying(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what is this?"}}`+"\n")), "what is this? (-32700)",
		},
		"nesting": {listener(t, saying(deep)), `received "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[[[`},
	} {
		start := time.Now()
		_, err := ahp.Connect(within(t), dialing(c.address), nil)
		require.ErrorContains(t, err, "the peer does not speak the protocol: ", what)
		require.ErrorContains(t, err, c.want, what)
		require.NotErrorIs(t, err, context.DeadlineExceeded, what)
		require.Less(t, time.Since(start), 10*time.Second, what)
	}
}

func TestTheCauseOfAnAttemptIsKept(t *testing.T) {
	cause := errors.New("the user has changed his mind")
	quiet := listener(t, func(net.Conn) {})
	for _, dial := range []func(context.Context) (rpc.Transport, error){
		dialing(quiet),
		func(ctx context.Context) (rpc.Transport, error) { // hangs
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
		_, err := ahp.Connect(ctx, dial, nil)
		require.ErrorIs(t, err, cause)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// known dials a host whose connections are all of one principal, to which ids belong.
func known(t *testing.T) func(context.Context) (rpc.Transport, error) {
	t.Helper()
	s, _ := hosting(t, nil)
	return dialing(listener(t, func(c net.Conn) {
		_ = s.Serve(rpc.WithPrincipal(context.WithoutCancel(t.Context()), rpc.Principal{Name: "alice"}), rpc.Stream(c))
	}))
}

// deaf is a connection from which nothing comes any more, and whose end the other side does not notice.
type deaf struct{ net.Conn }

func (d deaf) Close() error { return d.SetReadDeadline(time.Unix(1, 0)) }

// TestAnAttemptThatWasGivenUpDoesNotEndAClient: a host reads what a client sent it long ago, and takes it for a newer connection than
// the one that the client has meanwhile.
func TestAnAttemptThatWasGivenUpDoesNotEndAClient(t *testing.T) {
	s, _ := hosting(t, nil)
	var dialed, served atomic.Int32
	paused := make(chan struct{})
	var first net.Conn
	address := listener(t, func(c net.Conn) {
		if served.Add(1) == 2 {
			<-paused
		}
		_ = s.Serve(rpc.WithPrincipal(context.WithoutCancel(t.Context()), rpc.Principal{Name: "alice"}), rpc.Stream(c))
	})
	ready := make(chan struct{}, 100)
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		switch dialed.Add(1) {
		case 1:
			first = c
		case 2:
			c = deaf{c}
		}
		return rpc.Stream(c), nil
	}, &ahp.ConnOptions{ClientID: "me", Keep: conn.Options{
		MinWait: time.Millisecond, MaxWait: 5 * time.Millisecond, Handshake: 200 * time.Millisecond,
		Status: func(s conn.Status) {
			if s.State == conn.Ready {
				ready <- struct{}{}
			}
		},
	}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	<-ready
	require.NoError(t, first.Close())
	<-ready // by the third one
	close(paused)
	<-ready // the second one has replaced it
	require.NoError(t, c.Dispatch(within(t), sessionChannel, titled("still here")))
	require.Eventually(t, func() bool {
		now, _ := s.State(sessionChannel)
		return now.(*ahp.SessionState).Title == "still here"
	}, time.Minute, time.Millisecond)
	require.Greater(t, dialed.Load(), int32(3))
}

// TestTwoConnectionsOfOneID: the later one goes on, and the earlier one says what has happened, keeps its channels and does
// not come back to replace the other one.
func TestTwoConnectionsOfOneID(t *testing.T) {
	dial := known(t)
	statuses := make(chan conn.Status, 100)
	first, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{ClientID: "me", Keep: conn.Options{Status: func(s conn.Status) { statuses <- s }}})
	require.NoError(t, err)
	require.NoError(t, first.Subscribe(within(t), sessionChannel))
	second, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{ClientID: "me"})
	require.NoError(t, err)
	<-first.Done()
	err = first.Subscribe(within(t), rootChannel)
	require.ErrorIs(t, err, conn.ErrReplaced)
	require.ErrorIs(t, err, conn.ErrClosed)
	require.False(t, conn.Refused(err))
	require.Equal(t, conn.Closed, first.Status().State)
	require.ErrorIs(t, first.Status().Err, conn.ErrReplaced)
	require.Contains(t, first.Subscriptions(), sessionChannel, "nothing is forgotten")

	time.Sleep(300 * time.Millisecond) // in which it would have come back
	require.NoError(t, second.Subscribe(within(t), sessionChannel))
	require.NoError(t, second.Dispatch(within(t), sessionChannel, titled("still here")))
	require.Eventually(t, func() bool {
		v, _ := second.Store.Session(sessionChannel)
		return v.Pending == 0 && v.Confirmed.Title == "still here"
	}, time.Minute, time.Millisecond)
	require.NoError(t, second.Close())
}

// TestARequestUnderWayOfAReplacedConnectionIsNoRefusal replaces connections while they ask for something.
func TestARequestUnderWayOfAReplacedConnectionIsNoRefusal(t *testing.T) {
	dial := known(t)
	for range 20 {
		first, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{ClientID: "me"})
		require.NoError(t, err)
		require.NoError(t, first.Subscribe(within(t), sessionChannel))
		ended := make(chan error, 1)
		go func() {
			for {
				if err := first.Subscribe(context.WithoutCancel(t.Context()), sessionChannel); err != nil {
					ended <- err
					return
				}
			}
		}()
		second, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{ClientID: "me"})
		require.NoError(t, err)
		err = <-ended
		require.ErrorIs(t, err, conn.ErrReplaced)
		require.False(t, conn.Refused(err), err)
		require.Contains(t, first.Subscriptions(), sessionChannel)
		require.NoError(t, second.Close())
	}
}

// stopping lets bytes through until it is stopped: then nothing arrives any more, and nothing ends.
func stopping(t *testing.T, to string) (address string, stop func()) {
	t.Helper()
	stopped := make(chan struct{})
	pass := func(from, to net.Conn) {
		buf := make([]byte, 1<<16)
		for {
			n, err := from.Read(buf)
			select {
			case <-stopped:
				return // and leaves both open
			default:
			}
			if err != nil {
				_ = to.Close()
				return
			}
			_, _ = to.Write(buf[:n])
		}
	}
	address = listener(t, func(c net.Conn) {
		host, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		t.Cleanup(func() { _, _ = host.Close(), c.Close() })
		go pass(c, host)
		pass(host, c)
	})
	return address, func() { close(stopped) }
}

// TestAHostThatIsStoppedIsNoticed over lines, by the protocol's own ping, and over WebSocket, in the time that was asked for.
func TestAHostThatIsStoppedIsNoticed(t *testing.T) {
	s, err := ahp.NewServer(nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	lines := listen(t, s)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	handler := &ws.Handler{Serve: func(ctx context.Context, socket rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, socket) }}
	go func() { served <- ws.Serve(ctx, l, handler) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	for name, c := range map[string]struct {
		to   string
		dial func(address string) func(context.Context) (rpc.Transport, error)
	}{
		"lines": {lines, dialing},
		"websocket": {l.Addr().String(), func(address string) func(context.Context) (rpc.Transport, error) {
			return func(ctx context.Context) (rpc.Transport, error) { return ws.Dial(ctx, "ws://"+address, nil) }
		}},
	} {
		address, stop := stopping(t, c.to)
		statuses := make(chan conn.Status, 100)
		client, err := ahp.Connect(within(t), c.dial(address), &ahp.ConnOptions{Keep: conn.Options{
			Peer: &rpc.Options{Silence: 300 * time.Millisecond}, Status: func(s conn.Status) { statuses <- s },
		}})
		require.NoError(t, err)
		time.Sleep(time.Second) // it is there, and answers
		require.Equal(t, conn.Ready, client.Status().State, name)
		stop()
		start := time.Now()
		for s := range statuses {
			if s.State == conn.Waiting {
				require.ErrorContains(t, s.Err, "the peer is silent", name)
				break
			}
		}
		t.Logf("%s: noticed after %v", name, time.Since(start))
		require.Less(t, time.Since(start), 4*time.Second, name)
		require.NoError(t, client.Close())
	}
}
