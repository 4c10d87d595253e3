// Several servers with one log: states that come and go, checkpoints, epochs, turns, and who a client is.

package ahp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	observing "github.com/ahpgen/ahpgen/generated/wire/observe"
	"github.com/ahpgen/ahpgen/generated/wire/rpc"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// countedLog counts what is asked of a log, by the name of the method.
type countedLog struct {
	shared.Log
	mu    sync.Mutex
	count map[string]int
}

func (l *countedLog) did(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[string]int{}
	}
	l.count[what]++
}

func (l *countedLog) times(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count[what]
}

func (l *countedLog) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	if strings.HasPrefix(key, "c/") {
		defer l.did("read")
	}
	return l.Log.Read(ctx, key, after, f)
}

func (l *countedLog) Save(ctx context.Context, epoch int64, rec shared.Record) error {
	defer l.did("save")
	return l.Log.Save(ctx, epoch, rec)
}

func (l *countedLog) Trim(ctx context.Context, upTo shared.Position) error {
	defer l.did("trim")
	return l.Log.Trim(ctx, upTo)
}

func TestAStateThatNobodyNeedsIsLetGoAndLoadedAgain(t *testing.T) {
	log := &countedLog{Log: &shared.Memory{}}
	a := sharing(t, log, ahp.ServerOptions{Limits: server.Limits{Idle: time.Millisecond}})
	b := sharing(t, log.Log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	for i := range 10 {
		require.NoError(t, a.Publish(sessionChannel, titled(fmt.Sprint(i))))
		require.NoError(t, b.Publish(sessionChannel, titled(fmt.Sprint(i, " by b"))))
	}
	hasTitle(t, a, "9 by b")
	for range 5 {
		before := log.times("read")
		require.Eventually(t, func() bool {
			time.Sleep(5 * time.Millisecond)
			hasTitle(t, a, "9 by b")
			return log.times("read") > before
		}, time.Minute, time.Millisecond, "it was never let go")
	}
	require.NoError(t, a.Publish(sessionChannel, titled("mine is the last")))
	require.Eventually(t, func() bool { return log.times("save") > 0 }, time.Minute, time.Millisecond, "then a writes a checkpoint first")
	hasTitle(t, a, "mine is the last")

	c, err := ahp.Connect(within(t), reach(t, a), nil)
	require.NoError(t, err)
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	time.Sleep(10 * time.Millisecond)
	require.NoError(t, b.Publish(sessionChannel, titled("to the subscriber")))
	require.Eventually(t, showing(c, "to the subscriber"), time.Minute, time.Millisecond)
	require.NoError(t, c.Close())
}

func TestCheckpointsLetTheLogBeTrimmed(t *testing.T) {
	memory := &shared.Memory{}
	log := &countedLog{Log: memory}
	limits := server.Limits{Window: 50}
	a := sharing(t, log, ahp.ServerOptions{Limits: limits})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, a.OpenChannel("ahp-session:/quiet", emptySession()))
	require.NoError(t, a.OpenStateless(watchChannel))
	long := strings.Repeat(".", 1<<10)
	for i := range 1000 {
		require.NoError(t, a.Publish(sessionChannel, titled(fmt.Sprint(i, long))))
	}
	require.Eventually(t, func() bool { return log.times("trim") > 0 }, time.Minute, time.Millisecond)
	require.NotZero(t, log.times("save"))
	var moved *shared.MovedError
	require.ErrorAs(t, memory.Follow(within(t), shared.Position{Epoch: 1, Number: 1}, func([]shared.Record) error { return errFaulty }), &moved)
	require.True(t, moved.Trimmed)

	b := sharing(t, log, ahp.ServerOptions{Limits: server.Limits{Window: 10_000}})
	require.NoError(t, b.Ready(within(t)))
	require.Equal(t, a.Channels(), b.Channels())
	hasTitle(t, b, "999"+long)
	quiet, ok := b.State("ahp-session:/quiet")
	require.True(t, ok)
	require.Equal(t, asJSON(t, emptySession()), asJSON(t, quiet))
	_, ok = b.State(watchChannel)
	require.False(t, ok)
	require.ErrorIs(t, b.OpenStateless(watchChannel), server.ErrChannelExists)
	require.Equal(t, a.Sequence(), b.Sequence())
}

