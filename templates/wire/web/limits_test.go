package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// opened opens a session without a client that listens, and returns its id.
func opened(t *testing.T, url string) (id string, status int) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
	check(t, err, nil)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Header.Get("Mcp-Session-Id"), response.StatusCode
}

// say sends a message in a session. The status is 0 if there is no answer.
func say(ctx context.Context, t *testing.T, url, session, body, accept string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	check(t, err, nil)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", accept)
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data) + text(err)
}

func (h *Sessions) count() (n int) {
	h.each(func(*session) { n++ })
	return n
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("in vain: ", what)
}

func TestSessionsAreLimited(t *testing.T) {
	h := peers(serving{"initialize": initialized}, nil)
	h.MaxSessions, h.Idle = 2, 200*time.Millisecond
	url := serve(t, h)
	for _, want := range []int{200, 200, 503} {
		_, status := opened(t, url)
		check(t, status, want)
	}
	eventually(t, "sessions without requests end", func() bool { return h.count() == 0 })
	_, status := opened(t, url)
	check(t, status, 200)
}

func TestASessionThatIsRefusedIsNone(t *testing.T) {
	h := peers(serving{"initialize": func(context.Context, *rpc.Message) (json.RawMessage, error) { return nil, rpc.InvalidParams }}, nil)
	_, status := opened(t, serve(t, h))
	check(t, status, 200)
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
}

func TestASessionThatEndsSaysSoToWhoWaitsForAnAnswer(t *testing.T) {
	began := make(chan bool, 1)
	h := peers(serving{"initialize": initialized, "wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		began <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}}, nil)
	h.Patience = time.Minute
	url := serve(t, h)
	for _, accept := range []string{"application/json", "application/json, text/event-stream", "text/event-stream"} {
		id, _ := opened(t, url)
		go func() {
			<-began
			check(t, exchange(t, url, "DELETE / HTTP/1.1\nHost: HOST\nMcp-Session-Id: "+id+"\n\n"), "204 \n")
		}()
		status, answer := say(t.Context(), t, url, id, `{"jsonrpc":"2.0","id":2,"method":"wait"}`, accept)
		if accept == "text/event-stream" { // which has begun
			check(t, status, 200)
			check(t, strings.HasSuffix(answer, `data: {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"the session has ended"}}`+"\n\n"), true, answer)
			continue
		}
		check(t, status, 404)
		check(t, answer, "the session has ended\n")
	}
}

// TestNobodyHasToListen has a server send more than is kept to a client that does not read: the newest messages are kept.
func TestNobodyHasToListen(t *testing.T) {
	servers := make(chan *rpc.Peer, 1)
	h := peers(serving{"initialize": initialized}, servers)
	h.MaxKept = 1000
	url := serve(t, h)
	id, _ := opened(t, url)
	peer := soon(t, servers)
	for i := range 1000 {
		check(t, peer.Notify(t.Context(), "said", raw(fmt.Sprintf("[%d]", i))), nil)
	}
	check(t, peer.Flush(t.Context()), nil)
	h.each(func(s *session) {
		s.mu.Lock()
		defer s.mu.Unlock()
		check(t, s.kept <= 1000, true, s.kept)
		check(t, s.general.bytes(), s.kept)
	})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err, nil)
	request.Header.Set("Mcp-Session-Id", id)
	response, err := http.DefaultClient.Do(request)
	check(t, err, nil)
	defer response.Body.Close()
	in := newEvents(response.Body, 1000)
	last := ""
	for !strings.Contains(last, "[999]") {
		e, err := in.next()
		if err != nil {
			t.Fatal(err)
		}
		last = string(e.data)
	}
}

// TestWhatNobodyReadsDelaysNobody has a client that listens to nothing but the answers to what it asks, and hangs up on some of them.
func TestWhatNobodyReadsDelaysNobody(t *testing.T) {
	servers := make(chan *rpc.Peer, 1)
	long := raw(`["` + strings.Repeat("x", 600) + `"]`)
	answered := make(chan bool, 10)
	h := peers(serving{"initialize": initialized, "long": func(context.Context, *rpc.Message) (json.RawMessage, error) { return long, nil }, "late": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		_ = rpc.CallerOf(ctx).Notify(ctx, "said", nil) // so that a stream begins
		<-answered
		return long, nil
	}}, servers)
	h.MaxKept = 1000
	url := serve(t, h)
	id, _ := opened(t, url)
	ask := func(ctx context.Context, body string) (*http.Response, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		check(t, err, nil)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		request.Header.Set("Mcp-Session-Id", id)
		return http.DefaultClient.Do(request)
	}
	read := func(body string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		response, err := ask(ctx, body)
		check(t, err, nil)
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		check(t, err, nil)
		check(t, strings.Contains(string(data), "xxx"), true, string(data))
	}
	peer := soon(t, servers)
	check(t, peer.Notify(t.Context(), "said", long), nil)
	read(`{"jsonrpc":"2.0","id":2,"method":"long"}`)

	for i := range 4 {
		ctx, hangUp := context.WithCancel(t.Context())
		response, err := ask(ctx, fmt.Sprintf(`{"jsonrpc":"2.0","id":1%d,"method":"late"}`, i))
		check(t, err, nil)
		_, err = newEvents(response.Body, 1000).next()
		check(t, err, nil)
		hangUp()
		response.Body.Close()
		eventually(t, "the server notices", func() (gone bool) {
			h.each(func(s *session) {
				s.mu.Lock()
				defer s.mu.Unlock()
				gone = s.streams[len(s.streams)-1].deserted()
			})
			return gone
		})
		answered <- true
	}
	read(`{"jsonrpc":"2.0","id":3,"method":"long"}`)
	check(t, h.count(), 1)
}

