// Package turns yields the notifications that belong to a request while it is in progress, for protocols whose conversations have
// an id: each conversation has a [Queue], which a handler of notifications fills and a [Turn] empties.
package turns

import (
	"context"
	"fmt"
	"iter"
	"sync"
)

// What is kept at most.
const (
	maxWaiting   = 10_000 // updates of a conversation
	maxUnclaimed = 64     // conversations with updates that were not opened here
)

// Queues has the updates of conversations, by id. The zero value is empty. It is safe for concurrent use.
type Queues[U any] struct {
	mu        sync.Mutex // guards the following fields
	queues    map[string]*Queue[U]
	unclaimed []string // ids, in their order
}

// Of returns the queue of a conversation. It stays until [Queues.Forget].
func (q *Queues[U]) Of(id string) *Queue[U] {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.unclaimed {
		if other == id {
			q.unclaimed = append(q.unclaimed[:i], q.unclaimed[i+1:]...)
			break
		}
	}
	return q.of(id)
}

func (q *Queues[U]) of(id string) *Queue[U] {
	if q.queues == nil {
		q.queues = map[string]*Queue[U]{}
	}
	if q.queues[id] == nil {
		q.queues[id] = &Queue[U]{changed: make(chan struct{})}
	}
	return q.queues[id]
}

// Put adds an update. The first updates of a conversation may come before anybody has asked for it; of such conversations the
// latest 64 are kept.
func (q *Queues[U]) Put(ctx context.Context, id string, update U) {
	q.mu.Lock()
	if q.queues[id] == nil {
		if len(q.unclaimed) >= maxUnclaimed {
			delete(q.queues, q.unclaimed[0])
			q.unclaimed = q.unclaimed[1:]
		}
		q.unclaimed = append(q.unclaimed, id)
	}
	to := q.of(id)
	q.mu.Unlock()
	to.put(ctx, update)
}

// Forget drops the queue of a conversation.
func (q *Queues[U]) Forget(id string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.queues, id)
}

// Queue has the updates of a conversation that were not taken. While a turn is ranged over, put waits if 10,000 are there, which
// holds back all that the other side sends. Otherwise the oldest are dropped, and the next turn yields an error that says so.
type Queue[U any] struct {
	mu      sync.Mutex // guards the following fields
	waiting []U
	dropped int
	ranging int
	changed chan struct{} // closed when something changes
}

// change wakes all who wait. The caller must hold the lock.
func (q *Queue[U]) change() {
	close(q.changed)
	q.changed = make(chan struct{})
}

func (q *Queue[U]) put(ctx context.Context, update U) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) >= maxWaiting {
		if q.ranging == 0 || ctx.Err() != nil {
			q.waiting = q.waiting[1:]
			q.dropped++
			continue
		}
		changed := q.changed
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		q.mu.Lock()
	}
	q.waiting = append(q.waiting, update)
	q.change()
}

// Take returns the updates that are there, and removes them: those that came when there was no turn, for example.
func (q *Queue[U]) Take() []U {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.waiting
	q.waiting = nil
	q.change()
	return out
}

// first removes the first update. If there is none, changed is closed when something changes.
func (q *Queue[U]) first() (update U, ok bool, changed <-chan struct{}, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.dropped > 0 {
		err = fmt.Errorf("%d updates were dropped, since nobody took them", q.dropped)
		q.dropped = 0
		return update, false, nil, err
	}
	if len(q.waiting) == 0 {
		return update, false, q.changed, nil
	}
	update = q.waiting[0]
	q.waiting = q.waiting[1:]
	q.change()
	return update, true, nil, nil
}

// Follow yields updates in their order until the context ends.
func (q *Queue[U]) Follow(ctx context.Context) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) { q.each(ctx.Done(), yield) }
}

// each yields updates until done is closed and none are left, and reports whether the loop went on until then.
func (q *Queue[U]) each(done <-chan struct{}, yield func(U, error) bool) bool {
	q.ranges(1)
	defer q.ranges(-1)
	for ended := false; ; {
		update, ok, changed, err := q.first()
		switch {
		case ok || err != nil:
			if !yield(update, err) {
				return false
			}
		case ended:
			return true
		default:
			select {
			case <-changed:
			case <-done:
				ended = true // but updates may have come before
			}
		}
	}
}

func (q *Queue[U]) ranges(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ranging += n
	q.change()
}

// Turn is a request in progress.
type Turn[U, R any] struct {
	queue *Queue[U]
	done  chan struct{}

	result R // after done
	err    error
}

// Start begins a turn with a call, on a goroutine of its own.
func Start[U, R any](ctx context.Context, q *Queue[U], call func(context.Context) (R, error)) *Turn[U, R] {
	t := &Turn[U, R]{queue: q, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		t.result, t.err = call(ctx)
	}()
	return t
}

// Updates yields the updates of the conversation in their order, first those that were there before the turn, and ends when the
// request is answered. If that failed, its error comes last. A loop that is left goes on where it was if it is begun again.
func (t *Turn[U, R]) Updates() iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		if t.queue.each(t.done, yield) && t.err != nil {
			var none U
			yield(none, t.err)
		}
	}
}

// Result waits for the answer and returns it. Updates that were not yielded stay for [Queue.Take] and later turns.
func (t *Turn[U, R]) Result() (R, error) {
	<-t.done
	return t.result, t.err
}
