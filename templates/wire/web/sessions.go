// Servers with sessions: requests of one client that belong together, in which both sides may ask.

package web

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// Sessions is an [http.Handler] that makes a connection of all the requests of a session, as in Streamable HTTP. A message
// that belongs to a request of the client, as [rpc.RequestOf] says, is sent on the stream of its answer, any other on the
// stream that the client has opened by GET. A client whose connection is cut resumes a stream where it was, and the request
// goes on meanwhile. Sessions are in this process: behind a balancer, all requests of a session have to come to the same one.
// Streams that are opened by GET over HTTP/1 take their connections over from the HTTP server, for the sake of memory: the handler
// returns, and Shutdown ends them. Set the fields before first use, and do not copy it.
type Sessions struct {
	Access
	// Serve is called for each session, on a goroutine of its own, and the session ends when it returns. The context has
	// the values of that of the request which opened the session, and the [rpc.Principal]; it ends when the handler is
	// shut down. All requests of a session must be of the same principal.
	Serve func(ctx context.Context, t rpc.Transport, r *http.Request)
	// Dialect is how the protocol uses HTTP. It must have the header for sessions.
	Dialect *Dialect
	// MaxSessions limits the number of sessions. The default is 10,000.
	MaxSessions int
	// MaxKept limits the bytes of messages that a session keeps so that streams can be resumed, and of those that are
	// not yet sent. What no client is there to read goes first; one that does not read what it asked for is cut off. The default
	// is 4 MiB.
	MaxKept int64
	// Idle is how long a session may be without any request before it is ended. The default is 30 minutes.
	Idle time.Duration
	// Upgrade handles requests for a WebSocket at the same URL, such as a Handler of package ws. The answer has the header for
	// sessions, with an id that is not used again. Nil refuses them.
	Upgrade http.Handler
	// Retry is how long clients should wait before they ask for a stream that has ended again, which is said at the beginning of
	// streams that can be resumed; 0 leaves it to them.
	Retry time.Duration
	// Patience is how long a request may take until its answer becomes a stream, which can be resumed. The default is 100
	// milliseconds.
	Patience time.Duration

	work
	lock     sync.Mutex // guards the following fields
	sessions map[string]*session
	ended    map[string]*session // of which the reason is left
}

// ServeHTTP implements [http.Handler].
func (h *Sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.Upgrade != nil && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set(h.Dialect.Session, rand.Text())
		h.Upgrade.ServeHTTP(w, r)
		return
	}
	if who, ok := h.admit(w, r); ok {
		h.serve(w, r, who, h.body)
	}
}

// reader reads the body of a request, or answers why it is not accepted.
type reader func(w http.ResponseWriter, r *http.Request) (data []byte, ok bool)

// serve handles a request of a principal.
func (h *Sessions) serve(w http.ResponseWriter, r *http.Request, who rpc.Principal, read reader) {
	d := h.Dialect.orNone()
	allowed := map[string]bool{http.MethodPost: true, http.MethodGet: d.Get, http.MethodDelete: d.Delete}
	if !allowed[r.Method] {
		w.Header().Set("Allow", allow(allowed))
		refuse(w, http.StatusMethodNotAllowed, "method not allowed")
		return
	}
	if !h.enter(h.maxRequests()) {
		refuse(w, http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	defer h.leave()
	if !d.knows(r.Header) {
		refuse(w, http.StatusBadRequest, "unsupported version; supported are "+strings.Join(d.Versions, ", "))
		return
	}
	var s *session
	if id := r.Header.Get(d.Session); id != "" {
		var reason []byte
		if s, reason = h.find(id, who); s == nil {
			refuseEnded(w, "no such session", reason)
			return
		}
		defer s.release()
	}
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r, who, s, read)
	case s == nil:
		refuse(w, http.StatusBadRequest, "the header "+d.Session+" is missing")
	case r.Method == http.MethodGet:
		h.get(w, r, s)
	default:
		s.end()
		w.WriteHeader(http.StatusNoContent)
	}
}

func allow(methods map[string]bool) string {
	var out []string
	for _, m := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if methods[m] {
			out = append(out, m)
		}
	}
	return strings.Join(out, ", ")
}

// find returns a session of a principal, which counts the request from then on, or nil and why it has ended, if it has said so.
func (h *Sessions) find(id string, who rpc.Principal) (s *session, reason []byte) {
	h.lock.Lock()
	s = h.sessions[id]
	if s == nil {
		s = h.ended[id]
	}
	h.lock.Unlock()
	switch {
	case s == nil || s.who.Name != who.Name:
		return nil, nil
	case !s.hold():
		return nil, s.why()
	}
	return s, nil
}

