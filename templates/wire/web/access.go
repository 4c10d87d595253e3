// Access: who may send requests, and limits on what they send.

package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/site"
)

// Access says who may send requests to a server, and limits what they send. Zero fields use defaults.
type Access struct {
	// Hosts are the names, without ports, that the Host header may have; "*" stands for any. This guards against
	// DNS rebinding, in which a page of another site reaches this server by a name that resolves to an address of
	// this machine. By default a connection to a loopback address has to be to localhost or to any loopback address, and
	// another one to the address itself. A server behind a proxy, or with a name, says it here.
	Hosts []string
	// Origins are pages that browsers may send requests from, besides those of the same host and port, such as
	// "https://example.com" or "http://localhost:3000"; "*" allows any. Their scripts may read the answers, and send the
	// header Authorization, but no cookies. Requests without an origin do not come from pages of other sites, and are accepted.
	Origins []string
	// Authorize finds out who sends a request, by its header Authorization or a certificate for example, or refuses it
	// with an error, which may be a [*Refusal] and is not told to the client otherwise. The contexts of handlers have
	// the principal. Nil accepts all, without a principal. It may be called by several goroutines at once.
	Authorize func(r *http.Request) (rpc.Principal, error)
	// MaxMessage limits the body of a request in bytes. The default is 32 MiB.
	MaxMessage int64
	// MessageTimeout limits the time that a body may take to arrive. The default is [rpc.MessageTimeout].
	MessageTimeout time.Duration
	// WriteTimeout limits each write to a client. The default is 30 seconds.
	WriteTimeout time.Duration
	// KeepAlive is how long a stream may be silent before a comment is sent. The default is 15 seconds.
	KeepAlive time.Duration
	// MaxRequests limits the number of requests handled at a time. Further ones are answered with 503. The default is 10,000.
	MaxRequests int
}

// Refusal is an error of [Access.Authorize] that says what to answer.
type Refusal struct {
	// Status is the HTTP status, such as 403; 0 stands for 401.
	Status int
	// Challenge is the header WWW-Authenticate, such as
	// Bearer resource_metadata="https://example.com/.well-known/oauth-protected-resource".
	Challenge string
}

// Error implements error.
func (r *Refusal) Error() string { return "not authorized" }

func (a *Access) maxMessage() int64           { return orDefault(a.MaxMessage, 32<<20) }
func (a *Access) writeTimeout() time.Duration { return orDefault(a.WriteTimeout, 30*time.Second) }
func (a *Access) keepAlive() time.Duration    { return orDefault(a.KeepAlive, 15*time.Second) }
func (a *Access) messageTimeout() time.Duration {
	return orDefault(a.MessageTimeout, rpc.MessageTimeout)
}
func (a *Access) maxRequests() int { return orDefault(a.MaxRequests, 10_000) }

func orDefault[N int | int64 | time.Duration](n, standard N) N {
	if n == 0 {
		return standard
	}
	return n
}

// admit lets a request in, or answers why not.
func (a *Access) admit(w http.ResponseWriter, r *http.Request) (who rpc.Principal, ok bool) {
	switch {
	case !site.KnowsHost(r, a.Hosts):
		refuse(w, http.StatusForbidden, "unknown host")
		return who, false
	case !site.KnowsOrigin(r, a.Origins):
		refuse(w, http.StatusForbidden, "origin not allowed")
		return who, false
	}
	if a.share(w, r) {
		return who, false
	}
	if a.Authorize == nil {
		return who, true
	}
	who, err := a.Authorize(r)
	if err == nil {
		return who, true
	}
	answer := &Refusal{}
	_ = errors.As(err, &answer)
	if answer.Challenge == "" {
		answer = &Refusal{answer.Status, "Bearer"}
	}
	w.Header().Set("WWW-Authenticate", answer.Challenge)
	refuse(w, orDefault(answer.Status, http.StatusUnauthorized), "not authorized")
	return who, false
}

// share tells browsers that a page of another origin may read the answer. It reports whether that was all they asked.
func (a *Access) share(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "*")
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "POST, GET, DELETE")
	if wanted := r.Header.Get("Access-Control-Request-Headers"); wanted != "" {
		h.Set("Access-Control-Allow-Headers", wanted)
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// refuse answers a request that is not accepted, without reading the rest of it.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// body reads the body of a POST request, or answers why it is not accepted.
func (a *Access) body(w http.ResponseWriter, r *http.Request) (data []byte, ok bool) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(kind), "application/json") {
		refuse(w, http.StatusUnsupportedMediaType, "the body has to be application/json")
		return nil, false
	}
	if !accepts(r, "application/json") && !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "answers are application/json or text/event-stream")
		return nil, false
	}
	limit := a.maxMessage()
	if r.ContentLength > limit {
		refuse(w, http.StatusRequestEntityTooLarge, "message too large")
		return nil, false
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(a.messageTimeout())) // not on recorders in tests
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	_ = control.SetReadDeadline(time.Time{})
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return data, true
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "message too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		refuse(w, http.StatusRequestTimeout, "the body did not arrive in time")
	default:
		refuse(w, http.StatusBadRequest, "the body cannot be read")
	}
	return nil, false
}

// accepts reports whether a client accepts a media type. A client that does not say accepts all.
func accepts(r *http.Request, kind string) bool {
	lists := r.Header.Values("Accept")
	if len(lists) == 0 {
		return true
	}
	family, _, _ := strings.Cut(kind, "/")
	for _, list := range lists {
		for _, one := range strings.Split(list, ",") {
			one, _, _ = strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(one)) {
			case kind, family + "/*", "*/*":
				return true
			}
		}
	}
	return false
}

// ErrGone is the cause of a handler's context if the client has closed the connection that the answer would go to.
var ErrGone = errors.New("the client has gone")

// until returns a context with the values of a request's that ends with it, for the reason ErrGone.
func until(r *http.Request) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(r.Context(), func() { cancel(ErrGone) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}
