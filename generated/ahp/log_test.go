// A server and its log on disk: what is there again after the server was closed, and what becomes of it when
// the log fails.

package ahp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// loggedServer is a server with a log on disk, which can be closed and opened again.
type loggedServer struct {
	*ahp.Server
	t       *testing.T
	path    string
	options ahp.ServerOptions
	log     *bolt.Log
}

// withLog returns a server with a log. It keeps no lists, so that numbers are those of what a test does.
func withLog(t *testing.T, o ahp.ServerOptions) *loggedServer {
	t.Helper()
	o.OwnLists = true
	l := &loggedServer{t: t, path: filepath.Join(t.TempDir(), "log"), options: o}
	l.open()
	require.NoError(t, l.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
	require.NoError(t, l.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, l.OpenStateless(watchChannel))
	t.Cleanup(l.close)
	return l
}

func (l *loggedServer) open() {
	l.t.Helper()
	log, err := bolt.Open(l.path, nil)
	require.NoError(l.t, err)
	l.log = log
	l.options.Log = log
	l.Server, err = ahp.NewServer(&l.options)
	require.NoError(l.t, err)
}

func (l *loggedServer) close() {
	l.t.Helper()
	require.NoError(l.t, l.Server.Close())
	require.NoError(l.t, l.log.Close())
}

// again closes the server and opens it from its log.
func (l *loggedServer) again() {
	l.t.Helper()
	l.close()
	l.open()
}

// publishes publishes titles, the number of each in front of some padding.
func (l *loggedServer) publishes(from, to, padding int) {
	l.t.Helper()
	for i := from; i <= to; i++ {
		require.NoError(l.t, l.Publish(sessionChannel, titled(fmt.Sprint(i, strings.Repeat(" ", padding)))))
	}
}

// everything is what a server has, states as JSON.
func everything(t *testing.T, s *ahp.Server) string {
	t.Helper()
	var b strings.Builder
	for _, name := range s.Channels() {
		fmt.Fprint(&b, name, " ")
		if now, ok := s.State(name); ok {
			b.WriteString(asJSON(t, now))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// kept counts the records of a log, by kind, while its server is closed.
func (l *loggedServer) kept() map[server.Kind]int {
	l.t.Helper()
	log, err := bolt.Open(l.path, nil)
	require.NoError(l.t, err)
	out := map[server.Kind]int{}
	require.NoError(l.t, log.Load(func(r server.Record) error { out[r.Kind]++; return nil }))
	require.NoError(l.t, log.Close())
	return out
}

// noted notes the messages of a connection.
type noted struct {
	rpc.Transport
	note func([]byte)
}

func (h noted) Read(limit int64) ([]byte, error) {
	data, err := h.Transport.Read(limit)
	if err == nil {
		h.note(data)
	}
	return data, err
}

func TestAServerGoesOnFromItsLog(t *testing.T) {
	for name, c := range map[string]struct{ window, padding, before, missed int }{
		"from its actions":           {1000, 0, 100, 20},
		"from checkpoints":           {50, 64 << 10, 150, 20},
		"from one beyond a window":   {50, 64 << 10, 150, 60},
		"from one in what it missed": {200, 64 << 10, 10, 150},
	} {
		t.Run(name, func(t *testing.T) {
			s := withLog(t, ahp.ServerOptions{Versions: []string{"1.0.0", "0.9.0"}, Limits: server.Limits{Window: c.window, WindowBytes: 1 << 30}})
			way := through(t, s.Server)
			var mu sync.Mutex
			var resumed struct {
				Result struct {
					Type    string
					Actions []struct{ ServerSeq int64 }
				}
			}
			opened, ready := 0, make(chan struct{}, 100)
			client, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
				socket, err := way.now(ctx)
				return noted{socket, func(data []byte) {
					mu.Lock()
					defer mu.Unlock()
					if strings.Contains(string(data[:min(len(data), 100)]), `"result":{"type":`) {
						_ = json.Unmarshal(data, &resumed)
					}
				}}, err
			}, &ahp.ConnOptions{
				Keep:    quick,
				Opening: &ahp.InitializeParams{ProtocolVersions: []string{"0.9.0"}},
				Opened:  func(*ahp.InitializeResult) { opened++ },
				Ready:   func(context.Context, *ahp.HostConn) error { ready <- struct{}{}; return nil },
			})
			require.NoError(t, err)
			<-ready
			require.NoError(t, client.Subscribe(within(t), sessionChannel))
			s.publishes(1, c.before, c.padding)
			seen := func() bool { return client.Store.LastSeen() == s.Sequence() }
			require.Eventually(t, seen, time.Minute, time.Millisecond)
			way.refuse.Store(true)
			way.cut()
			require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
			s.publishes(c.before+1, c.before+c.missed, c.padding)

			want, last := everything(t, s.Server), s.Sequence()
			s.again()
			require.Equal(t, want, everything(t, s.Server))
			require.Greater(t, s.Sequence(), last)
			require.ErrorIs(t, s.OpenChannel(sessionChannel, emptySession()), server.ErrChannelExists)
			way.mu.Lock()
			way.dial = reach(t, s.Server)
			way.mu.Unlock()
			<-ready
			require.Eventually(t, func() bool { return client.Store.LastSeen() >= last }, time.Minute, time.Millisecond)
			s.publishes(c.before+c.missed+1, c.before+c.missed+1, 0)
			require.Eventually(t, showing(client, fmt.Sprint(c.before+c.missed+1)), time.Minute, time.Millisecond)
			require.NoError(t, client.Close())
			require.Equal(t, 1, opened, "the server knows the client")
			require.Equal(t, "0.9.0", client.Version())
			mu.Lock()
			defer mu.Unlock()
			if c.missed > c.window {
				require.Equal(t, "snapshot", resumed.Result.Type)
				return
			}
			require.Equal(t, "replay", resumed.Result.Type)
			require.Len(t, resumed.Result.Actions, c.missed)
			for i, e := range resumed.Result.Actions {
				require.Equal(t, last-int64(c.missed)+int64(i)+1, e.ServerSeq)
			}
			s.close()
			if kept := s.kept(); c.padding > 0 {
				require.Positive(t, kept[server.Trim]+c.window/200, "there was a checkpoint")
				require.Less(t, kept[server.Action], c.window+70)
			}
			s.open()
		})
	}
}

func TestChannelsThatEndedAndBeganAnewAreAsTheyWere(t *testing.T) {
	s := withLog(t, ahp.ServerOptions{Limits: server.Limits{Window: 10}})
	const other = "ahp-terminal:/t"
	for i := range 4 {
		s.publishes(1, 40, 32<<10) // a checkpoint in every other round
		require.NoError(t, s.CloseChannel(sessionChannel))
		if i%2 == 0 {
			require.NoError(t, s.OpenChannel(other, &ahp.TerminalState{Content: []ahp.TerminalContentPart{}, Claim: &ahp.TerminalClientClaim{ClientID: "c"}, Lifecycle: &ahp.TerminalRunningLifecycleState{}}))
			require.NoError(t, s.Publish(other, &ahp.TerminalDataAction{Data: "x"}))
		} else {
			require.NoError(t, s.CloseChannel(other))
		}
		require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
		require.NoError(t, s.CloseChannel(watchChannel))
		require.NoError(t, s.OpenStateless(watchChannel))
		want := everything(t, s.Server)
		s.again()
		require.Equal(t, want, everything(t, s.Server), i)
		s.publishes(1, 90, 32<<10)
		want = everything(t, s.Server)
		s.again()
		require.Equal(t, want, everything(t, s.Server), i)
	}
}

func TestRefusedActionsStayRefused(t *testing.T) {
	s := withLog(t, ahp.ServerOptions{Limits: countingOn(), Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, a ahp.StateAction) error {
		return errors.New("not today")
	}})
	c := speak(t, s.Server)
	c.says(opening)
	c.hears(opened)
	c.says(
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":1,"action":{"type":"session/titleChanged","title":"x"}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":2,"action":{"type":"session/flown"}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":3,"action":{"type":"session/titleChanged"}}}`,
		`{"jsonrpc":"2.0","method":"dispatchAction","params":{"channel":"ahp-session:/s","clientSeq":4,"action":5}}`)
	require.Eventually(t, func() bool { return s.Sequence() == 4 }, time.Minute, time.Millisecond)
	require.NoError(t, c.net.Close())
	s.publishes(1, 1, 0)
	want := everything(t, s.Server)
	for range 2 {
		s.again()
		require.Equal(t, want, everything(t, s.Server))
	}
	// What could not be decoded is remembered by nobody: who lacks it gets states.
	c = speak(t, s.Server)
	c.says(`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"c1","lastSeenServerSeq":3,"subscriptions":[]}}`)
	c.hears(`{"jsonrpc":"2.0","id":1,"result":{"type":"snapshot","snapshots":[]}}`)
	c = speak(t, s.Server)
	c.says(`{"jsonrpc":"2.0","id":1,"method":"reconnect","params":{"channel":"ahp-root://","clientId":"c1","lastSeenServerSeq":4,"subscriptions":[]}}`)
	c.hears(`{"jsonrpc":"2.0","id":1,"result":{"type":"replay","actions":[],"missing":[]}}`)
}

func TestALogStaysShortHoweverOftenTheServerStarts(t *testing.T) {
	s := withLog(t, ahp.ServerOptions{Limits: server.Limits{Window: 10}})
	for range 12 {
		s.publishes(1, 20, 64<<10) // less than a checkpoint is worth
		s.again()
	}
	s.close()
	require.Less(t, s.kept()[server.Action], 120)
	s.open()
}

// failing is a log that fails once.
type failing struct {
	mu      sync.Mutex
	records []server.Record
	at      int64 // fails at the action of this number
	block   chan struct{}
}

func (*failing) Load(func(server.Record) error) error { return nil }

func (f *failing) Append(records []server.Record) error {
	for _, r := range records {
		if r.Kind == server.Action && r.Sequence == f.at {
			<-f.block
			return errors.New("the disk is full")
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records = append(f.records, records...)
	return nil
}

func TestNothingIsKeptOrSentBehindWhatCouldNotBeKept(t *testing.T) {
	log := &failing{at: 2, block: make(chan struct{})}
	failed := make(chan error, 10)
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, Limits: countingOn(), OnError: func(err error) { failed <- err }})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c := speak(t, s)
	c.says(strings.Replace(opening, `"clientId"`, `"initialSubscriptions":["ahp-session:/s"],"clientId"`, 1))
	_, err = c.in.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, s.Publish(sessionChannel, titled("1")))
	c.hears(`{"jsonrpc":"2.0","method":"action","params":{"channel":"ahp-session:/s","action":{"type":"session/titleChanged","title":"1"},"serverSeq":1}}`)
	require.NoError(t, s.Publish(sessionChannel, titled("2")))
	time.Sleep(10 * time.Millisecond)
	require.NoError(t, s.Publish(sessionChannel, titled("3")), "it waits behind the one that is being kept")
	close(log.block)
	require.ErrorContains(t, <-failed, "the disk is full")
	line, err := c.in.ReadString('\n')
	require.Error(t, err, line)
	require.ErrorIs(t, s.Publish(sessionChannel, titled("4")), server.ErrClosed)
	require.ErrorIs(t, s.CloseChannel(sessionChannel), server.ErrClosed)
	require.ErrorContains(t, s.Close(), "the disk is full", "who closes it is told as well")
	log.mu.Lock()
	defer log.mu.Unlock()
	last := log.records[len(log.records)-1]
	require.EqualValues(t, 1, last.Sequence)
	require.Equal(t, server.Action, last.Kind)
}

