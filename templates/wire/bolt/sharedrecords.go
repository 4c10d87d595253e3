// How the records that servers share stand in the file. Each has the number of the one before it of the same key, so that
// those of a key are found from the last one, and that what is missing is noticed.

package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// sharedFormat is the number of the layout below.
const sharedFormat = 1

const sharedKind = "shared log"

// The buckets, besides about.
var (
	sharedRecords     = []byte("records")     // by number
	sharedKeys        = []byte("keys")        // the numbers of each key
	sharedCheckpoints = []byte("checkpoints") // by key
)

// sharedHead says where the log is.
type sharedHead struct {
	epoch int64
	last  int64 // number of the last record
	trim  int64 // last number that was trimmed
}

// setUpShared makes an empty file a log.
func setUpShared(tx *bbolt.Tx) error {
	for _, name := range [][]byte{about, sharedRecords, sharedKeys, sharedCheckpoints} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	b := tx.Bucket(about)
	if err := b.Put(aboutKind, []byte(sharedKind)); err != nil {
		return err
	}
	if err := b.Put(aboutFormat, binary.BigEndian.AppendUint32(nil, sharedFormat)); err != nil {
		return err
	}
	return sharedHead{}.write(tx)
}

func (h sharedHead) write(tx *bbolt.Tx) error {
	return tx.Bucket(about).Put(aboutHead, seal(aboutHead, appendNumbers(nil, h.epoch, h.last, h.trim)))
}

func readSharedHead(tx *bbolt.Tx) (h sharedHead, err error) {
	b := tx.Bucket(about)
	if b == nil || string(b.Get(aboutKind)) != sharedKind {
		return h, ErrNotALog
	}
	v := b.Get(aboutFormat)
	if len(v) != 4 {
		return h, errHead
	}
	if f := binary.BigEndian.Uint32(v); f != sharedFormat {
		return h, fmt.Errorf("%w: %d, and %d is the latest known here", ErrNewer, f, sharedFormat)
	}
	for _, name := range [][]byte{sharedRecords, sharedKeys, sharedCheckpoints} {
		if tx.Bucket(name) == nil {
			return h, fmt.Errorf("%w: there are no %s", ErrDamaged, name)
		}
	}
	if v, err = unseal(aboutHead, b.Get(aboutHead)); err != nil {
		return h, err
	}
	_, err = numbers(v, &h.epoch, &h.last, &h.trim)
	return h, err
}

func appendNumbers(v []byte, list ...int64) []byte {
	for _, n := range list {
		v = binary.BigEndian.AppendUint64(v, uint64(n)) //nolint:gosec // read back the same way
	}
	return v
}

// numbers reads numbers and returns the rest.
func numbers(v []byte, list ...*int64) (rest []byte, err error) {
	for _, n := range list {
		if *n, v, err = number(v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// ends are the numbers of a key.
type ends struct {
	last int64 // record
	cut  int64 // last record that was trimmed
}

// endsOf returns the numbers of a key, zero if it has no records.
func endsOf(tx *bbolt.Tx, key []byte) (e ends, err error) {
	v := tx.Bucket(sharedKeys).Get(key)
	if v == nil {
		return e, nil
	}
	if v, err = unseal(key, v); err == nil {
		_, err = numbers(v, &e.last, &e.cut)
	}
	return e, err
}

func (e ends) write(tx *bbolt.Tx, key []byte) error {
	return tx.Bucket(sharedKeys).Put(key, seal(key, appendNumbers(nil, e.last, e.cut)))
}

// appendShared writes a record, or a checkpoint, after a number: that of the record before it, or its own.
func appendShared(n int64, r shared.Record) []byte {
	v := make([]byte, 0, len(r.Key)+len(r.Writer)+len(r.Data)+64)
	v = appendNumbers(v, n, r.Serial, r.Time.UnixMilli())
	v = append(v, r.Kind)
	v = appendSized(v, r.Key)
	v = appendSized(v, r.Writer)
	return append(v, r.Data...)
}

// readShared reads what appendShared wrote and seal has sealed. The data shares the memory of the file.
func readShared(key, v []byte) (n int64, r shared.Record, err error) {
	if v, err = unseal(key, v); err != nil {
		return 0, r, err
	}
	var milli int64
	if v, err = numbers(v, &n, &r.Serial, &milli); err != nil {
		return 0, r, err
	}
	if len(v) == 0 {
		return 0, r, errShort
	}
	r.Time, r.Kind = time.UnixMilli(milli).UTC(), v[0]
	name, v, err := sized(v[1:])
	if err != nil {
		return 0, r, err
	}
	writer, v, err := sized(v)
	r.Key, r.Writer, r.Data = string(name), string(writer), v
	return n, r, err
}

// recordAt returns a record and the number of the one before it of its key. It reports false if there is none.
func recordAt(tx *bbolt.Tx, n int64) (before int64, r shared.Record, ok bool, err error) {
	key := numberKey(n)
	v := tx.Bucket(sharedRecords).Get(key)
	if v == nil {
		return 0, r, false, nil
	}
	before, r, err = readShared(key, v)
	if err == nil && before >= n {
		err = fmt.Errorf("%w: record %d comes after %d", ErrDamaged, n, before)
	}
	r.Number = n
	return before, r, true, err
}

// verify reads all of a file.
func verify(tx *bbolt.Tx) error {
	h, err := readSharedHead(tx)
	if err != nil {
		return err
	}
	wrong := func(what string, n int64) error { return fmt.Errorf("%w: record %d %s", ErrDamaged, n, what) }
	lasts := map[string]int64{}
	err = tx.Bucket(sharedRecords).ForEach(func(k, _ []byte) error {
		n, rest, err := number(k)
		if err != nil || len(rest) > 0 || n <= 0 || n > h.last {
			return wrong("is out of place", n)
		}
		before, r, _, err := recordAt(tx, n)
		if err != nil {
			return err
		}
		name := nameKey(r.Key)
		e, err := endsOf(tx, name)
		last := lasts[string(name)]
		switch {
		case err != nil:
			return err
		case n <= e.cut || n > e.last:
			return wrong("is not among those of its key", n)
		case before != last && (last > 0 || before > e.cut):
			return wrong("is missing", before)
		}
		lasts[string(name)] = n
		return nil
	})
	if err != nil {
		return err
	}
	err = tx.Bucket(sharedKeys).ForEach(func(k, _ []byte) error {
		e, err := endsOf(tx, k)
		if err == nil && (e.last != lasts[string(k)] || e.cut > h.trim) {
			err = wrong("is missing", e.last)
		}
		return err
	})
	if err != nil {
		return err
	}
	return tx.Bucket(sharedCheckpoints).ForEach(func(k, v []byte) error {
		_, r, err := readShared(k, v)
		if err == nil && !bytes.Equal(nameKey(r.Key), k) {
			err = fmt.Errorf("%w: the checkpoint of %.40q is stored under another key", ErrDamaged, r.Key)
		}
		return err
	})
}
