// Clients: the server's side of each connection.

package server

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Client is a connected client. It is an [rpc.Conn] at the negotiated version. Its notifications are ordered with
// everything else sent to the client.
type Client struct {
	peer      *rpc.Peer
	server    sender
	principal rpc.Principal
	probe     string // method used to ping it
	id        string
	version   string
	older     Translation // nil if the version needs none
	versions  spec.Order
	open      bool
	gone      bool
	large     int   // large answers in transit; guarded by the server's lock
	joined    int64 // number of the record of its joining in a shared log

	proposed, proposedBytes int // its actions that are queued for a shared log; guarded by the server's lock

	channels map[string]bool   // subscriptions; guarded by the server's lock
	listed   map[string]*entry // list entries it has seen, if not all clients see all; guarded alike
	has      map[string]bool   // cache of what the client's version includes, by version of introduction
}

// sender queues a message to one client.
type sender interface {
	sendTo(c *Client, method string, data []byte) error
}

var _ rpc.Conn = (*Client)(nil)

// Principal returns who is at the other end, as determined by the code that accepted the connection; see
// [rpc.WithPrincipal].
func (c *Client) Principal() rpc.Principal { return c.principal }

// ID returns the id that the client has chosen, once it was granted.
func (c *Client) ID() string { return c.id }

// Version returns the negotiated version.
func (c *Client) Version() string { return c.version }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.peer.Done() }

// Close closes the connection gracefully. The client's handlers must call it on another goroutine.
func (c *Client) Close() error { return c.peer.Close() }

// Call implements [rpc.Conn].
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return c.peer.Call(ctx, method, params)
}

// Notify implements [rpc.Conn].
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.older != nil {
		lowered, err := c.older.LoweredParams(method, params)
		if err != nil || lowered == nil && params != nil {
			return err
		}
		params = lowered
	}
	data, err := (&rpc.Message{Kind: rpc.Notification, Method: method, Params: params}).AppendJSON(nil)
	if err != nil {
		return err
	}
	return c.server.sendTo(c, method, data)
}

func (s *Server[S, A]) sendTo(c *Client, method string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return rpc.ErrClosed
	}
	s.out.list = append(s.out.list, delivery{data: data, method: method, also: c, plain: true})
	s.out.bytes += int64(len(data))
	s.kick()
	return nil
}

// Serve serves a client until its connection ends, like [rpc.Peer.Serve]. The context identifies the principal, see
// [rpc.WithPrincipal]. If the server has ended, the first request is answered with an error.
func (s *Server[S, A]) Serve(ctx context.Context, t rpc.Transport) error {
	c := &Client{server: s, versions: s.table.Versions, channels: map[string]bool{}, principal: rpc.PrincipalOf(ctx), probe: "ping"}
	if names := s.protocol.Anytime; len(names) > 0 {
		c.probe = names[0]
	}
	o := s.peerOptions()
	c.peer = rpc.NewPeer(t, &o)
	s.mu.Lock()
	if closed, why := s.closed, s.over(); closed != nil {
		s.mu.Unlock()
		turnAway(ctx, c.peer, why)
		return closed
	}
	s.serving.Add(1)
	s.served[c] = true
	s.mu.Unlock()
	defer s.serving.Done()

	err := c.peer.Serve(ctx, &handler[S, A]{server: s, client: c})
	s.leave(c)
	return err
}

// peerOptions returns the limits of a connection before its handshake.
func (s *Server[S, A]) peerOptions() rpc.Options {
	var o rpc.Options
	if s.options.Limits.Peer != nil {
		o = *s.options.Limits.Peer
	}
	if o.GreetingTimeout == 0 {
		o.GreetingTimeout = s.options.Limits.Greeting
	}
	if o.MaxGreeting == 0 {
		o.MaxGreeting = 1 << 20
	}
	if o.Observe == nil {
		o.Observe = s.options.Observe
	}
	return o
}

// leave removes a connection.
func (s *Server[S, A]) leave(c *Client) {
	s.mu.Lock()
	s.part(c)
	delete(s.served, c)
	was := c.open
	s.mu.Unlock()
	if was && s.options.Left != nil {
		s.options.Left(c)
	}
}

