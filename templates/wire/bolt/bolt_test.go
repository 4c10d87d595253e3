// What a log promises a server: all that was appended is there again, in order, or an error says why not.

package bolt_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/ahpgen/ahpgen/templates/wire/bolt"
	"github.com/ahpgen/ahpgen/templates/wire/server"
)

func opened(t testing.TB, path string) *bolt.Log {
	t.Helper()
	l, err := bolt.Open(path, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func path(t testing.TB) string { return filepath.Join(t.TempDir(), "log") }

func loaded(t testing.TB, l *bolt.Log) []server.Record {
	t.Helper()
	out := []server.Record{}
	require.NoError(t, l.Load(func(r server.Record) error { out = append(out, r); return nil }))
	return out
}

// reopened returns what a log has after it was closed.
func reopened(t testing.TB, l *bolt.Log, path string) []server.Record {
	t.Helper()
	require.NoError(t, l.Close())
	l = opened(t, path)
	defer func() { require.NoError(t, l.Close()) }()
	return loaded(t, l)
}

func state(name string, sequence int64, data string) server.Record {
	return server.Record{Kind: server.ChannelState, Key: name, Sequence: sequence, Opened: 1, Data: []byte(data)}
}

func action(n int64) server.Record {
	at := time.Date(2024, 2, 29, 12, 0, 0, int(n), time.FixedZone("", 3600))
	return server.Record{Kind: server.Action, Key: "c", Sequence: n, Time: at, Data: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func client(id, version string) server.Record {
	return server.Record{Kind: server.ClientKnown, Key: id, Data: []byte(version)}
}

func gone(k server.Kind, key string) server.Record { return server.Record{Kind: k, Key: key} }

func trim(n int64) server.Record { return server.Record{Kind: server.Trim, Sequence: n} }

func TestWhatWasAppendedIsThereAgain(t *testing.T) {
	long := strings.Repeat("long", 20_000)
	for name, c := range map[string]struct{ batches, want [][]server.Record }{
		"nothing":            {nil, nil},
		"channels by name":   {[][]server.Record{{state("b", 2, "2"), state("a", 3, "1")}}, [][]server.Record{{state("a", 3, "1"), state("b", 2, "2")}}},
		"a channel changes":  {[][]server.Record{{state("a", 1, "old"), state("a", 2, "new")}, {state("b", 1, "old")}, {state("b", 4, "new")}}, [][]server.Record{{state("a", 2, "new"), state("b", 4, "new")}}},
		"a channel ends":     {[][]server.Record{{state("a", 1, "x")}, {gone(server.ChannelGone, "a"), gone(server.ChannelGone, "never")}}, nil},
		"and begins again":   {[][]server.Record{{state("a", 1, "x"), gone(server.ChannelGone, "a"), state("a", 5, "y")}}, [][]server.Record{{state("a", 5, "y")}}},
		"no state":           {[][]server.Record{{{Kind: server.ChannelState, Key: "w", Sequence: 1, Opened: 1}}}, [][]server.Record{{state("w", 1, "")}}},
		"odd names":          {[][]server.Record{{client("", "1"), client(long, "2"), client("\x00=", "3")}}, [][]server.Record{{client(long, "2"), client("", "1"), client("\x00=", "3")}}},
		"clients":            {[][]server.Record{{client("x", "1"), client("y", "1")}, {client("x", "2"), gone(server.ClientGone, "y")}}, [][]server.Record{{client("x", "2")}}},
		"actions by number":  {[][]server.Record{{action(255), action(256)}, {action(257), action(1 << 40)}}, [][]server.Record{{action(255), action(256), action(257), action(1 << 40)}}},
		"trimmed":            {[][]server.Record{{action(1), action(2)}, {action(3), trim(2)}}, [][]server.Record{{trim(2), action(3)}}},
		"all trimmed":        {[][]server.Record{{action(1), action(2), trim(2)}, {trim(1)}}, [][]server.Record{{trim(2)}}},
		"everything in turn": {[][]server.Record{{client("x", "1"), action(1), action(2), state("a", 1, "x"), trim(1)}}, [][]server.Record{{state("a", 1, "x"), trim(1), action(2), client("x", "1")}}},
	} {
		t.Run(name, func(t *testing.T) {
			at := path(t)
			l := opened(t, at)
			for _, batch := range c.batches {
				require.NoError(t, l.Append(batch))
			}
			want := flat(c.want)
			require.Equal(t, asText(want), asText(loaded(t, l)))
			require.Equal(t, asText(want), asText(reopened(t, l, at)))
		})
	}
}

func flat(batches [][]server.Record) (out []server.Record) {
	for _, b := range batches {
		out = append(out, b...)
	}
	return out
}

// asText returns all there is in records.
func asText(records []server.Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%d %q %d %d %s %q\n", r.Kind, r.Key, r.Sequence, r.Opened, r.Time.Format(time.RFC3339Nano), r.Data)
	}
	return b.String()
}

func TestManyRecordsAreReadInParts(t *testing.T) {
	at := path(t)
	l := opened(t, at)
	want := []server.Record{trim(2500)}
	for n := int64(1); n <= 10_000; n += 100 {
		var batch []server.Record
		for i := n; i < n+100; i++ {
			batch = append(batch, action(i))
			if i > 2500 {
				want = append(want, action(i))
			}
		}
		require.NoError(t, l.Append(batch))
	}
	require.NoError(t, l.Append([]server.Record{trim(2500)}))
	require.Equal(t, asText(want), asText(reopened(t, l, at)))
}

func TestALogHasWhatItsRecordsSay(t *testing.T) {
	at := path(t)
	l := opened(t, at)
	r := rand.New(rand.NewPCG(2, 3))
	named := map[string]server.Record{} // channels and clients
	last, trimmed := int64(0), int64(0)
	for round := range *rounds {
		var batch []server.Record
		for range r.IntN(60) {
			name := fmt.Sprint(r.IntN(300), strings.Repeat("name", r.IntN(3)*300))
			if r.IntN(20) == 0 {
				name = strings.Repeat(name, 20)
			}
			switch r.IntN(8) {
			case 0, 1:
				batch = append(batch, state(name, int64(r.IntN(1000)), strings.Repeat("s", r.IntN(1<<r.IntN(16)))))
				named["channel "+name] = batch[len(batch)-1]
			case 2:
				batch = append(batch, gone(server.ChannelGone, name))
				delete(named, "channel "+name)
			case 3:
				batch = append(batch, client(name, strings.Repeat("v", r.IntN(100))))
				named["client "+name] = batch[len(batch)-1]
			case 4:
				batch = append(batch, gone(server.ClientGone, name))
				delete(named, "client "+name)
			case 5:
				if r.IntN(10) == 0 {
					trimmed = max(trimmed, last-int64(r.IntN(500)))
					batch = append(batch, trim(trimmed))
				}
			default:
				last++
				batch = append(batch, action(last))
			}
		}
		require.NoError(t, l.Append(batch))
		if round%20 != 0 {
			continue
		}
		require.NoError(t, l.Close())
		l = opened(t, at)
		next, count := trimmed+1, 0
		for _, got := range loaded(t, l) {
			switch got.Kind {
			case server.Trim:
				require.Equal(t, trimmed, got.Sequence)
			case server.Action:
				require.Equal(t, asText([]server.Record{action(next)}), asText([]server.Record{got}))
				next++
			case server.ChannelState:
				count++
				require.Equal(t, asText([]server.Record{named["channel "+got.Key]}), asText([]server.Record{got}))
			default:
				count++
				require.Equal(t, asText([]server.Record{named["client "+got.Key]}), asText([]server.Record{got}))
			}
		}
		require.Equal(t, last+1, next)
		require.Len(t, named, count)
	}
}

func TestABatchIsKeptAsAWholeOrNotAtAll(t *testing.T) {
	at := path(t)
	l := opened(t, at)
	require.NoError(t, l.Append([]server.Record{action(1), action(2)}))
	first := l.Append([]server.Record{action(3), client("x", "1"), action(2)})
	require.ErrorContains(t, first, "action 2 after 3")
	require.Equal(t, first, l.Append([]server.Record{action(3)}), "what comes later makes no sense without it")
	require.Equal(t, asText([]server.Record{action(1), action(2)}), asText(reopened(t, l, at)))
}

func TestALogBelongsToOne(t *testing.T) {
	at := path(t)
	l := opened(t, at)
	begin := time.Now()
	_, err := bolt.Open(at, &bolt.Options{Wait: 50 * time.Millisecond})
	require.ErrorIs(t, err, bolt.ErrInUse)
	require.Less(t, time.Since(begin), 5*time.Second)
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Append([]server.Record{action(1)}), bolt.ErrClosed)
	require.ErrorIs(t, l.Load(nil), bolt.ErrClosed)
	require.NoError(t, l.Close())
	require.NoError(t, opened(t, at).Close())
}

func TestLoadEndsWithTheErrorOfTheServer(t *testing.T) {
	l := opened(t, path(t))
	require.NoError(t, l.Append([]server.Record{action(1), action(2), action(3)}))
	enough, seen := errors.New("enough"), 0
	require.Equal(t, enough, l.Load(func(server.Record) error { seen++; return enough }))
	require.Equal(t, 1, seen)
	require.PanicsWithValue(t, "its own", func() { _ = l.Load(func(server.Record) error { panic("its own") }) })
	require.Len(t, loaded(t, l), 3)
}

func TestOtherFilesAreNoLogs(t *testing.T) {
	other := func(t *testing.T, f func(*bbolt.Tx) error) string {
		at := path(t)
		db, err := bbolt.Open(at, 0o600, nil)
		require.NoError(t, err)
		require.NoError(t, db.Update(f))
		require.NoError(t, db.Close())
		return at
	}
	for name, c := range map[string]struct {
		make func(*testing.T) string
		want error
	}{
		"a text": {func(t *testing.T) string {
			at := path(t)
			require.NoError(t, os.WriteFile(at, bytes.Repeat([]byte("a text, and not a log\n"), 2000), 0o600))
			return at
		}, bolt.ErrNotALog},
		"a short text": {func(t *testing.T) string {
			at := path(t)
			require.NoError(t, os.WriteFile(at, []byte("x"), 0o600))
			return at
		}, bolt.ErrNotALog},
		"another database": {func(t *testing.T) string {
			return other(t, func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("users")); return err })
		}, bolt.ErrNotALog},
		"another kind": {func(t *testing.T) string {
			return other(t, func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte("about"))
				return errors.Join(err, b.Put([]byte("kind"), []byte("guest book")))
			})
		}, bolt.ErrNotALog},
		"a newer log": {func(t *testing.T) string {
			return other(t, func(tx *bbolt.Tx) error {
				b, err := tx.CreateBucket([]byte("about"))
				return errors.Join(err, b.Put([]byte("kind"), []byte("server log")), b.Put([]byte("format"), []byte{0, 0, 0, 4}))
			})
		}, bolt.ErrNewer},
		"a folder":            {func(t *testing.T) string { return t.TempDir() }, nil},
		"a file in no folder": {func(t *testing.T) string { return filepath.Join(path(t), "log") }, os.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			at := c.make(t)
			before, _ := os.ReadFile(at)
			_, err := bolt.Open(at, nil)
			require.ErrorContains(t, err, "open "+at)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			after, _ := os.ReadFile(at)
			require.Equal(t, before, after, "it stays as it is")
		})
	}
	at := path(t)
	require.NoError(t, os.WriteFile(at, nil, 0o600))
	require.NoError(t, opened(t, at).Close(), "an empty file is a log without records")
}

