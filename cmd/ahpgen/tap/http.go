// HTTP: messages that are bodies of requests, of answers, and events.

package tap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ahpgen/ahpgen/cmd/ahpgen/tap/record"
	"github.com/ahpgen/ahpgen/generator/protocol"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Web says how messages of a protocol belong together.
type Web struct {
	Session string          // the header with the id of a session, or ""
	Opens   map[string]bool // the methods that begin a connection
	Resumes string          // the header with the id of the event behind which a stream goes on, or ""
}

// ServeHTTP passes on requests to the target until ctx ends. Bodies and headers are as they were, but for what proxies have to
// change. The messages of a session are those of one connection; without sessions, those of a client's address from one
// handshake to the next.
func (t *Tap) ServeHTTP(ctx context.Context, l net.Listener, to Target, web Web, failed func(error)) error {
	p := &proxy{tap: t, web: web, conns: map[string]int{}}
	p.ReverseProxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: to.URL.Scheme, Host: to.URL.Host})
			r.Out.URL.Path = r.In.URL.Path
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.Out.Header.Del("Accept-Encoding") // what is compressed cannot be read
		},
		ModifyResponse: p.answer,
		FlushInterval:  -1,
		ErrorLog:       log.New(reporter(failed), "", 0),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if !errors.Is(err, context.Canceled) {
				failed(err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
	}
	server := &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// opens reports whether a message begins a connection.
func (w *Web) opens(body []byte) bool {
	m, err := rpc.Decode(body, nil)
	return err == nil && w.Opens[m.Method]
}

type proxy struct {
	*httputil.ReverseProxy
	tap *Tap
	web Web

	sent    sentEvents
	streams atomic.Int64

	mu    sync.Mutex
	conns map[string]int // by session, or by address
	last  int
}

const maxSessions = 10_000

// conn returns the number of a connection. One that begins without a session is that of the client's address, until it has one.
func (p *proxy) conn(key string, begins bool) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.conns[key]
	if !ok || begins {
		if len(p.conns) >= maxSessions {
			clear(p.conns)
		}
		p.last++
		n = p.last
		p.conns[key] = n
	}
	return n
}

// name gives a connection that has begun without a session its id.
func (p *proxy) name(session, address string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.conns[session]; ok {
		return
	}
	p.conns[session] = n
	if p.conns[address] == n {
		delete(p.conns, address) // the next one begins another session
	}
}

// exchange is a request of HTTP, and what is known of its answer.
type exchange struct {
	conn   int
	status int  // 0 before there is one
	whole  bool // it was passed on to its end
}

type exchangeKey struct{}

// ServeHTTP notes what a client sends.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = http.NewResponseController(w).EnableFullDuplex() // a host may answer before it has read what it does not need
	var body []byte
	var gone error
	rest := &seen{ReadCloser: r.Body, left: r.ContentLength}
	if r.Method == http.MethodPost {
		// The message is noted before the host has it, so that its answer comes after it.
		body, gone = io.ReadAll(io.LimitReader(r.Body, record.Limit+1))
		rest.left -= int64(len(body))
		r.Body = readCloser{io.MultiReader(bytes.NewReader(body), rest), rest}
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	key, session := "address "+address, r.Header.Get(p.web.Session)
	if p.web.Session != "" && session != "" {
		key = session
	}
	opens := p.web.opens(body)
	n := p.conn(key, session == "" && opens)
	m := p.message(record.Entry{Conn: n, From: protocol.FromClient, Shared: session == "" && !opens})
	m.add(body)
	rest.add, rest.end = m.add, m.finish
	if gone != nil || len(body) <= record.Limit {
		rest.finish(gone == nil)
	}
	if gone != nil {
		return
	}
	defer rest.finish(false)
	x := &exchange{conn: n}
	defer func() { // ReverseProxy panics if a side is gone while the answer is passed on
		switch {
		case !x.whole && r.Context().Err() != nil:
			p.over(n, body, record.Entry{From: protocol.FromClient})
		case x.whole && x.status >= http.StatusBadRequest:
			p.over(n, body, record.Entry{From: protocol.FromHost, Status: x.status})
		}
	}()
	p.ReverseProxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x)))
	x.whole = x.status != 0
}

var batches = &spec.Table{Batches: &spec.Batching{}}

// over notes how the exchange of the requests in a body has ended.
func (p *proxy) over(n int, body []byte, e record.Entry) {
	m, err := rpc.Decode(body, batches)
	parts := []json.RawMessage{body}
	if err == nil && m.Kind == rpc.Batch && json.Unmarshal(m.Params, &parts) != nil {
		return
	}
	for _, part := range parts {
		if m, err = rpc.Decode(part, batches); err == nil && m.Kind == rpc.Request {
			e.Time, e.Conn, e.Over = time.Now(), n, string(m.ID)
			p.tap.put(e)
		}
	}
}

// reporter is a writer that reports lines as errors.
type reporter func(error)

// Write implements [io.Writer].
func (r reporter) Write(line []byte) (int, error) {
	r(errors.New(string(bytes.TrimSpace(line))))
	return len(line), nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// answer notes what the host answers.
func (p *proxy) answer(r *http.Response) error {
	x, ok := r.Request.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return errors.New("an answer to no request")
	}
	n := x.conn
	x.status = r.StatusCode
	address, _, _ := net.SplitHostPort(r.Request.RemoteAddr)
	if session := r.Header.Get(p.web.Session); p.web.Session != "" && session != "" {
		p.name(session, "address "+address, n)
	}
	switch kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); {
	case kind == "text/event-stream":
		e := &events{message: p.message(record.Entry{Conn: n, From: protocol.FromHost})}
		if resumes := p.web.Resumes; resumes != "" {
			again := r.Request.Header.Get(resumes) != ""
			e.sent = func(id, data []byte) bool { return p.sent.add(n, id, data) && again }
		}
		r.Body = &seen{ReadCloser: r.Body, add: e.split, end: e.over, left: -1}
	case strings.HasSuffix(kind, "json"):
		m := p.message(record.Entry{Conn: n, From: protocol.FromHost})
		r.Body = &seen{ReadCloser: r.Body, add: m.add, end: m.finish, left: r.ContentLength}
	}
	return nil
}
