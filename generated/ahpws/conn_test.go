// What a connection promises, over real loopback sockets.

package ahpws_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/ahpws"
)

// pair is both ends of one connection. Served receives what Serve of each end returned.
type pair struct {
	client, host             *ahpws.Conn
	clientServed, hostServed chan error
}

// serve starts a server that takes one connection.
func serve(t testing.TB, o *ahpws.Options, handlers func(*ahpws.Conn) *ahp.HostHandlers) (url string, conns chan *ahpws.Conn, served chan error) {
	t.Helper()
	conns, served = make(chan *ahpws.Conn, 1), make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := ahpws.Accept(w, r, o)
		if err != nil {
			t.Error(err)
			return
		}
		h := handlers(conn)
		conns <- conn
		served <- conn.Serve(r.Context(), h)
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http"), conns, served
}

func connect(t *testing.T, o *ahpws.Options, host func(*ahpws.Conn) *ahp.HostHandlers, client *ahp.ClientHandlers) pair {
	t.Helper()
	url, conns, served := serve(t, o, host)
	conn, err := ahpws.Dial(t.Context(), url, o)
	require.NoError(t, err)
	p := pair{client: conn, host: <-conns, clientServed: make(chan error, 1), hostServed: served}
	go func() { p.clientServed <- conn.Serve(context.WithoutCancel(t.Context()), client) }()
	t.Cleanup(func() { _ = conn.Close() })
	return p
}

// fixed are handlers that do not need their connection.
func fixed(h *ahp.HostHandlers) func(*ahpws.Conn) *ahp.HostHandlers {
	return func(*ahpws.Conn) *ahp.HostHandlers { return h }
}

// soon receives, or fails where that takes suspiciously long.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came in ten seconds")
	}
	return v
}

func ping(ctx context.Context, conn ahp.Conn) error {
	return ahp.NewClient(conn).Ping(ctx, &ahp.PingParams{})
}

func pong(context.Context, *ahp.PingParams) error { return nil }

func TestBothDirectionsAtOnce(t *testing.T) {
	p := connect(t, nil, func(conn *ahpws.Conn) *ahp.HostHandlers {
		host := ahp.NewHost(conn)
		return &ahp.HostHandlers{
			// The answer needs the client's help, and so a request the other way.
			ListSessions: func(ctx context.Context, p *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
				read, err := host.ResourceRead(ctx, &ahp.ResourceReadParams{URI: *p.Cursor})
				if err != nil {
					return nil, err
				}
				return &ahp.ListSessionsResult{NextCursor: &read.Data}, nil
			},
		}
	}, &ahp.ClientHandlers{
		ResourceRead: func(_ context.Context, p *ahp.ResourceReadParams) (*ahp.ResourceReadResult, error) {
			return &ahp.ResourceReadResult{Data: "of " + p.URI}, nil
		},
	})
	client := ahp.NewClient(p.client)
	failed := make(chan error, 50)
	for i := range cap(failed) {
		go func() {
			cursor := fmt.Sprint("file:///", i)
			got, err := client.ListSessions(t.Context(), &ahp.ListSessionsParams{Cursor: &cursor})
			if err == nil && *got.NextCursor != "of "+cursor {
				err = fmt.Errorf("%s: %s", cursor, *got.NextCursor)
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		require.NoError(t, soon(t, failed))
	}
}

func TestNotificationsKeepTheirOrderWhileARequestIsSlow(t *testing.T) {
	release, order := make(chan struct{}), make(chan int64, 1000)
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error { <-release; return nil },
		DispatchAction: func(_ context.Context, p *ahp.DispatchActionParams) {
			if p.ClientSeq%7 == 0 {
				time.Sleep(time.Millisecond) // a chance to be overtaken
			}
			order <- p.ClientSeq
		},
	}), &ahp.ClientHandlers{})
	slow := make(chan error, 1)
	go func() { slow <- ping(t.Context(), p.client) }()
	client := ahp.NewClient(p.client)
	for i := range int64(cap(order)) {
		require.NoError(t, client.DispatchAction(t.Context(), &ahp.DispatchActionParams{ClientSeq: i, Action: ahp.NewSessionTitleChangedAction("x")}))
	}
	for i := range int64(cap(order)) {
		require.Equal(t, i, soon(t, order))
	}
	close(release)
	require.NoError(t, soon(t, slow))
}

