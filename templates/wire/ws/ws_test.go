// What is WebSocket's own: how connections end, and what is no message. The promises of connections are
// tested in package rpc, over this transport as well.

package ws_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

// meet returns a connection of a transport with a client that uses no library.
func meet(t testing.TB) (rpc.Transport, *websocket.Conn) {
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
	conn, _, err := websocket.Dial(t.Context(), address(server), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return <-accepted, conn
}

func address(s *httptest.Server) string { return "ws" + strings.TrimPrefix(s.URL, "http") }

func served(t *testing.T, socket rpc.Transport) chan error {
	t.Helper()
	out := make(chan error, 1)
	go func() { out <- rpc.NewPeer(socket, nil).Serve(context.WithoutCancel(t.Context()), nil) }()
	return out
}

func soon(t *testing.T, from <-chan error) error {
	t.Helper()
	select {
	case err := <-from:
		return err
	case <-time.After(time.Minute):
		t.Fatal("nothing came in a minute")
	}
	return nil
}

func TestOrdinaryEndsAreNoErrors(t *testing.T) {
	for _, code := range []websocket.StatusCode{websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd} {
		socket, stranger := meet(t)
		done := served(t, socket)
		require.NoError(t, stranger.Close(code, ""))
		require.NoError(t, soon(t, done), code)
	}
}

func TestOtherEndsTellTheirCode(t *testing.T) {
	for _, code := range []websocket.StatusCode{4001, websocket.StatusPolicyViolation, websocket.StatusInternalError} {
		socket, stranger := meet(t)
		done := served(t, socket)
		require.NoError(t, stranger.Close(code, "the reason"))
		err := soon(t, done)
		require.Equal(t, code, websocket.CloseStatus(err))
		require.ErrorContains(t, err, "the reason")
	}
}

func TestACutConnectionIsAnError(t *testing.T) {
	socket, stranger := meet(t)
	done := served(t, socket)
	require.NoError(t, stranger.CloseNow())
	require.Error(t, soon(t, done))
}

func TestThePeerHearsWhyItIsCutOff(t *testing.T) {
	socket, stranger := meet(t)
	go func() { _ = socket.Close("too far behind") }()
	_, _, err := stranger.Read(t.Context())
	require.Equal(t, websocket.StatusPolicyViolation, websocket.CloseStatus(err))
	require.ErrorContains(t, err, "too far behind")

	socket, stranger = meet(t)
	go func() { _ = socket.Close("") }()
	_, _, err = stranger.Read(t.Context())
	require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err))
}

func TestABinaryMessageEndsTheConnection(t *testing.T) {
	socket, stranger := meet(t)
	done := served(t, socket)
	require.NoError(t, stranger.Write(t.Context(), websocket.MessageBinary, []byte(`{}`)))
	_, _, err := stranger.Read(t.Context())
	require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(err))
	require.ErrorContains(t, soon(t, done), "binary")
}

func TestAMessageThatIsTooLargeIsToldToThePeer(t *testing.T) {
	socket, stranger := meet(t)
	require.NoError(t, stranger.Write(t.Context(), websocket.MessageText, []byte(strings.Repeat("x", 100))))
	data, err := socket.Read(100)
	require.NoError(t, err)
	require.Len(t, data, 100)
	require.NoError(t, stranger.Write(t.Context(), websocket.MessageText, []byte(strings.Repeat("x", 101))))
	_, err = socket.Read(100)
	require.ErrorIs(t, err, rpc.ErrTooLarge)
	_, _, err = stranger.Read(t.Context())
	require.Equal(t, websocket.StatusMessageTooBig, websocket.CloseStatus(err))
}

func TestAnEndIsNoMessage(t *testing.T) {
	socket, stranger := meet(t)
	go func() { _ = stranger.Close(websocket.StatusNormalClosure, "") }()
	_, err := socket.Read(100)
	require.True(t, err == io.EOF, err)
	require.NoError(t, socket.Close(""))
}

func TestDialAndAcceptTellWhatWentWrong(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := ws.Dial(t.Context(), address(server), nil)
	require.ErrorContains(t, err, "404")
	answer := httptest.NewRecorder()
	_, err = ws.Accept(answer, httptest.NewRequest(http.MethodGet, "/", nil), nil)
	require.Error(t, err)
	require.Equal(t, http.StatusUpgradeRequired, answer.Code)
}
