package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// peers serves sessions with peers, which it hands on.
func peers(h rpc.Handler, to chan<- *rpc.Peer) *Sessions {
	return &Sessions{Dialect: streamable, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		p := rpc.NewPeer(t, nil)
		if to != nil {
			to <- p
		}
		_ = p.Serve(ctx, h)
	}}
}

// initialized answers the request that opens a session.
func initialized(context.Context, *rpc.Message) (json.RawMessage, error) {
	return raw(`{"protocolVersion":"2025-11-25"}`), nil
}

// dial opens a session as a client.
func dial(t *testing.T, url string, h rpc.Handler, o *Options) *rpc.Peer {
	t.Helper()
	p := rpc.NewPeer(Dial(url, streamable, o), nil)
	go func() { _ = p.Serve(context.Background(), h) }()
	t.Cleanup(func() { _ = p.Close() })
	_, err := p.Call(t.Context(), "initialize", raw(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	check(t, p.Notify(t.Context(), "initialized", nil), nil)
	return p
}

func TestBothSidesOfASessionAsk(t *testing.T) {
	servers := make(chan *rpc.Peer, 1)
	ended := make(chan error, 1)
	h := peers(serving{
		"initialize": initialized, "initialized": echo, "echo": echo,
		"ask": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			to := rpc.CallerOf(ctx)
			check(t, to.Notify(ctx, "said", m.Params), nil)
			return to.Call(ctx, "asked", m.Params)
		},
		"wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}, servers)
	said := make(chan string, 10)
	client := dial(t, serve(t, h), serving{
		"asked": echo, "said": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			said <- string(m.Params)
			return nil, nil
		},
	}, nil)
	server := soon(t, servers)
	for i := range 20 {
		want := fmt.Sprintf("[%d]", i)
		got, err := client.Call(t.Context(), "ask", raw(want))
		check(t, string(got), want, err)
		check(t, soon(t, said), want)
	}
	check(t, server.Notify(t.Context(), "said", raw(`["aside"]`)), nil)
	check(t, soon(t, said), `["aside"]`, "on the stream that GET has opened")
	got, err := server.Call(t.Context(), "asked", raw("[5]"))
	check(t, string(got), "[5]", err)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ctx, _ = rpc.PrepareCall(ctx, table, "wait", nil)
	_, err = client.Call(ctx, "wait", nil)
	check(t, errors.Is(err, context.DeadlineExceeded), true)
	check(t, soon(t, ended), rpc.ErrCancelled, "a notification cancels the request")
	check(t, client.Close(), nil)
	<-server.Done() // since a client ends its session
}

func TestTheReasonForAnEndReachesTheClient(t *testing.T) {
	for _, c := range []struct {
		end  func(*rpc.Peer)
		want string
	}{
		{(*rpc.Peer).EndReplaced, rpc.ErrReplaced.Error()},
		{func(p *rpc.Peer) {
			p.End(&rpc.Error{Code: 1, Message: "moved", Data: raw(`{"ended":"moved"}`)})
		}, "the peer ended the connection: moved"},
	} {
		servers := make(chan *rpc.Peer, 1)
		began := make(chan bool, 1)
		h := peers(serving{"initialize": initialized, "initialized": echo, "wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
			began <- true
			<-ctx.Done()
			return nil, ctx.Err()
		}}, servers)
		h.Patience = time.Minute
		client := rpc.NewPeer(Dial(serve(t, h), streamable, nil), nil)
		ended := make(chan error, 1)
		go func() { ended <- client.Serve(context.Background(), serving{}) }()
		_, err := client.Call(t.Context(), "initialize", raw(`{}`))
		check(t, err, nil)
		check(t, client.Notify(t.Context(), "initialized", nil), nil)
		eventually(t, "the client listens", func() bool {
			s := h.only()
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.general.attached
		})
		called := make(chan error, 1)
		go func() {
			_, err := client.Call(context.Background(), "wait", nil)
			called <- err
		}()
		soon(t, began)
		c.end(soon(t, servers))
		check(t, soon(t, called) != nil, true)
		check(t, text(soon(t, ended)), c.want)
	}
}

func TestASessionMayBeOpenedAfterARefusal(t *testing.T) {
	for name, patience := range map[string]time.Duration{"in one answer": time.Minute, "on a stream": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			h := peers(serving{"echo": echo, "initialize": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
				if len(m.Params) > 0 {
					time.Sleep(time.Millisecond)
					return nil, rpc.InvalidParams
				}
				return initialized(ctx, m)
			}}, nil)
			h.Patience = patience
			client := rpc.NewPeer(Dial(serve(t, h), streamable, nil), nil)
			go func() { _ = client.Serve(context.Background(), serving{}) }()
			t.Cleanup(func() { _ = client.Close() })
			_, err := client.Call(t.Context(), "initialize", raw(`{}`))
			check(t, errors.Is(err, rpc.InvalidParams), true, err)
			_, err = client.Call(t.Context(), "initialize", nil)
			check(t, err, nil)
			got, err := client.Call(t.Context(), "echo", raw("[1]"))
			check(t, string(got), "[1]", err)
		})
	}
}

