package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// TestOverHTTP2 has all requests on one connection.
func TestOverHTTP2(t *testing.T) {
	secure := func(h http.Handler) *httptest.Server {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			check(t, r.ProtoMajor, 2)
			h.ServeHTTP(w, r)
		}))
		s.EnableHTTP2 = true
		s.StartTLS()
		t.Cleanup(func() {
			s.CloseClientConnections()
			s.Close()
		})
		return s
	}
	ended := make(chan error, 1)
	plain := secure(&Handler{Handler: serving{"count": count, "wait": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		check(t, m.Partial(raw("1")), nil)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}}})
	c := NewClient(plain.URL, nil, &Options{HTTP: plain.Client()})
	n := 0
	for _, err := range c.Stream(t.Context(), "count", raw("[100]")) {
		check(t, err, nil)
		n++
	}
	check(t, n, 100)
	for range c.Stream(t.Context(), "wait", nil) {
		break
	}
	check(t, soon(t, ended), ErrGone)

	servers := make(chan *rpc.Peer, 1)
	sessions := secure(peers(serving{"initialize": initialized, "initialized": echo, "ask": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		return rpc.CallerOf(ctx).Call(ctx, "asked", m.Params)
	}}, servers))
	said := make(chan string, 1)
	client := dial(t, sessions.URL, serving{"asked": echo, "said": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		said <- string(m.Params)
		return nil, nil
	}}, &Options{HTTP: sessions.Client()})
	got, err := client.Call(t.Context(), "ask", raw("[5]"))
	check(t, string(got), "[5]", err)
	check(t, soon(t, servers).Notify(t.Context(), "said", raw("[6]")), nil)
	check(t, soon(t, said), "[6]")
}
