// Sending: one queue for all messages to a peer, which preserves order and does not block on slow peers.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// outbox queues encoded messages until they are written. It is guarded by the peer's lock.
type outbox struct {
	queue   []outgoing
	bytes   int64         // of the queue and the message being written
	writing chan struct{} // closed when all is written; nil while idle
	room    chan struct{} // closed when something is written; nil if there are no waiters
	held    int64         // bytes of answers waiting for room concurrently with other handlers
}

// outgoing is an encoded message, and the id of the peer's request that it answers or belongs to, or nil.
type outgoing struct {
	data     []byte
	request  json.RawMessage
	call     context.Context // of a request, or nil
	numbered *numbering      // nil if it has no number
	note     *note           // for the observer, or nil
}

// numbering is the number of a message.
type numbering struct {
	at   int          // where it belongs
	sent func(uint64) // called with it, with the lock held, or nil
}

// encode encodes a message as the envelope says. There is no data if the translator leaves the message out.
func (p *Peer) encode(m *Message) (outgoing, error) {
	if keep, err := p.outbound(m); !keep || err != nil {
		return outgoing{}, err
	}
	return p.appended(m)
}

// appended is encode without translating.
func (p *Peer) appended(m *Message) (outgoing, error) {
	if p.options.Envelope == nil {
		data, err := m.AppendJSON(nil)
		return outgoing{data: data}, err
	}
	data, number, err := m.appendIn(nil, p.options.Envelope, 0)
	out := outgoing{data: data}
	if number != 0 {
		out.numbered = &numbering{at: number, sent: m.sent}
	}
	return out, err
}

// number puts the next number into a message that wants one. The caller must hold the lock.
func (p *Peer) number(m outgoing) outgoing {
	if m.numbered == nil {
		return m
	}
	p.lastID++
	if m.numbered.sent != nil {
		m.numbered.sent(p.lastID)
	}
	if m.note != nil && m.note.kind == Request {
		m.note.id = strconv.AppendUint(nil, p.lastID, 10)
	}
	data := make([]byte, 0, len(m.data)+8)
	data = strconv.AppendUint(append(data, m.data[:m.numbered.at]...), p.lastID, 10)
	m.data = append(data, m.data[m.numbered.at:]...)
	return m
}

// fits reports whether more bytes may be queued. A single message always may.
func (o *outbox) fits(size, limit int64) bool { return o.bytes == 0 || o.bytes+size <= limit }

// Notify queues a notification after everything sent before. [Peer.Flush] waits until it is written.
func (p *Peer) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return p.tell(ctx, &Message{Kind: Notification, Method: method, Params: params})
}

// NotifyValue is Notify for a value that is encoded in place.
func (p *Peer) NotifyValue(ctx context.Context, method string, params wire.Appender) error {
	return p.tell(ctx, &Message{Kind: Notification, Method: method, Body: params})
}

// tell sends a notification.
func (p *Peer) tell(ctx context.Context, m *Message) error {
	ctx, ended := p.traceSent(ctx, m)
	err := p.post(ctx, m)
	if ended != nil {
		p.observing.outcome(ended, err)
	}
	return err
}

// Flush waits until everything sent is written. Programs that send much without waiting for answers should call it
// now and then; see [Options.MaxUnsent].
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

// post encodes and queues a message.
func (p *Peer) post(ctx context.Context, m *Message) error {
	if err := ContextError(ctx); err != nil {
		return err
	}
	patient := m.Kind == Request // whose answer is awaited
	if p.translator.Load() != nil {
		return p.inOrder(ctx, m, func() (outgoing, error) { return p.encodePosted(ctx, m) }, patient, false)
	}
	out, err := p.encodePosted(ctx, m)
	if err != nil || out.data == nil {
		return err
	}
	if patient {
		return p.sendPatiently(ctx, out, false)
	}
	return p.send(out)
}

func (p *Peer) encodePosted(ctx context.Context, m *Message) (outgoing, error) {
	out, err := p.encode(m)
	if err == nil && out.data != nil {
		out.request, out.note = p.requestOf(ctx), p.noteOf(m)
	}
	if m.Kind == Request {
		out.call = ctx
	}
	return out, err
}

// Send sends an encoded message. The bytes must not be modified afterwards, since peers may share them.
func (p *Peer) Send(data []byte) error { return p.send(outgoing{data: data}) }

