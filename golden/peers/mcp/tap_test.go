// Servers of others behind a tap: they hear and say the same, and nothing is wrong with that.

package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAServerBehindATap pipes many requests to the server for everything, directly and through a tap.
func TestAServerBehindATap(t *testing.T) {
	node, modules := typescript(t)
	tool := filepath.Join(t.TempDir(), "ahpgen.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", tool, "./cmd/ahpgen").CombinedOutput()
	require.NoError(t, err, string(out))
	server := []string{node, filepath.Join(modules, "server-everything", "dist", "index.js")}
	folder := t.TempDir()
	recording, log := filepath.Join(folder, "talk.jsonl"), filepath.Join(folder, "log")
	direct, sent := said(t, server)
	tapped, _ := said(t, append([]string{tool, "tap", "--schemas", "mcp", "--fail", "--record", recording, "--log", log, "--"}, server...))
	slices.Sort(direct) // answers may overtake each other
	slices.Sort(tapped)
	require.Equal(t, direct, tapped)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(text), ", 0 findings\n")

	lines, err := os.ReadFile(recording)
	require.NoError(t, err)
	var recorded bytes.Buffer
	for line := range bytes.Lines(lines) {
		var entry struct{ From, Text string }
		require.NoError(t, json.Unmarshal(line, &entry))
		if entry.From == "client" {
			recorded.WriteString(entry.Text)
		}
	}
	require.True(t, sent == recorded.String(), "every byte is recorded")
}

// said has a server answer many requests, and returns its lines and what was sent.
func said(t *testing.T, command []string) (lines []string, sent string) {
	t.Helper()
	const n = 1000
	c := exec.CommandContext(limited(t), command[0], command[1:]...)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	var text strings.Builder
	text.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n")
	text.WriteString(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	for i := range n {
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":%q}}}`+"\n", i+1, strings.Repeat("é", i%200))
	}
	go func() { _, _ = in.Write([]byte(text.String())) }()
	answers := json.NewDecoder(out)
	for seen := 0; seen <= n; {
		var message json.RawMessage
		require.NoError(t, answers.Decode(&message))
		if bytes.Contains(message, []byte(`"id":`)) {
			seen++
			lines = append(lines, string(message))
		}
	}
	require.NoError(t, in.Close())
	_ = c.Wait() // some servers end with an error
	return lines, text.String()
}
