// HTTP servers with limits on slow clients.

package ws

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// NewServer returns an HTTP server with limits: 10 seconds for a request and for its answer, 16 KiB of header, and a
// minute idle. They do not apply to accepted WebSockets. It supports HTTP/1.1 only, as WebSockets require. The
// handler may be a [Handler] or route to one.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      20 * time.Second, // counted from the end of the header
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
}

// ListenAndServe is [Serve] at an address such as "localhost:8080".
func ListenAndServe(ctx context.Context, address string, h *Handler) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return Serve(ctx, l, h)
}

// Serve serves connections from a listener, which it owns, with a server from [NewServer]. It stops when ctx ends, as
// in [Handler.Shutdown], within 30 seconds, and returns nil if all connections ended in that time.
func Serve(ctx context.Context, l net.Listener, h *Handler) error {
	server := NewServer(h)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	var err error
	select {
	case err = <-ended: // the listener failed
	case <-ctx.Done():
	}
	_ = server.Close() // pending connections would be refused
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return errors.Join(err, h.Shutdown(limit))
}
