// Leases: however processes are paused, what a former holder appends is refused.

package shared_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

const term = 10 * time.Second

// process is how one process sees a log: it may be paused, lose replies, or have a wrong clock.
type process struct {
	shared.Log
	mu     sync.Mutex
	resume chan struct{} // closed when the process goes on, nil if it runs
	lose   bool          // the reply of the next append
	clock  time.Duration
}

func (p *process) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resume = make(chan struct{})
}

func (p *process) goOn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.resume)
	p.resume = nil
}

// wait blocks while the process is paused.
func (p *process) wait() {
	p.mu.Lock()
	resume := p.resume
	p.mu.Unlock()
	if resume != nil {
		<-resume
	}
}

func (p *process) Append(ctx context.Context, b shared.Batch) (int64, error) {
	p.wait()
	for i := range b.Records {
		b.Records[i].Time = b.Records[i].Time.Add(p.clock)
	}
	n, err := p.Log.Append(ctx, b)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lose {
		p.lose = false
		return 0, shared.ErrUnknown
	}
	return n, err
}

func (p *process) Last(ctx context.Context, key string) (int64, error) {
	p.wait()
	return p.Log.Last(ctx, key)
}

func acquired(t *testing.T, l shared.Log, o *shared.LeaseOptions) *shared.Lease {
	t.Helper()
	lease, err := shared.Acquire(t.Context(), l, "agent", o)
	require.NoError(t, err)
	return lease
}

func isDone(l *shared.Lease) bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

// work appends a record as the holder.
func work(l shared.Log, lease *shared.Lease) error {
	fence := lease.Fence()
	_, err := l.Append(context.Background(), shared.Batch{
		Records: []shared.Record{{Key: "work", Data: fmt.Append(nil, fence.Last)}}, If: []shared.Condition{fence},
	})
	return err
}

func TestALeaseIsRenewedUntilItsHolderDies(t *testing.T) {
	for name, clock := range map[string]time.Duration{"": 0, "clock ahead": 30 * time.Hour, "clock behind": -30 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &shared.Memory{}
				one, two := &process{Log: log, clock: clock}, &process{Log: log}
				lease := acquired(t, one, nil)
				var next *shared.Lease
				got := make(chan time.Time, 1)
				go func() {
					next, _ = shared.Acquire(t.Context(), two, "agent", nil)
					got <- time.Now()
				}()
				time.Sleep(10 * term)
				synctest.Wait()
				require.Empty(t, got, "another process has it though it is renewed")
				require.False(t, isDone(lease))
				require.NoError(t, work(one, lease))
				one.pause() // for ever: it is dead
				died := time.Now()
				took := (<-got).Sub(died)
				require.Greater(t, took, term/2)
				require.LessOrEqual(t, took, term+term/3)
				require.NoError(t, work(two, next))
				one.goOn()
				<-lease.Done()
				require.NoError(t, next.Release(t.Context()))
			})
		})
	}
}

func TestAFormerHolderIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &shared.Memory{}
		one, two := &process{Log: log}, &process{Log: log}
		lease := acquired(t, one, nil)
		require.NoError(t, work(one, lease))
		one.pause()
		next := acquired(t, two, nil)
		require.NoError(t, work(two, next))
		one.goOn()
		var conflict *shared.ConflictError
		require.ErrorAs(t, work(one, lease), &conflict)
		require.Equal(t, lease.Fence().Key, conflict.Key)
		<-lease.Done()
		require.NoError(t, lease.Release(t.Context()), "it is lost, and not released")
		require.False(t, isDone(next))
		require.NoError(t, work(two, next))
		require.NoError(t, next.Release(t.Context()))
	})
}

func TestAReleasedLeaseIsAcquiredBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &shared.Memory{}
		lease := acquired(t, log, nil)
		go func() {
			time.Sleep(term)
			_ = lease.Release(t.Context())
		}()
		began := time.Now()
		next := acquired(t, log, nil)
		require.LessOrEqual(t, time.Since(began), term+term/4)
		require.True(t, isDone(lease))
		require.Error(t, work(log, lease))
		require.NoError(t, next.Release(t.Context()))
	})
}

