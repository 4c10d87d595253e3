// The inbox: messages that wait for their turn, bounded by number and by bytes.

package rpc

import (
	"sync"
)

// inbox holds what was read until it is handled. One goroutine puts messages in; one at a time, who has
// the turn, takes them out.
type inbox struct {
	limit      int   // of messages
	limitBytes int64 // of what these were as JSON

	mu        sync.Mutex // guards what follows
	queue     []received
	head      int // of the queue: what stands before it is taken already
	bytes     int64
	working   bool          // somebody has the turn, and takes the next message
	closed    bool          // nothing more comes in
	abandoned bool          // nobody waits for the reader any more
	room      chan struct{} // wakes the reader when there is room, or nothing left to handle
	drained   chan struct{} // closed when nothing more comes in and each message has had its turn
}

// received is a message and its size.
type received struct {
	Message
	size int64
}

func newInbox(messages int, bytes int64) *inbox {
	return &inbox{limit: messages, limitBytes: bytes, room: make(chan struct{}, 1), drained: make(chan struct{})}
}

// put waits for room and puts a message in. It reports whether somebody has to start working, and ok as
// long as messages are wanted.
func (b *inbox) put(m Message, size int64) (start, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.abandoned && b.head < len(b.queue) && (len(b.queue)-b.head >= b.limit || b.bytes+size > b.limitBytes) {
		b.mu.Unlock()
		<-b.room
		b.mu.Lock()
	}
	if b.abandoned {
		return false, false
	}
	b.queue = append(b.queue, received{m, size})
	b.bytes += size
	start = !b.working
	b.working = true
	return start, true
}

// take takes the next message out. Where there is none, whoever asked has the turn no more.
func (b *inbox) take() (m Message, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.abandoned || b.head == len(b.queue) {
		b.working = false
		if b.closed {
			b.drain()
		}
		b.tell()
		return m, false
	}
	next := &b.queue[b.head]
	m, b.bytes = next.Message, b.bytes-next.size
	*next = received{}
	b.head++
	switch {
	case b.head < len(b.queue) && b.head < 64:
	case b.head < len(b.queue): // what is taken makes room for what comes
		if 2*b.head >= len(b.queue) {
			kept := copy(b.queue, b.queue[b.head:])
			clear(b.queue[kept:])
			b.queue, b.head = b.queue[:kept], 0
		}
	case cap(b.queue) > 64: // a burst is over
		b.queue, b.head = nil, 0
	default:
		b.queue, b.head = b.queue[:0], 0
	}
	b.tell()
	return m, true
}

// settle waits until every message has been handled, or its handler has let others go on.
func (b *inbox) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.working && !b.abandoned {
		b.mu.Unlock()
		<-b.room
		b.mu.Lock()
	}
}

// tell wakes the reader, if it waits.
func (b *inbox) tell() {
	select {
	case b.room <- struct{}{}:
	default:
	}
}

// close says that nothing more comes in.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if !b.working {
		b.drain()
	}
}

// abandon wakes the reader, should it wait for room, and forgets what is in the inbox.
func (b *inbox) abandon() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.abandoned = true
	b.queue, b.head, b.bytes = nil, 0, 0
	b.tell()
	if !b.working {
		b.drain()
	}
}

// drain tells that each message has had its turn. The caller holds the lock.
func (b *inbox) drain() {
	select {
	case <-b.drained:
	default:
		close(b.drained)
	}
}
