// A gateway between a client and a server of the Go SDK, each of which speaks one version alone.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// served names a variable with the version of the server that this program is to be.
const served = "AHPGEN_SERVED_VERSION"

// TestAGatewayBetweenVersions has a client and a server talk that have no version in common: tools with progress, questions to the
// user and to the model, roots, resources, prompts, and cancelling. What the older version lacks does not arrive there.
func TestAGatewayBetweenVersions(t *testing.T) {
	ours := buildWith(t, t.TempDir(), "gateway", nil, map[string]string{"mcp": "mcp@2025-11-25 speaks 2025-06-18"})
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct{ name, side, client, server string }{
		{"an older client and a newer server", "older", "2025-06-18", "2025-11-25"},
		{"a newer client and an older server", "newer", "2025-11-25", "2025-06-18"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told bytes.Buffer
			child := exec.Command(ours, c.side, self)
			child.Env, child.Stderr = append(os.Environ(), served+"="+c.server), &told
			behind(t, c.client, c.server, &mcp.CommandTransport{Command: child})
			if c.client < c.server { // the question at a page
				require.Contains(t, told.String(), "cannot be said in the other version: the user is asked by a url\n")
			} else {
				require.Empty(t, told.String())
			}
		})
	}
}

// TestAGatewayAndTheTypeScriptSDK has clients of the Go SDK use the example server of the other SDK that has everything. It speaks both
// versions, and the gateway offers it the one that the client does not have.
func TestAGatewayAndTheTypeScriptSDK(t *testing.T) {
	node, modules := typescript(t)
	ours := buildWith(t, t.TempDir(), "gateway", nil, map[string]string{"mcp": "mcp@2025-11-25 speaks 2025-06-18"})
	for side, version := range map[string]string{"older": "2025-06-18", "newer": "2025-11-25"} {
		t.Run("a client of "+version, func(t *testing.T) {
			child := exec.Command(ours, side, node, filepath.Join(modules, "server-everything", "dist", "index.js"), "stdio")
			everythingBehind(t, version, &mcp.CommandTransport{Command: child})
		})
	}
}

