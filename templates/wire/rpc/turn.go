// Receiving: one goroutine reads, another handles what was read, one message after the other.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		h = nobody{}
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
	defer p.watch(h)()
	s.untilEnd()
	drain := time.NewTimer(p.options.DrainTimeout)
	select {
	case <-s.inbox.drained:
	case <-drain.C:
	}
	drain.Stop()
	p.end()
	cancel(ErrClosed)
	s.handlers.Wait()
	_ = p.Close() // the other side may still read what it has asked for
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// server is what one call of Serve needs.
type server struct {
	peer     *Peer
	handler  Handler
	ctx      context.Context // of handlers
	inbox    *inbox
	handlers sync.WaitGroup

	held atomic.Int64 // bytes of answers that wait for others of their batch

	mu      sync.Mutex
	cancels map[string][]*request // the peer's requests that it can cancel, by id
}

// linger is how long the end of reading is waited for when the transport is closed: the standard input,
// for one, cannot be woken.
const linger = time.Second

// untilEnd reads until the connection ends.
func (s *server) untilEnd() {
	var cause error // once read is closed
	read := make(chan struct{})
	go func() {
		cause = s.read()
		close(read)
		close(s.peer.unread)
		s.inbox.close()
	}()
	var err error
	select {
	case <-read:
		err = cause
	case <-s.peer.severed:
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-read:
		case <-late.C:
			s.inbox.abandon()
		}
	}
	s.peer.mu.Lock()
	defer s.peer.mu.Unlock()
	if s.peer.parting != nil {
		s.peer.settled, s.peer.cause = true, s.peer.parting
	}
	if err == io.EOF && s.peer.parting == nil { //nolint:errorlint // wrapped, it is another one
		s.peer.settled, s.peer.cause = true, s.peer.strange // a message that could not be sent was not wanted any more
	}
	s.peer.settle(err)
}

// read brings messages into the inbox.
func (s *server) read() error {
	for {
		s.peer.reading.Store(true)
		data, err := s.peer.transport.Read(s.peer.readLimit())
		s.peer.reading.Store(false)
		if err != nil {
			return err
		}
		s.peer.heard()
		m, err := s.handler.DecodeRPC(data)
		s.peer.spoke(data, err)
		if err != nil {
			m = m.malformed(err) // which has its turn as well
			m.seen = begins(data)
		}
		var ok bool
		if m.Kind == Batch {
			ok = s.receiveBatch(&m)
		} else {
			ok = s.receive(m, int64(len(data)))
		}
		if !ok {
			return io.ErrClosedPipe
		}
		if s.peer.greets() { // the message may end the handshake, and with it the limit for the next one
			s.inbox.settle()
		}
	}
}

