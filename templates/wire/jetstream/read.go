// Reading: single keys, and the latest of all.

package jetstream

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// few is the number of records that are asked for one by one. For more, a consumer is faster.
const few = 20

// Last implements [shared.Log].
func (l *Log) Last(ctx context.Context, key string) (last int64, err error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	err = l.try(ctx, func(ctx context.Context) error {
		last, err = lastOf(ctx, l.records, l.subject(key))
		return err
	})
	return last, err
}

// lastOf returns the number of the last message of a subject, or 0.
func lastOf(ctx context.Context, s jetstream.Stream, subject string) (int64, error) {
	m, err := s.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return int64(m.Sequence), nil //nolint:gosec // the server counts from 1
}

// End implements [shared.Log].
func (l *Log) End(ctx context.Context) (shared.Position, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return shared.Position{}, err
	}
	defer end()
	h, last, err := l.settle(ctx, shared.Position{})
	if err == nil && last == h.number { // which is no record that a reader gets
		err = l.try(ctx, func(ctx context.Context) error {
			last, err = lastOf(ctx, l.records, l.o.Name+".r.*")
			return err
		})
	}
	return shared.Position{Epoch: h.epoch, Number: last}, err
}

// Read implements [shared.Log].
func (l *Log) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	after = max(after, 0)
	last, err := l.Last(ctx, key)
	if err != nil || last <= after {
		return err
	}
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	// What is trimmed is included in the checkpoint, which is there before. Before the record with the next number there is nothing.
	untrimmed := func(ctx context.Context) error { return l.notTrimmed(ctx, key, after) }
	if last > after+1 {
		if err := l.try(ctx, untrimmed); err != nil {
			return err
		}
	}
	subject, from := l.subject(key), after
	pass := func(number uint64, r shared.Record, err error) error {
		if int64(number) <= from { //nolint:gosec // it came from the server
			return nil // it was passed before the consumer was made anew
		}
		if err == nil && from == after && int64(number) > after+1 { //nolint:gosec // as above
			err = l.try(ctx, untrimmed)
		}
		if err == nil {
			err = f(r)
		}
		if err != nil {
			return refusal{err}
		}
		from = int64(number) //nolint:gosec // it came from the server
		return nil
	}
	for i := 0; i < few && from < last; i++ {
		r, err := l.nextOf(ctx, subject, from)
		if err != nil {
			return err
		}
		if err := pass(uint64(r.Number), r, nil); err != nil { //nolint:gosec // it came from the server
			return unwrapped(err)
		}
	}
	for from < last {
		err := l.scan(ctx, l.o.Name, jetstream.ConsumerConfig{
			DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: uint64(from) + 1, FilterSubject: subject,
		}, last, func(m entry) error {
			r, err := record(m.Subject(), uint64(m.number), m.Headers(), m.Data()) //nolint:gosec // as above
			return pass(uint64(m.number), r, err)                                  //nolint:gosec // as above
		})
		if err != nil {
			return unwrapped(err)
		}
	}
	if last > after+1 { // or some were purged behind the first one
		return l.try(ctx, untrimmed)
	}
	return nil
}

// nextOf returns the next record of a subject.
func (l *Log) nextOf(ctx context.Context, subject string, after int64) (shared.Record, error) {
	var m *jetstream.RawStreamMsg
	err := l.try(ctx, func(ctx context.Context) (err error) {
		m, err = l.records.GetMsg(ctx, uint64(after)+1, jetstream.WithGetMsgSubject(subject)) //nolint:gosec // it is no number below 0
		return err
	})
	if err != nil {
		return shared.Record{}, err
	}
	return record(m.Subject, m.Sequence, m.Header, m.Data)
}

// unwrapped returns the error that ended a read.
func unwrapped(err error) error {
	var refused refusal
	if errors.As(err, &refused) {
		return refused.error
	}
	return err
}

// errDone ends a scan, and errStalled begins it anew.
var (
	errDone    = errors.New("done")
	errStalled = errors.New("messages are missing")
)

// scan passes messages of a consumer up to a number, one by one. After an error of the engine it begins anew, with the same
// messages.
func (l *Log) scan(ctx context.Context, stream string, config jetstream.ConsumerConfig, until int64, f func(entry) error) error {
	err := l.tryLong(ctx, func(ctx context.Context) error {
		return l.pull(ctx, stream, config, func() error { return errStalled }, func(list []entry) error {
			for _, m := range list {
				if err := f(m); err != nil {
					return err
				}
				if m.number >= until {
					return refusal{errDone}
				}
			}
			return nil
		})
	})
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

// Heads implements [shared.Log]. Each key with a checkpoint has a record as well, which is not older.
func (l *Log) Heads(ctx context.Context, f func(shared.Record) error) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	var heads map[string]shared.Record
	if err := l.tryLong(ctx, func(ctx context.Context) error {
		heads = map[string]shared.Record{}
		return l.readHeads(ctx, heads)
	}); err != nil {
		return err
	}
	for _, r := range heads {
		if err := ctx.Err(); err != nil {
			return ended(ctx, nil)
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// readHeads reads the whole log without its data. A consumer of the last message of each subject would have less to read, but while
// servers are killed and others write, such a consumer leaves out subjects (nats-server 2.15.2). Whether all was there is
// known here: the leader says how many messages there are up to the last one.
func (l *Log) readHeads(ctx context.Context, heads map[string]shared.Record) error {
	var info *jetstream.StreamInfo
	err := l.try(ctx, func(ctx context.Context) (err error) {
		info, err = l.records.Info(ctx)
		return err
	})
	if err != nil || info.State.Msgs == 0 {
		return err
	}
	last, left := int64(info.State.LastSeq), info.State.Msgs //nolint:gosec // the server counts from 1
	config := jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverAllPolicy, HeadersOnly: true}
	err = l.pull(ctx, l.o.Name, config, func() error { return errStalled }, func(list []entry) error {
		for _, m := range list {
			if m.number > last {
				return errDone
			}
			left--
			if strings.HasPrefix(m.Subject(), l.o.Name+".r.") {
				r, err := record(m.Subject(), uint64(m.number), m.Headers(), nil) //nolint:gosec // it came from the server
				if err != nil {
					return refusal{err}
				}
				heads[r.Key] = r
			}
			if m.number == last {
				return errDone
			}
		}
		return nil
	})
	switch {
	case !errors.Is(err, errDone):
		return err
	case left != 0:
		return errStalled // or the log was trimmed meanwhile
	}
	return nil
}
