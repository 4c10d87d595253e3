//go:build unix

// Clients and servers of others, with a tap between them.

package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/golden/between"
)

// TestProgramsOfOthersBehindATap: no byte is changed, and there is nothing to find fault with.
func TestProgramsOfOthersBehindATap(t *testing.T) {
	node, modules := typescript(t)
	tool := between.Build(t)
	server := func(name string) string { return filepath.Join(modules, "server-"+name, "dist", "index.js") }
	t.Run("the Go SDK and the server for everything", func(t *testing.T) {
		tap := between.New(t, tool, "--schemas", "mcp")
		command := tap.Command(node, server("everything"))
		askEverything(t, &mcp.CommandTransport{Command: exec.Command(command[0], command[1:]...)}, 5000)
		require.Greater(t, tap.Check(), 10_000)
	})
	t.Run("the inspector and other servers", func(t *testing.T) {
		inspector := filepath.Join(modules, "inspector-cli", "build", "index.js")
		tap := between.New(t, tool, "--schemas", "mcp")
		t.Setenv(served, "2025-11-25")
		for want, command := range map[string][]string{
			"startup.md":       {node, server("everything"), "--method", "resources/list"},
			"read_text_file":   {node, server("filesystem"), t.TempDir(), "--method", "tools/list"},
			`\"entities\": []`: {node, server("memory"), "--method", "tools/call", "--tool-name", "read_graph"},
			"a title":          {os.Args[0], "--method", "tools/list"},
		} {
			c := exec.CommandContext(limited(t), node, append([]string{inspector}, tap.Command(command...)...)...)
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), want)
		}
		require.GreaterOrEqual(t, tap.Check(), 4*5)
	})
}

// TestHTTPBehindATap: requests and answers have the same bodies and the same headers of the protocol on both sides of the tap.
func TestHTTPBehindATap(t *testing.T) {
	tap := between.New(t, between.Build(t), "--schemas", "mcp")
	var there, here copies
	server := saying()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	theirs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := there.of(r.Header)
		c.ask(r.Header)
		r.Body = io.NopCloser(io.TeeReader(r.Body, &c.asked))
		handler.ServeHTTP(&copied{w, c}, r)
		c.answer(w.Header())
	}))
	defer theirs.Close()
	defer theirs.CloseClientConnections()
	url, end := tap.HTTP(theirs.URL)
	var last atomic.Int64
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		r.Header.Set("X-Copy", strconv.FormatInt(last.Add(1), 10))
		c := here.of(r.Header)
		c.ask(r.Header)
		if r.Body != nil {
			r.Body = io.NopCloser(io.TeeReader(r.Body, &c.asked))
		}
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			c.answer(response.Header)
			response.Body = readCloser{io.TeeReader(response.Body, &c.answered), response.Body}
		}
		return response, err
	})}
	for _, version := range []string{"2025-06-18", "2025-11-25", ""} {
		ctx := limited(t)
		theirs := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
		theirs.AddRoots(&mcp.Root{URI: "file:///theirs"})
		session, err := theirs.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}, &mcp.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		for range 100 {
			call := &mcp.CallToolParams{Name: "say", Arguments: map[string]any{"text": "héllo"}, Meta: mcp.Meta{}}
			call.SetProgressToken("p")
			result, err := session.CallTool(ctx, call)
			require.NoError(t, err)
			require.Equal(t, "héllo from file:///theirs", result.Content[0].(*mcp.TextContent).Text)
		}
		require.NoError(t, session.Close())
	}
	end()
	require.Greater(t, tap.Check(), 1000)
	require.Equal(t, here.all(), there.all())
}

