// HTTP servers that nobody can hold on to.

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

// NewServer returns a server with limits for requests: 10 seconds until one is there and as long again
// for the answer, 16 KiB for its header, a minute until the next on the same connection. A WebSocket, once
// accepted, is not limited by them. It speaks HTTP/1.1 alone, as WebSockets need. The handler may be a
// [Handler], or one that has it among others.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      20 * time.Second, // counted from the end of the header on
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

// Serve serves connections at a listener, which belongs to it, with a server as [NewServer] makes it. It
// ends when ctx does, as in [Handler.Shutdown], for which there are 30 seconds; it returns nil when all
// connections ended by themselves then.
func Serve(ctx context.Context, l net.Listener, h *Handler) error {
	server := NewServer(h)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	var err error
	select {
	case err = <-ended: // the listener failed
	case <-ctx.Done():
	}
	_ = server.Close() // what is no connection yet would be refused
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return errors.Join(err, h.Shutdown(limit))
}
