// Records: how they stand in the file. Every value starts with a checksum of itself and its key, and the head
// counts all others and has a sum of their checksums, so that what is damaged or missing is noticed, and also what
// is of another moment than the rest.

package bolt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/server"
)

// format is the number of the layout below. In the first one, the head had no sum and no version, and servers did not
// say when they started. In the second one, channels had no time.
const (
	format      = 3
	firstFormat = 1
)

// The buckets. Those of channels and clients are by name, that of actions by number.
var (
	about    = []byte("about") // what the file is, and its head
	channels = []byte("channels")
	actions  = []byte("actions")
	clients  = []byte("clients")
)

// What there is under about.
var (
	aboutKind   = []byte("kind")
	aboutFormat = []byte("format")
	aboutHead   = []byte("head")
)

const kind = "server log"

// head says what there is.
type head struct {
	trim, last                 int64 // numbers of actions
	channels, actions, clients int64 // how many are kept
	sum                        uint64
	versioned                  bool
	version                    string // that all was written by
	format                     uint32
}

var errHead = fmt.Errorf("%w: its head", ErrDamaged)

// setUp makes an empty file a log.
func setUp(tx *bbolt.Tx) error {
	for _, name := range [][]byte{about, channels, actions, clients} {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	b := tx.Bucket(about)
	if err := b.Put(aboutKind, []byte(kind)); err != nil {
		return err
	}
	return head{}.write(tx)
}

func (h head) write(tx *bbolt.Tx) error {
	b := tx.Bucket(about)
	if h.format != format {
		if err := b.Put(aboutFormat, binary.BigEndian.AppendUint32(nil, format)); err != nil {
			return err
		}
	}
	var v []byte
	for _, n := range []int64{h.trim, h.last, h.channels, h.actions, h.clients} {
		v = binary.BigEndian.AppendUint64(v, uint64(n)) //nolint:gosec // read back the same way
	}
	v = binary.BigEndian.AppendUint64(v, h.sum)
	if h.versioned {
		v = append(append(v, 1), h.version...)
	}
	return b.Put(aboutHead, seal(aboutHead, v))
}

// readHead reads the head of what is a log in the format of this package.
func readHead(tx *bbolt.Tx) (h head, err error) {
	b := tx.Bucket(about)
	if b == nil || string(b.Get(aboutKind)) != kind {
		return h, ErrNotALog
	}
	v := b.Get(aboutFormat)
	if len(v) != 4 {
		return h, errHead
	}
	if h.format = binary.BigEndian.Uint32(v); h.format > format {
		return h, fmt.Errorf("%w: %d, and %d is the latest known here", ErrNewer, h.format, format)
	} else if h.format < firstFormat {
		return h, errHead
	}
	v, err = unseal(aboutHead, b.Get(aboutHead))
	if err != nil {
		return h, err
	}
	for _, n := range []*int64{&h.trim, &h.last, &h.channels, &h.actions, &h.clients} {
		if *n, v, err = number(v); err != nil {
			return h, errHead
		}
	}
	if h.format > firstFormat {
		n, rest, err := number(v)
		if err != nil {
			return h, errHead
		}
		h.sum = uint64(n) //nolint:gosec // written from one
		if h.versioned = len(rest) > 0; h.versioned {
			h.version = string(rest[1:])
		}
	}
	for _, name := range [][]byte{channels, actions, clients} {
		if tx.Bucket(name) == nil {
			return h, fmt.Errorf("%w: there are no %s", ErrDamaged, name)
		}
	}
	return h, nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts the checksum in front of a value.
func seal(key, value []byte) []byte {
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(value)), sum), value...)
}

// unseal checks the checksum and returns the value. It shares the memory of the file.
func unseal(key, sealed []byte) ([]byte, error) {
	if len(sealed) < 4 || binary.BigEndian.Uint32(sealed) != crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, sealed[4:]) {
		return nil, fmt.Errorf("%w: the checksum of %.40q", ErrDamaged, key)
	}
	return sealed[4:], nil
}

