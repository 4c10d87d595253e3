package health

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// server is a server in a state.
type server struct {
	err   error
	stuck bool
}

func (s server) Err() error { return s.err }

func (s server) Ready(ctx context.Context) error {
	if s.stuck {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.err
}

func TestProbesAreAnswered(t *testing.T) {
	secret := errors.New("secret")
	for _, c := range []struct {
		name, method, path string
		server             server
		ready              func(context.Context) error
		code               int
		body, failed       string
	}{
		{"alive", "GET", "/livez", server{}, nil, 200, "ok\n", ""},
		{"ended", "GET", "/livez", server{err: secret}, nil, 503, "unavailable\n", "/livez: secret"},
		{"stuck but alive", "GET", "/livez", server{stuck: true}, nil, 200, "ok\n", ""},
		{"ready", "GET", "/readyz", server{}, nil, 200, "ok\n", ""},
		{"ended, so not ready", "GET", "/readyz", server{err: secret}, nil, 503, "unavailable\n", "/readyz: secret"},
		{"stuck", "GET", "/readyz", server{stuck: true}, nil, 503, "unavailable\n", "/readyz: context deadline exceeded"},
		{"dependency", "GET", "/readyz", server{}, func(context.Context) error { return secret }, 503, "unavailable\n", "/readyz: secret"},
		{"head", "HEAD", "/readyz", server{}, nil, 200, "ok\n", ""},
		{"post", "POST", "/readyz", server{}, nil, 405, "Method Not Allowed\n", ""},
		{"elsewhere", "GET", "/", server{}, nil, 404, "404 page not found\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			failed := ""
			h := Handler(c.server, &Options{Timeout: 10 * time.Millisecond, Ready: c.ready, Failed: func(path string, err error) { failed = path + ": " + err.Error() }})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, http.NoBody))
			require.Equal(t, c.code, w.Code)
			require.Equal(t, c.body, w.Body.String())
			require.Equal(t, c.failed, failed)
		})
	}
	w := httptest.NewRecorder()
	Handler(server{}, nil).ServeHTTP(w, httptest.NewRequest("GET", "/readyz", http.NoBody))
	require.Equal(t, 200, w.Code)
}
