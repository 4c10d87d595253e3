// Who is let in, who is not, and what that costs.

package ws_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/ws"
)

func TestWhoIsLetIn(t *testing.T) {
	token := func(r *http.Request) (rpc.Principal, error) {
		if r.Header.Get("Authorization") != "Bearer right" {
			return rpc.Principal{}, errors.New("secret details")
		}
		return rpc.Principal{Name: "right"}, nil
	}
	for name, c := range map[string]struct {
		handler *ws.Handler
		headers []string
		status  int
	}{
		"as it was called":       {status: 101},
		"localhost":              {headers: []string{"Host: LocalHost.:1234"}, status: 101},
		"another loopback":       {headers: []string{"Host: 127.7.7.7"}, status: 101},
		"of the other kind":      {headers: []string{"Host: [::1]:80"}, status: 101},
		"rebound":                {headers: []string{"Host: evil.example"}, status: 403},
		"rebound to the port":    {headers: []string{"Host: evil.example:8080"}, status: 403},
		"looks like it":          {headers: []string{"Host: localhost.evil.example"}, status: 403},
		"looks like an address":  {headers: []string{"Host: 127.0.0.1.evil.example"}, status: 403},
		"another address":        {headers: []string{"Host: 192.0.2.1"}, status: 403},
		"no address":             {headers: []string{"Host: 0.0.0.0"}, status: 403},
		"none":                   {headers: []string{"Host:"}, status: 403},
		"listed":                 {handler: &ws.Handler{Hosts: []string{"Example.org", "[2001:db8::1]"}}, headers: []string{"Host: example.org:443"}, status: 101},
		"listed address":         {handler: &ws.Handler{Hosts: []string{"Example.org", "[2001:db8::1]"}}, headers: []string{"Host: [2001:DB8:0::1]:443"}, status: 101},
		"not listed":             {handler: &ws.Handler{Hosts: []string{"example.org"}}, headers: []string{"Host: localhost"}, status: 403},
		"anybody":                {handler: &ws.Handler{Hosts: []string{"*"}}, headers: []string{"Host: evil.example"}, status: 101},
		"own page":               {headers: []string{"Host: localhost:80", "Origin: http://localhost:80"}, status: 101},
		"page of another port":   {headers: []string{"Host: localhost:80", "Origin: http://localhost:3000"}, status: 403},
		"foreign page":           {headers: []string{"Origin: https://evil.example"}, status: 403},
		"page of nobody":         {headers: []string{"Origin: null"}, status: 403},
		"two pages":              {headers: []string{"Host: localhost", "Origin: http://localhost", "Origin: http://evil.example"}, status: 403},
		"listed page":            {handler: &ws.Handler{Origins: []string{"https://example.com/"}}, headers: []string{"Origin: https://example.com"}, status: 101},
		"listed, but not secure": {handler: &ws.Handler{Origins: []string{"https://example.com"}}, headers: []string{"Origin: http://example.com"}, status: 403},
		"any page":               {handler: &ws.Handler{Origins: []string{"*"}}, headers: []string{"Origin: null"}, status: 101},
		"token":                  {handler: &ws.Handler{Authorize: token}, headers: []string{"Authorization: Bearer right"}, status: 101},
		"no token":               {handler: &ws.Handler{Authorize: token}, status: 401},
		"wrong token":            {handler: &ws.Handler{Authorize: token}, headers: []string{"Authorization: Bearer wrong"}, status: 401},
		"no upgrade":             {headers: []string{"Upgrade: h2c"}, status: 426},
		"no connection":          {headers: []string{"Connection: close"}, status: 426},
		"old version":            {headers: []string{"Sec-WebSocket-Version: 8"}, status: 426},
		"no key":                 {headers: []string{"Sec-WebSocket-Key: short"}, status: 400},
	} {
		t.Run(name, func(t *testing.T) {
			if c.handler == nil {
				c.handler = &ws.Handler{}
			}
			server := listening(t, c.handler, make(chan rpc.Transport, 1))
			_, answer := knock(t, at(server), c.headers...)
			require.Equal(t, c.status, answer.StatusCode)
			require.Empty(t, answer.Header.Get("Sec-WebSocket-Extensions"))
			if c.status == 101 {
				return
			}
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.NotContains(t, string(body), "secret")
			require.Less(t, len(body), 200)
			require.Equal(t, "text/plain; charset=utf-8", answer.Header.Get("Content-Type"))
			if c.status == 426 {
				require.Equal(t, "websocket", answer.Header.Get("Upgrade"))
			}
		})
	}
}

