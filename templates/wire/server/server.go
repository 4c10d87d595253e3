// Server: states and actions.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/codec"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
	"github.com/ahpgen/ahpgen/templates/wire/shared"
)

// Errors of a server.
var (
	// ErrNoChannel is returned if the channel does not exist.
	ErrNoChannel = errors.New("no such channel")
	// ErrChannelExists is returned if the channel already exists.
	ErrChannelExists = errors.New("the channel exists already")
	// ErrForeignAction is returned for an action of another kind of channel.
	ErrForeignAction = errors.New("the action belongs to another kind of channel")
	// ErrFenced is returned for an action whose condition no longer holds: another process has acquired the lease.
	ErrFenced = errors.New("another process has acquired the lease")
	// ErrNoState is returned for a nil state.
	ErrNoState = errors.New("a channel without a state")
	// ErrClosed is returned after the server has closed, wrapped with the cause.
	ErrClosed = errors.New("server closed")
)

// Options configures a Server. Zero fields use defaults.
type Options[S comparable, A any] struct {
	// Log stores what must survive the process. The default stores nothing.
	Log Log
	// Shared is a log that several servers share, instead of Log. Actions, channels and clients are then stored before
	// they take effect, and each server applies what all of them have stored, in the same order. Validate may be called
	// several times for an action, since the state may have changed meanwhile. Accepted is called by the server that
	// stored the action. Empty and CloseEmpty consider the subscribers of this server only.
	Shared shared.Log
	// Upgrade converts a state or action in the log that another version of the protocol has written: it returns the
	// replacement as JSON, "null" to drop it, or nil to read it as it is. Without Upgrade, a server starts if
	// everything can be read and nothing would be lost.
	Upgrade func(Older) (json.RawMessage, error)
	// Handlers returns the handler for everything that the server does not handle itself. It is called once for each
	// connection.
	Handlers func(*Client) rpc.Handler
	// Validate may reject a client's action with an error, which is sent to the client. It is called in the action's
	// turn, so the state is the one to be changed. It must not call the server. If it panics, the action is rejected.
	Validate func(from *Client, channel string, state S, action A) error
	// Accepted is called with clients' actions that were applied, in order of their numbers, once they are stored. It
	// may call the server. Calls are sequential, so a slow one delays the next.
	Accepted func(from *Client, channel string, action A)
	// Authorize decides whether a connection may act as the client it claims to be, in the handshake and on reconnect
	// alike. The default is [Owned]. The error is sent as the answer to a handshake; a reconnecting client gets
	// the same answer as an unknown one. It may call the server.
	Authorize func(ctx context.Context, c *Client, claim Claim) error
	// Admit may refuse a client's access to a channel with an error, which is sent to the client, or open the channel
	// on demand. It is called for each subscription, also on reconnect, and for actions on channels the client has
	// not subscribed to. It may call the server.
	Admit func(ctx context.Context, c *Client, channel string) error
	// Listed reports whether a client sees a channel in the lists kept by the server. By default Admit decides, and
	// is called for each channel and client. It may call the server.
	Listed func(ctx context.Context, c *Client, channel string) bool
	// OwnLists disables the lists kept by the server.
	OwnLists bool
	// Empty is called after the last subscriber of a channel has left or disconnected. There may be a new one by
	// then: [Server.CloseEmpty] closes a channel that still has none. It may call the server.
	Empty func(channel string)
	// Left is called after a client disconnects.
	Left func(*Client)
	// OnError is called with errors that belong to no request.
	OnError func(error)
	// Observe receives the events of the server and of its connections. It may call the server. Nil costs nothing.
	Observe rpc.Observer
	// Limits bounds the resources of clients.
	Limits Limits
}