func TestAFullBacklogHoldsUpThePeerAndLosesNothing(t *testing.T) {
	seen := make(chan int64, 500)
	p := connect(t, &ahpws.Options{Backlog: 1}, fixed(&ahp.HostHandlers{
		DispatchAction: func(_ context.Context, p *ahp.DispatchActionParams) {
			time.Sleep(100 * time.Microsecond)
			seen <- p.ClientSeq
		},
	}), &ahp.ClientHandlers{})
	for i := range int64(cap(seen)) {
		require.NoError(t, ahp.NewClient(p.client).DispatchAction(t.Context(), &ahp.DispatchActionParams{ClientSeq: i, Action: ahp.NewSessionTitleChangedAction("x")}))
	}
	for i := range int64(cap(seen)) {
		require.Equal(t, i, soon(t, seen))
	}
}

func TestAPeerThatDoesNotReadCountsAsGone(t *testing.T) {
	url, conns, served := serve(t, &ahpws.Options{WriteTimeout: 50 * time.Millisecond}, fixed(&ahp.HostHandlers{}))
	socket, _, err := websocket.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	defer func() { _ = socket.CloseNow() }()
	host := ahp.NewHost(soon(t, conns))
	large := &ahp.ActionEnvelope{Action: ahp.NewSessionTitleChangedAction(strings.Repeat("x", 1<<20))}
	require.Eventually(t, func() bool {
		return errors.Is(host.Action(t.Context(), large), ahpws.ErrClosed)
	}, 10*time.Second, time.Millisecond, "the buffers between the two fill up")
	require.Error(t, soon(t, served))
}

func TestARequestIsHandledAfterTheNotificationsBeforeIt(t *testing.T) {
	var seen atomic.Int64
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Unsubscribe: func(context.Context, *ahp.UnsubscribeParams) { time.Sleep(time.Millisecond); seen.Add(1) },
		Ping: func(context.Context, *ahp.PingParams) error {
			if n := seen.Load(); n != 20 {
				return fmt.Errorf("after %d", n)
			}
			return nil
		},
	}), &ahp.ClientHandlers{})
	for range 20 {
		require.NoError(t, ahp.NewClient(p.client).Unsubscribe(t.Context(), &ahp.UnsubscribeParams{Channel: "ahp-root://"}))
	}
	require.NoError(t, ping(t.Context(), p.client))
}

func TestACallEndsWithItsContextAndTheConnectionLivesOn(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping:           pong,
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error { started <- struct{}{}; <-release; return nil },
	}), &ahp.ClientHandlers{})
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() { got <- ahp.NewClient(p.client).DisposeSession(ctx, &ahp.DisposeSessionParams{}) }()
	soon(t, started)
	cancel()
	require.ErrorIs(t, soon(t, got), context.Canceled)
	close(release) // the answer comes late
	require.NoError(t, ping(t.Context(), p.client))
}

func TestErrorsArriveWithCodeMessageAndData(t *testing.T) {
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error {
			return &ahp.UnsupportedProtocolVersionErrorData{SupportedVersions: []string{"9.9.9"}}
		},
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error {
			return &ahp.RPCError{Code: 7, Message: "own words", Data: json.RawMessage(`{"n":1}`)}
		},
		CreateSession: func(context.Context, *ahp.CreateSessionParams) error { panic("a secret") },
	}), &ahp.ClientHandlers{})
	client := ahp.NewClient(p.client)

	err := ping(t.Context(), p.client)
	require.ErrorIs(t, err, ahp.ErrorCodeUnsupportedProtocolVersion)
	var data *ahp.UnsupportedProtocolVersionErrorData
	require.ErrorAs(t, err, &data)
	require.Equal(t, []string{"9.9.9"}, data.SupportedVersions)

	var own *ahp.RPCError
	require.ErrorAs(t, client.DisposeSession(t.Context(), &ahp.DisposeSessionParams{}), &own)
	require.Equal(t, &ahp.RPCError{Code: 7, Message: "own words", Data: json.RawMessage(`{"n":1}`)}, own)

	err = client.CreateSession(t.Context(), &ahp.CreateSessionParams{})
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError)
	require.NotContains(t, err.Error(), "secret")
	require.ErrorIs(t, client.DisposeChat(t.Context(), &ahp.DisposeChatParams{}), ahp.ErrorCodeMethodNotFound)
	_, err = p.client.Call(t.Context(), "disposeSession", json.RawMessage(`{"channel":7}`))
	require.ErrorIs(t, err, ahp.ErrorCodeInvalidParams)
	require.ErrorContains(t, err, "params: channel: want string")
}

