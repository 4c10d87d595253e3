// The example server that has everything, over HTTP.

package mcp

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEverything has our client call what the example server has: progress, sampling and roots in its requests, and messages on
// the stream of the server.
func TestEverything(t *testing.T) {
	node, modules := typescript(t)
	ours := build(t, "2025-11-25", "everything", nil)
	port := freePort(t)
	server := exec.CommandContext(limited(t), node, filepath.Join(modules, "server-everything", "dist", "index.js"), "streamableHttp")
	server.Env = append(server.Environ(), "PORT="+port)
	var told bytes.Buffer
	server.Stdout, server.Stderr = &told, &told
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	url := "http://localhost:" + port + "/mcp"
	require.Eventually(t, func() bool { return reachable(url) }, 30*time.Second, 50*time.Millisecond)
	out, err := exec.CommandContext(limited(t), ours, url).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "echo: Echo: hi\nget-sum: The sum of 1 and 2 is 3.\ntrigger-long-running-operation: 4 steps\n"+
		"get-roots-list: it has file:///ours\ntrigger-sampling-request: it has sampled\nmessages: true\nwrong: 0\n", string(out))
	require.Contains(t, told.String(), "Received session termination request")
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

func reachable(url string) bool {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		panic(fmt.Sprint("a constant: ", err))
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return true
}
