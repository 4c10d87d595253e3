// Follow, Read and what else is read. What reads a file is called back between transactions, so that it may write.

package bolt

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Follow implements [shared.Log].
func (s *Shared) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	for {
		s.mu.Lock()
		more := s.more
		s.mu.Unlock()
		list, err := s.next(ctx, after)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if err := f(list); err != nil {
				return err
			}
			after.Number = list[len(list)-1].Number
			continue
		}
		select {
		case <-more:
		case <-s.ended:
		case <-ctx.Done():
		}
	}
}

// next returns a piece of the records after a position.
func (s *Shared) next(ctx context.Context, after shared.Position) (list []shared.Record, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		h, err := readSharedHead(tx)
		switch {
		case err != nil:
			return err
		case after.Epoch != s.epoch || after.Number > h.last:
			return &shared.MovedError{Epoch: s.epoch}
		case after.Number < h.trim:
			return s.trimmed()
		}
		c, size := tx.Bucket(sharedRecords).Cursor(), 0
		for k, v := c.Seek(numberKey(max(after.Number, 0) + 1)); k != nil && len(list) < maxRead && size < maxReadBytes; k, v = c.Next() {
			_, r, err := readShared(k, v)
			if err != nil {
				return err
			}
			if r.Number, _, err = number(k); err != nil {
				return err
			}
			r.Data = bytes.Clone(r.Data)
			list = append(list, r)
			size += len(v)
		}
		return nil
	})
	return list, err
}

func (s *Shared) trimmed() error { return &shared.MovedError{Epoch: s.epoch, Trimmed: true} }

// Read implements [shared.Log].
func (s *Shared) Read(ctx context.Context, key string, after int64, f func(shared.Record) error) error {
	after = max(after, 0)
	var list []int64
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		e, err := endsOf(tx, nameKey(key))
		if err != nil {
			return err
		}
		if e.cut > after {
			return s.trimmed()
		}
		for n := e.last; n > after; {
			list = append(list, n)
			before, _, ok, err := recordAt(tx, n)
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("%w: record %d is missing", ErrDamaged, n)
			}
			n = before
		}
		return nil
	})
	slices.Reverse(list)
	for err == nil && len(list) > 0 {
		var records []shared.Record
		if records, err = s.some(ctx, list); err != nil {
			return err
		}
		list = list[len(records):]
		for _, r := range records {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return err
}

// some returns the first of the records with the numbers of a list.
func (s *Shared) some(ctx context.Context, list []int64) (records []shared.Record, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		size := 0
		for _, n := range list {
			if len(records) == maxRead || size >= maxReadBytes {
				break
			}
			_, r, ok, err := recordAt(tx, n)
			if err != nil {
				return err
			}
			if !ok { // it was there before
				return s.trimmed()
			}
			r.Data = bytes.Clone(r.Data)
			records = append(records, r)
			size += len(r.Data)
		}
		return nil
	})
	return records, err
}

// Last implements [shared.Log].
func (s *Shared) Last(ctx context.Context, key string) (last int64, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		e, err := endsOf(tx, nameKey(key))
		last = e.last
		return err
	})
	return last, err
}

// End implements [shared.Log].
func (s *Shared) End(ctx context.Context) (at shared.Position, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		h, err := readSharedHead(tx)
		at = shared.Position{Epoch: s.epoch, Number: h.last}
		return err
	})
	return at, err
}

// Heads implements [shared.Log].
func (s *Shared) Heads(ctx context.Context, f func(shared.Record) error) error {
	var after []byte
	for more := true; more; {
		var list []shared.Record
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			c := tx.Bucket(sharedKeys).Cursor()
			k, _ := c.Seek(after)
			if after != nil && bytes.Equal(k, after) {
				k, _ = c.Next()
			}
			for ; k != nil && len(list) < maxRead; k, _ = c.Next() {
				after = bytes.Clone(k)
				e, err := endsOf(tx, k)
				if err != nil {
					return err
				}
				_, r, ok, err := recordAt(tx, e.last)
				if err != nil {
					return err
				}
				if !ok {
					return fmt.Errorf("%w: record %d is missing", ErrDamaged, e.last)
				}
				r.Data = nil
				list = append(list, r)
			}
			more = k != nil
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Load implements [shared.Log].
func (s *Shared) Load(ctx context.Context, key string) (checkpoint shared.Record, ok bool, err error) {
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		name := nameKey(key)
		v := tx.Bucket(sharedCheckpoints).Get(name)
		if v == nil {
			return nil
		}
		n, r, err := readShared(name, v)
		r.Number, r.Data = n, bytes.Clone(r.Data)
		checkpoint, ok = r, err == nil
		return err
	})
	return checkpoint, ok, err
}