func TestAPeerThatIsGoneEndsCallsAndHandlers(t *testing.T) {
	started, cancelled := make(chan struct{}, 1), make(chan struct{})
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping: func(ctx context.Context, _ *ahp.PingParams) error {
			started <- struct{}{}
			<-ctx.Done()
			close(cancelled)
			return nil
		},
	}), &ahp.ClientHandlers{})
	got := make(chan error, 1)
	go func() { got <- ping(t.Context(), p.client) }()
	soon(t, started)
	require.NoError(t, p.client.Close())
	require.ErrorIs(t, soon(t, got), ahpws.ErrClosed)
	soon(t, cancelled)
	require.NoError(t, soon(t, p.hostServed), "closed in good order")
	require.NoError(t, soon(t, p.clientServed))
	require.ErrorIs(t, ping(t.Context(), p.client), ahpws.ErrClosed)
	require.ErrorIs(t, ahp.NewHost(p.host).Action(t.Context(), &ahp.ActionEnvelope{Action: ahp.NewSessionTitleChangedAction("x")}), ahpws.ErrClosed)
}

func TestACutConnectionIsAnErrorOfServe(t *testing.T) {
	url, conns, served := serve(t, nil, fixed(&ahp.HostHandlers{}))
	socket, _, err := websocket.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	<-conns
	require.NoError(t, socket.CloseNow())
	require.Error(t, soon(t, served))
}

func TestEndingTheContextOfServeClosesTheConnection(t *testing.T) {
	url, _, hostServed := serve(t, nil, fixed(&ahp.HostHandlers{Ping: pong}))
	conn, err := ahpws.Dial(t.Context(), url, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- conn.Serve(ctx, &ahp.ClientHandlers{}) }()
	require.NoError(t, ping(t.Context(), conn))
	cancel()
	require.NoError(t, soon(t, served))
	require.NoError(t, soon(t, hostServed))
}

func TestShutdownAnswersWhatRuns(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error { started <- struct{}{}; <-release; return nil },
	}), &ahp.ClientHandlers{})
	first, second, down := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { first <- ping(t.Context(), p.client) }()
	soon(t, started)
	go func() { down <- p.host.Shutdown(context.WithoutCancel(t.Context())) }()
	require.Eventually(t, func() bool {
		go func() { second <- ping(t.Context(), p.client) }()
		select {
		case err := <-second:
			return strings.Contains(err.Error(), "shutting down")
		case <-started: // it was still in time
			return false
		}
	}, 10*time.Second, time.Millisecond)
	close(release)
	require.NoError(t, soon(t, first))
	require.NoError(t, soon(t, down))
}

func TestShutdownEndsWithItsContext(t *testing.T) {
	started := make(chan struct{}, 1)
	p := connect(t, nil, fixed(&ahp.HostHandlers{
		Ping: func(ctx context.Context, _ *ahp.PingParams) error { started <- struct{}{}; <-ctx.Done(); return nil },
	}), &ahp.ClientHandlers{})
	go func() { _ = ping(context.WithoutCancel(t.Context()), p.client) }()
	soon(t, started)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, p.host.Shutdown(ctx), context.DeadlineExceeded)
	require.NoError(t, soon(t, p.hostServed))
}

func TestRequestsBeyondTheLimitAreRefused(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	p := connect(t, &ahpws.Options{MaxRequests: 1}, fixed(&ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error { started <- struct{}{}; <-release; return nil },
	}), &ahp.ClientHandlers{})
	first := make(chan error, 1)
	go func() { first <- ping(t.Context(), p.client) }()
	soon(t, started)
	require.ErrorContains(t, ping(t.Context(), p.client), "too many requests at a time")
	close(release)
	require.NoError(t, soon(t, first))
}

func TestAMessageThatIsTooLargeEndsTheConnection(t *testing.T) {
	p := connect(t, &ahpws.Options{MaxMessage: 1000}, fixed(&ahp.HostHandlers{
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error { return nil },
	}), &ahp.ClientHandlers{})
	require.NoError(t, ahp.NewClient(p.client).DisposeSession(t.Context(), &ahp.DisposeSessionParams{Channel: strings.Repeat("x", 900)}))
	err := ahp.NewClient(p.client).DisposeSession(t.Context(), &ahp.DisposeSessionParams{Channel: strings.Repeat("x", 1000)})
	require.ErrorIs(t, err, ahpws.ErrClosed)
	require.Equal(t, websocket.StatusMessageTooBig, websocket.CloseStatus(err))
	require.Error(t, soon(t, p.hostServed))
}

func TestDialTellsWhatWentWrong(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := ahpws.Dial(t.Context(), server.URL, nil)
	require.ErrorContains(t, err, "404")
}