// TestAFormerHolderOfALeasePublishesNothing: the log refuses it, on all servers, while others go on.
func TestAFormerHolderOfALeasePublishesNothing(t *testing.T) {
	log := &shared.Memory{}
	a, b := sharing(t, log, ahp.ServerOptions{}), sharing(t, log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	first, err := shared.Acquire(within(t), log, "agent", nil)
	require.NoError(t, err)
	require.NoError(t, a.PublishFenced(sessionChannel, titled("first"), first.Fence()))
	require.ErrorIs(t, a.PublishFenced("ahp-session:/none", titled("first"), first.Fence()), server.ErrNoChannel)
	require.NoError(t, first.Release(within(t)))
	second, err := shared.Acquire(within(t), log, "agent", nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, second.Release(within(t))) }()

	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			assert.ErrorIs(t, a.PublishFenced(sessionChannel, titled("former"), first.Fence()), server.ErrFenced)
		})
		group.Go(func() {
			assert.NoError(t, b.PublishFenced(sessionChannel, titled(fmt.Sprint("second ", i)), second.Fence()))
		})
	}
	group.Wait()
	require.NoError(t, b.PublishFenced(sessionChannel, titled("last"), second.Fence()))
	require.NoError(t, a.Publish(sessionChannel, titled("unfenced")))
	hasTitle(t, a, "unfenced")
	require.NoError(t, log.Read(t.Context(), "c/"+sessionChannel, 0, func(r shared.Record) error {
		require.NotContains(t, string(r.Data), "former")
		return nil
	}))

	alone, err := ahp.NewServer(nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, alone.Close()) }()
	require.ErrorIs(t, alone.PublishFenced(sessionChannel, titled("first"), first.Fence()), errors.ErrUnsupported)
}

