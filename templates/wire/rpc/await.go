// Calls: requests waiting for answers.

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
)

// Call sends a request and waits for its answer, which is delivered after everything the peer sent before it was
// handled. A handler that calls its peer must pass its context, which lets later messages be handled, as [Async]
// does; otherwise it would wait for itself. When the context ends, Call returns, and the peer is notified if the
// protocol supports cancellation. Answers arrive while [Peer.Serve] runs.
func (p *Peer) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	p.follow(ctx)
	ctx, cancel := p.limited(ctx)
	defer cancel()
	call := p.expect(method)
	defer p.forget(call)
	m := Message{Kind: Request, ID: json.RawMessage(call.id), Method: method, Params: params, sent: call.sentAs}
	ctx, ended := p.traceSent(ctx, &m)
	if ended == nil {
		return p.await(ctx, call, &m)
	}
	result, err := p.await(ctx, call, &m)
	p.observing.outcome(ended, err)
	return result, err
}

// await sends a request and waits for its answer.
func (p *Peer) await(ctx context.Context, call *awaited, m *Message) (json.RawMessage, error) {
	if err := p.post(ctx, m); err != nil {
		return nil, err
	}
	answer := call.answer
	if t := turnOf(ctx); t != nil && t.server.peer == p {
		t.pass()
	}
	select {
	case m := <-answer:
		return answered(m)
	case <-ctx.Done():
		p.cancel(ctx, call.id)
		return nil, ContextError(ctx)
	case <-p.ended:
	}
	select {
	case m := <-answer: // the last answer received
		return answered(m)
	default:
		p.mu.Lock()
		defer p.mu.Unlock()
		return nil, p.closed()
	}
}

// limited applies the default timeout to a call.
func (p *Peer) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok || p.options.CallTimeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, p.options.CallTimeout, noAnswer{p.options.CallTimeout})
}

// noAnswer is the error of a call that timed out.
type noAnswer struct{ after time.Duration }

func (e noAnswer) Error() string { return fmt.Sprintf("no answer within %v", e.after) }

// Is reports whether target is context.DeadlineExceeded.
func (e noAnswer) Is(target error) bool { return target == context.DeadlineExceeded }

func answered(m Message) (json.RawMessage, error) {
	if m.lost != nil {
		return nil, m.lost
	}
	if m.DecodeError != nil { // without a code, which did not come from the peer
		return nil, errors.New("malformed answer: " + wire.Readable(AsError(m.DecodeError).Message))
	}
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// awaited is a request whose answer is awaited.
type awaited struct {
	peer   *Peer
	id     string // JSON; "" until a numbered request is sent
	method string
	answer chan Message
}

// expect makes a channel for the answer, and an id unless that is the number which the request is sent with.
func (p *Peer) expect(method string) *awaited {
	a := &awaited{peer: p, method: method, answer: make(chan Message, 1)}
	e := p.options.Envelope
	if e != nil && e.Sequence {
		return a
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lastID++
	a.sentAs(p.lastID)
	return a
}

// sentAs notes the id. The caller must hold the lock.
func (a *awaited) sentAs(number uint64) {
	a.id = strconv.FormatUint(number, 10)
	if e := a.peer.options.Envelope; e != nil && e.TextIDs {
		a.id = `"` + a.id + `"`
	}
	a.peer.waiting[a.id] = a
	if o := a.peer.observing; o != nil {
		o.calls[a.id] = calledNote{a.method, since(time.Now())}
	}
}

func (p *Peer) forget(a *awaited) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, a.id)
	if p.observing != nil {
		delete(p.observing.calls, a.id)
	}
}

// resolve delivers an answer. An answer that is no longer awaited is valid if there was such a request.
func (p *Peer) resolve(m Message) error {
	id := string(m.ID)
	if call := p.awaited(id); call != nil {
		m.Method = call.method
		if m.lost == nil { // otherwise nothing was received, and something else may be translated now
			p.inbound(&m)
		}
		call.answer <- m
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n, err := strconv.ParseUint(strings.Trim(id, `"`), 10, 64); err == nil && n > 0 && n <= p.lastID {
		return nil
	}
	if m.Error != nil {
		return fmt.Errorf("answer with id %s to no request: %w", wire.Readable(id), m.Error)
	}
	return fmt.Errorf("answer with id %s to no request", wire.Readable(id))
}

// awaited returns a call that awaits the answer with an id, or nil. A second answer is not awaited.
func (p *Peer) awaited(id string) *awaited {
	p.mu.Lock()
	defer p.mu.Unlock()
	call := p.waiting[id]
	delete(p.waiting, id)
	return call
}
