// Package passthrough carries another protocol on a channel of one: its messages are requests and notifications of the outer
// connection whose parameters name the channel. A [Channel] is the side that uses it, and a [Relay] the side that has the connection to
// who speaks that protocol.
package passthrough

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Channel is a connection over a channel. What a generated package sends with it is cancelled and reports progress as over a
// connection of its own. Set the fields before first use, and do not copy it.
type Channel struct {
	// Handler handles what comes, such as the handlers of a generated package. It is nil if only answers come.
	Handler rpc.Handler
	// Answers are results of requests that are not sent, by method: those that the outer protocol has as well, or that the other
	// side does not relay, such as a handshake. A notification among them is not sent.
	Answers map[string]json.RawMessage

	conn        rpc.Conn
	member, uri string

	mu    sync.Mutex // guards the following field
	calls map[*open]bool
}

// open is a call in progress.
type open struct{ ctx context.Context }

var _ rpc.Conn = (*Channel)(nil)

// New returns a connection over the channel with a URI, which parameters have as a member. [Channel.Handle] must be called with what comes.
func New(conn rpc.Conn, member, uri string) *Channel {
	return &Channel{conn: conn, member: member, uri: uri, calls: map[*open]bool{}}
}

// Call implements [rpc.Conn].
func (c *Channel) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if answer, ok := c.Answers[method]; ok {
		return answer, nil
	}
	params, err := with(params, c.member, wire.AppendString(nil, c.uri))
	if err != nil {
		return nil, err
	}
	call := &open{ctx}
	c.mu.Lock()
	c.calls[call] = true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, call)
	}()
	return c.conn.Call(rpc.CancelWith(ctx, c.member, c.uri), method, params)
}

// Notify implements [rpc.Conn].
func (c *Channel) Notify(ctx context.Context, method string, params json.RawMessage) error {
	if _, ok := c.Answers[method]; ok {
		return nil
	}
	params, err := with(params, c.member, wire.AppendString(nil, c.uri))
	if err != nil {
		return err
	}
	return c.conn.Notify(ctx, method, params)
}

// Handle handles a message that has come on the channel. It is an [rpc.PassThroughHandler] for a connection with one channel; with
// several, call that of the channel whose URI it gets.
func (c *Channel) Handle(ctx context.Context, _, method string, params json.RawMessage) (json.RawMessage, error) {
	if c.Handler == nil {
		return nil, rpc.MethodNotFound
	}
	params, err := with(params, c.member, nil)
	if err != nil {
		return nil, err
	}
	m, err := message(ctx, c.Handler, method, params)
	if err != nil {
		return nil, err
	}
	if m.Kind == rpc.Notification && c.progress(&m) {
		return nil, nil
	}
	return c.Handler.ServeRPC(rpc.WithCaller(ctx, c), &m)
}

// progress reports whether a notification is about the progress of a call.
func (c *Channel) progress(m *rpc.Message) bool {
	c.mu.Lock()
	calls := make([]*open, 0, len(c.calls))
	for call := range c.calls {
		calls = append(calls, call)
	}
	c.mu.Unlock()
	for _, call := range calls {
		if rpc.Progress(call.ctx, m) {
			return true
		}
	}
	return false
}

// message returns a message as a handler decodes it.
func message(ctx context.Context, h rpc.Handler, method string, params json.RawMessage) (rpc.Message, error) {
	m := rpc.Message{Kind: rpc.Notification, Method: method, Params: params}
	if id := rpc.HandledID(ctx); id != nil {
		m.Kind, m.ID = rpc.Request, id
	}
	data, err := m.AppendJSON(nil)
	if err != nil {
		return m, err
	}
	return h.DecodeRPC(data)
}

// with returns parameters with a member, or without it if the value is nil.
func with(params json.RawMessage, member string, value json.RawMessage) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if len(params) > 0 && json.Unmarshal(params, &members) != nil {
		return nil, errors.New("the parameters are no object, which the member " + wire.Excerpt(member) + " needs")
	}
	if value == nil {
		delete(members, member)
	} else {
		members[member] = value
	}
	return json.Marshal(members)
}
