package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
)

// bothEras serves two dialects at one URL.
func bothEras() *Handler {
	answer := func(text string) func(context.Context, *rpc.Message) (json.RawMessage, error) {
		return func(context.Context, *rpc.Message) (json.RawMessage, error) { return raw(text), nil }
	}
	older := peers(serving{"initialize": initialized, "initialized": echo, "tools/list": answer(`"older"`)}, nil)
	return &Handler{Dialect: stateless, Handler: serving{"discover": answer(`"newer"`), "tools/list": answer(`"newer"`)}, Older: older}
}

const versionMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`

// TestOneURLServesTwoDialects has requests as bytes, with the answers to them.
func TestOneURLServesTwoDialects(t *testing.T) {
	h := bothEras()
	url := serve(t, h)
	id, status := opened(t, url)
	check(t, status, http.StatusOK)
	ask := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`
	}
	newer := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}
	session := "Mcp-Session-Id: " + id
	unsupported := `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported version; supported are 2026-07-28","data":{"requested":"v9","supported":["2026-07-28"]}}}`
	for _, c := range []struct{ name, request, want string }{
		{"a version in the body", post(ask("tools/list", versionMeta), newer...), "200 application/json\n" + `{"jsonrpc":"2.0","id":1,"result":"newer"}`},
		{"a session beside it", post(ask("tools/list", versionMeta), append(newer, session)...), "200 application/json\n" + `{"jsonrpc":"2.0","id":1,"result":"newer"}`},
		{"a session", post(ask("tools/list", ""), session), "200 application/json\n" + `{"jsonrpc":"2.0","id":1,"result":"older"}`},
		{"a session with a version", post(ask("tools/list", ""), session, "MCP-Protocol-Version: 2025-06-18"), "200 application/json\n" + `{"jsonrpc":"2.0","id":1,"result":"older"}`},
		{"neither", post(ask("tools/list", "")), "400 text/plain; charset=utf-8\nthe header Mcp-Session-Id is missing\n"},
		{
			"a version in the header alone", post(ask("tools/list", ""), newer...),
			"400 application/json\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid params: the version is missing at _meta.io.modelcontextprotocol/protocolVersion; supported versions are 2026-07-28"}}`,
		},
		{"an opening with a version", post(ask("initialize", versionMeta), "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: initialize"), "404 application/json\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \"initialize\""}}`},
		{"another version", post(ask("tools/list", strings.Replace(versionMeta, "2026-07-28", "v9", 1)), "MCP-Protocol-Version: v9", "Mcp-Method: tools/list"), unsupported},
		{"GET", "GET / HTTP/1.1\nHost: HOST\n\n", "400 text/plain; charset=utf-8\nthe header Mcp-Session-Id is missing\n"},
		{"DELETE", "DELETE / HTTP/1.1\nHost: HOST\n" + session + "\n\n", "204 \n"},
		{"after that", post(ask("tools/list", ""), session), "404 text/plain; charset=utf-8\nno such session\n"},
		{"no json", post("{"), `400 application/json` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"invalid JSON at offset 1: unexpected end instead of a key or }"}}`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, exchange(t, url, c.request), c.want) })
	}
	check(t, h.Shutdown(t.Context()), nil)
	check(t, h.Older.count(), 0)
}

// TestClientsFindOutWhichDialectAServerHas has answers of servers to a request of the newer dialect.
func TestClientsFindOutWhichDialectAServerHas(t *testing.T) {
	failure := func(code int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":"no","data":{"supported":["a","b"]}}}`, code)
	}
	for _, c := range []struct {
		name    string
		status  int
		body    string
		foreign bool
		known   string
	}{
		{"a text", 400, "no session", true, "[]"},
		{"nothing", 404, "", true, "[]"},
		{"an error of JSON-RPC", 400, failure(-32600), true, "[]"},
		{"an unknown method", 404, failure(-32601), true, "[]"},
		{"an unknown method in a good answer", 200, failure(-32601), true, "[]"},
		{"an error of others", 400, failure(-32000), true, "[]"},
		{"headers that differ", 400, failure(-32020), false, "[]"},
		{"another version", 400, failure(-32022), false, "[a b]"},
		{"another version in a good answer", 200, failure(-32022), false, "[a b]"},
		{"another authorization", 401, "", false, "[]"},
		{"a broken server", 500, failure(-32000), false, "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if strings.HasPrefix(c.body, "{") {
					w.Header().Set("Content-Type", "application/json")
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			_, err := NewClient(url, stateless, nil).Call(t.Context(), "discover", raw(`{`+versionMeta+`}`))
			check(t, stateless.Foreign(err), c.foreign, err)
			versions, _ := stateless.Supported(err)
			check(t, fmt.Sprint(versions), c.known)
		})
	}
	_, err := NewClient("http://localhost:0", stateless, nil).Call(t.Context(), "discover", nil)
	check(t, stateless.Foreign(err), false, "not reached")
	check(t, stateless.Foreign(nil), false)
	check(t, stateless.Foreign(&rpc.Error{Code: -32601}), true, "over a stream")
	check(t, stateless.Foreign(errors.New("x")), false)
}

