// Servers without sessions.

package web

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/ahpgen/ahpgen/templates/wire"
	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// Handler is an [http.Handler] that answers each POST request by itself. The answer is a JSON text, or a stream of events if
// the handler of the request sends several results, or something else before its result: [rpc.CallerOf] returns a connection for
// that, which sends notifications only. Contexts of handlers have the [rpc.Principal], and end when the client closes the
// connection, with [ErrGone]. Set the fields before first use, and do not copy it.
type Handler struct {
	Access
	// Handler handles the messages.
	Handler rpc.Handler
	// Dialect is how the protocol uses HTTP; nil for JSON-RPC without more.
	Dialect *Dialect
	// Schema returns the schema of what a request calls, by its name, or nil. Headers have to repeat the arguments for which it
	// asks, if the dialect has that. It may be called by several goroutines at once.
	Schema func(called string) json.RawMessage
	// Older serves requests that have no version of Dialect, neither in the body nor in the header, and streams and ends of
	// sessions: so one URL serves an older dialect too, which has sessions. Its Hosts, Origins and Authorize are not used.
	// It is shut down with this handler.
	Older *Sessions

	work
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, ok := h.admit(w, r)
	if !ok {
		return
	}
	if r.Method != http.MethodPost && h.Older == nil {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "POST only")
		return
	}
	if !h.enter(h.maxRequests()) {
		refuse(w, http.StatusServiceUnavailable, "too many requests at a time")
		return
	}
	defer h.leave()
	if r.Method != http.MethodPost {
		h.Older.serve(w, r, who, h.body)
		return
	}
	data, ok := h.body(w, r)
	if !ok {
		return
	}
	if h.Older != nil && h.older(r, data) {
		h.Older.serve(w, r, who, func(http.ResponseWriter, *http.Request) ([]byte, bool) { return data, true })
		return
	}
	ctx, cancel := until(r)
	defer cancel(nil)
	defer context.AfterFunc(h.ending(), func() { cancel(rpc.ErrClosed) })()
	s := newSink(w, &h.Access)
	defer s.end()
	h.answer(context.WithValue(rpc.WithPrincipal(ctx, who), stoppingKey{}, h.stopping()), s, r, data)
}

// answer handles a body.
func (h *Handler) answer(ctx context.Context, s *sink, r *http.Request, data []byte) {
	d := h.Dialect.orNone()
	ctx = rpc.WithCaller(ctx, mute{})
	m, err := h.Handler.DecodeRPC(data)
	switch {
	case err != nil:
		s.fail(m.ID, rpc.AsError(err))
		return
	case m.Kind == rpc.Result || m.Kind == rpc.Failure:
		s.fail(nil, &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "an answer, where nothing was asked"})
		return
	case !d.knows(r.Header):
		s.fail(m.ID, &rpc.Error{Code: int64(rpc.InvalidRequest), Message: "unsupported version; supported are " + strings.Join(d.Versions, ", ")})
		return
	}
	wrong := d.compare(r.Header, &m)
	if wrong == nil {
		wrong = d.repeats(r.Header, &m, h.Schema)
	}
	if wrong != nil {
		s.fail(m.ID, wrong)
		return
	}
	if m.Kind == rpc.Request {
		h.request(ctx, s, r, &m)
		return
	}
	reply, ok := rpc.Dispatch(ctx, surviving{h}, &m)
	if !ok {
		s.w.WriteHeader(http.StatusAccepted)
		return
	}
	s.message(http.StatusOK, &reply)
}

// surviving is a handler that answers even if it fails.
type surviving struct{ *Handler }

// DecodeRPC implements [rpc.Handler].
func (h surviving) DecodeRPC(data []byte) (rpc.Message, error) {
	return h.Handler.Handler.DecodeRPC(data) //nolint:wrapcheck // to be answered
}

// ServeRPC implements [rpc.Handler].
func (h surviving) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	return h.serve(ctx, m)
}

// request handles a request.
func (h *Handler) request(ctx context.Context, s *sink, r *http.Request, m *rpc.Message) {
	ctx = rpc.WithRequest(ctx, m.ID)
	streams := accepts(r, "text/event-stream")
	if streams {
		s.watch()
		ctx = rpc.WithCaller(ctx, caller{s})
		m.Partial = func(result json.RawMessage) error {
			return s.partial(ctx, &rpc.Message{Kind: rpc.Result, ID: m.ID, Result: result})
		}
	}
	result, err := h.serve(ctx, m)
	if result == nil && err == nil && streams { // all results were sent
		_ = s.begin()
		return
	}
	answer := rpc.Answer(m.ID, result, err)
	s.message(h.Dialect.orNone().status(&answer), &answer)
}

// serve calls the handler of a message, on a goroutine of its own, since a handler may end that. A panic, which generated handlers
// recover from themselves, is logged and answered.
func (h *Handler) serve(ctx context.Context, m *rpc.Message) (result json.RawMessage, err error) {
	err = &rpc.Error{Code: int64(rpc.InternalError), Message: "the handler failed"}
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer survive(ctx)
		result, err = h.Handler.ServeRPC(ctx, m)
	}()
	<-over
	return result, err
}

// survive logs a panic.
func survive(ctx context.Context) {
	value := recover()
	if value == nil {
		return
	}
	logf := log.Printf
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && server.ErrorLog != nil {
		logf = server.ErrorLog.Printf
	}
	logf("web: panic handling a message: %v\n%s", value, debug.Stack())
}

// caller is a connection to the sender of a request, on the stream of its answer.
type caller struct{ *sink }

var errNoCalls = errors.New("requests cannot be sent to a client that sent one without a session")

func (c caller) Call(context.Context, string, json.RawMessage) (json.RawMessage, error) {
	return nil, errNoCalls
}

func (c caller) Notify(ctx context.Context, method string, params json.RawMessage) error {
	return c.partial(ctx, &rpc.Message{Kind: rpc.Notification, Method: method, Params: params})
}

// mute is the connection to a sender who takes nothing but an answer.
type mute struct{ caller }

// ErrNoStream is why nothing can be sent to a client beside the answer: it does not accept text/event-stream, or has sent a
// notification.
var ErrNoStream = errors.New("the client takes no messages beside an answer")

func (mute) Notify(context.Context, string, json.RawMessage) error { return ErrNoStream }

// partial sends a message before the last one.
func (s *sink) partial(ctx context.Context, m *rpc.Message) error {
	if err := rpc.ContextError(ctx); err != nil {
		return err
	}
	data, err := m.AppendJSON(nil)
	if err != nil {
		return err
	}
	return s.event("", wire.Repaired(data))
}

// message sends the last message.
func (s *sink) message(status int, m *rpc.Message) {
	data, err := m.AppendJSON(nil)
	if err != nil {
		answer := rpc.Answer(m.ID, nil, err)
		if data, err = answer.AppendJSON(nil); err != nil {
			return
		}
	}
	_ = s.json(status, wire.Repaired(data)) // the client may have gone
}

// fail answers a body that is not accepted.
func (s *sink) fail(id json.RawMessage, err *rpc.Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	s.message(http.StatusBadRequest, &rpc.Message{Kind: rpc.Failure, ID: id, Error: err})
}

// Shutdown refuses further requests, tells their handlers by [Stopping], and waits until those that are there are answered. If ctx
// ends first, it ends their contexts and returns its error.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.stop()
	if h.Older == nil {
		return h.wait(ctx)
	}
	return errors.Join(h.Older.Shutdown(ctx), h.wait(ctx))
}
