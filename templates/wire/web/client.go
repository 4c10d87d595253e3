// Clients of servers without sessions.

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Client sends each request and notification by itself. It is an [rpc.Conn] and an [rpc.Streamer]. What its requests have in
// common, such as a session, is in their parameters. When the context of a call ends, so does its HTTP request, from which
// the server learns that the answer is not wanted.
type Client struct {
	remote
	lastID atomic.Uint64
}

var (
	_ rpc.Conn     = (*Client)(nil)
	_ rpc.Streamer = (*Client)(nil)
)

// NewClient returns a client of the server at a URL. It connects when something is sent. A nil d stands for JSON-RPC
// without more, and a nil o for defaults.
func NewClient(url string, d *Dialect, o *Options) *Client {
	return &Client{remote: newRemote(url, d, o)}
}

// Call implements [rpc.Conn].
func (c *Client) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if _, ok := ctx.Deadline(); !ok && c.options.CallTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.options.CallTimeout, fmt.Errorf("no answer within %v: %w", c.options.CallTimeout, context.DeadlineExceeded))
		defer cancel()
	}
	var result json.RawMessage
	var failed error
	answered := false
	err := c.request(ctx, method, params, func(m rpc.Message, err error) bool {
		result, failed, answered = m.Result, err, true
		return false
	})
	switch {
	case err != nil:
		return nil, err
	case !answered:
		return nil, fmt.Errorf("no answer: %w", io.ErrUnexpectedEOF)
	}
	return result, failed
}

// Stream implements [rpc.Streamer].
func (c *Client) Stream(ctx context.Context, method string, params json.RawMessage) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		err := c.request(ctx, method, params, func(m rpc.Message, err error) bool {
			return yield(m.Result, err) && err == nil
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// Notify implements [rpc.Conn].
func (c *Client) Notify(ctx context.Context, method string, params json.RawMessage) error {
	response, err := c.post(ctx, &rpc.Message{Kind: rpc.Notification, Method: method, Params: params})
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		return c.refused(response)
	}
	return nil
}

func (c *Client) post(ctx context.Context, m *rpc.Message) (*http.Response, error) {
	body, err := m.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, http.MethodPost, wire.Repaired(body), func(h http.Header) error {
		c.dialect.describe(h, m)
		return c.dialect.repeat(h, m, c.options.Schema)
	})
}

// request sends a request and calls got with each of its answers: results, then perhaps an error. If got returns false, no
// more are wanted.
func (c *Client) request(ctx context.Context, method string, params json.RawMessage, got func(rpc.Message, error) bool) error {
	id := strconv.FormatUint(c.lastID.Add(1), 10)
	response, err := c.post(ctx, &rpc.Message{Kind: rpc.Request, ID: json.RawMessage(id), Method: method, Params: params})
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	kind := mediaType(response)
	switch {
	case response.StatusCode != http.StatusOK:
		return c.refused(response)
	case kind == "text/event-stream":
		return c.read(ctx, newEvents(response.Body, c.options.MaxMessage), id, got)
	}
	data, err := c.readAll(response.Body)
	switch {
	case err != nil:
		return rpc.WithCause(ctx, err)
	case kind != "application/json" && !json.Valid(data): // some servers do not say that it is
		return fmt.Errorf("the answer is %q, not application/json or text/event-stream", kind)
	}
	answered := false
	_, err = c.take(ctx, data, id, func(m rpc.Message, err error) bool {
		answered = true
		return got(m, err)
	})
	if !answered && err == nil {
		return errors.New("the body of the answer is not the answer to the request")
	}
	return err
}

// read reads answers from a stream until it ends.
func (c *Client) read(ctx context.Context, in *events, id string, got func(rpc.Message, error) bool) error {
	for {
		e, err := in.next()
		if err == io.EOF { //nolint:errorlint // of a stream that ended in good order, unwrapped
			return nil
		}
		if err != nil {
			return rpc.WithCause(ctx, fmt.Errorf("answer: %w", err))
		}
		if len(e.data) == 0 {
			continue
		}
		if more, err := c.take(ctx, e.data, id, func(m rpc.Message, err error) bool { return got(m, err) && err == nil }); err != nil || !more {
			return err
		}
	}
}

// take handles a message from the server. It reports whether more are wanted: after an answer, got decides.
func (c *Client) take(ctx context.Context, data []byte, id string, got func(rpc.Message, error) bool) (more bool, err error) {
	m, err := c.decode(data)
	switch {
	case err != nil:
		return false, errors.New("malformed answer: " + rpc.AsError(err).Message)
	case m.Kind == rpc.Notification:
		if !rpc.Progress(ctx, &m) && c.options.Handler != nil {
			c.notify(ctx, &m)
		}
		return true, nil
	case m.Kind == rpc.Result && string(m.ID) == id:
		return got(m, nil), nil
	case m.Kind == rpc.Failure && (string(m.ID) == id || string(m.ID) == "null"):
		return got(m, m.Error), nil
	}
	c.options.OnError(fmt.Errorf("a %s in the answer to another request", m.Kind))
	return true, nil
}

// notify handles a notification, whatever becomes of the handler: the answer is still to come.
func (c *Client) notify(ctx context.Context, m *rpc.Message) {
	err := hooks.Apart("the handler of "+wire.Readable(m.Method), func() { _, _ = c.options.Handler.ServeRPC(ctx, m) })
	if err != nil {
		c.options.OnError(err)
	}
}

func (c *Client) decode(data []byte) (rpc.Message, error) {
	if c.options.Handler != nil {
		return c.options.Handler.DecodeRPC(data)
	}
	return rpc.Decode(data, nil)
}
