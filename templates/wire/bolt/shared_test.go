// A file as a shared log: the kit of tests, and what is special about a file.

package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/bolt"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
	"github.com/ahpgen/ahpgen/templates/wire/shared/logtest"
)

func TestSharedPassesTheKit(t *testing.T) {
	logtest.Run(t, func(t *testing.T) logtest.Engine {
		h := &process{at: path(t)}
		t.Cleanup(func() {
			if h.log != nil {
				_ = h.log.Close()
			}
		})
		return logtest.Engine{
			Open:     h.open,
			Copy:     func(t *testing.T) { h.copy(t) },
			PutBack:  func(t *testing.T) { h.restart(t, func() { require.NoError(t, os.WriteFile(h.at, h.data, 0o600)) }) },
			Recreate: func(t *testing.T) { h.restart(t, func() { require.NoError(t, os.Remove(h.at)) }) },
		}
	})
}

// process is the process that has the file. All handles are of it.
type process struct {
	at      string
	data    []byte // the copy
	mu      sync.Mutex
	log     *bolt.Shared
	handles []*handle
}

// handle is one of the handles. It goes on with the file that is opened after a restart.
type handle struct {
	*bolt.Shared
	process *process
}

func (p *process) open(t *testing.T) shared.Log {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log != nil {
		if _, err := p.log.End(context.Background()); errors.Is(err, shared.ErrClosed) {
			p.log = nil
		}
	}
	if p.log == nil {
		p.log = openedShared(t, p.at)
	}
	h := &handle{p.log, p}
	p.handles = append(p.handles, h)
	return h
}

func (p *process) copy(t *testing.T) {
	data, err := os.ReadFile(p.at)
	require.NoError(t, err)
	p.data = data
}

// restart closes the file and opens another one in its place.
func (p *process) restart(t *testing.T, replace func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	require.NoError(t, p.log.Close())
	replace()
	p.log = openedShared(t, p.at)
	for _, h := range p.handles {
		h.Shared = p.log
	}
}

func (h *handle) now() *bolt.Shared {
	h.process.mu.Lock()
	defer h.process.mu.Unlock()
	return h.Shared
}

// Follow goes on after a restart, as the server of a process does that is started again.
func (h *handle) Follow(ctx context.Context, after shared.Position, f func([]shared.Record) error) error {
	for {
		l := h.now()
		err := l.Follow(ctx, after, f)
		if !errors.Is(err, shared.ErrClosed) || h.now() == l {
			return err
		}
	}
}

func openedShared(t testing.TB, path string) *bolt.Shared {
	t.Helper()
	l, err := bolt.OpenShared(path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func entry(key string, serial int64, data string) shared.Record {
	return shared.Record{Key: key, Kind: 3, Writer: "w", Serial: serial, Time: time.UnixMilli(serial).UTC(), Data: []byte(data)}
}

func add(t testing.TB, l shared.Log, list ...shared.Record) {
	t.Helper()
	_, err := l.Append(context.Background(), shared.Batch{Records: list})
	require.NoError(t, err)
}

// content returns all that a log has.
func content(t testing.TB, l shared.Log, keys ...string) string {
	t.Helper()
	ctx := context.Background()
	end, err := l.End(ctx)
	require.NoError(t, err)
	out := fmt.Sprintln("end", end.Number)
	for _, key := range keys {
		var list []shared.Record
		last, err := l.Last(ctx, key)
		require.NoError(t, err)
		all := func(r shared.Record) error { list = append(list, r); return nil }
		if err := l.Read(ctx, key, 0, all); err != nil {
			require.NoError(t, l.Read(ctx, key, last-1, all))
		}
		checkpoint, ok, err := l.Load(ctx, key)
		require.NoError(t, err)
		out += fmt.Sprintf("%q %d %v %v %v\n", key, last, list, checkpoint, ok)
	}
	return out
}

func TestSharedRecordsAreThereAgain(t *testing.T) {
	ctx, at := context.Background(), path(t)
	l := openedShared(t, at)
	add(t, l, entry("a", 1, "one"), entry("b", 2, "two"), entry("a", 3, ""))
	add(t, l, entry("quiet", 4, "four"), entry("b", 5, "five"))
	a := entry("a", 3, "state")
	a.Number = 3
	end, err := l.End(ctx)
	require.NoError(t, err)
	require.NoError(t, l.Save(ctx, end.Epoch, a))
	require.NoError(t, l.Trim(ctx, shared.Position{Epoch: end.Epoch, Number: 4}))
	add(t, l, entry("a", 6, "six"))
	before, err := l.End(ctx)
	require.NoError(t, err)
	want := content(t, l, "a", "b", "quiet", "none")
	require.NoError(t, l.Close())

	l = openedShared(t, at)
	require.Equal(t, want, content(t, l, "a", "b", "quiet", "none"))
	var moved *shared.MovedError
	require.ErrorAs(t, l.Follow(ctx, before, func([]shared.Record) error { return nil }), &moved)
	require.Greater(t, moved.Epoch, before.Epoch+before.Number*shared.Spacing)
	require.False(t, moved.Trimmed)
	_, err = l.Append(ctx, shared.Batch{Records: []shared.Record{entry("a", 7, "")}, If: []shared.Condition{{Key: "a", Last: 3}}})
	var conflict *shared.ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, shared.ConflictError{Key: "a", Last: 6}, *conflict)
}

func TestSharedBelongsToOneProcessAndOneKind(t *testing.T) {
	one, other := path(t), path(t)
	l := openedShared(t, one)
	_, err := bolt.OpenShared(one, &bolt.Options{Wait: time.Millisecond})
	require.ErrorIs(t, err, bolt.ErrInUse)
	require.NoError(t, l.Close())
	_, err = bolt.Open(one, nil)
	require.ErrorIs(t, err, bolt.ErrNotALog)
	require.NoError(t, opened(t, other).Close())
	_, err = bolt.OpenShared(other, nil)
	require.ErrorIs(t, err, bolt.ErrNotALog)
	require.NoError(t, openedShared(t, one).Close(), "it stays as it is")
	require.NoError(t, opened(t, other).Close(), "it stays as it is")

	db, err := bbolt.Open(one, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("about")).Put([]byte("format"), []byte{0, 0, 0, 2})
	}))
	require.NoError(t, db.Close())
	_, err = bolt.OpenShared(one, nil)
	require.ErrorIs(t, err, bolt.ErrNewer)
}