// TestACallThatIsGivenUpEndsItsRequest has a protocol without cancellation, in which the handler learns nothing.
func TestACallThatIsGivenUpEndsItsRequest(t *testing.T) {
	end := make(chan bool)
	defer close(end)
	began := make(chan bool, 1)
	h := peers(serving{"initialize": initialized, "initialized": echo, "echo": echo, "wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		began <- true
		<-end
		return nil, nil
	}}, nil)
	h.Patience = 50 * time.Millisecond
	client := dial(t, serve(t, h), serving{}, nil)
	for name, patience := range map[string]time.Duration{"before a stream": 0, "on a stream": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-began
				time.Sleep(patience)
				cancel()
			}()
			_, err := client.Call(ctx, "wait", nil)
			check(t, errors.Is(err, context.Canceled), true, err)
			eventually(t, "only the stream of GET is open", func() bool {
				h.mu.Lock()
				defer h.mu.Unlock()
				return h.work.count <= 1
			})
			got, err := client.Call(t.Context(), "echo", raw("[1]"))
			check(t, string(got), "[1]", err)
		})
	}
}

// TestSessionsOnTheWire has requests as bytes, with the answers to them.
func TestSessionsOnTheWire(t *testing.T) {
	h := peers(serving{"initialize": initialized, "echo": echo, "say": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		_ = rpc.CallerOf(ctx).Notify(ctx, "said", nil)
		return echo(ctx, m)
	}}, nil)
	h.Authorize = func(r *http.Request) (rpc.Principal, error) { return rpc.Principal{Name: r.Header.Get("User")}, nil }
	url := serve(t, h)
	open := func(user string) string {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User", user)
		response, err := http.DefaultClient.Do(request)
		check(t, err, nil)
		defer response.Body.Close()
		return response.Header.Get("Mcp-Session-Id")
	}
	id := open("alice")
	check(t, len(id) >= 26, true, id)
	mine := []string{"User: alice", "Mcp-Session-Id: " + id}
	only := strings.NewReplacer("application/json, text/event-stream", "application/json")
	events := strings.NewReplacer("application/json, text/event-stream", "text/event-stream")
	echoed := "200 application/json\n" + `{"jsonrpc":"2.0","id":1,"result":[1]}`
	say := strings.Replace(call, "echo", "say", 1)
	for _, c := range []struct{ name, request, want string }{
		{"a request", post(call, mine...), echoed},
		{"a notification", post(`{"jsonrpc":"2.0","method":"echo"}`, mine...), "202 \n"},
		{"an answer", post(`{"jsonrpc":"2.0","id":1,"result":5}`, mine...), "202 \n"},
		{"more than the answer", post(say, mine...), "200 text/event-stream\nid: 3-0\ndata: \n\nid: 3-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"said\"}\n\nid: 3-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1]}\n\n"},
		{"resumed", "GET / HTTP/1.1\nHost: HOST\nUser: alice\nMcp-Session-Id: " + id + "\nLast-Event-ID: 3-1\n\n", "200 text/event-stream\nid: 3-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1]}\n\n"},
		{"resumed from what is not there", "GET / HTTP/1.1\nHost: HOST\nUser: alice\nMcp-Session-Id: " + id + "\nLast-Event-ID: 3-3\n\n", "400 text/plain; charset=utf-8\nthe stream cannot be resumed: its messages are not kept any more\n"},
		{"resumed from nonsense", "GET / HTTP/1.1\nHost: HOST\nUser: alice\nMcp-Session-Id: " + id + "\nLast-Event-ID: x\n\n", "400 text/plain; charset=utf-8\nthe stream cannot be resumed: its messages are not kept any more\n"},
		{"an older client gets no event without data", post(say, append(mine, "MCP-Protocol-Version: 2025-06-18")...), "200 text/event-stream\nid: 4-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"said\"}\n\nid: 4-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1]}\n\n"},
		{"the answer alone", only.Replace(post(say, mine...)), echoed},
		{"a stream alone", events.Replace(post(call, mine...)), "200 text/event-stream\nid: 6-0\ndata: \n\nid: 6-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1]}\n\n"},
		{"a version", post(call, append(mine, "MCP-Protocol-Version: 2025-11-25")...), echoed},
		{"another version", post(call, append(mine, "MCP-Protocol-Version: 2024-11-05")...), "400 text/plain; charset=utf-8\nunsupported version; supported are 2025-11-25, 2025-06-18\n"},
		{"no session", post(call), "400 text/plain; charset=utf-8\nthe header Mcp-Session-Id is missing\n"},
		{"an unknown session", post(call, "Mcp-Session-Id: x"), "404 text/plain; charset=utf-8\nno such session\n"},
		{"the session of another user", post(call, "User: mallory", "Mcp-Session-Id: "+id), "404 text/plain; charset=utf-8\nno such session\n"},
		{"GET without a session", "GET / HTTP/1.1\nHost: HOST\n\n", "400 text/plain; charset=utf-8\nthe header Mcp-Session-Id is missing\n"},
		{"PUT", "PUT / HTTP/1.1\nHost: HOST\n\n", "405 text/plain; charset=utf-8\nmethod not allowed\n"},
		{"a batch", post("["+call+"]", mine...), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want object, got array: batches are not supported"}}`},
		{"no json", post("{", mine...), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"invalid JSON at offset 1: unexpected end instead of a key or }"}}`},
		{"DELETE of another user's", "DELETE / HTTP/1.1\nHost: HOST\nUser: mallory\nMcp-Session-Id: " + id + "\n\n", "404 text/plain; charset=utf-8\nno such session\n"},
		{"DELETE", "DELETE / HTTP/1.1\nHost: HOST\nUser: alice\nMcp-Session-Id: " + id + "\n\n", "204 \n"},
		{"after that", post(call, mine...), "404 text/plain; charset=utf-8\nno such session\n"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, exchange(t, url, c.request), c.want) })
	}
}

func TestIdsInUseAreRefused(t *testing.T) {
	began, end := make(chan bool, 1), make(chan bool)
	h := peers(serving{"initialize": initialized, "wait": func(context.Context, *rpc.Message) (json.RawMessage, error) {
		began <- true
		<-end
		return raw("5"), nil
	}}, nil)
	client := dial(t, serve(t, h), serving{}, nil)
	answered := make(chan string, 1)
	go func() {
		got, err := client.Call(context.Background(), "wait", nil)
		answered <- string(got) + text(err)
	}()
	<-began
	var id string
	h.each(func(s *session) { id = s.id })
	url := serve(t, h)
	got := exchange(t, url, post(`{"jsonrpc":"2.0","id":2,"method":"wait"}`, "Mcp-Session-Id: "+id))
	check(t, strings.Contains(got, "the id is that of another request"), true, got)
	close(end)
	check(t, soon(t, answered), "5")
}

func TestABatchThatRepeatsAnIdOpensNoSession(t *testing.T) {
	h := &Sessions{Dialect: &Dialect{Session: "Mcp-Session-Id", Batches: true}, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, nil).Serve(ctx, batching{serving{"echo": echo}})
	}}
	got := exchange(t, serve(t, h), post("["+call+","+call+"]"))
	check(t, strings.Contains(got, "the id is that of another request"), true, got)
	eventually(t, "there is no session", func() bool { return h.count() == 0 })
}

// TestTheReasonForAnEndWaitsForTheClient ends sessions whose clients do not listen yet, or listen to an answer alone.
func TestTheReasonForAnEndWaitsForTheClient(t *testing.T) {
	servers := make(chan *rpc.Peer, 1)
	h := peers(serving{"initialize": initialized, "wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}, servers)
	h.Patience = time.Millisecond
	url := serve(t, h)
	client := rpc.NewPeer(Dial(url, streamable, nil), nil)
	ended := make(chan error, 1)
	go func() { ended <- client.Serve(context.Background(), serving{}) }()
	_, err := client.Call(t.Context(), "initialize", raw(`{}`))
	check(t, err, nil)
	server := soon(t, servers)
	server.EndReplaced()
	<-server.Done()
	eventually(t, "the session has ended", func() bool { return h.count() == 0 })
	_ = client.Notify(t.Context(), "initialized", nil)
	check(t, soon(t, ended), rpc.ErrReplaced)

	replaced := `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"replaced by another connection of the same client","data":{"ended":"replaced"}}}`
	for _, accept := range []string{"application/json", "text/event-stream", "application/json, text/event-stream"} {
		id, _ := opened(t, url)
		server = soon(t, servers)
		got := make(chan string, 1)
		go func() {
			status, answer := say(context.WithoutCancel(t.Context()), t, url, id, `{"jsonrpc":"2.0","id":2,"method":"wait"}`, accept)
			got <- fmt.Sprint(status, " ", answer)
		}()
		time.Sleep(50 * time.Millisecond)
		server.EndReplaced()
		if answer := soon(t, got); accept == "application/json" {
			check(t, answer, "404 "+fmt.Sprintf(replaced, "null"))
		} else {
			check(t, strings.HasPrefix(answer, "200 ") && strings.HasSuffix(answer, "data: "+fmt.Sprintf(replaced, "2")+"\n\n"), true, answer)
		}
		for _, method := range []string{"GET", "DELETE"} {
			late := exchange(t, url, method+" / HTTP/1.1\nHost: HOST\nAccept: text/event-stream\nMcp-Session-Id: "+id+"\n\n")
			check(t, late, "404 application/json\n"+fmt.Sprintf(replaced, "null"))
		}
	}
}

func TestBatchesHaveOneAnswer(t *testing.T) {
	d := *streamable
	d.Batches = true
	h := &Sessions{Dialect: &d, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, nil).Serve(ctx, batching{serving{"initialize": initialized, "echo": echo}})
	}}
	client := dial(t, serve(t, h), serving{}, nil)
	var id string
	h.each(func(s *session) { id = s.id })
	two := strings.Replace(call, `"id":1`, `"id":"x"`, 1)
	got := exchange(t, serve(t, h), post("["+call+`,{"jsonrpc":"2.0","method":"echo"},`+two+`,5]`, "Mcp-Session-Id: "+id))
	for _, want := range []string{"200 application/json\n[", `{"jsonrpc":"2.0","id":1,"result":[1]}`, `{"jsonrpc":"2.0","id":"x","result":[1]}`, `"id":null,"error":{"code":-32600`} {
		check(t, strings.Contains(got, want), true, got)
	}
	for _, c := range []struct{ body, want string }{
		{`[1,2]`, `200 application/json [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want object, got number"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want object, got number"}}]`},
		{`[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":7,"method":5}]`, `200 application/json [{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"method: want string, got number"}}]`},
		{`[{"jsonrpc":"2.0","method":"echo"},{"jsonrpc":"2.0","id":7,"result":5}]`, "202  "},
	} {
		got := exchange(t, serve(t, h), post(c.body, "Mcp-Session-Id: "+id))
		check(t, strings.ReplaceAll(got, "\n", " "), c.want)
	}
	_ = client.Close()
}

