// Follow: from anywhere, while others append, and where it cannot go on.

package logtest

import (
	"context"
	"errors"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// many fills a log with more records than are passed in a piece.
func (k *kit) many(l shared.Log) []shared.Record {
	k.Helper()
	var want []shared.Record
	for len(want) < 2500 {
		var batch []shared.Record
		for i := 0; i < 100; i++ {
			batch = append(batch, k.record([]string{"a", "b", "c"}[i%3]))
		}
		want = append(want, k.append(l, batch)...)
	}
	return want
}

func follow(k *kit) {
	l := k.open()
	end := k.end(l)
	want := k.many(l)
	last := want[len(want)-1].Number
	for _, i := range []int{0, 1, 999, 1000, 1001, 2000, 2499, 2500} {
		after := shared.Position{Epoch: end.Epoch}
		if i > 0 {
			after.Number = want[i-1].Number
		}
		k.same("follow", want[i:], k.following(l, after, last))
	}
	r := k.reader(l, k.end(l))
	next := k.append(l, []shared.Record{k.record("a"), k.record("b")})
	k.same("from the end", next, r.until(next[1].Number))
	failed := errors.New("failed")
	if err := l.Follow(k.context(), end, func([]shared.Record) error { return failed }); !errors.Is(err, failed) {
		k.Fatalf("the error of the caller became %v", err)
	}
	if err := l.Read(k.context(), "a", 0, func(shared.Record) error { return failed }); !errors.Is(err, failed) {
		k.Fatalf("the error of the caller became %v", err)
	}
}

func followWhileAppending(k *kit) {
	l, other := k.open(), k.open()
	end := k.end(l)
	first := k.reader(l, end)
	second := k.reader(other, end)
	want := k.many(l)
	middle := want[len(want)/2].Number
	third := k.reader(other, shared.Position{Epoch: end.Epoch, Number: middle})
	for i := 0; i < 200; i++ {
		want = append(want, k.add(other, "a"))
	}
	last := want[len(want)-1].Number
	k.same("own handle", want, first.until(last))
	k.same("other handle", want, second.until(last))
	third.until(last)
	k.same("from the middle", want[1251:], third.records())
}

// beyondTheEnd follows from where there is nothing yet. When there is, it would be taken for what comes next.
func beyondTheEnd(k *kit) {
	l, other := k.open(), k.open()
	k.add(l, "a")
	end := k.end(l)
	end.Number += 5
	if moved := k.moved("beyond the end", l.Follow(k.context(), end, none)); moved.Trimmed {
		k.Fatal("a log without what it should have is not trimmed")
	}
	for i := 0; i < 10; i++ {
		k.add(other, "a")
	}
	k.following(l, k.end(l), k.add(other, "a").Number)
}

func otherEpoch(k *kit) {
	l := k.open()
	k.add(l, "a")
	end := k.end(l)
	for _, at := range []shared.Position{{Epoch: end.Epoch - 1}, {Epoch: end.Epoch - 1, Number: end.Number}, {}} {
		if moved := k.moved("another epoch", l.Follow(k.context(), at, none)); moved.Trimmed || moved.Epoch < end.Epoch {
			k.Fatalf("%+v in an epoch before %v", moved, end)
		}
	}
}

func closed(k *kit) {
	l := k.Open(k.T)
	c, ok := l.(interface{ Close() error })
	k.need(ok, "Close")
	k.add(l, "a")
	r := k.reader(l, k.end(l))
	if err := c.Close(); err != nil {
		k.Fatalf("close: %v", err)
	}
	if err := r.end(); !errors.Is(err, shared.ErrClosed) {
		k.Fatalf("follow: %v", err)
	}
	for name, call := range k.calls(k.context(), l) {
		if err := call(); !errors.Is(err, shared.ErrClosed) {
			k.Errorf("%s of a closed log: %v", name, err)
		}
	}
	if err := c.Close(); err != nil {
		k.Fatalf("close again: %v", err)
	}
	k.add(k.open(), "a")
}

// calls are all that can be called with a context.
func (k *kit) calls(ctx context.Context, l shared.Log) map[string]func() error {
	return map[string]func() error{
		"Append": func() error {
			_, err := l.Append(ctx, shared.Batch{Records: []shared.Record{k.record("a")}})
			return err
		},
		"Follow": func() error { return l.Follow(ctx, shared.Position{}, none) },
		"Read":   func() error { return l.Read(ctx, "a", 0, func(shared.Record) error { return nil }) },
		"Last":   func() error { _, err := l.Last(ctx, "a"); return err },
		"End":    func() error { _, err := l.End(ctx); return err },
		"Heads":  func() error { return l.Heads(ctx, func(shared.Record) error { return nil }) },
		"Save":   func() error { return l.Save(ctx, 0, k.record("a")) },
		"Load":   func() error { _, _, err := l.Load(ctx, "a"); return err },
		"Trim":   func() error { return l.Trim(ctx, shared.Position{Number: 1}) },
	}
}

func contexts(k *kit) {
	l := k.open()
	want := k.add(l, "a")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range k.calls(ended, l) {
		if err := call(); !errors.Is(err, context.Canceled) {
			k.Errorf("%s with a context that has ended: %v", name, err)
		}
	}
	if got := k.last(l, "a"); got != want.Number {
		k.Errorf("an append whose context had ended was stored")
	}
	r := k.reader(l, shared.Position{Epoch: k.end(l).Epoch})
	r.until(want.Number)
	r.stop()
	if err := r.end(); !errors.Is(err, context.Canceled) {
		k.Errorf("follow, after its context has ended: %v", err)
	}
}
