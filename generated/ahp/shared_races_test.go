// Several servers with one log: what happens between two calls of the log.

package ahp_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// hookedLog calls functions, each once: before a key or its checkpoint is read, before the log is trimmed, and after the first record
// of a batch was stored, of which the reply is lost then.
type hookedLog struct {
	countedLog
	on sync.Map
}

func hooked(log shared.Log) *hookedLog { return &hookedLog{countedLog: countedLog{Log: log}} }

func (l *hookedLog) call(what string) bool {
	f, ok := l.on.LoadAndDelete(what)
	if ok {
		f.(func())()
	}
	return ok
}

func (l *hookedLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	first, err := l.countedLog.Append(ctx, b)
	if err == nil && l.call("stored "+b.Records[0].Key) {
		return 0, shared.ErrUnknown
	}
	return first, err
}

func (l *hookedLog) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	l.call("read " + key)
	return l.countedLog.Read(ctx, key, after, f)
}

func (l *hookedLog) Load(ctx context.Context, key string) (shared.Record, bool, error) {
	l.call("load " + key)
	return l.countedLog.Load(ctx, key)
}

func (l *hookedLog) Trim(ctx context.Context, upTo shared.Position) error {
	l.call("trim")
	return l.countedLog.Trim(ctx, upTo)
}

// trimAll trims a log as far as possible.
func trimAll(t *testing.T, log shared.Log) {
	t.Helper()
	end, err := log.End(ctx)
	require.NoError(t, err)
	require.NoError(t, log.Trim(ctx, end))
}

// TestAStateIsThereForAsLongAsItsChannel: it may be evicted while a caller asks for it.
func TestAStateIsThereForAsLongAsItsChannel(t *testing.T) {
	s := sharing(t, &shared.Memory{}, ahp.ServerOptions{Limits: server.Limits{Idle: time.Nanosecond}})
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
				if _, ok := s.State(sessionChannel); !assert.True(t, ok) {
					return
				}
			}
		})
	}
	group.Wait()
}

// TestAChannelThatChangesWhileTheLogIsTrimmedIsThere: the record that opens it is its last one until then, and no checkpoint
// includes it.
func TestAChannelThatChangesWhileTheLogIsTrimmedIsThere(t *testing.T) {
	log := hooked(&shared.Memory{})
	a := sharing(t, log, ahp.ServerOptions{Limits: server.Limits{Window: 5}})
	b := sharing(t, log.Log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, a.OpenChannel("ahp-session:/busy", emptySession()))
	log.on.Store("trim", func() { assert.NoError(t, b.Publish(sessionChannel, titled("meanwhile"))) })
	for i := 0; log.times("trim") == 0; i++ {
		require.NoError(t, a.Publish("ahp-session:/busy", titled(fmt.Sprint(i))))
	}
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())

	c := sharing(t, log, ahp.ServerOptions{})
	title := make(chan string, 1)
	go func() {
		now, _ := c.State(sessionChannel)
		title <- fmt.Sprint(now)
	}()
	require.Contains(t, soon(t, title, "its state is loaded for ever"), "meanwhile")
}

// TestAServerStartsWhileTheLogIsTrimmed: what it reads first may be gone.
func TestAServerStartsWhileTheLogIsTrimmed(t *testing.T) {
	log := hooked(&shared.Memory{})
	sharing(t, log.Log, ahp.ServerOptions{})
	log.on.Store("read s", func() {
		version := shared.Record{Key: "s", Kind: byte(server.Version), Writer: "another", Data: []byte("1.0.0")}
		_, err := log.Log.Append(ctx, shared.Batch{Records: []shared.Record{version}})
		require.NoError(t, err)
		trimAll(t, log)
	})
	sharing(t, log, ahp.ServerOptions{})
}

