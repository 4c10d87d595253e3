// A client and a host on gobwas/ws, which gives control over frames and reads as strictly as browsers do.

package websocket

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	gobwas "github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

const session = "ahp-session:/1"

// strict is a client that reads text as RFC 6455 wants it.
type strict struct {
	t *testing.T
	net.Conn
}

func dialStrictly(t *testing.T, url string) strict {
	t.Helper()
	c, _, _, err := gobwas.Dial(within(t), url)
	require.NoError(t, err)
	require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
	t.Cleanup(func() { _ = c.Close() })
	return strict{t, c}
}

func (s strict) send(frames ...gobwas.Frame) {
	s.t.Helper()
	for _, f := range frames {
		require.NoError(s.t, gobwas.WriteFrame(s, gobwas.MaskFrame(f)))
	}
}

// ask sends a text, and returns the one that comes next.
func (s strict) ask(text string) string {
	s.t.Helper()
	s.send(gobwas.NewTextFrame([]byte(text)))
	return s.hear()
}

func (s strict) hear() string {
	s.t.Helper()
	text, err := wsutil.ReadServerText(s)
	require.NoError(s.t, err)
	return string(text)
}

func open(id int, client string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"channel":"ahp-root://","clientId":%q,"protocolVersions":["1.0.0"]}}`, id, client)
}

// serving is a server with a session, for clients over WebSocket.
func serving(t *testing.T) (s *ahp.Server, url string) {
	t.Helper()
	s, err := ahp.NewServer(nil)
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(session, &ahp.SessionState{
		Title: "t", Lifecycle: ahp.SessionLifecycleReady, ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{},
		Config: &ahp.SessionConfigState{},
	}))
	web := httptest.NewServer(&ws.Handler{Serve: func(ctx context.Context, transport rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, transport) }})
	t.Cleanup(func() { _ = s.Close(); web.Close() })
	return s, address(web)
}

// TestSomebodyElsesBytesDoNotCutOffAStrictReader has a client over lines dispatch what is not UTF-8, in a value that
// everybody keeps as it is.
func TestSomebodyElsesBytesDoNotCutOffAStrictReader(t *testing.T) {
	s, url := serving(t)
	reader := dialStrictly(t, url)
	require.Contains(t, reader.ask(open(1, "reader")), `"result"`)
	require.Contains(t, reader.ask(`{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"`+session+`"}}`), `"result"`)

	here, there := net.Pipe()
	defer func() { _ = here.Close() }()
	go func() { _ = s.Serve(context.Background(), rpc.Stream(there)) }()
	go func() { _, _ = io.Copy(io.Discard, here) }()
	for i, text := range []string{"caf\xe9", "fin"} {
		if i == 0 {
			_, err := fmt.Fprintln(here, open(1, "writer"))
			require.NoError(t, err)
		}
		_, err := fmt.Fprintf(here, `{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":%q,"clientSeq":%d,"action":{"type":"session/configChanged","config":{"x":["%s"]}}}}`+"\n", session, i+1, text)
		require.NoError(t, err)
	}
	require.Contains(t, reader.hear(), "caf\ufffd")
	require.Contains(t, reader.hear(), `"fin"`)
	late := dialStrictly(t, url)
	late.ask(open(1, "late"))
	require.Contains(t, late.ask(`{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"`+session+`"}}`), `"fin"`)
}

func TestFramesOfAClientThatWritesThemItself(t *testing.T) {
	_, url := serving(t)
	c := dialStrictly(t, url)
	text := open(1, "é")
	accent := strings.Index(text, "é") + 1 // between the bytes of a character
	c.send(
		gobwas.NewFrame(gobwas.OpText, false, []byte(text[:accent])), gobwas.NewPingFrame([]byte("here?")),
		gobwas.NewFrame(gobwas.OpContinuation, false, nil), gobwas.NewFrame(gobwas.OpContinuation, true, []byte(text[accent:])),
	)
	pong, err := gobwas.ReadFrame(c)
	require.NoError(t, err)
	require.Equal(t, gobwas.OpPong, pong.Header.OpCode)
	require.Equal(t, "here?", string(pong.Payload))
	require.Contains(t, c.hear(), `"protocolVersion":"1.0.0"`)
	require.Contains(t, c.ask("{"), `"id":null,"error":{"code":-32700`)
	require.Contains(t, c.ask(`{"jsonrpc":"2.0","id":1.50,"method":"nosuch"}`), `"id":1.50,"error":{"code":-32601`)

	for code, frame := range map[gobwas.StatusCode]gobwas.Frame{
		gobwas.StatusInvalidFramePayloadData: gobwas.NewTextFrame([]byte("\"\xff\"")),
		gobwas.StatusUnsupportedData:         gobwas.NewBinaryFrame([]byte("{}")),
		gobwas.StatusProtocolError:           gobwas.NewFrame(gobwas.OpContinuation, true, nil),
		4711:                                 gobwas.NewCloseFrame(gobwas.NewCloseFrameBody(4711, "enough")),
	} {
		c := dialStrictly(t, url)
		c.send(frame)
		_, err := wsutil.ReadServerText(c)
		var closed wsutil.ClosedError
		require.ErrorAs(t, err, &closed)
		require.Equal(t, code, closed.Code)
	}
}

// TestAHostThatWritesFramesItself reads answers in several frames, and large ones.
func TestAHostThatWritesFramesItself(t *testing.T) {
	large := strings.Repeat("0123456789abcdé", 1<<20)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, _, err := gobwas.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for {
			text, err := wsutil.ReadClientText(c)
			if err != nil {
				return
			}
			answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"result":{"data":%q,"encoding":"utf-8"}}`, large)
			if !strings.Contains(string(text), `"id":1,`) {
				answer = []byte(`{"jsonrpc":"2.0","id":2,"error":{"code":-32005,"message":"m","data":{"supportedVersions":["` + string([]rune(large)[:15]) + `"]}}}`)
			}
			third := len(answer) / 3
			for _, f := range []gobwas.Frame{
				gobwas.NewFrame(gobwas.OpText, false, answer[:third]), gobwas.NewPingFrame(nil),
				gobwas.NewFrame(gobwas.OpContinuation, false, answer[third:2*third]), gobwas.NewFrame(gobwas.OpContinuation, true, answer[2*third:]),
			} {
				if gobwas.WriteFrame(c, f) != nil {
					return
				}
			}
		}
	}))
	defer web.Close()
	socket, err := ws.Dial(within(t), address(web), nil)
	require.NoError(t, err)
	peer := rpc.NewPeer(socket, nil)
	served := make(chan error, 1)
	go func() { served <- peer.Serve(context.Background(), &ahp.ClientHandlers{}) }()
	client := ahp.NewHostConn(peer)
	got, err := client.ResourceRead(within(t), &ahp.ResourceReadParams{URI: "file:///x"})
	require.NoError(t, err)
	require.True(t, got.Data == large)
	_, err = client.ResourceRead(within(t), &ahp.ResourceReadParams{URI: "file:///x"})
	var data *ahp.UnsupportedProtocolVersionErrorData
	require.ErrorAs(t, err, &data)
	require.Equal(t, []string{"0123456789abcdé"}, data.SupportedVersions)
	require.NoError(t, peer.Close())
	require.NoError(t, <-served)
}
