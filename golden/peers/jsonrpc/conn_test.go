// What a connection promises, over TCP on the loopback.

package jsonrpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/golden/peers/jsonrpc"
)

// streams are the two ends of a TCP connection.
func streams(t *testing.T) (client, host net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	client, err = net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	host, err = listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = client.Close(), host.Close() })
	return client, host
}

func start(stream io.ReadWriteCloser, handlers func(rpc.Conn) rpc.Handler) *jsonrpc.Conn {
	return jsonrpc.New(context.Background(), jsonrpc2.NewPlainObjectStream(stream), handlers)
}

func connect(t *testing.T, host func(rpc.Conn) rpc.Handler, client *ahp.ClientHandlers) (clientEnd, hostEnd *jsonrpc.Conn) {
	t.Helper()
	a, b := streams(t)
	return start(a, fixed(client)), start(b, host)
}

func fixed(h rpc.Handler) func(rpc.Conn) rpc.Handler { return func(rpc.Conn) rpc.Handler { return h } }

// soon receives, or fails where that takes suspiciously long.
func soon[T any](t *testing.T, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(time.Minute):
		t.Fatal("nothing came in a minute")
	}
	return v
}

func ping(ctx context.Context, conn rpc.Conn) error {
	return ahp.NewHostConn(conn).Ping(ctx, &ahp.PingParams{})
}

func pong(context.Context, *ahp.PingParams) error { return nil }

func TestBothDirectionsAtOnce(t *testing.T) {
	conn, _ := connect(t, func(conn rpc.Conn) rpc.Handler {
		host := ahp.NewClientConn(conn)
		return &ahp.HostHandlers{
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
			return &ahp.ResourceReadResult{Data: "of " + p.URI, Encoding: ahp.ContentEncodingUTF8}, nil
		},
	})
	client := ahp.NewHostConn(conn)
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
	conn, _ := connect(t, fixed(&ahp.HostHandlers{
		Ping:           func(context.Context, *ahp.PingParams) error { <-release; return nil },
		DispatchAction: func(_ context.Context, p *ahp.DispatchActionParams) { order <- p.ClientSeq },
	}), &ahp.ClientHandlers{})
	slow := make(chan error, 1)
	go func() { slow <- ping(t.Context(), conn) }()
	for i := range int64(cap(order)) {
		require.NoError(t, ahp.NewHostConn(conn).DispatchAction(t.Context(), &ahp.DispatchActionParams{Channel: "ahp-session:/1", ClientSeq: i, Action: &ahp.SessionTitleChangedAction{Title: "x"}}))
	}
	for i := range int64(cap(order)) {
		require.Equal(t, i, soon(t, order))
	}
	close(release)
	require.NoError(t, soon(t, slow))
}

func TestARequestIsHandledAfterTheNotificationsBeforeIt(t *testing.T) {
	var seen atomic.Int64
	conn, _ := connect(t, fixed(&ahp.HostHandlers{
		Unsubscribe: func(context.Context, *ahp.UnsubscribeParams) { time.Sleep(time.Millisecond); seen.Add(1) },
		Ping: func(context.Context, *ahp.PingParams) error {
			if n := seen.Load(); n != 20 {
				return fmt.Errorf("after %d", n)
			}
			return nil
		},
	}), &ahp.ClientHandlers{})
	for range 20 {
		require.NoError(t, ahp.NewHostConn(conn).Unsubscribe(t.Context(), &ahp.UnsubscribeParams{Channel: "ahp-root://"}))
	}
	require.NoError(t, ping(t.Context(), conn))
}

