// A client's connection and a server, with each other and with bytes as the specification has them.

package ahp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

const (
	rootChannel    = "ahp-root://"
	sessionChannel = "ahp-session:/s"
	watchChannel   = "ahp-resource-watch:/w"
)

// within is a context for what takes no time unless something is wrong.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func emptySession() *ahp.SessionState {
	return &ahp.SessionState{
		Provider: "p", Title: "t", Status: ahp.SessionStatusIdle, Lifecycle: ahp.SessionLifecycleReady,
		ActiveClients: []ahp.SessionActiveClient{}, Chats: []ahp.ChatSummary{},
	}
}

// hosting returns a server with a root and a session, and a way to it. It keeps no lists, so that all that is sent is
// what a test does.
func hosting(t *testing.T, o *ahp.ServerOptions) (*ahp.Server, func(context.Context) (rpc.Transport, error)) {
	t.Helper()
	own := ahp.ServerOptions{}
	if o != nil {
		own = *o
	}
	own.OwnLists = true
	s, err := ahp.NewServer(&own)
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, reach(t, s)
}

// reach dials a server over TCP.
func reach(t *testing.T, s *ahp.Server) func(context.Context) (rpc.Transport, error) {
	t.Helper()
	address := listen(t, s)
	return func(ctx context.Context) (rpc.Transport, error) {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		return rpc.Stream(c), nil
	}
}

func titled(title string) *ahp.SessionTitleChangedAction {
	return &ahp.SessionTitleChangedAction{Title: title}
}

func titleOf(t *testing.T, c *ahp.Conn) string {
	t.Helper()
	view, ok := c.Store.Session(sessionChannel)
	require.True(t, ok)
	return view.Optimistic.Title
}

func showing(c *ahp.Conn, want string) func() bool {
	return func() bool {
		view, ok := c.Store.Session(sessionChannel)
		return ok && view.Pending == 0 && view.Confirmed.Title == want
	}
}

func TestAClientSeesWhatItDoesAndWhatOthersDo(t *testing.T) {
	s, dial := hosting(t, &ahp.ServerOptions{Versions: []string{"1.0.0", "0.9.0"}})
	a, err := ahp.Connect(within(t), dial, nil)
	require.NoError(t, err)
	b, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Opening: &ahp.InitializeParams{ProtocolVersions: []string{"0.9.0"}}})
	require.NoError(t, err)
	require.Equal(t, "0.9.0", b.Version())
	require.Equal(t, conn.Ready, a.Status().State)
	for _, c := range []*ahp.Conn{a, b} {
		require.NoError(t, c.Subscribe(within(t), sessionChannel))
	}
	require.NoError(t, a.Dispatch(within(t), sessionChannel, titled("from a")))
	require.Equal(t, "from a", titleOf(t, a), "at once")
	require.Eventually(t, showing(b, "from a"), time.Minute, time.Millisecond)
	require.NoError(t, s.Publish(sessionChannel, titled("from the host")))
	require.Eventually(t, showing(a, "from the host"), time.Minute, time.Millisecond)

	require.ErrorIs(t, a.Dispatch(within(t), sessionChannel, &ahp.ChatTurnCancelledAction{}), state.ErrForeignAction)
	require.ErrorIs(t, a.Dispatch(within(t), sessionChannel, nil), state.ErrForeignAction)
	require.ErrorIs(t, s.Publish(sessionChannel, &ahp.ChatDeltaAction{}), server.ErrForeignAction)
	require.ErrorIs(t, s.Publish("nowhere", titled("")), server.ErrNoChannel)
	require.ErrorIs(t, a.Subscribe(within(t), "nowhere"), ahp.ErrorCodeNotFound)

	require.NoError(t, a.Unsubscribe(within(t), sessionChannel))
	require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 1 }, time.Minute, time.Millisecond)
	require.NotEmpty(t, a.ID())
	require.Equal(t, int64(1), a.Sequence())
	require.NoError(t, a.Close())
	require.ErrorIs(t, a.Dispatch(within(t), sessionChannel, titled("late")), conn.ErrClosed)
	require.NoError(t, b.Close())
}

