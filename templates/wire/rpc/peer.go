// Peer: one connection over a transport, from its beginning to its end.

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
)

// ErrClosed says that the connection has ended. It is wrapped together with what ended it.
var ErrClosed = errors.New("connection closed")

// Options are how a connection behaves. The zero value of each is a default.
type Options struct {
	// MaxMessage is the size in bytes of the largest message that is accepted; a larger one ends the
	// connection. The default is 32 MiB, room for a large state.
	MaxMessage int64
	// MaxRequests is how many of the peer's requests are handled at a time, where handlers let others
	// go on with [Async]; those beyond are refused with -32603. The default is 256.
	MaxRequests int
	// Backlog is how many messages may wait to be handled before reading pauses. The default is 1024.
	Backlog int
	// BacklogBytes is how many bytes these may have, one message of any size aside. The default is 8 MiB.
	BacklogBytes int64
	// MaxBatch is how many messages a batch may have, where the protocol has batches; one of more is refused.
	// They count in the backlog one by one. The default is 1024.
	MaxBatch int
	// MaxUnsent is how many bytes may wait to be sent; one message may always wait, whatever its size. A peer
	// that is further behind is cut off, so that it holds up nobody else: but a request waits until there is
	// room, and so does the answer of a handler. Answers that wait beside the handling of other messages may
	// have as many bytes, those to batches that are not complete too, and those beyond become errors. See
	// [Peer.WaitForRoom]. The default is 32 MiB.
	MaxUnsent int64
	// WriteTimeout is how long a message may take to be sent before the peer counts as gone. The
	// default is 30 seconds.
	WriteTimeout time.Duration
	// MessageTimeout is how long a message may take to arrive, from its beginning to its end, over transports
	// that are [Timed]. The default is [MessageTimeout], and less than 0 no limit.
	MessageTimeout time.Duration
	// CallTimeout is how long a call waits for its answer where its context has no deadline. The default
	// is two minutes; a negative one waits for as long as the connection lives.
	CallTimeout time.Duration
	// Silence is how long nothing may come from the peer before it is asked for a sign of life, and how long
	// that may take then. Without one the peer counts as gone. The default is 45 seconds; a negative one never asks.
	// A transport that is a [Pinger] asks. Over any other one, the protocol's own request for that is sent, if it has one
	// (see [Asking]). A peer that handles one message at a time may be late to answer that: by default it is not
	// sent while this side waits for answers, and with a Silence of one's own it is.
	Silence time.Duration
	// GreetingTimeout is how long a peer may take until [Peer.Welcome] is called, where that is to happen at
	// all. MaxGreeting is the size in bytes of the largest message until then. There is no default.
	GreetingTimeout time.Duration
	MaxGreeting     int64
	// DrainTimeout is how long handlers may take, after the end of the connection, for what came before
	// it. The default is 30 seconds.
	DrainTimeout time.Duration
	// OnBad is told of messages that cannot be handled: malformed ones, and answers to no question. The
	// connection lives on.
	OnBad func(error)
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
	ended     chan struct{} // closed when nobody gets an answer any more
	severed   chan struct{} // closed when the transport is
	welcome   atomic.Bool   // the peer has introduced itself
	lastHeard atomic.Int64  // when the latest message came, in nanoseconds
	unread    chan struct{} // closed when nothing more is read
	reading   atomic.Bool   // the next message is waited for
	patient   bool          // nobody has said how long a peer may be silent

	mu      sync.Mutex // guards what follows
	serving bool
	closing bool // nothing more is sent
	settled bool // cause holds why the connection ends
	cause   error
	strange error // the first message, if it could not be decoded
	spoken  bool  // the peer has sent a message that could be
	parting error // why the peer ends the connection, if it has said so

	lastID  uint64
	waiting map[string]chan Message // answers that are awaited, by id

	progress map[string]func(json.RawMessage) // who wants to hear of requests, by token

	introduction json.RawMessage // what the peer has said of itself, nil for nothing

	running  int           // requests of the peer that are being handled
	owed     int           // requests of the peer that are not answered, those included
	waiters  int           // handlers of notifications that others do not wait for
	draining bool          // no more requests are taken
	idle     chan struct{} // closed when draining and nothing is owed

	outbox outbox
}

var (
	_ Conn       = (*Peer)(nil)
	_ Introduced = (*Peer)(nil)
)

// Introduce implements [Introduced]. The generated package calls it where its protocol has the two sides say what they can.
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