// TestAClientJoinsWhileTheLogIsTrimmed: it has joined another server since then.
func TestAClientJoinsWhileTheLogIsTrimmed(t *testing.T) {
	for name, lost := range map[string]bool{"what it was": false, "whether it has joined": true} {
		t.Run(name, func(t *testing.T) {
			log := hooked(&shared.Memory{})
			a := sharing(t, log.Log, ahp.ServerOptions{})
			joins := func(s *ahp.Server) {
				c, err := ahp.Connect(within(t), reach(t, s), &ahp.ConnOptions{ClientID: "roamer"})
				require.NoError(t, err)
				require.NoError(t, c.Close())
			}
			joins(a)
			b := sharing(t, log, ahp.ServerOptions{})
			if lost {
				joins(b) // so that the log is not read at first
				log.on.Store("stored k/roamer", func() {})
			}
			read := make(chan struct{})
			log.on.Store("read k/roamer", func() {
				joins(a)
				trimAll(t, log)
				close(read)
			})
			joins(b)
			soon(t, read, "it is not read")
		})
	}
}

// TestChannelsThatEndWhileTheyAreLoadedAreNotLoadedForEver: others could not be loaded any more.
func TestChannelsThatEndWhileTheyAreLoadedAreNotLoadedForEver(t *testing.T) {
	const most = 8 // that are loaded at once
	log := hooked(&shared.Memory{})
	a := sharing(t, log.Log, ahp.ServerOptions{})
	name := func(i int) string { return fmt.Sprint("ahp-session:/", i) }
	for i := range most + 1 {
		require.NoError(t, a.OpenChannel(name(i), emptySession()))
	}
	b := sharing(t, log, ahp.ServerOptions{})
	var reading, asked sync.WaitGroup
	ended := make(chan struct{})
	reading.Add(most)
	for i := range most {
		log.on.Store("read c/"+name(i), func() { reading.Done(); <-ended })
		asked.Go(func() {
			_, ok := b.State(name(i))
			assert.False(t, ok)
		})
	}
	reading.Wait()
	for i := range most {
		require.NoError(t, a.CloseChannel(name(i)))
	}
	require.NoError(t, b.Ready(within(t)))
	trimAll(t, log)
	close(ended)
	asked.Wait()
	there := make(chan bool, 1)
	go func() {
		_, ok := b.State(name(most))
		there <- ok
	}()
	require.True(t, soon(t, there, "nothing is loaded any more"))
}

// TestListsAreCompleteAfterALogIsReadAnew: it is read anew while the lists are being made.
func TestListsAreCompleteAfterALogIsReadAnew(t *testing.T) {
	for range 20 {
		log := &shared.Memory{}
		a := sharing(t, log, ahp.ServerOptions{})
		moving := &faultyLog{Log: log, moved: 100}
		slow := hooked(moving)
		moved := make(chan struct{})
		for i := range 20 {
			name := fmt.Sprint("ahp-session:/", i)
			require.NoError(t, a.OpenChannel(name, emptySession()))
			slow.on.Store("load c/"+name, func() { <-moved })
		}
		s, err := ahp.NewServer(&ahp.ServerOptions{Shared: slow})
		require.NoError(t, err)
		moving.on.Store(true)
		for moving.count[4].Load() == 0 {
			require.NoError(t, a.Publish("ahp-session:/0", titled("later")))
		}
		moving.on.Store(false)
		require.NoError(t, a.Publish("ahp-session:/0", titled("last")))
		end, err := log.End(ctx)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return s.Sequence() >= end.Epoch+end.Number*shared.Spacing }, time.Minute, time.Millisecond)
		close(moved)
		c, err := ahp.Connect(within(t), reach(t, s), nil)
		require.NoError(t, err)
		limit, cancel := context.WithTimeout(within(t), 10*time.Second)
		list, err := c.Host.ListSessions(limit, &ahp.ListSessionsParams{})
		require.NoError(t, err)
		require.Len(t, list.Items, 20)
		cancel()
		require.NoError(t, c.Close())
		require.NoError(t, s.Close())
		require.NoError(t, a.Close())
	}
}
