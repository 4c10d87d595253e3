// Trimming: what stays, and what readers are told.

package logtest

import (
	"context"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// trim removes the older half. The last record of each key stays.
func trim(k *kit) {
	l := k.open()
	end := k.end(l)
	quiet := k.add(l, "quiet")
	want := k.many(l)
	middle := want[len(want)/2].Number
	k.save(l, quiet)
	for _, key := range []string{"a", "b", "c"} {
		k.save(l, upTo(only(want, key), middle))
	}
	_ = k.moved("trim another epoch", l.Trim(k.context(), shared.Position{Epoch: end.Epoch - 1, Number: middle}))
	k.same("after no trim", append([]shared.Record{quiet}, want...), k.all(l))
	k.trim(l, middle)
	k.trim(l, middle/2) // no-op
	other := k.open()
	for _, key := range []string{"a", "b", "c"} {
		list := only(want, key)
		after := upTo(list, middle).Number
		var rest []shared.Record
		for _, r := range list {
			if r.Number > after {
				rest = append(rest, r)
			}
		}
		k.same(key, rest, k.read(other, key, after))
		moved := k.moved("read below", other.Read(k.context(), key, 0, func(shared.Record) error { return nil }))
		if !moved.Trimmed || moved.Epoch != end.Epoch {
			k.Fatalf("read below: %+v", moved)
		}
		if got := k.last(other, key); got != list[len(list)-1].Number {
			k.Fatalf("the last record of %s is %d", key, got)
		}
	}
	if got := k.last(other, "quiet"); got != quiet.Number {
		k.Fatalf("the last record of a quiet key is %d, not %d", got, quiet.Number)
	}
	k.same("quiet", nil, k.read(other, "quiet", quiet.Number))
	k.same("quiet", []shared.Record{quiet}, k.read(other, "quiet", quiet.Number-1)) // between which there is nothing to trim
	k.same("after the trim", want[len(want)/2+1:], k.following(other, shared.Position{Epoch: end.Epoch, Number: middle}, want[len(want)-1].Number))
	heads := 0
	if err := other.Heads(k.context(), func(r shared.Record) error { heads++; return nil }); err != nil || heads != 4 {
		k.Fatalf("%d heads: %v", heads, err)
	}
	k.trim(l, want[len(want)-1].Number+1000)
	next := k.append(l, []shared.Record{k.record("a")}, shared.Condition{Key: "a", Last: k.last(l, "a")})
	k.following(l, shared.Position{Epoch: end.Epoch, Number: want[len(want)-1].Number}, next[0].Number)
}

// upTo returns the last record with a number up to one.
func upTo(list []shared.Record, number int64) (last shared.Record) {
	for _, r := range list {
		if r.Number <= number {
			last = r
		}
	}
	return last
}

func (k *kit) save(l shared.Log, r shared.Record) {
	k.Helper()
	if err := l.Save(k.context(), k.end(l).Epoch, r); err != nil {
		k.Fatalf("save: %v", err)
	}
}

// trimBelowReader follows from where records were removed.
func trimBelowReader(k *kit) {
	l, other := k.open(), k.open()
	end := k.end(l)
	want := k.many(l)
	k.trim(l, want[2000].Number)
	for _, i := range []int{0, 1, 1000, 1990} {
		for name, reader := range map[string]shared.Log{"who trimmed": l, "another": other, "new": k.open()} {
			moved := k.moved(name, reader.Follow(k.context(), shared.Position{Epoch: end.Epoch, Number: want[i].Number}, none))
			if !moved.Trimmed || moved.Epoch != end.Epoch {
				k.Fatalf("%s, from record %d: %+v", name, i, moved)
			}
		}
	}
}

// trimWhileReading trims below a reader that is in the middle. It gets all, or is told.
func trimWhileReading(k *kit) {
	l, other := k.open(), k.open()
	end := k.end(l)
	want := k.many(l)
	for len(want) < 8000 { // more than an engine sends ahead
		want = append(want, k.many(l)...)
	}
	last := want[len(want)-1].Number
	var got []shared.Record
	trimmed := false
	ctx, cancel := context.WithTimeout(context.Background(), k.Patience)
	defer cancel()
	err := other.Follow(ctx, shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
		got = append(got, list...)
		if !trimmed {
			trimmed = true
			k.trim(l, last-10)
		}
		if got[len(got)-1].Number >= last {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		if moved := k.moved("trimmed while reading", err); !moved.Trimmed {
			k.Fatalf("%+v", moved)
		}
		want = want[:min(len(got), len(want))]
	}
	k.same("before the trim was noticed", want, got)
	trimWhileReadingKey(k)
}

// trimWhileReadingKey trims below a reader of one key.
func trimWhileReadingKey(k *kit) {
	l, other := k.open(), k.open()
	var want, got []shared.Record
	for range 10 {
		want = append(want, k.add(l, "key"))
		k.add(l, "beside")
	}
	err := other.Read(k.context(), "key", want[0].Number-1, func(r shared.Record) error {
		if got = append(got, r); len(got) == 1 {
			k.save(l, want[7])
			k.trim(l, want[7].Number)
		}
		return nil
	})
	if err == nil {
		k.same("a key that is trimmed while it is read", want, got)
	} else if moved := k.moved("a key that is trimmed while it is read", err); !moved.Trimmed {
		k.Fatalf("%+v", moved)
	}
}

// trimToLast trims all that may be trimmed. Conditions keep their meaning.
func trimToLast(k *kit) {
	l, other := k.open(), k.open()
	k.add(l, "a")
	k.add(l, "a")
	last := k.add(l, "a")
	only := k.add(l, "b")
	k.trim(l, only.Number)
	for name, r := range map[string]shared.Record{"a": last, "b": only} {
		_ = k.refused(other, []shared.Record{k.record(name)}, shared.Condition{Key: name})
		if got := k.last(other, name); got != r.Number {
			k.Fatalf("the last record of %s is %d, not %d", name, got, r.Number)
		}
		k.same(name, []shared.Record{r}, k.read(other, name, r.Number-1))
		k.append(other, []shared.Record{k.record(name)}, shared.Condition{Key: name, Last: r.Number})
	}
}
