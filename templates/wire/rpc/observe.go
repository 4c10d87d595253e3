// Observing: what connections, clients' sessions and servers report to an observer.

package rpc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
)

// Observer receives the events of connections, see [Options], of clients' sessions and of servers. Its methods are called
// concurrently. What it takes long for is late: connections wait for it. So it may close the connection, but must not wait for anything
// else from the peer. A panic is recovered and reported to OnBad as an [*ObserverError].
type Observer interface {
	// Observe is called with each event. What its ID and Err refer to must not be kept after the return: an ID shares memory
	// with the message.
	Observe(e Event)
}

// Counter is implemented by an [Observer] that needs little of sent messages, of which a server has many: for each of its clients,
// an [Event] would be several lines of memory.
type Counter interface {
	Observer
	// CountSent is called instead of Observe with an [EventSent].
	CountSent(m Sent)
}

// Sent is what a [Counter] is called with: fields of an [Event], where they are explained.
type Sent struct {
	Kind        Kind
	Method      string
	Known       bool
	Size        int
	Latency     time.Duration
	Queued      int
	QueuedBytes int64
}

// EventType says what an event is about.
type EventType uint8

// The events. Those of connections come from every [Peer] with an observer, the others from package conn and package server.
const (
	// EventSent is a message that was written, which its answer may overtake: Kind, Method, ID, Size, and of an answer Code, and Latency since the request was
	// read. Of what a server publishes, Latency is the time since then. Queued and QueuedBytes are what is still to be sent.
	EventSent EventType = iota + 1
	// EventReceived is a message that was read, with the same fields: of an answer, Latency since it was called for. Queued and QueuedBytes are the messages before it that
	// are not handled yet.
	EventReceived
	EventMalformed // a message that could not be decoded: Size, Err
	EventOpened    // a connection is being served
	EventEnded     // and no longer: Err if not in good order
	EventRefused   // a request was refused because of a limit: Method, ID, Err
	EventCut       // this side ends the connection: Err

	EventConnecting // a session makes an attempt: Count is its number
	EventReady      // the attempt succeeded: Version; Count is the number of the session's connections
	EventWaiting    // a session waits before its next attempt: Latency is for how long, Err why, Count the number of the attempt
	EventClosed     // a session ended for good: Err

	EventReplayed     // missed actions were sent or received on reconnection: Count, Client
	EventSnapshots    // states were, because actions were not available: Count, Client
	EventSubscribed   // Channel, Client; Count is the number of subscribers of a server's channel
	EventUnsubscribed // the same fields

	EventJoined        // a client completed the handshake, or came back: Client, Version; Count is the number of clients
	EventLeft          // a client disconnected: Client; Count is the number of clients
	EventChannelOpened // Channel; Count is the number of channels
	EventChannelClosed // the same fields
	// EventPublished is an action that was applied: Channel, Client who dispatched it or "", Size of the message, Count of
	// recipients, Latency until it was stored and queued for them. Queued is the length of the server's queue.
	EventPublished
	EventRejected // an action of a client that was refused, with the same fields
	EventLogged   // records were appended to the log: Count, Size, Latency, Err
	EventFailed   // the server has ended because of its log: Err
	EventConflict // records were not appended to a log that servers share, because another server was first: the same fields as of EventLogged
)

var eventNames = [...]string{
	"", "sent", "received", "malformed", "opened", "ended", "refused", "cut", "connecting", "ready", "waiting", "closed", "replayed",
	"snapshots", "subscribed", "unsubscribed", "joined", "left", "channel opened", "channel closed", "published", "rejected", "logged",
	"failed", "conflict",
}

// String returns the name of the event.
func (t EventType) String() string {
	if int(t) < len(eventNames) {
		return eventNames[t]
	}
	return strconv.Itoa(int(t))
}

// Event is something that happened. Fields that do not apply are zero.
type Event struct {
	Type EventType
	Time time.Time
	// Conn is the number of the connection, unique in the process. It is 0 for events that belong to none.
	Conn uint64

	Kind   Kind
	Method string // of an answer, that of its request
	// Known reports whether the method is in the protocol or was sent by this side. Other names are the peer's choice, and
	// without bound: see [Event.Label].
	Known   bool
	ID      json.RawMessage
	Size    int // bytes of JSON
	Latency time.Duration
	Code    int64 // of an error answer
	Err     error

	Queued      int
	QueuedBytes int64

	Channel, Client, Version string
	Count                    int
}

// Other is the label of methods that are not in the protocol.
const Other = "other"

// Label returns the method, or [Other] for names that a peer has made up. It suits metrics, whose labels must be bounded.
func (e *Event) Label() string { return label(e.Method, e.Known) }

// Label is as that of an [Event].
func (m Sent) Label() string { return label(m.Method, m.Known) }

func label(method string, known bool) string {
	if known || method == "" {
		return method
	}
	return Other
}

// ObserverError reports a panic of an observer.
type ObserverError struct{ Value any }

// Error implements error.
func (e *ObserverError) Error() string { return fmt.Sprintf("the observer panicked: %v", e.Value) }

// Tell calls an observer, and reports a panic to onBad. Packages conn and server call it.
func Tell(o Observer, e Event, onBad func(error)) {
	defer func() {
		if value := recover(); value != nil {
			onBad(&ObserverError{value})
		}
	}()
	hooks.Observe(func() { o.Observe(e) })
}

