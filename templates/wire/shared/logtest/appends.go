// Appends: order, batches and conditions.

package logtest

import (
	"strings"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

func order(k *kit) {
	one, two := k.open(), k.open()
	var want []shared.Record
	for i := 0; i < 20; i++ {
		want = append(want, k.add(one, "a"), k.add(two, "b"))
		want = append(want, k.append(one, []shared.Record{k.record("a"), k.record("b"), k.record("c")})...)
	}
	odd := shared.Record{Key: "a", Kind: 255, Writer: "the writer\r\n: \xff é", Serial: 1<<53 - 1, Time: time.UnixMilli(1_709_208_000_123), Data: []byte("\x00\r\n\xff")}
	bare := shared.Record{Key: "a", Time: time.UnixMilli(0)}
	want = append(want, k.append(two, []shared.Record{odd, bare})...)
	for i := 1; i < len(want); i++ {
		if want[i].Number <= want[i-1].Number {
			k.Fatalf("record %d has number %d, after %d", i, want[i].Number, want[i-1].Number)
		}
	}
	for name, l := range map[string]shared.Log{"one": one, "two": two, "new": k.open()} {
		k.same(name, want, k.all(l))
		for _, key := range []string{"a", "b", "c", "d"} {
			list := only(want, key)
			k.same(name+": "+key, list, k.read(l, key, 0))
			last := int64(0)
			if len(list) > 0 {
				last = list[len(list)-1].Number
				k.same(name+": middle of "+key, list[len(list)/2:], k.read(l, key, list[len(list)/2-1].Number))
			}
			if got := k.last(l, key); got != last {
				k.Fatalf("%s: the last record of %s is %d, not %d", name, key, got, last)
			}
			k.same(name+": end of "+key, nil, k.read(l, key, last))
			k.same(name+": from -1 of "+key, list, k.read(l, key, -1))
		}
		if end := k.end(l); end.Number < want[len(want)-1].Number || end.Epoch <= 0 {
			k.Fatalf("%s: the end is at %v, the last record at %d", name, end, want[len(want)-1].Number)
		}
	}
}

// only returns the records of a key.
func only(list []shared.Record, key string) (out []shared.Record) {
	for _, r := range list {
		if r.Key == key {
			out = append(out, r)
		}
	}
	return out
}

// batchesAreWhole lets two handles append batches at once. No record of another batch is in one.
func batchesAreWhole(k *kit) {
	const size = 50
	var writing sync.WaitGroup
	logs := []shared.Log{k.open(), k.open()}
	for _, l := range logs {
		l := l
		writing.Add(1)
		go func() {
			defer writing.Done()
			for i := 0; i < 10; i++ {
				batch := make([]shared.Record, size)
				for j := range batch {
					batch[j] = k.record("k")
				}
				whole := text(batch[0])
				for j := range batch {
					batch[j].Writer = whole
				}
				if _, err := l.Append(k.context(), shared.Batch{Records: batch}); err != nil {
					k.Errorf("append: %v", err)
				}
			}
		}()
	}
	writing.Wait()
	got := k.all(logs[0])
	if len(got) != 20*size {
		k.Fatalf("%d records, not %d", len(got), 20*size)
	}
	for i, r := range got {
		if first := got[i-i%size]; r.Writer != first.Writer || r.Number != first.Number+int64(i%size) {
			k.Fatalf("record %d is %s, in the batch of %s", i, text(r), text(first))
		}
	}
}

// oddKeys uses keys that are special in the languages of engines.
func oddKeys(k *kit) {
	l := k.open()
	keys := []string{
		"", " ", "a", "A", "a.b", "a.*", "*", ">", ".", "..", "a b", "ahp-session:/1", "ahp-session:/1/", "é", "e\u0301", "\x00", "\xff", "\r\n", "%", "%25", "=", "==", "=2E",
		"$JS", "_INBOX", "'; --", "{}", strings.Repeat("long", 1000), strings.Repeat("long", 1000) + "!", "/etc/passwd", "../x",
	}
	want := map[string][]shared.Record{}
	for round := 0; round < 2; round++ {
		for _, key := range keys {
			var last int64
			if list := want[key]; len(list) > 0 {
				last = list[len(list)-1].Number
			}
			want[key] = append(want[key], k.append(l, []shared.Record{k.record(key)}, shared.Condition{Key: key, Last: last})...)
		}
	}
	other := k.open()
	for _, key := range keys {
		k.same(key, want[key], k.read(other, key, 0))
		if err := l.Save(k.context(), k.end(l).Epoch, want[key][1]); err != nil {
			k.Fatalf("save %q: %v", key, err)
		}
	}
	for _, key := range keys {
		got, ok, err := other.Load(k.context(), key)
		if err != nil || !ok {
			k.Fatalf("load %q: %v, %v", key, ok, err)
		}
		k.same(key, want[key][1:], []shared.Record{got})
	}
	seen := map[string]bool{}
	if err := other.Heads(k.context(), func(r shared.Record) error { seen[r.Key] = true; return nil }); err != nil || len(seen) != len(keys) {
		k.Fatalf("%d heads, not %d: %v", len(seen), len(keys), err)
	}
}

func conditions(k *kit) {
	l, other := k.open(), k.open()
	a := k.add(l, "a")
	b := k.add(l, "b")
	a2 := k.append(other, []shared.Record{k.record("a")}, shared.Condition{Key: "a", Last: a.Number})[0]
	want := []shared.Record{a, b, a2}
	is := func(key string, last int64) shared.Condition { return shared.Condition{Key: key, Last: last} }
	for name, c := range map[string]struct {
		keys       []string
		conditions []shared.Condition
	}{
		"stale":                      {[]string{"a"}, []shared.Condition{is("a", a.Number)}},
		"ahead":                      {[]string{"a"}, []shared.Condition{is("a", a2.Number+1)}},
		"none, of a key that has":    {[]string{"a"}, []shared.Condition{is("a", 0)}},
		"some, of a key without":     {[]string{"c"}, []shared.Condition{is("c", b.Number)}},
		"number of another key":      {[]string{"a"}, []shared.Condition{is("a", b.Number)}},
		"stale, outside":             {[]string{"b"}, []shared.Condition{is("a", a.Number)}},
		"some, outside and without":  {[]string{"b"}, []shared.Condition{is("c", 1)}},
		"second of two":              {[]string{"a", "b"}, []shared.Condition{is("a", a2.Number), is("b", 0)}},
		"first of two":               {[]string{"a", "b"}, []shared.Condition{is("a", a.Number), is("b", b.Number)}},
		"fence of one record":        {[]string{"b"}, []shared.Condition{is("b", b.Number), is("a", a.Number)}},
		"key of the second record":   {[]string{"a", "b"}, []shared.Condition{is("b", 0)}},
		"two outside, one of them":   {[]string{"c"}, []shared.Condition{is("a", a2.Number), is("b", 0)}},
		"three, with one record":     {[]string{"c"}, []shared.Condition{is("c", 0), is("a", a2.Number), is("b", a.Number)}},
		"key that is twice in batch": {[]string{"a", "a", "b"}, []shared.Condition{is("a", a.Number), is("b", b.Number)}},
	} {
		var records []shared.Record
		for _, key := range c.keys {
			records = append(records, k.record(key))
		}
		conflict := k.refused(l, records, c.conditions...)
		for _, condition := range c.conditions {
			if conflict.Key == condition.Key && conflict.Last == condition.Last {
				k.Errorf("%s: %v, though the condition was about that record", name, conflict)
			}
		}
		k.same(name, want, k.all(l))
	}
	k.holding(l, other, want)
}

// holding appends under conditions that hold, after what is there.
func (k *kit) holding(l, other shared.Log, want []shared.Record) {
	now := func(key string) shared.Condition { return shared.Condition{Key: key, Last: k.last(other, key)} }
	for name, c := range map[string]struct{ keys, conditions []string }{
		"own key":                   {[]string{"a"}, []string{"a"}},
		"outside":                   {[]string{"b"}, []string{"a"}},
		"outside and without":       {[]string{"b"}, []string{"c"}},
		"own key and a fence":       {[]string{"b"}, []string{"b", "a"}},
		"fence first":               {[]string{"b"}, []string{"a", "b"}},
		"three, with one record":    {[]string{"b"}, []string{"c", "a", "b"}},
		"two keys":                  {[]string{"a", "b"}, []string{"a", "b"}},
		"two keys the other way":    {[]string{"a", "b"}, []string{"b", "a"}},
		"a key three times":         {[]string{"a", "a", "b", "a"}, []string{"b", "a"}},
		"second key, without first": {[]string{"a", "a", "b"}, []string{"b"}},
	} {
		var records []shared.Record
		for _, key := range c.keys {
			records = append(records, k.record(key))
		}
		var conditions []shared.Condition
		for _, key := range c.conditions {
			conditions = append(conditions, now(key))
		}
		k.Log(name)
		want = append(want, k.append(l, records, conditions...)...)
		k.same(name, want, k.all(l))
	}
}

// pausedWriter goes on with what it knew before a pause.
func pausedWriter(k *kit) {
	l, other := k.open(), k.open()
	want := []shared.Record{k.add(l, "a")}
	known := k.last(l, "a")
	for i := 0; i < 10; i++ {
		want = append(want, k.add(other, "a"))
	}
	conflict := k.refused(l, []shared.Record{k.record("a")}, shared.Condition{Key: "a", Last: known})
	if now := k.last(l, "a"); conflict.Last >= 0 && conflict.Last != now || now != want[10].Number {
		k.Fatalf("%v, and the last record is %d, not %d", conflict, now, want[10].Number)
	}
	k.same("log", want, k.all(l))
	want = append(want, k.append(l, []shared.Record{k.record("a")}, shared.Condition{Key: "a", Last: want[10].Number})...)
	k.same("log", want, k.all(other))
}

// sameSerialOnTwoKeys appends records with one identity under two keys. Both are stored: an engine must not take the second for
// the first one again.
func sameSerialOnTwoKeys(k *kit) {
	l := k.open()
	r := k.record("a")
	want := k.append(l, []shared.Record{r}, shared.Condition{Key: "a"})
	r.Key = "b"
	want = append(want, k.append(l, []shared.Record{r}, shared.Condition{Key: "b"})...)
	k.same("log", want, k.all(l))
	k.same("b", want[1:], k.read(l, "b", 0))
}
