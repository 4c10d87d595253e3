// Leases: who of several processes does something, such as running an agent.

package shared

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// LeaseKind is the kind of the records of leases. It means nothing to a server.
const LeaseKind = 255

// LeaseOptions configures a lease. Zero fields use defaults.
type LeaseOptions struct {
	// Holder is a name for people who look at the log.
	Holder string
	// Duration is how long a lease outlives its holder. The default is 10 seconds. A lease is renewed after a third of it.
	Duration time.Duration
}

// Lease is held by one process at a time. It consists of records in the log: one key has who acquired it, another that it is alive.
// A process acquires a lease if it is free, or has not been renewed for its duration by the clock of that
// process: clocks of several machines are not compared.
//
// A process that was paused may still believe that it holds a lease. So what it appends has [Lease.Fence] among the
// conditions, which does not hold any more once another process has acquired the lease.
type Lease struct {
	log      Log
	key      string
	writer   string
	options  LeaseOptions
	number   int64 // of the record of the acquisition
	serial   int64 // of the latest record, guarded by mu
	mu       sync.Mutex
	done     chan struct{}
	stop     context.CancelFunc
	stopped  chan struct{}
	lostOnce sync.Once
}

// note is the data of a record.
type note struct {
	Holder   string        `json:"holder"`
	Duration time.Duration `json:"duration"`
	Released bool          `json:"released,omitempty"`
}

// leaseKey returns the key with the acquisitions of a lease, and aliveKey that with its renewals.
func leaseKey(name string) string { return "lease:" + name }

func aliveKey(name string) string { return "alive:" + name }

// Acquire waits until a lease is free, and returns it. Leases have names of their own, beside the keys of channels.
func Acquire(ctx context.Context, log Log, name string, o *LeaseOptions) (*Lease, error) {
	l := &Lease{log: log, key: name, done: make(chan struct{}), stopped: make(chan struct{})}
	if o != nil {
		l.options = *o
	}
	if l.options.Duration <= 0 {
		l.options.Duration = 10 * time.Second
	}
	var id [12]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	l.writer = "lease " + hex.EncodeToString(id[:])
	started, err := l.acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("acquire the lease %q: %w", name, err)
	}
	ctx, l.stop = context.WithCancel(context.Background())
	go l.renew(ctx, started)
	return l, nil
}

// Fence returns the condition under which the holder appends.
func (l *Lease) Fence() Condition { return Condition{leaseKey(l.key), l.number} }

// Done returns a channel that is closed when the lease is lost or released.
func (l *Lease) Done() <-chan struct{} { return l.done }

// Release ends the lease, so that another process can acquire it at once.
func (l *Lease) Release(ctx context.Context) error {
	l.stop()
	<-l.stopped
	l.lose()
	err := l.append(ctx, leaseKey(l.key), l.next(), true, l.Fence())
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		return nil // it was lost before
	}
	return err
}

func (l *Lease) lose() { l.lostOnce.Do(func() { close(l.done) }) }

// next returns the serial of the next record.
func (l *Lease) next() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serial++
	return l.serial
}

// append appends a record.
func (l *Lease) append(ctx context.Context, key string, serial int64, released bool, conditions ...Condition) error {
	data, err := json.Marshal(note{l.options.Holder, l.options.Duration, released})
	if err != nil {
		return err
	}
	r := Record{Key: key, Kind: LeaseKind, Writer: l.writer, Serial: serial, Time: time.Now(), Data: data}
	first, err := l.log.Append(ctx, Batch{[]Record{r}, conditions})
	if err == nil && key == leaseKey(l.key) && !released {
		l.number = first
	}
	return err
}

// state is what a process sees of a lease.
type state struct {
	lease, alive int64 // last numbers
	holder       Record
	note         note
}

// look reads the last record of a lease.
func (l *Lease) look(ctx context.Context) (s state, err error) {
	if s.alive, err = l.log.Last(ctx, aliveKey(l.key)); err != nil {
		return s, err
	}
	if s.holder, err = Latest(ctx, l.log, leaseKey(l.key)); err != nil || s.holder.Number == 0 {
		return s, err
	}
	s.lease = s.holder.Number
	return s, json.Unmarshal(s.holder.Data, &s.note)
}

// acquire waits until the lease is free, and returns when the append that acquired it began.
func (l *Lease) acquire(ctx context.Context) (started time.Time, err error) {
	var seen state
	var since time.Time
	serial := l.next()
	for {
		s, err := l.look(ctx)
		if err != nil {
			return started, err
		}
		now := time.Now()
		if s.holder.Writer == l.writer { // an append without an answer
			l.number = s.lease
			return started, nil
		}
		if since.IsZero() || s.lease != seen.lease || s.alive != seen.alive {
			seen, since = s, now
		}
		left := s.note.Duration - now.Sub(since)
		if s.lease == 0 || s.note.Released || left <= 0 {
			started = now
			err := l.append(ctx, leaseKey(l.key), serial, false, Condition{leaseKey(l.key), s.lease}, Condition{aliveKey(l.key), s.alive})
			var conflict *ConflictError
			switch {
			case err == nil:
				return started, nil
			case !errors.As(err, &conflict) && !errors.Is(err, ErrUnknown):
				return started, err
			}
			left = l.options.Duration / 10
		}
		if err := pause(ctx, min(left, l.options.Duration/4)); err != nil {
			return started, err
		}
	}
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(d, time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// renew renews the lease until it is lost. It counts from the begin of each append: others see its record later, so that they
// wait for longer.
func (l *Lease) renew(ctx context.Context, started time.Time) {
	defer close(l.stopped)
	defer l.lose()
	wait := l.options.Duration / 3
	for pause(ctx, wait) == nil {
		left := l.options.Duration - time.Since(started)
		if left <= 0 {
			return
		}
		now := time.Now()
		one, cancel := context.WithTimeout(ctx, left)
		err := l.append(one, aliveKey(l.key), l.next(), false, l.Fence())
		if err == nil {
			started, wait = now, l.options.Duration/3
			cancel()
			continue
		}
		// An engine may refuse for a moment what it does not refuse for good. Without an answer, nobody knows.
		last, err := l.log.Last(one, leaseKey(l.key))
		cancel()
		if err == nil && last != l.number {
			return
		}
		wait = min(l.options.Duration/10, max(0, l.options.Duration-time.Since(started)))
	}
}