// observing is what a connection keeps for its observer.
type observing struct {
	to   Observer
	bad  func(error)
	conn uint64

	tracer  Tracer  // the observer, if it is one, or nil
	counter Counter // likewise

	calls map[string]calledNote // unanswered calls by id; guarded by the peer's lock
}

// note describes a queued message to the observer. It may be of several.
type note struct {
	kind   Kind
	method string
	known  bool
	id     json.RawMessage
	code   int64
	since  int64 // when the request was received, or the notification made, or 0
	size   int   // of one of several in a batch, or 0
	parts  []note
}

// calledNote describes a call.
type calledNote struct {
	method string
	since  int64
}

var (
	connections atomic.Uint64
	began       = time.Now()
)

// Now returns the time in nanoseconds of the monotonic clock, since about when the process began. It is never 0. A step of the
// wall clock does not change what lies between two such times.
func Now() int64 { return since(time.Now()) }

// since returns a time as [Now] does.
func since(t time.Time) int64 { return int64(t.Sub(began)) | 1 }

func newObserving(o *Options) *observing {
	if o.Observe == nil {
		return nil
	}
	out := &observing{to: o.Observe, bad: o.OnBad, conn: connections.Add(1), calls: map[string]calledNote{}}
	out.tracer, _ = o.Observe.(Tracer)
	out.counter, _ = o.Observe.(Counter)
	return out
}

// Number returns the number of the connection in events, 0 without an observer.
func (p *Peer) Number() uint64 {
	if p.observing == nil {
		return 0
	}
	return p.observing.conn
}

func (o *observing) tell(e Event) {
	e.Conn = o.conn
	Tell(o.to, e, o.bad)
}

// happened reports an event of the connection itself. The caller must not hold the lock.
func (p *Peer) happened(what EventType, err error) {
	if o := p.observing; o != nil {
		o.tell(Event{Type: what, Time: time.Now(), Err: err})
	}
}

// turnedDown reports a request that was refused because of a limit.
func (p *Peer) turnedDown(method string, known bool, id json.RawMessage, err error) {
	if o := p.observing; o != nil {
		o.tell(Event{Type: EventRefused, Time: time.Now(), Kind: Request, Method: method, Known: known, ID: id, Err: err})
	}
}

// observe reports a received message. It is not part of got, whose stack stays small so.
//
//go:noinline
func (s *server) observe(m *Message, size int) {
	o, now := s.peer.observing, time.Now()
	m.since = since(now)
	e := Event{Type: EventReceived, Time: now, Kind: m.Kind, Method: m.Method, Known: m.known, ID: m.ID, Size: size}
	switch m.Kind {
	case "":
		e.Type, e.Err = EventMalformed, m.DecodeError
	case Result, Failure:
		s.peer.mu.Lock()
		call, ok := o.calls[string(m.ID)]
		s.peer.mu.Unlock()
		if e.Method, e.Known = call.method, ok; ok {
			e.Latency = time.Duration(m.since - call.since)
		}
		if m.Error != nil {
			e.Code, e.Err = m.Error.Code, m.Error
		}
	}
	e.Queued, e.QueuedBytes = s.inbox.length()
	o.tell(e)
}

// length returns what waits to be handled.
func (b *inbox) length() (messages int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) - b.head, b.bytes
}

// sent reports a written message, and the messages in a batch one by one. What describes it may be nil.
func (o *observing) sent(n *note, size, queued int, bytes int64) {
	defer o.recovered()
	if n == nil {
		n = &unknown
	}
	for i := range n.parts {
		o.wrote(&n.parts[i], n.parts[i].size, queued, bytes)
	}
	if n.parts == nil {
		o.wrote(n, size, queued, bytes)
	}
}

// unknown describes a message that [Peer.Send] was called with.
var unknown note

func (o *observing) wrote(n *note, size, queued int, bytes int64) {
	latency := time.Duration(0)
	if n.since != 0 {
		latency = time.Duration(Now() - n.since)
	}
	if o.counter != nil {
		hooks.Observe(func() { o.counter.CountSent(Sent{n.kind, n.method, n.known, size, latency, queued, bytes}) })
		return
	}
	hooks.Observe(func() {
		o.to.Observe(Event{
			Type: EventSent, Time: time.Now(), Conn: o.conn, Kind: n.kind, Method: n.method, Known: n.known, ID: n.id, Size: size, Code: n.code,
			Latency: latency, Queued: queued, QueuedBytes: bytes,
		})
	})
}

// noteOf describes a message that this side sends on its own account. It is nil without an observer.
func (p *Peer) noteOf(m *Message) *note {
	if p.observing == nil {
		return nil
	}
	n := &note{kind: m.Kind, method: m.Method, known: true, id: m.ID}
	if m.Error != nil {
		n.code = m.Error.Code
	}
	return n
}

// noteOf describes the answer to a request. It is nil without an observer.
func (t *turn) noteOf(answer *Message) *note {
	n := t.server.peer.noteOf(answer)
	if n != nil {
		n.known, n.since = t.known, t.since
	}
	return n
}

// published describes the notification that was sent last to several peers, which share it.
var published atomic.Pointer[note]

// SendNotification is [Peer.Send] for a notification, whose method is told to the observer, with the latency since it was made,
// as [Now] has told it, unless that is 0. Peers may share the bytes.
func (p *Peer) SendNotification(method string, data []byte, made int64) error {
	m := outgoing{data: data}
	if p.observing != nil {
		n := published.Load()
		if n == nil || n.since != made || n.method != method {
			n = &note{kind: Notification, method: method, known: true, since: made}
			published.Store(n)
		}
		m.note = n
	}
	return p.send(m)
}