// Limits bounds the resources of clients. Zero fields use defaults.
type Limits struct {
	// Window and WindowBytes bound the recent actions kept for clients that reconnect. Clients that missed more get
	// snapshots. The defaults are 10,000 and 16 MiB.
	Window      int
	WindowBytes int64
	// Known is the number of disconnected clients that may come back, and KnownFor how long. The defaults are 10,000
	// and a day.
	Known    int
	KnownFor time.Duration
	// Idle is how long a server with a shared log keeps a state in memory that has no subscribers and does not change. The
	// default is 5 minutes.
	Idle time.Duration
	// Greeting limits the time until the handshake. The default is 10 seconds.
	Greeting time.Duration
	// Peer configures each connection.
	Peer *rpc.Options
	// Now returns the time. The default is [time.Now].
	Now func() time.Time
	// Numbers returns the number that a server continues from, given the last one in its log. The default returns one
	// that no server has ever given out, so that clients of a lost or restored log are detected. Override it only in
	// tests. A shared log has numbers of its own.
	Numbers func(last int64) (int64, error)
}

func (o Options[S, A]) withDefaults() Options[S, A] {
	o.Limits.Window = cmp.Or(o.Limits.Window, 10_000)
	o.Limits.WindowBytes = cmp.Or(o.Limits.WindowBytes, 16<<20)
	o.Limits.Known = cmp.Or(o.Limits.Known, 10_000)
	o.Limits.KnownFor = cmp.Or(o.Limits.KnownFor, 24*time.Hour)
	o.Limits.Idle = cmp.Or(o.Limits.Idle, 5*time.Minute)
	o.Limits.Greeting = cmp.Or(o.Limits.Greeting, 10*time.Second)
	if o.Limits.Now == nil {
		o.Limits.Now = time.Now
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return o
}

// Server holds states for clients. Its methods are safe for concurrent use, but must not be called from
// Options.Validate.
type Server[S comparable, A any] struct {
	protocol *Protocol[S, A]
	options  Options[S, A]
	table    *spec.Table
	start    []byte // of the notification that carries an envelope

	mu         sync.Mutex // guards the following fields, and determines the order of everything
	sequence   int64
	channels   map[string]*channel[S]
	clients    map[string]*Client  // connected clients by id
	spoken     map[Translation]int // connected clients of older versions
	known      map[string]*known
	window     []remembered[A] // recent actions
	bytes      int64           // size of the window
	forgotten  int64           // number of the last action dropped from the window
	gaps       []gap           // ranges of numbers never given out
	unsaved    int64           // bytes of actions in the log since the last checkpoint
	savedBytes int64
	closed     error         // why the server has ended, or nil
	failed     error         // error of the log
	done       chan struct{} // closed with the server
	serving    sync.WaitGroup
	served     map[*Client]bool // also those that have not introduced themselves

	lists []*kept[S, A]

	out     outbox
	notices notices
	watched notices // calls of the observer

	replica *replica[S, A] // with a shared log, or nil
}

// channel is a state, or a topic without one.
type channel[S any] struct {
	name        string
	state       S
	hasState    bool
	opened      int64     // sequence number when it was opened
	sequence    int64     // number of its last action
	saved       int64     // number of the state in the log
	entry       entry     // its list entry
	subscribers []*Client // copy-on-write
	copied      copied    // with a shared log
}

// json encodes the state at a sequence number.
func (s *Server[S, A]) json(c *channel[S], sequence int64) ([]byte, error) {
	return s.protocol.Snapshot(Snapshot[S]{c.name, c.state, sequence}).AppendJSON(nil)
}

// known is a client that may come back.
type known struct {
	version  string
	owner    string // name of the owning principal
	left     time.Time
	channels map[string]bool // subscriptions when it left; nil if unknown, as after a restart
	number   int64           // of its last record in a shared log
}

// remembered is an action in the window.
type remembered[A any] struct {
	Envelope[A]
	size int64
}

// New returns a server with the contents of its log.
func New[S comparable, A any](p *Protocol[S, A], o Options[S, A]) (*Server[S, A], error) {
	s := &Server[S, A]{
		protocol: p, options: o.withDefaults(), table: p.Table,
		channels: map[string]*channel[S]{}, clients: map[string]*Client{}, served: map[*Client]bool{}, known: map[string]*known{},
		done: make(chan struct{}),
	}
	s.start = append(wire.AppendString([]byte(`{"jsonrpc":"2.0","method":`), p.Action), `,"params":`...)
	s.out.room = sync.NewCond(&s.mu)
	start := s.load
	if o.Shared != nil {
		start = s.replicate
	}
	if err := start(); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	s.startLists()
	return s, nil
}

// Sequence returns the number of the last action, or the number the server continues from.
func (s *Server[S, A]) Sequence() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sequence
}