// TestAServerThatLagsWaitsForItsClients: a client that has seen more than a server gets nothing twice.
func TestAServerThatLagsWaitsForItsClients(t *testing.T) {
	log := &shared.Memory{}
	slow := &faultyLog{Log: log}
	a, b := sharing(t, log, ahp.ServerOptions{}), sharing(t, slow, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, b.Ready(within(t)))
	ways := []func(context.Context) (rpc.Transport, error){reach(t, a)}
	c := roaming(t, "1.0.0", ways, sessionChannel)
	slow.reading.Lock()
	read := sync.OnceFunc(slow.reading.Unlock)
	t.Cleanup(read) // before b is closed
	for i := range 20 {
		require.NoError(t, a.Publish(sessionChannel, titled(fmt.Sprint(i))))
	}
	require.Eventually(t, showing(c.Conn, "19"), time.Minute, time.Millisecond)
	behind := b.Sequence()
	require.Less(t, behind, a.Sequence()-19*64)
	published, toB := make(chan struct{}), reach(t, b)
	ways[0] = func(ctx context.Context) (rpc.Transport, error) {
		select {
		case <-published:
			return toB(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c.cut()
	require.Eventually(t, func() bool { return a.Subscribers(sessionChannel) == 0 }, time.Minute, time.Millisecond)
	require.NoError(t, a.Publish(sessionChannel, titled("missed")))
	close(published)
	// It has reached b once its record is in the log, and b has not read that.
	number := func() int64 { n, err := log.Last(ctx, "k/"+c.ID()); require.NoError(t, err); return n }
	require.Eventually(t, func() bool { end, err := log.End(ctx); return err == nil && number() == end.Number }, time.Minute, time.Millisecond)
	require.Zero(t, b.Subscribers(sessionChannel))
	require.Equal(t, behind, b.Sequence())
	read()
	require.Eventually(t, showing(c.Conn, "missed"), time.Minute, time.Millisecond)
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Equal(t, 1, c.replays)
	require.Zero(t, c.restarts)
	require.Len(t, c.seen, 21)
}

func TestOneIDBelongsToOnePrincipalOnAllServers(t *testing.T) {
	log := &shared.Memory{}
	servers := []*ahp.Server{sharing(t, log, ahp.ServerOptions{}), sharing(t, log, ahp.ServerOptions{})}
	as := func(s *ahp.Server, name string) func(context.Context) (rpc.Transport, error) {
		address := listener(t, func(c netConn) {
			_ = s.Serve(rpc.WithPrincipal(context.WithoutCancel(t.Context()), rpc.Principal{Name: name}), rpc.Stream(c))
		})
		return dialing(address)
	}
	for i := range 20 {
		id := fmt.Sprint("id", i)
		conns, errs := make([]*ahp.Conn, 2), make([]error, 2)
		var both sync.WaitGroup
		for n, name := range []string{"alice", "mallory"} {
			way := as(servers[n], name)
			both.Add(1)
			go func() {
				defer both.Done()
				conns[n], errs[n] = ahp.Connect(within(t), way, &ahp.ConnOptions{ClientID: id, Keep: quick})
			}()
		}
		both.Wait()
		require.True(t, (errs[0] == nil) != (errs[1] == nil), "%v, %v", errs[0], errs[1])
		winner, name := 0, "alice"
		if errs[1] == nil {
			winner, name = 1, "mallory"
		}
		require.ErrorContains(t, errs[1-winner], server.ErrClaimed.Error())
		// The same principal may come to the other server, and the connection that it had is replaced.
		again, err := ahp.Connect(within(t), as(servers[1-winner], name), &ahp.ConnOptions{ClientID: id, Keep: quick})
		require.NoError(t, err)
		select {
		case <-conns[winner].Done():
		case <-within(t).Done():
			require.Fail(t, "the connection to the other server was not ended")
		}
		require.NoError(t, again.Close())
	}
}

// TestASlowServerGetsItsTurn: the appends of a slow server come too late again and again, unless others wait.
func TestASlowServerGetsItsTurn(t *testing.T) {
	log := &shared.Memory{}
	var servers []*ahp.Server
	slow := &faultyLog{Log: log, slow: 2 * time.Millisecond}
	var counts [3]observing.Counts
	for i := range 3 {
		own := slow
		if i > 0 {
			own = &faultyLog{Log: log}
		}
		servers = append(servers, sharing(t, own, ahp.ServerOptions{Observe: &counts[i]}))
	}
	require.NoError(t, servers[1].OpenChannel(sessionChannel, emptySession()))
	share := make([]int, 3)
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, s := range servers {
		all.Add(1)
		go func() {
			defer all.Done()
			for more := true; more; {
				if err := s.Publish(sessionChannel, titled(fmt.Sprint(i))); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				share[i]++
				more = share[0] < 30 && share[1]+share[2] < 300_000
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	t.Log("shares", share, "conflicts in a row", slow.mostInRow.Load())
	require.GreaterOrEqual(t, share[0], 30, "%v", share)
	require.LessOrEqual(t, slow.mostInRow.Load(), int64(20), "%v", share)
	require.NotZero(t, counts[0].Read().Conflicts)
	require.GreaterOrEqual(t, counts[0].Read().Logged.Messages, int64(share[0]))
}

// movingLog is a log that can be replaced by an earlier copy, which has another epoch.
type movingLog struct {
	mu    sync.Mutex
	log   *shared.Memory
	epoch int64
	moved chan struct{}
}

func (l *movingLog) now() (*shared.Memory, int64, chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log, l.epoch, l.moved
}

// back replaces the log by a copy of the records up to a number.
func (l *movingLog) back(t *testing.T, number int64) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	copied := &shared.Memory{}
	enough := errors.New("enough")
	err := l.log.Follow(ctx, shared.Position{Epoch: 1}, func(list []shared.Record) error {
		for _, rec := range list {
			if rec.Number > number {
				return enough
			}
			if _, err := copied.Append(ctx, shared.Batch{Records: []shared.Record{rec}}); err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	l.log, l.epoch = copied, l.epoch+1<<20
	close(l.moved)
	l.moved = make(chan struct{})
}

func (l *movingLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	log, _, _ := l.now()
	return log.Append(ctx, b)
}

func (l *movingLog) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	log, epoch, moved := l.now()
	if after.Epoch != epoch {
		return &shared.MovedError{Epoch: epoch}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-moved:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := log.Follow(ctx, shared.Position{Epoch: 1, Number: after.Number}, f)
	if _, now, _ := l.now(); now != epoch {
		return &shared.MovedError{Epoch: now}
	}
	return err
}

func (l *movingLog) End(ctx context.Context) (shared.Position, error) {
	log, epoch, _ := l.now()
	end, err := log.End(ctx)
	return shared.Position{Epoch: epoch, Number: end.Number}, err
}

func (l *movingLog) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	log, _, _ := l.now()
	return log.Read(ctx, key, after, f)
}

func (l *movingLog) Last(ctx context.Context, key string) (int64, error) {
	log, _, _ := l.now()
	return log.Last(ctx, key)
}

func (l *movingLog) Heads(ctx context.Context, f func(shared.Record) error) error {
	log, _, _ := l.now()
	return log.Heads(ctx, f)
}

func (l *movingLog) Save(ctx context.Context, epoch int64, rec shared.Record) error {
	log, now, _ := l.now()
	if epoch != now {
		return &shared.MovedError{Epoch: now}
	}
	return log.Save(ctx, 1, rec)
}

func (l *movingLog) Load(ctx context.Context, key string) (shared.Record, bool, error) {
	log, _, _ := l.now()
	return log.Load(ctx, key)
}

func (l *movingLog) Trim(ctx context.Context, upTo shared.Position) error {
	log, epoch, _ := l.now()
	if upTo.Epoch != epoch {
		return &shared.MovedError{Epoch: epoch}
	}
	return log.Trim(ctx, shared.Position{Epoch: 1, Number: upTo.Number})
}

func (l *movingLog) Limits() shared.Limits { return shared.Limits{Batch: 4} }

func TestALogThatIsReplacedByACopyIsReadAnew(t *testing.T) {
	log := &movingLog{log: &shared.Memory{}, epoch: 1 << 30, moved: make(chan struct{})}
	a, b := sharing(t, log, ahp.ServerOptions{}), sharing(t, log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, a.Publish(sessionChannel, titled("kept")))
	ways := []func(context.Context) (rpc.Transport, error){reach(t, a), reach(t, b)}
	var clients []*roamer
	for range 4 {
		clients = append(clients, roaming(t, "1.0.0", ways, sessionChannel))
	}
	require.NoError(t, b.Publish(sessionChannel, titled("kept, too")))
	end, err := log.End(ctx)
	require.NoError(t, err)
	require.NoError(t, a.OpenChannel("ahp-session:/lost", emptySession()))
	for i := range 50 {
		require.NoError(t, b.Publish(sessionChannel, titled(fmt.Sprint("lost ", i))))
	}
	for _, c := range clients {
		require.Eventually(t, showing(c.Conn, "lost 49"), time.Minute, time.Millisecond)
	}
	before := a.Sequence()
	log.back(t, end.Number)
	for _, c := range clients {
		require.Eventually(t, showing(c.Conn, "kept, too"), time.Minute, time.Millisecond)
	}
	for _, s := range []*ahp.Server{a, b} {
		require.NoError(t, s.Ready(within(t)))
		require.Equal(t, []string{sessionChannel}, s.Channels())
		require.Greater(t, s.Sequence(), before)
	}
	require.NoError(t, a.Publish(sessionChannel, titled("and on")))
	for _, c := range clients {
		require.Eventually(t, showing(c.Conn, "and on"), time.Minute, time.Millisecond)
	}
}

// TestAChannelThatBeganAnewIsThereAfterTrimming: the records of its former life are gone, and it has no checkpoint.
func TestAChannelThatBeganAnewIsThereAfterTrimming(t *testing.T) {
	for name, later := range map[string]bool{"as it began": false, "with an action since then": true} {
		t.Run(name, func(t *testing.T) {
			log := &countedLog{Log: &shared.Memory{}}
			a := sharing(t, log, ahp.ServerOptions{Limits: server.Limits{Window: 5}})
			require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
			require.NoError(t, a.CloseChannel(sessionChannel))
			again := emptySession()
			again.Title = "anew"
			require.NoError(t, a.OpenChannel(sessionChannel, again))
			require.NoError(t, a.OpenChannel("ahp-session:/busy", emptySession()))
			for i := 0; log.times("trim") == 0; i++ {
				require.NoError(t, a.Publish("ahp-session:/busy", titled(fmt.Sprint(i))))
			}
			if later {
				require.NoError(t, a.Publish(sessionChannel, titled("anew")))
			}
			require.NoError(t, a.Close())

			b := sharing(t, log, ahp.ServerOptions{})
			title := make(chan string, 1)
			go func() {
				now, ok := b.State(sessionChannel)
				if !ok {
					title <- "no state"
					return
				}
				title <- now.(*ahp.SessionState).Title
			}()
			require.Equal(t, "anew", soon(t, title, "its state is loaded for ever"))
		})
	}
}

// TestRejectionsLetTheLogBeTrimmedToo: a client whose actions are all rejected makes the log no longer than one whose are not.
func TestRejectionsLetTheLogBeTrimmedToo(t *testing.T) {
	log := &countedLog{Log: &shared.Memory{}}
	s := sharing(t, log, ahp.ServerOptions{
		Limits:   server.Limits{Window: 5},
		Validate: func(*server.Client, string, ahp.SnapshotState, ahp.StateAction) error { return errFaulty },
	})
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	c, err := ahp.Connect(within(t), reach(t, s), nil)
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	require.NoError(t, c.Subscribe(within(t), sessionChannel))
	for i := range 200 {
		require.NoError(t, c.Dispatch(within(t), sessionChannel, titled(fmt.Sprint(i))))
	}
	require.Eventually(t, func() bool { v, _ := c.Store.View(sessionChannel); return v.Pending == 0 }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return log.times("trim") > 0 }, 10*time.Second, time.Millisecond)
}
