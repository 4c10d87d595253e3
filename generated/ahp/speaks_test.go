// Clients that speak an older version: what they do where a host written by hand makes it hard.

package ahp_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// hearing keeps the methods that a host was hearing for.
type hearing struct {
	mu      sync.Mutex
	methods []string
}

func (l *hearing) add(method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.methods = append(l.methods, method)
}

func (l *hearing) list() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.methods)
}

// TestAReplayThatCannotBeLiftedIsFollowedByAHandshake: what an older host says of an error is lifted with the state before it, which a
// replay does not have.
func TestAReplayThatCannotBeLiftedIsFollowedByAHandshake(t *testing.T) {
	const changeset = "ahp-changeset:/c"
	snapshot := func(n int) string {
		return fmt.Sprintf(`{"resource":%q,"state":{"status":"error","error":{"errorType":"x","message":"as of %d"},"files":[]},"fromSeq":%d}`, changeset, n, n)
	}
	var heard hearing
	opened := 0
	dial := scripted(t, func(method string, _ func(string, ...any)) string {
		heard.add(method)
		switch method {
		case "initialize":
			if opened++; opened == 2 {
				return `{"protocolVersion":"0.7.0","serverSeq":12,"snapshots":[` + snapshot(12) + `]}`
			}
			return `{"protocolVersion":"0.7.0","serverSeq":10,"snapshots":[]}`
		case "subscribe":
			return `{"snapshot":` + snapshot(10) + `}`
		case "ping":
			return "hang up"
		case "reconnect":
			return fmt.Sprintf(`{"type":"replay","missing":[],"actions":[{"channel":%q,"serverSeq":11,`+
				`"action":{"type":"changeset/contentChanged","files":[],"error":{"errorType":"x","message":"other"}}}]}`, changeset)
		}
		return "null"
	})
	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Keep: quick})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), changeset))
	_ = c.Host.Ping(within(t), nil)
	require.Eventually(t, func() bool {
		view, ok := c.Store.Changeset(changeset)
		return ok && view.Confirmed.Error.Message == "as of 12"
	}, time.Minute, time.Millisecond)
	require.Equal(t, []string{"initialize", "subscribe", "ping", "reconnect", "initialize"}, heard.list())
	require.NoError(t, c.Close())
}

// TestWhatAnOlderHostCannotBeToldIsNotDispatched: before 0.6.0 a turn that begins leaves open what the one before it has hearing.
func TestWhatAnOlderHostCannotBeToldIsNotDispatched(t *testing.T) {
	const chat = "ahp-chat:/c"
	var heard hearing
	dial := scripted(t, func(method string, _ func(string, ...any)) string {
		heard.add(method)
		switch method {
		case "initialize":
			return `{"protocolVersion":"0.5.2","serverSeq":10,"snapshots":[]}`
		case "subscribe":
			return fmt.Sprintf(`{"snapshot":{"resource":%q,"fromSeq":10,"state":{"resource":%q,"title":"t","status":24,"modifiedAt":"2026-01-02T03:04:05.000Z",`+
				`"turns":[],"activeTurn":{"id":"a","message":{"text":"x","origin":{"kind":"user"}},"responseParts":[]},"inputRequests":[{"id":"r"}]}}}`, chat, chat)
		}
		return "null"
	})
	c, err := ahp.Connect(within(t), dial, &ahp.ConnOptions{Keep: quick})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), chat))
	before, _ := c.Store.Chat(chat)
	message := ahp.Message{Text: "y", Origin: ahp.MessageOrigin{Kind: ahp.MessageKindUser}}
	start := &ahp.ChatTurnStartedAction{TurnID: "b", StartedAt: "2026-01-02T03:04:05.000Z", Message: message}
	err = c.Dispatch(within(t), chat, start)
	require.EqualError(t, err, "dispatchAction: version 0.5.2: cannot be said in the other version: it is several messages there")
	after, _ := c.Store.Chat(chat)
	require.Zero(t, after.Pending)
	require.Equal(t, asJSON(t, before.Confirmed), asJSON(t, after.Optimistic))
	require.ErrorContains(t, c.Dispatch(within(t), chat, &ahp.ChatIsReadChangedAction{IsRead: true}), "0.5.2")
	require.NoError(t, c.Dispatch(within(t), chat, &ahp.ChatTurnCancelledAction{TurnID: "a"}))
	require.NoError(t, c.Host.Ping(within(t), nil))
	require.Equal(t, []string{"initialize", "subscribe", "dispatchAction", "ping"}, heard.list())
	require.NoError(t, c.Close())
}

