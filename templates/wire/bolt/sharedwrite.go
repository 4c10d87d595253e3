// Append, Save and Trim. Batches that come while one transaction is written share the next one.

package bolt

import (
	"context"

	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// proposal is a batch that waits, or what became of it. Whoever holds the lock for writing may use all but the batch.
type proposal struct {
	shared.Batch
	done  bool
	first int64
	err   error
}

// Append implements [shared.Log]. A batch that cannot be stored since the disk is full may be refused with others that
// came at the same time.
func (s *Shared) Append(ctx context.Context, b shared.Batch) (first int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for _, r := range b.Records {
		if len(r.Data)+len(r.Key)+len(r.Writer) > maxRecord {
			return 0, shared.ErrTooLarge
		}
	}
	p := &proposal{Batch: b}
	s.queued.Lock()
	s.queue = append(s.queue, p)
	s.queued.Unlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if !p.done { // nobody who had the lock before has written it
		s.writeQueue()
	}
	return p.first, p.err
}

// writeQueue writes the batches that wait. The caller must hold the lock for writing.
func (s *Shared) writeQueue() {
	s.queued.Lock()
	list := s.queue
	s.queue = nil
	s.queued.Unlock()
	more := false
	err := s.update(func(w *sharedWriter) error {
		last := w.last
		for _, p := range list {
			conflict, err := w.conflict(p.If)
			if err != nil {
				return err
			}
			if conflict != nil {
				p.err = conflict
				continue
			}
			p.first = w.last + 1
			if err := w.append(p.Records); err != nil {
				return err
			}
		}
		if more = w.last > last; !more {
			return errNothing
		}
		return nil
	})
	for _, p := range list {
		if p.done = true; err != nil { // what a batch conflicts with is not stored either
			p.first, p.err = 0, err
		}
	}
	if err == nil && more {
		s.mu.Lock()
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
	}
}

// sharedWriter writes in a transaction.
type sharedWriter struct {
	sharedHead
	tx *bbolt.Tx
}

// conflict returns the first condition that does not hold, if any.
func (w *sharedWriter) conflict(conditions []shared.Condition) (*shared.ConflictError, error) {
	for _, c := range conditions {
		e, err := endsOf(w.tx, nameKey(c.Key))
		if err != nil {
			return nil, err
		}
		if e.last != c.Last {
			return &shared.ConflictError{Key: c.Key, Last: e.last}, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}

func (w *sharedWriter) append(list []shared.Record) error {
	b := w.tx.Bucket(sharedRecords)
	b.FillPercent = 1 // they come in order, so nothing is ever put between them
	for _, r := range list {
		name := nameKey(r.Key)
		e, err := endsOf(w.tx, name)
		if err != nil {
			return err
		}
		w.last++
		key := numberKey(w.last)
		if err := b.Put(key, seal(key, appendShared(e.last, r))); err != nil {
			return err
		}
		e.last = w.last
		if err := e.write(w.tx, name); err != nil {
			return err
		}
	}
	return nil
}

// Save implements [shared.Log].
func (s *Shared) Save(ctx context.Context, epoch int64, checkpoint shared.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed() == nil && epoch != s.epoch {
		return &shared.MovedError{Epoch: s.epoch}
	}
	return s.update(func(w *sharedWriter) error {
		b, key := w.tx.Bucket(sharedCheckpoints), nameKey(checkpoint.Key)
		if v := b.Get(key); v != nil {
			n, _, err := readShared(key, v)
			if err != nil {
				return err
			}
			if n >= checkpoint.Number {
				return errNothing
			}
		}
		return b.Put(key, seal(key, appendShared(checkpoint.Number, checkpoint)))
	})
}

// Trim implements [shared.Log]. The file does not shrink: the space is used again.
func (s *Shared) Trim(ctx context.Context, upTo shared.Position) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.failed() == nil && upTo.Epoch != s.epoch {
		return &shared.MovedError{Epoch: s.epoch}
	}
	return s.update(func(w *sharedWriter) error { return w.cut(upTo.Number) })
}

// cut removes records up to a number, except the last one of each key.
func (w *sharedWriter) cut(upTo int64) error {
	keys := map[string]ends{}
	var gone [][]byte // what comes next in a bucket is not sure once something was deleted
	b := w.tx.Bucket(sharedRecords)
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		n, _, err := number(k)
		if err != nil {
			return err
		}
		if n > upTo {
			break
		}
		_, r, err := readShared(k, v)
		if err != nil {
			return err
		}
		name := string(nameKey(r.Key))
		e, ok := keys[name]
		if !ok {
			if e, err = endsOf(w.tx, []byte(name)); err != nil {
				return err
			}
		}
		if n == e.last {
			continue
		}
		e.cut, w.trim = n, max(w.trim, n)
		keys[name] = e
		gone = append(gone, numberKey(n))
	}
	if len(gone) == 0 {
		return errNothing
	}
	for _, k := range gone {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	for name, e := range keys {
		if err := e.write(w.tx, []byte(name)); err != nil {
			return err
		}
	}
	return nil
}
