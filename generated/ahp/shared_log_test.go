// A log that several servers share, with everything that may go wrong with one.

package ahp_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/server"
	"github.com/ahpgen/ahpgen/generated/wire/shared"
)

// logHistory keeps what is in a log, also what is trimmed later.
type logHistory struct {
	mu      sync.Mutex
	records []shared.Record
}

func keeping(t *testing.T, log shared.Log) *logHistory {
	t.Helper()
	h := &logHistory{}
	start, err := log.End(ctx)
	require.NoError(t, err)
	require.Zero(t, start.Number)
	go func() {
		_ = log.Follow(t.Context(), start, func(list []shared.Record) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.records = append(h.records, list...)
			return nil
		})
	}()
	return h
}

// upTo returns all records up to a number, once they are there.
func (h *logHistory) upTo(t *testing.T, number int64) []shared.Record {
	t.Helper()
	var out []shared.Record
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		out = h.records
		return len(out) > 0 && out[len(out)-1].Number >= number
	}, time.Minute, time.Millisecond)
	return out
}

// faultyLog is a server's way to a log on which things go wrong, as often as is said in percent.
type faultyLog struct {
	shared.Log
	conflicts, unknown, moved, full int
	delay                           time.Duration // at most
	slow                            time.Duration // before each append
	kept                            *logHistory
	on                              atomic.Bool
	count                           [5]atomic.Int64
	reading                         sync.Mutex   // held while the log cannot be followed
	inRow, mostInRow                atomic.Int64 // conflicts, one after the other
}

func chance(percent int) bool { return rand.IntN(100) < percent }

func (l *faultyLog) wait() {
	if l.delay > 0 {
		time.Sleep(rand.N(l.delay))
	}
}

func (l *faultyLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	time.Sleep(l.slow)
	if !l.on.Load() {
		first, err := l.Log.Append(ctx, b)
		if err == nil && len(b.If) > 0 {
			l.inRow.Store(0)
		} else if err != nil {
			l.mostInRow.Store(max(l.mostInRow.Load(), l.inRow.Add(1)))
		}
		return first, err
	}
	l.wait()
	switch {
	case chance(l.conflicts) && len(b.If) > 0:
		l.count[0].Add(1)
		return 0, &shared.ConflictError{Key: b.If[0].Key, Last: -1}
	case chance(l.full):
		l.count[1].Add(1)
		return 0, shared.ErrFull
	case chance(l.unknown):
		l.count[2].Add(1)
		return 0, shared.ErrUnknown
	case chance(l.unknown):
		if _, err := l.Log.Append(ctx, b); err != nil {
			return 0, err
		}
		l.count[3].Add(1)
		return 0, shared.ErrUnknown
	}
	first, err := l.Log.Append(ctx, b)
	l.wait()
	return first, err
}

func (l *faultyLog) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	return l.Log.Follow(ctx, after, func(list []shared.Record) error {
		for len(list) > 0 {
			n := 1 + rand.IntN(len(list))
			l.reading.Lock()
			l.reading.Unlock() //nolint:staticcheck // it waits
			if l.on.Load() {
				l.wait()
				if chance(l.moved) {
					l.count[4].Add(1)
					return &shared.MovedError{Epoch: after.Epoch, Trimmed: true}
				}
			}
			if err := f(list[:n]); err != nil {
				return err
			}
			list = list[n:]
		}
		return nil
	})
}

func (l *faultyLog) Trim(ctx context.Context, upTo shared.Position) error {
	if l.kept == nil {
		return l.Log.Trim(ctx, upTo)
	}
	l.kept.mu.Lock()
	there := len(l.kept.records) > 0 && l.kept.records[len(l.kept.records)-1].Number >= upTo.Number
	l.kept.mu.Unlock()
	if !there {
		return nil
	}
	return l.Log.Trim(ctx, upTo)
}