// NewPeer returns a connection over a transport, which belongs to it from then on. A nil o stands for the
// defaults.
func NewPeer(t Transport, o *Options) *Peer {
	if timed, ok := Find[Timed](t); ok && o != nil && o.MessageTimeout != 0 {
		timed.SetMessageTimeout(o.MessageTimeout)
	}
	return &Peer{
		transport: t,
		options:   o.withDefaults(),
		ended:     make(chan struct{}),
		severed:   make(chan struct{}),
		unread:    make(chan struct{}),
		patient:   o == nil || o.Silence == 0,
		waiting:   map[string]chan Message{},
		idle:      make(chan struct{}),
	}
}

// Done is closed when the connection has ended.
func (p *Peer) Done() <-chan struct{} { return p.ended }

// Close sends what waits to be sent and ends the connection in good order. What the peer sent before is
// still handled.
func (p *Peer) Close() error { return p.CloseFor("") }

// CloseFor is Close with a reason, which the peer is told where the transport has a way to.
func (p *Peer) CloseFor(reason string) error {
	if !p.stop(nil) {
		return nil
	}
	limit, cancel := context.WithTimeout(context.Background(), p.options.WriteTimeout)
	defer cancel()
	_ = p.outbox.flush(limit, p) // an end is an end
	return p.sever(reason)
}

// Shutdown refuses further requests, waits until those that are being handled are answered, and closes.
// A handler that wants the connection closed after its own answer starts it on another goroutine.
func (p *Peer) Shutdown(ctx context.Context) error {
	p.drain()
	select {
	case <-p.idle:
	case <-p.ended:
	case <-ctx.Done():
		_ = p.Close() // the context's error says more
		return ContextError(ctx)
	}
	return p.Close()
}

// stop sends nothing more from now on, and reports whether it was the first to want that. The first cause
// of an end is what everybody is told; nil is a wish.
func (p *Peer) stop(cause error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.closing
	p.closing = true
	p.settle(cause)
	return first
}

// settle notes why the connection ends, unless that is known already. The caller holds the lock.
func (p *Peer) settle(cause error) {
	if !p.settled {
		p.settled, p.cause = true, cause
	}
}

// cut ends the connection at once, and tells the peer a reason. It does not wait for that.
func (p *Peer) cut(cause error, reason string) {
	if p.stop(cause) {
		p.outbox.drop(p)
		go func() { _ = p.sever(reason) }()
	}
}

// sever closes the transport. Where nobody serves the connection, that is the end of it.
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
	}
}

// abandon ends the connection to a peer that is not there any more, whose goodbye is not waited for.
func (p *Peer) abandon(cause error) {
	if p.stop(cause) {
		p.outbox.drop(p)
		p.sunder()
		go func() { _ = p.sever("silent") }()
	}
}

// end fails everybody who waits for an answer.
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

// closed is the error of whoever uses the connection after its end. The caller holds the lock.
func (p *Peer) closed() error {
	if p.cause == nil {
		return ErrClosed
	}
	return fmt.Errorf("%w: %w", ErrClosed, p.cause)
}

// begin counts a request in, or says why it is not handled.
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

// returned counts out a request whose handler has returned.
func (p *Peer) returned() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
}

// finish counts out a request that is answered.
func (p *Peer) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.owed--
	if p.draining && p.owed == 0 {
		close(p.idle)
	}
}

// drain takes no more requests.
func (p *Peer) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.draining && p.owed == 0 {
		close(p.idle)
	}
	p.draining = true
}

// beside counts handlers of notifications beside which others go on. They are no requests that could be
// refused, so a peer that makes too many of them is cut off.
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

// Replaced returns what to tell a client, by [Peer.End], that has connected once more under its id.
func Replaced() *Error {
	return &Error{Code: int64(InvalidRequest), Message: ErrReplaced.Error(), Data: replacedData}
}

// End is [Peer.Close] with a reason, for which it does not wait. Nothing can be sent from when it returns on. The peer gets
// the reason as an error that answers no request: its id is null.
func (p *Peer) End(reason *Error) {
	p.mu.Lock()
	if p.closing {
		p.mu.Unlock()
		return
	}
	if data := encoded(Message{Kind: Failure, ID: null(), Error: reason}); data != nil {
		_ = p.put(data)
	}
	p.closing = true
	p.settle(nil)
	p.mu.Unlock()
	go func() {
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
		p.strange = Strange(&BadMessage{err, begins(data)})
	}
}