// part removes a client from everything but the clients that may come back. The caller must hold the lock.
func (s *Server[S, A]) part(c *Client) {
	if c.gone {
		return
	}
	c.gone = true
	s.out.room.Broadcast() // for its actions that wait
	s.hush(c)
	had := maps.Clone(c.channels)
	for name := range had {
		if on := s.channels[name]; on != nil {
			s.quit(on, c)
		}
	}
	c.channels = map[string]bool{}
	if c.open && s.clients[c.id] == c {
		delete(s.clients, c.id)
		s.observe(rpc.Event{Type: rpc.EventLeft, Conn: c.peer.Number(), Client: c.id, Count: len(s.clients)})
		if k := s.known[c.id]; k != nil {
			k.left, k.channels = s.options.Limits.Now(), had
		}
	}
}

func (s *Server[S, A]) connected() []*Client { return slices.Collect(maps.Values(s.clients)) }

// join adds a subscriber. The caller must hold the lock.
func (s *Server[S, A]) join(on *channel[S], c *Client) {
	if !c.channels[on.name] {
		c.channels[on.name] = true
		on.subscribers = append(slices.Clip(on.subscribers), c)
		s.subscribed(rpc.EventSubscribed, on.name, len(on.subscribers), c)
	}
}

func (on *channel[S]) leave(c *Client) {
	if i := slices.Index(on.subscribers, c); i >= 0 {
		on.subscribers = slices.Delete(slices.Clone(on.subscribers), i, i+1)
	}
	delete(c.channels, on.name)
}

// welcome makes a connection act as a client. An older connection of the same client is closed. The caller must hold
// the lock.
func (s *Server[S, A]) welcome(c *Client, id, version string) {
	if older := s.clients[id]; older != nil {
		s.part(older)
		older.peer.EndReplaced()
	}
	c.id, c.version, c.open = id, version, true
	s.speak(c, version)
	s.clients[id] = c
	s.observe(rpc.Event{Type: rpc.EventJoined, Conn: c.peer.Number(), Client: id, Version: version, Count: len(s.clients)})
	c.peer.Welcome()
	k := s.known[id]
	if k == nil {
		s.forgetSome()
		k = &known{}
		s.known[id] = k
	}
	owner := cmp.Or(k.owner, c.principal.Name)
	if k.version != version || k.owner != owner {
		k.version, k.owner = version, owner
		s.record(Record{Kind: ClientKnown, Key: id, Data: knownData(version, owner)})
	}
}

// absent is a disconnected client and the time it left.
type absent struct {
	id, owner string
	left      time.Time
}

// sortAbsent is no part of a server, which is generic and would take all of sorting along into each package.
//
//go:noinline
func sortAbsent(away []absent) {
	slices.SortFunc(away, func(a, b absent) int { return a.left.Compare(b.left) })
}

// forgetSome makes room among the clients that may come back: expired ones are dropped, then a tenth of those of the
// principal with the most, so that a peer with ever new ids only affects its own. The caller must hold the lock.
func (s *Server[S, A]) forgetSome() {
	if len(s.known) < s.options.Limits.Known {
		return
	}
	var away []absent
	count, most := map[string]int{}, ""
	for id, k := range s.known {
		if s.clients[id] == nil {
			away = append(away, absent{id, k.owner, k.left})
			if count[k.owner]++; count[k.owner] > count[most] {
				most = k.owner
			}
		}
	}
	sortAbsent(away)
	long := s.options.Limits.Now().Add(-s.options.Limits.KnownFor)
	room := max(1, s.options.Limits.Known/10)
	for _, a := range away {
		old := !a.left.After(long)
		if !old && (room <= 0 || a.owner != most) {
			continue
		}
		room--
		delete(s.known, a.id)
		s.record(Record{Kind: ClientGone, Key: a.id})
	}
}

// reaches reports whether a client's version includes an envelope's action.
func (s *Server[S, A]) reaches(c *Client, e Envelope[A]) bool {
	if e.Refusal != nil || c.older != nil {
		return true
	}
	since, ok := s.protocol.Since(e.Action)
	return ok && s.table.Versions.KnownIn(c.version, since)
}
