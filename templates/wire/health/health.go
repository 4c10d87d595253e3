// Package health answers the probes of a load balancer or an orchestrator over HTTP.
package health

import (
	"context"
	"net/http"
	"time"
)

// Server is what is probed: a server of an emitted package.
type Server interface {
	// Err returns why the server has ended, or nil.
	Err() error
	// Ready waits until the server's queue has moved, and returns why it does not.
	Ready(ctx context.Context) error
}

// Options configures [Handler]. Zero fields use defaults.
type Options struct {
	// Timeout limits how long a server may take to be ready. The default is 2 seconds.
	Timeout time.Duration
	// Ready may give further reasons not to send new clients here, such as a dependency that is missing, or a shutdown that has
	// begun. The error is not sent to the prober.
	Ready func(ctx context.Context) error
	// Failed is called with the reason when a probe fails.
	Failed func(path string, err error)
}

// Handler answers GET and HEAD with 200 and "ok", or with 503 and "unavailable":
//
//   - /livez: the server has not ended. If it has, its process should be replaced.
//   - /readyz: it also stores and sends what is queued, within the timeout. If it does not, it should get no new clients.
//
// Other paths are 404. The answers do not say why, since anyone may ask.
func Handler(s Server, o *Options) http.Handler {
	h := &handler{server: s}
	if o != nil {
		h.options = *o
	}
	if h.options.Timeout == 0 {
		h.options.Timeout = 2 * time.Second
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /livez", h.answer(func(context.Context) error { return s.Err() }))
	m.HandleFunc("GET /readyz", h.answer(h.ready))
	return m
}

type handler struct {
	server  Server
	options Options
}

// ready returns why no new clients should come.
func (h *handler) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, h.options.Timeout)
	defer cancel()
	if err := h.server.Ready(ctx); err != nil || h.options.Ready == nil {
		return err
	}
	return h.options.Ready(ctx)
}

func (h *handler) answer(probe func(context.Context) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if err := probe(r.Context()); err != nil {
			if h.options.Failed != nil {
				h.options.Failed(r.URL.Path, err)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte("unavailable\n"))
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	}
}
