// Peer: one connection over a transport.

package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// ErrClosed is returned after the connection has closed, wrapped with the cause.
var ErrClosed = errors.New("connection closed")

// Options configures a Peer. Zero fields use defaults.
type Options struct {
	// MaxMessage is the maximum size of a received message in bytes. A larger one ends the connection. The default is
	// 32 MiB.
	MaxMessage int64
	// MaxRequests is the maximum number of the peer's requests handled concurrently, see [Async]. Further ones are
	// refused with -32603. The default is 256.
	MaxRequests int
	// Backlog is the number of messages waiting to be handled beyond which reading pauses. The default is 1024.
	Backlog int
	// BacklogBytes is their total size beyond which reading pauses. A single message of any size is accepted. The
	// default is 8 MiB.
	BacklogBytes int64
	// MaxBatch is the maximum number of messages in a batch. Larger batches are refused. The default is 1024.
	MaxBatch int
	// MaxUnsent is the maximum number of bytes waiting to be sent. A single message may always wait. A peer that is
	// further behind is cut off; requests and handlers' answers wait for room instead. Concurrent waiters are limited
	// to the same size, as are incomplete batches; answers beyond that become errors. See [Peer.WaitForRoom]. The
	// default is 32 MiB.
	MaxUnsent int64
	// WriteTimeout limits the writing of a message, after which the connection ends. The default is 30 seconds.
	WriteTimeout time.Duration
	// MessageTimeout limits the time from the first to the last byte of a received message, on transports that are
	// [Timed]. The default is [MessageTimeout]; a negative value means no limit.
	MessageTimeout time.Duration
	// CallTimeout limits calls whose context has no deadline. The default is two minutes; a negative value means no
	// limit.
	CallTimeout time.Duration
	// Silence is how long nothing may come from the peer before it is asked for a sign of life, and how long
	// that may take then. Without one the peer counts as gone. The default is 45 seconds; a negative one never asks.
	// A transport that is a [Pinger] asks. Over any other one, the protocol's own request for that is sent, if it has one
	// (see [Asking]). A peer that handles one message at a time may be late to answer that: by default it is not
	// sent while this side waits for answers, and with a Silence of one's own it is.
	Silence time.Duration
	// GreetingTimeout limits the time until [Peer.Welcome] is called, and MaxGreeting the message size until then.
	// Zero means no limit.
	GreetingTimeout time.Duration
	MaxGreeting     int64
	// Envelope describes the messages of the protocol; nil means JSON-RPC 2.0. The NewPeer of an emitted package sets it.
	Envelope *spec.Envelope
	// DrainTimeout limits handlers after the connection has ended. The default is 30 seconds.
	DrainTimeout time.Duration
	// Validate says which parameters and results are validated against the constraints of their schemas. The default is
	// none of them.
	Validate Validation
	// OnBad is called with messages that cannot be handled: malformed ones and unexpected answers. The connection
	// continues.
	OnBad func(error)
	// Observe receives what happens on the connection. Nil costs nothing.
	Observe Observer
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	orDefault(&out.MaxMessage, 32<<20)
	orDefault(&out.MaxRequests, 256)
	orDefault(&out.Backlog, 1024)
	orDefault(&out.BacklogBytes, 8<<20)
	orDefault(&out.MaxBatch, maxBatch)
	orDefault(&out.MaxUnsent, 32<<20)
	orDefault(&out.CallTimeout, 2*time.Minute)
	orDefault(&out.Silence, 45*time.Second)
	if out.MaxGreeting == 0 || out.MaxGreeting > out.MaxMessage {
		out.MaxGreeting = out.MaxMessage
	}
	orDefault(&out.WriteTimeout, 30*time.Second)
	orDefault(&out.DrainTimeout, 30*time.Second)
	if out.OnBad == nil {
		out.OnBad = func(error) {}
	}
	return out
}

func orDefault[N int | int64 | time.Duration](n *N, standard N) {
	if *n == 0 {
		*n = standard
	}
}

