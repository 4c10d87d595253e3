// The demo with a remote agent, over connections that are cut.

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/acp"
)

// serveRemote starts a remote agent and returns its address.
func serveRemote(t *testing.T) string {
	t.Helper()
	h := remote(keeper(t.TempDir()))
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		require.NoError(t, h.Shutdown(ctx))
		s.Close()
	})
	return s.Listener.Addr().String()
}

// proxy passes bytes on to an address, and cuts connections.
type proxy struct {
	address string
	limit   atomic.Int64 // of bytes that a connection passes on to the client; 0 for none
	cuts    atomic.Int64

	mu    sync.Mutex
	conns map[net.Conn]bool
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	p := &proxy{address: l.Addr().String(), conns: map[net.Conn]bool{}}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(client, to)
		}
	}()
	return p
}

func (p *proxy) pass(client net.Conn, to string) {
	defer func() { _ = client.Close() }()
	var dialer net.Dialer
	server, err := dialer.DialContext(context.Background(), "tcp", to)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	p.mu.Lock()
	p.conns[client] = true
	p.mu.Unlock()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	in := io.Reader(server)
	if limit := p.limit.Load(); limit > 0 {
		in = io.LimitReader(server, limit+p.cuts.Add(1)%89) // at another place each time
	}
	_, _ = io.Copy(client, in)
}

// cut cuts all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
	clear(p.conns)
}

func TestARemoteAgentDoesWhatAProcessDoes(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, scheme := range []string{"http", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			project := t.TempDir()
			var out bytes.Buffer
			o := options{url: scheme + "://" + serveRemote(t), root: project, prompts: []string{"Buy milk"}, allow: true}
			require.NoError(t, runAgent(deadline(t), nil, o, nobody(&out)))
			require.Contains(t, string(readme), " go run ./cmd/acpdemo agent\n"+out.String()+"```")
			written, err := os.ReadFile(filepath.Join(project, notes))
			require.NoError(t, err)
			require.Equal(t, "- Buy milk\n", string(written))
		})
	}
}

// TestATurnOverHTTPGoesOnWhereItWasCut cuts every connection after some 3,000 bytes.
func TestATurnOverHTTPGoesOnWhereItWasCut(t *testing.T) {
	const updates = 2000
	p := startProxy(t, serveRemote(t))
	p.limit.Store(3000)
	var out bytes.Buffer
	o := options{url: "http://" + p.address, root: t.TempDir(), prompts: []string{"/count " + strconv.Itoa(updates)}}
	require.NoError(t, runAgent(deadline(t), nil, o, nobody(&out)))
	var want strings.Builder
	for i := range updates {
		want.WriteString(strconv.Itoa(i+1) + " ")
	}
	require.Contains(t, out.String(), "agent   "+want.String()+"\nclient  has its answer: end_turn\n")
	require.Greater(t, p.cuts.Load(), int64(50))
	t.Log(p.cuts.Load(), "connections")
}

// TestASessionIsLoadedWhereAConnectionHasEnded is about what goes on without resuming: over a WebSocket, and over HTTP at
// another server.
func TestASessionIsLoadedWhereAConnectionHasEnded(t *testing.T) {
	for _, scheme := range []string{"http", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			address := serveRemote(t)
			p := startProxy(t, address)
			typed, in := io.Pipe()
			screen := newScreen()
			done := make(chan error, 1)
			ctx, cancel := context.WithCancel(deadline(t))
			defer cancel()
			defer cancel()
			go func() {
				done <- runAgent(ctx, nil, options{url: scheme + "://" + p.address, root: t.TempDir()}, terminal{in: typed, out: screen, errors: os.Stderr})
				_ = screen.Close()
			}()
			say := func(line string) {
				_, err := io.WriteString(in, line+"\n")
				require.NoError(t, err)
			}
			say("/count 3")
			screen.until(t, "has its answer: end_turn\n> ")
			say("/wait")
			screen.until(t, "I am waiting.")
			if scheme == "ws" {
				p.cut()
			} else {
				cancel() // which ends the session there
			}
			_, _ = io.ReadAll(screen)
			require.Error(t, <-done)
			require.NoError(t, in.Close())

			load := func(prompts ...string) string {
				var out bytes.Buffer
				o := options{url: scheme + "://" + address, root: t.TempDir(), load: "session-1", prompts: prompts}
				require.NoError(t, runAgent(deadline(t), nil, o, nobody(&out)))
				return out.String()
			}
			// The turn ends some time after the connection, and its conversation is kept then.
			require.Eventually(t, func() bool { return strings.Contains(load(), "I am waiting.") }, 20*time.Second, 10*time.Millisecond)
			again := load("/count 2")
			require.Contains(t, again, "agent   1 2 3 \nuser    /wait\nagent   I am waiting.")
			require.Contains(t, again, "1 2 \nclient  has its answer: end_turn\n")
		})
	}
}

func TestURLsOfOtherKindsAreRefused(t *testing.T) {
	err := runAgent(t.Context(), nil, options{url: "ftp://localhost"}, nobody(io.Discard))
	require.EqualError(t, err, `"ftp://localhost" is no URL with http, https, ws or wss`)
	err = runAgent(deadline(t), nil, options{url: "http://" + serveRemote(t), load: "session-9", root: t.TempDir()}, nobody(io.Discard))
	require.ErrorIs(t, err, acp.ErrorCodeResourceNotFound)
}