// TestWhatWaitsForItsTurnIsForTheConnectionThatThereIsThen: a connection that has ended meanwhile has no answers any more.
func TestWhatWaitsForItsTurnIsForTheConnectionThatThereIsThen(t *testing.T) {
	s, _ := hosting(t, nil)
	way := through(t, s)
	c, err := ahp.Connect(within(t), way.dial, &ahp.ConnOptions{Keep: quick})
	require.NoError(t, err)
	begun, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2)
	go func() {
		done <- c.InOrder(within(t), func(rpc.Conn) error {
			close(begun)
			<-release
			return nil
		})
	}()
	<-begun
	go func() {
		done <- c.InOrder(within(t), func(to rpc.Conn) error {
			_, err := to.Call(context.Background(), "ping", []byte(`{"channel":"ahp-root://"}`))
			return err
		})
	}()
	way.cut()
	require.Eventually(t, func() bool { return c.Status().State != conn.Ready }, time.Minute, time.Millisecond)
	close(release)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	require.NoError(t, c.Close())
}

// TestAClientThatWasUpdatedIsNotTakenForItsOldVersion: a reconnect does not say any version, and the host goes by what was agreed last. So
// a new process introduces itself, whatever ID it has, and reconnects in the version that it has agreed on.
func TestAClientThatWasUpdatedIsNotTakenForItsOldVersion(t *testing.T) {
	for name, versions := range map[string][2]string{"updated": {"0.7.0", "1.0.0"}, "set back": {"1.0.0", "0.7.0"}} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the host restarts %v", name, restarts), func(t *testing.T) {
				resumes := make(chan bool, 10)
				log := &holding{}
				options := &ahp.ServerOptions{Log: log, OwnLists: true, Authorize: func(_ context.Context, _ *server.Client, claim server.Claim) error {
					resumes <- claim.Resume
					return nil
				}}
				s, _ := hosting(t, options)
				way := through(t, s)
				before, id, sequence := versions[0], "", int64(0)
				for _, version := range versions {
					got := make(chan ahp.ActionType, 10)
					c, err := ahp.Connect(within(t), way.now, &ahp.ConnOptions{
						ClientID: id, Sequence: sequence, Keep: quick, Opening: &ahp.InitializeParams{ProtocolVersions: []string{version}},
						Received: func(e *ahp.ActionEnvelope, _ state.Outcome) { got <- e.Action.ActionType() },
					})
					require.NoError(t, err)
					require.False(t, <-resumes, "it has introduced itself")
					require.Equal(t, version, c.Version())
					require.NoError(t, c.Subscribe(within(t), sessionChannel))
					require.Equal(t, version == "1.0.0", hearsNews(t, s, got))
					way.cut()
					require.True(t, <-resumes)
					require.Eventually(t, func() bool { return c.Status().State == conn.Ready && s.Subscribers(sessionChannel) == 1 }, time.Minute, time.Millisecond)
					require.Equal(t, version, c.Version())
					require.Equal(t, version == "1.0.0", hearsNews(t, s, got), "it was %s before", before)
					id, sequence = c.ID(), c.Sequence()
					require.NoError(t, c.Close())
					if restarts {
						require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
						require.NoError(t, s.Close())
						s, err = ahp.NewServer(options)
						require.NoError(t, err)
						t.Cleanup(func() { require.NoError(t, s.Close()) })
						way = through(t, s)
					}
				}
			})
		}
	}
}

// hearsNews publishes an action that is new in 1.0.0, and one that is not, and reports whether a client gets the former.
func hearsNews(t *testing.T, s *ahp.Server, got <-chan ahp.ActionType) (heard bool) {
	t.Helper()
	require.NoError(t, s.Publish(sessionChannel, &ahp.SessionMCPServerBackgroundRequestedAction{ID: "m"}))
	require.NoError(t, s.Publish(sessionChannel, titled("new")))
	for kind := range got {
		switch kind {
		case ahp.ActionTypeSessionTitleChanged:
			return heard
		case ahp.ActionTypeSessionMCPServerBackgroundRequested:
			heard = true
		}
	}
	return heard
}