func everythingBehind(t *testing.T, version string, to mcp.Transport) {
	ctx := limited(t)
	var steps atomic.Int32
	forms := make(chan string, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}, Elicitation: &mcp.ElicitationCapabilities{}, Sampling: &mcp.SamplingCapabilities{}},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { steps.Add(1) },
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "it has sampled"}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			form, err := json.Marshal(r.Params.RequestedSchema)
			forms <- string(form)
			return &mcp.ElicitResult{Action: "decline"}, err
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///ours"})
	session, err := client.Connect(ctx, to, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	defer session.Close()
	require.Equal(t, version, session.InitializeResult().ProtocolVersion)
	call := func(name string, arguments map[string]any) string {
		params := &mcp.CallToolParams{Name: name, Arguments: arguments, Meta: mcp.Meta{}}
		params.SetProgressToken(name)
		result, err := session.CallTool(ctx, params)
		if err != nil {
			return err.Error()
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	list, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Greater(t, len(list.Tools), 10)
	require.Equal(t, "Echo: hi", call("echo", map[string]any{"message": "hi"}))
	require.Contains(t, call("trigger-long-running-operation", map[string]any{"duration": 0.1, "steps": 4}), "Steps: 4")
	require.Eventually(t, func() bool { return steps.Load() == 4 }, time.Minute, time.Millisecond)
	require.Contains(t, call("trigger-sampling-request", map[string]any{"prompt": "p", "maxTokens": 9}), "it has sampled")
	require.Contains(t, call("get-roots-list", map[string]any{}), "file:///ours")
	asked := call("trigger-elicitation-request", map[string]any{})
	if version == "2025-06-18" { // in which forms have no choice of several values
		require.Equal(t, "MCP error -32602: cannot be said in the other version: a form has a choice of several values", asked)
	} else {
		require.Contains(t, asked, "declined")
		require.Contains(t, <-forms, `"titledMultipleSelectEnum"`)
	}
	require.Contains(t, call("get-structured-content", map[string]any{"location": "New York"}), "temperature")
}

// behind has a client of a version use everything of the server behind the gateway.
func behind(t *testing.T, version, server string, to mcp.Transport) {
	ctx := limited(t)
	var steps atomic.Int32
	is := &mcp.Implementation{Name: "client", Version: "1"}
	if version > server {
		is.Icons = pictures
	}
	var asked atomic.Value
	client := mcp.NewClient(is, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{}, Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}, Sampling: &mcp.SamplingCapabilities{}},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { steps.Add(1) },
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			text := r.Params.Messages[0].Content.(*mcp.TextContent).Text
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "model: " + text}}, nil
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			schema, err := json.Marshal(r.Params.RequestedSchema)
			asked.Store(string(schema))
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "g"}}, err
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///root"})
	session, err := client.Connect(ctx, to, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	require.Equal(t, version, session.InitializeResult().ProtocolVersion)
	call := func(name string) string {
		params := &mcp.CallToolParams{Name: name, Meta: mcp.Meta{}}
		params.SetProgressToken(name)
		result, err := session.CallTool(ctx, params)
		if err != nil {
			return err.Error()
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	list, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 5)
	for _, tool := range list.Tools {
		require.Empty(t, tool.Icons, "the older version has none")
		require.Equal(t, "a title", tool.Title)
	}
	require.Empty(t, session.InitializeResult().ServerInfo.Icons)
	require.Equal(t, "file:///root, client has 0 pictures", call("root"))
	require.Equal(t, "model: question", call("sample"))
	choice := `{"type":"string","title":"Colour","enum":["r","g"],"enumNames":["Red","Green"]}`
	require.Equal(t, "g", call("ask"))
	require.JSONEq(t, `{"type":"object","properties":{"colour":`+choice+`}}`, asked.Load().(string))
	if version < server {
		require.Contains(t, call("page"), "the user is asked by a url")
	}
	require.Eventually(t, func() bool { return steps.Load() == 2 }, time.Minute, time.Millisecond)
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "note:///1"})
	require.NoError(t, err)
	require.Equal(t, "text of note:///1", read.Contents[0].Text)
	prompt, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "you"}})
	require.NoError(t, err)
	require.Equal(t, "hello you", prompt.Messages[0].Content.(*mcp.TextContent).Text)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = session.CallTool(short, &mcp.CallToolParams{Name: "wait"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Eventually(t, func() bool { return call("root") == "file:///root, client has 0 pictures, 1 cancelled" }, time.Minute, 10*time.Millisecond)
	require.NoError(t, session.Close())
}

var pictures = []mcp.Icon{{Source: "https://example.org/a.png"}}

// serveVersion is a server of one version over standard input and output.
func serveVersion(version string) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1", Icons: pictures}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	if version < "2025-11-25" {
		server = mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{version}})
	}
	var cancelled atomic.Int32
	add := func(name string, answer func(ctx context.Context, s *mcp.ServerSession, token any) (string, error)) {
		tool := &mcp.Tool{Name: name, Title: "a title", InputSchema: json.RawMessage(`{"type":"object"}`)}
		if version >= "2025-11-25" {
			tool.Icons = pictures
		}
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := answer(ctx, r.Session, r.Params.GetProgressToken())
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, err
		})
	}
	add("root", func(ctx context.Context, s *mcp.ServerSession, _ any) (string, error) {
		roots, err := s.ListRoots(ctx, nil)
		if err != nil {
			return "", err
		}
		text := roots.Roots[0].URI + ", client has " + string(rune('0'+len(s.InitializeParams().ClientInfo.Icons))) + " pictures"
		if cancelled.Load() > 0 {
			text += ", 1 cancelled"
		}
		return text, nil
	})
	add("sample", func(ctx context.Context, s *mcp.ServerSession, token any) (string, error) {
		for i := range 2 {
			if err := s.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)}); err != nil {
				return "", err
			}
		}
		message := &mcp.SamplingMessage{Role: "user", Content: &mcp.TextContent{Text: "question"}}
		said, err := s.CreateMessage(ctx, &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{message}, MaxTokens: 9})
		if err != nil {
			return "", err
		}
		return said.Content.(*mcp.TextContent).Text, nil
	})
	choice := `"enum":["r","g"],"enumNames":["Red","Green"]`
	if version >= "2025-11-25" {
		choice = `"oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"Green"}]`
	}
	ask := func(p *mcp.ElicitParams) func(context.Context, *mcp.ServerSession, any) (string, error) {
		return func(ctx context.Context, s *mcp.ServerSession, _ any) (string, error) {
			said, err := s.Elicit(ctx, p)
			if err != nil {
				return "", err
			}
			text, _ := said.Content["colour"].(string)
			return text, nil
		}
	}
	add("ask", ask(&mcp.ElicitParams{Message: "which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string","title":"Colour",` + choice + `}}}`)}))
	add("page", ask(&mcp.ElicitParams{Mode: "url", Message: "look", URL: "https://example.org", ElicitationID: "1"}))
	add("wait", func(ctx context.Context, _ *mcp.ServerSession, _ any) (string, error) {
		<-ctx.Done()
		cancelled.Add(1)
		return "", errors.New("cancelled")
	})
	server.AddResource(&mcp.Resource{URI: "note:///1", Name: "one"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, Text: "text of " + r.Params.URI}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello " + r.Params.Arguments["who"]}}}}, nil
	})
	return server.Run(context.Background(), &mcp.StdioTransport{})
}
