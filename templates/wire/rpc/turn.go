// Receiving: one goroutine reads, another handles messages in order.

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Serve handles what the peer sends until the connection ends, and returns when all handlers have. It
// returns nil where one of the two sides ended the connection in good order. When ctx ends, so does the
// connection. Call it once; a nil h handles nothing.
//
// Requests and notifications are handled in the order in which they were sent, one after the other: a
// handler that takes long says so with [Async]. What came before the end of the connection is handled
// before the contexts of handlers end.
func (p *Peer) Serve(ctx context.Context, h Handler) error {
	if h == nil {
		h = noHandler{}
	}
	p.mu.Lock()
	p.serving = true
	p.mu.Unlock()
	defer context.AfterFunc(ctx, func() { _ = p.Close() })()

	handling, cancel := context.WithCancelCause(ctx)
	s := &server{
		peer: p, handler: h, ctx: handling, inbox: newInbox(p.options.Backlog, p.options.BacklogBytes),
		cancels: map[string][]*request{},
	}
	p.happened(EventOpened, nil)
	defer p.watch(h)()
	s.untilEnd(ctx)
	return s.finish(cancel)
}

// finish handles what has come, and ends the connection. It is not part of Serve, whose stack stays small so while it waits.
//
//go:noinline
func (s *server) finish(cancel context.CancelCauseFunc) error {
	p := s.peer
	drain := time.NewTimer(p.options.DrainTimeout)
	select {
	case <-s.inbox.drained:
	case <-drain.C:
	}
	drain.Stop()
	p.end()
	cancel(ErrClosed)
	s.handlers.Wait()
	_ = p.Close() // the other side may still read the answers it asked for
	p.mu.Lock()
	cause := p.cause
	p.mu.Unlock()
	p.happened(EventEnded, cause)
	return cause
}

// server is the state of one call of Serve.
type server struct {
	peer     *Peer
	handler  Handler
	ctx      context.Context // context of handlers
	inbox    *inbox
	handlers sync.WaitGroup

	held atomic.Int64 // bytes of answers waiting for others of their batch

	mu      sync.Mutex
	cancels map[string][]*request // cancellable requests of the peer by id
}

// linger is how long to wait for the reader when the transport is closed, since standard input cannot be interrupted.
const linger = time.Second

// untilEnd reads until the connection ends.
func (s *server) untilEnd(ctx context.Context) {
	var err error
	if _, ok := Find[Immediate](s.peer.transport); ok {
		err = s.readToEnd()
	} else {
		err = s.readMeanwhile()
	}
	s.peer.mu.Lock()
	defer s.peer.mu.Unlock()
	if s.peer.parting != nil {
		s.peer.settled, s.peer.cause = true, s.peer.parting
	}
	if err == io.EOF && s.peer.parting == nil { //nolint:errorlint // unwrapped only
		s.peer.settled, s.peer.cause = true, s.peer.strange // a message that could not be sent was no longer wanted
	}
	if ctx.Err() != nil || errors.Is(err, ErrClosed) { // it is this side that ends it
		err = nil
	}
	s.peer.settle(err)
}

// readToEnd reads until the transport ends.
func (s *server) readToEnd() error {
	p := s.peer
	var late *time.Timer
	p.mu.Lock()
	p.sundered = func() { late = time.AfterFunc(linger, s.inbox.abandon) } // messages may wait for room
	p.mu.Unlock()
	err := s.read()
	p.mu.Lock()
	p.sundered = nil
	if late != nil {
		late.Stop()
	}
	p.mu.Unlock()
	close(p.unread)
	s.inbox.close()
	return err
}

// readMeanwhile reads until the transport ends, or does not although it is closed.
func (s *server) readMeanwhile() error {
	var cause error // once read is closed
	read := make(chan struct{})
	go func() {
		cause = s.read()
		close(read)
		close(s.peer.unread)
		s.inbox.close()
	}()
	select {
	case <-read:
		return cause
	case <-s.peer.severed:
	}
	late := time.NewTimer(linger)
	defer late.Stop()
	select {
	case <-read:
	case <-late.C:
		s.inbox.abandon()
	}
	return nil
}

// read puts messages into the inbox.
func (s *server) read() error {
	for {
		s.peer.reading.Store(true)
		data, err := s.peer.transport.Read(s.peer.readLimit())
		s.peer.reading.Store(false)
		if err != nil {
			return err
		}
		if !s.got(data) {
			return io.ErrClosedPipe
		}
	}
}

