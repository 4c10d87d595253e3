// Clients of servers with sessions.

package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/internal/hooks"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// ErrSessionEnded is why a connection ended whose session the server does not know any more.
var ErrSessionEnded = errors.New("the server has ended the session")

// Transport is the client's side of a session. A request whose answer does not arrive fails alone, with a [*StatusError] for
// example.
type Transport struct {
	remote
	in     chan []byte
	ctx    context.Context
	cancel context.CancelCauseFunc

	notices hooks.Queue // calls of OnError, which writing does not wait for

	mu        sync.Mutex // guards the following fields
	session   string
	version   string
	opened    bool // the session is open
	listening bool // the stream of messages that answer no request was requested
	hears     bool // and it is read or asked for again
	scopes    scopes
	fail      func(id json.RawMessage, err error)
}

var (
	_ rpc.Transport = (*Transport)(nil)
	_ rpc.Failing   = (*Transport)(nil)
)

// Dial returns a transport to the server at a URL. It connects when something is sent. Streams that are cut are resumed if
// the dialect has the header LastEvent and the server has sent ids. Of what is sent, notifications and answers arrive in their
// order; a request may arrive behind what is sent after it, and its HTTP request ends when the call is given up. An answer that
// could not be sent is sent again. If that fails, or a notification cannot be sent, the connection ends.
func Dial(url string, d *Dialect, o *Options) *Transport {
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &Transport{remote: newRemote(url, d, o), in: make(chan []byte), ctx: ctx, cancel: cancel, fail: func(json.RawMessage, error) {}}
	onError := t.options.OnError
	t.options.OnError = func(err error) { t.notices.Offer(maxNotices, func() { onError(err) }) }
	return t
}

// maxNotices is how many calls of OnError may wait. Further errors are dropped.
const maxNotices = 1000

// OnFailure implements [rpc.Failing].
func (t *Transport) OnFailure(f func(id json.RawMessage, err error)) { t.fail = f }

// Read implements [rpc.Transport].
func (t *Transport) Read(limit int64) ([]byte, error) {
	select {
	case data := <-t.in:
		if int64(len(data)) > limit {
			return nil, fmt.Errorf("%w: a message of more than %d bytes", rpc.ErrTooLarge, limit)
		}
		return data, nil
	case <-t.ctx.Done():
		return nil, context.Cause(t.ctx)
	}
}

