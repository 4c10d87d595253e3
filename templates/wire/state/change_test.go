// Tests of what reducers are made of: changes of copies.

package state

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"
)

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

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
	same := Change(old, func(next *card) bool { return Set(&next.id, "1") })
	check(t, same == old, true, "the state itself where nothing changes")
	next := Change(old, func(next *card) bool { return Set(&next.id, "2") })
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
		return func(t *turn) bool { return Set(&t.text, text) }
	}
	none := &chat{id: "1"}
	check(t, ChangeThrough(none, through, set("a")) == none, true, "the state itself where there is no such member")
	first := &turn{"a"}
	old := &chat{"1", first}
	check(t, ChangeThrough(old, through, set("a")) == old, true, "the state itself where nothing changes")
	next := ChangeThrough(old, through, set("b"))
	check(t, next.id+next.turn.text, "1b")
	check(t, old.turn == first && first.text == "a", true, "the old state and its member")
	again := ChangeThrough(next, through, set("c"))
	check(t, again.turn.text+next.turn.text, "cb", "a copy of a copy")
}

func TestScalars(t *testing.T) {
	changes(t, "another value", 1, func(m *int) bool { return Set(m, 2) }, 2, true)
	changes(t, "the same value", 1, func(m *int) bool { return Set(m, 1) }, 1, false)
	optional := func(value *int) func(**int) bool {
		return func(m **int) bool { return SetOptional(m, value) }
	}
	changes(t, "absent, absent", nil, optional(nil), nil, false)
	changes(t, "absent, there", nil, optional(ptr(1)), ptr(1), true)
	changes(t, "there, absent", ptr(1), optional(nil), nil, true)
	changes(t, "there, the same", ptr(1), optional(ptr(1)), ptr(1), false)
	changes(t, "there, another", ptr(1), optional(ptr(2)), ptr(2), true)
	shared := ptr(1)
	changes(t, "there, Itself", shared, optional(shared), shared, false)
}

func TestFlags(t *testing.T) {
	type status uint64
	changes(t, "set", status(4), func(m *status) bool { return SetFlag(m, 3, true) }, 7, true)
	changes(t, "set already", status(7), func(m *status) bool { return SetFlag(m, 3, true) }, 7, false)
	changes(t, "set in part", status(5), func(m *status) bool { return SetFlag(m, 3, true) }, 7, true)
	changes(t, "clear", status(7), func(m *status) bool { return SetFlag(m, 3, false) }, 4, true)
	changes(t, "clear already", status(4), func(m *status) bool { return SetFlag(m, 3, false) }, 4, false)
}

func TestReplacing(t *testing.T) {
	a, b := &card{id: "1"}, &card{id: "1"}
	changes(t, "not compared", []int{1}, func(m *[]int) bool { return Replace(m, []int{1}) }, []int{1}, true)
	changes(t, "Itself", a, func(m **card) bool { return ReplaceOptional(m, a) }, a, false)
	changes(t, "an equal one", a, func(m **card) bool { return ReplaceOptional(m, b) }, b, true)
	changes(t, "absent", a, func(m **card) bool { return ReplaceOptional(m, nil) }, nil, true)
	changes(t, "clear", []int{1}, func(m *[]int) bool { return Clear(m, *m != nil) }, nil, true)
	changes(t, "clear nothing", nil, func(m *[]int) bool { return Clear(m, *m != nil) }, nil, false)
}

func TestEmptyIsNotAbsent(t *testing.T) {
	changes(t, "absent list", nil, EmptyList[int], []int{}, true)
	changes(t, "full list", []int{1}, EmptyList[int], []int{}, true)
	changes(t, "empty list", []int{}, EmptyList[int], []int{}, false)
	changes(t, "absent map", nil, EmptyMap[int], map[string]int{}, true)
	changes(t, "full map", map[string]int{"a": 1}, EmptyMap[int], map[string]int{}, true)
	changes(t, "empty map", map[string]int{}, EmptyMap[int], map[string]int{}, false)
	check(t, PresentList[int](nil), []int{}, "list")
	check(t, PresentList([]int{1}), []int{1}, "list")
	check(t, PresentMap[int](nil), map[string]int{}, "map")
	check(t, PresentMap(map[string]int{"a": 1}), map[string]int{"a": 1}, "map")
}

