// Faults: replies that are lost, engines that go away, logs that are put back.

package logtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// lostReply appends without an answer, and then the same again: at once, through another handle, and after the time
// for which the engine recognises messages.
func lostReply(k *kit) {
	k.need(k.LoseReply != nil, "LoseReply")
	for name, c := range map[string]struct{ stored, other, late, batch bool }{
		"stored":                         {stored: true},
		"stored, another handle":         {stored: true, other: true},
		"stored, batch":                  {stored: true, batch: true},
		"stored, late":                   {stored: true, late: true},
		"stored, late, another handle":   {stored: true, late: true, other: true},
		"stored, batch, another handle":  {stored: true, batch: true, other: true},
		"not stored":                     {},
		"not stored, batch":              {batch: true},
		"not stored, another handle":     {other: true},
		"not stored, late, other, batch": {other: true, late: true, batch: true},
	} {
		if c.late && k.Window == 0 {
			continue
		}
		k.Log(name)
		l := k.open()
		before := k.add(l, name)
		batch := shared.Batch{Records: []shared.Record{k.record(name)}, If: []shared.Condition{{Key: name, Last: before.Number}}}
		if c.batch {
			batch.Records = append(batch.Records, k.record(name), k.record(name))
		}
		k.LoseReply(k.T, l, c.stored)
		ctx, cancel := context.WithTimeout(context.Background(), min(2*time.Second, k.Patience/4))
		_, err := l.Append(ctx, batch)
		cancel()
		if !errors.Is(err, shared.ErrUnknown) {
			k.Fatalf("%s: without a reply: %v", name, err)
		}
		if c.late {
			time.Sleep(k.Window)
		}
		again := l
		if c.other {
			again = k.open()
		}
		first := k.again(again, batch)
		var conflict *shared.ConflictError
		switch _, err := again.Append(k.context(), batch); {
		case !errors.As(err, &conflict):
			k.Fatalf("%s: a third time: %v", name, err)
		case c.stored && first == nil:
			k.Fatalf("%s: what was stored could be appended again", name)
		case !c.stored && first != nil:
			k.Fatalf("%s: what was not stored was refused: %v", name, first)
		}
		got := k.read(again, name, before.Number)
		for i := range got {
			got[i].Number = 0
		}
		k.same(name, batch.Records, got)
	}
}

// again appends until it is known what became of it.
func (k *kit) again(l shared.Log, b shared.Batch) error {
	k.Helper()
	var err error
	for end := time.Now().Add(k.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err = l.Append(k.context(), b); err == nil || !errors.Is(err, shared.ErrUnknown) {
			return err
		}
	}
	k.Fatalf("append: %v", err)
	return nil
}

// recreated deletes the log while somebody reads.
func recreated(k *kit) {
	k.need(k.Recreate != nil, "Recreate")
	l, other := k.open(), k.open()
	for i := 0; i < 10; i++ {
		k.add(l, "a")
	}
	end := k.end(l)
	r := k.reader(l, shared.Position{Epoch: end.Epoch})
	r.until(k.last(l, "a"))
	k.Recreate(k.T)
	moved := k.moved("deleted and made anew", r.end())
	k.epochAfter(other, end, moved)
	if got := k.last(other, "a"); got != 0 {
		k.Fatalf("the last record of a new log is %d", got)
	}
	k.append(other, []shared.Record{k.record("a")}, shared.Condition{Key: "a"})
	_ = k.moved("from the old epoch", other.Follow(k.context(), end, none))
}

func none([]shared.Record) error { return nil }

// epochAfter fails the test unless the log has an epoch after a position.
func (k *kit) epochAfter(l shared.Log, end shared.Position, moved *shared.MovedError) {
	k.Helper()
	now := k.end(l)
	if moved.Trimmed || moved.Epoch != now.Epoch || now.Epoch <= end.Epoch+end.Number*shared.Spacing {
		k.Fatalf("%+v, the log is at %v after %v", moved, now, end)
	}
}

// putBack puts back a copy that lacks the tail.
func putBack(k *kit) {
	k.need(k.Copy != nil && k.PutBack != nil, "Copy and PutBack")
	l, end := k.withCopy()
	r := k.reader(l, end)
	k.PutBack(k.T)
	moved := k.moved("put back", r.end())
	other := k.open()
	k.epochAfter(other, end, moved)
	_ = k.moved("after the old end", other.Follow(k.context(), end, none))
	if at, last := k.end(other), k.lastNumber(other); at.Number != last {
		k.Fatalf("the end is %d, but the last record is %d", at.Number, last)
	}
	before := k.all(other)
	_ = k.moved("trim", l.Trim(k.context(), end)) // checkpoints that were saved since the copy may be gone
	lost := k.record("a")
	lost.Number = end.Number
	_ = k.moved("save", l.Save(k.context(), end.Epoch, lost))
	k.same("after no trim", before, k.all(other))
	now := k.end(other)
	if err := k.again(other, shared.Batch{Records: []shared.Record{k.record("a")}}); err != nil {
		k.Fatalf("append: %v", err)
	}
	k.following(l, now, k.last(other, "a"))
}