// TestAClientThatDoesNotReadAStreamIsCutOff has a server answer a request with more than is kept, without reading it.
func TestAClientThatDoesNotReadAStreamIsCutOff(t *testing.T) {
	ended := make(chan error, 1)
	var sent atomic.Int64
	h := &Sessions{Dialect: streamable, MaxKept: 1 << 16, Serve: func(ctx context.Context, tr rpc.Transport, _ *http.Request) {
		p := rpc.NewPeer(tr, &rpc.Options{WriteTimeout: 200 * time.Millisecond, MaxUnsent: 1 << 20})
		ended <- p.Serve(ctx, serving{"initialize": initialized, "flood": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			long := raw(`["` + strings.Repeat("x", 1<<12) + `"]`)
			for {
				if err := p.WaitForRoom(ctx); err != nil {
					return nil, err
				}
				if err := p.Notify(ctx, "said", long); err != nil {
					return nil, err
				}
				sent.Add(1 << 12)
			}
		}})
	}}
	url := serve(t, h)
	id, _ := opened(t, url)
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	check(t, err, nil)
	defer conn.Close()
	_, err = io.WriteString(conn, strings.ReplaceAll(strings.ReplaceAll(post(`{"jsonrpc":"2.0","id":1,"method":"flood"}`, "Mcp-Session-Id: "+id), "HOST", "localhost"), "\n", "\r\n"))
	check(t, err, nil)
	err = soon(t, ended)
	check(t, err != nil && strings.Contains(err.Error(), "not reading"), true, err)
	check(t, sent.Load() < 64<<20, true, sent.Load())
	eventually(t, "the session ends", func() bool { return h.count() == 0 })
}

func TestShutdownSendsWhatIsThere(t *testing.T) {
	servers := make(chan *rpc.Peer, 1)
	h := peers(serving{"initialize": initialized, "initialized": echo}, servers)
	said := make(chan string, 10)
	wrong := make(chan error, 10)
	client := dial(t, serve(t, h), serving{"said": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		said <- string(m.Params)
		return nil, nil
	}}, &Options{OnError: func(err error) { wrong <- err }})
	peer := soon(t, servers)
	check(t, peer.Notify(t.Context(), "said", raw("[1]")), nil)
	check(t, soon(t, said), "[1]")
	check(t, peer.Notify(t.Context(), "said", raw("[2]")), nil)
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check(t, h.Shutdown(limit), nil)
	check(t, soon(t, said), "[2]")
	check(t, h.count(), 0)
	_, err := client.Call(t.Context(), "echo", nil)
	check(t, err != nil, true)
}

