// Our client and server against those of the Go SDK, in each version that both speak.

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// versions are those in which a connection begins with a request, with what their schemas call some parameters, and
// the result of a tool.
var versions = []struct{ version, list, ping, roots, initialized, tool string }{
	{"2024-11-05", "ListToolsRequestParams", "PingRequestParams", "ListRootsRequestParams", "InitializedNotificationParams", "*mcp.CallToolResult"},
	{"2025-03-26", "ListToolsRequestParams", "PingRequestParams", "ListRootsRequestParams", "InitializedNotificationParams", "*mcp.CallToolResult"},
	{"2025-06-18", "ListToolsRequestParams", "PingRequestParams", "ListRootsRequestParams", "InitializedNotificationParams", "*mcp.CallToolResult"},
	{"2025-11-25", "PaginatedRequestParams", "RequestParams", "RequestParams", "NotificationParams", "mcp.CallToolOutcome"},
}

// TestOursAndTheGoSDK has our command and the SDK talk, each as either side.
func TestOursAndTheGoSDK(t *testing.T) {
	for _, v := range versions {
		t.Run(v.version, func(t *testing.T) {
			names := fmt.Sprintf("package main\n\nimport \"ours/mcp\"\n\ntype (\n\tlistParams = mcp.%s\n\tpingParams = mcp.%s\n\trootsParams = mcp.%s\n\tinitializedParams = mcp.%s\n\ttoolResult = %s\n)\n", v.list, v.ping, v.roots, v.initialized, v.tool)
			ours := build(t, v.version, "ours", map[string]string{"names.go": names})
			t.Run("their client and our server", func(t *testing.T) { theirClient(t, v.version, ours) })
			t.Run("our client and their server", func(t *testing.T) { theirServer(t, v.version, ours) })
			if v.version >= "2025-03-26" { // the first with this HTTP
				t.Run("their client and our server over HTTP", func(t *testing.T) { theirHTTPClient(t, v.version, ours) })
				t.Run("our client and their server over HTTP", func(t *testing.T) { theirHTTPServer(t, v.version, ours) })
			}
		})
	}
}

// build makes a command of a program in testdata, with a package of a version and more files.
func build(t *testing.T, version, program string, files map[string]string) string {
	return buildWith(t, t.TempDir(), program, files, map[string]string{"mcp": version})
}

// buildEras is like build, with a package for each era. It builds once.
func buildEras(t *testing.T, program string) string {
	if erasBuilt[program] == "" {
		folder, err := os.MkdirTemp("", "eras")
		require.NoError(t, err)
		scratch = append(scratch, folder)
		erasBuilt[program] = buildWith(t, folder, program, nil, map[string]string{"older": "2025-11-25", "newer": "2026-07-28"})
	}
	return erasBuilt[program]
}

// erasBuilt has the commands by their programs.
var erasBuilt = map[string]string{}

// buildWith makes a command, in a folder, of a program in testdata, with packages of versions and more files.
func buildWith(t testing.TB, module, program string, files, packages map[string]string) string {
	corpus := os.Getenv("AHPGEN_CORPUS")
	if corpus == "" {
		t.Skip("AHPGEN_CORPUS is not set: this test needs the corpus of published schemas")
	}
	require.NoError(t, os.CopyFS(module, os.DirFS(filepath.Join("testdata", program))))
	require.NoError(t, os.WriteFile(filepath.Join(module, "go.mod"), []byte("module ours\n\ngo 1.24\n"), 0o600))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(module, name), []byte(text), 0o600))
	}
	generator, ours := filepath.Join(module, "ahpgen.exe"), filepath.Join(module, "ours.exe")
	command(t, "go", "build", "-C", filepath.Join("..", "..", ".."), "-o", generator, "./cmd/ahpgen")
	for name, version := range packages {
		folder := filepath.Join(module, name)
		config := fmt.Sprintf(`{"schemas": %q, "profile": "mcp", "out": ".", "package": %q, "transports": ["http"], "runtime": "../wire", "missing": "report"}`, filepath.Join(corpus, "mcp", version), name)
		if strings.HasPrefix(version, "mcp@") { // the same of the schemas that ahpgen brings
			version, older, speaks := strings.Cut(version, " speaks ")
			config = fmt.Sprintf(`{"schemas": %q, "out": ".", "package": %q, "transports": ["http"], "runtime": "../wire", "missing": "report"}`, version, name)
			if speaks {
				config = strings.Replace(config, "{", fmt.Sprintf(`{"speaks": [%q], `, older), 1)
			}
		}
		if version == name { // of the schemas that ahpgen brings
			config = fmt.Sprintf(`{"schemas": %q, "out": ".", "package": %q, "runtime": "../wire", "missing": "report"}`, name, name)
		}
		require.NoError(t, os.MkdirAll(folder, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "ahpgen.json"), []byte(config), 0o600))
		command(t, generator, "-C", folder, "generate", "-q")
	}
	command(t, "go", "build", "-C", module, "-o", ours, ".")
	return ours
}

