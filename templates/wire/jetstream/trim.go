// Trim: purges of single subjects, never to their end.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Trim implements [shared.Log]. It purges one subject after the other, so that others can go on. The streams may be put back to a
// copy meanwhile, which has not what was saved before, so the epoch is asked for each time.
func (l *Log) Trim(ctx context.Context, upTo shared.Position) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := l.try(ctx, func(ctx context.Context) error { return l.announce(ctx, upTo) }); err != nil {
		return err
	}
	var info *jetstream.StreamInfo
	if err := l.try(ctx, func(ctx context.Context) (err error) {
		info, err = l.records.Info(ctx, jetstream.WithSubjectFilter(l.o.Name+".>"))
		return err
	}); err != nil {
		return err
	}
	for subject, count := range info.State.Subjects {
		if count < 2 {
			continue
		}
		if err := l.try(ctx, func(ctx context.Context) error { return l.purge(ctx, subject, upTo) }); err != nil {
			return err
		}
	}
	return nil
}

// stillIn returns a [shared.MovedError] if the log has another epoch.
func (l *Log) stillIn(ctx context.Context, epoch int64) error {
	h, _, err := l.settleOnce(ctx, shared.Position{})
	if err == nil && h.epoch != epoch {
		err = &shared.MovedError{Epoch: h.epoch}
	}
	return err
}

// purge removes the messages of a subject up to a position, except the last one.
func (l *Log) purge(ctx context.Context, subject string, upTo shared.Position) error {
	last, err := lastOf(ctx, l.records, subject)
	if err != nil {
		return err
	}
	first, err := l.records.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(subject))
	if err != nil {
		return err
	}
	before := min(upTo.Number+1, last)
	if int64(first.Sequence) >= before { //nolint:gosec // the server counts from 1
		return nil
	}
	if err := l.stillIn(ctx, upTo.Epoch); err != nil {
		return err
	}
	return l.records.Purge(ctx, jetstream.WithPurgeSubject(subject), jetstream.WithPurgeSequence(uint64(before))) //nolint:gosec // as above
}

// announce stores up to where the log is trimmed, beside the checkpoints: the log may be full.
func (l *Log) announce(ctx context.Context, upTo shared.Position) error {
	trimmed, at, err := l.trimmed(ctx)
	if err == nil {
		err = l.stillIn(ctx, upTo.Epoch)
	}
	if err != nil || trimmed >= upTo.Number {
		return err
	}
	m := &nats.Msg{Subject: l.o.Name + ".t", Header: nats.Header{}, Data: strconv.AppendInt(nil, upTo.Number, 10)}
	m.Header.Set(lastOfSubject, strconv.FormatInt(at, 10))
	_, err = l.publish(ctx, []*nats.Msg{m})
	return err
}

// trimmed returns up to where the log is trimmed, and the number of the message that says so.
func (l *Log) trimmed(ctx context.Context) (number, at int64, err error) {
	m, err := l.saved.GetLastMsgForSubject(ctx, l.o.Name+".t")
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	number, err = strconv.ParseInt(string(m.Data), 10, 64)
	if err != nil {
		return 0, 0, refusal{fmt.Errorf("message %d on %s is malformed: %w", m.Sequence, m.Subject, err)}
	}
	return number, int64(m.Sequence), nil //nolint:gosec // the server counts from 1
}

// notTrimmed returns a [shared.MovedError] if records of a key after a number may be trimmed.
func (l *Log) notTrimmed(ctx context.Context, key string, after int64) error {
	number, _, err := l.trimmed(ctx)
	if err != nil || number <= after {
		return err
	}
	c, err := l.newest(ctx, key)
	if err == nil && c.Number > after {
		err = &shared.MovedError{Epoch: l.seen().Epoch, Trimmed: true}
	}
	return err
}