// askEverything has a client of the Go SDK use the example server that has everything.
func askEverything(t *testing.T, to mcp.Transport, calls int) {
	ctx := limited(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, &mcp.ClientOptions{
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Model: "m", Role: "assistant", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///theirs", Name: "theirs"})
	session, err := client.Connect(ctx, to, nil)
	require.NoError(t, err)
	tools, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Greater(t, len(tools.Tools), 10)
	prompts, err := session.ListPrompts(ctx, nil)
	require.NoError(t, err)
	_, err = session.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompts.Prompts[0].Name})
	require.NoError(t, err)
	resources, err := session.ListResources(ctx, nil)
	require.NoError(t, err)
	_, err = session.ReadResource(ctx, &mcp.ReadResourceParams{URI: resources.Resources[0].URI})
	require.NoError(t, err)
	require.NoError(t, session.Subscribe(ctx, &mcp.SubscribeParams{URI: resources.Resources[0].URI}))
	require.NoError(t, session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "debug"}))
	_, err = session.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"}, Argument: mcp.CompleteParamsArgument{Name: "department", Value: "E"}})
	require.NoError(t, err)
	for name, arguments := range map[string]map[string]any{
		"get-sum": {"a": 1, "b": 2}, "get-tiny-image": {}, "get-annotated-message": {"messageType": "error", "includeImage": true},
		"get-structured-content": {"location": "New York"}, "get-resource-links": {"count": 3}, "get-resource-reference": {"resourceType": "Text", "resourceId": 1},
		"get-roots-list": {}, "trigger-sampling-request": {"prompt": "p", "maxTokens": 10}, "trigger-elicitation-request": {},
		"toggle-simulated-logging": {}, "toggle-subscriber-updates": {},
	} {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
		require.NoError(t, err, name)
	}
	long := &mcp.CallToolParams{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 1, "steps": 4}, Meta: mcp.Meta{}}
	long.SetProgressToken("p")
	_, err = session.CallTool(ctx, long)
	require.NoError(t, err)
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "nothing"})
	require.NoError(t, err)
	require.True(t, r.IsError)
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for n := range calls / 8 {
				text := strings.Repeat("é", n%200)
				r, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": text}})
				if err != nil || r.Content[0].(*mcp.TextContent).Text != "Echo: "+text {
					t.Errorf("%d %d: %v %v", i, n, r, err)
					return
				}
			}
		})
	}
	callers.Wait()
	for _, name := range []string{"toggle-simulated-logging", "toggle-subscriber-updates"} { // without an end of these, the server has none
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name})
		require.NoError(t, err, name)
	}
	require.NoError(t, session.Close())
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type readCloser struct {
	io.Reader
	io.Closer
}

// exchange is a request with its answer, as one side sees them.
type exchange struct {
	asked, answered bytes.Buffer
	headers         []string
}

// ask and answer note headers that are the protocol's.
func (e *exchange) ask(h http.Header) {
	e.note("request", h, "Accept", "Content-Type", "Last-Event-Id")
}
func (e *exchange) answer(h http.Header) { e.note("answer", h, "Content-Type", "Www-Authenticate") }

func (e *exchange) note(what string, h http.Header, names ...string) {
	for name, values := range h {
		if strings.HasPrefix(name, "Mcp-") || slices.Contains(names, name) {
			e.headers = append(e.headers, fmt.Sprint(what, name, values))
		}
	}
	slices.Sort(e.headers)
}

// copies are the exchanges of one side.
type copies struct {
	mu   sync.Mutex
	byID map[string]*exchange
}

func (c *copies) of(h http.Header) *exchange {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]*exchange{}
	}
	e := &exchange{}
	c.byID[h.Get("X-Copy")] = e
	return e
}

func (c *copies) all() map[string][]string {
	out := map[string][]string{}
	for id, e := range c.byID {
		out[id] = append(e.headers, e.asked.String(), e.answered.String())
	}
	return out
}

// copied copies what a server writes.
type copied struct {
	http.ResponseWriter
	e *exchange
}

func (c *copied) Write(b []byte) (int, error) {
	c.e.answered.Write(b)
	return c.ResponseWriter.Write(b)
}

func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *copied) Flush() { _ = http.NewResponseController(c.ResponseWriter).Flush() }