func command(t testing.TB, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func theirClient(t *testing.T, version, ours string) {
	converse(t, version, &mcp.CommandTransport{Command: exec.Command(ours, "server")})
}

// converse has their client call everything that our server has.
func converse(t *testing.T, version string, to mcp.Transport) {
	ctx := limited(t)
	var mu sync.Mutex // guards progress
	var progress []float64
	client := mcp.NewClient(&mcp.Implementation{Name: "theirs", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, p *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			progress = append(progress, p.Params.Progress)
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///theirs"})
	session, err := client.Connect(ctx, to, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	require.Equal(t, version, session.InitializeResult().ProtocolVersion)
	require.Equal(t, "ours", session.InitializeResult().ServerInfo.Name)
	require.NoError(t, session.Ping(ctx, nil))
	list, err := session.ListTools(ctx, nil)
	require.NoError(t, err)
	require.Len(t, list.Tools, 1)
	call := &mcp.CallToolParams{Name: list.Tools[0].Name, Arguments: map[string]any{"text": "hello"}, Meta: mcp.Meta{}}
	call.SetProgressToken("p")
	result, err := session.CallTool(ctx, call)
	require.NoError(t, err)
	require.Equal(t, "hello from file:///theirs", result.Content[0].(*mcp.TextContent).Text)
	require.Eventually(t, func() bool { // theirs does not keep the order of notifications and answers
		mu.Lock()
		defer mu.Unlock()
		return len(progress) == 2
	}, time.Minute, time.Millisecond)
	slices.Sort(progress)
	require.Equal(t, []float64{1, 2}, progress)
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "say", Arguments: map[string]any{"text": 1}})
	require.ErrorContains(t, err, "invalid params")
	_, err = session.ListPrompts(ctx, nil)
	require.Error(t, err)
	require.NoError(t, session.Close())
}

func theirServer(t *testing.T, version, ours string) {
	ctx := limited(t)
	server := saying()
	child := exec.CommandContext(ctx, ours, "client")
	var told bytes.Buffer
	child.Stderr = &told
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.NoError(t, server.Run(ctx, &mcp.IOTransport{Reader: out, Writer: in}))
	require.NoError(t, child.Wait(), "%s", &told)
	require.Equal(t, version+" theirs say [1 2] hello from file:///ours -32602\n", told.String())
}

// saying is their server with the tool of ours.
func saying() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "theirs", Version: "1"}, nil)
	for name, steps := range map[string]int{"say": 2, "stream": 2500} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}, say(steps))
	}
	return server
}

// say does what the tool of our server does.
func say(steps int) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := 1; i <= steps; i++ {
			if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i)}); err != nil {
				return nil, err
			}
		}
		if err := req.Session.Ping(ctx, nil); err != nil {
			return nil, err
		}
		roots, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		var arguments struct{ Text string }
		if err := json.Unmarshal(req.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: arguments.Text + " from " + roots.Roots[0].URI}}}, nil
	}
}
