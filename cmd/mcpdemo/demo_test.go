// Conversations with the demo as clients of either era hold them, in bytes.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ahpgen/ahpgen/generated/wire/rpc"
)

// talk holds a conversation over a stream.
type talk struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func newTalk(t *testing.T, pageSize int) *talk {
	t.Helper()
	ours, in := io.Pipe()
	out, theirs := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan error, 1)
	go func() { done <- serveStream(ctx, newNotes(pageSize), rpc.Pipes(ours, theirs)) }()
	t.Cleanup(func() {
		cancel()
		_ = in.Close()
		_ = out.Close()
		<-done
	})
	return &talk{t, in, bufio.NewScanner(out)}
}

// say sends a message.
func (c *talk) say(text string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, text+"\n")
	require.NoError(c.t, err)
}

// hears requires that the next message has certain members, at paths with dots, and returns it.
func (c *talk) hears(want map[string]any) string {
	c.t.Helper()
	require.True(c.t, c.out.Scan(), "the server has ended")
	has(c.t, c.out.Text(), want)
	return c.out.Text()
}

// hearsBoth requires a notification and an answer, which come in either order.
func (c *talk) hearsBoth(notification, answer map[string]any) {
	c.t.Helper()
	first, second := c.hears(nil), c.hears(nil)
	if member(c.t, first, "method") == nil {
		first, second = second, first
	}
	has(c.t, first, notification)
	has(c.t, second, answer)
}

// has requires that a JSON text has certain members, at paths with dots.
func has(t *testing.T, text string, want map[string]any) {
	t.Helper()
	for path, value := range want {
		require.Equal(t, value, member(t, text, path), "%s of %s", path, text)
	}
}