// putBackAndGoneOn puts back a copy, and lets others append so much that the old end is within the log.
func putBackAndGoneOn(k *kit) {
	k.need(k.Copy != nil && k.PutBack != nil, "Copy and PutBack")
	l, end := k.withCopy()
	ctx, cancel := context.WithCancel(context.Background())
	read, pause := make(chan bool), make(chan bool)
	ended := make(chan error, 1)
	go func() {
		ended <- l.Follow(ctx, shared.Position{Epoch: end.Epoch}, func(list []shared.Record) error {
			if list[len(list)-1].Number >= end.Number {
				close(read)
				<-pause
			}
			return nil
		})
	}()
	<-read
	k.PutBack(k.T)
	other := k.open()
	for i := 0; i < 20; i++ {
		_ = k.again(other, shared.Batch{Records: []shared.Record{k.record("a")}})
	}
	close(pause)
	select {
	case err := <-ended:
		k.epochAfter(other, end, k.moved("put back and gone on", err))
	case <-k.context().Done():
		k.Error("a reader does not notice that the log was put back and has gone on")
	}
	cancel()
}

// withCopy returns a handle, and the end of a log after there was more than in the copy.
func (k *kit) withCopy() (shared.Log, shared.Position) {
	l := k.open()
	for i := 0; i < 10; i++ {
		k.add(l, "a")
	}
	k.Copy(k.T)
	for i := 0; i < 5; i++ { // the engine may need a while until it takes something
		if err := k.again(l, shared.Batch{Records: []shared.Record{k.record("a")}}); err != nil {
			k.Fatalf("append: %v", err)
		}
	}
	end := k.end(l)
	end.Number = k.last(l, "a")
	k.following(l, shared.Position{Epoch: end.Epoch}, end.Number)
	return l, end
}

// outage lets the engine go away while somebody reads and somebody writes.
func outage(k *kit) {
	k.need(k.Stop != nil && k.Start != nil, "Stop and Start")
	l, other := k.open(), k.open()
	before := k.add(l, "a")
	end := k.end(l)
	r := k.reader(other, shared.Position{Epoch: end.Epoch})
	r.until(before.Number)
	k.Stop(k.T)
	batch := shared.Batch{Records: []shared.Record{k.record("a")}, If: []shared.Condition{{Key: "a", Last: before.Number}}}
	ctx, cancel := context.WithTimeout(context.Background(), min(2*time.Second, k.Patience/4))
	if n, err := l.Append(ctx, batch); err == nil {
		k.Fatalf("append without an engine returned %d", n)
	}
	cancel()
	k.Start(k.T)
	err := k.again(l, batch)
	var conflict *shared.ConflictError
	if err != nil && !errors.As(err, &conflict) { // the first may have been stored meanwhile
		k.Fatalf("append after the engine is back: %v", err)
	}
	last := k.last(l, "a")
	for i := 0; i < 5; i++ {
		last = k.add(l, "a").Number
	}
	got := r.until(last)
	k.same("follow", k.all(l), got)
	if len(got) != 7 {
		k.Fatalf("%d records, not 7", len(got))
	}
}

// full appends until there is no room.
func full(k *kit) {
	k.need(k.Small != nil, "Small")
	l := k.Small(k.T)
	k.closeLater(l)
	var want []shared.Record
	var err error
	for i := 0; i < 2000 && err == nil; i++ {
		r := k.record(fmt.Sprint("key ", i%10))
		r.Data = make([]byte, 10_000)
		if r.Number, err = l.Append(k.context(), shared.Batch{Records: []shared.Record{r}}); err == nil {
			want = append(want, r)
		}
	}
	if !errors.Is(err, shared.ErrFull) {
		k.Fatalf("after %d records: %v", len(want), err)
	}
	batch := []shared.Record{k.record("key 1"), k.record("key 2")}
	for i := range batch {
		batch[i].Data = make([]byte, 10_000)
	}
	if _, err := l.Append(k.context(), shared.Batch{Records: batch}); !errors.Is(err, shared.ErrFull) {
		k.Fatalf("a batch in a full log: %v", err)
	}
	k.same("full log", want, k.all(l))
	k.trim(l, want[len(want)-1].Number)
	rest := want[len(want)-10:]
	for _, r := range rest {
		k.same("trimmed "+r.Key, []shared.Record{r}, k.read(l, r.Key, r.Number-1))
	}
	k.append(l, batch, shared.Condition{Key: "key 1", Last: k.last(l, "key 1")})
}

// tooLarge appends what is beyond the limits.
func tooLarge(k *kit) {
	l := k.open()
	limits := l.Limits()
	k.need(limits.Record > 0 || limits.Batch > 0, "limits")
	want := []shared.Record{k.add(l, "a")}
	refuse := func(what string, records []shared.Record) {
		k.Helper()
		if _, err := l.Append(k.context(), shared.Batch{Records: records}); !errors.Is(err, shared.ErrTooLarge) {
			k.Fatalf("%s: %v", what, err)
		}
		k.same(what, want, k.all(l))
	}
	if limits.Record > 0 {
		r := k.record("a")
		r.Data = make([]byte, limits.Record-len(r.Key)-len(r.Writer)+1)
		refuse("a record", []shared.Record{r})
		refuse("a record in a batch", []shared.Record{k.record("a"), r, k.record("b")})
		r.Data = r.Data[1:]
		want = append(want, k.append(l, []shared.Record{r})...)
	}
	if limits.Batch > 0 {
		var batch []shared.Record
		for i := 0; i < limits.Batch; i++ {
			batch = append(batch, k.record("a"))
		}
		refuse("a batch", append(batch, k.record("a")))
		want = append(want, k.append(l, batch, shared.Condition{Key: "a", Last: k.last(l, "a")})...)
	}
	k.same("log", want, k.all(l))
}