// whole returns a log in which there is something of everything.
func whole(t *testing.T) (data []byte, want string) {
	t.Helper()
	at := path(t)
	l := opened(t, at)
	for n := int64(1); n < 600; n += 10 {
		batch := []server.Record{state(fmt.Sprint("channel ", n%70), n, strings.Repeat("state ", 300)), client(fmt.Sprint("client ", n), "1")}
		for i := n; i < n+10; i++ {
			batch = append(batch, action(i))
		}
		require.NoError(t, l.Append(batch))
	}
	require.NoError(t, l.Append([]server.Record{trim(200)}))
	want = asText(reopened(t, l, at))
	data, err := os.ReadFile(at)
	require.NoError(t, err)
	return data, want
}

var rounds = flag.Int("rounds", 100, "how many random batches are appended")

var damages = flag.Int("damages", 300, "how many ways to damage a file are tried")

func TestADamagedFileIsAnError(t *testing.T) {
	data, want := whole(t)
	noticed, page := 0, os.Getpagesize()
	at := path(t)
	for seed := range *damages {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		harm := bytes.Clone(data)
		what, first := harmed(r, &harm, page)
		require.NoError(t, os.WriteFile(at, harm, 0o600))
		switch got, err := read(at); {
		case err != nil:
			noticed++
		case first < 2*page: // of its first two pages one may be torn: then the other counts
		default:
			require.Equal(t, want, got, "%d: %s", seed, what) // nothing that matters was harmed
			l := opened(t, at)
			require.NoError(t, l.Append([]server.Record{state("channel 1", 700, "new"), action(700), client("client 1", "2"), trim(300)}))
			require.Contains(t, asText(reopened(t, l, at)), asText([]server.Record{action(599), action(600), action(700)}))
		}
		require.NoError(t, os.Remove(at))
	}
	require.Positive(t, noticed)
	t.Log(noticed, "of", *damages, "were noticed")
}

