// Writers: many at once, on keys of their own and on one.

package logtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// writers lets several clients append to own keys and to one that they share, and judges what they were told.
func writers(k *kit) {
	const clients, each = 6, 40
	var h History
	var writing sync.WaitGroup
	logs := []shared.Log{k.open(), k.open(), k.open()}
	for c := 0; c < clients; c++ {
		c, l := c, logs[c%len(logs)]
		writing.Add(1)
		go func() {
			defer writing.Done()
			serial := int64(0)
			for _, key := range []string{"shared", fmt.Sprint("own ", c), "shared"} {
				for i := 0; i < each; i++ {
					last := h.last(k, l, c, key)
					serial++
					time.Sleep(time.Duration(rand.Int63n(int64(200 * time.Microsecond)))) //nolint:gosec // chance is enough
					h.append(k, l, c, key, last, serial)
				}
			}
		}()
	}
	writing.Wait()
	if k.Failed() {
		return
	}
	if err := Check(h.Ops(), k.all(logs[0])); err != nil {
		k.Fatal(err)
	}
	stored, refused := 0, 0
	for _, op := range h.Ops() {
		if op.Append && op.Result == Done && op.Key != "shared" {
			stored++
		}
		if op.Result == Refused {
			refused++
		}
	}
	if refused == 0 {
		k.Fatal("no two clients have appended at once")
	}
	if stored != clients*each {
		k.Fatalf("%d appends on own keys, not %d: without others there is nothing to refuse", stored, clients*each)
	}
}

func (h *History) last(k *kit, l shared.Log, client int, key string) int64 {
	op := Op{Client: client, Key: key, Call: h.Now()}
	n, err := l.Last(k.context(), key)
	if err != nil {
		k.Errorf("last: %v", err)
	}
	op.Number = n
	h.Add(op)
	return n
}

func (h *History) append(k *kit, l shared.Log, client int, key string, after, serial int64) Result {
	op := Op{Client: client, Key: key, Append: true, After: after, Writer: fmt.Sprint("writer ", client), Serial: serial, Call: h.Now()}
	r := shared.Record{Key: key, Writer: op.Writer, Serial: serial, Time: time.UnixMilli(1)}
	n, err := l.Append(k.context(), shared.Batch{Records: []shared.Record{r}, If: []shared.Condition{{Key: key, Last: after}}})
	var conflict *shared.ConflictError
	switch {
	case err == nil:
		op.Number = n
	case errors.As(err, &conflict):
		op.Result, op.Number = Refused, conflict.Last
	case errors.Is(err, shared.ErrUnknown):
		op.Result = Unknown
	default:
		k.Errorf("append: %v", err)
	}
	h.Add(op)
	return op.Result
}

// starvation lets three clients append to one key as fast as they can. Each waits until it has read what came last, and then for a
// random time, so that none has a better chance than the others.
func starvation(k *kit) {
	const clients, all = 3, 300
	end := k.end(k.open())
	var h History
	var writing sync.WaitGroup
	ctx, cancel := context.WithTimeout(context.Background(), 3*k.Patience)
	defer cancel()
	shares := make([]int, clients)
	var mu sync.Mutex
	done := 0
	for c := 0; c < clients; c++ {
		c, l := c, k.open()
		writing.Add(1)
		r := k.reader(l, end)
		go func() {
			defer writing.Done()
			for serial := int64(1); ctx.Err() == nil; serial++ {
				last := r.newest()
				if h.append(k, l, c, "k", last, serial) == Done {
					mu.Lock()
					shares[c]++
					if done++; done >= all {
						cancel()
					}
					mu.Unlock()
				}
				r.beyond(last)
				time.Sleep(time.Duration(rand.Int63n(int64(2 * time.Millisecond)))) //nolint:gosec // chance is enough
			}
		}()
	}
	writing.Wait()
	k.Logf("shares %v", shares)
	if done < all {
		k.Fatalf("%d appends of %d", done, all)
	}
	if err := Check(h.Ops(), k.all(k.open())); err != nil {
		k.Fatal(err)
	}
	for c, share := range shares {
		if share < all/10 {
			k.Fatalf("client %d has %d of %d appends", c, share, done)
		}
	}
}
