// The file as a log that servers of one process share: opening, closing, transactions and their errors.

package bolt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Shared is a log in a file. It implements [shared.Log] for the servers of one process. If it cannot tell whether a batch was
// stored, or the file cannot be written for another reason than that the disk is full, all methods return that error
// from then on: open the log again.
type Shared struct {
	db    *bbolt.DB
	epoch int64

	queued sync.Mutex
	queue  []*proposal // batches that wait

	writing sync.Mutex // held by the goroutine that writes

	mu    sync.Mutex
	more  chan struct{} // closed when there are more records
	ended chan struct{} // closed when there is an error
	err   error         // the first one, or that the log is closed
}

var _ shared.Log = (*Shared)(nil)

// OpenShared opens the log at a path, or makes one if there is no file or an empty one. The folder must exist. Until Close,
// opening it again fails with [ErrInUse].
//
// Each time, another epoch begins, since the file may have been put back from a copy, and nothing in it can tell.
func OpenShared(path string, o *Options) (*Shared, error) {
	s := &Shared{more: make(chan struct{}), ended: make(chan struct{})}
	l, err := open(path, o, checkShared, func(l *Log, dir string) (err error) {
		s.epoch, err = prepareShared(l, dir)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.db = l.db
	return s, nil
}

// checkShared sees that a file is a log that servers share and that all of it is there, or that it is as new.
func checkShared(l *Log) error {
	return l.view(func(tx *bbolt.Tx) error {
		if isNew(tx) {
			return nil
		}
		return verify(tx)
	})
}

// prepareShared makes a file that is new a log, and begins another epoch.
func prepareShared(l *Log, dir string) (epoch int64, err error) {
	made := false
	err = guard(func() error {
		return l.db.Update(func(tx *bbolt.Tx) error {
			if made = isNew(tx); made {
				if err := setUpShared(tx); err != nil {
					return err
				}
			}
			h, err := readSharedHead(tx)
			if err != nil {
				return err
			}
			if epoch, err = shared.Fresh(h.epoch+h.last*shared.Spacing, time.Now()); err != nil {
				return err
			}
			h.epoch = epoch
			return h.write(tx)
		})
	})
	if err == nil && made {
		err = syncFolder(dir)
	}
	return epoch, err
}

// Close closes the file. Close the servers first.
func (s *Shared) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.end(ErrClosed)
	return s.db.Close()
}

// Limits implements [shared.Log].
func (s *Shared) Limits() shared.Limits { return shared.Limits{Record: maxRecord} }

// maxRecord is the size up to which a record is taken. Each is held in memory as a whole.
const maxRecord = 64 << 20

// end lets all methods return an error.
func (s *Shared) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		close(s.ended)
	}
}

func (s *Shared) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// view calls f with a transaction that reads.
func (s *Shared) view(ctx context.Context, f func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.failed(); err != nil {
		return err
	}
	err := guard(func() error { return s.db.View(f) })
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) { // it was closed meanwhile
		return ErrClosed
	}
	return err
}

// errNothing ends a transaction that has nothing to store.
var errNothing = errors.New("nothing to store")

// update calls f with a transaction that writes, and returns when it is durable. The caller must hold the lock for writing.
func (s *Shared) update(f func(*sharedWriter) error) error {
	if err := s.failed(); err != nil {
		return err
	}
	transaction := uint64(0)
	err := guard(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			transaction = uint64(tx.ID()) //nolint:gosec // it counts from 0
			h, err := readSharedHead(tx)
			if err != nil {
				return err
			}
			w := sharedWriter{sharedHead: h, tx: tx}
			if err := f(&w); err != nil {
				return err
			}
			return w.write(tx)
		})
	})
	switch {
	case err == nil, errors.Is(err, errNothing):
		return nil
	case errors.Is(err, bolterrors.ErrValueTooLarge):
		return shared.ErrTooLarge
	case s.mayHave(transaction):
		err = fmt.Errorf("write to the log: %w: %w", shared.ErrUnknown, err)
	case isFull(err):
		return fmt.Errorf("%w: %w", shared.ErrFull, err)
	default:
		err = fmt.Errorf("write to the log: %w", err)
	}
	s.end(err)
	return err
}

// mayHave reports whether a transaction that failed may be in the file. It is if it has a header: that is written last, once
// all else is durable.
func (s *Shared) mayHave(transaction uint64) bool {
	file, err := os.Open(s.db.Path())
	if err != nil {
		return true
	}
	defer func() { _ = file.Close() }()
	for i := int64(0); i < 2; i++ {
		page := make([]byte, pageHead+headerEnd)
		if _, err := file.ReadAt(page, i*int64(s.db.Info().PageSize)); err != nil {
			return true
		}
		if h, ok := readHeader(page); ok && h.transaction == transaction && transaction > 0 {
			return true
		}
	}
	return false
}

// isFull reports whether an error says that there is no room. The library keeps only the text of some.
func isFull(err error) bool {
	for _, number := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, number) || strings.HasSuffix(err.Error(), number.Error()) {
			return true
		}
	}
	return false
}