// TestServersMayAnswerAnything has a client of sessions get answers that are none.
func TestServersMayAnswerAnything(t *testing.T) {
	answer := make(chan func(w http.ResponseWriter, r *http.Request), 10)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			w.Header().Set("Mcp-Session-Id", "s")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`)
			return
		}
		if r.Method == http.MethodDelete || r.Method == http.MethodGet && r.Header.Get("Last-Event-ID") == "" {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"initialized"`) || strings.Contains(string(body), `"error"`) {
			check(t, r.Header.Get("MCP-Protocol-Version"), "2025-11-25")
			w.WriteHeader(http.StatusAccepted)
			return
		}
		(<-answer)(w, r)
	}))
	events := func(text string) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
		}
	}
	status := func(code int) func(w http.ResponseWriter, r *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
	}
	client := dial(t, url, serving{}, nil)
	for _, c := range []struct {
		answers []func(w http.ResponseWriter, r *http.Request)
		want    string
	}{
		{[]func(http.ResponseWriter, *http.Request){events("id: a\ndata: \n\n"), status(409), status(503), events("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":5}\n\n")}, "5"},
		{[]func(http.ResponseWriter, *http.Request){events("data: \n\n")}, "answer: unexpected EOF"},
		{[]func(http.ResponseWriter, *http.Request){events("id: a\ndata: \n\n"), status(400)}, "answer: the stream could not be resumed: HTTP status 400 Bad Request: no"},
		{[]func(http.ResponseWriter, *http.Request){status(500)}, "HTTP status 500 Internal Server Error: no"},
		{[]func(http.ResponseWriter, *http.Request){status(202)}, "HTTP status 202 Accepted: no"},
	} {
		for _, a := range c.answers {
			answer <- a
		}
		got, err := client.Call(t.Context(), "x", nil)
		check(t, string(got)+text(err), c.want)
	}
	answer <- events("data: {\n\n")
	_, err := client.Call(t.Context(), "x", nil)
	check(t, text(err), "answer: unexpected EOF")
	answer <- status(404)
	_, err = client.Call(t.Context(), "x", nil)
	check(t, errors.Is(err, ErrSessionEnded), true, err)
	soon(t, client.Done())
}

// TestAnIdleStreamNeedsOneGoroutine has sessions with a stream each, and one more goroutine for the session itself.
func TestAnIdleStreamNeedsOneGoroutine(t *testing.T) {
	const sessions = 50
	h := peers(serving{"initialize": initialized}, nil)
	h.KeepAlive = 20 * time.Millisecond
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Around", "it\r\nis kept")
		h.ServeHTTP(w, r)
	}))
	before := runtime.NumGoroutine()
	var streams []net.Conn
	for range sessions {
		id, _ := opened(t, url)
		stream, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		check(t, err, nil)
		defer stream.Close()
		streams = append(streams, stream)
		_, err = io.WriteString(stream, "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nMcp-Session-Id: "+id+"\r\n\r\n")
		check(t, err, nil)
		response, err := http.ReadResponse(bufio.NewReader(stream), nil)
		check(t, err, nil)
		check(t, response.StatusCode, http.StatusOK)
		check(t, response.Header.Get("X-Around"), "it  is kept", "what others have set")
		check(t, response.Header.Get("Access-Control-Allow-Origin"), "http://localhost")
		check(t, response.Close, true)
		comment := make([]byte, len(": still here"))
		_, err = io.ReadFull(response.Body, comment)
		check(t, string(comment), ": still here", err)
	}
	http.DefaultClient.CloseIdleConnections()
	eventually(t, "there are two goroutines for each", func() bool { return runtime.NumGoroutine() <= before+2*sessions+5 })
	h.work.mu.Lock()
	check(t, h.work.count, sessions, "requests that go on")
	h.work.mu.Unlock()
	for _, stream := range streams[1:] {
		_ = stream.Close()
	}
	eventually(t, "the streams of clients that have gone end", func() bool {
		h.work.mu.Lock()
		defer h.work.mu.Unlock()
		return h.work.count == 1
	})
	check(t, h.Shutdown(t.Context()), nil)
	_, err := io.Copy(io.Discard, streams[0])
	check(t, err, nil, "the last one ends with the handler")
}

// TestNoSessionBeginsBehindAShutdown: the request of one may have been on its way when the shutdown began.
func TestNoSessionBeginsBehindAShutdown(t *testing.T) {
	h := peers(serving{"initialize": initialized}, nil)
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check(t, h.Shutdown(limit), nil)
	check(t, h.begin(httptest.NewRequest(http.MethodPost, "/", nil), rpc.Principal{}) == nil, true)
	check(t, h.count(), 0)
	check(t, h.Shutdown(limit), nil)
}

// TestWhoListensWaitsLongerOnlyIfNothingCame: streams without ids say nothing of their place, and may still have brought something.
func TestWhoListensWaitsLongerOnlyIfNothingCame(t *testing.T) {
	const message = `data: {"jsonrpc":"2.0","method":"said"}` + "\n\n"
	for _, c := range []struct {
		stream string
		want   int
	}{{"", 7}, {": nothing\n\n", 7}, {message, 0}, {"id: 2\n" + message, 0}, {"id: 1\n" + message, 7}} {
		tr := Dial("http://localhost", streamable, nil)
		go func() {
			for {
				if _, err := tr.Read(1 << 10); err != nil {
					return
				}
			}
		}()
		p := place{attempts: 7}
		if strings.HasPrefix(c.stream, "id") {
			p.id = "1"
		}
		_, err := tr.take(io.NopCloser(strings.NewReader(c.stream)), &p, "", false, "")
		check(t, err, io.EOF)
		check(t, p.attempts, c.want, c.stream)
		check(t, tr.Close(""), nil)
	}
}
