// Sending: one queue for all messages to a peer, so that they keep their order, and nobody waits for a
// peer that does not read.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// outbox holds encoded messages until they are written. The lock of the peer guards it.
type outbox struct {
	queue   [][]byte
	bytes   int64         // in the queue, and of the message that is being written
	writing chan struct{} // closed when all is written; nil where nobody writes
	room    chan struct{} // closed when something is written; nil where nobody waits for that
	held    int64         // bytes of answers that wait for room beside the handling of other messages
}

// fits reports whether so many bytes may wait to be sent beside those that do. One message may, whatever its size.
func (o *outbox) fits(size, limit int64) bool { return o.bytes == 0 || o.bytes+size <= limit }

// Notify sends a notification: it is on its way when Notify returns, behind all that was sent before it.
// [Peer.Flush] waits until it is written.
func (p *Peer) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return p.post(ctx, &Message{Kind: Notification, Method: method, Params: params})
}

// Flush waits until everything that was sent is written. A program that sends a lot without waiting for
// answers uses it now and then: see [Options.MaxUnsent].
func (p *Peer) Flush(ctx context.Context) error {
	if err := p.outbox.flush(ctx, p); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing && p.cause != nil {
		return p.closed()
	}
	return nil
}

// post encodes a message and puts it into the queue.
func (p *Peer) post(ctx context.Context, m *Message) error {
	if err := ContextError(ctx); err != nil {
		return err
	}
	data, err := m.AppendJSON(nil)
	if err != nil {
		return err
	}
	if m.Kind == Request { // whose answer is waited for
		return p.sendPatiently(ctx, data, false)
	}
	return p.Send(data)
}

// Send sends a message that is encoded already. Many peers may share the bytes, so nobody may change them.
func (p *Peer) Send(data []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o := &p.outbox; !p.closing && !o.fits(int64(len(data)), p.options.MaxUnsent) {
		waiting := o.bytes
		p.mu.Unlock()
		p.cut(fmt.Errorf("the peer is too far behind: %d bytes wait to be sent", waiting), "too far behind")
		p.mu.Lock()
	}
	return p.put(data)
}

// sendPatiently is Send for those who wait for the peer anyway: until there is room, which a peer that reads makes. What
// many may wait with beside each other is bounded.
func (p *Peer) sendPatiently(ctx context.Context, data []byte, bounded bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, size := &p.outbox, int64(len(data))
	if bounded && !p.closing && !o.fits(size, p.options.MaxUnsent) {
		if o.held > 0 && o.held+size > p.options.MaxUnsent {
			return errTooMuch
		}
		o.held += size
		defer func() { o.held -= size }()
	}
	if err := p.waitForRoom(ctx, func() bool { return o.fits(size, p.options.MaxUnsent) }); err != nil {
		return err
	}
	return p.put(data)
}

// WaitForRoom waits until the peer has read most of what was sent to it: an eighth of [Options.MaxUnsent] may still wait to
// be sent. Whoever sends large messages one after the other, without an answer to each, uses it before the next one. It
// returns an error only if the context ends first.
func (p *Peer) WaitForRoom(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waitForRoom(ctx, func() bool { return p.outbox.bytes <= p.options.MaxUnsent/8 })
}

// waitForRoom waits until there is enough of it, or the connection ends. The caller holds the lock.
func (p *Peer) waitForRoom(ctx context.Context, enough func() bool) error {
	o := &p.outbox
	for !p.closing && !enough() {
		if ctx.Err() != nil {
			return ContextError(ctx)
		}
		if o.room == nil {
			o.room = make(chan struct{})
		}
		room := o.room
		p.mu.Unlock()
		select {
		case <-room:
		case <-p.severed:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	return nil
}

var errTooMuch = errors.New("too much waits to be sent")

// put puts a message into the queue. The caller holds the lock.
func (p *Peer) put(data []byte) error {
	if p.closing {
		return p.closed()
	}
	o := &p.outbox
	o.queue = append(o.queue, data)
	o.bytes += int64(len(data))
	if o.writing == nil {
		o.writing = make(chan struct{})
		go p.write()
	}
	return nil
}

// written notes that so many bytes do not wait any more. The caller holds the lock.
func (o *outbox) written(size int64) {
	o.bytes = max(o.bytes-size, 0)
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// write writes what is in the queue until it is empty. Should the transport hold on to a message for longer
// than that may take, the connection ends without it.
func (p *Peer) write() {
	late := fmt.Errorf("the peer reads nothing: a message was not sent within %v", p.options.WriteTimeout)
	limit, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	watchdog := time.AfterFunc(p.options.WriteTimeout, func() {
		p.cut(late, "too far behind") // first: without the limit the transport fails, and whoever reads would say why
		cancel(late)
	})
	defer watchdog.Stop()
	var batch [][]byte
	for {
		p.mu.Lock()
		batch, p.outbox.queue = p.outbox.queue, batch[:0]
		if len(batch) == 0 {
			close(p.outbox.writing)
			p.outbox.writing = nil
			if cap(batch) > 64 { // a burst is over
				p.outbox.queue = nil
			}
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		for i, data := range batch {
			batch[i] = nil
			watchdog.Reset(p.options.WriteTimeout)
			err := p.transport.Write(limit, wire.Repaired(data))
			p.mu.Lock()
			p.outbox.written(int64(len(data)))
			p.mu.Unlock()
			if err != nil {
				if limit.Err() != nil {
					p.cut(late, "cannot write")
				}
				p.unwritable(err)
				clear(batch)
				break
			}
		}
	}
}

// flush waits until the queue is empty.
func (o *outbox) flush(ctx context.Context, p *Peer) error {
	for {
		p.mu.Lock()
		writing := o.writing
		p.mu.Unlock()
		if writing == nil {
			return nil
		}
		select {
		case <-writing:
		case <-p.severed:
			return nil
		case <-ctx.Done():
			return ContextError(ctx)
		}
	}
}

// drop forgets what is in the queue.
func (o *outbox) drop(p *Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(o.queue)
	o.queue = o.queue[:0]
	o.written(o.bytes)
}

// unwritable ends the connection after a failed attempt to write. What the peer has sent before is read nevertheless: until
// there is nothing more of it, or [Options.DrainTimeout] is over.
func (p *Peer) unwritable(err error) {
	first := p.stop(err)
	p.outbox.drop(p)
	if !first {
		return
	}
	go func() {
		p.readOn()
		_ = p.sever("cannot write")
	}()
}

// readOn waits while messages come in. One that has arrived is there in a moment.
func (p *Peer) readOn() {
	p.mu.Lock()
	serving := p.serving
	p.mu.Unlock()
	if !serving {
		return
	}
	end := time.Now().Add(p.options.DrainTimeout)
	moment := time.NewTicker(linger)
	defer moment.Stop()
	for before := p.lastHeard.Load(); time.Now().Before(end); before = p.lastHeard.Load() {
		select {
		case <-p.unread:
			return
		case <-moment.C:
		}
		if p.reading.Load() && p.lastHeard.Load() == before {
			return
		}
	}
}