func TestAnotherListenerKnowsItsAddressAlone(t *testing.T) {
	for local, hosts := range map[string]map[string]int{
		"192.0.2.1:80":          {"192.0.2.1": 426, "192.0.2.1:80": 426, "localhost": 403, "example.org": 403, "127.0.0.1": 403, "192.0.2.2": 403},
		"[2001:db8::1]:80":      {"[2001:db8::1]": 426, "[2001:db8:0:0::1]:80": 426, "[::1]": 403},
		"[fe80::1%eth0]:80":     {"[fe80::1]": 426, "[fe80::2]": 403},
		"[::ffff:192.0.2.1]:80": {"192.0.2.1": 426, "localhost": 403},
	} {
		address, err := net.ResolveTCPAddr("tcp", local)
		require.NoError(t, err)
		for host, status := range hosts {
			require.Equal(t, status, asked(address, host), "%s at %s", host, local)
		}
	}
	require.Equal(t, http.StatusUpgradeRequired, asked(&net.UnixAddr{Name: "/run/x", Net: "unix"}, "anything"))
	require.Equal(t, http.StatusForbidden, asked(nil, "example.org"), "nobody knows where it came to")
	require.Equal(t, http.StatusUpgradeRequired, asked(nil, "localhost"))
}

// asked returns the status that a plain request for a host at an address gets.
func asked(local net.Addr, host string) int {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = host
	if local != nil {
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	}
	answer := httptest.NewRecorder()
	new(ws.Handler).ServeHTTP(answer, r)
	return answer.Code
}

func TestThereIsRoomForSoMany(t *testing.T) {
	server, ends := reading(t, &ws.Handler{MaxConnections: 2})
	first, _ := knock(t, at(server))
	_, answer := knock(t, at(server))
	require.Equal(t, 101, answer.StatusCode)
	_, answer = knock(t, at(server))
	require.Equal(t, 503, answer.StatusCode)
	first.send(t, closing(1000, ""))
	soon(t, ends)
	require.Eventually(t, func() bool {
		_, answer := knock(t, at(server))
		return answer.StatusCode == 101
	}, time.Minute, 5*time.Millisecond)
}

func TestRequestsThatAreNeverCompleteEnd(t *testing.T) {
	server := ws.NewServer(&ws.Handler{})
	require.Equal(t, 10*time.Second, server.ReadHeaderTimeout)
	server.ReadHeaderTimeout, server.ReadTimeout = 50*time.Millisecond, 50*time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	defer func() { _ = server.Close() }()
	for _, sent := range []string{"", "GET / HT", "GET / HTTP/1.1\r\nHost: localhost\r\n", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nx"} {
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
		_, err = io.WriteString(conn, sent)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, conn)
		var late net.Error
		require.False(t, errors.As(err, &late) && late.Timeout(), "it did not end: %q", sent)
		require.NoError(t, conn.Close())
	}
}

func TestAHeaderIsOfModestSize(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.Config = ws.NewServer(&ws.Handler{})
	server.Start()
	defer server.Close()
	_, answer := knock(t, at(server), "X: "+strings.Repeat("x", 64<<10))
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, answer.StatusCode)
}

func TestAServerEndsWithItsContext(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	started, served, finished := make(chan struct{}, 1), make(chan error, 1), make(chan error, 1)
	h := &ws.Handler{Serve: func(ctx context.Context, socket rpc.Transport, _ *http.Request) {
		started <- struct{}{}
		finished <- rpc.NewPeer(socket, nil).Serve(ctx, nil)
	}}
	go func() { served <- ws.Serve(ctx, l, h) }()
	client, err := ws.Dial(t.Context(), "ws://"+l.Addr().String(), nil)
	require.NoError(t, err)
	<-started
	_, err = net.Dial("tcp", l.Addr().String()) // says nothing, and holds up nothing
	require.NoError(t, err)
	cancel()
	_, err = client.Read(limit)
	require.True(t, err == io.EOF, "the client is told: %v", err)
	require.NoError(t, soon(t, served))
	require.NoError(t, <-finished, "and the server waited for its connection")
	_, err = ws.Dial(t.Context(), "ws://"+l.Addr().String(), nil)
	require.Error(t, err)
}

