// Checkpoints: the newest one of each key, of any size.

package logtest

import (
	"bytes"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// load fails the test unless a checkpoint is the one of a key.
func (k *kit) load(l shared.Log, want shared.Record) {
	k.Helper()
	got, ok, err := l.Load(k.context(), want.Key)
	if err != nil || !ok {
		k.Fatalf("load %q: %v, %v", want.Key, ok, err)
	}
	k.same("checkpoint", []shared.Record{want}, []shared.Record{got})
	if !bytes.Equal(want.Data, got.Data) {
		k.Fatalf("checkpoint %q has other data", want.Key)
	}
}

func checkpoints(k *kit) {
	l, other := k.open(), k.open()
	if got, ok, err := l.Load(k.context(), "a"); ok || err != nil {
		k.Fatalf("load without a checkpoint: %v, %v, %v", got, ok, err)
	}
	list := make([]shared.Record, 6)
	for i := range list {
		list[i] = k.add(l, "a")
	}
	at := func(i int, data string) shared.Record {
		r := k.record("a")
		r.Number, r.Data = list[i].Number, []byte(data)
		return r
	}
	two := at(2, "two")
	k.save(l, two)
	k.load(other, two)
	_ = k.moved("save in another epoch", l.Save(k.context(), k.end(l).Epoch-1, at(3, "of another epoch")))
	k.save(other, at(1, "older"))
	k.save(other, at(2, "again"))
	k.load(l, two)
	three := at(3, "")
	k.save(other, three)
	k.load(l, three)
	large := at(4, "")
	large.Data = bytes.Repeat([]byte("0123456789abcdef"), 3<<16)
	k.save(l, large)
	k.load(other, large)
	k.save(other, at(3, "older than the large one"))
	k.load(l, large)
	small := at(5, "small again")
	k.save(other, small)
	k.load(l, small)
	k.same("log", list, k.all(l))
	racing(k, l, other)
}

// racing saves through several handles at once. The newest one wins.
func racing(k *kit, logs ...shared.Log) {
	first := k.append(logs[0], []shared.Record{k.record("r"), k.record("r"), k.record("r"), k.record("r"), k.record("r"), k.record("r")})
	epoch := k.end(logs[0]).Epoch
	var saving sync.WaitGroup
	for i := range first {
		first[i].Data = bytes.Repeat([]byte{byte(i)}, 1<<(4*i))
		r, l := first[i], logs[i%len(logs)]
		saving.Add(1)
		go func() {
			defer saving.Done()
			if err := l.Save(k.context(), epoch, r); err != nil {
				k.Errorf("save: %v", err)
			}
		}()
	}
	saving.Wait()
	for _, l := range logs {
		k.load(l, first[len(first)-1])
	}
}

// heads are the latest of the last record and the checkpoint of each key.
func heads(k *kit) {
	l, other := k.open(), k.open()
	want := map[string]string{}
	is := func(r shared.Record) {
		r.Data = nil
		want[r.Key] = text(r)
	}
	k.add(l, "record")
	is(k.add(l, "record"))
	r := k.add(l, "both")
	r.Writer = "checkpoint"
	k.save(l, r)
	is(k.add(l, "both"))
	for i := 0; i < 1500; i += 100 {
		var batch []shared.Record
		for j := i; j < i+100; j++ {
			r := k.record("many " + string(rune('a'+j)))
			batch = append(batch, r)
		}
		for _, r := range k.append(l, batch) {
			is(r)
		}
	}
	got := map[string]string{}
	err := other.Heads(k.context(), func(r shared.Record) error {
		if got[r.Key] != "" {
			k.Errorf("key %q is there twice", r.Key)
		}
		if len(r.Data) > 0 {
			k.Errorf("the head of %q has data", r.Key)
		}
		got[r.Key] = text(r)
		return nil
	})
	if err != nil || len(got) != len(want) {
		k.Fatalf("%d heads, not %d: %v", len(got), len(want), err)
	}
	for key := range want {
		if got[key] != want[key] {
			k.Fatalf("the head of %q is %s, not %s", key, got[key], want[key])
		}
	}
}
