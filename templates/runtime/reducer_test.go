// Tests of what reducers are made of: changes of copies, and texts that grow.

package runtime

import (
	"encoding/json"
	"fmt"
	"math/rand"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

type card struct {
	id   string
	text string
	tags []string
}

func idOf(c *card) (string, bool) { return c.id, c.id != "" }

// shape is a union, with variants told apart by type.
type shape interface{ isShape() }

type circle struct {
	id     string
	radius int
}

type square struct{ id string }

func (*circle) isShape() {}
func (*square) isShape() {}

func shapeKey(s *shape) (string, bool) {
	switch v := (*s).(type) {
	case *circle:
		return v.id, true
	case *square:
		return v.id, true
	}
	return "", false
}

// changes applies a helper to a copy of a value and compares what comes of it.
func changes[T any](t *testing.T, about string, from T, change func(*T) bool, want T, changed bool) {
	t.Helper()
	got := change(&from)
	check(t, got, changed, about, "changed")
	check(t, from, want, about)
}

func ptr[T any](v T) *T { return &v }

func TestChangeState(t *testing.T) {
	old := &card{id: "1"}
	same := changeState(old, func(next *card) bool { return setMember(&next.id, "1") })
	check(t, same == old, true, "the state itself where nothing changes")
	next := changeState(old, func(next *card) bool { return setMember(&next.id, "2") })
	check(t, *next, card{id: "2"})
	check(t, *old, card{id: "1"}, "the old state")
}

func TestChangeThrough(t *testing.T) {
	type turn struct{ text string }
	type chat struct {
		id   string
		turn *turn
	}
	through := func(c *chat) **turn { return &c.turn }
	set := func(text string) func(*turn) bool {
		return func(t *turn) bool { return setMember(&t.text, text) }
	}
	none := &chat{id: "1"}
	check(t, changeThrough(none, through, set("a")) == none, true, "the state itself where there is no such member")
	first := &turn{"a"}
	old := &chat{"1", first}
	check(t, changeThrough(old, through, set("a")) == old, true, "the state itself where nothing changes")
	next := changeThrough(old, through, set("b"))
	check(t, next.id+next.turn.text, "1b")
	check(t, old.turn == first && first.text == "a", true, "the old state and its member")
	again := changeThrough(next, through, set("c"))
	check(t, again.turn.text+next.turn.text, "cb", "a copy of a copy")
}

func TestScalars(t *testing.T) {
	changes(t, "another value", 1, func(m *int) bool { return setMember(m, 2) }, 2, true)
	changes(t, "the same value", 1, func(m *int) bool { return setMember(m, 1) }, 1, false)
	optional := func(value *int) func(**int) bool {
		return func(m **int) bool { return setOptional(m, value) }
	}
	changes(t, "absent, absent", nil, optional(nil), nil, false)
	changes(t, "absent, there", nil, optional(ptr(1)), ptr(1), true)
	changes(t, "there, absent", ptr(1), optional(nil), nil, true)
	changes(t, "there, the same", ptr(1), optional(ptr(1)), ptr(1), false)
	changes(t, "there, another", ptr(1), optional(ptr(2)), ptr(2), true)
	shared := ptr(1)
	changes(t, "there, itself", shared, optional(shared), shared, false)
}

func TestFlags(t *testing.T) {
	type status uint64
	changes(t, "set", status(4), func(m *status) bool { return setFlag(m, 3, true) }, 7, true)
	changes(t, "set already", status(7), func(m *status) bool { return setFlag(m, 3, true) }, 7, false)
	changes(t, "set in part", status(5), func(m *status) bool { return setFlag(m, 3, true) }, 7, true)
	changes(t, "clear", status(7), func(m *status) bool { return setFlag(m, 3, false) }, 4, true)
	changes(t, "clear already", status(4), func(m *status) bool { return setFlag(m, 3, false) }, 4, false)
}

func TestReplacing(t *testing.T) {
	a, b := &card{id: "1"}, &card{id: "1"}
	changes(t, "not compared", []int{1}, func(m *[]int) bool { return replaceMember(m, []int{1}) }, []int{1}, true)
	changes(t, "itself", a, func(m **card) bool { return replaceOptional(m, a) }, a, false)
	changes(t, "an equal one", a, func(m **card) bool { return replaceOptional(m, b) }, b, true)
	changes(t, "absent", a, func(m **card) bool { return replaceOptional(m, nil) }, nil, true)
	changes(t, "clear", []int{1}, func(m *[]int) bool { return clearMember(m, *m != nil) }, nil, true)
	changes(t, "clear nothing", nil, func(m *[]int) bool { return clearMember(m, *m != nil) }, nil, false)
}

func TestEmptyIsNotAbsent(t *testing.T) {
	changes(t, "absent list", nil, emptyList[int], []int{}, true)
	changes(t, "full list", []int{1}, emptyList[int], []int{}, true)
	changes(t, "empty list", []int{}, emptyList[int], []int{}, false)
	changes(t, "absent map", nil, emptyMap[int], map[string]int{}, true)
	changes(t, "full map", map[string]int{"a": 1}, emptyMap[int], map[string]int{}, true)
	changes(t, "empty map", map[string]int{}, emptyMap[int], map[string]int{}, false)
	check(t, presentList[int](nil), []int{}, "list")
	check(t, presentList([]int{1}), []int{1}, "list")
	check(t, presentMap[int](nil), map[string]int{}, "map")
	check(t, presentMap(map[string]int{"a": 1}), map[string]int{"a": 1}, "map")
}

func TestMergeMap(t *testing.T) {
	merge := func(more map[string]int, replace bool) func(*map[string]int) bool {
		return func(m *map[string]int) bool { return mergeMap(m, more, replace) }
	}
	old := map[string]int{"a": 1, "b": 2}
	changes(t, "over", old, merge(map[string]int{"b": 3, "c": 4}, false), map[string]int{"a": 1, "b": 3, "c": 4}, true)
	changes(t, "replace", old, merge(map[string]int{"c": 4}, true), map[string]int{"c": 4}, true)
	changes(t, "replace by nothing", old, merge(nil, true), map[string]int{}, true)
	changes(t, "nothing", old, merge(nil, false), old, false)
	changes(t, "into nothing", nil, merge(map[string]int{"a": 1}, false), map[string]int{"a": 1}, true)
	changes(t, "nothing into nothing is there", nil, merge(nil, false), map[string]int{}, true)
	check(t, old, map[string]int{"a": 1, "b": 2}, "the old map")

	more := map[string]int{"a": 1}
	var m map[string]int
	mergeMap(&m, more, true)
	more["a"] = 2
	check(t, m, map[string]int{"a": 1}, "the map that is merged is not kept")
}

func TestItems(t *testing.T) {
	a, b, c := card{id: "a"}, card{id: "b"}, card{id: "c"}
	bare := card{text: "bare"} // has no key
	upsert := func(item card) func(*[]card) bool {
		return func(list *[]card) bool { return upsertItem(list, item, idOf) }
	}
	remove := func(id string) func(*[]card) bool {
		return func(list *[]card) bool { return removeItem(list, id, idOf) }
	}
	removeAll := func(id string) func(*[]card) bool {
		return func(list *[]card) bool { return removeItems(list, id, idOf) }
	}
	patch := func(id, text string) func(*[]card) bool {
		return func(list *[]card) bool {
			return patchItem(list, id, idOf, func(c *card) bool { return setMember(&c.text, text) })
		}
	}
	patchAll := func(text string, ids ...string) func(*[]card) bool {
		return func(list *[]card) bool {
			return patchItems(list, ids, idOf, func(c *card) bool { return setMember(&c.text, text) })
		}
	}
	with := func(c card, text string) card { c.text = text; return c }
	for _, c := range []struct {
		about   string
		from    []card
		change  func(*[]card) bool
		want    []card
		changed bool
	}{
		{"append", []card{a}, func(l *[]card) bool { return appendItem(l, a) }, []card{a, a}, true},
		{"append to nothing", nil, func(l *[]card) bool { return appendItem(l, a) }, []card{a}, true},
		{"upsert a new one", []card{a}, upsert(b), []card{a, b}, true},
		{"upsert into nothing", nil, upsert(b), []card{b}, true},
		{"upsert at its place", []card{a, b, c}, upsert(with(b, "x")), []card{a, with(b, "x"), c}, true},
		{"upsert the first of two", []card{b, b}, upsert(with(b, "x")), []card{with(b, "x"), b}, true},
		{"upsert without a key", []card{bare}, upsert(bare), []card{bare, bare}, true},
		{"remove the first", []card{a, b, a}, remove("a"), []card{b, a}, true},
		{"remove the last", []card{a}, remove("a"), []card{}, true},
		{"remove nothing", []card{a}, remove("b"), []card{a}, false},
		{"remove by no key", []card{bare}, remove(""), []card{bare}, false},
		{"remove every", []card{a, b, a, bare}, removeAll("a"), []card{b, bare}, true},
		{"remove every of none", []card{b, bare}, removeAll("a"), []card{b, bare}, false},
		{"remove from nothing", nil, removeAll("a"), nil, false},
		{"patch the first", []card{a, b, b}, patch("b", "x"), []card{a, with(b, "x"), b}, true},
		{"patch to the same", []card{a, with(b, "x")}, patch("b", "x"), []card{a, with(b, "x")}, false},
		{"patch nothing", []card{a}, patch("b", "x"), []card{a}, false},
		{"patch every", []card{a, b, a, c}, patchAll("x", "c", "a", "z"), []card{with(a, "x"), b, with(a, "x"), with(c, "x")}, true},
		{"patch every but those that are so", []card{with(a, "x"), a}, patchAll("x", "a"), []card{with(a, "x"), with(a, "x")}, true},
		{"patch every of none", []card{a}, patchAll("x"), []card{a}, false},
	} {
		// Room behind the list shows writes that a longer one would see.
		backing := slices.Clone(c.from)
		if backing != nil {
			backing = slices.Grow(backing, 4)
		}
		before := slices.Clone(backing[:cap(backing)])
		list := backing
		changes(t, c.about, list, c.change, c.want, c.changed)
		check(t, backing[:cap(backing)], before, c.about, "the old list")
	}
}

func TestStringItems(t *testing.T) {
	changes(t, "add", []string{"a"}, func(l *[]string) bool { return addItem(l, "b") }, []string{"a", "b"}, true)
	changes(t, "add again", []string{"a"}, func(l *[]string) bool { return addItem(l, "a") }, []string{"a"}, false)
	changes(t, "remove", []string{"a", "b", "a"}, func(l *[]string) bool { return removeItem(l, "a", itself) }, []string{"b", "a"}, true)
	changes(t, "remove every", []string{"a", "b", "a"}, func(l *[]string) bool { return removeItems(l, "a", itself) }, []string{"b"}, true)
}

// TestBranchesOfLists appends to one list twice: the second must not write into the first.
func TestBranchesOfLists(t *testing.T) {
	base := append(make([]int, 0, 8), 1)
	left, right := base, base
	appendItem(&left, 2)
	appendItem(&right, 3)
	check(t, [][]int{base, left, right}, [][]int{{1}, {1, 2}, {1, 3}})
}

func TestPatchObjects(t *testing.T) {
	old := &card{id: "1"}
	member := old
	check(t, patchMember(&member, func(c *card) bool { return setMember(&c.id, "1") }), false)
	check(t, member == old, true, "the same object where nothing changes")
	check(t, patchMember(&member, func(c *card) bool { return setMember(&c.id, "2") }), true)
	check(t, *member, card{id: "2"})
	check(t, *old, card{id: "1"}, "the old object")
	changes(t, "absent", nil, func(m **card) bool { return patchMember(m, func(*card) bool { return true }) }, nil, false)
	changes(t, "inside", card{}, func(m *card) bool {
		return patchObject(m, func(c *card) bool { return setMember(&c.id, "3") })
	}, card{id: "3"}, true)
}

func TestPatchVariants(t *testing.T) {
	grow := func(c *circle) bool { return setMember(&c.radius, 5) }
	old := []shape{&square{"1"}, &circle{"2", 1}, &circle{"2", 1}, &circle{"1", 1}, nil}
	before := slices.Clone(old)
	for _, c := range []struct {
		about   string
		change  func(*[]shape) bool
		want    []shape
		changed bool
	}{
		{"the first with the key", func(l *[]shape) bool { return patchVariant(l, "2", shapeKey, grow) },
			[]shape{&square{"1"}, &circle{"2", 5}, &circle{"2", 1}, &circle{"1", 1}, nil}, true},
		{"the first is another variant", func(l *[]shape) bool { return patchVariant(l, "1", shapeKey, grow) }, before, false},
		{"none has the key", func(l *[]shape) bool { return patchVariant(l, "3", shapeKey, grow) }, before, false},
		{"every one of the variant", func(l *[]shape) bool { return patchVariants(l, []string{"1", "2"}, shapeKey, grow) },
			[]shape{&square{"1"}, &circle{"2", 5}, &circle{"2", 5}, &circle{"1", 5}, nil}, true},
		{"to what they are", func(l *[]shape) bool {
			return patchVariants(l, []string{"1", "2"}, shapeKey, func(c *circle) bool { return setMember(&c.radius, 1) })
		}, before, false},
	} {
		changes(t, c.about, old, c.change, c.want, c.changed)
		check(t, old[1].(*circle).radius, 1, c.about, "the old item")
		for i := range old {
			check(t, old[i] == before[i], true, c.about, "the old list")
		}
	}
}

func TestRawKey(t *testing.T) {
	for _, c := range []struct {
		raw   string
		paths [][]string
		key   string
		ok    bool
	}{
		{`{"id":"a"}`, [][]string{{"id"}}, "a", true},
		{`{"id":"a","alias":"b"}`, [][]string{{"alias"}, {"id"}}, "b", true},
		{`{"id":"a"}`, [][]string{{"alias"}, {"id"}}, "a", true},
		{`{"at":{"id":"a"}}`, [][]string{{"at", "id"}}, "a", true},
		{`{"at":"x","id":"a"}`, [][]string{{"at", "id"}, {"id"}}, "a", true},
		{`{"id":""}`, [][]string{{"id"}}, "", true},
		{`{"id":null}`, [][]string{{"id"}}, "", false},
		{`{"id":1}`, [][]string{{"id"}}, "", false},
		{`{"ID":"a"}`, [][]string{{"id"}}, "", false},
		{`"a"`, [][]string{{"id"}}, "", false},
		{`{`, [][]string{{"id"}}, "", false},
		{`{"id":"a"}`, nil, "", false},
	} {
		key, ok := rawKey(json.RawMessage(c.raw), c.paths...)
		check(t, key, c.key, c.raw)
		check(t, ok, c.ok, c.raw)
	}
}

func TestClock(t *testing.T) {
	noon := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	r := &Reducer{Now: func() time.Time { return noon }}
	check(t, r.now(), noon)
	before := time.Now()
	got := new(Reducer).now()
	check(t, !got.Before(before) && !got.After(time.Now()), true, "the zero value tells the time")
}

func TestExtendText(t *testing.T) {
	r := new(Reducer)
	changes(t, "more", "a", func(s *string) bool { return r.extendText(s, "b") }, "ab", true)
	changes(t, "nothing more", "a", func(s *string) bool { return r.extendText(s, "") }, "a", false)
}

// texts remembers what every text was when it was made.
type texts struct {
	t    testing.TB
	made []string
	want []string
}

func (x *texts) add(made, want string) string {
	x.made, x.want = append(x.made, made), append(x.want, strings.Clone(want))
	return made
}

// check compares all of them: none may have changed since.
func (x *texts) check() {
	x.t.Helper()
	for i := range x.made {
		if x.made[i] != x.want[i] {
			x.t.Fatalf("text %d is %q, was %q", i, x.made[i], x.want[i])
		}
	}
}

func TestAppendText(t *testing.T) {
	r, all := new(Reducer), &texts{t: t}
	check(t, r.appendText("", ""), "")
	check(t, r.appendText("a", ""), "a")
	text := all.add(r.appendText("", "start"), "start")
	want := "start"
	for i := range 2000 { // past the end of several buffers
		more := fmt.Sprint(i)
		want += more
		text = all.add(r.appendText(text, more), want)
	}
	all.check()
}

func TestAppendTextToBranches(t *testing.T) {
	r, all := new(Reducer), &texts{t: t}
	base := all.add(r.appendText("", "base"), "base")
	left := all.add(r.appendText(base, "-left"), "base-left")
	right := all.add(r.appendText(base, "-right"), "base-right")
	all.add(r.appendText(left, "!"), "base-left!")
	all.add(r.appendText(right, "?"), "base-right?")
	all.add(r.appendText(base[:2], "y"), "bay") // a part of a text
	all.add(r.appendText(left[1:], "x"), "ase-leftx")
	all.check()
}

func TestAppendTextOfOthers(t *testing.T) {
	r, all := new(Reducer), &texts{t: t}
	bytes := []byte("literal")
	foreign := string(bytes)
	first := all.add(r.appendText(foreign, "1"), "literal1")
	all.add(r.appendText(foreign, "2"), "literal2")
	all.add(r.appendText(strings.Clone(first), "3"), "literal13") // equal, but somewhere else
	all.add(r.appendText(first, "4"), "literal14")
	all.add(new(Reducer).appendText(first, "5"), "literal15")
	all.add(foreign, "literal")
	all.check()
}

func TestAppendTextByTurns(t *testing.T) {
	for _, streams := range []int{2, 16, 17, 100, 1000} {
		r, all := new(Reducer), &texts{t: t}
		now, want := make([]string, streams), make([]string, streams)
		for round := range 60 {
			for i := range now {
				more := fmt.Sprintf("%d.%d ", i, round)
				want[i] += more
				now[i] = all.add(r.appendText(now[i], more), want[i])
			}
		}
		all.check()
	}
}

// TestAppendTextMovesSeldom counts how often a text that streams with others gets another place in
// memory, however many there are.
func TestAppendTextMovesSeldom(t *testing.T) {
	for _, streams := range []int{1, 16, 17, 100, 1000} {
		r := new(Reducer)
		const rounds = 1000
		now := make([]string, streams)
		moves := 0
		for range rounds {
			for i := range now {
				old := now[i]
				now[i] = r.appendText(old, "0123456789")
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
		if goruntime.GC(); so() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func heap() int {
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

func (t *textBuffers) count() (places, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.places), t.most
}

// A reducer lives as long as a connection. It does not keep the texts of states that are gone.
func TestTextBuffersGoWithTheirTexts(t *testing.T) {
	r := new(Reducer)
	collect(func() bool { return true })
	before := heap()
	const streams, size = 32, 1 << 20
	now := make([]string, streams)
	for i := range now {
		for len(now[i]) < size {
			now[i] = r.appendText(now[i], strings.Repeat("x", 1<<16))
		}
	}
	if during := heap() - before; during < streams*size {
		t.Fatalf("%d bytes for %d texts of %d bytes: the measurement is wrong", during, streams, size)
	}
	now = nil
	if !collect(func() bool { return heap()-before < size }) {
		t.Errorf("%d bytes are still kept", heap()-before)
	}
	check(t, collect(func() bool { places, _ := r.texts.count(); return places == 0 }), true, "no place is kept")
	goruntime.KeepAlive(r)
}

// The table of places shrinks again too, and what is left of it still works.
func TestManyTextsThatEndLeaveASmallTable(t *testing.T) {
	r, all := new(Reducer), &texts{t: t}
	now := make([]string, 10_000)
	for i := range now {
		now[i] = r.appendText("", "x")
	}
	kept := now[len(now)-1]
	now = nil
	small := func() bool { places, most := r.texts.count(); return places < fewBuffers && most <= 10_000/4 }
	check(t, collect(small), true, "the table has shrunk")
	grown := all.add(r.appendText(kept, "y"), "xy")
	check(t, unsafe.StringData(grown) == unsafe.StringData(kept), true, "a text that is left grows where it is")
	all.check()
}

// TestTextBuffersAreNeverTakenForOthers lets memory of texts that are gone become other texts, and things
// that are no texts, of the same sizes. Appending must not write into any of these.
func TestTextBuffersAreNeverTakenForOthers(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	r, now := new(Reducer), make([]string, 64)
	want := make([]string, len(now))
	others := make([][]byte, 256)
	for round := range 400 {
		for range 200 {
			i := random.Intn(len(now))
			switch random.Intn(8) {
			case 0:
				now[i], want[i] = "", ""
			case 1: // a branch: a text of somebody who stays behind
				j := random.Intn(len(now))
				now[j], want[j] = now[i], want[i]
			default:
				more := strings.Repeat(string(rune('a'+random.Intn(26))), 1+random.Intn(120))
				now[i], want[i] = r.appendText(now[i], more), want[i]+more
			}
			size := minTextBuffer << random.Intn(4)
			others[random.Intn(len(others))] = make([]byte, size) // may lie where a text was
		}
		if round%4 == 0 {
			goruntime.GC()
		}
		for i := range others {
			// As if it were a text: the place may be one of a buffer that is gone.
			if o := others[i]; len(o) > 0 {
				n := 1 + random.Intn(len(o))
				r.appendText(unsafe.String(&o[0], n), "!!!!")
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

// TestAppendTextByManyAtOnce is for the race detector.
func TestAppendTextByManyAtOnce(t *testing.T) {
	r := new(Reducer)
	base := r.appendText("", "base")
	var wg sync.WaitGroup
	for g := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			text, want := base, "base"
			for i := range 200 {
				more := fmt.Sprintf("%d/%d ", g, i)
				old := text
				text = r.appendText(text, more)
				if old != want { // read while others write
					t.Errorf("an old text changed: %q, was %q", old, want)
					return
				}
				want += more
			}
			if text != want {
				t.Errorf("got %q, want %q", text, want)
			}
		}()
	}
	wg.Wait()
	check(t, base, "base")
}

// FuzzAppendText grows a tree of texts: each pair of bytes picks a text to append to, and what to append.
func FuzzAppendText(f *testing.F) {
	f.Add([]byte{0, 1, 0, 2, 1, 3, 1, 4, 2, 0})
	f.Add([]byte("a chain and some branches of it"))
	f.Fuzz(func(t *testing.T, plan []byte) {
		r, all := new(Reducer), &texts{t: t}
		all.add("", "")
		all.add("foreign", "foreign")
		for ; len(plan) >= 2 && len(all.made) < 500; plan = plan[2:] {
			from := len(all.made) - 1 - int(plan[0])%len(all.made) // small bytes go on where it was last
			more := strings.Repeat(string(rune('a'+plan[1]%26)), int(plan[1]))
			all.add(r.appendText(all.made[from], more), all.want[from]+more)
		}
		all.check()
	})
}

// BenchmarkAppendText streams a text in small pieces. The cost of a piece does not grow with the text.
func BenchmarkAppendText(b *testing.B) {
	const piece = "four"
	for _, size := range []int{1 << 10, 1 << 14, 1 << 18, 1 << 22} {
		b.Run(fmt.Sprintf("%dkB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(piece)))
			b.ReportAllocs()
			r := new(Reducer)
			text := ""
			for range b.N {
				if len(text) >= size {
					text = ""
				}
				text = r.appendText(text, piece)
			}
		})
	}
}

// BenchmarkAppendTextByTurns streams several texts by turns. The cost of a piece does not grow with
// their number.
func BenchmarkAppendTextByTurns(b *testing.B) {
	const size = 1 << 14
	for _, streams := range []int{1, 16, 17, 100, 1000} {
		b.Run(fmt.Sprintf("texts=%d", streams), func(b *testing.B) {
			b.ReportAllocs()
			r, now := new(Reducer), make([]string, streams)
			for i := range b.N {
				text := &now[i%streams]
				if len(*text) >= size {
					*text = ""
				}
				*text = r.appendText(*text, "twenty bytes of text")
			}
		})
	}
}