func TestConnectionsThatDoNotEndAreCut(t *testing.T) {
	sockets := make(chan rpc.Transport, 1)
	stuck := make(chan error, 1)
	h := &ws.Handler{Serve: func(_ context.Context, socket rpc.Transport, _ *http.Request) {
		sockets <- socket
		_, err := socket.Read(limit) // whatever its context says
		stuck <- err
	}}
	server := httptest.NewServer(h)
	defer server.Close()
	_, _ = knock(t, at(server))
	<-sockets
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, h.Shutdown(ctx), context.DeadlineExceeded)
	require.Error(t, soon(t, stuck))
	require.NoError(t, h.Shutdown(t.Context()))
	_, answer := knock(t, at(server))
	require.Equal(t, 503, answer.StatusCode)
}

func TestAPanicEndsOneConnection(t *testing.T) {
	told := make(chan string, 1)
	h := &ws.Handler{Serve: func(context.Context, rpc.Transport, *http.Request) { panic("oh") }}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(lines(told), "", 0)
	server.Start()
	defer server.Close()
	s, _ := knock(t, at(server))
	require.Contains(t, <-told, "oh")
	_, err := io.Copy(io.Discard, s)
	require.NoError(t, err, "cut")
}

type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// used returns what the program holds, in bytes.
func used() (heap, stacks uint64) {
	runtime.GC()
	runtime.GC() // what has a finalizer takes two
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.StackInuse
}

const many = 2000

func TestAnIdleConnectionIsSmall(t *testing.T) {
	server, _ := reading(t, &ws.Handler{})
	heap, stacks := used()
	var all []*stranger
	for range many {
		s, _ := call(t, at(server))
		s.in = nil // what is measured is the server
		all = append(all, s)
	}
	heapNow, stacksNow := used()
	t.Logf("%d bytes of heap and %d of stacks each", (heapNow-heap)/many, (stacksNow-stacks)/many)
	require.Less(t, heapNow-heap+stacksNow-stacks, uint64(many*24<<10)) // stacks are larger with the race detector
	for _, s := range all {
		_ = s.Close()
	}
}

func TestNothingIsLeftOfConnections(t *testing.T) {
	h := &ws.Handler{MessageTimeout: 20 * time.Millisecond, CloseTimeout: 20 * time.Millisecond}
	h.Serve = func(ctx context.Context, socket rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(socket, nil).Serve(ctx, nil)
	}
	server := start(t, h)
	ends := []func(*stranger){
		func(s *stranger) { s.send(t, closing(1000, "")) },
		func(s *stranger) { s.send(t, closing(4000, "")) },
		func(s *stranger) { s.send(t, head(final|text, 1<<30)) },
		func(s *stranger) { s.send(t, frame(final|bin, "")) },
		func(s *stranger) { s.send(t, frame(text, "{")); _ = s.Close() },
		func(s *stranger) { _ = s.Close() },
		func(s *stranger) {
			_ = s.Close()
			conn, err := ws.Dial(t.Context(), address(server), nil)
			require.NoError(t, err)
			require.NoError(t, rpc.NewPeer(conn, nil).Close())
		},
		func(s *stranger) {
			_ = s.Close()
			_, err := ws.Dial(t.Context(), address(server), &websocket.DialOptions{Host: "evil.example"})
			require.ErrorContains(t, err, "403")
		},
	}
	round := func(n int) {
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() {
				for i := worker; i < n; i += 8 {
					s, _ := call(t, at(server))
					ends[i%len(ends)](s)
					_, _ = io.Copy(io.Discard, s)
					_ = s.Close()
				}
			})
		}
		group.Wait()
	}
	round(100) // what is made once
	goroutines := settled(0)
	heap, _ := used()
	round(many)
	require.LessOrEqual(t, settled(goroutines), goroutines)
	heapNow, _ := used()
	require.Less(t, int64(heapNow)-int64(heap), int64(1<<20), "that is 500 bytes each")
}

// settled returns how many goroutines there are when there are no more than so many, or it takes too long.
func settled(most int) int {
	http.DefaultClient.CloseIdleConnections()
	n := runtime.NumGoroutine()
	for range 100 {
		time.Sleep(10 * time.Millisecond)
		if n = runtime.NumGoroutine(); n <= most {
			break
		}
	}
	return n
}