// post handles a message of a client.
func (h *Sessions) post(w http.ResponseWriter, r *http.Request, who rpc.Principal, s *session, read reader) {
	data, ok := read(w, r)
	if !ok {
		return
	}
	out := newSink(w, &h.Access)
	defer out.end()
	b, id, wrong := h.open(r, data, s)
	if wrong != nil {
		out.fail(id, wrong)
		return
	}
	d := h.Dialect
	opens := s == nil
	if opens {
		if d.Open != "" && (b.batch || b.method != d.Open) || len(b.requests) == 0 {
			refuse(w, http.StatusBadRequest, "the header "+d.Session+" is missing")
			return
		}
		if s = h.begin(r, who); s == nil {
			refuse(w, http.StatusServiceUnavailable, "the server takes no more sessions")
			return
		}
		defer s.release()
		w.Header().Set(d.Session, s.id)
	}
	deferred := d.Deferred && !opens
	if deferred {
		if wrong := s.expectLater(&b); wrong != nil {
			out.fail(nil, wrong)
			return
		}
	}
	if len(b.requests) == 0 || deferred {
		if !s.put(r.Context(), data) {
			s.expectNoMore(&b)
			refuseEnded(w, "the session has ended", s.why())
			return
		}
		out.accept(&b)
		return
	}
	st := s.expect(b.requests, opens)
	switch {
	case st == nil:
		if opens {
			s.end()
		}
		out.fail(nil, &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "the id is that of another request, which is not answered"})
	case !s.put(r.Context(), data):
		s.expectNoMore(&b)
		if opens {
			s.end()
		}
		refuseEnded(w, "the session has ended", s.why())
	default:
		h.answer(out, r, s, st)
	}
}

// body is what is in the body of a request.
type body struct {
	batch    bool
	method   string
	scope    string
	requests []string     // ids
	invalid  *rpc.Message // the answer to what is in a batch without requests and cannot be handled, or nil
}

// open looks into a body.
func (h *Sessions) open(r *http.Request, data []byte, s *session) (b body, id json.RawMessage, wrong *rpc.Error) {
	m, err := rpc.Decode(data, h.table())
	if err != nil {
		return b, m.ID, rpc.AsError(err)
	}
	var parts []json.RawMessage
	if b.batch = m.Kind == rpc.Batch; b.batch {
		_ = json.Unmarshal(m.Params, &parts) // which was decoded
	} else {
		parts = append(parts, data)
	}
	whole := m
	b.method = m.Method
	for _, part := range parts {
		if b.batch {
			if m, err = rpc.Decode(part, nil); err != nil {
				continue // the peer answers it
			}
		}
		if wrong := h.Dialect.compare(r.Header, &m); wrong != nil {
			return b, m.ID, wrong
		}
		if b.scope, wrong = h.Dialect.scoped(r.Header, &m); wrong != nil {
			return b, m.ID, wrong
		}
		if m.Kind == rpc.Request {
			b.requests = append(b.requests, string(m.ID))
		}
	}
	if b.batch && len(b.requests) == 0 && s != nil {
		if wrong := s.tooMany(len(parts)); wrong != nil {
			return b, nil, wrong
		}
	}
	if b.batch && len(b.requests) == 0 { // the answer of the peer belongs to no request
		if refused, ok := rpc.Dispatch(r.Context(), ignoring{}, &whole); ok {
			b.invalid = &refused
		}
	}
	return b, nil, nil
}

// ignoring is a handler that does nothing, so that only what is invalid is answered.
type ignoring struct{}

// DecodeRPC implements [rpc.Handler].
func (ignoring) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, batched) } //nolint:wrapcheck // to be answered

// ServeRPC implements [rpc.Handler].
func (ignoring) ServeRPC(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, nil }

// accept answers a body without requests, or one whose requests are answered elsewhere.
func (s *sink) accept(b *body) {
	if b.invalid != nil {
		s.message(http.StatusOK, b.invalid)
		return
	}
	s.w.WriteHeader(http.StatusAccepted)
}

func (h *Sessions) table() *spec.Table {
	if h.Dialect.Batches {
		return &spec.Table{Batches: &spec.Batching{}}
	}
	return nil
}

// answer sends what belongs to a request: one answer if that comes soon, or a stream.
func (h *Sessions) answer(out *sink, r *http.Request, s *session, st *stream) {
	if (h.Dialect.Deferred || accepts(r, "application/json")) && h.alone(out, r, s, st) {
		return
	}
	h.stream(out, r, s, st, -1, h.Dialect.Prime && h.Dialect.current(r.Header))
}

