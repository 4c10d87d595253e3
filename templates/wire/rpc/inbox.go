// The inbox: messages waiting to be handled, bounded in number and bytes.

package rpc

import (
	"sync"
)

// inbox queues received messages. One goroutine adds messages, and one at a time, the holder of the turn, removes
// them.
type inbox struct {
	limit      int   // maximum number of messages
	limitBytes int64 // maximum bytes of JSON

	mu        sync.Mutex // guards the following fields
	queue     []received
	head      int // index of the first queued message
	bytes     int64
	working   bool          // a goroutine holds the turn
	closed    bool          // no more messages will be added
	abandoned bool          // the reader is no longer awaited
	room      chan struct{} // wakes the reader when there is room, or nothing left to handle
	drained   chan struct{} // closed when the inbox is closed and all messages were handled
}

// received is a message with its size.
type received struct {
	Message
	size int64
}

func newInbox(messages int, bytes int64) *inbox {
	return &inbox{limit: messages, limitBytes: bytes, room: make(chan struct{}, 1), drained: make(chan struct{})}
}

// put adds a message, waiting for room. It reports whether a worker must be started; ok is false once messages are no
// longer wanted.
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

// take removes the next message. If there is none, the caller gives up the turn.
func (b *inbox) take() (m Message, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.abandoned || b.head == len(b.queue) {
		b.working = false
		if b.closed || b.abandoned { // a reader that nothing wakes does not close it
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
	case b.head < len(b.queue): // taken messages make room
		if 2*b.head >= len(b.queue) {
			kept := copy(b.queue, b.queue[b.head:])
			clear(b.queue[kept:])
			b.queue, b.head = b.queue[:kept], 0
		}
	case cap(b.queue) > 64: // after a burst
		b.queue, b.head = nil, 0
	default:
		b.queue, b.head = b.queue[:0], 0
	}
	b.tell()
	return m, true
}

// settle waits until all messages were handled or their handlers let later ones be handled.
func (b *inbox) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.working && !b.abandoned {
		b.mu.Unlock()
		<-b.room
		b.mu.Lock()
	}
}

// tell wakes a waiting reader.
func (b *inbox) tell() {
	select {
	case b.room <- struct{}{}:
	default:
	}
}

// close marks the end of input.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if !b.working {
		b.drain()
	}
}

// abandon discards the messages and wakes a waiting reader.
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

// drain signals that all messages were handled. The caller must hold the lock.
func (b *inbox) drain() {
	select {
	case <-b.drained:
	default:
		close(b.drained)
	}
}
