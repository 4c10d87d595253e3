// Sending: requests that wait for their answer, notifications, and answers.

package ahpws

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/generated/ahp"
)

// Call sends a request and waits for its answer. AHP has no message that cancels a request: when the
// context ends, the answer is no longer waited for, and the peer goes on.
func (c *Conn) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id, answer := c.expect()
	defer c.forget(id)
	m := ahp.RPCMessage{Kind: ahp.RPCRequest, ID: json.RawMessage(id), Method: method, Params: params}
	if err := c.write(ctx, m); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		return result(m)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ended:
	}
	select {
	case m := <-answer: // the last thing that came
		return result(m)
	default:
		return nil, c.closed()
	}
}

func result(m ahp.RPCMessage) (json.RawMessage, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// Notify sends a notification. Those of one goroutine arrive in the order of its calls.
func (c *Conn) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return c.write(ctx, ahp.RPCMessage{Kind: ahp.RPCNotification, Method: method, Params: params})
}

// expect makes up an id and a place for the answer.
func (c *Conn) expect() (id string, answer chan ahp.RPCMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id = strconv.FormatUint(c.lastID, 10)
	answer = make(chan ahp.RPCMessage, 1)
	c.waiting[id] = answer
	return id, answer
}

func (c *Conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// resolve brings an answer to who waits for it. That nobody waits any more is no mistake of the peer, as
// long as there was such a request.
func (c *Conn) resolve(m ahp.RPCMessage) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := string(m.ID)
	if answer, ok := c.waiting[id]; ok {
		delete(c.waiting, id) // a second answer finds nobody
		answer <- m
		return nil
	}
	if n, err := strconv.ParseUint(id, 10, 64); err == nil && n > 0 && n <= c.lastID {
		return nil
	}
	if m.Error != nil {
		return fmt.Errorf("answer with id %s to no request: %w", shownID(id), m.Error)
	}
	return fmt.Errorf("answer with id %s to no request", shownID(id))
}

// shownID is an id as it stands in an error: what is long is cut, and what cannot be printed is escaped.
func shownID(id string) string {
	if len(id) <= 100 && !strings.ContainsFunc(id, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return id
	}
	return fmt.Sprintf("%.100q", id)
}

// write sends one message. The context can end the wait for one's turn, not a message half sent: that
// would end the connection.
func (c *Conn) write(ctx context.Context, m ahp.RPCMessage) error {
	data, err := m.AppendJSON(nil)
	if err != nil {
		return err
	}
	select {
	case <-c.writing:
		defer func() { c.writing <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ended:
		return c.closed()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.WriteTimeout)
	defer cancel()
	if err := c.socket.Write(limit, websocket.MessageText, data); err != nil {
		c.end(err)
		_ = c.socket.CloseNow() // wakes the reader
		return c.closed()
	}
	return nil
}