func TestErrorsArriveWithCodeMessageAndData(t *testing.T) {
	conn, _ := connect(t, fixed(&ahp.HostHandlers{
		Ping: func(context.Context, *ahp.PingParams) error {
			return &ahp.UnsupportedProtocolVersionErrorData{SupportedVersions: []string{"9.9.9"}}
		},
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error { return nil },
		CreateSession:  func(context.Context, *ahp.CreateSessionParams) error { panic("a secret") },
	}), &ahp.ClientHandlers{})
	client := ahp.NewHostConn(conn)
	var data *ahp.UnsupportedProtocolVersionErrorData
	require.ErrorAs(t, ping(t.Context(), conn), &data)
	require.Equal(t, []string{"9.9.9"}, data.SupportedVersions)
	err := client.CreateSession(t.Context(), &ahp.CreateSessionParams{Channel: "ahp-session:/1"})
	require.ErrorIs(t, err, ahp.ErrorCodeInternalError)
	require.NotContains(t, err.Error(), "secret")
	require.ErrorIs(t, client.DisposeChat(t.Context(), &ahp.DisposeChatParams{Channel: "ahp-chat:/1"}), ahp.ErrorCodeMethodNotFound)
	_, err = conn.Call(t.Context(), "disposeSession", json.RawMessage(`{"channel":7}`))
	require.ErrorIs(t, err, ahp.ErrorCodeInvalidParams)
	_, err = conn.Call(t.Context(), "disposeSession", nil)
	require.ErrorContains(t, err, "params: missing")
	require.NoError(t, client.DisposeSession(t.Context(), &ahp.DisposeSessionParams{Channel: "ahp-session:/1"}), "the connection lives on")
}

func TestACallEndsWithItsContextAndTheConnectionLivesOn(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	conn, _ := connect(t, fixed(&ahp.HostHandlers{
		Ping:           pong,
		DisposeSession: func(context.Context, *ahp.DisposeSessionParams) error { started <- struct{}{}; <-release; return nil },
	}), &ahp.ClientHandlers{})
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() {
		got <- ahp.NewHostConn(conn).DisposeSession(ctx, &ahp.DisposeSessionParams{Channel: "ahp-session:/1"})
	}()
	soon(t, started)
	cancel()
	require.ErrorIs(t, soon(t, got), context.Canceled)
	close(release)
	require.NoError(t, ping(t.Context(), conn))
}

func TestAPeerThatIsGoneEndsCallsAndHandlers(t *testing.T) {
	started, cancelled := make(chan struct{}, 1), make(chan struct{})
	conn, host := connect(t, fixed(&ahp.HostHandlers{
		Ping: func(ctx context.Context, _ *ahp.PingParams) error {
			started <- struct{}{}
			<-ctx.Done()
			close(cancelled)
			return nil
		},
	}), &ahp.ClientHandlers{})
	got := make(chan error, 1)
	go func() { got <- ping(t.Context(), conn) }()
	soon(t, started)
	require.NoError(t, conn.Close())
	require.NoError(t, conn.Close(), "twice does no harm")
	require.ErrorIs(t, soon(t, got), jsonrpc2.ErrClosed)
	soon(t, cancelled)
	soon(t, host.Done())
	host.Wait()
	conn.Wait()
	require.ErrorIs(t, ping(t.Context(), conn), jsonrpc2.ErrClosed)
}

func TestValuesOfParametersSurvive(t *testing.T) {
	got := make(chan json.RawMessage, 1)
	conn, _ := connect(t, fixed(&ahp.HostHandlers{
		PassThrough: func(_ context.Context, _, _ string, params json.RawMessage) (json.RawMessage, error) {
			got <- params
			return params, nil
		},
	}), &ahp.ClientHandlers{})
	sent := `{"channel":"mcp://s","_meta":{"n":9007199254740993,"deep":[null,{"<":"\u2028"}]},"e":0.10000000000000000001}`
	answer, err := conn.Call(t.Context(), "echo", json.RawMessage(sent))
	require.NoError(t, err)
	for _, raw := range []json.RawMessage{soon(t, got), answer} {
		require.Contains(t, string(raw), `9007199254740993`)
		require.Contains(t, string(raw), `0.10000000000000000001`)
	}
}

// TestNonsenseEndsAtMostItsOwnConnection sends what may be no message: the library hangs up, or goes on.
func TestNonsenseEndsAtMostItsOwnConnection(t *testing.T) {
	seeds := []string{
		`{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[]`, `{"id":-1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"unsubscribe","params":{"channel":7}}`,
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		stranger, stream := streams(t)
		host := start(stream, fixed(&ahp.HostHandlers{Ping: pong}))
		for range 3 {
			text := []byte(seeds[r.IntN(len(seeds))])
			if at := r.IntN(2 * len(text)); at < len(text) {
				text[at] = byte(r.IntN(256))
			}
			_, _ = stranger.Write(append(text, '\n')) // the host may have hung up
		}
		_ = stranger.(*net.TCPConn).CloseWrite() // it may have hung up by now
		soon(t, host.Done())
		host.Wait()
		require.NoError(t, stranger.Close())
	}
}
