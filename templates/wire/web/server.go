// HTTP servers with limits on slow clients.

package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// NewServer returns an HTTP server with limits: 10 seconds for the header of a request, 64 KiB of it, and two minutes idle.
// [Access] limits the rest.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

// Ending is a handler that can be shut down: a [*Handler] or [*Sessions].
type Ending interface {
	http.Handler
	Shutdown(ctx context.Context) error
}

// ListenAndServe is [Serve] at an address such as "localhost:8080".
func ListenAndServe(ctx context.Context, address string, h Ending) error {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return Serve(ctx, l, h)
}

// Serve serves requests from a listener, which it owns, with a server from [NewServer]. When ctx ends, it shuts the handler
// down within 30 seconds, and returns nil if all requests ended in that time.
func Serve(ctx context.Context, l net.Listener, h Ending) error {
	server := NewServer(h)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended: // the listener failed
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	err := h.Shutdown(limit)
	return errors.Join(err, server.Shutdown(limit), server.Close())
}
