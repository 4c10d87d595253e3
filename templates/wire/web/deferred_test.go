package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// divided is a dialect whose answers come on streams, one for each room, as in ACP.
var divided = &Dialect{
	Session: "Visit", Open: "initialize", Get: true, Delete: true, LastEvent: "Last-Event-ID",
	Deferred: true, Scope: "Room", ScopeAt: "room", Unscoped: []string{"load"},
}

// rooms is a server whose clients talk in rooms, after start is closed.
func rooms(messages int, start <-chan struct{}) *Sessions {
	h := peers(serving{
		"initialize": echo, "load": echo, "note": echo,
		"open": func(context.Context, *rpc.Message) (json.RawMessage, error) { return raw(`{"room":"kitchen"}`), nil },
		"talk": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			rpc.Async(ctx)
			<-start
			room, _ := at(m.Params, "room")
			client := rpc.CallerOf(ctx)
			for i := range messages {
				said := raw(fmt.Sprintf(`{"room":%q,"n":%d}`, room, i))
				if err := client.Notify(ctx, "said", said); err != nil {
					return nil, err
				}
				if i%50 == 0 {
					if got, err := client.Call(ctx, "asked", said); err != nil || string(got) != string(said) {
						return nil, fmt.Errorf("asked: %s, %w", got, err)
					}
				}
			}
			return raw(fmt.Sprintf("%q", "said all in "+room)), nil
		},
	}, nil)
	h.Dialect = divided
	return h
}

func begun() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// visit opens a session as a client, which notes what is said in each room.
func visit(t *testing.T, url string, d *Dialect, o *Options) (client *rpc.Peer, said func(room string) []string) {
	t.Helper()
	var lock sync.Mutex
	heard := map[string][]string{}
	client = rpc.NewPeer(Dial(url, d, o), nil)
	go func() {
		_ = client.Serve(context.Background(), serving{"asked": echo, "said": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
			lock.Lock()
			defer lock.Unlock()
			room, _ := at(m.Params, "room")
			heard[room] = append(heard[room], string(m.Params))
			return nil, nil
		}})
	}()
	t.Cleanup(func() { _ = client.Close() })
	_, err := client.Call(t.Context(), "initialize", raw(`{}`))
	check(t, err, nil)
	return client, func(room string) []string {
		lock.Lock()
		defer lock.Unlock()
		return heard[room]
	}
}

// TestDeferredAnswersAreResumedWhereTheyWereCut cuts connections at arbitrary bytes while two rooms talk at once.
func TestDeferredAnswersAreResumedWhereTheyWereCut(t *testing.T) {
	const messages = 1000
	start := make(chan struct{})
	h := rooms(messages, start)
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "localhost:0")
	check(t, err, nil)
	var limit, grown atomic.Int64
	cut := &cutting{Listener: l, after: func() int64 {
		if limit.Load() == 0 {
			return 0
		}
		return limit.Load() + grown.Add(7)%97
	}}
	server := NewServer(h)
	go func() { _ = server.Serve(cut) }()
	defer server.Close()
	posted := make(chan struct{}, 10_000)
	o := &Options{HTTP: &http.Client{Transport: sent(func(r *http.Request, _ *http.Response) {
		if r.Method == http.MethodPost {
			posted <- struct{}{}
		}
	})}}
	client, said := visit(t, "http://"+l.Addr().String(), divided, o)
	var done sync.WaitGroup
	for _, room := range []string{"hall", "straße"} {
		done.Add(1)
		go func() {
			defer done.Done()
			got, err := client.Call(t.Context(), "talk", raw(fmt.Sprintf(`{"room":%q}`, room)))
			check(t, string(got), fmt.Sprintf("%q", "said all in "+room), err)
			want := []string{}
			for i := range messages {
				want = append(want, fmt.Sprintf(`{"room":%q,"n":%d}`, room, i))
			}
			check(t, said(room), want, "in order, once, and before the answer")
		}()
	}
	for range 3 { // a request whose POST is cut off fails, since it is unknown whether it arrived
		soon(t, posted)
	}
	limit.Store(1000)
	close(start)
	done.Wait()
	check(t, cut.cuts.Load() >= 50, true, cut.cuts.Load())
	t.Log(cut.cuts.Load(), "cuts")
}

// sent is called with requests that are answered.
type sent func(*http.Request, *http.Response)

func (f sent) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		f(r, got)
	}
	return got, err
}