// alone sends the answer if it comes soon and alone, or as soon as it comes if the client does not accept streams. It reports
// false if a stream has to begin.
func (h *Sessions) alone(out *sink, r *http.Request, s *session, st *stream) bool {
	var patience <-chan time.Time
	if accepts(r, "text/event-stream") && !h.Dialect.Deferred {
		soon := time.NewTimer(orDefault(h.Patience, 100*time.Millisecond))
		defer soon.Stop()
		patience = soon.C
	}
	for ended := false; ; {
		answer, wake, several := s.only(st, patience == nil)
		switch {
		case answer != nil:
			_ = out.json(http.StatusOK, answer)
			return true
		case several:
			return false
		case ended: // without an answer
			s.abandon(st)
			refuseEnded(out.w, "the session has ended", s.why())
			return true
		}
		select {
		case <-wake:
		case <-patience:
			return false
		case <-s.ended:
			ended = true
		case <-r.Context().Done():
			s.abandon(st) // it cannot be resumed
			return true
		}
	}
}

// current reports whether a client uses the newest version that a server accepts.
func (d *Dialect) current(h http.Header) bool {
	version := h.Get(d.Version)
	return version == "" || len(d.Versions) == 0 || version == d.Versions[0]
}

// get opens the stream of messages that answer no request, or resumes one.
func (h *Sessions) get(w http.ResponseWriter, r *http.Request, s *session) {
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "the answer is text/event-stream")
		return
	}
	last := ""
	if h.Dialect.LastEvent != "" {
		last = r.Header.Get(h.Dialect.LastEvent)
	}
	st, from := s.general, -1
	switch {
	case last != "":
		if st, from = s.resume(last); st == nil {
			refuse(w, http.StatusBadRequest, "the stream cannot be resumed: its messages are not kept any more")
			return
		}
	case h.Dialect.Deferred:
		if st = s.asked(r); st == nil {
			refuse(w, http.StatusServiceUnavailable, errScopes.Error())
			return
		}
	}
	if h.takeOver(w, r, s, st, from) {
		return
	}
	out := newSink(w, &h.Access)
	defer out.end()
	h.stream(out, r, s, st, from, false)
}

// begin makes a session, or returns nil if there are too many.
func (h *Sessions) begin(r *http.Request, who rpc.Principal) *session {
	h.lock.Lock()
	defer h.lock.Unlock()
	if len(h.sessions) >= orDefault(h.MaxSessions, 10_000) || !h.hold() { // Shutdown may have begun while the request was read
		return nil
	}
	s := newSession(rand.Text(), who, orDefault(h.MaxKept, 4<<20))
	s.divide(h.Dialect)
	s.idleAfter(orDefault(h.Idle, 30*time.Minute))
	if h.sessions == nil {
		h.sessions = map[string]*session{}
	}
	h.sessions[s.id] = s
	ctx, cancel := context.WithCancel(rpc.WithPrincipal(context.WithoutCancel(r.Context()), who))
	s.cancel = cancel
	go func() {
		defer h.release(s)
		defer survive(ctx)
		h.Serve(ctx, s, r)
	}()
	return s
}

// release ends a session that is not served any more.
func (h *Sessions) release(s *session) {
	s.cancel()
	s.end()
	h.lock.Lock()
	delete(h.sessions, s.id)
	if s.why() != nil && len(h.ended) < maxEnded {
		if h.ended == nil {
			h.ended = map[string]*session{}
		}
		id := s.id
		h.ended[id] = s.remembered()
		time.AfterFunc(rememberEnded, func() {
			h.lock.Lock()
			defer h.lock.Unlock()
			delete(h.ended, id)
		})
	}
	h.lock.Unlock()
	h.drop()
}

// How many sessions are remembered that have said why they end, and for how long: their clients may not have listened.
const (
	maxEnded      = 1000
	rememberEnded = time.Minute
)

// Shutdown refuses further requests, ends the contexts of all sessions, and waits until Serve has returned for all and their
// last messages are sent. If ctx ends first, it ends them at once and returns its error.
func (h *Sessions) Shutdown(ctx context.Context) error {
	h.stop()
	h.each(func(s *session) { s.cancel() })
	err := h.wait(ctx)
	h.each((*session).end)
	if u, ok := h.Upgrade.(Ending); ok {
		err = errors.Join(err, u.Shutdown(ctx))
	}
	return err
}

func (h *Sessions) each(f func(*session)) {
	h.lock.Lock()
	defer h.lock.Unlock()
	for _, s := range h.sessions {
		f(s)
	}
}