// TestHeadersRepeatArguments has arguments with the headers that a client sends, and headers that a server refuses.
func TestHeadersRepeatArguments(t *testing.T) {
	schema := raw(`{"properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},
		"deep":{"type":"object","properties":{"on":{"type":"boolean","x-mcp-header":"On"}}},"rest":{"type":"string"}}}`)
	schemas := func(called string) json.RawMessage {
		if called == "query" {
			return schema
		}
		return nil
	}
	var sent http.Header
	h := &Handler{Dialect: stateless, Handler: serving{"tools/call": echo}, Schema: schemas}
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header
		h.ServeHTTP(w, r)
	}))
	c := NewClient(url, stateless, &Options{Schema: schemas})
	for arguments, want := range map[string]string{
		`{"region":"us-west1","n":42,"deep":{"on":false},"rest":"x"}`: "us-west1 42 false",
		`{"region":"","n":-7}`:                "- -7",
		`{"region":" padded "}`:               "=?base64?IHBhZGRlZCA=?=",
		`{"region":null,"deep":{}}`:           "",
		`{"region":["a"],"n":1e2,"deep":[5]}`: "1e2",
	} {
		_, err := c.Call(t.Context(), "tools/call", raw(`{"name":"query","arguments":`+arguments+`,`+versionMeta+`}`))
		check(t, err, nil, arguments)
		var got []string
		for _, name := range []string{"Mcp-Param-Region", "Mcp-Param-N", "Mcp-Param-On", "Mcp-Param-Rest"} {
			for _, value := range sent[name] {
				if value == "" {
					value = "-"
				}
				got = append(got, value)
			}
		}
		check(t, strings.Join(got, " "), want, arguments)
	}
	for _, c := range []struct{ headers, want string }{
		{"Mcp-Param-Region: us\nMcp-Param-N: 42.0", ""},
		{"Mcp-Param-Region: =?base64?dXM=?=\nMcp-Param-N: 42", ""},
		{"Mcp-Param-Region: us\nMcp-Param-N: 42\nMcp-Param-Rest: whatever", ""},
		{"Mcp-Param-Region: us", "the header Mcp-Param-N is missing"},
		{"Mcp-Param-Region: us\nMcp-Param-N: 43", "the header Mcp-Param-N is not what the body has"},
		{"Mcp-Param-Region: =?base64?dXM?=\nMcp-Param-N: 42", "the header Mcp-Param-Region is not what the body has"},
		{"Mcp-Param-Region: us\nMcp-Param-Region: us\nMcp-Param-N: 42", "the header Mcp-Param-Region is given twice"},
		{"Mcp-Param-Region: us\nMcp-Param-N: 42\nMcp-Param-On: true", "the header Mcp-Param-On repeats what the body does not have"},
	} {
		headers := append([]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: query"}, strings.Split(c.headers, "\n")...)
		got := exchange(t, url, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{"region":"us","n":42},`+versionMeta+`}}`, headers...))
		if c.want == "" {
			check(t, strings.HasPrefix(got, "200 "), true, c.headers, got)
			continue
		}
		check(t, got, "400 application/json\n"+`{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"`+c.want+`"}}`, c.headers)
	}
}

// TestSchemasThatHeadersCannotFollow has the mistakes that a schema may make.
func TestSchemasThatHeadersCannotFollow(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}`:                            "",
		`{"properties":{"x-mcp-header":{"type":"string"},"b":{"const":{"x-mcp-header":"A"}}}}`: "",
		`{"$defs":{"x-mcp-header":{"type":"string"}},"default":{"x-mcp-header":5}}`:            "",
		`true`: "",
		`{"properties":{"a":{"type":"string","x-mcp-header":""}}}`:                                           `x-mcp-header "": not the name of a header`,
		`{"properties":{"a":{"type":"string","x-mcp-header":5}}}`:                                            `x-mcp-header "": not the name of a header`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}`:                                        `x-mcp-header "a b": not the name of a header`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"é"}}}`:                                          `x-mcp-header "é": not the name of a header`,
		`{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}`:                                          `x-mcp-header "A": the type is neither string nor integer nor boolean`,
		`{"properties":{"a":{"x-mcp-header":"A"}}}`:                                                          `x-mcp-header "A": the type is neither string nor integer nor boolean`,
		`{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`: "two arguments have the header Mcp-Param-A",
		`{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}`:                                `x-mcp-header "A": not at a property that is reached by properties alone`,
		`{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}`:                              `x-mcp-header "A": not at a property that is reached by properties alone`,
		`{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}`:                                               `x-mcp-header "A": not at a property that is reached by properties alone`,
		`{`: "schema: unexpected end of JSON input",
	} {
		check(t, text(stateless.Parameters.Check(raw(schema))), want, schema)
	}
}