func TestABatchThatIsTooLargeIsAnswered(t *testing.T) {
	d := *streamable
	d.Batches = true
	h := &Sessions{Dialect: &d, Serve: func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, &rpc.Options{MaxBatch: 2}).Serve(ctx, batching{serving{"initialize": initialized, "echo": echo}})
	}}
	url := serve(t, h)
	id, _ := opened(t, url)
	two := strings.Replace(call, `"id":1`, `"id":2`, 1)
	got := exchange(t, url, post(`[{"jsonrpc":"2.0","method":"echo"},`+call+`,`+two+`]`, "Mcp-Session-Id: "+id))
	check(t, got, "200 application/json\n"+`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of 3 messages, where 2 are taken"}}`)
	got = exchange(t, url, post(`[`+call+`,`+two+`]`, "Mcp-Session-Id: "+id)) // with ids that are free again
	check(t, strings.HasPrefix(got, "200 application/json\n[{"), true, got)
	got = exchange(t, url, post(`[`+strings.Repeat(`{"jsonrpc":"2.0","method":"echo"},`, 2)+`{"jsonrpc":"2.0","method":"echo"}]`, "Mcp-Session-Id: "+id)) // without requests
	check(t, got, "400 application/json\n"+`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a batch of 3 messages, where 2 are taken"}}`)
	h.each(func(s *session) { s.balanced(t) })
}

