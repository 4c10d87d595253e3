// Relays: the side of a channel that has the connection to who speaks the other protocol.

package passthrough

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Relay carries messages between a channel, which several clients may use, and one server of another protocol, which knows of
// one client. Requests have ids of their own on both sides, and so do tokens of progress. It is the [rpc.Handler] of the server's
// connection. Set the fields before first use, and do not copy it.
type Relay struct {
	// Server is the connection to the server, on which the handshake has been made.
	Server rpc.Conn
	// Member is the parameter with the channel, and URI its value.
	Member, URI string
	// Table says how the protocol cancels requests and reports progress. The rest of it is not used.
	Table *spec.Table
	// Answers are results of requests of the server that are not for clients, by method, such as signs of life.
	Answers map[string]json.RawMessage

	mu      sync.Mutex           // guards the following fields
	open    map[place][]*request // usually one
	clients []rpc.Conn           // the one that has asked last comes last
}

// request is an open request.
type request struct{ cancel context.CancelCauseFunc }

// place is the id of a request of a client, which may have several of one id.
type place struct {
	client rpc.Conn
	id     string
}

var _ rpc.Handler = (*Relay)(nil)

// Handle relays a message of a client. It is an [rpc.PassThroughHandler].
func (r *Relay) Handle(ctx context.Context, _, method string, params json.RawMessage) (json.RawMessage, error) {
	client := rpc.CallerOf(ctx)
	params, err := with(params, r.Member, nil)
	if err != nil {
		return nil, err
	}
	id := rpc.HandledID(ctx)
	if id == nil {
		return nil, r.notice(ctx, client, method, params)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	at := place{client, string(id)}
	one := &request{cancel}
	r.enter(at, one)
	defer r.leave(at, one)
	if token := r.token(params); token != nil {
		if params, err = r.retoken(params, nil); err != nil {
			return nil, err
		}
		ctx = rpc.WithProgress(ctx, func(told json.RawMessage) { r.tell(ctx, client, told, token) })
	}
	rpc.Async(ctx)
	ctx, params = rpc.PrepareCall(ctx, r.Table, method, params)
	return r.Server.Call(ctx, method, params)
}

// notice relays a notification of a client.
func (r *Relay) notice(ctx context.Context, client rpc.Conn, method string, params json.RawMessage) error {
	if c := r.Table.Cancel; c != nil && method == c.Method {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(params, &members) // which with has read
		r.mu.Lock()
		open := slices.Clone(r.open[place{client, string(members[c.Member])}])
		r.mu.Unlock()
		for _, one := range open {
			one.cancel(rpc.ErrCancelled) // the server gets a notification with the id that it knows
		}
		return nil
	}
	return r.Server.Notify(ctx, method, params)
}

// enter notes a request, and its client as one to notify.
func (r *Relay) enter(at place, one *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[place][]*request{}
	}
	r.open[at] = append(r.open[at], one)
	r.drop(at.client)
	r.clients = append(r.clients, at.client)
}

func (r *Relay) leave(at place, one *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[at] = slices.DeleteFunc(r.open[at], func(other *request) bool { return other == one })
	if len(r.open[at]) == 0 {
		delete(r.open, at)
	}
}

// drop forgets a client. The caller must hold the lock.
func (r *Relay) drop(client rpc.Conn) {
	for i, other := range r.clients {
		if other == client {
			r.clients = append(r.clients[:i], r.clients[i+1:]...)
			return
		}
	}
}

// Leave forgets a client, whose connection has ended.
func (r *Relay) Leave(client rpc.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(client)
}

// token returns the token of progress in the parameters of a request, or nil.
func (r *Relay) token(params json.RawMessage) json.RawMessage {
	p := r.Table.Progress
	for i := 0; p != nil && i < len(p.Request); i++ {
		var members map[string]json.RawMessage
		if json.Unmarshal(params, &members) != nil {
			return nil
		}
		params = members[p.Request[i]]
	}
	if p == nil || len(params) == 0 {
		return nil
	}
	return params
}

// retoken returns the parameters of a request with another token, or without one.
func (r *Relay) retoken(params, token json.RawMessage) (json.RawMessage, error) {
	return at(params, r.Table.Progress.Request, token)
}

// at returns an object with another value at a path.
func at(object json.RawMessage, path []string, value json.RawMessage) (json.RawMessage, error) {
	if len(path) > 1 {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(object, &members); err != nil {
			return nil, err
		}
		var err error
		if value, err = at(members[path[0]], path[1:], value); err != nil {
			return nil, err
		}
	}
	return with(object, path[0], value)
}

// tell reports progress to a client, with its own token.
func (r *Relay) tell(ctx context.Context, client rpc.Conn, params, token json.RawMessage) {
	params, err := with(params, r.Table.Progress.Token, token)
	if err == nil {
		r.send(ctx, client, r.Table.Progress.Method, params)
	}
}

// send notifies a client. One that cannot be reached is forgotten.
func (r *Relay) send(ctx context.Context, client rpc.Conn, method string, params json.RawMessage) {
	params, err := with(params, r.Member, wire.AppendString(nil, r.URI))
	if err == nil && client.Notify(context.WithoutCancel(ctx), method, params) != nil {
		r.Leave(client)
	}
}

// DecodeRPC implements [rpc.Handler].
func (r *Relay) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, r.Table) }

// ServeRPC implements [rpc.Handler]. A notification of the server is for all clients that have asked it something, and a request
// for the one that has done so last.
func (r *Relay) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if answer, ok := r.Answers[m.Method]; ok {
		return answer, nil
	}
	r.mu.Lock()
	clients := append([]rpc.Conn(nil), r.clients...)
	r.mu.Unlock()
	if m.Kind == rpc.Notification {
		for _, client := range clients {
			r.send(ctx, client, m.Method, m.Params)
		}
		return nil, nil
	}
	if len(clients) == 0 {
		return nil, m.NotFound()
	}
	params, err := with(m.Params, r.Member, wire.AppendString(nil, r.URI))
	if err != nil {
		return nil, err
	}
	rpc.Async(ctx)
	ctx, params = rpc.PrepareCall(ctx, r.Table, m.Method, params)
	return clients[len(clients)-1].Call(rpc.CancelWith(ctx, r.Member, r.URI), m.Method, params)
}
