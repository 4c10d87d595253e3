// Servers: admission, and shutdown of connections.

package ws

import (
	"context"
	"log"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/site"
)

// Handler is an [http.Handler] that accepts WebSocket connections. It answers 403 for an unknown host or origin, 401
// if authorization fails, 503 if there are too many connections or during shutdown, and 426 for other requests. It
// never compresses. Set the fields before first use, and do not copy it. Zero fields other than Serve use defaults.
type Handler struct {
	// Serve is called for each connection, on a goroutine of its own, and the connection is cut when it
	// returns. The context has the values of the request's, and ends when the handler is shut down; that
	// of the request itself has ended already. A panic is logged, and ends this connection alone.
	Serve func(ctx context.Context, t rpc.Transport, r *http.Request)
	// Hosts are the names, without ports, that the Host header may have; "*" stands for any. This guards against
	// DNS rebinding, in which a page of another site reaches this server by a name that resolves to an address of
	// this machine. By default a connection to a loopback address
	// has to be to localhost or to any loopback address, and another one to the address itself; one that
	// is not over IP may be to any name. A server behind a proxy, or with a name, says it here.
	Hosts []string
	// Origins are pages that browsers may connect from, besides those of the same host and port, such as
	// "https://example.com" or "http://localhost:3000"; "*" allows any. Requests without an origin do not come from
	// browsers, and are accepted.
	Origins []string
	// Authorize finds out who sends a request, by a token or a certificate for example, or refuses it with
	// an error, which the client is not told. The context of Serve has the principal. Nil accepts all, without
	// a principal. It may be called by several goroutines at once.
	Authorize func(r *http.Request) (rpc.Principal, error)
	// Subprotocols are the supported subprotocols.
	Subprotocols []string
	// MaxConnections limits the number of connections. The default is 10,000.
	MaxConnections int
	// MessageTimeout limits the time from a message's first to its last byte. The default is [rpc.MessageTimeout]; a
	// negative value means no limit.
	MessageTimeout time.Duration
	// CloseTimeout limits the closing handshake. The default is 5 seconds.
	CloseTimeout time.Duration

	mu      sync.Mutex // guards the following fields
	pending int        // connections being accepted
	sockets map[*socket]context.CancelFunc
	ending  bool
	idle    chan struct{} // closed when the handler is shutting down and has no connections; nil if there are no waiters
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, ok := h.admit(w, r)
	if !ok {
		return
	}
	s, err := accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       h.Subprotocols,
		InsecureSkipVerify: true, // already checked
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		h.release(nil)
		return
	}
	s.SetMessageTimeout(h.MessageTimeout)
	if h.CloseTimeout > 0 {
		s.goodbye = h.CloseTimeout
	}
	ctx, cancel := context.WithCancel(rpc.WithPrincipal(context.WithoutCancel(r.Context()), who))
	h.enter(s, cancel)
	// The request's goroutine has a larger stack and retains the server's connection state.
	go func() {
		defer h.release(s)
		defer survive(ctx)
		h.Serve(ctx, s, r)
	}()
}

// admit lets a request in, which counts as a connection from then on, or answers why not.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) (who rpc.Principal, ok bool) {
	switch {
	case !site.KnowsHost(r, h.Hosts):
		refuse(w, http.StatusForbidden, "unknown host")
		return who, false
	case !site.KnowsOrigin(r, h.Origins):
		refuse(w, http.StatusForbidden, "origin not allowed")
		return who, false
	case !isUpgrade(r):
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Sec-WebSocket-Version", "13")
		refuse(w, http.StatusUpgradeRequired, "WebSocket only")
		return who, false
	}
	if h.Authorize != nil {
		var err error
		if who, err = h.Authorize(r); err != nil {
			refuse(w, http.StatusUnauthorized, "not authorized")
			return who, false
		}
	}
	if !h.reserve() {
		refuse(w, http.StatusServiceUnavailable, "no more connections")
		return who, false
	}
	return who, true
}

// survive logs a panic, as the HTTP server does on a request's goroutine.
func survive(ctx context.Context) {
	value := recover()
	if value == nil || value == http.ErrAbortHandler { //nolint:errorlint // compared by identity
		return
	}
	logf := log.Printf
	if server, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && server.ErrorLog != nil {
		logf = server.ErrorLog.Printf
	}
	logf("ws: panic serving a connection: %v\n%s", value, debug.Stack())
}

// refuse answers a request that is not accepted, without reading the rest of it.
func refuse(w http.ResponseWriter, status int, why string) {
	if status != http.StatusUpgradeRequired { // which sets its own
		w.Header().Set("Connection", "close")
	}
	http.Error(w, why, status)
}

// reserve counts a connection if there is room.
func (h *Handler) reserve() bool {
	limit := h.MaxConnections
	if limit == 0 {
		limit = 10_000
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ending || h.pending+len(h.sockets) >= limit {
		return false
	}
	h.pending++
	return true
}

// enter registers a connection.
func (h *Handler) enter(s *socket, cancel context.CancelFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sockets == nil {
		h.sockets = map[*socket]context.CancelFunc{}
	}
	h.sockets[s] = cancel
	h.pending--
	if h.ending {
		cancel()
	}
}

// release unregisters a connection; nil if it was not established.
func (h *Handler) release(s *socket) {
	if s != nil {
		_ = s.conn.CloseNow() // no-op if it has ended
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s == nil {
		h.pending--
	} else {
		h.sockets[s]()
		delete(h.sockets, s)
	}
	h.settle()
}

// settle signals the end to waiters. The caller must hold the lock.
func (h *Handler) settle() {
	if h.idle != nil && h.pending+len(h.sockets) == 0 {
		close(h.idle)
		h.idle = nil
	}
}

// Shutdown refuses further connections, cancels the contexts of existing ones, and waits until Serve has returned for
// all. If ctx ends first, it cuts them and returns its error. An [http.Server] does not track these connections; shut
// it down first.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	h.ending = true
	for _, cancel := range h.sockets {
		cancel()
	}
	if h.idle == nil {
		h.idle = make(chan struct{})
	}
	idle := h.idle
	h.settle()
	h.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.sockets {
		go s.cut() // TLS may block briefly
	}
	return ctx.Err()
}

// isUpgrade reports whether a request is a WebSocket upgrade of the supported version.
func isUpgrade(r *http.Request) bool {
	return has(r.Header, "Connection", "upgrade") && has(r.Header, "Upgrade", "websocket") &&
		has(r.Header, "Sec-Websocket-Version", "13")
}

// has reports whether a header lists a word.
func has(h http.Header, key, word string) bool {
	for _, list := range h[key] {
		for _, w := range strings.Split(list, ",") {
			if strings.EqualFold(strings.TrimSpace(w), word) {
				return true
			}
		}
	}
	return false
}
