package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ahpgen/ahpgen/templates/wire/rpc"
	"github.com/ahpgen/ahpgen/templates/wire/rpc/spec"
)

// streamable is a dialect with sessions, as in MCP 2025-11-25.
var streamable = &Dialect{
	Session: "Mcp-Session-Id", Open: "initialize", Agreed: "protocolVersion",
	Version: "MCP-Protocol-Version", Versions: []string{"2025-11-25", "2025-06-18"},
	LastEvent: "Last-Event-ID", Get: true, Delete: true, Prime: true,
}

// stateless is a dialect without, as in MCP 2026-07-28.
var stateless = &Dialect{
	Version: "MCP-Protocol-Version", VersionAt: []string{"_meta", "io.modelcontextprotocol/protocolVersion"},
	Method: "Mcp-Method", Name: "Mcp-Name", Names: map[string]string{"tools/call": "name", "resources/read": "uri"},
	Versions: []string{"2026-07-28"}, Unsupported: &Unsupported{Code: -32022, Supported: "supported", Requested: "requested"},
	Parameters: &Parameters{Method: "tools/call", Called: "name", Arguments: "arguments", Keyword: "x-mcp-header", Prefix: "Mcp-Param-"},
	Mismatch:   -32020, Status: map[int64]int{-32601: 404, -32602: 400, -32020: 400, -32022: 400},
}

// serving is a protocol made of functions by method.
type serving map[string]func(ctx context.Context, m *rpc.Message) (json.RawMessage, error)

var table = &spec.Table{
	Cancel:   &spec.Cancelling{Method: "cancelled", Member: "requestId"},
	Progress: &spec.Progressing{Method: "progress", Token: "progressToken", Request: []string{"_meta", "progressToken"}, Takes: func(string) bool { return true }},
}

func (serving) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, table) }

func (s serving) ServeRPC(ctx context.Context, m *rpc.Message) (json.RawMessage, error) {
	if f := s[m.Method]; f != nil {
		return f(ctx, m)
	}
	return nil, m.NotFound()
}

// batching is one whose protocol has batches.
type batching struct{ serving }

func (batching) DecodeRPC(data []byte) (rpc.Message, error) { return rpc.Decode(data, batched) }

// echo answers with the parameters.
func echo(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	if m.Params == nil {
		return raw("null"), nil
	}
	return m.Params, nil
}

// count sends the numbers below the first parameter.
func count(_ context.Context, m *rpc.Message) (json.RawMessage, error) {
	var n [1]int
	if err := json.Unmarshal(m.Params, &n); err != nil {
		return nil, rpc.InvalidParams
	}
	if m.Partial == nil {
		return nil, rpc.ErrNoStream
	}
	for i := range n[0] {
		if err := m.Partial(raw(strconv.Itoa(i))); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

func check(t *testing.T, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %#v, want %#v", about, got, want)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// soon waits for a value, and not for ever.
func soon[V any](t *testing.T, c <-chan V) (v V) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("nothing comes")
	}
	return v
}

// serve starts a server and returns its URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// exchange sends bytes to a server as they are, and returns its answer as text without what changes from time to time.
func exchange(t *testing.T, url, request string) string {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, strings.ReplaceAll(strings.ReplaceAll(request, "HOST", strings.TrimPrefix(url, "http://")), "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(response.StatusCode) + " " + response.Header.Get("Content-Type") + "\n" + string(body)
}

// post makes the bytes of a POST request.
func post(body string, headers ...string) string {
	head := "POST / HTTP/1.1\nHost: HOST\nContent-Type: application/json\nAccept: application/json, text/event-stream\n"
	for _, h := range headers {
		head += h + "\n"
	}
	return head + "Content-Length: " + strconv.Itoa(len(body)) + "\n\n" + body
}

var errTest = errors.New("test")
