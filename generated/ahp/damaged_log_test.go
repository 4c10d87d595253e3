// Logs that were damaged, cut off, put back to a copy or mixed: each is opened right, refused with a reason, or goes
// on with numbers of its own. None is served as if nothing had happened.

package ahp_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/ahp"
	"github.com/ahpgen/ahpgen/generated/wire/bolt"
	"github.com/ahpgen/ahpgen/generated/wire/server"
)

var damagedLogs = flag.Int("damaged-logs", 60, "how many damaged logs TestNoDamagedLogIsServedAsIfNothingHadHappened tries")

// chronicle is what became of a server, in full.
type chronicle struct {
	numbers []int64
	after   map[int64]string // what there was after each number
	copies  [][]byte         // of the log, the last one as it is now
}

func (p *chronicle) last() int64 { return p.numbers[len(p.numbers)-1] }

func livedThrough(t *testing.T) *chronicle {
	t.Helper()
	p := &chronicle{after: map[int64]string{}}
	s := withLog(t, ahp.ServerOptions{})
	introduced(t, s.Server)
	acts := func(count int) {
		for i := range count {
			s.publishes(i, i, i*50)
			p.numbers = append(p.numbers, s.Sequence())
			p.after[s.Sequence()] = everything(t, s.Server)
		}
		// The log of a server that was killed has other states than that of one that was closed.
		require.Eventually(t, func() bool { return holdsAction(s.log, s.Sequence()) }, time.Minute, time.Millisecond)
		data, err := os.ReadFile(s.path)
		require.NoError(t, err)
		p.copies = append(p.copies, data)
	}
	for range 4 {
		acts(40)
		s.close()
		data, err := os.ReadFile(s.path)
		require.NoError(t, err)
		p.copies = append(p.copies, data)
		s.open()
	}
	acts(10)
	return p
}

func holdsAction(log *bolt.Log, number int64) (yes bool) {
	_ = log.Load(func(r server.Record) error { yes = yes || r.Kind == server.Action && r.Sequence == number; return nil })
	return yes
}

// damages are ways to harm the log that is there now, given the copies of earlier.
var damages = []struct {
	name string
	harm func(r *rand.Rand, now []byte, copies [][]byte, page int) []byte
}{
	{"cut off", func(r *rand.Rand, now []byte, _ [][]byte, _ int) []byte { return now[:r.IntN(len(now))] }},
	{"cut off at a page", func(r *rand.Rand, now []byte, _ [][]byte, page int) []byte {
		return now[:len(now)-page*(1+r.IntN(len(now)/page-1))]
	}},
	{"bits", func(r *rand.Rand, now []byte, _ [][]byte, _ int) []byte {
		for range 1 + r.IntN(5) {
			now[r.IntN(len(now))] ^= 1 << r.IntN(8)
		}
		return now
	}},
	{"pages of zeros", func(r *rand.Rand, now []byte, _ [][]byte, page int) []byte {
		at := r.IntN(len(now)/page) * page
		clear(now[at:min(len(now), at+page*(1+r.IntN(3)))])
		return now
	}},
	{"newest header lost", func(_ *rand.Rand, now []byte, _ [][]byte, page int) []byte {
		clear(now[newest(now, page)*page:][:page])
		return now
	}},
	{"newest header of earlier", func(r *rand.Rand, now []byte, copies [][]byte, page int) []byte {
		at := newest(now, page) * page
		copy(now[at:at+page], copies[r.IntN(len(copies))][at:])
		return now
	}},
	{"header promises more", func(r *rand.Rand, now []byte, _ [][]byte, page int) []byte {
		for _, at := range [][]int{{0}, {page}, {0, page}}[r.IntN(3)] {
			h := now[at+16:]
			binary.NativeEndian.PutUint64(h[40:], uint64(len(now)/page)+1<<r.IntN(50))
			sum := fnv.New64a()
			_, _ = sum.Write(h[:56])
			binary.NativeEndian.PutUint64(h[56:], sum.Sum64())
		}
		return now
	}},
	{"put back", func(r *rand.Rand, _ []byte, copies [][]byte, _ int) []byte {
		return bytes.Clone(copies[r.IntN(len(copies)-1)])
	}},
	{"two mixed", func(r *rand.Rand, now []byte, copies [][]byte, page int) []byte {
		other := copies[r.IntN(len(copies))]
		at := r.IntN(min(len(now), len(other))/page) * page
		return append(bytes.Clone(other[:at]), now[at:]...)
	}},
	{"pages of earlier", func(r *rand.Rand, now []byte, copies [][]byte, page int) []byte {
		other := copies[r.IntN(len(copies))]
		for range 1 + r.IntN(4) {
			at := r.IntN(min(len(now), len(other))/page) * page
			copy(now[at:at+page], other[at:])
		}
		return now
	}},
	{"a page in the place of another", func(r *rand.Rand, now []byte, _ [][]byte, page int) []byte {
		copy(now[r.IntN(len(now)/page)*page:][:page], bytes.Clone(now[r.IntN(len(now)/page)*page:][:page]))
		return now
	}},
}