// TestDeferredAnswersOnTheWire has requests as bytes, with the answers to them.
func TestDeferredAnswersOnTheWire(t *testing.T) {
	url := serve(t, rooms(1, begun()))
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	check(t, err, nil)
	id := response.Header.Get("Visit")
	_ = response.Body.Close()
	mine := "Visit: " + id
	note := `{"jsonrpc":"2.0","method":"note","params":{"room":"hall"}}`
	wrong := func(why string) string {
		return "400 application/json\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"` + why + `"}}`
	}
	for _, c := range []struct{ request, want string }{
		{post(note, mine, "Room: hall"), "202 \n"},
		{post(note, mine), wrong("the header Room is missing")},
		{post(note, mine, "Room: attic"), wrong("the header Room is not what the body has")},
		{post(note, mine, "Room: hall", "Room: hall"), wrong("the header Room is given twice")},
		{post(`{"jsonrpc":"2.0","id":7,"method":"talk","params":{"room":"hall"}}`, mine, "Room: hall"), "202 \n"},
		{post(`{"jsonrpc":"2.0","id":8,"method":"load","params":{"room":"hall"}}`, mine, "Room: hall"), "202 \n"},
		{post(`{"jsonrpc":"2.0","id":7,"method":"talk","params":{"room":"attic"}}`, mine, "Room: attic"), wrong("the id is that of another request, which is not answered")},
		{post(`{"jsonrpc":"2.0","id":9,"method":"load"}`), "400 text/plain; charset=utf-8\nthe header Visit is missing\n"},
	} {
		check(t, exchange(t, url, c.request), c.want, c.request)
	}
	events := func(headers ...string) *bufio.Reader {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		for _, h := range append(headers, mine) {
			name, value, _ := strings.Cut(h, ": ")
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		check(t, err, nil)
		t.Cleanup(func() { _ = response.Body.Close() })
		return bufio.NewReader(response.Body)
	}
	expect := func(in *bufio.Reader, lines ...string) {
		t.Helper()
		for _, want := range lines {
			got, err := in.ReadString('\n')
			check(t, strings.TrimSuffix(got, "\n"), want, err)
		}
	}
	// While the stream of the room is not read, what belongs to no room comes on the general one.
	expect(events(), "id: 0-0", "", "id: 0-1", `data: {"jsonrpc":"2.0","id":8,"result":{"room":"hall"}}`, "")
	said := []string{"id: 2-1", `data: {"jsonrpc":"2.0","method":"said","params":{"room":"hall","n":0}}`, ""}
	expect(events("Room: hall"), append([]string{"id: 2-0", ""}, said...)...)
	expect(events("Room: hall", "Last-Event-ID: 2-0"), append([]string{"id: 2-0", ""}, said...)...)
}

// TestRequestsFailWithAStreamThatCannotBeResumed is about servers that give events no ids.
func TestRequestsFailWithAStreamThatCannotBeResumed(t *testing.T) {
	bare := *divided
	bare.LastEvent = ""
	waits := make(chan struct{})
	h := rooms(0, nil)
	h.Dialect = &bare
	waiting := func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		rpc.Async(ctx)
		close(waits)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	h.Serve = func(ctx context.Context, t rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(t, nil).Serve(ctx, serving{"initialize": echo, "wait": waiting, "load": echo})
	}
	var streams sync.Map
	o := &Options{HTTP: &http.Client{Transport: sent(func(r *http.Request, got *http.Response) {
		if r.Method == http.MethodGet && r.Header.Get("Room") != "" {
			streams.Store(got, nil)
		}
	})}}
	client, _ := visit(t, serve(t, h), divided, o)
	failed := make(chan error, 1)
	go func() {
		_, err := client.Call(t.Context(), "wait", raw(`{"room":"hall"}`))
		failed <- err
	}()
	soon(t, waits)
	for open := false; !open; {
		streams.Range(func(got, _ any) bool {
			_ = got.(*http.Response).Body.Close()
			open = true
			return true
		})
	}
	check(t, strings.HasPrefix(text(soon(t, failed)), "answer: "), true)
	got, err := client.Call(t.Context(), "load", raw(`{"room":"hall"}`))
	check(t, string(got), `{"room":"hall"}`, err, "the connection goes on")
}

func TestScopesAreLimited(t *testing.T) {
	s := newSession("s", rpc.Principal{}, 1<<20)
	s.divide(divided)
	for i := range maxScopes {
		check(t, s.expectLater(&body{method: "talk", scope: fmt.Sprint(i), requests: []string{fmt.Sprint(i)}}), (*rpc.Error)(nil))
	}
	more := &body{method: "talk", scope: "more", requests: []string{"more"}}
	err := s.expectLater(more)
	check(t, err != nil && err.Message == errScopes.Error(), true, err)
	check(t, errors.Is(s.Write(t.Context(), []byte(`{"jsonrpc":"2.0","method":"said","params":{"room":"more"}}`)), errScopes), true)
	check(t, s.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":5,"result":1}`)), nil)
	s.scopes["5"].unsent++ // it is sent
	check(t, s.expectLater(more), (*rpc.Error)(nil), "that of an answered request is dropped")
}
