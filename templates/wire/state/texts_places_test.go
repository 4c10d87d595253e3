// Tests of where texts that grow are in memory, and of what is kept of them.

//go:build !purego

package state

import (
	"math/rand"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// TestAppendTextMovesSeldom counts how often a text that streams with others gets another place in
// memory, however many there are.
func TestAppendTextMovesSeldom(t *testing.T) {
	for _, streams := range []int{1, 16, 17, 100, 1000} {
		r := new(Texts)
		const rounds = 1000
		now := make([]string, streams)
		moves := 0
		for range rounds {
			for i := range now {
				old := now[i]
				now[i] = r.Append(old, "0123456789")
				if old != "" && unsafe.StringData(old) != unsafe.StringData(now[i]) {
					moves++
				}
			}
		}
		if limit := streams * 6; moves > limit { // each move doubles the room
			t.Errorf("%d texts: %d moves for %d appends, at most %d are fine", streams, moves, streams*rounds, limit)
		}
	}
}

// collect runs the garbage collector until something is so. Finalizers take a cycle more.
func collect(so func() bool) bool {
	for range 200 {
		if runtime.GC(); so() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func heap() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func (t *Texts) count() (places, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.places), t.most
}

// A reducer lives as long as a connection. It does not keep the texts of states that are gone.
func TestTextBuffersGoWithTheirTexts(t *testing.T) {
	r := new(Texts)
	collect(func() bool { return true })
	before := heap()
	const streams, size = 32, 1 << 20
	now := make([]string, streams)
	for i := range now {
		for len(now[i]) < size {
			now[i] = r.Append(now[i], strings.Repeat("x", 1<<16))
		}
	}
	if during := heap() - before; during < streams*size {
		t.Fatalf("%d bytes for %d texts of %d bytes: the measurement is wrong", during, streams, size)
	}
	now = nil
	if !collect(func() bool { return heap()-before < size }) {
		t.Errorf("%d bytes are still kept", heap()-before)
	}
	check(t, collect(func() bool { places, _ := r.count(); return places == 0 }), true, "no place is kept")
	runtime.KeepAlive(r)
}

// The table of places shrinks again too, and what is left of it still works.
func TestManyTextsThatEndLeaveASmallTable(t *testing.T) {
	r, all := new(Texts), &texts{t: t}
	now := make([]string, 10_000)
	for i := range now {
		now[i] = r.Append("", "x")
	}
	kept := now[len(now)-1]
	now = nil
	small := func() bool { places, most := r.count(); return places < fewBuffers && most <= 10_000/4 }
	check(t, collect(small), true, "the table has shrunk")
	grown := all.add(r.Append(kept, "y"), "xy")
	check(t, unsafe.StringData(grown) == unsafe.StringData(kept), true, "a text that is left grows where it is")
	all.check()
}

// TestTextBuffersAreNeverTakenForOthers lets memory of texts that are gone become other texts, and things
// that are no texts, of the same sizes. Appending must not write into any of these.
func TestTextBuffersAreNeverTakenForOthers(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	r, now := new(Texts), make([]string, 64)
	want := make([]string, len(now))
	others := make([][]byte, 256)
	for round := range 400 {
		for range 200 {
			i := random.Intn(len(now))
			switch random.Intn(8) {
			case 0:
				now[i], want[i] = "", ""
			case 1: // a branch: a text that stays behind
				j := random.Intn(len(now))
				now[j], want[j] = now[i], want[i]
			default:
				more := strings.Repeat(string(rune('a'+random.Intn(26))), 1+random.Intn(120))
				now[i], want[i] = r.Append(now[i], more), want[i]+more
			}
			size := minTextBuffer << random.Intn(4)
			others[random.Intn(len(others))] = make([]byte, size) // may lie where a text was
		}
		if round%4 == 0 {
			runtime.GC()
		}
		for i := range others {
			// As if it were a text: the place may be one of a buffer that is gone.
			if o := others[i]; len(o) > 0 {
				n := 1 + random.Intn(len(o))
				r.Append(unsafe.String(&o[0], n), "!!!!")
			}
			if j := slices.IndexFunc(others[i], func(c byte) bool { return c != 0 }); j >= 0 {
				t.Fatalf("round %d: byte %d of something else was written", round, j)
			}
		}
		for i := range now {
			if now[i] != want[i] {
				t.Fatalf("round %d: text %d is %q, want %q", round, i, now[i], want[i])
			}
		}
	}
}