// got puts a message into the inbox and reports whether more are wanted. It is not part of read, whose stack stays small so while
// it waits.
//
//go:noinline
func (s *server) got(data []byte) bool {
	s.peer.heard()
	m, err := s.handler.DecodeRPC(data)
	s.peer.spoke(data, err)
	if err != nil {
		m = m.malformed(err) // which is handled in order as well
		m.seen = begins(data)
	}
	if s.peer.observing != nil && m.Kind != Batch {
		s.observe(&m, len(bytes.TrimRight(data, "\r\n")))
	}
	var ok bool
	if m.Kind == Batch {
		ok = s.receiveBatch(&m)
	} else {
		ok = s.receive(m, int64(len(data)))
	}
	if ok && s.peer.greets() { // the message may end the handshake, and with it the limit for the next one
		s.inbox.settle()
	}
	return ok
}

// receive puts a message into the inbox and reports whether more are wanted.
func (s *server) receive(m Message, size int64) bool {
	if m.Cancels != nil { // the cancelled request may be ahead of it
		s.cancel(string(m.Cancels))
		return true
	}
	if s.peer.part(&m) {
		return true
	}
	s.expect(&m)
	s.end(&m)
	start, ok := s.inbox.put(m, size)
	if start {
		s.goOn()
	}
	return ok
}

// refuse answers a malformed message, or fails the call it answers.
func (s *server) refuse(m *Message) (next bool) {
	s.forget(m.pending)
	s.peer.options.OnBad(&BadMessage{m.DecodeError, m.seen})
	if m.failed != nil {
		_ = s.peer.resolve(Message{ID: m.failed, DecodeError: m.DecodeError}) // whether or not it was awaited
	}
	answer, ok := m.refusal()
	return !ok || s.decline(m, answer)
}

// decline answers a message without calling a handler. It reports whether the caller still has the turn.
func (s *server) decline(m *Message, answer Message) (next bool) {
	id := m.ID
	if id == nil {
		id = m.first // so that a transport knows what is answered
	}
	t := &turn{server: s, Context: s.ctx, batch: m.batch, id: slices.Clone(id), known: m.known, since: m.since}
	t.answered.Store(true)
	answer.Method = m.Method
	t.reply(answer)
	return !t.over.Swap(true)
}

// encoded encodes an answer. Its data is nil if not even an error can be encoded.
func (p *Peer) encoded(m Message) outgoing {
	out, err := p.encode(&m)
	if err == nil {
		return out
	}
	m = Message{Kind: Failure, ID: m.ID, Method: m.Method, Error: internal(err)}
	if out, err = p.encode(&m); err != nil {
		return outgoing{}
	}
	return out
}

// goOn handles messages on another goroutine until there are none.
func (s *server) goOn() {
	s.handlers.Add(1)
	start(s)
}

// work handles messages until there are none, or another goroutine has the turn.
func (s *server) work() {
	defer s.handlers.Done()
	for {
		m, ok := s.inbox.take()
		if !ok || !s.handle(m) {
			return
		}
	}
}

// handle handles a message and reports whether the caller still has the turn.
func (s *server) handle(m Message) bool {
	if (m.Kind == Request || m.Kind == Notification) && !s.peer.inbound(&m) {
		return true
	}
	if m.Kind == "" {
		return s.refuse(&m)
	}
	if m.Kind == Result || m.Kind == Failure {
		if err := s.peer.resolve(m); err != nil {
			s.peer.options.OnBad(err)
		}
		return true
	}
	if m.Kind == Notification && s.peer.told(&m) {
		return true
	}
	if m.Kind == Request {
		if reason := s.peer.begin(); reason != "" {
			s.forget(m.pending)
			s.peer.turnedDown(m.Method, m.known, m.ID, errors.New(reason))
			return s.decline(&m, Answer(m.ID, nil, &Error{Code: int64(InternalError), Message: reason}))
		}
	}
	t := &turn{server: s, Context: s.ctx, request: m.Kind == Request, id: slices.Clone(m.ID), method: m.Method, batch: m.batch, cancelled: m.cancelled, silent: m.silent, pending: m.pending, known: m.known, since: m.since}
	s.enter(t)
	t.traceHandled(&m)
	returned := false
	defer func() {
		if !returned {
			if value := recover(); value != nil {
				s.peer.options.OnBad(fmt.Errorf("the handler of %s panicked: %v", wire.Readable(m.Method), value))
			} else { // the handler ended its goroutine
				s.peer.options.OnBad(fmt.Errorf("the handler of %s ended its goroutine", wire.Readable(m.Method)))
			}
			if t.later.Load() {
				s.peer.returned()
			}
			t.finish(nil, &Error{Code: int64(InternalError), Message: "the handler failed"})
			t.pass()
		}
	}()
	result, err := s.handler.ServeRPC(t, &m)
	returned = true
	if !t.later.Load() {
		t.finish(result, err)
	} else {
		s.peer.returned()
	}
	return !t.over.Swap(true)
}

