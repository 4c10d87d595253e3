// Queue: entries that wait to be looked at, of which there are not too many.

package tap

import (
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
)

// Limits of what waits.
const (
	maxWaiting      = 100_000
	maxWaitingBytes = 32 << 20
)

type queue struct {
	mu     sync.Mutex
	ready  sync.Cond
	list   []record.Entry
	bytes  int
	lost   int  // messages
	gone   bool // some of them, or parts of one
	taken  int
	since  time.Time // when the first was lost
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.ready.L = &q.mu
	return q
}

// put adds an entry, or counts it as lost if too many wait.
func (q *queue) put(e record.Entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	full := len(q.list) >= maxWaiting || q.bytes+len(e.Data) > maxWaitingBytes
	switch {
	case full && !e.End && e.Over == "":
		if !q.gone {
			q.gone, q.since = true, e.Time
		}
		if !e.More {
			q.lost++
		}
		return
	case q.gone:
		q.list = append(q.list, q.gap(e))
	}
	q.list, q.bytes = append(q.list, e), q.bytes+len(e.Data)
	q.ready.Signal()
}

// gap returns the entry for what was lost before another one.
func (q *queue) gap(before record.Entry) record.Entry {
	out := record.Entry{Time: q.since, Conn: before.Conn, From: before.From, Lost: max(q.lost, 1)}
	q.lost, q.gone = 0, false
	return out
}

// take waits for the next entry. It reports false when there will be no more.
func (q *queue) take() (record.Entry, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 && !q.closed {
		q.ready.Wait()
	}
	if len(q.list) == 0 {
		return record.Entry{}, false
	}
	e := q.list[0]
	q.taken++
	q.list[0] = record.Entry{}
	q.list, q.bytes = q.list[1:], q.bytes-len(e.Data)
	if len(q.list) == 0 {
		q.list = nil // the array holds what was taken
	}
	return e, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Signal()
}

// count returns how many entries were taken.
func (q *queue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.taken
}