// Write implements [rpc.Transport].
func (t *Transport) Write(ctx context.Context, message []byte) error {
	m, err := rpc.Decode(message, nil)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if m.Kind == rpc.Request && !t.defers() {
		return t.ask(ctx, append([]byte(nil), message...))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	t.expect(ctx, &m)
	response, err := t.post(ctx, message, &m)
	for p := (place{}); err != nil && m.Method == "" && p.attempts < maxAttempts; { // one answer is taken, however often it comes
		if stopped := t.wait(t.ctx, &p); stopped != nil {
			return stopped
		}
		response, err = t.post(ctx, message, &m)
	}
	if err != nil {
		return t.unsent(ctx, &m, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode/100 != 2 {
		return t.unsent(ctx, &m, t.unwanted(response))
	}
	t.returned(&m)
	t.listen(ctx)
	return nil
}

// unwanted returns why a message was refused.
func (t *Transport) unwanted(response *http.Response) error {
	if t.gone(response) {
		return ErrSessionEnded
	}
	return t.refused(response)
}

// ask sends a request. It returns when the request is written, so that what comes after it arrives after it.
func (t *Transport) ask(ctx context.Context, message []byte) error {
	m, err := rpc.Decode(message, nil)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	wanted, cancel := t.wanted(ctx, &m)
	traced, written, tell := t.tracing(wanted)
	go func() {
		defer tell()
		defer cancel()
		if err := t.exchange(traced, message, &m); err != nil {
			t.fail(m.ID, err)
		}
	}()
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return rpc.ContextError(ctx)
	}
}

// wanted returns a context for a request that ends when its answer is not wanted any more. That to the request which opens the session
// is, since it says which one that is.
func (t *Transport) wanted(ctx context.Context, m *rpc.Message) (context.Context, context.CancelFunc) {
	t.mu.Lock()
	opens := !t.opened && (t.dialect.Open == "" || m.Method == t.dialect.Open)
	t.mu.Unlock()
	call := rpc.CallOf(ctx)
	ctx, cancel := context.WithCancel(t.ctx)
	if call == nil || opens {
		return ctx, cancel
	}
	stop := context.AfterFunc(call, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// tracing returns a context for a request, and a channel that is closed when it is written, or by tell.
func (t *Transport) tracing(parent context.Context) (ctx context.Context, written <-chan struct{}, tell func()) {
	done := make(chan struct{})
	tell = sync.OnceFunc(func() { close(done) })
	return httptrace.WithClientTrace(parent, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { tell() }}), done, tell
}

// exchange sends a request and hands on what comes as the answer.
func (t *Transport) exchange(ctx context.Context, message []byte, m *rpc.Message) error {
	response, err := t.post(ctx, message, m)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	opens := t.open(response, m)
	kind := mediaType(response)
	switch {
	case response.StatusCode != http.StatusOK:
		if t.gone(response) {
			return ErrSessionEnded
		}
		return t.refused(response)
	case kind == "text/event-stream":
		return t.follow(ctx, response, string(m.ID), opens)
	case kind != "application/json":
		return fmt.Errorf("the answer is %q, not application/json or text/event-stream", kind)
	}
	data, err := t.readAll(response.Body)
	if err != nil {
		return err
	}
	answer, err := rpc.Decode(data, batched)
	if err != nil || answer.Kind != rpc.Batch && string(answer.ID) != string(m.ID) {
		return errors.New("the body of the answer is not the answer to the request")
	}
	if opens {
		t.agree(&answer)
	}
	t.hand(data)
	return nil
}

// post sends a message.
func (t *Transport) post(ctx context.Context, message []byte, m *rpc.Message) (*http.Response, error) {
	return t.do(ctx, http.MethodPost, message, func(h http.Header) error {
		t.dialect.describe(h, m)
		t.returns(h, m)
		return errors.Join(t.headers(h), t.dialect.repeat(h, m, t.options.Schema))
	})
}

// headers sets those of the session.
func (t *Transport) headers(h http.Header) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session != "" {
		h.Set(t.dialect.Session, t.session)
	}
	if t.version != "" && t.dialect.Version != "" {
		h.Set(t.dialect.Version, t.version)
	}
	return nil
}

// open notes the session that a request has opened, and reports whether it has.
func (t *Transport) open(response *http.Response, m *rpc.Message) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opened || response.StatusCode != http.StatusOK || t.dialect.Open != "" && m.Method != t.dialect.Open {
		return false
	}
	t.opened = true
	if t.dialect.Session != "" {
		t.session = response.Header.Get(t.dialect.Session)
	}
	return true
}

// agree notes the version in the answer to the request that opened the session, which an error has not.
func (t *Transport) agree(answer *rpc.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if answer.Kind == rpc.Failure {
		t.opened, t.session = false, ""
		return
	}
	if t.dialect.Agreed != "" {
		t.version, _ = at(answer.Result, t.dialect.Agreed)
	}
	if t.dialect.Deferred {
		go t.listen(t.ctx) // where all else comes
	}
}

// hand gives a message to the reader.
func (t *Transport) hand(data []byte) {
	select {
	case t.in <- data:
	case <-t.ctx.Done():
	}
}

// How often a stream that is cut is asked for in vain, and how long it is waited for that.
const (
	maxAttempts = 6
	minWait     = 100 * time.Millisecond
	maxWait     = 10 * time.Second
)

// place is where a client is in a stream.
type place struct {
	id       string        // of the last event
	retry    time.Duration // as the server wishes, or 0
	attempts int           // without anything new
}

// wait waits before a stream is asked for again.
func (t *Transport) wait(ctx context.Context, p *place) error {
	d := p.retry
	if d == 0 {
		d = min(minWait<<min(p.attempts, 10), maxWait) - minWait // at once if something new has come
	}
	p.attempts++
	select {
	case <-time.After(min(d, time.Minute)):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// follow reads the stream of a request's answer, and resumes it where it is cut.
func (t *Transport) follow(ctx context.Context, response *http.Response, id string, opens bool) error {
	var p place
	for {
		answered, err := t.take(response.Body, &p, id, opens, "")
		switch {
		case answered:
			return nil
		case ctx.Err() != nil:
			return rpc.ContextError(ctx)
		}
		if p.id == "" || t.dialect.LastEvent == "" {
			return fmt.Errorf("answer: %w", cut(err))
		}
		response = nil
		for attempts := 0; response == nil; attempts++ {
			if attempts >= maxAttempts {
				return fmt.Errorf("answer: the stream could not be resumed: %w", err)
			}
			if failed := t.wait(ctx, &p); failed != nil {
				return failed
			}
			if response, err = t.get(ctx, p.id, ""); err != nil {
				if final(err) || ctx.Err() != nil {
					return fmt.Errorf("answer: the stream could not be resumed: %w", err)
				}
			}
		}
	}
}

// take hands on the messages of a stream until it ends, or until the answer with the id was among them.
func (t *Transport) take(body io.ReadCloser, p *place, id string, opens bool, scope string) (answered bool, err error) {
	defer func() { _ = body.Close() }()
	in := newEvents(body, t.options.MaxMessage)
	in.id = p.id
	for {
		e, err := in.next()
		if err != nil {
			return false, err
		}
		if e.id != p.id || e.id == "" && id == "" && len(e.data) > 0 { // what is listened to without ids does not come twice
			p.id, p.attempts = e.id, 0
		}
		if e.retry > 0 {
			p.retry = e.retry
		}
		if len(e.data) == 0 {
			continue
		}
		m, err := rpc.Decode(e.data, batched)
		last := err == nil && id != "" && (m.Kind == rpc.Result || m.Kind == rpc.Failure) && string(m.ID) == id
		if last && opens {
			t.agree(&m)
		}
		if err == nil && id == "" {
			t.note(&m, scope)
		}
		t.hand(e.data)
		if last {
			return true, nil
		}
	}
}

// final reports whether asking once more for a stream would be in vain. It is not where the server has not noticed yet that the
// connection was cut, for example.
func final(err error) bool {
	var refused *StatusError
	if !errors.As(err, &refused) {
		return errors.Is(err, ErrSessionEnded)
	}
	switch refused.Status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return refused.Status/100 == 4
}

// get asks for the stream of a scope, from an event on unless that is "".
func (t *Transport) get(ctx context.Context, from, scope string) (*http.Response, error) {
	response, err := t.do(ctx, http.MethodGet, nil, func(h http.Header) error {
		h.Set("Accept", "text/event-stream")
		if from != "" && t.dialect.LastEvent != "" {
			h.Set(t.dialect.LastEvent, from)
		}
		if scope != "" {
			h.Set(t.dialect.Scope, encodeValue(scope))
		}
		return t.headers(h)
	})
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusOK && mediaType(response) == "text/event-stream":
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	if t.gone(response) {
		return nil, ErrSessionEnded
	}
	return nil, t.refused(response)
}

// listen requests the stream of messages that answer no request, once the session is open. It returns when that is requested,
// so that it is before what comes after it.
func (t *Transport) listen(ctx context.Context) {
	t.mu.Lock()
	begins := t.dialect.Get && t.opened && !t.listening
	t.listening, t.hears = t.listening || begins, t.hears || begins
	t.mu.Unlock()
	if !begins {
		return
	}
	traced, written, tell := t.tracing(t.ctx)
	go func() {
		defer tell()
		err := t.hear(traced, "", tell)
		t.mu.Lock()
		t.hears = false
		t.mu.Unlock()
		if errors.Is(err, ErrSessionEnded) {
			t.cancel(err)
		}
		if err != nil && t.ctx.Err() == nil {
			t.options.OnError(fmt.Errorf("nothing more is heard of the server but answers: %w", err))
		}
	}()
	select {
	case <-written:
	case <-ctx.Done():
	case <-time.After(maxListen): // the sender of the requests gave no signal, or has no connection yet
	}
}

// hear reads that stream, and asks for it again when it ends, until the server refuses it.
func (t *Transport) hear(ctx context.Context, scope string, opened func()) error {
	var p place
	for {
		response, err := t.get(ctx, p.id, scope)
		var refused *StatusError
		switch {
		case err == nil:
			opened()
			_, err = t.take(response.Body, &p, "", false, scope) // it is asked for again, whatever the reason
			if p.id == "" {
				t.lose(scope, cut(err))
			}
		case errors.As(err, &refused) && refused.Status == http.StatusMethodNotAllowed:
			return nil // the server has no such stream
		case final(err) && p.id != "" && !errors.Is(err, ErrSessionEnded):
			t.options.OnError(fmt.Errorf("messages of the server may be lost: %w", err))
			t.lose(scope, err)
			p.id = ""
		case final(err):
			return err
		}
		if err := t.wait(ctx, &p); err != nil {
			return err
		}
	}
}

// maxListen limits how long the request for a stream holds back what comes after it, and how long the stream is read to its end.
const maxListen = time.Second

// closeTimeout limits the request that ends a session.
const closeTimeout = 5 * time.Second

// Close implements [rpc.Transport]. It ends the session at the server if the protocol has that. It does not wait for OnError, which may
// wait for the end itself.
func (t *Transport) Close(string) error {
	t.mu.Lock()
	ends := t.dialect.Delete && t.session != "" && t.ctx.Err() == nil
	t.mu.Unlock()
	t.cancel(rpc.ErrClosed)
	if !ends {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	response, err := t.do(ctx, http.MethodDelete, nil, t.headers)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	return nil
}
