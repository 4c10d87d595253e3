// Package tap stands between two programs: it passes on every byte as it is, and hands copies of the messages to whoever looks at
// them. Looking never delays the conversation: where it is too slow, messages are dropped from what is looked at, and counted.
package tap

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
)

// Tap distributes the messages of a conversation.
type Tap struct {
	framing record.Framing
	queues  []*queue
	done    sync.WaitGroup

	mu sync.Mutex // all queues have the same order
}

// New returns a tap. Each function is called with all entries in their order, in a goroutine of its own.
func New(f record.Framing, watch ...func(*record.Entry)) *Tap {
	t := &Tap{framing: f}
	for _, f := range watch {
		q := newQueue()
		t.queues = append(t.queues, q)
		t.done.Add(1)
		go func() {
			defer t.done.Done()
			for {
				e, ok := q.take()
				if !ok {
					return
				}
				f(&e)
			}
		}()
	}
	return t
}

// patience is how long a function may take for one entry after the conversation has ended.
const patience = 5 * time.Second

// Close waits until everything was looked at. It reports false if a function is stuck, such as one that writes to a terminal
// that has stopped reading.
func (t *Tap) Close() bool {
	for _, q := range t.queues {
		q.close()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.done.Wait()
	}()
	for before := -1; ; {
		select {
		case <-done:
			return true
		case <-time.After(patience):
		}
		taken := 0
		for _, q := range t.queues {
			taken += q.count()
		}
		if taken == before {
			return false
		}
		before = taken
	}
}

func (t *Tap) put(e record.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.queues {
		q.put(e)
	}
}

// chunk is how much is read at a time.
const chunk = 64 << 10

// Pass copies what a side sends until one of the two ends, and notes it. A write that blocks stops the reading, as it would
// without a tap. Copies are noted before the bytes are passed on, so that no answer is noted before its request.
func (t *Tap) Pass(conn int, from protocol.Side, to io.Writer, in io.Reader) error {
	s := t.newSplitter()
	put := func(e record.Entry) {
		e.Time, e.Conn, e.From = time.Now(), conn, from
		t.put(e)
	}
	buf := make([]byte, chunk)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			s.Split(buf[:n], put)
			if _, failed := to.Write(buf[:n]); failed != nil {
				err = failed
			}
		}
		if err == nil {
			continue
		}
		s.Finish(put)
		put(record.Entry{End: true})
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}