func TestAnOlderClientGetsWhatItsVersionKnows(t *testing.T) {
	s, dial := hosting(t, &ahp.ServerOptions{Versions: []string{"1.0.0", "0.9.0"}})
	got := make(chan ahp.ActionType, 10)
	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{
		Opening:  &ahp.InitializeParams{ProtocolVersions: []string{"0.9.0"}},
		Received: func(e *ahp.ActionEnvelope, _ state.Outcome) { got <- e.Action.ActionType() },
	})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	before := s.Sequence()
	require.NoError(t, s.Publish(sessionChannel, titled("before")))
	require.NoError(t, s.Publish(sessionChannel, &ahp.SessionChatsReorderedAction{})) // as of 1.0.0
	require.NoError(t, s.Publish(sessionChannel, titled("after")))
	for range 2 {
		require.Equal(t, ahp.ActionTypeSessionTitleChanged, <-got)
	}
	require.Equal(t, before+3, c.Store.LastSeen())
	require.NoError(t, c.Close())
}

// cutting lets a test lose the connections that it makes.
type cutting struct {
	dial   func(context.Context) (rpc.Transport, error)
	mu     sync.Mutex
	last   net.Conn
	refuse atomic.Bool
}

func (c *cutting) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.last.Close()
}

// now dials as things are now.
func (c *cutting) now(ctx context.Context) (rpc.Transport, error) {
	c.mu.Lock()
	dial := c.dial
	c.mu.Unlock()
	return dial(ctx)
}

// through dials by way of a listener of its own, so that there is something to cut.
func through(t *testing.T, s *ahp.Server) *cutting {
	t.Helper()
	address := listen(t, s)
	c := &cutting{}
	c.dial = func(ctx context.Context) (rpc.Transport, error) {
		if c.refuse.Load() {
			return nil, errors.New("nobody is there")
		}
		dialled, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.last = dialled
		return rpc.Stream(dialled), nil
	}
	return c
}

// quick is how tests reconnect.
var quick = conn.Options{MinWait: time.Millisecond, MaxWait: 5 * time.Millisecond}

func TestALostConnectionIsTakenUpAgain(t *testing.T) {
	s, _ := hosting(t, nil)
	way := through(t, s)
	var mu sync.Mutex
	var states []conn.State
	keep := quick
	keep.Status = func(s conn.Status) {
		mu.Lock()
		defer mu.Unlock()
		if len(states) == 0 || states[len(states)-1] != s.State {
			states = append(states, s.State)
		}
	}
	ready := make(chan struct{}, 100)
	costs := make(chan *ahp.Reconnection, 10)
	c, err := ahp.Connect(within(t), way.dial, &ahp.ConnOptions{
		Keep: keep, Reconnected: func(r *ahp.Reconnection) { costs <- r },
		Ready: func(context.Context, *ahp.HostConn) error { ready <- struct{}{}; return nil },
	})
	require.NoError(t, err)
	<-ready
	require.NoError(t, s.OpenStateless(watchChannel))
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.NoError(t, c.Subscribe(within(t), watchChannel))
	way.refuse.Store(true)
	way.cut()
	require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
	for i := range 100 {
		require.NoError(t, s.Publish(sessionChannel, titled(fmt.Sprint(i))))
	}
	way.refuse.Store(false)
	<-ready
	require.Eventually(t, showing(c, "99"), time.Minute, time.Millisecond)
	require.Empty(t, (<-costs).Gone)
	require.Equal(t, 1, s.Subscribers(watchChannel), "it has no state, and comes back all the same")

	require.NoError(t, s.CloseChannel(sessionChannel))
	way.cut()
	<-ready
	require.Equal(t, []string{sessionChannel}, (<-costs).Gone)
	require.Equal(t, []string{watchChannel}, c.Subscriptions())
	require.NoError(t, c.Close())
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []conn.State{conn.Connecting, conn.Ready, conn.Waiting, conn.Connecting}, states[:4])
	require.Equal(t, conn.Closed, states[len(states)-1])
}