func TestAChannelThatBeganAnewIsNotTakenForTheOldOne(t *testing.T) {
	for _, restarted := range []bool{false, true} {
		s := withLog(t, ahp.ServerOptions{})
		way := through(t, s.Server)
		ready := make(chan struct{}, 100)
		c, err := ahp.Connect(within(t), way.now, &ahp.ConnOptions{Keep: quick, Ready: func(context.Context, *ahp.HostConn) error { ready <- struct{}{}; return nil }})
		require.NoError(t, err)
		<-ready
		require.NoError(t, c.Subscribe(within(t), sessionChannel))
		s.publishes(1, 5, 0)
		require.Eventually(t, showing(c, "5"), time.Minute, time.Millisecond)
		way.refuse.Store(true)
		way.cut()
		require.Eventually(t, func() bool { return s.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
		require.NoError(t, s.CloseChannel(sessionChannel))
		if restarted {
			s.again()
		}
		require.NoError(t, s.OpenChannel(sessionChannel, emptySession())) // no action happened in between
		way.mu.Lock()
		way.dial = reach(t, s.Server)
		way.mu.Unlock()
		<-ready
		require.Equal(t, "t", titleOf(t, c))
		require.NoError(t, c.Close())
	}
}

// BenchmarkDispatchWithLog is what an action takes from one client through a server to that client and another,
// one after the other and with up to 100 on their way, with a log and without.
func BenchmarkDispatchWithLog(b *testing.B) {
	for _, kept := range []bool{false, true} {
		for _, ahead := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("log=%t/ahead=%d", kept, ahead), func(b *testing.B) {
				var o ahp.ServerOptions
				if kept {
					log, err := bolt.Open(filepath.Join(b.TempDir(), "log"), nil)
					require.NoError(b, err)
					defer func() { _ = log.Close() }()
					o.Log = log
				}
				s, err := ahp.NewServer(&o)
				require.NoError(b, err)
				defer func() { _ = s.Close() }()
				require.NoError(b, s.OpenChannel(sessionChannel, emptySession()))
				answered := make(chan struct{}, ahead)
				join := func(received func(*ahp.ActionEnvelope, state.Outcome)) *ahp.Conn {
					c, err := ahp.Connect(b.Context(), func(context.Context) (rpc.Transport, error) {
						ours, theirs := net.Pipe()
						go func() { _ = s.Serve(context.WithoutCancel(b.Context()), rpc.Stream(theirs)) }()
						return rpc.Stream(ours), nil
					}, &ahp.ConnOptions{Received: received})
					require.NoError(b, err)
					require.NoError(b, c.Subscribe(b.Context(), sessionChannel))
					return c
				}
				c := join(func(*ahp.ActionEnvelope, state.Outcome) { <-answered })
				join(nil)
				action := titled(strings.Repeat("x", 100))
				for b.Loop() {
					answered <- struct{}{}
					if err := c.Dispatch(b.Context(), sessionChannel, action); err != nil {
						b.Fatal(err)
					}
				}
				for range ahead {
					answered <- struct{}{} // all have been answered
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "actions/s")
			})
		}
	}
}

// TestChannelsStayInTheLogWhenAServerIsClosed: its clients leave them then, but not for good.
func TestChannelsStayInTheLogWhenAServerIsClosed(t *testing.T) {
	closed := make(chan error, 1)
	var s *loggedServer
	s = withLog(t, ahp.ServerOptions{Empty: func(channel string) { closed <- s.CloseEmpty(channel) }})
	c, err := ahp.Connect(within(t), reach(t, s.Server), nil)
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.NoError(t, s.Server.Close())
	require.ErrorIs(t, soon(t, closed, "nobody was told that it is empty"), server.ErrClosed)
	require.NoError(t, errors.Join(c.Close(), s.log.Close()))
	s.open()
	require.Contains(t, s.Channels(), sessionChannel)
}
