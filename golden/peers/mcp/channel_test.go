// The example server that has everything, behind a host of AHP.

package mcp

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEverythingOverAChannel has two clients of AHP use one MCP server of their host, with progress, requests of the server, and
// cancelling.
func TestEverythingOverAChannel(t *testing.T) {
	node, modules := typescript(t)
	ours := buildWith(t, t.TempDir(), "channel", nil, map[string]string{"ahp": "ahp", "mcp": "2025-11-25"})
	server := filepath.Join(modules, "server-everything", "dist", "index.js")
	out, err := exec.CommandContext(limited(t), ours, node, server, "stdio").CombinedOutput()
	require.NoError(t, err, "%s", out)
	once := "tools: true\necho: true, 0 steps\nget-roots-list: true, 0 steps\ntrigger-sampling-request: true, 0 steps\n" +
		"trigger-long-running-operation: true, 4 steps\n"
	require.Equal(t, once+"cancelled: true 1\n"+once+"cancelled: true 2\n", string(out))
}
