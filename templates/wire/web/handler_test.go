package web

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

const call = `{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}`

// TestAnswersOnTheWire has requests as bytes, with the answers to them.
func TestAnswersOnTheWire(t *testing.T) {
	s := serving{"echo": echo, "count": count, "note": echo}
	url := serve(t, &Handler{Access: Access{MaxMessage: 200}, Handler: batching{s}})
	jsonOnly := strings.Replace(post(`{"jsonrpc":"2.0","id":1,"method":"count","params":[2]}`), "application/json, text/event-stream", "application/json", 1)
	for _, c := range []struct{ name, request, want string }{
		{"a request", post(call), `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"result":[1]}`},
		{"invalid UTF-8", post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[\"\xff\"]}"), `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"result":["�"]}`},
		{"a notification", post(`{"jsonrpc":"2.0","method":"note"}`), "202 \n"},
		{"an error", post(`{"jsonrpc":"2.0","id":"x","method":"none"}`), `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"method not found: \"none\""}}`},
		{
			"several results", post(`{"jsonrpc":"2.0","id":1,"method":"count","params":[2]}`),
			"200 text/event-stream\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":0}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n",
		},
		{"several results for a client that takes one", jsonOnly, `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the connection takes one result of a request"}}`},
		{"no json", post(`{"jsonrpc":`), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"jsonrpc: invalid JSON at offset 11: unexpected end instead of a value"}}`},
		{"no message", post(`{"jsonrpc":"2.0","id":1}`), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method: missing"}}`},
		{"an answer", post(`{"jsonrpc":"2.0","id":1,"result":1}`), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"an answer, where nothing was asked"}}`},
		{"a batch", post("[" + call + `,{"jsonrpc":"2.0","method":"note"}]`), `200 application/json` + "\n" + `[{"jsonrpc":"2.0","id":1,"result":[1]}]`},
		{"a batch without requests", post(`[{"jsonrpc":"2.0","method":"note"}]`), "202 \n"},
		{"another type", strings.Replace(post(call), "Content-Type: application/json", "Content-Type: text/plain", 1), "415 text/plain; charset=utf-8\nthe body has to be application/json\n"},
		{"an encoding beside the type", strings.Replace(post(call), "Content-Type: application/json", "Content-Type: application/json; charset=utf-8", 1), `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"result":[1]}`},
		{"pictures wanted", strings.Replace(post(call), "application/json, text/event-stream", "image/png", 1), "406 text/plain; charset=utf-8\nanswers are application/json or text/event-stream\n"},
		{"too much", post(`"` + strings.Repeat("x", 200) + `"`), "413 text/plain; charset=utf-8\nmessage too large\n"},
		{
			"too much in chunks", "POST / HTTP/1.1\nHost: HOST\nContent-Type: application/json\nTransfer-Encoding: chunked\n\nc9\n" + strings.Repeat("x", 201) + "\n0\n\n",
			"413 text/plain; charset=utf-8\nmessage too large\n",
		},
		{"GET", "GET / HTTP/1.1\nHost: HOST\n\n", "405 text/plain; charset=utf-8\nPOST only\n"},
		{"another host", strings.Replace(post(call), "Host: HOST", "Host: evil.example:80", 1), "403 text/plain; charset=utf-8\nunknown host\n"},
		{"another origin", post(call, "Origin: https://evil.example"), "403 text/plain; charset=utf-8\norigin not allowed\n"},
		{"two origins", post(call, "Origin: http://HOST", "Origin: https://evil.example"), "403 text/plain; charset=utf-8\norigin not allowed\n"},
		{"no origin", post(call, "Origin: null"), "403 text/plain; charset=utf-8\norigin not allowed\n"},
		{"its own origin", post(call, "Origin: http://HOST"), `200 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"result":[1]}`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, exchange(t, url, c.request), c.want) })
	}
}

// TestNothingIsSentBesideAnAnswer has a handler send a notification to a client that takes one answer, and to the sender of a
// notification.
func TestNothingIsSentBesideAnAnswer(t *testing.T) {
	told := make(chan error, 1)
	url := serve(t, &Handler{Handler: serving{"tell": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
		told <- rpc.CallerOf(ctx).Notify(ctx, "said", nil)
		return echo(ctx, m)
	}}})
	tell := `{"jsonrpc":"2.0","id":1,"method":"tell","params":[1]}`
	jsonOnly := strings.Replace(post(tell), "application/json, text/event-stream", "application/json", 1)
	check(t, exchange(t, url, jsonOnly), `200 application/json`+"\n"+`{"jsonrpc":"2.0","id":1,"result":[1]}`)
	check(t, <-told, ErrNoStream)
	check(t, exchange(t, url, post(`{"jsonrpc":"2.0","method":"tell"}`)), "202 \n")
	check(t, <-told, ErrNoStream)
	exchange(t, url, post(tell))
	check(t, <-told, nil)
}

// TestHandlersAreToldOfAShutdown has a handler that would go on for ever, and answers when the shutdown begins.
func TestHandlersAreToldOfAShutdown(t *testing.T) {
	begun := make(chan bool, 1)
	h := &Handler{Handler: serving{"follow": func(ctx context.Context, _ *rpc.Message) (json.RawMessage, error) {
		begun <- true
		<-Stopping(ctx)
		return raw(`"the end"`), nil
	}}}
	url := serve(t, h)
	answer := make(chan string, 1)
	go func() { answer <- exchange(t, url, post(`{"jsonrpc":"2.0","id":1,"method":"follow"}`)) }()
	<-begun
	limit, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	check(t, h.Shutdown(limit), nil)
	check(t, strings.Contains(soon(t, answer), "the end"), true)
	check(t, Stopping(t.Context()) == nil, true)
}

// TestHeadersAreHeldToTheBody has the examples of MCP 2026-07-28, and what differs from them.
func TestHeadersAreHeldToTheBody(t *testing.T) {
	url := serve(t, &Handler{Dialect: stateless, Handler: serving{"tools/call": echo, "resources/read": echo, "tools/list": echo}})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	tool := func(name string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":` + name + `,` + meta + `}}`
	}
	version := "MCP-Protocol-Version: 2026-07-28"
	for _, c := range []struct {
		name, body string
		headers    []string
		want       string // the beginning of what is wrong, or ""
	}{
		{"the example", tool(`"get_weather"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: get_weather"}, ""},
		{"in lower case", tool(`"get_weather"`), []string{"mcp-protocol-version: 2026-07-28", "mcp-method: tools/call", "mcp-name: get_weather"}, ""},
		{"in Base64", tool(`"Hello, 世界"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: =?base64?SGVsbG8sIOS4lueVjA==?="}, ""},
		{"without a name", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, []string{version, "Mcp-Method: tools/list"}, ""},
		{"another method", tool(`"a"`), []string{version, "Mcp-Method: tools/list", "Mcp-Name: a"}, "the header Mcp-Method is not what the body has"},
		{"another case", tool(`"a"`), []string{version, "Mcp-Method: tools/Call", "Mcp-Name: a"}, "the header Mcp-Method is not what the body has"},
		{"another name", tool(`"a"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: b"}, "the header Mcp-Name is not what the body has"},
		{"another name in Base64", tool(`"a"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: =?base64?Yg==?="}, "the header Mcp-Name is not what the body has"},
		{"bad Base64", tool(`"a"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: =?base64?!?="}, "the header Mcp-Name is not what the body has"},
		{"two names", tool(`"a"`), []string{version, "Mcp-Method: tools/call", "Mcp-Name: a", "Mcp-Name: b"}, "the header Mcp-Name is given twice"},
		{"no name", tool(`"a"`), []string{version, "Mcp-Method: tools/call"}, "the header Mcp-Name is missing"},
		{"a name of nothing", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `}}`, []string{version, "Mcp-Method: tools/call", "Mcp-Name: a"}, "the header Mcp-Name repeats what the body does not have"},
		{"no method", tool(`"a"`), []string{version, "Mcp-Name: a"}, "the header Mcp-Method is missing"},
		{"another version", tool(`"a"`), []string{"MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/call", "Mcp-Name: a"}, "the header MCP-Protocol-Version is not what the body has"},
		{"no version", tool(`"a"`), []string{"Mcp-Method: tools/call", "Mcp-Name: a"}, "the header MCP-Protocol-Version is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := exchange(t, url, post(c.body, c.headers...))
			if c.want == "" {
				check(t, strings.HasPrefix(got, "200 application/json\n"), true, got)
				return
			}
			check(t, got, `400 application/json`+"\n"+`{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"`+c.want+`"}}`)
		})
	}
	check(t, exchange(t, url, post(`{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`, "Mcp-Method: x")),
		`404 application/json`+"\n"+`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \"x\""}}`, "a status follows from the code")
	c := NewClient(url, stateless, nil)
	for _, name := range []string{"get_weather", "Hello, 世界", " padded ", "line1\nline2", "=?base64?literal?=", "\t", ""} {
		params, _ := json.Marshal(map[string]any{"name": name, "_meta": map[string]string{"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})
		_, err := c.Call(t.Context(), "tools/call", params)
		check(t, err, nil, name)
	}
}

func TestValuesOfHeaders(t *testing.T) {
	for text, value := range map[string]string{ // as in the specification
		"us-west1": "us-west1", "Hello, 世界": "=?base64?SGVsbG8sIOS4lueVjA==?=", " padded ": "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2": "=?base64?bGluZTEKbGluZTI=?=", "=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
	} {
		check(t, encodeValue(text), value)
		got, ok := decodeValue(value)
		check(t, got, text)
		check(t, ok, true)
	}
}

func TestSlowBodiesAreNotWaitedFor(t *testing.T) {
	url := serve(t, &Handler{Access: Access{MessageTimeout: 50 * time.Millisecond}, Handler: serving{"echo": echo}})
	began := time.Now()
	got := exchange(t, url, "POST / HTTP/1.1\nHost: HOST\nContent-Type: application/json\nContent-Length: 100\n\n{")
	check(t, got, "408 text/plain; charset=utf-8\nthe body did not arrive in time\n")
	check(t, time.Since(began) < 10*time.Second, true)
}

func TestStreamsAreKeptAlive(t *testing.T) {
	h := &Handler{Access: Access{KeepAlive: 20 * time.Millisecond}, Handler: serving{"wait": func(context.Context, *rpc.Message) (json.RawMessage, error) {
		time.Sleep(100 * time.Millisecond)
		return raw("5"), nil
	}}}
	got := exchange(t, serve(t, h), post(`{"jsonrpc":"2.0","id":1,"method":"wait"}`))
	check(t, strings.HasPrefix(got, "200 text/event-stream\n: still here\n\n: still here\n\n"), true, got)
	check(t, strings.HasSuffix(got, "\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":5}\n\n"), true, got)
}

// TestAClientThatDoesNotReadIsCut has an endless stream that is never read.
func TestAClientThatDoesNotReadIsCut(t *testing.T) {
	ended := make(chan error, 1)
	h := &Handler{Access: Access{WriteTimeout: 100 * time.Millisecond}, Handler: serving{"flood": func(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
		long := raw(`"` + strings.Repeat("x", 1<<20) + `"`)
		for {
			if err := m.Partial(long); err != nil {
				ended <- err
				return nil, err
			}
		}
	}}}
	url := serve(t, h)
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	check(t, err, nil)
	defer conn.Close()
	_, err = io.WriteString(conn, strings.ReplaceAll(post(`{"jsonrpc":"2.0","id":1,"method":"flood"}`), "HOST", "localhost"))
	check(t, err, nil)
	check(t, soon(t, ended) != nil, true)
}

func TestHostsAndOrigins(t *testing.T) {
	for _, c := range []struct {
		local, host, origin string
		access              Access
		want                int
	}{
		{"127.0.0.1:80", "localhost:80", "", Access{}, 200},
		{"127.0.0.1:80", "127.0.0.1", "", Access{}, 200},
		{"[::1]:80", "[::1]:80", "", Access{}, 200},
		{"127.0.0.1:80", "evil.example", "", Access{}, 403},
		{"127.0.0.1:80", "", "", Access{}, 403},
		{"10.0.0.1:80", "10.0.0.1", "", Access{}, 200},
		{"10.0.0.1:80", "localhost", "", Access{}, 403},
		{"10.0.0.1:80", "Example.com.:443", "", Access{Hosts: []string{"example.com"}}, 200},
		{"10.0.0.1:80", "10.0.0.1", "", Access{Hosts: []string{"example.com"}}, 403},
		{"10.0.0.1:80", "any", "", Access{Hosts: []string{"*"}}, 200},
		{"127.0.0.1:80", "localhost:80", "http://localhost:80", Access{}, 200},
		{"127.0.0.1:80", "localhost:80", "http://localhost:81", Access{}, 403},
		{"127.0.0.1:80", "localhost:80", "http://localhost:81", Access{Origins: []string{"http://localhost:81/"}}, 200},
		{"127.0.0.1:80", "localhost:80", "null", Access{Origins: []string{"*"}}, 200},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(call))
		local, err := net.ResolveTCPAddr("tcp", c.local)
		check(t, err, nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		r.Host = c.host
		r.Header.Set("Content-Type", "application/json")
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		(&Handler{Access: c.access, Handler: serving{"echo": echo}}).ServeHTTP(w, r)
		check(t, w.Code, c.want, c.local, c.host, c.origin, w.Body.String())
	}
}

func TestPagesOfAllowedOriginsReadAnswers(t *testing.T) {
	h := &Handler{Handler: serving{"echo": echo}, Access: Access{
		Origins:   []string{"https://example.com"},
		Authorize: func(*http.Request) (rpc.Principal, error) { return rpc.Principal{}, &Refusal{} },
	}}
	ask := func(method, origin string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "/", strings.NewReader(call))
		r.Host = "localhost"
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		r.Header.Set("Access-Control-Request-Headers", "authorization, content-type")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	w := ask(http.MethodOptions, "https://example.com")
	check(t, w.Code, http.StatusNoContent, "a browser asks without a token")
	check(t, w.Header().Get("Access-Control-Allow-Origin"), "https://example.com")
	check(t, w.Header().Get("Access-Control-Allow-Headers"), "authorization, content-type")
	check(t, w.Header().Get("Access-Control-Allow-Credentials"), "")
	w = ask(http.MethodPost, "https://example.com")
	check(t, w.Code, http.StatusUnauthorized)
	check(t, w.Header().Get("Access-Control-Allow-Origin"), "https://example.com", "the page may read why")
	w = ask(http.MethodOptions, "https://evil.example")
	check(t, w.Code, http.StatusForbidden)
	check(t, w.Header().Get("Access-Control-Allow-Origin"), "")
}