// member returns the member at a path with dots, in which numbers are indexes.
func member(t *testing.T, text, path string) any {
	t.Helper()
	var at any
	require.NoError(t, json.Unmarshal([]byte(text), &at), text)
	for _, key := range strings.Split(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[key]
		case []any:
			if at = any(nil); int(key[0]-'0') < len(v) {
				at = v[key[0]-'0']
			}
		default:
			return nil
		}
	}
	return at
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"progressToken":"p"}`

func TestRequestsThatStandForThemselves(t *testing.T) {
	c := newTalk(t, 3)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modern + `}}`)
	c.hears(map[string]any{"id": 1.0, "result.supportedVersions.0": "2026-07-28", "result.resultType": "complete"})

	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + modern + `}}`)
	first := c.hears(map[string]any{"result.tools.0.name": "add_note", "result.tools.0.inputSchema.required.1": "text"})
	next := member(t, first, "result.nextCursor").(string)
	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + modern + `,"cursor":"` + next + `"}}`)
	c.hears(map[string]any{"result.tools.0.name": "wait", "result.nextCursor": nil})
	c.say(`{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{` + modern + `,"cursor":"x"}}`)
	c.hears(map[string]any{"error.code": -32602.0, "error.message": "unknown cursor"})

	c.say(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{` + modern + `,"notifications":{"resourcesListChanged":true}}}`)
	c.hears(map[string]any{"method": "notifications/subscriptions/acknowledged", "params.notifications.resourcesListChanged": true, "params.notifications.toolsListChanged": false})
	c.say(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{` + modern + `,"name":"add_note","arguments":{"title":"Milk","text":"Buy some.","tags":["shop"]}}}`)
	c.hearsBoth(map[string]any{"method": "notifications/resources/list_changed"}, map[string]any{"id": 6.0, "result.content.0.text": "Added note:///1"})
	c.say(`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{` + modern + `,"uri":"note:///1"}}`)
	c.hears(map[string]any{"result.contents.0.text": "Buy some.\n\n#shop"})

	c.say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{` + modern + `,"name":"wait","arguments":{"steps":1}}}`)
	c.hears(map[string]any{"method": "notifications/progress", "params.progress": 1.0, "params.progressToken": "p"})
	c.hears(map[string]any{"id": 8.0, "result.content.0.text": "Took 1 steps"})

	c.say(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{` + modern + `,"name":"greet","arguments":{}}}`)
	c.hears(map[string]any{"result.resultType": "input_required", "result.inputRequests.name.method": "elicitation/create"})
	c.say(`{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{` + modern + `,"name":"greet","arguments":{},"inputResponses":{"name":{"action":"accept","content":{"name":"Ada"}}}}}`)
	c.hears(map[string]any{"result.content.0.text": "Hello, Ada"})
}

func TestAQuestionNeedsAClientThatCanAsk(t *testing.T) {
	c := newTalk(t, 50)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	c.hears(map[string]any{"error.code": -32021.0, "error.data.requiredCapabilities": map[string]any{"elicitation": map[string]any{}}})
}

func TestArgumentsAreValidatedAgainstTheSchemaOfTheTool(t *testing.T) {
	c := newTalk(t, 50)
	for arguments, reason := range map[string]string{
		`{"title":"","text":"x"}`:           "/title: length must be >= 1, but got 0",
		`{"title":"a"}`:                     "missing properties: 'text'",
		`{"title":"a","text":7}`:            "/text: expected string, but got number",
		`{"title":"a","text":"b","by":"c"}`: "additionalProperties 'by' not allowed",
	} {
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + modern + `,"name":"add_note","arguments":` + arguments + `}}`)
		c.hears(map[string]any{"result.isError": true, "result.content.0.text": "invalid arguments: " + reason})
	}
}

func TestASessionAndItsTasks(t *testing.T) {
	c := newTalk(t, 50)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	c.hears(map[string]any{"result.protocolVersion": "2025-11-25", "result.capabilities.tools.listChanged": true})
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)

	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{}}}`)
	asked := c.hears(map[string]any{"method": "elicitation/create", "params.message": "What is your name?"})
	id, err := json.Marshal(member(t, asked, "id"))
	require.NoError(t, err)
	c.say(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"action":"accept","content":{"name":"Ada"}}}`)
	c.hears(map[string]any{"id": 2.0, "result.content.0.text": "Hello, Ada"})

	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add_tool","arguments":{}}}`)
	c.hearsBoth(map[string]any{"method": "notifications/tools/list_changed"}, map[string]any{"id": 3.0, "result.content.0.text": "Added tell_time"})

	c.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","arguments":{"steps":2},"task":{"ttl":60000}}}`)
	started := c.hears(map[string]any{"result.task.ttl": 60000.0})
	task := member(t, started, "result.task.taskId").(string)
	c.say(`{"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":"` + task + `"}}`)
	c.hears(map[string]any{"id": 5.0, "result.content.0.text": "Took 2 steps", "result._meta": map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": task}}})
	c.say(`{"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":"` + task + `"}}`)
	c.hears(map[string]any{"result.status": "completed"})
	c.say(`{"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":{"taskId":"` + task + `"}}`)
	c.hears(map[string]any{"error.code": -32602.0})

	c.say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"wait","arguments":{"steps":1,"pause":60000},"task":{}}}`)
	long := member(t, c.hears(map[string]any{"result.task.status": "working"}), "result.task.taskId").(string)
	c.say(`{"jsonrpc":"2.0","id":9,"method":"tasks/cancel","params":{"taskId":"` + long + `"}}`)
	c.hears(map[string]any{"result.status": "cancelled"})
	c.say(`{"jsonrpc":"2.0","id":10,"method":"tasks/list"}`)
	c.hears(map[string]any{"result.tasks.0.taskId": task, "result.tasks.1.status": "cancelled"})
	c.say(`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"greet","arguments":{},"task":{}}}`)
	c.hears(map[string]any{"error.code": -32601.0})
}

// TestASessionOfTheVersionBefore: what 2025-06-18 does not have is not said to its clients, and they cannot ask for it.
func TestASessionOfTheVersionBefore(t *testing.T) {
	c := newTalk(t, 50)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	c.hears(map[string]any{"result.protocolVersion": "2025-06-18", "result.capabilities.tools.listChanged": true, "result.capabilities.tasks": nil})
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	require.NotContains(t, c.hears(map[string]any{"result.tools.0.name": "add_note"}), "execution")
	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet","arguments":{}}}`)
	asked := c.hears(map[string]any{"method": "elicitation/create", "params.message": "What is your name?", "params.mode": nil})
	id, err := json.Marshal(member(t, asked, "id"))
	require.NoError(t, err)
	c.say(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"action":"accept","content":{"name":"Ada"}}}`)
	c.hears(map[string]any{"id": 3.0, "result.content.0.text": "Hello, Ada"})
	c.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wait","arguments":{"steps":1},"_meta":{"progressToken":"p"}}}`)
	c.hears(map[string]any{"method": "notifications/progress", "params.progress": 1.0, "params.progressToken": "p"})
	c.hears(map[string]any{"id": 4.0, "result.content.0.text": "Took 1 steps"})
}

func TestBothErasAreServedAtOneURL(t *testing.T) {
	server := httptest.NewServer(newHandler(newNotes(50)))
	defer server.Close()
	post := func(body string, headers ...string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response, string(text)
	}
	response, text := post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern+`}}`, "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list")
	require.Equal(t, http.StatusOK, response.StatusCode, text)
	require.Contains(t, text, `"name":"add_note"`)
	response, text = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	require.Equal(t, http.StatusOK, response.StatusCode, text)
	session := response.Header.Get("Mcp-Session-Id")
	require.NotEmpty(t, session)
	_, text = post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25")
	require.Contains(t, text, `"taskSupport":"optional"`)

	response, text = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	require.Equal(t, http.StatusOK, response.StatusCode, text)
	require.Contains(t, text, `"protocolVersion":"2025-06-18"`)
	session = response.Header.Get("Mcp-Session-Id")
	_, text = post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-06-18")
	require.Contains(t, text, `"name":"wait"`)
	require.NotContains(t, text, "taskSupport")
}