// A transaction writes its pages, and then one of the two headers. Whatever part of that is done when the process is killed, the
// file has what was there before, or all of the batch once the header is whole.
func TestSharedOpensAfterAWriteWasKilled(t *testing.T) {
	at, page := path(t), os.Getpagesize()
	l := openedShared(t, at)
	for n := range int64(300) {
		add(t, l, entry(fmt.Sprint("key ", n%7), n, "some data"))
	}
	keys := []string{"key 0", "key 3", "new"}
	read := func() ([]byte, string) {
		data, err := os.ReadFile(at)
		require.NoError(t, err)
		return data, content(t, l, keys...)
	}
	before, was := read()
	add(t, l, entry("key 3", 1000, "a"), entry("new", 1001, "b"))
	after, is := read()
	require.NoError(t, l.Close())
	require.NotEqual(t, was, is)
	require.Len(t, after, len(before))

	header := 0 // the one that was written
	if !bytes.Equal(before[page:2*page], after[page:2*page]) {
		header = page
	}
	var changed []int
	for i := 2 * page; i < len(after); i += page {
		if !bytes.Equal(before[i:i+page], after[i:i+page]) {
			changed = append(changed, i)
		}
	}
	require.NotEmpty(t, changed)
	reopen := func(data []byte) string {
		killed := path(t)
		require.NoError(t, os.WriteFile(killed, data, 0o600))
		l := openedShared(t, killed)
		got := content(t, l, keys...)
		add(t, l, entry("key 0", 2000, "goes on"))
		require.NoError(t, l.Close())
		require.NoError(t, openedShared(t, killed).Close())
		return got
	}
	data := bytes.Clone(before)
	for _, i := range changed {
		copy(data[i:], after[i:i+page/2])
		require.Equal(t, was, reopen(data), "half of the page at %d", i)
		copy(data[i:], after[i:i+page])
		require.Equal(t, was, reopen(data), "up to the page at %d", i)
	}
	torn := bytes.Clone(data)
	copy(torn[header:], after[header:header+70]) // without all of its checksum
	require.NotEqual(t, binary.NativeEndian.Uint64(torn[header+72:]), binary.NativeEndian.Uint64(after[header+72:]))
	require.Equal(t, was, reopen(torn), "half of the header")
	copy(data[header:], after[header:header+page])
	require.Equal(t, is, reopen(data), "all")
}

func TestSharedNoticesWhatIsMissing(t *testing.T) {
	for name, harm := range map[string]func(*bbolt.Tx) error{
		"a record":          func(tx *bbolt.Tx) error { return tx.Bucket([]byte("records")).Delete(bigEndian(2)) },
		"the last of a key": func(tx *bbolt.Tx) error { return tx.Bucket([]byte("records")).Delete(bigEndian(4)) },
		"a key":             func(tx *bbolt.Tx) error { return tx.Bucket([]byte("keys")).Delete([]byte("=a")) },
		"all records":       func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("records")) },
		"the head":          func(tx *bbolt.Tx) error { return tx.Bucket([]byte("about")).Delete([]byte("head")) },
		"a byte of a record": func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("records"))
			v := bytes.Clone(b.Get(bigEndian(3)))
			v[len(v)-1]++
			return b.Put(bigEndian(3), v)
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := path(t)
			l := openedShared(t, at)
			add(t, l, entry("a", 1, "1"), entry("a", 2, "2"), entry("b", 3, "3"), entry("a", 4, "4"))
			require.NoError(t, l.Close())
			db, err := bbolt.Open(at, 0o600, nil)
			require.NoError(t, err)
			require.NoError(t, db.Update(harm))
			require.NoError(t, db.Close())
			_, err = bolt.OpenShared(at, nil)
			require.ErrorIs(t, err, bolt.ErrDamaged)
		})
	}
}

func bigEndian(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// BenchmarkSharedAppend appends from several goroutines, which share transactions.
func BenchmarkSharedAppend(b *testing.B) {
	for _, writers := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			l := openedShared(b, path(b))
			data := string(bytes.Repeat([]byte("x"), 200))
			var writing sync.WaitGroup
			b.ResetTimer()
			for w := range writers {
				writing.Go(func() {
					for i := w; i < b.N; i += writers {
						add(b, l, entry(fmt.Sprint(w), int64(i), data))
					}
				})
			}
			writing.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
		})
	}
}