// TestACancelledRequestIsAnswered answers the HTTP request, since that waits, and says why.
func TestACancelledRequestIsAnswered(t *testing.T) {
	began := make(chan bool, 1)
	url := serve(t, peers(serving{"initialize": initialized, "wait": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		began <- true
		<-ctx.Done()
		return nil, ctx.Err()
	}}, nil))
	id, _ := opened(t, url)
	go func() {
		<-began
		check(t, exchange(t, url, post(`{"jsonrpc":"2.0","method":"cancelled","params":{"requestId":2}}`, "Mcp-Session-Id: "+id)), "202 \n")
	}()
	got := exchange(t, url, post(`{"jsonrpc":"2.0","id":2,"method":"wait"}`, "Mcp-Session-Id: "+id))
	check(t, strings.HasSuffix(got, `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"cancelled by the peer"}}`), true, got)
}

// cutting is a listener whose connections are cut after some bytes were sent to the client.
type cutting struct {
	net.Listener
	after func() int64 // 0 for never
	cuts  atomic.Int64
}

func (c *cutting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	return &cutConn{Conn: conn, of: c}, err
}

type cutConn struct {
	net.Conn
	of   *cutting
	sent int64
}

func (c *cutConn) Write(p []byte) (int, error) {
	limit := c.of.after()
	if limit > 0 && c.sent+int64(len(p)) > limit {
		n, _ := c.Conn.Write(p[:max(0, limit-c.sent)])
		c.of.cuts.Add(1)
		_ = c.Conn.Close()
		return n, io.ErrClosedPipe
	}
	n, err := c.Conn.Write(p)
	c.sent += int64(n)
	return n, err
}

