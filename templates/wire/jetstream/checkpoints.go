// Checkpoints: a message for each key, or parts of what is too large for one.

package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// checkpoint is a checkpoint as it is stored.
type checkpoint struct {
	shared.Record
	epoch int64
	parts int    // 0 if the data is in the message
	id    string // of the parts
	at    int64  // number of the message, 0 if there is none
}

func parseCheckpoint(subject string, h nats.Header, data []byte) (checkpoint, error) {
	r, err := record(subject, 0, h, data)
	if err != nil {
		return checkpoint{}, err
	}
	c := checkpoint{Record: r}
	if _, err := fmt.Sscanf(h.Get(checkpointHeader), "%d %d %d %s", &c.Number, &c.epoch, &c.parts, &c.id); err != nil {
		return c, fmt.Errorf("the checkpoint on %s is malformed: %w", subject, err)
	}
	return c, nil
}

// begins returns where the log's epoch begins, if a checkpoint is of another one and includes records that may have been lost.
func (l *Log) begins(c checkpoint) (number int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head.number, c.epoch != l.head.epoch && c.Number > l.head.number
}

func (l *Log) checkpointSubject(key string) string { return l.o.Name + ".c." + token(key) }

// newest returns the checkpoint of a key, without its parts.
func (l *Log) newest(ctx context.Context, key string) (checkpoint, error) {
	m, err := l.saved.GetLastMsgForSubject(ctx, l.checkpointSubject(key))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return checkpoint{}, nil
	}
	if err != nil {
		return checkpoint{}, err
	}
	c, err := parseCheckpoint(m.Subject, m.Header, m.Data)
	if err != nil {
		return c, refusal{err}
	}
	c.at = int64(m.Sequence) //nolint:gosec // the server counts from 1
	l.mu.Lock()
	later := c.epoch > l.head.epoch || c.epoch == l.head.epoch && c.Number > l.known.Number
	l.mu.Unlock()
	if later { // another process knows more, or the log has lost what the checkpoint includes
		if _, _, err = l.settleOnce(ctx, shared.Position{Epoch: c.epoch, Number: c.Number}); err != nil {
			return c, err
		}
	}
	if begin, ok := l.begins(c); ok {
		// It counts as the state with which the epoch begins, for all processes, unless the log has nothing of the key.
		last, err := lastOf(ctx, l.records, l.subject(key))
		if err != nil {
			return c, err
		}
		c.Number = min(begin, last)
	}
	return c, nil
}

// Save implements [shared.Log]. What is too large for a message is stored in parts.
func (l *Log) Save(ctx context.Context, epoch int64, r shared.Record) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	return l.tryLong(ctx, func(ctx context.Context) error { return l.save(ctx, epoch, r) })
}

func (l *Log) save(ctx context.Context, epoch int64, r shared.Record) error {
	old, err := l.newest(ctx, r.Key)
	if err != nil || old.Number >= r.Number {
		return err
	}
	if err := l.stillIn(ctx, epoch); err != nil { // the streams may have been put back to a copy while the engine was away
		return err
	}
	subject, data := l.checkpointSubject(r.Key), r.Data
	room := int(l.nc.MaxPayload()) - reserve
	parts, id, first := 0, "-", int64(0)
	if size(r) > room {
		id, r.Data = rand.Text(), nil
		for ; len(data) > 0; parts++ {
			n := min(room, len(data))
			at, err := l.publish(ctx, []*nats.Msg{{Subject: l.part(r.Key, id, parts), Data: data[:n]}})
			if err != nil {
				return err
			}
			if data = data[n:]; parts == 0 {
				first = at
			}
		}
	}
	m := message(subject, r)
	m.Header.Set(checkpointHeader, fmt.Sprint(r.Number, epoch, parts, " ", id))
	m.Header.Set(lastOfSubject, strconv.FormatInt(old.at, 10))
	if _, err := l.publish(ctx, []*nats.Msg{m}); err != nil {
		return err // a conflict among them: then it is compared with the other one
	}
	switch all := l.o.Name + ".p." + token(r.Key); {
	case parts > 0:
		// Those of older checkpoints were all stored before, since the condition held.
		return l.saved.Purge(ctx, jetstream.WithPurgeSubject(all+".>"), jetstream.WithPurgeSequence(uint64(first)))
	case old.parts > 0:
		return l.saved.Purge(ctx, jetstream.WithPurgeSubject(all+"."+old.id+".*"))
	}
	return nil
}

// part returns the subject of a part.
func (l *Log) part(key, id string, i int) string {
	return fmt.Sprintf("%s.p.%s.%s.%d", l.o.Name, token(key), id, i)
}

// Load implements [shared.Log].
func (l *Log) Load(ctx context.Context, key string) (r shared.Record, ok bool, err error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return r, false, err
	}
	defer end()
	err = l.tryLong(ctx, func(ctx context.Context) error {
		c, err := l.newest(ctx, key)
		if err != nil || c.Number == 0 {
			return err
		}
		for i := 0; i < c.parts; i++ {
			m, err := l.saved.GetLastMsgForSubject(ctx, l.part(key, c.id, i))
			if err != nil {
				return err // there is a newer checkpoint now
			}
			c.Data = append(c.Data, m.Data...)
		}
		r, ok = c.Record, true
		return nil
	})
	return r, ok, err
}