// Peer is the other side of a connection: a [Conn] to send to it, and [Peer.Serve] for what it sends.
//
//	conn := rpc.NewPeer(transport, nil)
//	go conn.Serve(ctx, handlers)
//	client := NewClient(conn)
//
// It keeps the order of messages. What is sent arrives in the order of the calls, answers and all others
// alike. What comes in is handled in the order in which it was sent, one message after the other, and the
// answer to a call comes when what was sent before it has been handled.
//
// The messages of a batch, where the protocol has them, are handled like others. The answers to its requests are sent
// together when the last of them is there, and until then none of them counts as sent.
type Peer struct {
	transport Transport
	options   Options
	ended     chan struct{} // closed when answers are no longer delivered
	severed   chan struct{} // closed with the transport
	sundered  func()        // called then; guarded by mu
	welcome   atomic.Bool   // the handshake is complete
	lastHeard atomic.Int64  // time of the last message, of Now
	unread    chan struct{} // closed when nothing more is read
	reading   atomic.Bool   // the next message is waited for
	patient   bool          // no limit on the silence of the peer is set

	observing  *observing                 // nil without an observer
	translator atomic.Pointer[Translator] // nil if the version of the package is spoken

	order sync.Mutex // held while a message is translated and queued; taken before mu

	mu      sync.Mutex // guards the following fields
	serving bool
	closing bool // nothing more is sent
	settled bool // cause is set
	cause   error
	strange error // the first message, if it could not be decoded
	spoken  bool  // the peer has sent a message that could be
	parting error // why the peer ends the connection, if it has said so

	lastID  uint64
	waiting map[string]*awaited // by id

	progress map[string]func(json.RawMessage) // progress callbacks by token

	introduction json.RawMessage // the peer's capabilities, or nil

	running  int           // requests being handled
	owed     int           // unanswered requests, including those being handled
	waiters  int           // handlers of notifications running concurrently
	draining bool          // no more requests are accepted
	idle     chan struct{} // closed when draining and nothing is owed

	outbox outbox
}

var (
	_ Conn       = (*Peer)(nil)
	_ Introduced = (*Peer)(nil)
)

// Introduce implements [Introduced]. Generated packages call it for protocols with capabilities.
func (p *Peer) Introduce(said json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.introduction = slices.Clone(said)
}

// Introduction implements [Introduced].
func (p *Peer) Introduction() json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.introduction
}

// NewPeer returns a connection over a transport, which it owns. A nil o means defaults.
func NewPeer(t Transport, o *Options) *Peer {
	if timed, ok := Find[Timed](t); ok && o != nil && o.MessageTimeout != 0 {
		timed.SetMessageTimeout(o.MessageTimeout)
	}
	p := &Peer{
		transport: t,
		options:   o.withDefaults(),
		ended:     make(chan struct{}),
		severed:   make(chan struct{}),
		unread:    make(chan struct{}),
		patient:   o == nil || o.Silence == 0,
		waiting:   map[string]*awaited{},
		idle:      make(chan struct{}),
	}
	if batches, ok := Find[interface{ SetMaxBatch(limit int) }](t); ok { // which answers some itself
		batches.SetMaxBatch(p.options.MaxBatch)
	}
	p.observing = newObserving(&p.options)
	if parts, ok := Find[Failing](t); ok {
		parts.OnFailure(p.fail)
	}
	return p
}

// Speaks reports whether the messages are those that an envelope describes, nil being JSON-RPC 2.0.
func (p *Peer) Speaks(e *spec.Envelope) bool { return p.options.Envelope == e }

// Done is closed when the connection has ended.
func (p *Peer) Done() <-chan struct{} { return p.ended }

// Close flushes and closes the connection gracefully. Messages received before are still handled. Called by an observer, it does not
// wait for that.
func (p *Peer) Close() error { return p.CloseFor("") }

// CloseFor is Close with a reason, which is sent to the peer if the transport supports it.
func (p *Peer) CloseFor(reason string) error {
	switch {
	case !p.stop(nil):
		return nil
	case hooks.Observing(): // where messages are read or written, which leave waits for
		go func() { _ = p.leave(reason) }()
		return nil
	}
	return p.leave(reason)
}

// leave flushes and closes the connection, on which nothing more is sent.
func (p *Peer) leave(reason string) error {
	limit, cancel := context.WithTimeout(context.Background(), p.options.WriteTimeout)
	defer cancel()
	_ = p.outbox.flush(limit, p) // closing regardless
	return p.sever(reason)
}

// Shutdown refuses further requests, waits until pending ones are answered, and closes. A handler must call it on
// another goroutine.
func (p *Peer) Shutdown(ctx context.Context) error {
	p.drain()
	select {
	case <-p.idle:
	case <-p.ended:
	case <-ctx.Done():
		_ = p.Close() // the context's error is more informative
		return ContextError(ctx)
	}
	return p.Close()
}

// stop stops sending and reports whether it was the first to do so. The first cause is the one reported; nil means on
// request.
func (p *Peer) stop(cause error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.closing
	p.closing = true
	p.settle(cause)
	return first
}

// settle records the cause of the end, unless there is one. The caller must hold the lock.
func (p *Peer) settle(cause error) {
	if !p.settled {
		p.settled, p.cause = true, cause
	}
}

// cut ends the connection immediately, sending the reason without waiting.
func (p *Peer) cut(cause error, reason string) {
	if p.stop(cause) {
		p.outbox.drop(p)
		p.happened(EventCut, cause)
		go func() { _ = p.sever(reason) }()
	}
}