func TestMergeMap(t *testing.T) {
	merge := func(more map[string]int, replace bool) func(*map[string]int) bool {
		return func(m *map[string]int) bool { return Merge(m, more, replace) }
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
	Merge(&m, more, true)
	more["a"] = 2
	check(t, m, map[string]int{"a": 1}, "the map that is merged is not kept")
}

func TestItems(t *testing.T) {
	a, b, c := card{id: "a"}, card{id: "b"}, card{id: "c"}
	bare := card{text: "bare"} // has no key
	upsert := func(item card) func(*[]card) bool {
		return func(list *[]card) bool { return Upsert(list, item, idOf) }
	}
	remove := func(id string) func(*[]card) bool {
		return func(list *[]card) bool { return Remove(list, id, idOf) }
	}
	removeAll := func(id string) func(*[]card) bool {
		return func(list *[]card) bool { return RemoveAll(list, id, idOf) }
	}
	patch := func(id, text string) func(*[]card) bool {
		return func(list *[]card) bool {
			return PatchItem(list, id, idOf, func(c *card) bool { return Set(&c.text, text) })
		}
	}
	patchAll := func(text string, ids ...string) func(*[]card) bool {
		return func(list *[]card) bool {
			return PatchItems(list, ids, idOf, func(c *card) bool { return Set(&c.text, text) })
		}
	}
	exchange := func(old string, item card) func(*[]card) bool {
		return func(list *[]card) bool { return Exchange(list, item, old, idOf) }
	}
	same := func(item card) func(*[]card) bool {
		return func(list *[]card) bool { return ExchangeSame(list, item, idOf) }
	}
	with := func(c card, text string) card { c.text = text; return c }
	for _, c := range []struct {
		about   string
		from    []card
		change  func(*[]card) bool
		want    []card
		changed bool
	}{
		{"append", []card{a}, func(l *[]card) bool { return AppendItem(l, a) }, []card{a, a}, true},
		{"append to nothing", nil, func(l *[]card) bool { return AppendItem(l, a) }, []card{a}, true},
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
		{"exchange for a new one", []card{a, b, c}, exchange("b", with(card{id: "d"}, "x")), []card{a, {id: "d", text: "x"}, c}, true},
		{"exchange for one that is behind", []card{a, b, c}, exchange("a", with(c, "x")), []card{with(c, "x"), b}, true},
		{"exchange for one that is before", []card{a, b, c, a}, exchange("c", with(a, "x")), []card{with(a, "x"), b, a}, true},
		{"exchange the first of two", []card{a, a}, exchange("a", b), []card{b, a}, true},
		{"exchange for the same", []card{a, b, b}, exchange("b", with(b, "x")), []card{a, with(b, "x")}, true},
		{"exchange for one without a key", []card{a, bare}, exchange("a", bare), []card{bare, bare}, true},
		{"exchange nothing", []card{a, bare}, exchange("b", a), []card{a, bare}, false},
		{"exchange in nothing", nil, exchange("b", a), nil, false},
		{"exchange by its own key", []card{a, b}, same(with(b, "x")), []card{a, with(b, "x")}, true},
		{"exchange by a key that has gone", []card{a}, same(b), []card{a}, false},
		{"exchange by no key", []card{bare}, same(bare), []card{bare}, false},
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
	changes(t, "add", []string{"a"}, func(l *[]string) bool { return AddItem(l, "b") }, []string{"a", "b"}, true)
	changes(t, "add again", []string{"a"}, func(l *[]string) bool { return AddItem(l, "a") }, []string{"a"}, false)
	changes(t, "remove", []string{"a", "b", "a"}, func(l *[]string) bool { return Remove(l, "a", Itself) }, []string{"b", "a"}, true)
	exchange := func(old, text string) func(*[]string) bool {
		return func(l *[]string) bool { return ExchangeText(l, text, old) }
	}
	changes(t, "exchange", []string{"a", "b"}, exchange("a", "c"), []string{"c", "b"}, true)
	changes(t, "exchange for one that is there", []string{"a", "b", "c"}, exchange("a", "c"), []string{"c", "b"}, true)
	changes(t, "exchange for itself", []string{"a", "b"}, exchange("a", "a"), []string{"a", "b"}, false)
	changes(t, "exchange nothing", []string{"a"}, exchange("b", "a"), []string{"a"}, false)
	changes(t, "remove every", []string{"a", "b", "a"}, func(l *[]string) bool { return RemoveAll(l, "a", Itself) }, []string{"b"}, true)
}

// TestBranchesOfLists appends to one list twice: the second must not write into the first.
func TestBranchesOfLists(t *testing.T) {
	base := append(make([]int, 0, 8), 1)
	left, right := base, base
	AppendItem(&left, 2)
	AppendItem(&right, 3)
	check(t, [][]int{base, left, right}, [][]int{{1}, {1, 2}, {1, 3}})
}

func TestPatchObjects(t *testing.T) {
	old := &card{id: "1"}
	member := old
	check(t, PatchMember(&member, func(c *card) bool { return Set(&c.id, "1") }), false)
	check(t, member == old, true, "the same object where nothing changes")
	check(t, PatchMember(&member, func(c *card) bool { return Set(&c.id, "2") }), true)
	check(t, *member, card{id: "2"})
	check(t, *old, card{id: "1"}, "the old object")
	changes(t, "absent", nil, func(m **card) bool { return PatchMember(m, func(*card) bool { return true }) }, nil, false)
	changes(t, "inside", card{}, func(m *card) bool {
		return PatchObject(m, func(c *card) bool { return Set(&c.id, "3") })
	}, card{id: "3"}, true)
}

func TestPatchVariants(t *testing.T) {
	grow := func(c *circle) bool { return Set(&c.radius, 5) }
	old := []shape{&square{"1"}, &circle{"2", 1}, &circle{"2", 1}, &circle{"1", 1}, nil}
	before := slices.Clone(old)
	for _, c := range []struct {
		about   string
		change  func(*[]shape) bool
		want    []shape
		changed bool
	}{
		{"the first with the key", func(l *[]shape) bool { return PatchVariant(l, "2", shapeKey, grow) },
			[]shape{&square{"1"}, &circle{"2", 5}, &circle{"2", 1}, &circle{"1", 1}, nil}, true},
		{"the first is another variant", func(l *[]shape) bool { return PatchVariant(l, "1", shapeKey, grow) }, before, false},
		{"none has the key", func(l *[]shape) bool { return PatchVariant(l, "3", shapeKey, grow) }, before, false},
		{"every one of the variant", func(l *[]shape) bool { return PatchVariants(l, []string{"1", "2"}, shapeKey, grow) },
			[]shape{&square{"1"}, &circle{"2", 5}, &circle{"2", 5}, &circle{"1", 5}, nil}, true},
		{"to what they are", func(l *[]shape) bool {
			return PatchVariants(l, []string{"1", "2"}, shapeKey, func(c *circle) bool { return Set(&c.radius, 1) })
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
		key, ok := RawKey(json.RawMessage(c.raw), c.paths...)
		check(t, key, c.key, c.raw)
		check(t, ok, c.ok, c.raw)
	}
}

func TestNowIsTheTimeByAClock(t *testing.T) {
	noon := time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)
	check(t, Now(func() time.Time { return noon }), noon)
	before := time.Now()
	got := Now(nil)
	check(t, !got.Before(before) && !got.After(time.Now()), true, "without a clock")
}

func TestReorder(t *testing.T) {
	cards := func(ids ...string) (list []card) {
		for i, id := range ids {
			list = append(list, card{id: id, text: string(rune('a' + i))})
		}
		return list
	}
	texts := func(list []card) (out string) {
		for _, c := range list {
			out += c.text
		}
		return out
	}
	for _, c := range []struct {
		name       string
		list       []card
		order      []string
		some, each string // the texts afterwards, "" if nothing changes
	}{
		{"each once", cards("1", "2", "3"), []string{"3", "1", "2"}, "cab", "cab"},
		{"the order that they have", cards("1", "2"), []string{"1", "2"}, "", ""},
		{"no list", nil, []string{"1"}, "", ""},
		{"nothing of nothing", nil, nil, "", ""},
		{"no order", cards("1", "2"), nil, "", ""},
		{"some follow", cards("1", "2", "3", "4"), []string{"3"}, "cabd", ""},
		{"the first ones already", cards("1", "2", "3"), []string{"1", "2"}, "", ""},
		{"one that nothing has", cards("1", "2"), []string{"9", "2"}, "ba", ""},
		{"one that nothing has, in all", cards("1", "2"), []string{"2", "9", "1"}, "ba", ""},
		{"one twice", cards("1", "2", "3"), []string{"2", "3", "2"}, "bca", ""},
		{"two items with one key", cards("1", "2", "1"), []string{"2", "1"}, "bac", ""},
		{"two items with one key, in all", cards("1", "2", "1"), []string{"2", "1", "1"}, "bac", ""},
		{"one without a key", cards("", "2"), []string{"2", ""}, "ba", ""},
	} {
		for _, f := range []struct {
			name    string
			reorder func(*[]card, []string, func(*card) (string, bool)) bool
			want    string
		}{{"Reorder", Reorder[card], c.some}, {"ReorderAll", ReorderAll[card], c.each}} {
			list, old := c.list, slices.Clone(c.list)
			check(t, f.reorder(&list, c.order, idOf), f.want != "", f.name, c.name)
			if f.want == "" {
				f.want = texts(old)
			}
			check(t, texts(list), f.want, f.name, c.name)
			check(t, c.list, old, f.name, c.name, "the old list stays")
			check(t, list == nil, c.list == nil, f.name, c.name)
		}
	}
}
