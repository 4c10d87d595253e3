// Several servers with one log: lists, versions, and the end.

package ahp_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

type netConn = net.Conn

func TestServersWithOneLogKeepTheSameLists(t *testing.T) {
	log := &shared.Memory{}
	start := func() *ahp.Server {
		s, err := ahp.NewServer(&ahp.ServerOptions{Shared: log, Limits: server.Limits{Idle: time.Millisecond}})
		require.NoError(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	a, b := start(), start()
	require.NoError(t, a.OpenChannel(rootChannel, &ahp.RootState{Agents: []ahp.AgentInfo{}}))
	changes := make(chan string, 100)
	watch, err := ahp.Connect(within(t), reach(t, b), &ahp.ConnOptions{Handlers: &ahp.ClientHandlers{
		RootSessionAdded:          func(_ context.Context, p *ahp.SessionAddedParams) { changes <- "added " + p.Summary.Resource },
		RootSessionRemoved:        func(_ context.Context, p *ahp.SessionRemovedParams) { changes <- "removed " + p.Session },
		RootSessionSummaryChanged: func(_ context.Context, p *ahp.SessionSummaryChangedParams) { changes <- "changed " + p.Session },
	}})
	require.NoError(t, err)
	require.NoError(t, watch.Subscribe(within(t), rootChannel))
	for i := range 5 {
		require.NoError(t, a.OpenChannel(fmt.Sprint("ahp-session:/", i), emptySession()))
		require.Equal(t, fmt.Sprint("added ahp-session:/", i), <-changes)
	}
	time.Sleep(10 * time.Millisecond) // b lets go of the states
	require.NoError(t, a.Publish("ahp-session:/3", titled("other")))
	require.Equal(t, "changed ahp-session:/3", <-changes)
	require.NoError(t, b.CloseChannel("ahp-session:/4"))
	require.Equal(t, "removed ahp-session:/4", <-changes)

	late := start()
	for _, s := range []*ahp.Server{a, b, late} {
		require.Eventually(t, func() bool {
			now, ok := s.State(rootChannel)
			return ok && now.(*ahp.RootState).ActiveSessions != nil && *now.(*ahp.RootState).ActiveSessions == 4
		}, time.Minute, time.Millisecond)
		c, err := ahp.Connect(within(t), reach(t, s), nil)
		require.NoError(t, err)
		list, err := c.Host.ListSessions(within(t), &ahp.ListSessionsParams{})
		require.NoError(t, err)
		require.Len(t, list.Items, 4)
		titles := map[string]string{}
		for _, item := range list.Items {
			titles[item.Resource] = item.Title
		}
		require.Equal(t, map[string]string{"ahp-session:/0": "t", "ahp-session:/1": "t", "ahp-session:/2": "t", "ahp-session:/3": "other"}, titles)
		require.NoError(t, c.Close())
	}
	require.NoError(t, watch.Close())
}

func TestASharedLogOfAnotherVersion(t *testing.T) {
	log := &shared.Memory{}
	add := func(key string, kind server.Kind, writer, data string) {
		_, err := log.Append(ctx, shared.Batch{Records: []shared.Record{{Key: key, Kind: byte(kind), Writer: writer, Time: time.Now(), Data: []byte(data)}}})
		require.NoError(t, err)
	}
	add("s", server.Version, "0.8.0 x", "0.8.0")
	add("c/"+sessionChannel, server.ChannelState, "0.8.0 x", `{"resource":"ahp-session:/s","fromSeq":0,"state":`+asJSON(t, emptySession())+`}`)
	add("c/"+sessionChannel, server.Action, "0.8.0 x", `{"channel":"ahp-session:/s","serverSeq":0,"action":{"type":"session/titleChanged","title":"from 0.8.0"}}`)
	a := sharing(t, log, ahp.ServerOptions{})
	hasTitle(t, a, "from 0.8.0")
	watch, err := ahp.Connect(within(t), reach(t, a), nil)
	require.NoError(t, err)
	require.NoError(t, watch.Subscribe(within(t), sessionChannel))
	add("c/"+sessionChannel, server.Action, "0.8.0 x", `{"channel":"ahp-session:/s","serverSeq":0,"action":{"type":"session/titleChanged","title":"while it runs"}}`)
	require.Eventually(t, showing(watch, "while it runs"), time.Minute, time.Millisecond)
	require.NoError(t, a.Publish(sessionChannel, titled("from here")))
	hasTitle(t, sharing(t, log, ahp.ServerOptions{}), "from here")
	require.NoError(t, watch.Close())

	add("s", server.Version, "9.9.9 x", "9.9.9") // a server of a version begins that this one cannot read
	select {
	case <-a.Done():
	case <-within(t).Done():
		require.Fail(t, "it goes on")
	}
	require.ErrorContains(t, a.Err(), "it begins version 9.9.9")
	require.ErrorIs(t, a.Publish(sessionChannel, titled("")), server.ErrClosed)
	_, err = ahp.NewServer(&ahp.ServerOptions{Shared: log})
	require.ErrorContains(t, err, "was written by version 9.9.9")
}

// silentLog is a log that does not answer.
type silentLog struct {
	shared.Log
	stuck chan struct{}
}

func (l *silentLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	select {
	case <-l.stuck:
		<-ctx.Done()
		return 0, fmt.Errorf("%w: %w", ctx.Err(), shared.ErrUnknown)
	default:
		return l.Log.Append(ctx, b)
	}
}

func TestAServerEndsAlthoughItsSharedLogDoesNot(t *testing.T) {
	log := &silentLog{&shared.Memory{}, make(chan struct{})}
	s := sharing(t, log, ahp.ServerOptions{})
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c, err := ahp.Connect(within(t), reach(t, s), &ahp.ConnOptions{Keep: quick})
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	close(log.stuck)
	require.NoError(t, c.Dispatch(within(t), sessionChannel, titled("from a client")))
	published := make(chan error)
	go func() { published <- s.Publish(sessionChannel, titled("from the host")) }()
	late, way, limit := make(chan error, 1), reach(t, s), within(t)
	go func() {
		other, err := ahp.Connect(limit, way, &ahp.ConnOptions{Keep: quick})
		if err == nil {
			_ = other.Close()
		}
		late <- err
	}()
	time.Sleep(10 * time.Millisecond)
	ended := make(chan error)
	go func() { ended <- s.Close() }()
	require.Error(t, <-published)
	require.NoError(t, <-ended)
	require.Error(t, <-late)
	require.NoError(t, c.Close())
}

// TestAClientOfAnOlderVersionWithASharedLog: what it sends is lifted in its turn, and what it gets is lowered.
func TestAClientOfAnOlderVersionWithASharedLog(t *testing.T) {
	log := &shared.Memory{}
	a, b := sharing(t, log, ahp.ServerOptions{}), sharing(t, log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	old, err := ahp.Connect(within(t), reach(t, a), &ahp.ConnOptions{Opening: &ahp.InitializeParams{ProtocolVersions: []string{"0.8.0"}}})
	require.NoError(t, err)
	require.Equal(t, "0.8.0", old.Version())
	c, err := ahp.Connect(within(t), reach(t, b), nil)
	require.NoError(t, err)
	for _, c := range []*ahp.Conn{old, c} {
		require.NoError(t, c.Subscribe(within(t), sessionChannel))
	}
	for i := range 20 {
		require.NoError(t, old.Dispatch(within(t), sessionChannel, titled(fmt.Sprint("old ", i))))
		require.NoError(t, c.Dispatch(within(t), sessionChannel, titled(fmt.Sprint("new ", i))))
	}
	require.Eventually(t, func() bool {
		x, _ := old.Store.Session(sessionChannel)
		y, _ := c.Store.Session(sessionChannel)
		now, _ := a.State(sessionChannel)
		return x.Pending == 0 && y.Pending == 0 && x.Confirmed.Title == y.Confirmed.Title && now.(*ahp.SessionState).Title == x.Confirmed.Title
	}, time.Minute, time.Millisecond)
	require.NoError(t, old.Close())
	require.NoError(t, c.Close())
	var _ rpc.Conn = old
}
