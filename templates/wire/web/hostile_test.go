package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// connect sends bytes to a server and keeps the connection open.
func connect(t *testing.T, at, request string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(at, "http://"))
	check(t, err, nil)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n"))
	check(t, err, nil)
	return conn
}

// listening serves with the limits of NewServer.
func listening(t *testing.T, h http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	check(t, err, nil)
	s := NewServer(h)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

func TestHugeHeadersAreRefused(t *testing.T) {
	at := listening(t, peers(serving{"initialize": initialized}, nil))
	for _, header := range []string{"Mcp-Session-Id: " + strings.Repeat("x", 128<<10), strings.Repeat("X: y\n", 20<<10) + "Z: z"} {
		conn := connect(t, at, "POST / HTTP/1.1\nHost: localhost\n")
		go func() { _, _ = io.WriteString(conn, strings.ReplaceAll(header, "\n", "\r\n")+"\r\n\r\n") }()
		answer := make([]byte, 12)
		_, err := io.ReadFull(conn, answer)
		check(t, string(answer), "HTTP/1.1 431", err)
	}
}

// TestHalfOpenRequestsDoNotKeepOthersOut has clients that begin a body and go no further.
func TestHalfOpenRequestsDoNotKeepOthersOut(t *testing.T) {
	h := peers(serving{"initialize": initialized}, nil)
	h.MaxRequests, h.MessageTimeout = 50, 300*time.Millisecond
	at := serve(t, h)
	before := heap()
	for range 200 {
		connect(t, at, "POST / HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: 30000000\n\n{")
	}
	eventually(t, "there is no room", func() bool {
		_, status := opened(t, at)
		return status == http.StatusServiceUnavailable
	})
	check(t, heap()-before < 20<<20, true, "nothing is set aside for what is promised")
	eventually(t, "there is room again", func() bool {
		_, status := opened(t, at)
		return status == http.StatusOK
	})
}

// TestWhoeverHasAStreamMaySendNothingOnItsConnection has a client that sends without end on a connection that is not read.
func TestWhoeverHasAStreamMaySendNothingOnItsConnection(t *testing.T) {
	h := peers(serving{"initialize": initialized}, nil)
	h.KeepAlive = 20 * time.Millisecond
	at := serve(t, h)
	id, _ := opened(t, at)
	conn := connect(t, at, "GET / HTTP/1.1\nHost: localhost\nMcp-Session-Id: "+id+"\n\n")
	before := heap()
	for range 16 {
		_, err := io.WriteString(conn, strings.Repeat("x", 1<<20))
		check(t, err, nil)
	}
	check(t, heap()-before < 8<<20, true, "it is not kept")
	got := make([]byte, 200)
	n, err := io.ReadAtLeast(conn, got, 100)
	check(t, strings.HasPrefix(string(got[:n]), "HTTP/1.1 200 OK\r\n"), true, string(got[:n]), err)
}

// TestSessionsOfOthersAreNotThere sends every request that an attacker may try with a leaked id.
func TestSessionsOfOthersAreNotThere(t *testing.T) {
	h := peers(serving{"initialize": initialized, "echo": echo, "said": echo}, nil)
	h.Authorize = func(r *http.Request) (rpc.Principal, error) { return rpc.Principal{Name: r.Header.Get("User")}, nil }
	at := serve(t, h)
	id, _ := opened(t, at) // of nobody
	for _, request := range []string{
		post(call, "User: mallory", "Mcp-Session-Id: "+id),
		post(`{"jsonrpc":"2.0","method":"said"}`, "User: mallory", "Mcp-Session-Id: "+id),
		"GET / HTTP/1.1\nHost: HOST\nUser: mallory\nMcp-Session-Id: " + id + "\n\n",
		"GET / HTTP/1.1\nHost: HOST\nUser: mallory\nMcp-Session-Id: " + id + "\nLast-Event-ID: 1-0\n\n",
		"DELETE / HTTP/1.1\nHost: HOST\nUser: mallory\nMcp-Session-Id: " + id + "\n\n",
		post(call, "Mcp-Session-Id: "+strings.ToLower(id)),
		post(call, "Mcp-Session-Id: "+id+"x"),
	} {
		check(t, exchange(t, at, request), "404 text/plain; charset=utf-8\nno such session\n", request)
	}
	check(t, h.count(), 1)
}

// TestEndlessAnswersAreCutOff has servers that do not stop, of which a client keeps no more than a message.
func TestEndlessAnswersAreCutOff(t *testing.T) {
	flood := func(kind, begin, again string) http.HandlerFunc {
		part := strings.Repeat(again, 1<<16/len(again))
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, err := io.WriteString(w, begin)
			for sent := 0; err == nil && sent < 1<<30; sent += len(part) {
				_, err = io.WriteString(w, part)
			}
		}
	}
	for name, h := range map[string]http.HandlerFunc{
		"JSON":      flood("application/json", `{"jsonrpc":"2.0","id":1,"result":"`, "x"),
		"a line":    flood("text/event-stream", "data: ", "x"),
		"lines":     flood("text/event-stream", "", "data: x\n"),
		"an id":     flood("text/event-stream", "id: ", "x"),
		"a comment": flood("text/event-stream", ": ", "x"),
		"an error": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			flood("", "", "x")(w, r)
		},
		"other fields": flood("text/event-stream", "", "event: x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			_, err := NewClient(serve(t, h), nil, &Options{MaxMessage: 1 << 20}).Call(t.Context(), "x", nil)
			var refused *StatusError
			check(t, errors.Is(err, rpc.ErrTooLarge) || errors.As(err, &refused), true, err)
			check(t, heap()-before < 16<<20, true)
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := NewClient(serve(t, flood("text/event-stream", "", ": still here\n")), nil, nil).Call(ctx, "x", nil)
	check(t, errors.Is(err, context.DeadlineExceeded), true, err, "comments may go on, and the caller does not wait")
}

// balancer sends the requests of a session to the server that has opened it.
type balancer struct {
	servers  []*httputil.ReverseProxy
	next     atomic.Int64
	sessions sync.Map // from an id to a proxy
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if to, ok := b.sessions.Load(r.Header.Get("Mcp-Session-Id")); ok {
		to.(*httputil.ReverseProxy).ServeHTTP(w, r) //nolint:forcetypeassert // there is nothing else
		return
	}
	b.servers[int(b.next.Add(1))%len(b.servers)].ServeHTTP(w, r)
}

// TestSessionsStickBehindABalancer has two servers, and a client that begins anew when its session is with neither.
func TestSessionsStickBehindABalancer(t *testing.T) {
	b := &balancer{}
	var servers []*Sessions
	for range 2 {
		h := peers(serving{"initialize": initialized, "initialized": echo, "echo": echo}, nil)
		h.Hosts = []string{"*"}
		backend, err := url.Parse(serve(t, h))
		check(t, err, nil)
		proxy := httputil.NewSingleHostReverseProxy(backend)
		proxy.ModifyResponse = func(r *http.Response) error {
			if id := r.Header.Get("Mcp-Session-Id"); id != "" {
				b.sessions.Store(id, proxy)
			}
			return nil
		}
		b.servers, servers = append(b.servers, proxy), append(servers, h)
	}
	front := serve(t, b)
	var clients []*rpc.Peer
	for range 10 {
		clients = append(clients, dial(t, front, serving{}, nil))
	}
	check(t, servers[0].count(), 5)
	check(t, servers[1].count(), 5)
	for range 20 {
		for _, c := range clients {
			got, err := c.Call(t.Context(), "echo", raw("[1]"))
			check(t, string(got), "[1]", err)
		}
	}
	servers[0].each(func(s *session) { b.sessions.Store(s.id, b.servers[1]) }) // the wrong one
	failed := 0
	for _, c := range clients {
		if _, err := c.Call(t.Context(), "echo", raw("[2]")); err != nil {
			check(t, errors.Is(err, ErrSessionEnded), true, err)
			soon(t, c.Done())
			failed++
			anew := dial(t, front, serving{}, nil)
			got, err := anew.Call(t.Context(), "echo", raw("[2]"))
			check(t, string(got), "[2]", err)
		}
	}
	check(t, failed, 5)
}
