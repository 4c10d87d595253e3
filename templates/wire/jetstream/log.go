// Log: a stream, and the connection to it.

package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Options configures a log. Zero fields use defaults.
type Options struct {
	// Name is the name of the stream, and the first token of its subjects. The default is "log". The stream of the
	// checkpoints has "_checkpoints" behind the name.
	Name string
	// Replicas is the number of servers that have the streams, if they are made anew. The default is 1; 3 survive the loss of one.
	Replicas int
	// MaxBytes is the size of the log, if it is made anew. The default is none.
	MaxBytes int64
	// Timeout limits how long a reply of the engine is waited for. The default is 5 seconds.
	Timeout time.Duration
	// Idle is after how long without records a reader asks whether there are none. The default is 5 seconds.
	Idle time.Duration
}

// maxMessages is the limit of the server on an atomic batch, and maxOpen is how many of them a log has open at once: all that
// use a stream may have 50.
const maxMessages, maxOpen = 1000, 12

// reserve is what a message may have beside the data, the key and the writer of a record.
const reserve = 4096

// Log is a log on JetStream. It implements [shared.Log]. Its methods are safe for concurrent use.
type Log struct {
	js      jetstream.JetStream
	nc      *nats.Conn
	o       Options
	records jetstream.Stream
	saved   jetstream.Stream
	open    chan struct{} // has an element for each open batch
	closing context.Context
	close   context.CancelFunc

	mu    sync.Mutex
	known place // the latest that was seen of the log
	head  head  // the latest epoch that was read
}

// place is a position, and when its record was stored, if that is known.
type place struct {
	shared.Position
	stored time.Time
}

var _ shared.Log = (*Log)(nil)

// Open opens a log, and makes its streams if there are none. The caller closes the connection after the log.
func Open(ctx context.Context, js jetstream.JetStream, o *Options) (*Log, error) {
	var options Options
	if o != nil {
		options = *o
	}
	options.Name = cmp.Or(options.Name, "log")
	options.Replicas = cmp.Or(options.Replicas, 1)
	options.Timeout = cmp.Or(options.Timeout, 5*time.Second)
	options.Idle = cmp.Or(options.Idle, 5*time.Second)
	if strings.ContainsAny(options.Name, ".*> \t\r\n/\\") {
		return nil, fmt.Errorf("open the log: %q is no name of a stream", options.Name)
	}
	l := &Log{js: js, nc: js.Conn(), o: options, open: make(chan struct{}, maxOpen)}
	l.closing, l.close = context.WithCancel(context.Background())
	err := l.try(ctx, func(ctx context.Context) error { return l.prepare(ctx) })
	if err == nil {
		_, _, err = l.settle(ctx, shared.Position{})
	}
	if err != nil {
		l.close()
		return nil, fmt.Errorf("open the log %s: %w", options.Name, err)
	}
	return l, nil
}

// Close ends all calls. It leaves the connection open.
func (l *Log) Close() error {
	l.close()
	return nil
}

// prepare finds the streams, or makes them.
func (l *Log) prepare(ctx context.Context) (err error) {
	name := l.o.Name
	common := jetstream.StreamConfig{Replicas: l.o.Replicas, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage}
	records, saved := common, common
	records.Name, records.Subjects = name, []string{name + ".r.*", name + ".s.*"}
	records.MaxBytes, records.AllowAtomicPublish = l.o.MaxBytes, true
	saved.Name, saved.Subjects = name+"_checkpoints", []string{name + ".c.*", name + ".p.*.*.*", name + ".t"}
	saved.MaxMsgsPerSubject = 1
	if l.saved, err = l.stream(ctx, saved); err != nil {
		return err
	}
	l.records, err = l.stream(ctx, records)
	return err
}

// stream finds a stream, or makes it. A stream that is there may have other replicas and sizes.
func (l *Log) stream(ctx context.Context, want jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := l.js.Stream(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		s, err = l.js.CreateStream(ctx, want)
	}
	if err != nil {
		return nil, err
	}
	got := s.CachedInfo().Config
	for setting, wrong := range map[string]bool{
		"discard new":           got.Discard != want.Discard,
		"no maximal age":        got.MaxAge != 0,
		"no number of messages": got.MaxMsgs > 0,
		"no work queue":         got.Retention != want.Retention,
		"no direct gets":        got.AllowDirect,
		"atomic publishing":     want.AllowAtomicPublish && !got.AllowAtomicPublish,
		fmt.Sprint("messages of a subject: ", want.MaxMsgsPerSubject): max(0, got.MaxMsgsPerSubject) != want.MaxMsgsPerSubject,
	} {
		if wrong {
			return nil, refusal{fmt.Errorf("the stream %s has to be configured with: %s", want.Name, setting)}
		}
	}
	return s, nil
}

// Limits implements [shared.Log].
func (l *Log) Limits() shared.Limits {
	return shared.Limits{Batch: maxMessages, Record: int(l.nc.MaxPayload()) - reserve}
}

// refusal is an error that does not go away by trying again.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// final reports whether trying again does not help.
func final(err error) bool {
	var refused refusal
	var moved *shared.MovedError
	return errors.As(err, &refused) || errors.As(err, &moved) || errors.Is(err, shared.ErrFull) || errors.Is(err, shared.ErrTooLarge) ||
		errors.Is(err, nats.ErrConnectionClosed)
}

// begin returns a context that also ends when the log is closed.
func (l *Log) begin(ctx context.Context) (context.Context, func(), error) {
	if l.closing.Err() != nil {
		return nil, nil, shared.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.closing, func() { cancel(shared.ErrClosed) })
	return ctx, func() { stop(); cancel(nil) }, nil
}

// ended returns the error of a context, with the last one of the engine, if there is one.
func ended(ctx context.Context, err error) error {
	why := ctx.Err()
	if errors.Is(context.Cause(ctx), shared.ErrClosed) {
		why = shared.ErrClosed
	}
	if err == nil || errors.Is(err, why) {
		return why
	}
	return fmt.Errorf("%w: %w", why, err)
}

// try calls a function, which takes about a request, until it succeeds or the context ends.
func (l *Log) try(ctx context.Context, f func(context.Context) error) error {
	limit := min(time.Second, l.o.Timeout)
	return l.tryLong(ctx, func(ctx context.Context) error {
		one, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		limit = min(2*limit, l.o.Timeout) // a reply may be lost with a connection, or take long
		return f(one)
	})
}

// each is a context for several requests, each of which has the client's own limit of time: a lost reply would otherwise be
// waited for until the deadline of all.
type each struct{ context.Context }

func (each) Deadline() (deadline time.Time, ok bool) { return deadline, false }

// tryLong is try for what takes several requests.
func (l *Log) tryLong(ctx context.Context, f func(context.Context) error) error {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := f(each{ctx})
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ended(ctx, err)
		case final(err):
			var refused refusal
			if errors.As(err, &refused) {
				return refused.error
			}
			return err
		}
		if !sleep(ctx, wait) {
			return ended(ctx, err)
		}
	}
}

// sleep waits for about a time, and reports whether the context is still there.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait/2 + rand.N(wait)) //nolint:gosec // chance is enough
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