func TestALeaseOutlivesLostReplies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &shared.Memory{}
		one := &process{Log: log, lose: true}
		began := time.Now()
		lease := acquired(t, one, nil)
		require.Less(t, time.Since(began), term)
		for range 20 {
			time.Sleep(term)
			one.mu.Lock()
			one.lose = true
			one.mu.Unlock()
		}
		require.False(t, isDone(lease))
		require.NoError(t, log.Trim(t.Context(), shared.Position{Epoch: 1, Number: 1 << 40}), "the log may be trimmed")
		require.NoError(t, work(log, lease))
		ctx, cancel := context.WithTimeout(t.Context(), 5*term)
		defer cancel()
		_, err := shared.Acquire(ctx, log, "agent", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, lease.Release(t.Context()))
	})
}

// readHook is a log that calls a function before it is read for the first time.
type readHook struct {
	shared.Log
	once sync.Once
	f    func()
}

func (l *readHook) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	l.once.Do(l.f)
	return l.Log.Read(ctx, key, after, f)
}

// TestALeaseIsAcquiredWhileTheLogIsTrimmed: what is known as the last record is gone when it is read.
func TestALeaseIsAcquiredWhileTheLogIsTrimmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &shared.Memory{}
		require.NoError(t, acquired(t, log, nil).Release(t.Context()))
		hook := &readHook{Log: log, f: func() {
			require.NoError(t, acquired(t, log, nil).Release(t.Context()))
			require.NoError(t, log.Trim(t.Context(), shared.Position{Epoch: 1, Number: 1 << 40}))
		}}
		require.NoError(t, acquired(t, hook, nil).Release(t.Context()))
	})
}

// TestOneHolderAtATime pauses processes at random. Each record of work lies in the term of the one who appended it.
func TestOneHolderAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &shared.Memory{}
		ctx, cancel := context.WithTimeout(t.Context(), 2000*term)
		defer cancel()
		var running sync.WaitGroup
		var refused, done atomic.Int64
		for i := range 4 {
			p := &process{Log: log, clock: time.Duration(i) * time.Hour}
			r := rand.New(rand.NewPCG(uint64(i), 1))
			running.Go(func() {
				for ctx.Err() == nil {
					lease, err := shared.Acquire(ctx, p, "agent", &shared.LeaseOptions{Duration: term})
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						return
					}
					for !isDone(lease) && ctx.Err() == nil {
						time.Sleep(time.Duration(r.Int64N(int64(term))))
						switch r.IntN(10) {
						case 0:
							p.pause()
							time.Sleep(time.Duration(r.Int64N(int64(3 * term))))
							p.goOn()
						case 1:
							require.NoError(t, lease.Release(context.Background()))
						case 2:
							p.mu.Lock()
							p.lose = true
							p.mu.Unlock()
						}
						var conflict *shared.ConflictError
						if err := work(p, lease); errors.As(err, &conflict) {
							refused.Add(1)
						} else if err == nil {
							done.Add(1)
						}
					}
					_ = lease.Release(context.Background())
				}
			})
		}
		running.Wait()
		require.Greater(t, done.Load(), int64(1000))
		require.Greater(t, refused.Load(), int64(100), "no process was late")
		end, err := log.End(t.Context())
		require.NoError(t, err)
		holder, holders := int64(0), 0
		errEnd := errors.New("end")
		require.Equal(t, errEnd, log.Follow(t.Context(), shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
			for _, r := range list {
				switch r.Key {
				case "lease:agent":
					holder, holders = r.Number, holders+1
				case "work":
					require.Equal(t, fmt.Sprint(holder), string(r.Data), "record %d", r.Number)
				}
				if r.Number == end.Number {
					return errEnd
				}
			}
			return nil
		}))
		require.Greater(t, holders, 100)
	})
}
