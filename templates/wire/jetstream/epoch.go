// Epochs: a record says which one it is, and each process compares the log with what it has seen of it.

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// head is the record that has the epoch.
type head struct {
	epoch, number int64
}

// epochKind is the name of its subject.
const epochKind = "epoch"

// seen returns the latest that was seen.
func (l *Log) seen() place {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// see keeps what was seen, if it is later.
func (l *Log) see(p place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newer := p.Epoch > l.known.Epoch || p.Epoch == l.known.Epoch && p.Number > l.known.Number
	if newer || p.Position == l.known.Position && l.known.stored.IsZero() {
		l.known = p
	}
}

// stored keeps the number of what was stored now. If that is not above what was seen before, the log has lost its tail: the next
// check is told so by the number.
func (l *Log) stored(before shared.Position, last int64) {
	if last > before.Number {
		l.see(place{Position: shared.Position{Epoch: before.Epoch, Number: last}})
	}
}

// settle returns the epoch and the last number of the log. It begins another epoch if the log does not continue from what was
// seen of it, or from a position that somebody else has seen.
func (l *Log) settle(ctx context.Context, also shared.Position) (h head, last int64, err error) {
	err = l.try(ctx, func(ctx context.Context) error {
		h, last, err = l.settleOnce(ctx, also)
		return err
	})
	return h, last, err
}

var errAgain = errors.New("the log has changed meanwhile")

func (l *Log) settleOnce(ctx context.Context, also shared.Position) (h head, last int64, err error) {
	if h, err = l.readHead(ctx); err != nil {
		return h, 0, err
	}
	info, err := l.records.Info(ctx)
	if err != nil {
		return h, 0, err
	}
	last = int64(info.State.LastSeq) //nolint:gosec // the server counts from 1
	known := l.seen()
	if also.Epoch > known.Epoch || also.Epoch == known.Epoch && also.Number > known.Number {
		known = place{Position: also}
	}
	switch {
	case h.number == 0, h.epoch < known.Epoch:
		return h, last, l.renew(ctx, h, known.Position, last, false)
	case h.epoch == known.Epoch && last < known.Number:
		// Only what is stored next proves that nothing is there: who answered may have been the leader once.
		return h, last, l.renew(ctx, h, known.Position, last, true)
	case h.epoch == known.Epoch && !known.stored.IsZero():
		other, err := l.isOther(ctx, known)
		if err != nil {
			return h, last, err
		}
		if other {
			return h, last, l.renew(ctx, h, known.Position, last, false)
		}
	}
	l.mu.Lock()
	if h.epoch >= l.head.epoch {
		l.head = h
	}
	l.mu.Unlock()
	l.see(place{Position: shared.Position{Epoch: h.epoch, Number: h.number}})
	return h, last, nil
}

// isOther reports whether the log has another record where it had one.
func (l *Log) isOther(ctx context.Context, known place) (bool, error) {
	m, err := l.records.GetMsg(ctx, uint64(known.Number)) //nolint:gosec // it came from the server
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return false, nil // it is trimmed
	case err != nil:
		return false, err
	}
	return !m.Time.Equal(known.stored), nil
}

// readHead returns the record with the epoch, or none.
func (l *Log) readHead(ctx context.Context) (head, error) {
	m, err := l.records.GetLastMsgForSubject(ctx, l.system(epochKind))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return head{}, nil
	}
	if err != nil {
		return head{}, err
	}
	return parseHead(m.Data, m.Sequence)
}

func parseHead(data []byte, number uint64) (head, error) {
	epoch, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil || epoch <= 0 {
		return head{}, refusal{fmt.Errorf("message %d has the malformed epoch %.30q", number, data)}
	}
	return head{epoch, int64(number)}, nil //nolint:gosec // the server counts from 1
}

// renew begins another epoch, if nobody else does, and lets the caller look again.
func (l *Log) renew(ctx context.Context, h head, known shared.Position, last int64, atLast bool) error {
	epoch, err := shared.Fresh(max(known.Epoch+known.Number*shared.Spacing, h.epoch+last*shared.Spacing), time.Now())
	if err != nil {
		return refusal{err}
	}
	m := &nats.Msg{Subject: l.system(epochKind), Header: nats.Header{}, Data: strconv.AppendInt(nil, epoch, 10)}
	m.Header.Set(lastOfSubject, strconv.FormatInt(h.number, 10))
	if atLast {
		m.Header.Set(lastOfStream, strconv.FormatInt(last, 10))
	}
	if _, err := l.publish(ctx, []*nats.Msg{m}); errors.Is(err, shared.ErrFull) {
		return err
	}
	return errAgain // it is there now, or somebody else's, or nobody knows
}

// NewEpoch begins another epoch. It is for operators who have put the streams back to a copy, before processes use
// them: readers get states anew.
func (l *Log) NewEpoch(ctx context.Context) (epoch int64, err error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	before, last, err := l.settle(ctx, shared.Position{})
	if err != nil {
		return 0, err
	}
	err = l.try(ctx, func(ctx context.Context) error {
		h, _, err := l.settleOnce(ctx, shared.Position{})
		if err == nil && h.epoch <= before.epoch {
			err = l.renew(ctx, h, l.seen().Position, last, false)
		}
		epoch = h.epoch
		return err
	})
	return epoch, err
}