// turn is the context of a handler. Later messages wait until it is over.
type turn struct {
	context.Context
	server  *server
	request bool
	known   bool            // the method is in the protocol
	id      json.RawMessage // of the request; a copy, since it is queued with messages that belong to the request
	method  string
	batch   *batch   // the batch it is part of, or nil
	pending *request // nil if the request cannot be cancelled

	cancelled int64 // code of the answer if cancelled, or 0
	silent    bool  // not answered if cancelled
	since     int64 // when the request was received, if that is observed

	ended func(error) // called with the error that is answered, or nil

	over     atomic.Bool // later messages may be handled
	later    atomic.Bool // the answer is sent separately
	answered atomic.Bool
	waits    atomic.Bool // a notification's handler running concurrently
	gaveUp   atomic.Bool // the handler returned the error of its context, which the peer had ended

	mu    sync.Mutex // guards the following fields
	after []func(context.Context)
}

type turnKey struct{}

// Value implements [context.Context].
func (t *turn) Value(key any) any {
	switch key {
	case turnKey{}:
		return t
	case callerKey{}:
		return t.server.peer
	}
	return t.Context.Value(key)
}

// turnOf returns the turn of a handler's context, or nil.
func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// pass lets later messages be handled.
func (t *turn) pass() {
	if t.over.Swap(true) {
		return
	}
	if !t.request && !t.answered.Load() {
		t.waits.Store(true)
		t.server.peer.beside(1)
	}
	t.server.goOn()
}

// finish answers the request, once. Notifications are not answered.
func (t *turn) finish(result json.RawMessage, err error) {
	if t.answered.Swap(true) {
		return
	}
	if !t.request {
		t.outcome(err)
		if t.waits.Load() {
			t.server.peer.beside(-1)
		}
		return
	}
	silent := t.unanswered() // before the request is forgotten, which cancels its context
	if err != nil {
		err = failure(t, err)
		if other := t.instead(); other != nil {
			result, err = other, nil
		}
	}
	t.outcome(err)
	t.server.forget(t.pending)
	if !t.later.Load() {
		defer t.server.peer.returned()
	}
	if silent {
		t.settle(t)
		return
	}
	answer := Answer(t.id, result, err)
	answer.Method = t.method
	t.reply(answer)
}

// reply sends an answer, or adds it to its batch. If that fails, the requester is gone.
func (t *turn) reply(answer Message) {
	if t.batch != nil {
		t.batch.add(t, answer)
		return
	}
	if errors.Is(t.answer(&answer), errTooMuch) {
		t.late(&answer)
	}
	t.settle(t)
}

// encoded encodes an answer of the turn.
func (t *turn) encoded(answer *Message) outgoing {
	out := t.server.peer.encoded(*answer)
	out.request, out.note = t.id, t.noteOf(answer)
	return out
}

// answer encodes and sends an answer.
func (t *turn) answer(answer *Message) error {
	if p := t.server.peer; p.translator.Load() != nil {
		return p.inOrder(context.Background(), answer, func() (outgoing, error) { return t.encoded(answer), nil }, !t.later.Load(), t.over.Load())
	}
	out := t.encoded(answer)
	if out.data == nil {
		return nil
	}
	return t.send(out)
}

// send sends an answer. It waits for room: a peer that does not read its answers is not read either while the handler
// has its turn, and concurrent waiters are bounded. Deferred answers do not wait, since their sender may serve
// others.
func (t *turn) send(m outgoing) error {
	p := t.server.peer
	if t.later.Load() {
		return p.send(m)
	}
	return p.sendPatiently(context.Background(), m, t.over.Load())
}

// late replaces an answer for which there is no room.
func (t *turn) late(answer *Message) {
	p, instead := t.server.peer, Message{Kind: Failure, ID: answer.ID, Method: answer.Method, Error: internal(errTooMuch)}
	p.turnedDown(answer.Method, t.known, t.id, errTooMuch)
	_ = p.inOrder(context.Background(), &instead, func() (outgoing, error) { return t.encoded(&instead), nil }, true, false)
}

// settle calls what waits for the answer, in the turn of the message answered last. Who sends a deferred answer does not wait for
// that, since it may serve others.
func (t *turn) settle(last *turn) {
	t.mu.Lock()
	waits := len(t.after) > 0
	t.mu.Unlock()
	if waits && t.later.Load() {
		go t.settled(last)
		return
	}
	t.settled(last)
}

func (t *turn) settled(last *turn) {
	t.afterReply(last)
	if t.request {
		t.server.peer.finish()
	}
}

// Async lets later messages be handled concurrently with the handler whose context this is. Handlers that take long
// should call it. It does nothing for other contexts, or after the handler has returned.
func Async(ctx context.Context) {
	if t := turnOf(ctx); t != nil {
		t.pass()
	}
}

// noHandler rejects every message.
type noHandler struct{}

func (noHandler) DecodeRPC(data []byte) (Message, error) { return Decode(data, nil) }

func (noHandler) ServeRPC(_ context.Context, m *Message) (json.RawMessage, error) {
	return nil, m.NotFound()
}