// receive brings a message into the inbox, and reports whether it is wanted.
func (s *server) receive(m Message, size int64) bool {
	if m.Cancels != nil { // what is to be cancelled may be in front of it
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

// refuse answers a malformed message, and tells who waits for it if it is an answer.
func (s *server) refuse(m *Message) (next bool) {
	s.peer.options.OnBad(&BadMessage{m.DecodeError, m.seen})
	if m.failed != nil {
		_ = s.peer.resolve(Message{ID: m.failed, DecodeError: m.DecodeError}) // whether it was awaited or not
	}
	answer, ok := m.refusal()
	return !ok || s.decline(m, answer)
}

// decline answers a message that no handler gets. It reports whether the next one is still to be handled: what waits for
// other answers of its batch may have let somebody go on.
func (s *server) decline(m *Message, answer Message) (next bool) {
	t := &turn{server: s, Context: s.ctx, batch: m.batch}
	t.answered.Store(true)
	t.reply(answer)
	return !t.over.Swap(true)
}

// encoded is an answer as it is sent, nil where not even an error can be.
func encoded(m Message) []byte {
	data, err := m.AppendJSON(nil)
	if err == nil {
		return data
	}
	m = Message{Kind: Failure, ID: m.ID, Error: internal(err)}
	if data, err = m.AppendJSON(nil); err != nil {
		return nil
	}
	return data
}

// goOn handles messages on a goroutine of its own, from the next one on, until there is none.
func (s *server) goOn() {
	s.handlers.Add(1)
	go func() {
		defer s.handlers.Done()
		for {
			m, ok := s.inbox.take()
			if !ok || !s.handle(m) {
				return
			}
		}
	}()
}

// handle handles a message, and reports whether the next one is still to be handled: another goroutine
// may have gone on.
func (s *server) handle(m Message) bool {
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
			return s.decline(&m, Answer(m.ID, nil, &Error{Code: int64(InternalError), Message: reason}))
		}
	}
	t := &turn{server: s, Context: s.ctx, request: m.Kind == Request, id: m.ID, batch: m.batch, cancelled: m.cancelled, pending: m.pending}
	s.enter(t)
	returned := false
	defer func() {
		if !returned {
			if value := recover(); value != nil {
				s.peer.options.OnBad(fmt.Errorf("the handler of %s panicked: %v", wire.Readable(m.Method), value))
			} else { // it ended its goroutine, and with it this one
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

// turn is the context of a handler, which holds up what came after its message until it is over.
type turn struct {
	context.Context
	server  *server
	request bool
	id      json.RawMessage // of the request
	batch   *batch          // that the message came in, nil for none
	pending *request        // nil if the request cannot be cancelled

	cancelled int64 // code of the answer should the request be cancelled, 0 for none

	over     atomic.Bool // others may go on
	later    atomic.Bool // the answer is not what the handler returns
	answered atomic.Bool
	waits    atomic.Bool // the handler of a notification goes on beside others
	gaveUp   atomic.Bool // the handler returned the error of its context, which the peer had ended

	mu    sync.Mutex // guards what follows
	after []func(context.Context)
}

type turnKey struct{}

// Value implements [context.Context].
func (t *turn) Value(key any) any {
	if key == (turnKey{}) {
		return t
	}
	return t.Context.Value(key)
}

// turnOf is the turn that a context belongs to, nil where it is none of a handler's.
func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// pass lets others go on.
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

// finish answers the request, once. The handler of a notification has no answer.
func (t *turn) finish(result json.RawMessage, err error) {
	if t.answered.Swap(true) {
		return
	}
	if !t.request {
		if t.waits.Load() {
			t.server.peer.beside(-1)
		}
		return
	}
	if err != nil {
		err = failure(t, err) // before the request is forgotten, which ends its context
		if other := t.instead(); other != nil {
			result, err = other, nil
		}
	}
	t.server.forget(t.pending)
	if !t.later.Load() {
		defer t.server.peer.returned()
	}
	t.reply(Answer(t.id, result, err))
}

// reply sends an answer, with the others of its batch where there is one. Who asked is gone where that fails.
func (t *turn) reply(answer Message) {
	if t.batch != nil {
		t.batch.add(t, answer)
		return
	}
	if data := encoded(answer); data != nil && errors.Is(t.send(data), errTooMuch) {
		t.late(answer.ID)
	}
	t.settle(t)
}

// send sends an answer. It waits until there is room: a peer that asks for more than it reads is read no further while
// the handler has its turn, and what waits beside other handlers is bounded. An answer that is given later is given by
// somebody who may have others to serve.
func (t *turn) send(data []byte) error {
	p := t.server.peer
	if t.later.Load() {
		return p.Send(data)
	}
	return p.sendPatiently(context.Background(), data, t.over.Load())
}

// late answers that there is no room for the answer.
func (t *turn) late(id json.RawMessage) {
	data := encoded(Message{Kind: Failure, ID: id, Error: internal(errTooMuch)})
	_ = t.server.peer.sendPatiently(context.Background(), data, false)
}

// settle does what waits for the answer, which is on its way. It is in the turn of the message that was answered last.
func (t *turn) settle(last *turn) {
	t.afterReply(last)
	if t.request {
		t.server.peer.finish()
	}
}

// Async lets the messages behind the one that a handler has the context of go on, beside it, as a handler
// does that takes long. What the handler did before it is still before them. It does nothing to contexts
// that are no handler's, or whose handler has returned.
func Async(ctx context.Context) {
	if t := turnOf(ctx); t != nil {
		t.pass()
	}
}

// Later takes over the answer to the request that a handler has the context of: what the handler returns
// is not sent, and answer has to be called, once, when its time has come. It may be called before the
// handler returns or after it; where it stands among all that is sent to the peer is where it is called.
// The result is JSON, nil for null. It is nil where the context is no request's.
func Later(ctx context.Context) (answer func(result json.RawMessage, err error)) {
	t := turnOf(ctx)
	if t == nil || !t.request || t.later.Swap(true) {
		return nil
	}
	return func(result json.RawMessage, err error) {
		if err == nil && result == nil {
			result = null()
		}
		t.finish(result, err)
	}
}

// AfterReply has f called when the answer to the request that a handler has the context of is on its way: what f sends
// arrives behind the answer. The messages behind the request wait for f, as they wait for the handler; [Async] in f, with
// its context, lets them go on. That context lives as long as the connection, and is no handler's any more that the peer
// could cancel. What the handler returns may be an error: f is called nevertheless.
//
// Several are called in their order. Of a request in a batch, the answer is on its way when all of the batch are, and the
// messages behind the one that was answered last are those that wait. It reports whether f will be called: not where the context is no request's, or where
// the request is answered.
func AfterReply(ctx context.Context, f func(ctx context.Context)) bool {
	if call, ok := ctx.Value(localKey{}).(*localCall); ok {
		return call.add(f)
	}
	t := turnOf(ctx)
	if t == nil || !t.request {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answered.Load() {
		return false
	}
	t.after = append(t.after, f)
	return true
}

// afterReply calls what waits for the answer.
func (t *turn) afterReply(last *turn) {
	t.mu.Lock()
	after := t.after
	t.after = nil
	t.mu.Unlock()
	if len(after) == 0 {
		return
	}
	ctx := context.WithValue(t.server.ctx, turnKey{}, last)
	for _, f := range after {
		t.server.guarded(ctx, f)
	}
}

// guarded calls f, whose panic harms nobody else.
func (s *server) guarded(ctx context.Context, f func(context.Context)) {
	defer func() {
		if value := recover(); value != nil {
			s.peer.options.OnBad(fmt.Errorf("what was to be done after an answer panicked: %v", value))
		}
	}()
	f(ctx)
}

// nobody handles nothing.
type nobody struct{}

func (nobody) DecodeRPC(data []byte) (Message, error) { return Decode(data, nil) }

func (nobody) ServeRPC(_ context.Context, m *Message) (json.RawMessage, error) {
	return nil, notFound(m.Method)
}