// send queues a message.
func (p *Peer) send(m outgoing) error {
	err := p.putIfRoom(m)
	if err == errNoRoom { //nolint:errorlint // of this package, unwrapped
		return p.overrun()
	}
	return err
}

// putIfRoom queues a message, or returns errNoRoom.
func (p *Peer) putIfRoom(m outgoing) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasRoom(int64(len(m.data))) {
		return errNoRoom
	}
	return p.put(m)
}

// overrun ends the connection to a peer that is too far behind.
func (p *Peer) overrun() error {
	p.mu.Lock()
	waiting := p.outbox.bytes
	p.mu.Unlock()
	p.cut(fmt.Errorf("the peer is too far behind: %d bytes are queued", waiting), "too far behind")
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed()
}

// hasRoom reports whether nothing has to be waited for to queue a message. The caller must hold the lock.
func (p *Peer) hasRoom(size int64) bool { return p.closing || p.outbox.fits(size, p.options.MaxUnsent) }

// sendPatiently is Send that waits for room. The total of concurrent waiters is bounded.
func (p *Peer) sendPatiently(ctx context.Context, m outgoing, bounded bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.waitPatiently(ctx, int64(len(m.data)), bounded); err != nil {
		return err
	}
	return p.put(m)
}

// waitPatiently waits for room for a message. The caller must hold the lock.
func (p *Peer) waitPatiently(ctx context.Context, size int64, bounded bool) error {
	o := &p.outbox
	if bounded && !p.hasRoom(size) {
		if o.held > 0 && o.held+size > p.options.MaxUnsent {
			return errTooMuch
		}
		o.held += size
		defer func() { o.held -= size }()
	}
	return p.waitForRoom(ctx, func() bool { return o.fits(size, p.options.MaxUnsent) })
}

// WaitForRoom waits until at most an eighth of [Options.MaxUnsent] is unsent. Call it before each of several large
// messages that are not answered. It returns an error only if the context ends first.
func (p *Peer) WaitForRoom(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waitForRoom(ctx, func() bool { return p.outbox.bytes <= p.options.MaxUnsent/8 })
}

// waitForRoom waits for room or the end of the connection. The caller must hold the lock.
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

var (
	errTooMuch = errors.New("too much is queued")
	errNoRoom  = errors.New("there is no room")
)

// put queues a message. The caller must hold the lock.
func (p *Peer) put(m outgoing) error {
	if p.closing {
		return p.closed()
	}
	o := &p.outbox
	m = p.number(m)
	o.queue = append(o.queue, m)
	o.bytes += int64(len(m.data))
	if o.writing == nil {
		o.writing = make(chan struct{})
		go p.write()
	}
	return nil
}

// written subtracts written bytes. The caller must hold the lock.
func (o *outbox) written(size int64) {
	o.bytes = max(o.bytes-size, 0)
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// write writes the queue until it is empty. If the transport blocks beyond the timeout, the connection ends.
func (p *Peer) write() {
	late := fmt.Errorf("the peer is not reading: a message was not sent within %v", p.options.WriteTimeout)
	limit, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	watchdog := time.AfterFunc(p.options.WriteTimeout, func() {
		p.cut(late, "too far behind") // first, because the transport fails without the limit and the reader would report that instead
		cancel(late)
	})
	defer watchdog.Stop()
	to := &routed{Context: limit}
	var batch []outgoing
	for {
		p.mu.Lock()
		batch, p.outbox.queue = p.outbox.queue, batch[:0]
		if len(batch) == 0 {
			close(p.outbox.writing)
			p.outbox.writing = nil
			if cap(batch) > 64 { // after a burst
				p.outbox.queue = nil
			}
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		for i, m := range batch {
			batch[i] = outgoing{}
			watchdog.Reset(p.options.WriteTimeout)
			to.request, to.call = m.request, m.call
			err := p.transport.Write(to, wire.Repaired(m.data))
			p.mu.Lock()
			p.outbox.written(int64(len(m.data)))
			queued, bytes := len(batch)-i-1+len(p.outbox.queue), p.outbox.bytes
			p.mu.Unlock()
			if err == nil && p.observing != nil {
				p.observing.sent(m.note, len(m.data), queued, bytes)
			}
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

// drop discards the queue.
func (o *outbox) drop(p *Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(o.queue)
	o.queue = o.queue[:0]
	o.written(o.bytes)
}

// unwritable ends the connection after a failed write. Messages that have already arrived are still read, for at most
// [Options.DrainTimeout].
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

// readOn waits while messages arrive.
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
