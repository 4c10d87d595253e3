// What a connection mends by itself: calls that a new connection needs again, and states that something went
// wrong with.

package ahp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

func TestCallsWhoseEffectEndsWithTheConnectionAreMadeAgain(t *testing.T) {
	var mu sync.Mutex
	tokens := map[string][]string{}
	s, _ := hosting(t, &ahp.ServerOptions{Handlers: func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{Authenticate: func(_ context.Context, p *ahp.AuthenticateParams) (*ahp.AuthenticateResult, error) {
			mu.Lock()
			defer mu.Unlock()
			tokens[p.Resource] = append(tokens[p.Resource], p.Token)
			return &ahp.AuthenticateResult{}, nil
		}}
	}})
	way := through(t, s)
	ready := make(chan struct{}, 10)
	c, err := ahp.Connect(within(t), way.dial, &ahp.ConnOptions{Keep: quick, Ready: func(context.Context, *ahp.HostConn) error { ready <- struct{}{}; return nil }})
	require.NoError(t, err)
	<-ready
	for _, token := range []string{"old", "new"} {
		_, err = c.Host.Authenticate(within(t), &ahp.AuthenticateParams{Resource: "https://a", Token: token})
		require.NoError(t, err)
	}
	_, err = c.Host.Authenticate(within(t), &ahp.AuthenticateParams{Resource: "https://b", Token: "b"})
	require.NoError(t, err)
	way.cut()
	<-ready
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, map[string][]string{"https://a": {"old", "new", "new"}, "https://b": {"b", "b"}}, tokens)
	require.NoError(t, c.Close())
}

// scripted is a host by hand: it answers requests as it is told, and says more in between.
func scripted(t *testing.T, answer func(method string, say func(format string, args ...any)) string) func(context.Context) (rpc.Transport, error) {
	t.Helper()
	return func(context.Context) (rpc.Transport, error) {
		ours, theirs := net.Pipe()
		go func() {
			in := json.NewDecoder(theirs)
			say := func(format string, args ...any) { _, _ = fmt.Fprintf(theirs, format+"\n", args...) }
			var m struct {
				ID     json.RawMessage
				Method string
			}
			for in.Decode(&m) == nil {
				result := answer(m.Method, say)
				if result == "hang up" {
					_ = theirs.Close()
					return
				}
				if m.ID != nil && m.Method != "" {
					say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
				}
				m.ID = nil
			}
		}()
		return rpc.Stream(ours), nil
	}
}

func sessionAt(t *testing.T, n int) string {
	t.Helper()
	state := emptySession()
	state.Title = fmt.Sprint("as of ", n)
	return fmt.Sprintf(`{"resource":%q,"state":%s,"fromSeq":%d}`, sessionChannel, asJSON(t, state), n)
}

func TestAStateThatAnActionCannotBeAppliedToIsFetchedAnew(t *testing.T) {
	n := 10
	dial := scripted(t, func(method string, say func(string, ...any)) string {
		switch method {
		case "initialize":
			return `{"protocolVersion":"1.0.0","serverSeq":10,"snapshots":[]}`
		case "subscribe":
			n += 10
			return `{"snapshot":` + sessionAt(t, n) + `}`
		case "ping":
			say(`{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"action":{"type":"session/titleChanged","title":5},"serverSeq":21}}`, sessionChannel)
			say(`{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"action":{"type":"session/titleChanged","title":"later"},"serverSeq":31}}`, sessionChannel)
			return "null"
		}
		return "null"
	})
	problems := make(chan error, 10)
	keep := quick
	keep.OnError = func(err error) { problems <- err }
	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Keep: keep})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.Equal(t, "as of 20", titleOf(t, c))
	require.NoError(t, c.Host.Ping(within(t), &ahp.PingParams{}))
	require.Eventually(t, showing(c, "later"), time.Minute, time.Millisecond, "what came after the new state is applied to it")
	require.ErrorContains(t, <-problems, "title: want string, got number")
	require.NoError(t, c.Close())
}

func TestAReplayWithABadActionKeepsTheOthers(t *testing.T) {
	const other = "ahp-session:/other"
	subscribed, cut := map[string]int{}, false
	channel := sessionChannel
	dial := scripted(t, func(method string, _ func(string, ...any)) string {
		switch method {
		case "initialize":
			return `{"protocolVersion":"1.0.0","serverSeq":10,"snapshots":[]}`
		case "subscribe":
			subscribed[channel]++
			at := sessionAt(t, 10*subscribed[sessionChannel])
			if channel == other {
				at = fmt.Sprintf(`{"resource":%q,"state":%s,"fromSeq":10}`, other, asJSON(t, emptySession()))
			}
			return `{"snapshot":` + at + `}`
		case "ping":
			if !cut {
				cut, channel = true, sessionChannel
				return "hang up"
			}
		case "reconnect":
			return fmt.Sprintf(`{"type":"replay","missing":[],"actions":[`+
				`{"channel":%q,"action":{"type":"session/titleChanged","title":5},"serverSeq":11},`+
				`{"channel":%q,"action":{"type":"session/titleChanged","title":"good"},"serverSeq":12}]}`, sessionChannel, other)
		}
		return "null"
	})
	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Keep: quick})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	channel = other
	require.NoError(t, c.Subscribe(within(t), other))
	_ = c.Host.Ping(within(t), &ahp.PingParams{})
	require.Eventually(t, showing(c, "as of 20"), time.Minute, time.Millisecond)
	view, ok := c.Store.Session(other)
	require.True(t, ok)
	require.Equal(t, "good", view.Confirmed.Title)
	require.NoError(t, c.Close())
}
