// What an observer sees of a host and of a client's session.

package ahp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/conn"
	observing "github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/state"
)

// seen keeps events.
type seen struct {
	mu     sync.Mutex
	events []rpc.Event
}

func (s *seen) Observe(e rpc.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// lines are the events but for single messages and connections, in their order.
func (s *seen) lines() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		if e.Type > rpc.EventCut {
			line := fmt.Sprintf("%s %d %s %s %s", e.Type, e.Count, e.Channel, e.Client, e.Version)
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return out
}

func (s *seen) await(t *testing.T, line string) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Contains(s.lines(), line) }, 10*time.Second, time.Millisecond, "%s: %q", line, s.lines)
}

func TestAnObserverSeesAHostAndASession(t *testing.T) {
	var here, there seen
	var counts observing.Counts
	s, dial := hosting(t, &ahp.ServerOptions{
		Observe: observing.All(&there, &counts),
		Validate: func(_ *server.Client, _ string, _ ahp.SnapshotState, a ahp.StateAction) error {
			if a.(*ahp.SessionTitleChangedAction).Title == "" {
				return errors.New("no title")
			}
			return nil
		},
	})
	var link rpc.Transport
	outcomes := make(chan state.Outcome, 10)
	c, err := ahp.Connect(within(t), func(ctx context.Context) (rpc.Transport, error) {
		var err error
		link, err = dial(ctx)
		return link, err
	}, &ahp.ConnOptions{
		ClientID: "me", Keep: conn.Options{Observe: &here, MinWait: time.Millisecond},
		Received: func(_ *ahp.ActionEnvelope, o state.Outcome) { outcomes <- o },
	})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	require.NoError(t, c.Dispatch(within(t), sessionChannel, titled("x")))
	require.NoError(t, c.Dispatch(within(t), sessionChannel, titled("")))
	<-outcomes
	<-outcomes
	_ = link.Close("")
	here.await(t, "ready 2 1.0.0")
	require.NoError(t, s.Publish(sessionChannel, titled("y")))
	<-outcomes
	require.NoError(t, c.Close())
	require.NoError(t, s.Close())

	require.Equal(t, []string{
		"channel opened 1 ahp-root://", "channel opened 2 ahp-session:/s", "joined 1 me 1.0.0", "subscribed 1 ahp-session:/s me",
		"published 1 ahp-session:/s me", "rejected 1 ahp-session:/s me", "unsubscribed 0 ahp-session:/s me", "left 0 me",
		"joined 1 me 1.0.0", "subscribed 1 ahp-session:/s me", "replayed 0 me", "published 1 ahp-session:/s",
		"unsubscribed 0 ahp-session:/s me", "left 0 me",
	}, there.lines())
	require.Equal(t, []string{
		"connecting 1", "ready 1 1.0.0", "subscribed 0 ahp-session:/s", "waiting 1", "connecting 1", "ready 2 1.0.0", "closed 0",
	}, here.lines())

	figures := counts.Read()
	require.Equal(t, []int64{0, 0, 2, 0}, []int64{figures.Connections, figures.Clients, figures.Channels, figures.Subscriptions})
	require.Equal(t, []int64{2, 1, 1}, []int64{figures.Published, figures.Rejected, figures.Replayed})
	i := slices.IndexFunc(figures.Methods, func(m observing.MethodFigure) bool { return m.Method == "action" })
	require.Equal(t, int64(3), figures.Methods[i].Sent)
	require.Equal(t, int64(3), figures.Waited.Count, "each recipient of what is published counts")
}

// stuckLog appends when it is let.
type stuckLog struct{ let chan struct{} }

func (stuckLog) Load(func(server.Record) error) error { return nil }

func (l stuckLog) Append(records []server.Record) error {
	if records[0].Kind == server.ChannelState {
		<-l.let
	}
	return nil
}

func TestAServerIsReadyOnceItsQueueHasMoved(t *testing.T) {
	log := stuckLog{make(chan struct{})}
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log})
	require.NoError(t, err)
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Ready(ctx), context.DeadlineExceeded)
	require.NoError(t, s.Err())
	close(log.let)
	require.NoError(t, s.Ready(within(t)))
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Ready(within(t)), server.ErrClosed)
}

// An observer may call the server: it has no lock of it.
func TestAnObserverMayCallTheServer(t *testing.T) {
	var s *ahp.Server
	var ready sync.WaitGroup
	ready.Add(1)
	called := make(chan int, 100)
	o := observing.Func(func(e rpc.Event) {
		if e.Type > rpc.EventCut {
			ready.Wait()
			called <- len(s.Channels())
			panic("observe this")
		}
	})
	failed := make(chan error, 100)
	s, err := ahp.NewServer(&ahp.ServerOptions{Observe: o, OnError: func(err error) { failed <- err }})
	require.NoError(t, err)
	ready.Done()
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, s.Publish(sessionChannel, titled("x")))
	require.Equal(t, 1, <-called)
	var panicked *rpc.ObserverError
	require.ErrorAs(t, <-failed, &panicked)
	require.NoError(t, s.Close())
}

// waiting is an observer that takes long for channels, and asks whether their host is ready.
type waiting struct {
	host  *ahp.Server
	knows atomic.Bool
}

func (w *waiting) Observe(e rpc.Event) {
	if e.Type != rpc.EventChannelOpened {
		return
	}
	time.Sleep(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	w.knows.Store(w.host.Ready(ctx) == nil)
}

func TestAHostIsReadyOnceItsObserverKnowsIt(t *testing.T) {
	w := &waiting{}
	host, err := ahp.NewServer(&ahp.ServerOptions{Observe: w})
	require.NoError(t, err)
	w.host = host
	require.NoError(t, host.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, host.Ready(t.Context()))
	require.True(t, w.knows.Load())
	require.NoError(t, host.Close())
}