// sharing returns a server on a shared log, without lists.
func sharing(t *testing.T, log shared.Log, o ahp.ServerOptions) *ahp.Server {
	t.Helper()
	o.Shared, o.OwnLists = log, true
	s, err := ahp.NewServer(&o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// hasTitle waits until a server has a title.
func hasTitle(t *testing.T, s *ahp.Server, want string) {
	t.Helper()
	require.Eventually(t, func() bool {
		now, ok := s.State(sessionChannel)
		return ok && now.(*ahp.SessionState).Title == want
	}, time.Minute, time.Millisecond)
}

func TestServersWithOneLogHaveTheSameStates(t *testing.T) {
	log := &shared.Memory{}
	a, b := sharing(t, log, ahp.ServerOptions{}), sharing(t, log, ahp.ServerOptions{})
	require.NoError(t, a.OpenChannel(sessionChannel, emptySession()))
	require.ErrorIs(t, b.OpenChannel(sessionChannel, emptySession()), server.ErrChannelExists, "whether it has read that or not")
	require.NoError(t, b.Publish(sessionChannel, titled("from b")))
	now, ok := b.State(sessionChannel)
	require.True(t, ok)
	require.Equal(t, "from b", now.(*ahp.SessionState).Title, "once Publish returns")
	hasTitle(t, a, "from b")
	require.ErrorIs(t, a.Publish(sessionChannel, &ahp.ChatDeltaAction{}), server.ErrForeignAction)
	require.ErrorIs(t, a.Publish("nowhere", titled("")), server.ErrNoChannel)
	require.ErrorIs(t, a.CloseChannel("nowhere"), server.ErrNoChannel)
	require.ErrorIs(t, a.OpenChannel("nowhere:/", emptySession()), server.ErrNoForm)

	late := sharing(t, log, ahp.ServerOptions{})
	require.Equal(t, []string{sessionChannel}, late.Channels())
	hasTitle(t, late, "from b")
	require.NoError(t, a.CloseChannel(sessionChannel))
	require.ErrorIs(t, b.CloseChannel(sessionChannel), server.ErrNoChannel)
	require.ErrorIs(t, late.Publish(sessionChannel, titled("too late")), server.ErrNoChannel)
	require.NoError(t, b.OpenChannel(sessionChannel, emptySession()))
	require.NoError(t, a.Publish(sessionChannel, titled("anew")))
	hasTitle(t, late, "anew")
	require.NoError(t, late.Ready(within(t)))
	require.Equal(t, a.Sequence(), late.Sequence())

	_, err := ahp.NewServer(&ahp.ServerOptions{Log: &failing{}, Shared: log})
	require.ErrorContains(t, err, "only one")
	require.NoError(t, a.Close())
	require.ErrorIs(t, a.Publish(sessionChannel, titled("")), server.ErrClosed)
	require.NoError(t, b.Publish(sessionChannel, titled("still here")))
}

var errFaulty = errors.New("it went wrong")

// scriptedLog answers appends as it is told, one after the other, once it has stored them or not.
type scriptedLog struct {
	shared.Log
	mu      sync.Mutex
	answers []func(store func() (int64, error)) (int64, error)
}

func (l *scriptedLog) Append(ctx context.Context, b shared.Batch) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	store := func() (int64, error) { return l.Log.Append(ctx, b) }
	if len(l.answers) == 0 {
		return store()
	}
	next := l.answers[0]
	l.answers = l.answers[1:]
	return next(store)
}

func TestNobodyIsToldThatNothingWasStoredWhereNobodyKnows(t *testing.T) {
	log := &scriptedLog{Log: &shared.Memory{}}
	slow := &faultyLog{Log: log}
	s := sharing(t, slow, ahp.ServerOptions{})
	require.NoError(t, s.OpenChannel(sessionChannel, emptySession()))
	slow.reading.Lock()
	read := sync.OnceFunc(slow.reading.Unlock)
	t.Cleanup(read) // before it is closed
	log.mu.Lock()
	log.answers = []func(func() (int64, error)) (int64, error){
		func(store func() (int64, error)) (int64, error) { _, _ = store(); return 0, shared.ErrUnknown },
		func(func() (int64, error)) (int64, error) { return 0, shared.ErrFull },
	}
	log.mu.Unlock()
	require.ErrorIs(t, s.Publish(sessionChannel, titled("stored")), shared.ErrUnknown)
	read()
	hasTitle(t, s, "stored")
}
