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
		peer: p, handler: h, ctx: handling,
		inbox: make(chan Message, p.options.Backlog), drained: make(chan struct{}), abandoned: make(chan struct{}),
	}
	s.goOn()
	s.untilEnd()
	drain := time.NewTimer(p.options.DrainTimeout)
	select {
	case <-s.drained:
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
	peer      *Peer
	handler   Handler
	ctx       context.Context // of handlers
	inbox     chan Message
	drained   chan struct{} // closed when the inbox is, and each message in it has had its turn
	abandoned chan struct{} // closed when nobody waits for the reader any more
	handlers  sync.WaitGroup
}

// linger is how long the end of reading is waited for when the transport is closed: the standard input,
// for one, cannot be woken.
const linger = time.Second

// untilEnd reads until the connection ends.
func (s *server) untilEnd() {
	read := make(chan error, 1)
	go func() {
		read <- s.read()
		close(s.inbox)
	}()
	var err error
	select {
	case err = <-read:
	case <-s.peer.severed:
		late := time.NewTimer(linger)
		defer late.Stop()
		select {
		case <-read:
		case <-late.C:
			close(s.abandoned)
		}
	}
	s.peer.mu.Lock()
	defer s.peer.mu.Unlock()
	if err == io.EOF { //nolint:errorlint // wrapped, it is another one
		s.peer.settled, s.peer.cause = true, nil // a message that could not be sent was not wanted any more
	}
	s.peer.settle(err)
}

// read brings messages into the inbox.
func (s *server) read() error {
	for {
		data, err := s.peer.transport.Read(s.peer.options.MaxMessage)
		if err != nil {
			return err
		}
		m, err := s.handler.DecodeRPC(data)
		if err != nil {
			s.refuse(err)
			continue
		}
		select {
		case s.inbox <- m:
		case <-s.abandoned:
			return io.ErrClosedPipe
		}
	}
}

// refuse answers a malformed message. Its id cannot be told, and null stands for that.
func (s *server) refuse(err error) {
	s.peer.options.OnBad(fmt.Errorf("malformed message: %w", err))
	var bad *Error
	if errors.As(err, &bad) {
		s.reply(Message{Kind: Failure, ID: null(), Error: bad})
	}
}

// reply sends an answer. Who asked is gone where that fails, unless it is the answer that cannot be sent.
func (s *server) reply(m Message) {
	if _, err := m.AppendJSON(nil); err != nil {
		m = Message{Kind: Failure, ID: m.ID, Error: internal(err)}
	}
	_ = s.peer.post(context.Background(), &m)
}

// goOn handles messages on a goroutine of its own, from the next one on.
func (s *server) goOn() {
	s.handlers.Add(1)
	go func() {
		defer s.handlers.Done()
		for {
			select {
			case m, ok := <-s.inbox:
				if !ok {
					close(s.drained)
					return
				}
				if !s.handle(m) {
					return
				}
			case <-s.abandoned:
				close(s.drained)
				return
			}
		}
	}()
}

// handle handles a message, and reports whether the next one is still to be handled: another goroutine
// may have gone on.
func (s *server) handle(m Message) bool {
	if m.Kind == Result || m.Kind == Failure {
		if err := s.peer.resolve(m); err != nil {
			s.peer.options.OnBad(err)
		}
		return true
	}
	if m.Kind == Request {
		if reason := s.peer.begin(); reason != "" {
			s.reply(Answer(m.ID, nil, &Error{Code: int64(InternalError), Message: reason}))
			return true
		}
		defer s.peer.finish()
	}
	t := &turn{Context: s.ctx, peer: s.peer, next: s.goOn}
	if reply, ok := Dispatch(t, s.handler, &m); ok {
		s.reply(reply)
	}
	return !t.over.Swap(true)
}

// turn is the context of a handler, which holds up what came after its message until it is over.
type turn struct {
	context.Context
	peer *Peer
	next func()
	over atomic.Bool
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
	if !t.over.Swap(true) {
		t.next()
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

// nobody handles nothing.
type nobody struct{}

func (nobody) DecodeRPC(data []byte) (Message, error) { return Decode(data, nil) }

func (nobody) ServeRPC(_ context.Context, m *Message) (json.RawMessage, error) {
	return nil, notFound(m.Method)
}
