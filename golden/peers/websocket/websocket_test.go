// A client and a host by hand, on another library, against the generated server and connection.

package websocket

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/ws"
)

const uri = "ahp-terminal:/1"

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func terminal() *ahp.TerminalState {
	return &ahp.TerminalState{
		Title: "t", Content: []ahp.TerminalContentPart{}, Lifecycle: &ahp.TerminalRunningLifecycleState{},
		Claim: &ahp.TerminalSessionClaim{Session: "ahp-session:/1", Chat: "ahp-chat:/1"},
	}
}

// address is the URL of a server as WebSockets have it.
func address(s *httptest.Server) string { return "ws" + strings.TrimPrefix(s.URL, "http") }

// TestAClientOnAnotherLibrary writes two requests and hundreds of actions at once, and ends without a status, as
// browsers do.
func TestAClientOnAnotherLibrary(t *testing.T) {
	const rounds, actions = 50, 200
	var s *ahp.Server
	s, err := ahp.NewServer(&ahp.ServerOptions{Handlers: func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{CreateTerminal: func(_ context.Context, p *ahp.CreateTerminalParams) error {
			return s.OpenChannel(p.Channel, terminal())
		}}
	}})
	require.NoError(t, err)
	web := httptest.NewServer(&ws.Handler{Serve: func(ctx context.Context, transport rpc.Transport, _ *http.Request) { _ = s.Serve(ctx, transport) }})
	defer web.Close()
	for round := range rounds {
		c, _, err := websocket.DefaultDialer.Dial(address(web), nil)
		require.NoError(t, err)
		channel := fmt.Sprint("ahp-terminal:/", round)
		say := func(format string, args ...any) {
			require.NoError(t, c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)))
		}
		say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","clientId":"g%d","protocolVersions":["1.0.0"]}}`, round)
		say(`{"jsonrpc":"2.0","id":2,"method":"createTerminal","params":{"channel":%q,"claim":{"kind":"session","session":"ahp-session:/1","chat":"ahp-chat:/1"}}}`, channel)
		say(`{"jsonrpc":"2.0","id":3,"method":"subscribe","params":{"channel":%q}}`, channel)
		for id := 1; id <= 3; id++ {
			var answer struct {
				ID    int
				Error json.RawMessage
			}
			require.NoError(t, c.ReadJSON(&answer))
			require.Equal(t, id, answer.ID)
			require.Nil(t, answer.Error, "%s", answer.Error)
		}
		go func() { // who does not read is cut off
			for {
				if _, _, err := c.ReadMessage(); err != nil {
					return
				}
			}
		}()
		for i := range actions {
			say(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":%q,"clientSeq":%d,"action":{"type":"terminal/titleChanged","title":"%d"}}}`, channel, i+1, i+1)
		}
		require.NoError(t, c.WriteMessage(websocket.CloseMessage, nil))
		require.Eventually(t, func() bool {
			state, _ := s.State(channel)
			return state.(*ahp.TerminalState).Title == fmt.Sprint(actions)
		}, time.Minute, time.Millisecond)
		_ = c.Close()
	}
	require.NoError(t, s.Close())
}

// TestAHostOnAnotherLibrary answers a client that it loses in between.
func TestAHostOnAnotherLibrary(t *testing.T) {
	upgrade := websocket.Upgrader{}
	reconnects := make(chan json.RawMessage, 10)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrade.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for {
			var m struct {
				ID     json.RawMessage
				Method string
				Params json.RawMessage
			}
			if c.ReadJSON(&m) != nil {
				return
			}
			answer := `null`
			switch m.Method {
			case "initialize":
				answer = `{"protocolVersion":"1.0.0","serverSeq":4,"snapshots":[]}`
			case "subscribe":
				state, _ := json.Marshal(terminal())
				answer = fmt.Sprintf(`{"snapshot":{"resource":%q,"state":%s,"fromSeq":4}}`, uri, state)
			case "reconnect":
				reconnects <- m.Params
				answer = fmt.Sprintf(`{"type":"replay","missing":[],"actions":[{"channel":%q,"action":{"type":"terminal/titleChanged","title":"missed"},"serverSeq":5}]}`, uri)
			}
			_ = c.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s,"error":null}`, m.ID, answer))
			if m.Method == "subscribe" {
				_ = c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""))
				return
			}
		}
	}))
	defer web.Close()
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) { return ws.Dial(ctx, address(web), nil) },
		&ahp.ConnOptions{ClientID: "me", Keep: conn.Options{MinWait: time.Millisecond}})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), uri))
	require.JSONEq(t, `{"clientId":"me","lastSeenServerSeq":4,"subscriptions":["`+uri+`"],"channel":"ahp-root://"}`, string(<-reconnects))
	require.Eventually(t, func() bool {
		view, _ := c.Store.Terminal(uri)
		return view.Confirmed.Title == "missed"
	}, time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
}