// sever closes the transport, which ends a connection that is not served.
func (p *Peer) sever(reason string) error {
	err := p.transport.Close(reason)
	p.sunder()
	p.mu.Lock()
	serving := p.serving
	p.mu.Unlock()
	if !serving {
		p.end()
	}
	return err
}

// sunder says that the transport is closed, or as good as that.
func (p *Peer) sunder() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.severed:
	default:
		close(p.severed)
		if p.sundered != nil {
			p.sundered()
		}
	}
}

// abandon ends the connection to a peer that is not there any more, whose goodbye is not waited for.
func (p *Peer) abandon(cause error) {
	if p.stop(cause) {
		p.outbox.drop(p)
		p.sunder()
		p.happened(EventCut, cause)
		go func() { _ = p.sever("silent") }()
	}
}

// end fails all pending calls.
func (p *Peer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.ended:
	default:
		clear(p.waiting)
		close(p.ended)
	}
}

// closed returns the error for use after the end. The caller must hold the lock.
func (p *Peer) closed() error {
	if p.cause == nil {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, p.cause)
}

// begin counts a request, or returns why it is refused.
func (p *Peer) begin() (refusal string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.draining:
		return "shutting down"
	case p.running >= p.options.MaxRequests:
		return "too many requests at a time"
	}
	p.running++
	p.owed++
	return ""
}

// returned counts the return of a request's handler.
func (p *Peer) returned() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
}

// finish counts an answered request.
func (p *Peer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed--
	if p.draining && p.owed == 0 {
		close(p.idle)
	}
}

// drain stops accepting requests.
func (p *Peer) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.draining && p.owed == 0 {
		close(p.idle)
	}
	p.draining = true
}

// beside counts concurrent handlers of notifications. These cannot be refused, so a peer with too many is cut off.
func (p *Peer) beside(change int) {
	p.mu.Lock()
	p.waiters += change
	tooMany := p.waiters > 16*p.options.MaxRequests
	p.mu.Unlock()
	if tooMany {
		p.cut(errors.New("too many notifications are being handled at a time"), "too many notifications at a time")
	}
}

// ErrReplaced is why a connection ended whose client has connected once more under the same id, perhaps as another process.
var ErrReplaced = errors.New("replaced by another connection of the same client")

// replacedData is the data of the error that says so.
var replacedData = json.RawMessage(`{"ended":"replaced"}`)

// EndReplaced ends the connection of a client that has connected once more under its id. See [Peer.End].
func (p *Peer) EndReplaced() {
	p.End(&Error{Code: int64(InvalidRequest), Message: ErrReplaced.Error(), Data: replacedData})
}

// End is [Peer.Close] with a reason, for which it does not wait. Nothing can be sent from when it returns on. The peer gets
// the reason as an error that answers no request: its id is null.
func (p *Peer) End(reason *Error) {
	p.mu.Lock()
	if p.closing {
		p.mu.Unlock()
		return
	}
	last := Message{Kind: Failure, ID: null(), Error: reason}
	out, err := p.appended(&last) // as it is: a translator may wait for what the caller holds
	if err != nil {
		last.Error = internal(err)
		out, err = p.appended(&last)
	}
	if err == nil {
		out.note = p.noteOf(&last)
		_ = p.put(out)
	}
	p.closing = true
	p.settle(nil)
	p.mu.Unlock()
	go func() {
		p.happened(EventCut, reason)
		limit, cancel := context.WithTimeout(context.Background(), p.options.WriteTimeout)
		defer cancel()
		_ = p.outbox.flush(limit, p)
		_ = p.sever("")
	}()
}

// parted is why the peer ends the connection. It does not wrap an [*Error], since it answers no request.
type parted struct{ text string }

func (e parted) Error() string { return "the peer ended the connection: " + e.text }

// part notes the reason if an answer is one for the end of the connection, and reports whether it is.
func (p *Peer) part(m *Message) bool {
	if m.Error == nil || string(m.ID) != "null" {
		return false
	}
	d := wire.NewDecoder(m.Error.Data)
	if d.Kind() != '{' {
		return false
	}
	if _, ok := d.OnlyString("ended"); !ok {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.parting = parted{wire.Readable(m.Error.Message)}
	if bytes.Equal(m.Error.Data, replacedData) {
		p.parting = ErrReplaced
	}
	return true
}

// spoke notes whether the first thing that a peer sends is a message. If not, and nothing else comes, this is why the
// connection ended.
func (p *Peer) spoke(data []byte, err error) {
	if p.spoken { // only the goroutine that reads writes it
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.spoken, p.strange = true, nil
	case p.strange == nil:
		p.strange = ProtocolError(&BadMessage{err, begins(data)})
	}
}