// newest is the header with the later transaction.
func newest(file []byte, page int) int {
	if binary.NativeEndian.Uint64(file[16+48:]) > binary.NativeEndian.Uint64(file[page+16+48:]) {
		return 0
	}
	return 1
}

func TestNoDamagedLogIsServedAsIfNothingHadHappened(t *testing.T) {
	p := livedThrough(t)
	page := os.Getpagesize()
	at := filepath.Join(t.TempDir(), "log")
	outcomes := map[string]map[string]int{}
	var slowest time.Duration
	var most uint64
	for i := range *damagedLogs {
		kind := damages[i%len(damages)]
		r := rand.New(rand.NewPCG(7, uint64(i)))
		now := p.copies[len(p.copies)-1]
		require.NoError(t, os.WriteFile(at, kind.harm(r, bytes.Clone(now), p.copies, page), 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		outcome := p.served(t, at, r, fmt.Sprint(i, " ", kind.name))
		slowest = max(slowest, time.Since(begin))
		runtime.ReadMemStats(&after)
		most = max(most, after.TotalAlloc-before.TotalAlloc)
		if outcomes[kind.name] == nil {
			outcomes[kind.name] = map[string]int{}
		}
		outcomes[kind.name][outcome]++
	}
	for _, kind := range damages {
		t.Log(kind.name, outcomes[kind.name])
	}
	t.Log("slowest", slowest, "most bytes", most)
	require.Less(t, slowest, 20*time.Second)
	require.Less(t, most, uint64(256<<20))
}

// served says what becomes of a log, and fails if a client could take it for what it is not.
func (p *chronicle) served(t *testing.T, at string, r *rand.Rand, name string) string {
	t.Helper()
	log, err := bolt.Open(at, nil)
	if err != nil {
		require.True(t, errors.Is(err, bolt.ErrDamaged) || errors.Is(err, bolt.ErrNotALog), "%s: %s", name, err)
		require.Contains(t, err.Error(), at, name)
		return "refused"
	}
	defer func() { require.NoError(t, log.Close()) }()
	last := int64(0)
	require.NoError(t, log.Load(func(r server.Record) error {
		if r.Kind != server.Start {
			last = max(last, r.Sequence)
		}
		return nil
	}), name)
	s, err := ahp.NewServer(&ahp.ServerOptions{Log: log, OwnLists: true}) // with a count that the log lacks, states would differ
	require.NoError(t, err, name)
	defer func() { require.NoError(t, s.Close(), name) }()
	if last == 0 {
		require.Empty(t, s.Channels(), name)
		return "empty" // an empty file is a log that begins
	}
	require.Equal(t, p.after[last], everything(t, s), name)
	require.Greater(t, s.Sequence(), p.last(), name)
	for range 3 {
		require.NoError(t, s.Publish(sessionChannel, titled("new")), name)
	}
	for range 4 {
		seen := p.numbers[r.IntN(len(p.numbers))]
		back := resumesAt(t, s, seen, sessionChannel)
		if seen > last {
			require.Equal(t, "snapshot", back.Type, name)
			continue
		}
		if back.Type == "replay" {
			p.explains(t, back, seen, last, name)
		}
	}
	if last == p.last() {
		return "right"
	}
	require.Equal(t, "snapshot", resumesAt(t, s, p.last(), sessionChannel).Type, name)
	return "earlier, with numbers of its own"
}

// explains checks that a replay has all that happened, and what is new.
func (p *chronicle) explains(t *testing.T, back resumed, seen, last int64, name string) {
	t.Helper()
	var want []int64
	for _, n := range p.numbers {
		if n > seen && n <= last {
			want = append(want, n)
		}
	}
	require.Len(t, back.Actions, len(want)+3, name)
	for i, raw := range back.Actions {
		var e struct {
			ServerSeq int64
			Action    struct{ Title string }
		}
		require.NoError(t, json.Unmarshal(raw, &e))
		if i >= len(want) {
			require.Greater(t, e.ServerSeq, p.last(), name)
			continue
		}
		require.Equal(t, want[i], e.ServerSeq, name)
		require.Contains(t, p.after[want[i]], `"title":"`+strings.TrimRight(e.Action.Title, " "), name)
	}
}