// State returns the state of a channel and whether it has one.
func (s *Server[S, A]) State(name string) (state S, ok bool) {
	if s.replica == nil || s.lockStates(s.replica.ctx, name) != nil { // which reports errors
		s.mu.Lock()
	}
	defer s.mu.Unlock()
	if c := s.channels[name]; c != nil && c.hasState {
		return c.state, true
	}
	return state, false
}

// Channels returns the channels, sorted.
func (s *Server[S, A]) Channels() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]string, 0, len(s.channels))
	for name := range s.channels {
		out = append(out, name)
	}
	codec.SortNames(out)
	return out
}

// Subscribers returns the number of subscribers of a channel.
func (s *Server[S, A]) Subscribers(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.channels[name]; c != nil {
		return len(c.subscribers)
	}
	return 0
}

// OpenChannel adds a channel with an initial state. It returns [ErrNoForm] or [ErrForeignState] if the protocol has
// no channel with such a URI and state.
func (s *Server[S, A]) OpenChannel(name string, state S) error {
	if wire.IsNil(state) {
		return fmt.Errorf("%s: %w", name, ErrNoState)
	}
	return s.open(&channel[S]{name: name, state: state, hasState: true})
}

// OpenStateless adds a channel without a state, on which notifications reach its subscribers. It returns ErrNoState
// if the protocol has no such channels.
func (s *Server[S, A]) OpenStateless(name string) error {
	if !s.protocol.Stateless {
		return fmt.Errorf("%s: %w", name, ErrNoState)
	}
	return s.open(&channel[S]{name: name})
}

