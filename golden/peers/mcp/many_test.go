// Many sessions, each with a stream: memory and calls of our server and of the Go SDK's, each in a process of its own.

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// theirs is set in the process that is the Go SDK's server.
const theirs = "MCP_THEIRS"

// serveTheirs does with the Go SDK what the program in testdata/many does.
func serveTheirs() {
	server := mcp.NewServer(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "say", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var arguments struct{ Text string }
		if err := json.Unmarshal(r.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: arguments.Text}}}, nil
	})
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true})
	go func() { panic(http.Serve(l, handler)) }() //nolint:gosec // a test
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapAlloc + m.StackInuse)
	}
}

// child is a process that serves.
type child struct {
	address string
	in      io.Writer
	out     *bufio.Reader
}

func startChild(b *testing.B, command *exec.Cmd) *child {
	in, err := command.StdinPipe()
	require.NoError(b, err)
	out, err := command.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, command.Start())
	b.Cleanup(func() {
		_ = in.Close()
		_ = command.Wait()
	})
	c := &child{in: in, out: bufio.NewReader(out)}
	url, err := c.out.ReadString('\n')
	require.NoError(b, err)
	c.address = strings.TrimPrefix(strings.TrimSpace(url), "http://")
	return c
}

// memory returns the bytes in use.
func (c *child) memory(b *testing.B) float64 {
	_, err := io.WriteString(c.in, "\n")
	require.NoError(b, err)
	line, err := c.out.ReadString('\n')
	require.NoError(b, err)
	n, err := strconv.ParseFloat(strings.TrimSpace(line), 64)
	require.NoError(b, err)
	return n
}

// line is a connection to a server.
type line struct {
	net.Conn
	in      *bufio.Reader
	address string
}

func (c *child) dial(b *testing.B) *line {
	conn, err := net.Dial("tcp", c.address)
	require.NoError(b, err)
	return &line{conn, bufio.NewReaderSize(conn, 1<<10), c.address}
}

// request returns a request as bytes.
func (l *line) request(session, method, body string) string {
	if session != "" {
		session = "Mcp-Session-Id: " + session + "\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	}
	accept := "application/json, text/event-stream"
	if method == http.MethodGet {
		accept = "text/event-stream"
	}
	return method + " / HTTP/1.1\r\nHost: " + l.address + "\r\nAccept: " + accept + "\r\nContent-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n" + session + "\r\n" + body
}

// send sends a request and returns the answer.
func (l *line) send(request string) (*http.Response, error) {
	if _, err := io.WriteString(l, request); err != nil {
		return nil, err
	}
	return http.ReadResponse(l.in, nil)
}

func (l *line) exchange(session, method, body string) (http.Header, error) {
	response, err := l.send(l.request(session, method, body))
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if response.StatusCode/100 != 2 {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	return response.Header, err
}

// open opens a session and its stream.
func (c *child) open(b *testing.B) (session string, stream net.Conn) {
	l := c.dial(b)
	defer l.Close()
	header, err := l.exchange("", http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"many","version":"1"}}}`)
	require.NoError(b, err)
	session = header.Get("Mcp-Session-Id")
	require.NotEmpty(b, session)
	_, err = l.exchange(session, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	require.NoError(b, err)
	to := c.dial(b)
	response, err := to.send(to.request(session, http.MethodGet, ""))
	require.NoError(b, err)
	require.Equal(b, http.StatusOK, response.StatusCode)
	return session, to.Conn
}

// BenchmarkManySessions has 1,000 sessions with a stream each. An operation is a call of a tool, in any of them.
func BenchmarkManySessions(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		many(b, exec.Command(buildWith(b, b.TempDir(), "many", nil, map[string]string{"mcp": "2025-11-25"})))
	})
	b.Run("the Go SDK", func(b *testing.B) {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), theirs+"=1")
		many(b, command)
	})
}

func many(b *testing.B, command *exec.Cmd) {
	const sessions = 1000
	c := startChild(b, command)
	warm, stream := c.open(b)
	defer stream.Close()
	require.NotEmpty(b, warm)
	before := c.memory(b)
	var ids []string
	for range sessions {
		id, stream := c.open(b)
		defer stream.Close()
		ids = append(ids, id)
	}
	each := (c.memory(b) - before) / sessions
	var next atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		l := c.dial(b)
		defer l.Close()
		for p.Next() {
			n := next.Add(1)
			if _, err := l.exchange(ids[n%sessions], http.MethodPost, `{"jsonrpc":"2.0","id":`+strconv.FormatInt(n, 10)+`,"method":"tools/call","params":{"name":"say","arguments":{"text":"hello"}}}`); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(each, "B/session")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