// mark returns what a record adds to the sum in the head. A record of another moment, which is right by itself, adds
// something else.
func mark(bucket, key, sealed []byte) uint64 {
	place := crc32.Update(crc32.ChecksumIEEE(bucket), crc32.IEEETable, key)
	x := uint64(binary.BigEndian.Uint32(sealed))<<32 | uint64(place)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// nameKey returns the key of a name. Clients choose theirs, and the library has no empty keys and none that are
// longer than 32 KiB.
func nameKey(name string) []byte {
	if len(name) <= 1024 {
		return append([]byte("="), name...)
	}
	sum := sha256.Sum256([]byte(name))
	return append([]byte("#"), sum[:]...)
}

func numberKey(n int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n)) //nolint:gosec // numbers count from 1
}

// errShort says that a value ends too early: with a checksum that is right, that is not by accident.
var errShort = fmt.Errorf("%w: a value is too short", ErrDamaged)

func number(v []byte) (int64, []byte, error) {
	if len(v) < 8 {
		return 0, nil, errShort
	}
	return int64(binary.BigEndian.Uint64(v)), v[8:], nil //nolint:gosec // written from one
}

func sized(v []byte) (part, rest []byte, err error) {
	n, size := binary.Uvarint(v)
	if size <= 0 || n > uint64(len(v)-size) { //nolint:gosec // no length is negative
		return nil, nil, errShort
	}
	return v[size:][:n], v[size:][n:], nil
}

func appendSized[T ~string | ~[]byte](v []byte, part T) []byte {
	return append(binary.AppendUvarint(v, uint64(len(part))), part...)
}

// appendNamed and the rest write values: the name, which the key may be a digest of, then what is known of it.
func appendNamed(r server.Record) []byte {
	v := make([]byte, 0, len(r.Key)+len(r.Data)+32)
	v = appendSized(v, r.Key)
	v = binary.BigEndian.AppendUint64(v, uint64(r.Sequence)) //nolint:gosec // read back the same way
	v = binary.BigEndian.AppendUint64(v, uint64(r.Opened))   //nolint:gosec // read back the same way
	if r.Kind == server.ChannelState && !r.Time.IsZero() {
		v = binary.BigEndian.AppendUint64(append(v, timed), uint64(r.Time.UnixNano())) // read back the same way
	}
	return append(v, r.Data...)
}

// timed stands before the time of a channel. No snapshot begins like that.
const timed = 0

func readNamed(k server.Kind) func(key, v []byte) (server.Record, error) {
	return func(key, v []byte) (server.Record, error) {
		r := server.Record{Kind: k}
		name, v, err := sized(v)
		if err != nil {
			return r, err
		}
		r.Key = string(name)
		if !bytes.Equal(nameKey(r.Key), key) {
			return r, fmt.Errorf("%w: %.40q is stored under another key", ErrDamaged, r.Key)
		}
		if r.Sequence, v, err = number(v); err != nil {
			return r, err
		}
		if r.Opened, v, err = number(v); err != nil {
			return r, err
		}
		if k == server.ChannelState && len(v) > 0 && v[0] == timed {
			var at int64
			if at, v, err = number(v[1:]); err != nil {
				return r, err
			}
			r.Time = time.Unix(0, at).UTC()
		}
		r.Data = bytes.Clone(v)
		return r, nil
	}
}

// appendAction writes an action, or a start, which has no time.
func appendAction(r server.Record) ([]byte, error) {
	if r.Kind == server.Start {
		return appendSized([]byte{0}, r.Key), nil
	}
	at, err := r.Time.MarshalBinary() // with its zone: a reducer may write it down
	if err != nil {
		return nil, fmt.Errorf("action %d: %w", r.Sequence, err)
	}
	v := make([]byte, 0, len(at)+len(r.Key)+len(r.Data)+16)
	v = appendSized(v, at)
	v = appendSized(v, r.Key)
	return append(v, r.Data...), nil
}

func readAction(key, v []byte) (server.Record, error) {
	r := server.Record{Kind: server.Action}
	n, rest, err := number(key)
	if err != nil || len(rest) > 0 {
		return r, errShort
	}
	r.Sequence = n
	at, v, err := sized(v)
	if err != nil {
		return r, err
	}
	if len(at) == 0 {
		r.Kind = server.Start
	} else if err := r.Time.UnmarshalBinary(at); err != nil {
		return r, fmt.Errorf("%w: time of action %d: %w", ErrDamaged, n, err)
	}
	name, v, err := sized(v)
	if err != nil {
		return r, err
	}
	r.Key = string(name)
	if r.Kind == server.Action {
		r.Data = bytes.Clone(v)
	}
	return r, nil
}

var errOrder = errors.New("actions must be appended in sequence")