func (s *Server[S, A]) open(c *channel[S]) error {
	if s.replica != nil {
		return s.openShared(c)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed != nil {
		return s.closed
	}
	if s.channels[c.name] != nil {
		return ErrChannelExists
	}
	if err := s.protocol.fits(c); err != nil {
		return err
	}
	c.opened, c.sequence, c.saved = s.sequence, s.sequence, s.sequence
	c.entry.opened = s.options.Limits.Now()
	r := Record{Kind: ChannelState, Key: c.name, Sequence: s.sequence, Opened: s.sequence, Time: c.entry.opened}
	if c.hasState {
		var err error
		if r.Data, err = s.json(c, s.sequence); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	s.channels[c.name] = c
	s.observe(rpc.Event{Type: rpc.EventChannelOpened, Channel: c.name, Count: len(s.channels)})
	s.record(r)
	s.listAdded(c)
	return nil
}

// Publish applies an action of the server and sends it to all subscribers. It returns once the action is queued; it
// is stored and sent soon after. Publish waits while the queue is full. With a shared log, it returns once the action is
// stored and applied, or the error: one that wraps [shared.ErrUnknown] means that it may have been stored.
func (s *Server[S, A]) Publish(name string, action A) error {
	if s.replica != nil {
		return s.publishShared(name, action)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.wait()
	if s.closed != nil {
		return s.closed
	}
	c := s.channels[name]
	if err := s.publishable(c, action); err != nil {
		return err
	}
	return s.emit(c, Envelope[A]{Channel: name, Action: action}, nil)
}

// publishable returns why the server's own action cannot be applied to a channel, or nil.
func (s *Server[S, A]) publishable(c *channel[S], action A) error {
	switch {
	case c == nil || !c.hasState:
		return ErrNoChannel
	case wire.IsNil(action) || !s.protocol.Fits(action, c.state):
		return ErrForeignAction
	}
	return nil
}

// emit numbers an envelope, applies its action unless rejected, and queues it for the log, the subscribers and the originating
// client. A rejected action's channel may not exist. The caller must hold the lock.
func (s *Server[S, A]) emit(c *channel[S], e Envelope[A], from *Client) error {
	now := s.options.Limits.Now()
	data, older, err := s.encoded(&e, from)
	if err != nil {
		return err
	}
	text := data[len(s.start) : len(data)-1]
	if c != nil && e.Refusal == nil {
		if c.state, err = s.protocol.apply(c.state, e.Action, now); err != nil {
			return err
		}
	}
	s.commit(c, e, delivery{data: data, from: from, older: older}, text)
	s.record(Record{Kind: Action, Key: e.Channel, Sequence: e.Sequence, Time: now, Data: text})
	if c != nil && e.Refusal == nil {
		s.listChanged(c)
	}
	s.checkpoint()
	return nil
}

// commit queues a numbered envelope, whose action was applied unless it was rejected, for the subscribers and the originating
// client, and keeps it for clients that reconnect. The caller must hold the lock.
func (s *Server[S, A]) commit(c *channel[S], e Envelope[A], d delivery, text json.RawMessage) {
	s.sequence = e.Sequence
	if c != nil {
		c.sequence = e.Sequence
		d.to = c.subscribers
	}
	if d.from != nil && !slices.Contains(d.to, d.from) {
		d.also = d.from
	}
	if e.Refusal == nil { // rejections are sent to clients of every version
		d.since, d.known = s.protocol.Since(e.Action)
		d.gated = true
	}
	s.remember(e, text)
	s.emitted(&d, e.Channel, e.Refusal)
	s.out.list = append(s.out.list, d)
}

// encoded numbers and encodes an envelope, also for the older versions in use.
func (s *Server[S, A]) encoded(e *Envelope[A], from *Client) (data []byte, older []lowered, err error) {
	for numbers := int64(1); ; {
		e.Sequence = s.sequence + numbers
		if data, err = s.encode(e, append([]byte(nil), s.start...), from == nil); err != nil {
			return nil, nil, err
		}
		data = append(data, '}')
		if len(s.spoken) == 0 {
			return data, nil, nil
		}
		var need int64
		if older, need = s.lower(data[len(s.start):len(data)-1], e.Refusal != nil); need <= numbers {
			return data, older, nil
		}
		numbers = need // one action here is several there, and each has a number
	}
}

// encode appends an envelope as JSON. Clients' messages are passed on unchanged, but own ones are validated.
func (s *Server[S, A]) encode(e *Envelope[A], dst []byte, own bool) ([]byte, error) {
	envelope := s.protocol.Envelope(*e)
	if own {
		return wire.AppendValid(dst, envelope)
	}
	return envelope.AppendJSON(dst)
}

// remember adds an envelope to the window and drops the oldest.
func (s *Server[S, A]) remember(e Envelope[A], data json.RawMessage) {
	s.window = append(s.window, remembered[A]{e, int64(len(data))})
	s.bytes += int64(len(data))
	gone := 0
	for len(s.window)-gone > s.options.Limits.Window || s.bytes > s.options.Limits.WindowBytes {
		s.forgotten = s.window[gone].Sequence
		s.bytes -= s.window[gone].size
		s.window[gone] = remembered[A]{}
		gone++
	}
	s.window = s.window[gone:]
}

// record queues a record for the log. The caller must hold the lock.
func (s *Server[S, A]) record(r Record) {
	if s.options.Log != nil {
		s.out.records = append(s.out.records, r)
		if r.Kind == Action {
			s.unsaved += int64(len(r.Data))
		}
	}
	s.out.bytes += int64(len(r.Data))
	s.kick()
}

// To returns a connection that sends notifications to all subscribers of a channel, encoded once, and omitted where a
// client's version lacks them. They are ordered with the actions. Calls fail.
func (s *Server[S, A]) To(name string) rpc.Conn { return toAll[S, A]{s, name} }

type toAll[S comparable, A any] struct {
	server *Server[S, A]
	name   string
}

func (t toAll[S, A]) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errors.New("a request cannot be sent to all subscribers of a channel")
}

func (t toAll[S, A]) Notify(_ context.Context, method string, params json.RawMessage) error {
	s := t.server
	d, err := s.notification(method, params)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.wait()
	if s.closed != nil {
		return s.closed
	}
	c := s.channels[t.name]
	if c == nil {
		return ErrNoChannel
	}
	d.to = c.subscribers
	s.put(d)
	return nil
}