// harmed damages a file, and says what it has done and where.
func harmed(r *rand.Rand, data *[]byte, page int) (what string, at int) {
	d := *data
	at = r.IntN(len(d))
	switch r.IntN(5) {
	case 0:
		d[at] ^= 1 << r.IntN(8)
		return "a bit", at
	case 1:
		at -= at % page // what says what a page is
		at += r.IntN(100)
		d[at] ^= byte(1 + r.IntN(255))
		return "a byte", at
	case 2:
		at -= at % page
		clear(d[at:min(at+page, len(d))])
		return "a page", at
	case 3:
		*data = d[:at]
		return "the end", at
	default:
		from := r.IntN(len(d) - page)
		at -= at % page
		copy(d[at:], d[from-from%page:][:page])
		return fmt.Sprint("page ", from/page, " in the place of another"), at
	}
}

func read(path string) (string, error) {
	l, err := bolt.Open(path, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = l.Close() }()
	var out []server.Record
	err = l.Load(func(r server.Record) error { out = append(out, r); return nil })
	return asText(out), err
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := opened(b, path(b))
			batch := make([]server.Record, size)
			n := int64(0)
			for b.Loop() {
				for i := range batch {
					n++
					batch[i] = action(n)
					batch[i].Data = bytes.Repeat([]byte("x"), 200)
				}
				if n%10_000 == 0 {
					batch = append(batch, trim(n-5000))
				}
				if err := l.Append(batch); err != nil {
					b.Fatal(err)
				}
				batch = batch[:size]
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "actions/s")
		})
	}
}
