// Servers of others that ahpgen conform plays its scenarios to. What it finds is listed in testdata/conform, with reasons.

package mcp

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestServersConform has the official example servers. Each finding was looked at by hand.
func TestServersConform(t *testing.T) {
	node, modules := typescript(t)
	tool := filepath.Join(t.TempDir(), "ahpgen.exe")
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", "..", ".."), "-o", tool, "./cmd/ahpgen").CombinedOutput()
	require.NoError(t, err, string(out))
	for name, flags := range map[string][]string{
		"everything": {
			"--params", `tools/call={"name": "trigger-sampling-request", "arguments": {"prompt": "x", "maxTokens": 5}}`,
			"--params", `resources/read={"uri": "demo://resource/static/document/architecture.md"}`,
			"--params", `prompts/get={"name": "simple-prompt"}`,
		},
		"filesystem": {"--params", `tools/call={"name": "list_allowed_directories", "arguments": {}}`},
		"memory":     {"--params", `tools/call={"name": "read_graph", "arguments": {}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"conform", "--schemas", "mcp", "-q", "--patience", "2s", "--notify", "notifications/initialized"}, flags...)
			args = append(args, "--expected", filepath.Join("testdata", "conform", name+".json"), "--", node, filepath.Join(modules, "server-"+name, "dist", "index.js"))
			if name == "filesystem" {
				args = append(args, t.TempDir())
			}
			c := exec.Command(tool, args...)
			c.Env = append(c.Environ(), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"))
			out, err := c.CombinedOutput()
			require.NoError(t, err, string(out))
			t.Log(string(out))
		})
	}
}
