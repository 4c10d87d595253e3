// Sending: one queue for all messages to a peer, so that they keep their order, and nobody waits for a
// peer that does not read.

package rpc

import (
	"context"
	"encoding/json"
	"fmt"
)

// outbox holds encoded messages until they are written. The lock of the peer guards it.
type outbox struct {
	queue   [][]byte
	bytes   int64         // in the queue, and of the message that is being written
	writing chan struct{} // closed when all is written; nil where nobody writes
}

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
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := m.AppendJSON(nil)
	if err != nil {
		return err
	}
	p.mu.Lock()
	if p.closing {
		defer p.mu.Unlock()
		return p.closed()
	}
	o := &p.outbox
	size := int64(len(data))
	if o.bytes > 0 && o.bytes+size > p.options.MaxUnsent {
		waiting := o.bytes
		p.mu.Unlock()
		p.cut(fmt.Errorf("the peer is too far behind: %d bytes wait to be sent", waiting), "too far behind")
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.closed()
	}
	o.queue = append(o.queue, data)
	o.bytes += size
	if o.writing == nil {
		o.writing = make(chan struct{})
		go p.write()
	}
	p.mu.Unlock()
	return nil
}

// write writes what is in the queue until it is empty.
func (p *Peer) write() {
	var batch [][]byte
	for {
		p.mu.Lock()
		batch, p.outbox.queue = p.outbox.queue, batch[:0]
		if len(batch) == 0 {
			close(p.outbox.writing)
			p.outbox.writing = nil
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		for i, data := range batch {
			batch[i] = nil
			err := p.writeOne(data)
			p.mu.Lock()
			p.outbox.bytes = max(p.outbox.bytes-int64(len(data)), 0)
			p.mu.Unlock()
			if err != nil {
				p.cut(err, "cannot write")
				p.outbox.drop(p)
				clear(batch)
				break
			}
		}
	}
}

// writeOne writes one message, for as long as that may take: should the transport hold on for longer, the
// connection ends without it.
func (p *Peer) writeOne(data []byte) error {
	late := fmt.Errorf("the peer reads nothing: a message was not sent within %v", p.options.WriteTimeout)
	limit, cancel := context.WithTimeoutCause(context.Background(), p.options.WriteTimeout, late)
	defer cancel()
	defer context.AfterFunc(limit, func() { p.cut(late, "too far behind") })()
	err := p.transport.Write(limit, data)
	if err != nil && limit.Err() != nil {
		return late
	}
	return err
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
			return ctx.Err()
		}
	}
}

// drop forgets what is in the queue.
func (o *outbox) drop(p *Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(o.queue)
	o.queue, o.bytes = o.queue[:0], 0
}