// TestAStreamIsResumedWhereItWasCut cuts connections at arbitrary bytes. Nothing is lost, and nothing comes twice.
func TestAStreamIsResumedWhereItWasCut(t *testing.T) {
	const messages = 3500
	servers := make(chan *rpc.Peer, 1)
	h := peers(serving{"initialize": initialized, "many": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		for i := range messages {
			if err := rpc.CallerOf(ctx).Notify(ctx, "said", raw(fmt.Sprintf("[%d]", i))); err != nil {
				return nil, err
			}
		}
		return raw(`"done"`), nil
	}}, servers)
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "localhost:0")
	check(t, err, nil)
	var limit, grown atomic.Int64
	cut := &cutting{Listener: l, after: func() int64 {
		if limit.Load() == 0 {
			return 0
		}
		return limit.Load() + grown.Add(7)%97 // at another place each time
	}}
	server := NewServer(h)
	go func() { _ = server.Serve(cut) }()
	defer server.Close()
	var lock sync.Mutex
	said := []string{}
	client := dial(t, "http://"+l.Addr().String(), serving{"said": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		lock.Lock()
		defer lock.Unlock()
		said = append(said, string(m.Params))
		return nil, nil
	}}, nil)
	limit.Store(1000)
	got, err := client.Call(t.Context(), "many", nil)
	check(t, string(got), `"done"`, err)
	all := func(from string) {
		t.Helper()
		lock.Lock()
		defer lock.Unlock()
		check(t, len(said), messages, from)
		for i, text := range said {
			if text != "["+strconv.Itoa(i)+"]" {
				t.Fatalf("%s: message %d is %s", from, i, text)
			}
		}
		said = nil
	}
	all("on the stream of an answer")
	check(t, cut.cuts.Load() >= 200, true, cut.cuts.Load())

	peer := soon(t, servers)
	for i := range messages {
		check(t, peer.Notify(t.Context(), "said", raw(fmt.Sprintf("[%d]", i))), nil)
	}
	for range 1000 {
		lock.Lock()
		n := len(said)
		lock.Unlock()
		if n >= messages {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	all("on the stream of the server")
	t.Log(cut.cuts.Load(), "cuts")
}
