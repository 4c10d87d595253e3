// Nothing that one client, a handler or an observer does stops the server for the others.

package ahp_test

import (
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

const ping = `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"channel":"ahp-root://"}}`

// soon fails the test if something does not happen.
func soon[T any](t *testing.T, c <-chan T, what string) (out T) {
	t.Helper()
	select {
	case out = <-c:
	case <-time.After(30 * time.Second):
		require.FailNow(t, what)
	}
	return out
}

func TestAChannelIsSentOnceHoweverOftenItIsNamed(t *testing.T) {
	s, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true})
	require.NoError(t, err)
	state := emptySession()
	state.Title = "the only title"
	require.NoError(t, s.OpenChannel(sessionChannel, state))
	c := come(t, s, "")
	c.says(introduces("c", sessionChannel, sessionChannel, sessionChannel))
	require.Equal(t, 1, strings.Count(c.hearsLine(), "the only title"))
	require.NoError(t, c.net.Close())
	again := come(t, s, "")
	again.says(comesBack("c", 0, sessionChannel, "ahp-session:/gone", sessionChannel, "ahp-session:/gone"))
	require.LessOrEqual(t, strings.Count(again.hearsLine(), "the only title"), 1)
	require.NoError(t, again.net.Close())
	require.NoError(t, s.Close())
}

func TestCloseEndsConnectionsThatHaveNotIntroducedThemselves(t *testing.T) {
	s, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true})
	require.NoError(t, err)
	c := come(t, s, "")
	c.says(ping)
	c.hearsLine() // it is being served
	require.NoError(t, s.Close())
	require.NoError(t, c.net.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = c.in.ReadByte()
	require.Error(t, err)
}

func TestWhatFollowsAnAnswerHoldsUpNobody(t *testing.T) {
	release := make(chan struct{})
	s, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true, Handlers: func(*server.Client) *ahp.HostHandlers {
		return &ahp.HostHandlers{
			ListSessions: func(ctx context.Context, _ *ahp.ListSessionsParams) (*ahp.ListSessionsResult, error) {
				rpc.AfterReply(ctx, func(context.Context) { <-release })
				return &ahp.ListSessionsResult{Items: []ahp.SessionSummary{}}, nil
			}}
	}})
	require.NoError(t, err)
	a, b := come(t, s, ""), come(t, s, "")
	for id, c := range map[string]*spoken{"a": a, "b": b} {
		c.says(introduces(id))
		c.hearsLine()
	}
	a.says(`{"jsonrpc":"2.0","id":5,"method":"listSessions","params":{"channel":"ahp-root://"}}`)
	a.hearsLine()
	b.says(ping)
	require.Contains(t, b.hearsLine(), `"id":9`)
	close(release)
	require.NoError(t, a.net.Close())
	require.NoError(t, b.net.Close())
	require.NoError(t, s.Close())
}

// firstJoin calls f when the first client has introduced itself.
type firstJoin struct {
	f    func()
	once sync.Once
}

func (o *firstJoin) Observe(e rpc.Event) {
	if e.Type == rpc.EventJoined {
		o.once.Do(o.f)
	}
}

// TestObserversMayPublishWhateverIsQueued: the observer is called while others have published more than the queue takes.
func TestObserversMayPublishWhateverIsQueued(t *testing.T) {
	called, goOn, published := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var s *ahp.Server
	s, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true, Observe: &firstJoin{f: func() {
		close(called)
		<-goOn
		published <- s.Publish(sessionChannel, titled("one"))
	}}})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c := come(t, s, "")
	c.says(introduces("a"))
	soon(t, called, "the observer is not called")
	others := make(chan struct{})
	go func() {
		defer close(others)
		for range 20 {
			_ = s.Publish(sessionChannel, titled(strings.Repeat("x", 1<<20)))
		}
	}()
	soon(t, others, "nothing is sent while the observer takes its time")
	close(goOn)
	require.NoError(t, soon(t, published, "the observer cannot publish"))
	require.NoError(t, c.net.Close())
	require.NoError(t, s.Close())
}

func TestAnActionOnWhichValidatePanicsIsRejected(t *testing.T) {
	for name, log := range map[string]shared.Log{"alone": nil, "one of several": &shared.Memory{}} {
		t.Run(name, func(t *testing.T) {
			var told atomic.Int64
			s, err := ahp.NewServer(&ahp.ServerOptions{
				Shared: log, OwnLists: true,
				OnError: func(error) { told.Add(1) },
				Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, action ahp.StateAction) error {
					if strings.HasPrefix(action.(*ahp.SessionTitleChangedAction).Title, "panic") {
						panic("an index out of range, or so")
					}
					return nil
				},
			})
			require.NoError(t, err)
			require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
			c, err := ahp.Connect(within(t), reach(t, s), nil)
			require.NoError(t, err)
			require.NoError(t, c.Subscribe(within(t), sessionChannel))
			for _, title := range []string{"before", "panic", "after"} {
				require.NoError(t, c.Dispatch(within(t), sessionChannel, titled(title)))
			}
			require.Eventually(t, func() bool {
				v, _ := c.Store.Session(sessionChannel)
				return v.Pending == 0 && v.Confirmed.Title == "after"
			}, 10*time.Second, time.Millisecond)
			require.NotZero(t, told.Load())
			require.NoError(t, c.Close())
			require.NoError(t, s.Close())
		})
	}
}

func TestCloseDoesNotWaitForAStateThatIsNotLoadedAnyMore(t *testing.T) {
	log := &shared.Memory{}
	require.NoError(t, sharing(t, log, ahp.ServerOptions{}).OpenChannel(sessionChannel, emptySession()))
	asked := make(chan struct{})
	var s *ahp.Server
	s, err := ahp.NewServer(&ahp.ServerOptions{Shared: log, OwnLists: true, Admit: func(context.Context, *server.Client, string) error {
		close(asked)
		<-s.Done()
		time.Sleep(100 * time.Millisecond) // until it does not follow the log any more
		return nil
	}})
	require.NoError(t, err)
	c := come(t, s, "")
	c.says(introduces("c"))
	c.hearsLine()
	c.says(`{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"channel":"` + sessionChannel + `"}}`)
	soon(t, asked, "nobody asked for the channel")
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	require.NoError(t, soon(t, closed, "it is not closed"))
}

// TestCloseInAHookEndsClientsThatWaitForIt: so many actions were accepted that no more are taken.
func TestCloseInAHookEndsClientsThatWaitForIt(t *testing.T) {
	var s *ahp.Server
	var once sync.Once
	full, closed := make(chan struct{}), make(chan error, 1)
	s, err := ahp.NewServer(&ahp.ServerOptions{OwnLists: true, Accepted: func(*server.Client, string, ahp.StateAction) {
		once.Do(func() {
			<-full
			closed <- s.Close()
		})
	}})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c := come(t, s, "")
	c.says(introduces("c", sessionChannel))
	c.hearsLine()
	go func() { _, _ = io.Copy(io.Discard, c.in) }()
	go func() {
		for i := range 30_000 {
			if _, err := io.WriteString(c.net, retitles(i+1, "x")+"\n"); err != nil {
				return
			}
		}
	}()
	first, before := s.Sequence(), int64(0)
	require.Eventually(t, func() bool {
		still := before == s.Sequence()
		before = s.Sequence()
		return still && before > first+10_000
	}, time.Minute, 200*time.Millisecond)
	close(full)
	require.NoError(t, soon(t, closed, "it waits for clients that wait for the hook"))
}