func TestAHostThatWasRestartedLeavesNoStaleState(t *testing.T) {
	before, _ := hosting(t, nil)
	way := through(t, before)
	for i := range 50 {
		require.NoError(t, before.Publish(sessionChannel, titled(fmt.Sprint(i))))
	}
	ready := make(chan struct{}, 100)
	c, err := ahp.Connect(within(t), way.now, &ahp.ConnOptions{Keep: quick, Ready: func(context.Context, *ahp.HostConn) error { ready <- struct{}{}; return nil }})
	require.NoError(t, err)
	<-ready
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.Equal(t, "49", titleOf(t, c))

	after, dial := hosting(t, nil)
	require.NoError(t, after.Publish(sessionChannel, titled("anew")))
	way.mu.Lock()
	way.dial = dial
	way.mu.Unlock()
	way.cut()
	<-ready
	require.Eventually(t, showing(c, "anew"), time.Minute, time.Millisecond, "number 1 is newer than number 50")
	require.NoError(t, after.Publish(sessionChannel, titled("and on")))
	require.Eventually(t, showing(c, "and on"), time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
}

// spoken is a connection to a server in lines of JSON.
type spoken struct {
	t   *testing.T
	net net.Conn
	in  *bufio.Reader
}

func speak(t *testing.T, s *ahp.Server) *spoken {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() { _ = s.Serve(context.WithoutCancel(t.Context()), rpc.Stream(theirs)) }()
	t.Cleanup(func() { _ = ours.Close() })
	return &spoken{t, ours, bufio.NewReader(ours)}
}

func (s *spoken) says(lines ...string) {
	s.t.Helper()
	go func() { _, _ = s.net.Write([]byte(strings.Join(lines, "\n") + "\n")) }()
}

func (s *spoken) hears(want string) {
	s.t.Helper()
	require.NoError(s.t, s.net.SetReadDeadline(time.Now().Add(time.Minute)))
	line, err := s.in.ReadString('\n')
	require.NoError(s.t, err)
	require.JSONEq(s.t, want, line)
}

// countingOn are limits of a server that goes on where its log ends, so that its numbers can be written down.
func countingOn() server.Limits {
	return server.Limits{Numbers: func(last int64) (int64, error) { return last, nil }}
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"channel":"ahp-root://","protocolVersions":["1.0.0"],"clientId":"c1"}}`
const opened = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1.0.0","serverSeq":0,"snapshots":[]}}`

