// Several processes behind a balancer: sessions stick to the one that has opened them.

package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// balancer routes by the header of the session, and requests without one by turns.
type balancer struct {
	processes []*httputil.ReverseProxy
	next      atomic.Int64
	sessions  sync.Map // from an id to the number of a process
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := b.sessions.Load(r.Header.Get("Mcp-Session-Id"))
	if !ok {
		n = int(b.next.Add(1)) % len(b.processes)
	}
	b.processes[n.(int)].ServeHTTP(w, r)
}

// TestTwoProcessesBehindABalancer has clients of the Go SDK in both eras. Those of the older one keep to a process, and begin anew
// when they are led to another one.
func TestTwoProcessesBehindABalancer(t *testing.T) {
	ours := buildEras(t, "conformance")
	b := &balancer{}
	for n := range 2 {
		to, err := url.Parse(start(t, ours, "server"))
		require.NoError(t, err)
		b.processes = append(b.processes, &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
			ModifyResponse: func(r *http.Response) error {
				if id := r.Header.Get("Mcp-Session-Id"); id != "" {
					b.sessions.Store(id, n)
				}
				return nil
			},
		})
	}
	front := httptest.NewServer(b)
	t.Cleanup(func() { // after the clients
		front.CloseClientConnections()
		front.Close()
	})
	ctx := limited(t)
	connect := func(version string) *mcp.ClientSession {
		client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
		session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: front.URL}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		t.Cleanup(func() { _ = session.Close() })
		return session
	}
	call := func(s *mcp.ClientSession) error {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "test_simple_text"})
		return err
	}
	var sessions []*mcp.ClientSession
	on := map[any]int{}
	for range 6 {
		s := connect("2025-11-25")
		n, _ := b.sessions.Load(s.ID())
		on[n]++
		sessions = append(sessions, s)
	}
	require.Equal(t, map[any]int{0: 3, 1: 3}, on)
	newer := connect("2026-07-28")
	for range 10 {
		require.NoError(t, call(newer), "it has no session")
		for _, s := range sessions {
			require.NoError(t, call(s))
		}
	}
	n, _ := b.sessions.Load(sessions[0].ID())
	b.sessions.Store(sessions[0].ID(), 1-n.(int))
	require.ErrorIs(t, call(sessions[0]), mcp.ErrSessionMissing)
	require.NoError(t, call(connect("2025-11-25")))
}
