// Follow: a consumer, and checks of what consumers are silent about.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// piece is the greatest number of records that are passed at once, and pieceBytes about the greatest number of bytes that wait.
const piece, pieceBytes = 1000, 8 << 20

// Follow implements [shared.Log].
func (l *Log) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	r := &reader{l: l, after: after, f: f, lost: -1}
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		at := r.after.Number
		err := r.run(ctx)
		var moved *shared.MovedError
		var refused refusal
		switch {
		case errors.As(err, &refused):
			return refused.error
		case errors.As(err, &moved):
			return err
		case ctx.Err() != nil:
			return ended(ctx, nil)
		}
		if r.after.Number > at {
			wait = 20 * time.Millisecond
		}
		if !sleep(ctx, wait) {
			return ended(ctx, nil)
		}
	}
}

// reader is a call of Follow.
type reader struct {
	l     *Log
	after shared.Position
	f     func([]shared.Record) error
	lost  int64 // number after which a record was missing once
}

// run reads until something is wrong.
func (r *reader) run(ctx context.Context) error {
	if _, err := r.check(ctx); err != nil {
		return err
	}
	return r.l.pull(ctx, r.l.o.Name, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: uint64(r.after.Number) + 1, //nolint:gosec // it is no number below 0
	}, func() error {
		last, err := r.check(ctx)
		if err == nil && last > r.after.Number {
			err = errStalled // the consumer is alive, and its server has not what the leader has
		}
		return err
	}, r.take)
}

// check returns the last number of the log, and a [shared.MovedError] if the reader cannot go on.
func (r *reader) check(ctx context.Context) (last int64, err error) {
	h, last, err := r.l.settle(ctx, r.after)
	if err == nil && h.epoch != r.after.Epoch {
		err = &shared.MovedError{Epoch: h.epoch}
	}
	return last, err
}

// take passes messages on. A stream has no gaps but for what is trimmed.
func (r *reader) take(list []entry) error {
	var records []shared.Record
	last := place{Position: r.after}
	var stop error
	for _, m := range list {
		if m.number != last.Number+1 {
			stop = r.gap(last.Number, m.number)
			break
		}
		last = place{shared.Position{Epoch: r.after.Epoch, Number: m.number}, m.stored}
		if kind, ok := strings.CutPrefix(m.Subject(), r.l.o.Name+".s."); ok {
			if kind == epochKind {
				h, err := parseHead(m.Data(), uint64(m.number)) //nolint:gosec // it came from the server
				if err == nil && h.epoch > r.after.Epoch {      // a former one is history
					err = &shared.MovedError{Epoch: h.epoch}
				}
				if stop = err; stop != nil {
					break
				}
			}
			continue
		}
		record, err := record(m.Subject(), uint64(m.number), m.Headers(), m.Data()) //nolint:gosec // it came from the server
		if err != nil {
			stop = refusal{err}
			break
		}
		records = append(records, record)
	}
	if len(records) > 0 {
		if err := r.f(records); err != nil {
			return refusal{err}
		}
	}
	r.after = last.Position
	r.l.see(last)
	return stop
}

// gap returns why a message is not the next one. A consumer that jumps is asked again first.
func (r *reader) gap(after, number int64) error {
	if number > after && r.lost == after {
		return &shared.MovedError{Epoch: r.after.Epoch, Trimmed: true}
	}
	r.lost = after
	return fmt.Errorf("message %d after %d", number, after)
}

// entry is a message with its number and time.
type entry struct {
	jetstream.Msg
	number    int64
	delivered uint64 // by the consumer, counted from 1
	stored    time.Time
}

// pull passes messages of a consumer in pieces, until a function returns an error or something is wrong. It calls idle after
// a time without messages.
func (l *Log) pull(ctx context.Context, stream string, config jetstream.ConsumerConfig, idle func() error, f func([]entry) error) error {
	config.AckPolicy, config.MemoryStorage, config.Replicas = jetstream.AckNonePolicy, true, 1
	config.InactiveThreshold = time.Minute
	asking, cancel := context.WithTimeout(ctx, l.o.Timeout)
	consumer, err := l.js.CreateConsumer(asking, stream, config)
	cancel()
	if err != nil {
		return err
	}
	defer l.forget(stream, consumer)
	status := l.nc.StatusChanged(nats.CONNECTED)
	defer l.nc.RemoveStatusListener(status)
	messages, broken := make(chan jetstream.Msg, piece), make(chan error, 1)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	c, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-reading.Done():
		}
	}, jetstream.PullMaxMessagesWithBytesLimit(piece, max(pieceBytes, 2*int(l.nc.MaxPayload()))), jetstream.PullHeartbeat(2*time.Second),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			select {
			case broken <- err:
			default:
			}
		}))
	if err != nil {
		return err
	}
	defer c.Stop()
	defer stop() // before Stop, which waits for the function above
	return l.drain(ctx, messages, broken, status, idle, f)
}

// drain passes messages of a consumer on, until something is wrong with it or its connection.
func (l *Log) drain(ctx context.Context, messages <-chan jetstream.Msg, broken <-chan error, status <-chan nats.Status, idle func() error, f func([]entry) error) error {
	quiet := time.NewTimer(l.o.Idle)
	defer quiet.Stop()
	count := uint64(0)
	for {
		select {
		case m := <-messages:
			list := gathered(m, messages)
			for _, m := range list {
				if count++; m.delivered != count { // some were lost with a connection, and those behind them came over the next one
					return errors.New("messages of the consumer are missing")
				}
			}
			if err := f(list); err != nil {
				return err
			}
		case <-quiet.C:
			if err := idle(); err != nil {
				return err
			}
		case err := <-broken:
			return err
		case <-status:
			return errors.New("the connection was made anew")
		case <-ctx.Done():
			return ctx.Err()
		}
		quiet.Reset(l.o.Idle)
	}
}

// forget deletes a consumer, which would otherwise stay for a minute.
func (l *Log) forget(stream string, c jetstream.Consumer) {
	if !l.nc.IsConnected() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.js.DeleteConsumer(ctx, stream, c.CachedInfo().Name)
}

// gathered returns a message and those that wait behind it.
func gathered(m jetstream.Msg, more <-chan jetstream.Msg) []entry {
	var list []entry
	for {
		meta, err := m.Metadata()
		if err == nil {
			list = append(list, entry{m, int64(meta.Sequence.Stream), meta.Sequence.Consumer, meta.Timestamp}) //nolint:gosec // the server counts from 1
		}
		if len(list) >= piece {
			return list
		}
		select {
		case m = <-more:
		default:
			return list
		}
	}
}