func TestWhatAServerOwesItsClientsInBytes(t *testing.T) {
	s, _ := hosting(t, &ahp.ServerOptions{Limits: countingOn(), Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, a ahp.StateAction) error {
		if a, ok := a.(*ahp.SessionTitleChangedAction); ok && a.Title == "" {
			return errors.New("a title needs a word")
		}
		return nil
	}})
	c := speak(t, s)
	c.says(`{"jsonrpc":"2.0","id":0,"method":"ping","params":{"channel":"ahp-root://"}}`)
	c.hears(`{"jsonrpc":"2.0","id":0,"result":null}`)
	c.says(`{"jsonrpc":"2.0","id":9,"method":"listSessions","params":{"channel":"ahp-root://"}}`)
	c.hears(`{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"not initialized"}}`)
	c.says(opening, opening)
	c.hears(opened)
	c.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"already initialized"}}`)
	c.says(`{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"ahp-resource-watch:/none"}}`)
	c.hears(`{"jsonrpc":"2.0","id":2,"error":{"code":-32008,"message":"NotFound"}}`)
	dispatch := func(n int, channel, action string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":%q,"clientSeq":%d,"action":%s}}`, channel, n, action)
	}
	echo := func(seq, n int, channel, action, reason string) string {
		if reason != "" {
			reason = fmt.Sprintf(`,"rejectionReason":%q`, reason)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"action","params":{"channel":%q,"action":%s,"serverSeq":%d,"origin":{"clientId":"c1","clientSeq":%d}%s}}`, channel, action, seq, n, reason)
	}
	// The echo of an action is owed whether the client has subscribed or not, and whatever is wrong with it.
	for i, c1 := range []struct{ channel, action, reason string }{
		{sessionChannel, `{"type":"session/titleChanged","title":"x"}`, ""},
		{sessionChannel, `{"type":"session/titleChanged","title":""}`, "a title needs a word"},
		{sessionChannel, `{"type":"session/titleChanged"}`, "cannot be decoded: action: session/titleChanged: title: missing"},
		{sessionChannel, `{"type":"session/flown","to":[1e3]}`, "the action is not known here"},
		{sessionChannel, `{"type":"session/ready"}`, `cannot be decoded: action: session/ready: "session/ready" is not a ClientAction`},
		{"ahp-chat:/none", `{"type":"session/titleChanged","title":"x"}`, "there is no such channel"},
		{rootChannel, `{"type":"session/titleChanged","title":"x"}`, "the action is one for another kind of channel"},
		{sessionChannel, `5`, "cannot be decoded: action: want object, got number"},
	} {
		c.says(dispatch(i+1, c1.channel, c1.action))
		c.hears(echo(i+1, i+1, c1.channel, c1.action, c1.reason))
	}
	now, ok := s.State(sessionChannel)
	require.True(t, ok)
	require.Equal(t, "x", now.(*ahp.SessionState).Title)

	// It comes back: with what it has missed, then to a server that has forgotten that.
	require.NoError(t, c.net.Close())
	c = speak(t, s)
	c.says(`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"c1","lastSeenServerSeq":7,"subscriptions":["ahp-session:/gone"]}}`)
	c.hears(`{"jsonrpc":"2.0","id":1,"result":{"type":"replay","actions":[{"channel":"ahp-session:/s","action":5,"serverSeq":8,"origin":{"clientId":"c1","clientSeq":8},"rejectionReason":"cannot be decoded: action: want object, got number"}],"missing":["ahp-session:/gone"]}}`)
	stranger := speak(t, s)
	stranger.says(`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"nobody","lastSeenServerSeq":7,"subscriptions":[]}}`)
	stranger.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"not initialized"}}`)
	stranger.says(strings.Replace(strings.Replace(opening, "c1", "old", 1), "1.0.0", "9.9.9", 1))
	stranger.hears(`{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"no common version","data":{"supportedVersions":` + asJSON(t, ahp.SupportedVersions()) + `}}}`)
	_, err := stranger.in.ReadByte()
	require.Error(t, err, "the connection ends after the refusal")
}

// TestALargeStateOfAServerWithoutALogHoldsUpNobody has a state of more bytes than may be on their way: nothing was sent
// that could make room.
func TestALargeStateOfAServerWithoutALogHoldsUpNobody(t *testing.T) {
	s, dial := hosting(t, nil)
	large := emptySession()
	large.Title = strings.Repeat("x", 10<<20)
	require.NoError(t, s.OpenChannel("ahp-session:/large", large))
	c, err := ahp.Connect(within(t), dial, nil)
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), "ahp-session:/large"))
	require.NoError(t, c.Close())
}

// TestAClientMaySubscribeToLargeStatesInARow asks for the next one before it has read the one before. Together they are
// more than may wait to be sent to a client that does not read.
func TestAClientMaySubscribeToLargeStatesInARow(t *testing.T) {
	s, dial := hosting(t, &ahp.ServerOptions{Limits: server.Limits{Peer: &rpc.Options{MaxUnsent: 6 << 20}}})
	large := emptySession()
	large.Title = strings.Repeat("x", 5<<20)
	const states = 10
	for i := range states {
		require.NoError(t, s.OpenChannel(fmt.Sprintf("ahp-session:/%d", i), large))
	}
	c, err := ahp.Connect(within(t), dial, nil)
	require.NoError(t, err)
	subscribed := make(chan error, states)
	for i := range states {
		go func() { subscribed <- c.Subscribe(within(t), fmt.Sprintf("ahp-session:/%d", i)) }()
	}
	for range states {
		require.NoError(t, <-subscribed)
	}
	require.NoError(t, c.Close())
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}