// TestAHandlerEndsTheStreamOfItsAnswer has a client that comes back for it.
func TestAHandlerEndsTheStreamOfItsAnswer(t *testing.T) {
	released := make(chan bool)
	h := &Sessions{Dialect: streamable, Retry: 20 * time.Millisecond}
	h.Serve = func(ctx context.Context, to rpc.Transport, _ *http.Request) {
		_ = rpc.NewPeer(to, nil).Serve(ctx, serving{"initialize": initialized, "initialized": echo, "wait": func(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
			EndStream(ctx, to)
			<-released
			return echo(ctx, m)
		}})
	}
	url := serve(t, h)
	client := dial(t, url, serving{}, nil)
	var id string
	h.each(func(s *session) { id = s.id })
	check(t, exchange(t, url, post(`{"jsonrpc":"2.0","id":"x","method":"wait","params":[5]}`, "Mcp-Session-Id: "+id)), "200 text/event-stream\nid: 2-0\nretry: 20\ndata: \n\n")
	released <- true
	check(t, exchange(t, url, "GET / HTTP/1.1\nHost: HOST\nMcp-Session-Id: "+id+"\nLast-Event-ID: 2-0\n\n"), "200 text/event-stream\nretry: 20\n\nid: 2-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":[5]}\n\n")

	older := post(`{"jsonrpc":"2.0","id":"y","method":"wait","params":[6]}`, "Mcp-Session-Id: "+id, "MCP-Protocol-Version: 2025-06-18")
	go func() { released <- true }()
	stayed := exchange(t, url, older)
	check(t, strings.Contains(stayed, `"result":[6]`), true, "who cannot come back stays", stayed)

	go func() { released <- true }()
	got, err := client.Call(t.Context(), "wait", raw("[7]"))
	check(t, string(got), "[7]", err)
}
