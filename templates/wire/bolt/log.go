// Load and Append.

package bolt

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/server"
)

// Load implements [server.Log]. If the file is damaged, the error is [ErrDamaged], and f may have been called
// with some of what was kept.
func (l *Log) Load(f func(server.Record) error) error {
	var h head
	err := l.view(func(tx *bbolt.Tx) (err error) {
		h, err = readHead(tx)
		return err
	})
	if err != nil {
		return err
	}
	if h.versioned {
		if err := f(server.Record{Kind: server.Version, Data: []byte(h.version)}); err != nil {
			return err
		}
	}
	sum, err := l.records(h, f)
	if err == nil && h.format > firstFormat && sum != h.sum {
		err = fmt.Errorf("%w: some records are older or newer than the rest", ErrDamaged)
	}
	return err
}

// records calls f with all records but the version, and returns the sum of their checksums.
func (l *Log) records(h head, f func(server.Record) error) (sum uint64, err error) {
	if err := l.each(channels, h.channels, &sum, readNamed(server.ChannelState), f); err != nil {
		return 0, err
	}
	if h.trim > 0 {
		if err := f(server.Record{Kind: server.Trim, Sequence: h.trim}); err != nil {
			return 0, err
		}
	}
	last := h.trim
	err = l.each(actions, h.actions, &sum, readAction, func(r server.Record) error {
		if r.Sequence <= last || r.Sequence > h.last {
			return fmt.Errorf("%w: action %d, where %d have been trimmed and %d is the last", ErrDamaged, r.Sequence, h.trim, h.last)
		}
		last = r.Sequence
		return f(r)
	})
	if err == nil {
		err = l.each(clients, h.clients, &sum, readNamed(server.ClientKnown), f)
	}
	return sum, err
}

// What is read at a time.
const (
	maxRead      = 1000
	maxReadBytes = 4 << 20
)

// each calls f with all records of a bucket, in the order of their keys. It is called between transactions, so
// that its panics are its own.
func (l *Log) each(bucket []byte, want int64, sum *uint64, read func(key, v []byte) (server.Record, error), f func(server.Record) error) error {
	var after []byte
	count := int64(0)
	for more := true; more; {
		var list []server.Record
		err := l.view(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucket).Cursor()
			var k, v []byte
			if after == nil {
				k, v = c.First()
			} else if k, v = c.Seek(after); bytes.Equal(k, after) {
				k, v = c.Next()
			}
			size := 0
			for ; k != nil && len(list) < maxRead && size < maxReadBytes; k, v = c.Next() {
				after = bytes.Clone(k)
				value, err := unseal(k, v)
				if err != nil {
					return err
				}
				r, err := read(k, value)
				if err != nil {
					return err
				}
				*sum += mark(bucket, k, v)
				list = append(list, r)
				size += len(v)
			}
			more = k != nil
			return nil
		})
		if err != nil {
			return err
		}
		count += int64(len(list))
		for _, r := range list {
			if err := f(r); err != nil {
				return err
			}
		}
	}
	if count != want {
		return fmt.Errorf("%w: %d of %d %s are left", ErrDamaged, count, want, bucket)
	}
	return nil
}

func (l *Log) view(f func(*bbolt.Tx) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return l.failed
	}
	return guard(func() error { return l.db.View(f) })
}

// Append implements [server.Log]. Once it has failed it always will, since what comes later makes no sense
// without what is missing: open the log again.
func (l *Log) Append(records []server.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil {
		return l.failed
	}
	if len(records) == 0 {
		return nil
	}
	err := guard(func() error {
		return l.db.Update(func(tx *bbolt.Tx) error { return appendAll(tx, records) })
	})
	if err != nil {
		l.failed = fmt.Errorf("append to the log: %w", err)
	}
	return l.failed
}

func appendAll(tx *bbolt.Tx, records []server.Record) error {
	h, err := readHead(tx)
	if err != nil {
		return err
	}
	w := writer{head: h, tx: tx}
	tx.Bucket(actions).FillPercent = 1 // they come in order, so nothing is ever put between them
	for _, r := range records {
		if err := w.write(r); err != nil {
			return err
		}
	}
	return w.head.write(tx)
}

// writer writes records in a transaction.
type writer struct {
	head
	tx *bbolt.Tx
}

func (w *writer) write(r server.Record) error {
	switch r.Kind {
	case server.ChannelState:
		return w.put(channels, &w.channels, nameKey(r.Key), appendNamed(r))
	case server.ChannelGone:
		return w.remove(channels, &w.channels, nameKey(r.Key))
	case server.ClientKnown:
		return w.put(clients, &w.clients, nameKey(r.Key), appendNamed(r))
	case server.ClientGone:
		return w.remove(clients, &w.clients, nameKey(r.Key))
	case server.Version:
		w.versioned, w.version = true, string(r.Data)
		return nil
	case server.Action, server.Start:
		if r.Sequence <= max(w.last, w.trim) {
			return fmt.Errorf("action %d after %d: %w", r.Sequence, max(w.last, w.trim), errOrder)
		}
		v, err := appendAction(r)
		if err != nil {
			return err
		}
		w.last = r.Sequence
		return w.put(actions, &w.actions, numberKey(r.Sequence), v)
	case server.Trim:
		return w.cut(r.Sequence)
	}
	return fmt.Errorf("record of kind %d", r.Kind)
}

func (w *writer) put(bucket []byte, count *int64, key, value []byte) error {
	b := w.tx.Bucket(bucket)
	if _, err := w.without(b, bucket, count, key); err != nil {
		return err
	}
	value = seal(key, value)
	*count++
	w.sum += mark(bucket, key, value)
	return b.Put(key, value)
}

func (w *writer) remove(bucket []byte, count *int64, key []byte) error {
	b := w.tx.Bucket(bucket)
	if there, err := w.without(b, bucket, count, key); err != nil || !there {
		return err
	}
	return b.Delete(key)
}

// without counts a record out, if there is one.
func (w *writer) without(b *bbolt.Bucket, bucket []byte, count *int64, key []byte) (there bool, err error) {
	was := b.Get(key)
	if was == nil {
		return false, nil
	}
	if len(was) < 4 {
		return false, errShort
	}
	*count--
	w.sum -= mark(bucket, key, was)
	return true, nil
}

// cut removes actions up to a number.
func (w *writer) cut(upTo int64) error {
	w.trim = max(w.trim, upTo)
	var gone []int64 // what comes next in a bucket is not sure once something was deleted
	c := w.tx.Bucket(actions).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n, _, err := number(k)
		if err != nil {
			return err
		}
		if n > upTo {
			break
		}
		gone = append(gone, n)
	}
	for _, n := range gone {
		if err := w.remove(actions, &w.actions, numberKey(n)); err != nil {
			return err
		}
	}
	return nil
}
