// Observing: what connections, clients' sessions and servers report to an observer.

package rpc

import (
	"encoding/json"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"
)

// Observer receives the events of connections, see [Options], of clients' sessions and of servers. Its methods are called
// concurrently. What it takes long for is late: connections wait for it. A panic is recovered and reported to OnBad as an
// [*ObserverError].
type Observer interface {
	// Observe is called with each event. What its ID and Err refer to must not be kept after the return: an ID shares memory
	// with the message.
	Observe(e Event)
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
)

var eventNames = [...]string{
	"", "sent", "received", "malformed", "opened", "ended", "refused", "cut", "connecting", "ready", "waiting", "closed", "replayed",
	"snapshots", "subscribed", "unsubscribed", "joined", "left", "channel opened", "channel closed", "published", "rejected", "logged",
	"failed",
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
func (e *Event) Label() string {
	if e.Known || e.Method == "" {
		return e.Method
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
	o.Observe(e)
}

// observing is what a connection keeps for its observer.
type observing struct {
	to   Observer
	bad  func(error)
	conn uint64

	notes []note                // of the queued messages; guarded by the peer's lock
	calls map[string]calledNote // unanswered calls by id; guarded by the peer's lock
}

// note describes a queued message.
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

// since returns a time as nanoseconds of the monotonic clock, which is never 0.
func since(t time.Time) int64 { return int64(t.Sub(began)) | 1 }

func newObserving(o *Options) *observing {
	if o.Observe == nil {
		return nil
	}
	return &observing{to: o.Observe, bad: o.OnBad, conn: connections.Add(1), calls: map[string]calledNote{}}
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

// note adds what describes a queued message. The caller must hold the lock.
func (o *observing) note(n *note, number uint64, numbered bool) {
	var own note
	if n != nil {
		own = *n
	}
	if numbered && own.kind == Request {
		own.id = strconv.AppendUint(nil, number, 10)
	}
	o.notes = append(o.notes, own)
}

// forgetNotes releases the memory of notes after a burst. The caller must hold the lock.
func (o *observing) forgetNotes() {
	if o != nil {
		o.notes = nil
	}
}

// sent reports a written message, and the messages in a batch one by one.
func (o *observing) sent(n *note, size, queued int, bytes int64) {
	now := time.Now()
	for i := range n.parts {
		o.wrote(&n.parts[i], now, n.parts[i].size, queued, bytes)
	}
	if n.parts == nil {
		o.wrote(n, now, size, queued, bytes)
	}
}

func (o *observing) wrote(n *note, now time.Time, size, queued int, bytes int64) {
	e := Event{
		Type: EventSent, Time: now, Kind: n.kind, Method: n.method, Known: n.known, ID: n.id, Size: size, Code: n.code,
		Queued: queued, QueuedBytes: bytes,
	}
	if n.since != 0 {
		e.Latency = time.Duration(since(now) - n.since)
	}
	o.tell(e)
}

// noteOf describes a message that this side sends on its own account.
func (p *Peer) noteOf(m *Message) (n note) {
	if p.observing != nil {
		n = note{kind: m.Kind, method: m.Method, known: true, id: m.ID}
		if m.Error != nil {
			n.code = m.Error.Code
		}
	}
	return n
}

// noteOf describes the answer to a request.
func (t *turn) noteOf(answer *Message) (n note) {
	if t.server.peer.observing != nil {
		n = t.server.peer.noteOf(answer)
		n.known, n.since = t.known, t.since
	}
	return n
}

// SendNotification is [Peer.Send] for a notification, whose method is told to the observer, with the latency since it was made,
// in nanoseconds of Unix time, unless that is 0. Peers may share the bytes.
func (p *Peer) SendNotification(method string, data []byte, made int64) error {
	if p.observing == nil {
		return p.send(outgoing{data: data}, nil)
	}
	n := note{kind: Notification, method: method, known: true}
	if made != 0 {
		n.since = since(time.Unix(0, made))
	}
	return p.send(outgoing{data: data}, &n)
}
